//! Refusals: the rules an action can break.

use crate::Refusal;

/// The leader cannot pass.
pub const PASSED_A_LEAD: Refusal = Refusal::new(
    "five_three_five.passed_a_lead",
    "You lead this field: lay a combination of one to three cards. Passing is not allowed.",
    "Du spielst zu diesem Feld aus: Lege eine Kombination aus einer bis drei Karten. Passen ist nicht erlaubt.",
);
/// There is no stack to overwrite or to add to.
pub const NO_STACK: Refusal = Refusal::new(
    "five_three_five.no_stack",
    "No stack is there to overwrite or to add to: you lead this field.",
    "Es liegt kein Stapel zum Überbieten oder Anlegen: Du spielst zu diesem Feld aus.",
);
/// The field has already been led.
pub const NOT_LEADING: Refusal = Refusal::new(
    "five_three_five.not_leading",
    "This field was led already: overwrite the stack, add to it, or pass.",
    "Zu diesem Feld ist schon ausgespielt: Überbiete den Stapel, lege an oder passe.",
);
/// The combination does not overwrite the stack.
pub const OVERWRITE: Refusal = Refusal::new(
    "five_three_five.overwrite",
    "What overwrites must be of the stack's type and have as many cards: a card or a set of a higher rank, a run of \
     lower ranks.",
    "Was überbietet, muss von der Art des Stapels sein und gleich viele Karten haben: eine Karte oder ein Satz von \
     höherem Wert, eine Folge von niedrigeren Werten.",
);
/// The stack cannot be extended to the combination.
pub const ADD: Refusal = Refusal::new(
    "five_three_five.add",
    "The stack and the cards added to it must together be one combination.",
    "Der Stapel und die angelegten Karten müssen zusammen eine einzige Kombination sein.",
);
/// A turn lays at most three cards.
pub const TOO_MANY_CARDS: Refusal = Refusal::new(
    "five_three_five.too_many_cards",
    "One turn lays at most three cards.",
    "In einem Zug legt man höchstens drei Karten.",
);
