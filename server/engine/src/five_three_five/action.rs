//! Actions of Five Three Five.

use super::Combination;

/// An action of a player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Lay the first cards of a field.
    Lead(Combination),
    /// Replace the stack with this combination.
    Overwrite(Combination),
    /// Extend the stack to this combination, by laying the cards it has in addition to the stack.
    Add(Combination),
    /// Pass: stay out until the field is flushed.
    Pass,
}
