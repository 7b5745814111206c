//! Conversions between the engine's types and the messages of `parlor.v1`, one file a game.
//!
//! From the engine to the wire every value converts: [`ToWire`](crate::encode::ToWire) encodes it, and `From` builds the
//! prost message. From the wire to the engine `TryFrom` validates, and its error names the invalid field and the values
//! that it may have. Only the form is validated here: the engine judges whether an action is legal or a view possible.
//! Texts and boards are only sent, so they have `From` alone.
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
mod board;
mod common;
mod five_three_five;
mod gap;
mod habe_fertig;
mod high_card;
mod no_dice;
mod text;

pub use any::{card, card_code};
pub use common::{seat, seat_number, seat_numbers, seats, shuffle};
pub use parlor_fields as field;
pub use parlor_fields::InvalidField;

/// Implements `From` for the prost messages of engine types.
macro_rules! build_messages {
    ($($engine:ty => $message:ident),* $(,)?) => {
        $(impl From<$engine> for crate::v1::$message {
            fn from(value: $engine) -> crate::v1::$message {
                crate::encode::build_message(value)
            }
        })*
    };
}
use build_messages;

/// Implements both conversions between an enum of the engine and its wire enum. The values have the same names, and
/// `Unspecified` stands for none of them.
macro_rules! convert_enums {
    ($($engine:ident => $wire:ident { $($value:ident),* $(,)? })*) => {
        $(impl From<$engine> for crate::v1::$wire {
            #[inline]
            fn from(value: $engine) -> crate::v1::$wire {
                match value {
                    $($engine::$value => crate::v1::$wire::$value,)*
                }
            }
        }

        impl TryFrom<crate::v1::$wire> for $engine {
            type Error = crate::convert::InvalidField;
            fn try_from(wire: crate::v1::$wire) -> Result<$engine, Self::Error> {
                match wire {
                    crate::v1::$wire::Unspecified => Err(Self::Error::new("must be set")),
                    $(crate::v1::$wire::$value => Ok($engine::$value),)*
                }
            }
        })*
    };
}
use convert_enums;
