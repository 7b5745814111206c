//! The rules of Parlor's card games, and nothing else.
#![deny(missing_docs)]

mod cards;
mod catalogue;
mod chance;
#[cfg(test)]
mod conformance;
mod error;
mod game;
mod outcome;
mod seat;
mod text;

pub mod flush;
pub mod gap;
pub mod habe_fertig;
pub mod no_dice;

pub use cards::{Card, CardSet, CardsInOrder};
pub use catalogue::{AnyAction, AnyEvent, AnyGame, AnyOptions, AnyView, GameId};
pub use chance::{Chance, Purpose, Shuffle, below, shuffle};
pub use error::{ImpossibleView, Refusal, SetupError};
pub use game::{Events, Game, GameInfo, NoEvents};
pub use outcome::{Outcome, Points, Standing};
pub use seat::{Audience, MAX_SEATS, Seat, Seats, Viewer};
pub use text::{Lang, Said, Say, Text};
