//! Refusals: the rules an action can break.

use crate::Refusal;

/// The first card is not at the origin.
pub const FIRST_CARD: Refusal = Refusal::new(
    "no_dice.first_card",
    "The first card is laid with its lower value at the origin; only its rotation is chosen.",
    "Die erste Karte liegt mit ihrem niedrigeren Wert am Ursprung; gewählt wird nur die Drehung.",
);
/// The card covers nothing and touches nothing.
pub const DETACHED: Refusal = Refusal::new(
    "no_dice.detached",
    "The card must cover or touch at least one segment; a corner is not enough.",
    "Die Karte muss mindestens ein Segment bedecken oder berühren; eine Ecke genügt nicht.",
);
/// A segment is overlapped, but not covered exactly by one segment.
pub const COVER_WHOLE: Refusal = Refusal::new(
    "no_dice.cover_whole",
    "A segment must be covered whole by one segment, never in part and never by two.",
    "Ein Segment muss ganz von einem Segment bedeckt werden, nie nur zum Teil und nie von zweien.",
);
/// A segment is covered by a segment of another value.
pub const COVER_VALUE: Refusal = Refusal::new(
    "no_dice.cover_value",
    "A segment can only be covered by one of the same value.",
    "Ein Segment darf nur von einem mit demselben Wert bedeckt werden.",
);
/// Touching segments have different values.
pub const CONTACT_VALUE: Refusal = Refusal::new(
    "no_dice.contact_value",
    "Segments that touch must have the same value, unless this play covers the other segment of that card.",
    "Segmente, die sich berühren, müssen denselben Wert haben, es sei denn, das andere Segment jener Karte \
     wird gerade bedeckt.",
);
/// Hands cannot be traded with this seat.
pub const SWAP_PARTNER: Refusal = Refusal::new(
    "no_dice.swap_partner",
    "Hands are traded with another player at this table.",
    "Getauscht wird mit einer anderen Person an diesem Tisch.",
);
/// Only an answer is allowed in a window.
pub const WINDOW: Refusal = Refusal::new(
    "no_dice.window",
    "It is not your turn: you can only play your PASS card or decline.",
    "Du bist nicht am Zug: Du kannst nur deine PASS-Karte spielen oder verzichten.",
);
/// There is no open window to decline.
pub const NO_WINDOW: Refusal = Refusal::new(
    "no_dice.no_window",
    "It is your turn, and there is nothing to decline: pass if you want to do nothing.",
    "Du bist am Zug, da gibt es nichts, worauf du verzichten könntest: Passe, wenn du nichts tun willst.",
);
