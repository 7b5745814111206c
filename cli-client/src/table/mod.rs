//! A table as followed by one viewer: incoming messages, the state they fold into, and the viewer's intents.

mod clock;
mod decode;
mod info;
mod message;
mod viewer_state;

pub use clock::{SeatTime, TimeLeft};
pub use decode::{DecodeError, decode_snapshot, decode_table, decode_time_left, decode_update};
pub use info::{Occupant, SeatInfo, SeatNames, SeatScore, TableInfo, TableResult};
pub use message::{Decided, DecidedBy, Decision, Snapshot, TableEvent, TableMessage, Update};
pub use parlor_sdk::wire::{EndReason, SeatFinish};
pub use viewer_state::{LogEntry, LogEntryKind, ViewerState};

/// Request of the viewer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intent {
    /// Answer a decision.
    Answer {
        /// Id of the decision.
        decision: u32,
        /// Index into its legal actions.
        index: u32,
    },
    /// Leave. The seat stays the viewer's.
    Leave,
    /// Leave a table that is over, for a rematch.
    Rematch,
}

#[cfg(test)]
mod tests;
