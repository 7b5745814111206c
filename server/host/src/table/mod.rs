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

pub use command::{Answer, Answered, CommandError, DecisionAnswer, SeatRequest};
pub use deal::{Deal, PublicDeal};
pub use entry::{Entry, IdempotencyKey};
pub use record::{Record, RecordedUpdate};
pub use result::{Ending, Finished, SeatFinish, SeatResult};
pub use setup::{ChanceSetup, SeatSetup, Setup, TimeControl, Visibility};
pub use shuffle::Shuffle;
pub use state::{DecisionId, Holder, InvalidEntry, SeatState, Table};
pub use summary::{SeatSummary, State, TableSummary};
pub use update::{
    AudienceEvents, Decided, DecidedBy, Numbers, RecordedEvent, RecordedShuffle, Step, TableEvent, Update,
};
