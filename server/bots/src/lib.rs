//! The house bots of Parlor: `random`, `greedy` and `search`.
//!
//! A bot gets a view and the list of legal actions, as a human player would, and answers with an index into
//! the list. It never gets a game state, so it cannot use hidden information. All its randomness comes from
//! the caller's seed, so the same view, list and seed give the same answer on every machine.
//!
//! ```
//! use parlor_bots::HouseBot;
//! use parlor_engine::{AnyGame, Chance, GameId, NoEvents, Viewer};
//!
//! let options = GameId::Gap.default_options();
//! let mut game = AnyGame::new(1, options, 2, Chance::seeded([0; 32]), &mut NoEvents)?;
//! let bot = HouseBot::by_name("greedy")?;
//! let mut seed = [0; 32];
//! while let Some(seat) = game.to_act().first() {
//!     let legal = game.legal_actions(seat);
//!     let index = bot.decide(&game.view(Viewer::Seat(seat)), &legal, seed)?;
//!     game.apply(seat, legal[index], &mut NoEvents)?;
//!     seed[0] = seed[0].wrapping_add(1);
//! }
//! assert!(game.outcome().is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]

mod error;
mod heuristic;
mod house;
mod search;
mod search_tree;
mod strategy;

mod five_three_five;
mod gap;
mod habe_fertig;
mod high_card;
mod no_dice;

pub use error::BotError;
pub use heuristic::Heuristic;
pub use house::HouseBot;
pub use search::{MAX_ITERATIONS, Search};
pub use strategy::{Greedy, Random, Strategy};

/// The example in the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
