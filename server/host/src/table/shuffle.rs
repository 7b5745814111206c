//! Public part of a table's shuffle, for verifying its fairness.

use super::PublicDeal;
use parlor_fair::{Commitment, Entropy};

/// Public part of a table's shuffle at some time. Values that are still secret are absent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shuffle {
    /// Commitment to the server seed, public from the beginning; `None` if the seed was given.
    pub commitment: Option<Commitment>,
    /// Entropy in seat order. Empty before the start, and if the seed was given.
    pub entropy: Vec<Entropy>,
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
