//! Refusals: the rules an action can break.

use crate::Refusal;

/// Cards of the same number must be taken, all of them and nothing else.
pub const SAME_NUMBER: Refusal = Refusal::new(
    "gap.same_number",
    "The middle has cards of that number: the card takes all of them, and no neighbours.",
    "In der Mitte liegen Karten mit dieser Zahl: Die Karte nimmt sie alle, und keine Nachbarn.",
);
/// The named lower card cannot be taken, or a mandatory one is not named.
pub const LOWER: Refusal = Refusal::new(
    "gap.lower",
    "Take exactly one card of the next lower number if the middle has one, and none otherwise.",
    "Nimm genau eine Karte mit der nächstkleineren Zahl, wenn eine in der Mitte liegt, sonst keine.",
);
/// The named higher card cannot be taken, or a mandatory one is not named.
pub const HIGHER: Refusal = Refusal::new(
    "gap.higher",
    "Take exactly one card of the next higher number if the middle has one, and none otherwise.",
    "Nimm genau eine Karte mit der nächstgrößeren Zahl, wenn eine in der Mitte liegt, sonst keine.",
);
