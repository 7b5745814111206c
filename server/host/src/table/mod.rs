//! Tables: what can happen to them, and what they are after it happened.
//!
//! A table is its log. [`Table::fold`] takes in one [`Entry`] after another; commands such as [`Table::join`] and
//! [`Table::answer`] look at a table and say which entries would carry them out. Neither does any I/O or asks a clock.

mod command;
mod deal;
mod entry;
mod record;
mod result;
mod setup;
mod shuffle;
mod state;
mod summary;
mod update;

#[cfg(test)]
mod tests;

pub use command::{Answer, Answered, CommandError, DecisionAnswer, Joining};
pub use deal::{Deal, DealShown};
pub use entry::{Entry, RequestMark};
pub use record::{Record, Telling};
pub use result::{Conduct, Ending, Finished, SeatResult};
pub use setup::{ChanceSetup, SeatSetup, Setup, TimeControl, Visibility};
pub use shuffle::Shuffle;
pub use state::{DecisionId, Holder, Misfit, SeatState, Table};
pub use summary::{Look, SeatLook, State};
pub use update::{Decided, DecidedBy, Numbers, Shuffled, Step, TableEvent, Tellings, Told, Update};
