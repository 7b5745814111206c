//! Public part of a table's shuffle, for verifying its fairness.

use super::PublicDeal;
use parlor_fair::{Commitment, Entropy, EntropyCommitment};

/// Part of one participant in a shuffle: a seat, or the organiser or an entrant of a tournament.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct AddedEntropy {
    /// Commitment to the entropy; `None` if nothing was committed to.
    pub commitment: Option<EntropyCommitment>,
    /// Revealed entropy; empty if nothing was added, it is not revealed yet, or it was withheld.
    pub entropy: Entropy,
}

impl AddedEntropy {
    /// A commitment, whose entropy is not revealed.
    #[must_use]
    pub const fn committed(commitment: Option<EntropyCommitment>) -> AddedEntropy {
        AddedEntropy { commitment, entropy: Entropy::NONE }
    }

    /// True if entropy was committed to and is not revealed. Once the reveals are over, it was withheld.
    #[must_use]
    pub const fn is_unrevealed(&self) -> bool {
        self.commitment.is_some() && self.entropy.is_empty()
    }
}

/// Omits the entropy, which may be secret.
impl std::fmt::Debug for AddedEntropy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("AddedEntropy").field(&self.commitment).field(&self.entropy).finish()
    }
}

/// The entropy of all participants, in order, as it enters a seed.
#[must_use]
pub fn revealed(added: &[AddedEntropy]) -> Vec<Entropy> {
    added.iter().map(|added| added.entropy).collect()
}

/// Public part of a table's shuffle at some time. Values that are still secret are absent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shuffle {
    /// Commitment to the server seed, public from the beginning; `None` if the seed was given.
    pub commitment: Option<Commitment>,
    /// Entropy in seat order. Empty before all seats are filled, and if the seed was given; until the start, only the
    /// commitments are included.
    pub entropy: Vec<AddedEntropy>,
    /// Server seed; `None` until the table is over, and if the seed was given.
    pub server_seed: Option<[u8; 32]>,
    /// Game seed; `None` until the table is over, and if the game never began.
    pub game_seed: Option<[u8; 32]>,
    /// True if the creator of the table gave the seed.
    pub given: bool,
    /// The tournament deal that the cards come from, if any. The server seed is then that of the deal, and the seeds
    /// are public only when the deal is over.
    pub deal: Option<PublicDeal>,
}
