//! Tables as state machines over an event log, without I/O and without a clock.
//!
//! A [`Table`] is the fold of its log: [`Table::fold`] applies one [`Entry`] after another. Commands such as
//! [`Table::join`] and [`Table::answer`] validate a request against the table and return the entries to append.

mod command;
mod deal;
mod entry;
mod fold;
mod invite;
mod record;
mod replay;
mod result;
mod setup;
mod shuffle;
mod state;
mod summary;
mod update;

#[cfg(test)]
mod tests;

pub use command::{Answer, AnswerEffect, CommandError, DecisionAnswer, SeatRequest};
pub use deal::{Deal, PublicDeal};
pub use entry::{Entry, IdempotencyKey};
pub(crate) use invite::find_invite;
pub use invite::{Invite, InviteError, MAX_INVITES, NewInvite};
pub use record::{Record, RecordedUpdate};
pub use replay::{Replay, ReplayStep};
pub use result::{Ending, Finished, SeatFinish, SeatResult};
pub use setup::{ChanceSetup, SeatSetup, Setup, TimeControl, Visibility};
pub use shuffle::{AddedEntropy, Shuffle, revealed};
pub use state::{DecisionId, Holder, InvalidEntry, SeatState, Table};
pub use summary::{SeatSummary, State, TableSummary};
pub use update::{
    AudienceEvents, Decided, DecidedBy, RecordedEvent, RecordedShuffle, Step, TableEvent, Update,
    UpdateNumbers,
};
