//! Comparison of a record with what its server had shown before the game.

use super::report::Finding;
use crate::wire;

/// Commitments as a client saw them before the game, and the entropy that it revealed itself.
#[derive(Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ShownCommitments {
    /// Commitment of the server to its seed: of the table or, for the table of a tournament, of the tournament.
    pub server: Vec<u8>,
    /// Commitments of the seats or, for the table of a tournament, of the organiser and the entrants. Empty if they were
    /// not seen.
    pub participants: Vec<Vec<u8>>,
    /// Own seat, and the entropy that it revealed.
    pub revealed: Option<(u32, Vec<u8>)>,
}

impl ShownCommitments {
    /// The server's commitment.
    #[must_use]
    pub fn new(server: impl Into<Vec<u8>>) -> ShownCommitments {
        ShownCommitments { server: server.into(), ..ShownCommitments::default() }
    }

    /// Commitments of the seats, or of the organiser and the entrants.
    #[must_use]
    pub fn participants(mut self, commitments: Vec<Vec<u8>>) -> ShownCommitments {
        self.participants = commitments;
        self
    }

    /// The entropy that a seat revealed.
    #[must_use]
    pub fn revealed(mut self, seat: u32, entropy: impl Into<Vec<u8>>) -> ShownCommitments {
        self.revealed = Some((seat, entropy.into()));
        self
    }

    /// Compares a record with what was shown. No findings: nobody has changed what it was bound to.
    #[must_use]
    pub fn compare(&self, record: &wire::Record) -> Vec<Finding> {
        let shuffle = record.shuffle.clone().unwrap_or_default();
        let (path, server, participants) = match &shuffle.deal_group {
            Some(group) => (
                "shuffle.deal_group.tournament_commitment",
                &group.tournament_commitment,
                group
                    .entropy_commitments
                    .iter()
                    .enumerate()
                    .map(|(index, commitment)| {
                        (format!("shuffle.deal_group.entropy_commitments[{index}]"), commitment.clone())
                    })
                    .collect::<Vec<_>>(),
            ),
            None => (
                "shuffle.commitment",
                &shuffle.commitment,
                shuffle
                    .entropy
                    .iter()
                    .enumerate()
                    .map(|(index, seat)| {
                        (format!("shuffle.entropy[{index}].commitment"), seat.commitment.clone())
                    })
                    .collect(),
            ),
        };
        let mut findings: Vec<Finding> = compare(path, server, &self.server).into_iter().collect();
        if !self.participants.is_empty() && participants.len() != self.participants.len() {
            let count = |count: usize| format!("{count} participants");
            let (found, expected) = (count(participants.len()), count(self.participants.len()));
            findings.push(Finding::differs("shuffle.entropy", found, expected));
        }
        let pairs = participants.iter().zip(&self.participants);
        findings.extend(pairs.filter_map(|((path, found), expected)| compare(path, found, expected)));
        if let Some((seat, entropy)) = &self.revealed {
            let added = shuffle.entropy.iter().find(|added| added.seat == *seat);
            let found = added.map(|added| added.entropy.clone()).unwrap_or_default();
            findings.extend(compare(&format!("shuffle.entropy[{seat}].entropy"), &found, entropy));
        }
        findings
    }
}

/// Omits the entropy.
impl std::fmt::Debug for ShownCommitments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShownCommitments")
            .field("server", &hex(&self.server))
            .field("participants", &self.participants.len())
            .finish_non_exhaustive()
    }
}

/// Bytes in the notation of the text format.
fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    std::iter::once("0x".to_owned()).chain(digits).collect()
}

fn compare(path: &str, found: &[u8], expected: &[u8]) -> Option<Finding> {
    let text = |bytes: &[u8]| (!bytes.is_empty()).then(|| hex(bytes));
    (found != expected).then(|| Finding::differs(path, text(found), text(expected)))
}
