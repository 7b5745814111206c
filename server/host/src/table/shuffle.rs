//! What there is to see of the fairness of a table's shuffle.

use super::PublicDeal;
use parlor_fair::{Commitment, Entropy};

/// What there is to see of the fairness of a table's shuffle, at some moment. What is still secret is not in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shuffle {
    /// What was shown of the server's seed from the beginning; nothing if the seed was given.
    pub commitment: Option<Commitment>,
    /// What each seat added, in order. Nothing before the start, and if the seed was given.
    pub entropy: Vec<Entropy>,
    /// The server's seed, once the table is over; nothing if the seed was given.
    pub server_seed: Option<[u8; 32]>,
    /// The seed of the game, once the table is over; nothing if the game never began.
    pub game_seed: Option<[u8; 32]>,
    /// Whether the seed was given by whoever made the table.
    pub given: bool,
    /// The deal of a tournament that the cards come from, if they do. Then the server's seed is that of the deal, and the
    /// seeds are shown only when the deal is over.
    pub deal: Option<PublicDeal>,
}
