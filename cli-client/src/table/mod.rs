//! A table as one viewer follows it: what comes in, what it adds up to, and what the viewer wants.

mod clock;
mod incoming;
mod info;
mod situation;
mod wire;

pub use clock::{SeatTime, TimeLeft};
pub use incoming::{Both, Decided, DecidedBy, Decision, Happening, Incoming, Snapshot, Update};
pub use info::{Ended, Finish, Occupant, SeatInfo, SeatScore, TableInfo, TableResult};
pub use situation::{Kind, Note, Situation};
pub use wire::{NotUnderstood, snapshot, table_info, time_left, update};

/// What the viewer wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intent {
    /// To answer a decision.
    Answer {
        /// Its id.
        decision: u32,
        /// The place of the action in its list of legal actions.
        index: u32,
    },
    /// To go. The seat stays theirs.
    Leave,
}

#[cfg(test)]
mod tests;
