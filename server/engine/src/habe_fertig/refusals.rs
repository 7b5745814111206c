//! Refusals: the rules an action can break.

use crate::Refusal;

/// The round has not begun: the player must hide two cards.
pub const HIDE_FIRST: Refusal = Refusal::new(
    "habe_fertig.hide_first",
    "First hide two cards: the round begins when everyone has.",
    "Verstecke zuerst zwei Karten: Der Durchgang beginnt, wenn alle das getan haben.",
);
/// Cards can only be hidden before the round.
pub const HIDING_IS_OVER: Refusal = Refusal::new(
    "habe_fertig.hiding_is_over",
    "Cards can be hidden only before the round.",
    "Karten werden nur vor dem Durchgang versteckt.",
);
/// The turned-over card must be laid first.
pub const LAY_FIRST: Refusal = Refusal::new(
    "habe_fertig.lay_first",
    "First lay the card that was turned over on a pile.",
    "Lege zuerst die aufgedeckte Karte auf einen Stapel.",
);
/// There is no turned-over card.
pub const NOTHING_TO_LAY: Refusal = Refusal::new(
    "habe_fertig.nothing_to_lay",
    "No card is turned over: play a card or pass.",
    "Es ist keine Karte aufgedeckt: Spiele eine Karte oder passe.",
);
/// The card matches the other top only.
pub const OTHER_PILE: Refusal = Refusal::new(
    "habe_fertig.other_pile",
    "That card matches the top of the other pile only, so it goes there.",
    "Diese Karte passt nur zur obersten Karte des anderen Stapels, also gehört sie dorthin.",
);
/// The card neither goes into the gap nor matches a top.
pub const DOES_NOT_FIT: Refusal = Refusal::new(
    "habe_fertig.does_not_fit",
    "A card needs the colour or the number of a top, or a number in the gap and the colour of neither top.",
    "Eine Karte braucht die Farbe oder die Zahl einer obersten Karte, oder eine Zahl in der Lücke und die Farbe \
     keiner von beiden.",
);
