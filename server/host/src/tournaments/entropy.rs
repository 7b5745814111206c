//! Entropy of the organiser and the entrants, collected between the start of a tournament and its first tables: first
//! all commitments, then the entropy.

use parlor_fair::{Entropy, EntropyCommitment, TournamentId};
use parlor_tournament::Entrant;

use super::TournamentError;
use crate::table::AddedEntropy;

/// Entropy that is collected for a tournament.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntropyCollection {
    /// Entrants that are asked.
    pub asked: Vec<Entrant>,
    /// Parts of the organiser and then of each entrant.
    pub added: Vec<AddedEntropy>,
    /// All commitments are known and shown, and entropy is revealed.
    pub is_committed: bool,
}

impl EntropyCollection {
    /// A collection that waits for the commitments of these entrants.
    #[must_use]
    pub fn new(
        organiser: Option<EntropyCommitment>,
        asked: Vec<Entrant>,
        entrants: usize,
    ) -> EntropyCollection {
        let mut added = vec![AddedEntropy::default(); entrants + 1];
        added[0] = AddedEntropy::committed(organiser);
        EntropyCollection { asked, added, is_committed: false }
    }

    /// The part of an entrant, or of the organiser.
    #[must_use]
    pub fn of(&self, participant: Option<Entrant>) -> AddedEntropy {
        self.added[index(participant)]
    }

    /// True if somebody has entropy left to reveal.
    #[must_use]
    pub fn awaits_reveals(&self) -> bool {
        self.added.iter().any(AddedEntropy::is_unrevealed)
    }

    /// Revealed entropy of each entrant; empty where there is none.
    #[must_use]
    pub fn of_entrants(&self) -> Vec<Entropy> {
        self.added[1..].iter().map(|added| added.entropy).collect()
    }

    /// Parts that may be shown before the first tables: the commitments, once all are known.
    #[must_use]
    pub fn shown(&self) -> Vec<AddedEntropy> {
        let commitments = self.added.iter().map(|added| AddedEntropy::committed(added.commitment));
        if self.is_committed { commitments.collect() } else { Vec::new() }
    }

    /// Adds the commitments of the entrants.
    pub(super) fn commit(&mut self, commitments: &[Option<EntropyCommitment>]) -> Result<(), String> {
        if self.is_committed || commitments.len() + 1 != self.added.len() {
            return Err("commitments of the entrants were not expected".to_owned());
        }
        for (added, commitment) in self.added[1..].iter_mut().zip(commitments) {
            *added = AddedEntropy::committed(*commitment);
        }
        self.is_committed = true;
        Ok(())
    }

    /// Adds revealed entropy.
    pub(super) fn reveal(
        &mut self,
        tournament: TournamentId,
        participant: Option<Entrant>,
        entropy: Entropy,
    ) -> Result<(), String> {
        match self.propose(tournament, participant, entropy) {
            Ok(true) => self.added[index(participant)].entropy = entropy,
            Ok(false) => return Err("entropy was revealed before".to_owned()),
            Err(error) => return Err(error.to_string()),
        }
        Ok(())
    }

    /// Checks a reveal. Returns false if it was made before.
    pub(super) fn propose(
        &self,
        tournament: TournamentId,
        participant: Option<Entrant>,
        entropy: Entropy,
    ) -> Result<bool, TournamentError> {
        let part = self.added.get(index(participant)).copied().unwrap_or_default();
        let is_new = check_reveal(part, tournament, entropy)?;
        if self.is_committed { Ok(is_new) } else { Err(TournamentError::NotRevealing { tournament }) }
    }
}

/// Checks a reveal against its commitment. Returns false if the entropy was revealed before.
pub(super) fn check_reveal(
    part: AddedEntropy,
    tournament: TournamentId,
    entropy: Entropy,
) -> Result<bool, TournamentError> {
    if part.commitment != Some(entropy.tournament_commitment(tournament)) {
        return Err(TournamentError::EntropyMismatch { tournament });
    }
    Ok(part.is_unrevealed())
}

/// Index of a participant among the parts: the organiser comes first.
fn index(participant: Option<Entrant>) -> usize {
    participant.map_or(0, |entrant| entrant.index() + 1)
}
