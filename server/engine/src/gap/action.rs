//! Actions of GAP.

use super::Card;

/// Playing a card, with the neighbours it takes.
///
/// If the middle has cards of the same number, the card takes all of them and the action names no neighbour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Action {
    /// The card played.
    pub card: Card,
    /// The card taken with the next lower number, if any.
    pub lower: Option<Card>,
    /// The card taken with the next higher number, if any.
    pub higher: Option<Card>,
}
