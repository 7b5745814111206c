//! Items that the host sends on the channels of a stream.

use std::sync::Arc;

use parlor_engine::{AnyAction, AnyView, Refusal, Seat, Viewer};

use crate::agents::{EntropyRequest, SeatAssignment};
use crate::table::{CommandError, Decided, DecisionId, TableSummary, Update};
use crate::{HostError, TableId, Wants};

/// An item on a channel.
#[derive(Clone, Debug)]
pub enum StreamItem<'a> {
    /// A seat was assigned to the agent.
    SeatAssigned(SeatAssignment),
    /// The agent is asked to add entropy to the shuffles of a tournament.
    EntropyRequested(&'a EntropyRequest),
    /// Current state of the table.
    Snapshot(&'a Snapshot),
    /// An update of the table.
    Update(&'a ViewerUpdate),
    /// A decision to make.
    Decision(&'a DecisionPrompt),
    /// Outcome of an answer.
    Answered(&'a Answered),
    /// Outcome of a reveal of the seat's entropy.
    Revealed(&'a Result<(), HostError>),
    /// A player connected or disconnected.
    Presence(Presence),
    /// Remaining time of the seats that the table waits for.
    TimeLeft(Vec<SeatTime>),
    /// The channel is closed.
    Closed(Closed),
}

/// Current state of a table for one viewer.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Number of the last update contained.
    pub number: u64,
    /// The viewer.
    pub viewer: Viewer,
    /// Summary of the table.
    pub summary: TableSummary,
    /// The viewer's view of the game; `None` before the start.
    pub view: Option<AnyView>,
    /// Presence of each seat held by a player or an agent.
    pub presence: Vec<Presence>,
    /// Remaining time; `None` for a table without a clock, and while no clock runs.
    pub time_left: Option<Vec<SeatTime>>,
    /// Parts that the subscription wants.
    pub wants: Wants,
}

/// An update of a table as one viewer sees it. Only the parts that the subscription wants are encoded.
#[derive(Clone, Debug)]
pub struct ViewerUpdate {
    /// The update.
    pub update: Update,
    /// The viewer.
    pub viewer: Viewer,
    /// The viewer's view after the update, if a wanted part needs it; `None` before the start.
    pub view: Option<AnyView>,
    /// Parts that the subscription wants.
    pub wants: Wants,
    /// The seed of the table was supplied by its creator; views state it.
    pub seed_given: bool,
    /// The table has a clock.
    pub timed: bool,
}

/// A decision prompt. Only the parts that the subscription wants are encoded.
#[derive(Clone, Debug)]
pub struct DecisionPrompt {
    /// Id of the decision.
    pub id: DecisionId,
    /// Number of the last update before the decision.
    pub after: u64,
    /// The player's view, if a wanted part needs it.
    pub view: Option<AnyView>,
    /// Parts that the subscription wants: without the view, if it was sent with the update or snapshot before.
    pub wants: Wants,
    /// The seed of the table was supplied by its creator.
    pub seed_given: bool,
    /// The legal actions.
    pub legal: Vec<AnyAction>,
    /// Index of the legal action played on a time-out.
    pub default_index: u32,
    /// Time left for the decision in milliseconds; `None` without a limit.
    pub time_left: Option<u32>,
    /// Time left in the bank in milliseconds; `None` without a limit, and for a secret decision.
    pub bank_left: Option<u32>,
    /// The decision is secret: no other viewer learns of it.
    pub secret: bool,
}

/// Reply to an answer.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The decision named by the answer.
    pub decision: DecisionId,
    /// Outcome of the answer.
    pub outcome: AnswerOutcome,
}

/// Outcome of an answer.
#[derive(Clone, Debug)]
pub enum AnswerOutcome {
    /// Accepted and durable.
    Accepted(Decided),
    /// The decision was made before, with the same action.
    Repeated(Decided),
    /// The decision was made before, with another action.
    Conflict(Decided),
    /// Refused; nothing changed.
    Refused(AnswerRefused),
}

/// Reason of a refused answer.
#[derive(Clone, Debug)]
pub enum AnswerRefused {
    /// The rules forbid the action.
    Illegal(Refusal),
    /// The table refuses it: no such decision, no such index, the table is finished, ...
    Command(CommandError),
    /// The host cannot process it now: the store is unavailable, a queue is full, ...
    Host(HostError),
}

/// Presence of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Presence {
    /// The seat.
    pub seat: Seat,
    /// At least one client of the seat is connected.
    pub connected: bool,
    /// Remaining grace time in milliseconds; `None` for a table without a clock.
    pub grace_left: Option<u32>,
}

/// Remaining time of a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatTime {
    /// The seat.
    pub seat: Seat,
    /// Of the decision clock, in milliseconds.
    pub decision: u32,
    /// Of the bank, in milliseconds.
    pub bank: u32,
    /// The clock is running now.
    pub running: bool,
}

/// End of a channel.
#[derive(Clone, Debug)]
pub struct Closed {
    /// The error; `None` if the client detached, or the table is finished and its last update was sent.
    pub why: Option<HostError>,
    /// Number of the last update sent on the channel; 0 if none was.
    pub number: u64,
    /// Attaching again can succeed.
    pub retry: bool,
}

/// A lifecycle event of an owner's table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OwnerEvent {
    /// The table was created.
    Created(Arc<TableSummary>),
    /// A seat was taken.
    Joined {
        /// The seat.
        seat: Seat,
        /// The owner's own id for the player, if there is one.
        user: Option<String>,
        /// The public name of the player.
        name: String,
    },
    /// The game started.
    Started,
    /// A seat has forfeited the game.
    Forfeited {
        /// The seat.
        seat: Seat,
        /// Reason of the forfeit.
        finish: crate::table::SeatFinish,
    },
    /// A house bot has replaced the player of a seat.
    Replaced {
        /// The seat.
        seat: Seat,
        /// Name of the bot.
        bot: String,
    },
    /// The table is finished.
    Over(Arc<TableSummary>),
    /// The table was deleted.
    Deleted,
}

/// One item of an owner's feed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnerFeedItem {
    /// Number of the item, counted per owner from 1.
    pub number: u64,
    /// The table.
    pub table: TableId,
    /// Time of the event, in milliseconds since 1970.
    pub at: u64,
    /// The event.
    pub event: OwnerEvent,
}
