//! Tables: what can happen to them, and what they are after it happened.
//!
//! A table is its log. [`Table::fold`] takes in one [`Entry`] after another; commands such as [`Table::join`] and
//! [`Table::answer`] look at a table and say which entries would carry them out. Neither does any I/O or asks a clock.

mod command;
mod entry;
mod look;
mod result;
mod setup;
mod state;
mod told;

#[cfg(test)]
mod tests;

pub use command::{Answer, Answered, CommandError};
pub use entry::Entry;
pub use result::{Conduct, Ending, Finished, SeatResult};
pub use setup::{ChanceSetup, SeatSetup, Setup, TimeControl, Visibility};
pub use state::{Decided, DecisionId, Holder, Misfit, SeatState, Table};
pub use told::{Numbers, TableEvent, Tellings, Told};
