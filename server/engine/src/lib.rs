//! The rules of Parlor's card games: pure, without I/O, clock, threads or protobuf.
//!
//! A game is a plain value, built from a rules version, options, a number of players and [`Chance`]. It lists
//! the seats with a decision ([`Game::to_act`]) and their legal actions ([`Game::legal_actions`]), applies an
//! action or refuses it with the broken rule ([`Game::apply`]), emits events for each audience ([`EventSink`]),
//! and builds a view for each viewer ([`Game::view`]). [`Game::sample`] draws full game states consistent
//! with a view, for bots that search.
//!
//! ```
//! use parlor_engine::{AnyGame, Chance, GameId, NoEvents, Viewer};
//!
//! let game = GameId::from_id("five_three_five").expect("a game of the catalogue");
//! let mut table = AnyGame::new(1, game.default_options(), 3, Chance::seeded([7; 32]), &mut NoEvents)?;
//! while let Some(seat) = table.to_act().first() {
//!     let view = table.view(Viewer::Seat(seat));   // everything the bot may know
//!     let legal = table.legal_actions(seat);       // everything it can do
//!     table.apply(seat, legal[0], &mut NoEvents)?;
//!     assert_eq!(view.game(), game);
//! }
//! println!("{}", table.outcome().expect("the game is over"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`GameId`] lists the games; [`GameInfo::rules`] has their rules, in English and German.
#![deny(missing_docs)]

mod board;
mod cards;
mod catalogue;
mod chance;
#[cfg(test)]
mod conformance;
mod erased;
mod error;
mod game;
mod outcome;
mod relabel;
mod seat;
#[cfg(test)]
mod test_support;
mod text;

pub mod five_three_five;
pub mod gap;
pub mod habe_fertig;
pub mod high_card;
pub mod no_dice;

pub use board::{ActionTargets, Board, BoardCard, BoardSeat, CardTarget, Cell, Zone, ZoneKind, zone_of};
pub use cards::{CardCode, CardSet, CardSetIter};
pub use catalogue::GameId;
pub use chance::{Chance, ShuffleId, ShufflePurpose, below, shuffle};
pub use erased::{AnyAction, AnyEvent, AnyGame, AnyOptions, AnyView};
pub use error::{ImpossibleView, Refusal, SetupError};
pub use game::{EventSink, Game, GameInfo, NoEvents};
pub use outcome::{Outcome, Points, Standing};
pub use relabel::{ColourSymmetry, Relabelling};
pub use seat::{Audience, MAX_SEATS, Seat, Seats, Viewer};
pub use text::{
    CardFace, CardLabel, Lang, Localise, Localised, RichText, Role, Suit, Text, TextBuilder, TextPart,
};

/// The example in the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
