//! Tournament formats: line-ups, pairings, brackets, and the order in which tables are played.
//!
//! - `setup`: settings of a tournament and their validation.
//! - `lineups`, `design`, `coverage`: line-ups of round robins and gauntlets.
//! - `swiss`, `matching`: Swiss pairings. `knockout`: the bracket. `lineup_score`: results of a line-up in a
//!   round.
//! - `schedule`: order of the tables of a stage.
//! - `random`: seeded random streams for all draws.

pub(crate) mod coverage;
mod design;
pub(crate) mod knockout;
pub(crate) mod lineup_score;
pub(crate) mod lineups;
mod matching;
pub(crate) mod random;
pub(crate) mod schedule;
mod setup;
pub(crate) mod swiss;

pub use schedule::TableKey;
pub use setup::{
    DealMode, Format, MAX_ENTRANTS, MAX_TABLES, PlanSetup, PlanSetupError, PlanVersion, SequentialTest,
};
