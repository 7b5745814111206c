//! The rules of Parlor's card games, and nothing else: no I/O, no clock, no threads, no protobuf.
//!
//! A game is a plain value. It is made from a rules version, options, a number of players and [`Chance`]; it says who is
//! asked ([`Game::to_act`]) and what they can do ([`Game::legal_actions`]); it does an action or refuses it with the rule
//! ([`Game::apply`]); it tells each audience what happened ([`Events`]); and it shows each viewer what that viewer may
//! know ([`Game::view`]), from which [`Game::sample`] makes whole worlds for bots that search.
//!
//! ```
//! use parlor_engine::{AnyGame, Chance, GameId, NoEvents, Viewer};
//!
//! let game = GameId::from_id("flush").expect("a game of the catalogue");
//! let mut table = AnyGame::new(1, game.default_options(), 3, Chance::seeded([7; 32]), &mut NoEvents)?;
//! while let Some(seat) = table.to_act().first() {
//!     let view = table.view(Viewer::Seat(seat));   // all that a bot may know ...
//!     let legal = table.legal_actions(seat);       // ... and all that it can do
//!     table.apply(seat, legal[0], &mut NoEvents)?;
//!     assert_eq!(view.game(), game);
//! }
//! println!("{}", table.outcome().expect("the game is over"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The games: [`habe_fertig`], [`gap`], [`flush`], [`no_dice`]. Their rules, as text in English and German, are in
//! [`GameInfo::rules`].
#![deny(missing_docs)]

mod cards;
mod catalogue;
mod chance;
#[cfg(test)]
mod conformance;
mod error;
mod game;
mod outcome;
mod relabel;
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
pub use relabel::{Colours, Relabelling};
pub use seat::{Audience, MAX_SEATS, Seat, Seats, Viewer};
pub use text::{Lang, Said, Say, Text};

/// The example in the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
