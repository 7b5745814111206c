//! Tournament formats, pairings, schedules and statistics as pure functions: no I/O, no clock, no threads.
//! All randomness comes from seeds given by the caller, so the same input gives the same tournament on every
//! machine.
//!
//! A *group* (deal group) is one deal with all its tables: one table for each *rotation* of the players over
//! the seats, or a single table with independent deals. It is the unit of all statistics.
//!
//! - [`results`]: results of tables and scores of groups.
//! - [`plan`]: the formats: line-ups, pairings, and the schedule of tables.
//! - [`tournament`]: a tournament as the fold of its log.
//! - [`standings`]: ranks, means, ratings and the cross table over the counted groups.
//! - [`stats`]: confidence sequences, the sequential test, ratings, and the test for agents that remember
//!   deals.
#![deny(missing_docs)]

pub mod plan;
pub mod results;
pub mod standings;
pub mod stats;
pub mod tournament;

pub use results::{Entrant, Group, GroupScore, SeatFinish, SeatScore, TableScore};
pub use standings::{Standings, StandingsAccumulator};
pub use tournament::{InvalidEntry, PlanEntry, PlannedTable, Tournament, TournamentState};

/// The example in the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
