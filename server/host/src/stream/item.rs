//! What the host says to those who attached, on their channels.

use std::sync::Arc;

use parlor_engine::{AnyAction, AnyView, Refusal, Seat, Viewer};

use crate::HostError;
use crate::TableId;
use crate::agents::SeatAssignment;
use crate::table::{CommandError, Decided, DecisionId, TableSummary, Update};

/// What is said on a channel.
#[derive(Clone, Debug)]
pub enum StreamItem<'a> {
    /// A seat is given to an agent.
    SeatAssigned(SeatAssignment),
    /// Where everything stands.
    Snapshot(&'a Snapshot),
    /// What happened.
    Update(&'a ViewerUpdate),
    /// What the player is asked.
    Decision(&'a DecisionPrompt),
    /// What became of an answer.
    Answered(&'a Answered),
    /// Somebody came or went.
    Presence(Presence),
    /// How much time is left.
    TimeLeft(Vec<SeatTime>),
    /// Nothing more comes on the channel.
    Closed(Closed),
}

/// Where everything stands for one viewer.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The number of the last update contained in it.
    pub number: u64,
    /// The viewer.
    pub viewer: Viewer,
    /// The table.
    pub look: TableSummary,
    /// What the viewer knows of the game, once it has begun.
    pub view: Option<AnyView>,
    /// ViewerCredential is connected: one for each seat of a player.
    pub presence: Vec<Presence>,
    /// How much time is left; `None` for a table without a clock, and while nothing runs.
    pub time_left: Option<Vec<SeatTime>>,
}

/// What happened, as one viewer learns it. What the viewer did not want has been left queue.
#[derive(Clone, Debug)]
pub struct ViewerUpdate {
    /// What happened.
    pub update: Update,
    /// What the viewer knows after it, if wanted.
    pub view: Option<AnyView>,
    /// Whether the seed of the table was given: views say so.
    pub seed_given: bool,
    /// Whether the table has a clock.
    pub timed: bool,
}

/// What a player is asked. What the player did not want has been left queue.
#[derive(Clone, Debug)]
pub struct DecisionPrompt {
    /// Which decision.
    pub id: DecisionId,
    /// The number of the last update before it.
    pub after: u64,
    /// What the player knows, if wanted.
    pub view: Option<AnyView>,
    /// Whether the seed of the table was given.
    pub seed_given: bool,
    /// What the player can do, if wanted.
    pub legal: Vec<AnyAction>,
    /// How much there is that the player can do.
    pub legal_count: u32,
    /// Which of it the clock plays when it runs queue.
    pub default_index: u32,
    /// What is left of the time for the decision, in milliseconds; `None` without a limit.
    pub time_left: Option<u32>,
    /// What is left of the bank; `None` without a limit, and for a secret decision.
    pub bank_left: Option<u32>,
    /// Whether nobody else learns that the player is asked.
    pub secret: bool,
}

/// What became of an answer.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The decision that the answer named.
    pub decision: DecisionId,
    /// What became of it.
    pub outcome: AnswerOutcome,
}

/// What became of an answer.
#[derive(Clone, Debug)]
pub enum AnswerOutcome {
    /// It was accepted, and is durable.
    Accepted(Decided),
    /// The decision had been decided just so before.
    Repeated(Decided),
    /// The decision had been decided otherwise.
    Conflict(Decided),
    /// It was refused, and nothing changed.
    Refused(AnswerRefused),
}

/// Why an answer was refused.
#[derive(Clone, Debug)]
pub enum AnswerRefused {
    /// The rules are against it.
    Illegal(Refusal),
    /// The table is against it: no such decision, no such index, the table is over, ...
    Command(CommandError),
    /// The host cannot do it now: the store is unavailable, too much waits, ...
    Host(HostError),
}

/// Whether a player is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Presence {
    /// The seat.
    pub seat: Seat,
    /// Whether any client of the seat is connected.
    pub connected: bool,
    /// What is left of the grace, in milliseconds; `None` for a table without a clock.
    pub grace_left: Option<u32>,
}

/// How much time a seat has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatTime {
    /// The seat.
    pub seat: Seat,
    /// Of the time for the decision, in milliseconds.
    pub decision: u32,
    /// Of the bank.
    pub bank: u32,
    /// Whether its clock runs now.
    pub running: bool,
}

/// Why nothing more comes on a channel.
#[derive(Clone, Debug)]
pub struct Closed {
    /// Why; `None`: the client detached, or the table is over and its last update was sent.
    pub why: Option<HostError>,
    /// The number of the last update sent on it; 0 if none was.
    pub number: u64,
    /// Whether attaching again can help.
    pub retry: bool,
}

/// What happened in the life of an owner's table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OwnerEvent {
    /// It was made.
    Created(Arc<TableSummary>),
    /// A seat was taken.
    Joined {
        /// The seat.
        seat: Seat,
        /// The owner's own name for the player, if there is one.
        user: Option<String>,
        /// The name that others see.
        name: String,
    },
    /// The game began.
    Started,
    /// A seat can no longer win.
    Forfeited {
        /// The seat.
        seat: Seat,
        /// Why.
        finish: crate::table::SeatFinish,
    },
    /// A house bot took over a seat.
    Replaced {
        /// The seat.
        seat: Seat,
        /// The bot.
        bot: String,
    },
    /// It is over.
    Over(Arc<TableSummary>),
    /// It was deleted.
    Deleted,
}

/// One item of an owner's news.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnerFeedItem {
    /// Its number, counted for the owner from 1.
    pub number: u64,
    /// The table.
    pub table: TableId,
    /// When it happened, in milliseconds since 1970.
    pub at: u64,
    /// What happened.
    pub news: OwnerEvent,
}
