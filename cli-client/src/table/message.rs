//! Messages from a table, in the engine's types.

use parlor_engine::{AnyAction, AnyEvent, AnyView, Seat, Viewer};

use super::{SeatFinish, SeatInfo, SeatTime, TableInfo, TableResult, TimeLeft};
use crate::lang::BilingualText;

/// Message to a viewer of a table.
#[derive(Clone, PartialEq, Debug)]
pub enum TableMessage {
    /// Current state.
    Snapshot(Box<Snapshot>),
    /// State change.
    Update(Box<Update>),
    /// Updates that led to the first snapshot, for the log. They change no state.
    History(Vec<Update>),
    /// Decision for the viewer; sent again with the same id after a reconnect.
    Decision(Box<Decision>),
    /// An answer of the viewer was refused.
    Refused {
        /// Id of the decision.
        decision: u32,
        /// Reason.
        why: BilingualText,
        /// The viewer can answer again; otherwise the decision is made.
        still_open: bool,
    },
    /// A player connected or disconnected.
    Presence {
        /// Seat.
        seat: Seat,
        /// Set if a client of the seat is connected.
        connected: bool,
    },
    /// Time left of the seats publicly known to decide.
    TimeLeft(Vec<SeatTime>),
    /// The viewer's own connection was restored (`true`) or lost (`false`).
    Connection(bool),
    /// End of the stream; with the reason, unless the table is over.
    Closed(Option<String>),
}

/// Current state for one viewer.
#[derive(Clone, PartialEq, Debug)]
pub struct Snapshot {
    /// Viewer.
    pub viewer: Viewer,
    /// Table.
    pub table: TableInfo,
    /// View of the game; `None` before it starts.
    pub view: Option<AnyView>,
    /// Connection state of the players' seats.
    pub presence: Vec<(Seat, bool)>,
    /// Clocks.
    pub time_left: Vec<SeatTime>,
}

/// State change of a table.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Update {
    /// Sequence number.
    pub number: u32,
    /// Table events, other than moves.
    pub table_events: Vec<TableEvent>,
    /// Outcome of a decision of the viewer.
    pub decided: Option<Decided>,
    /// Game events.
    pub events: Vec<AnyEvent>,
    /// View after the update; if absent, the events are applied to the known view.
    pub view: Option<AnyView>,
}

/// Event of a table, other than a move.
#[derive(Clone, PartialEq, Debug)]
pub enum TableEvent {
    /// A player joined a seat.
    Joined(Seat, SeatInfo),
    /// All seats are taken, and entropy is revealed.
    Starting,
    /// The game started.
    Started,
    /// The clock of a seat expired, and the default action was played.
    ClockRanOut(Seat),
    /// A seat forfeited.
    Forfeited(Seat, SeatFinish),
    /// A house bot replaced a player.
    Replaced(Seat, SeatInfo),
    /// The table is over.
    Over(TableResult),
    /// A rematch table with this id was created.
    Rematch(String),
}

/// Outcome of a decision of the viewer.
#[derive(Clone, PartialEq, Debug)]
pub struct Decided {
    /// Id of the decision.
    pub decision: u32,
    /// Action.
    pub action: AnyAction,
    /// Origin of the action.
    pub by: DecidedBy,
}

/// Origin of an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecidedBy {
    /// The player.
    Player,
    /// The expired clock.
    Clock,
    /// The house, because the seat has forfeited.
    Forfeit,
    /// The house bot that holds the seat.
    HouseBot,
}

/// Decision for the viewer.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// Id.
    pub id: u32,
    /// View; if absent, the known view is current.
    pub view: Option<AnyView>,
    /// Legal actions, in order.
    pub legal: Vec<AnyAction>,
    /// Time left; `None` without a limit.
    pub time_left: Option<TimeLeft>,
    /// The decision is hidden from everyone else.
    pub secret: bool,
}
