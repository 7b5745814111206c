//! Tournaments as pure functions: who meets whom, what counts, and what can be said of who is better, with which
//! certainty. No I/O, no clock, no threads, and chance comes from seeds that the caller gives: the same input gives the
//! same tournament on every machine.
//!
//! - [`played`]: what tables report, and the scores of a group.
//! - [`plan`]: the formats. Which groups there are, and which of their tables may be played now.
//! - [`tournament`]: a tournament as the fold of its log.
//! - [`standings`]: everything that is known of who is better, after the groups that count.
//! - [`stats`]: intervals, sequential tests, ratings, and the search for whoever remembers deals.
#![deny(missing_docs)]

pub mod plan;
pub mod played;
pub mod standings;
pub mod stats;
pub mod tournament;

pub use played::{Entrant, Finish, Group, GroupScore, SeatScore, TableScore};
pub use standings::{Standings, Tally};
pub use tournament::{Entry, Misfit, State, TableToMake, Tournament};

/// The example in the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
