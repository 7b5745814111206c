//! State of the agent's seats at a table: updates, open and past decisions, and what was sent on the open stream.

use std::collections::BTreeMap;

use parlor_engine::AnyAction;
use parlor_sdk::wire;
use tokio::time::Instant;
use wire::table_event::Event;

/// A decision that was made, by the agent or by the clock.
#[derive(Clone)]
pub(super) struct PastDecision {
    pub(super) action: wire::GameAction,
    pub(super) index: u32,
    pub(super) number: u32,
    pub(super) by_agent: bool,
    /// Decided on the open stream, so that the agent has received the acknowledgement.
    pub(super) acknowledged: bool,
}

/// An open decision.
pub(super) struct OpenDecision {
    pub(super) decision: wire::Decision,
    pub(super) legal: Vec<AnyAction>,
    /// Time at which it was sent to the agent.
    pub(super) sent_at: Option<Instant>,
    /// Set after an answer was refused.
    pub(super) refused: bool,
}

/// State of one seat of the agent.
#[derive(Default)]
pub(super) struct SeatState {
    pub(super) updates: Vec<wire::Update>,
    /// Number of the last update sent; `None` if a snapshot is due.
    pub(super) sent: Option<u32>,
    /// Number of the last update that the agent had when the stream began; `None` if it gets a snapshot.
    pub(super) resumed_after: Option<u32>,
    pub(super) open: Option<OpenDecision>,
    /// Number of times each decision was sent, over all streams.
    pub(super) times_sent: BTreeMap<u32, u32>,
    /// Set once the open decision was sent on this stream.
    pub(super) decision_sent: bool,
    pub(super) closed: bool,
    pub(super) last_id: u32,
    pub(super) past: BTreeMap<u32, PastDecision>,
}

impl SeatState {
    /// Begins a new stream after update `after`. Unacknowledged answers may be repeated on it.
    pub(super) fn begin_stream(&mut self, after: Option<u32>) {
        self.sent = after;
        self.resumed_after = after;
        self.decision_sent = false;
        self.past.values_mut().for_each(|past| past.acknowledged = false);
    }
}

/// Reports whether the last update is the end of the table.
pub(super) fn has_final_update(seat_state: &SeatState) -> bool {
    let over = |event: &wire::TableEvent| matches!(event.event, Some(Event::Over(_)));
    seat_state.updates.last().is_some_and(|update| update.table_events.iter().any(over))
}
