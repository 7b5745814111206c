//! The formats: which groups there are, who sits where, and which tables may be played now.
//!
//! - `setup`: what an organiser may ask for.
//! - `lineups`, `design`, `fill`: everyone against everyone, and one against the field.
//! - `swiss`, `matching`: rounds of equals. `knockout`: the better ones go on.
//! - `schedule`: which tables of the groups that are known come when.
//! - `chance`: where all of it draws from.

pub(crate) mod chance;
mod design;
pub(crate) mod fill;
pub(crate) mod knockout;
pub(crate) mod lineups;
mod matching;
pub(crate) mod outcome;
pub(crate) mod schedule;
mod setup;
pub(crate) mod swiss;

pub use schedule::TableId;
pub use setup::{Deals, Format, MAX_ENTRANTS, MAX_TABLES, SequentialTest, Setup, SetupError};
