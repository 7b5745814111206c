//! Actions of Five Three Five.

use super::Combination;

/// An action of a player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Lay the first cards of a field: one to three.
    Lead(Combination),
    /// Replace the stack with this combination of one to three cards.
    Overwrite(Combination),
    /// Extend the stack to this combination, by laying the one to three cards it has in addition to the stack.
    Add(Combination),
    /// Pass: stay out until the field is flushed.
    Pass,
}
