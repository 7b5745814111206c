//! Between the wire and the engine: total in one direction, checked in the other.
//!
//! Whatever the engine gives is written as the bytes of its message ([`Write`](crate::write::Write)); `From` makes the
//! message itself, by reading them. `TryFrom` makes an engine's type of a message, or says which
//! field is wrong and what it may be. Nothing here knows the rules: whether an action is legal, or a view possible, is
//! for the engine to say.
//!
//! ```
//! use parlor_engine::AnyAction;
//! use parlor_proto::v1::{GameAction, GapAction, GapCard, GapColour, game_action::Game};
//!
//! let card = GapCard { colour: GapColour::Pink.into(), number: 12 };
//! let action = GameAction { game: Some(Game::Gap(GapAction { card: Some(card), ..Default::default() })) };
//! let error = AnyAction::try_from(action).unwrap_err().within("action");
//! assert_eq!(error.to_string(), "action.gap.card.number: must be 0 to 9, not 12");
//! ```

mod any;
mod common;
mod flush;
mod gap;
mod habe_fertig;
mod no_dice;

pub use any::{card, card_code};
pub use common::{seat, seat_number, seat_numbers, seats, shuffle};
pub use parlor_fields as field;
pub use parlor_fields::WrongField;

/// Makes messages of what can be written.
macro_rules! messages {
    ($($written:ty => $message:ident),* $(,)?) => {
        $(impl From<$written> for crate::v1::$message {
            fn from(written: $written) -> crate::v1::$message {
                crate::write::read_back(&written)
            }
        })*
    };
}
use messages;
