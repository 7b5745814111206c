//! State of the fake server: seats with their updates and decisions, and the faults to inject.
//!
//! A table here is one seat with a number of decisions. Each answer is an update, and leads to the next
//! decision or the end. The state outlives streams, like a real server's log.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use parlor_sdk::wire;
use parlor_testkit::with_timeout;
use tokio::sync::watch;
use wire::stream_item::Item;

/// A fault that a stream commits after sending this many items.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) after: usize,
    pub(crate) kind: FaultKind,
}

#[derive(Clone, Debug)]
pub(crate) enum FaultKind {
    /// Breaks the connection.
    Cut,
    /// Ends the stream cleanly.
    End,
    /// Ends the stream with this status.
    Status(tonic::Code),
    /// Announces the end of the stream, and ends it.
    Ending(wire::ErrorReason),
    /// Closes every channel with this reason; they can be attached again.
    CloseAll(wire::ErrorReason),
    /// Repeats every open decision.
    RepeatDecisions,
    /// Skips an update.
    SkipUpdate,
    /// Repeats the last update.
    RepeatUpdate,
}

impl FaultKind {
    /// True if the items due at that moment are lost. The other faults leave the stream open.
    pub(crate) fn loses_items(&self) -> bool {
        !matches!(self, FaultKind::RepeatDecisions | FaultKind::SkipUpdate | FaultKind::RepeatUpdate)
    }
}

/// One seat: all its updates and decisions.
#[derive(Clone, Default)]
pub(crate) struct Seat {
    pub(crate) updates: Vec<wire::Update>,
    /// Total number of decisions.
    pub(crate) decisions: u32,
    /// Id of the open decision, if any.
    pub(crate) open: Option<u32>,
    /// Chosen index by decision id.
    pub(crate) decided: BTreeMap<u32, u32>,
    /// Reasons to refuse the next answers with.
    pub(crate) refusals: VecDeque<wire::ErrorReason>,
    pub(crate) over: bool,
    /// Reason to refuse attaches with, if any.
    pub(crate) closed: Option<wire::ErrorReason>,
}

impl Seat {
    /// A table with this many decisions, the first of them open.
    pub(crate) fn new(decisions: u32) -> Seat {
        let mut seat = Seat { decisions, ..Seat::default() };
        seat.tell(wire::table_event::Event::Started(wire::TableStarted::default()));
        seat.ask(1);
        seat
    }

    fn ask(&mut self, id: u32) {
        if id <= self.decisions {
            self.open = Some(id);
        } else {
            self.end();
        }
    }

    pub(crate) fn end(&mut self) {
        self.open = None;
        self.over = true;
        let result = wire::TableResult { reason: wire::EndReason::PlayedOut.into(), ..Default::default() };
        self.tell(wire::table_event::Event::Over(wire::TableOver { result: Some(result), shuffle: None }));
    }

    pub(crate) fn tell(&mut self, event: wire::table_event::Event) {
        let table_events = vec![wire::TableEvent { event: Some(event) }];
        let number = self.updates.len() as u32 + 1;
        self.updates.push(wire::Update { number, table_events, ..Default::default() });
    }

    /// Makes a decision, by the player or the clock.
    pub(crate) fn decide(&mut self, id: u32, index: u32) {
        self.decided.insert(id, index);
        let number = self.updates.len() as u32 + 1;
        let decided = Some(wire::Decided { decision_id: id, index, ..Default::default() });
        self.updates.push(wire::Update { number, decided, ..Default::default() });
        self.open = None;
        self.ask(id + 1);
    }

    /// Processes an answer.
    pub(crate) fn answer(&mut self, answer: &wire::Answer) -> wire::Answered {
        let Some(wire::answer::Choice::Index(index)) = answer.choice else {
            panic!("the tests answer with indices")
        };
        let id = answer.decision_id;
        let reply = |status: wire::AnswerStatus, refusal| wire::Answered {
            decision_id: id,
            status: status.into(),
            action: None,
            number: 0,
            refusal,
        };
        let refusal = |reason: wire::ErrorReason, rule: &str| wire::AnswerRefusal {
            reason: reason.into(),
            rule: rule.into(),
            ..Default::default()
        };
        if let Some(decided) = self.decided.get(&id) {
            return if *decided == index {
                reply(wire::AnswerStatus::Repeated, None)
            } else {
                reply(wire::AnswerStatus::Conflict, Some(refusal(wire::ErrorReason::DecidedOtherwise, "")))
            };
        }
        assert_eq!(self.open, Some(id), "an answer to a decision that was never sent");
        if let Some(reason) = self.refusals.pop_front() {
            return reply(wire::AnswerStatus::Refused, Some(refusal(reason, "")));
        }
        if index > 2 {
            let refusal = refusal(wire::ErrorReason::IllegalAction, "fake.index");
            return reply(wire::AnswerStatus::Refused, Some(refusal));
        }
        self.decide(id, index);
        reply(wire::AnswerStatus::Accepted, None)
    }
}

/// State of the fake, and observations of the client.
#[derive(Default)]
pub(crate) struct HostState {
    pub(crate) seats: BTreeMap<String, Seat>,
    /// Faults of the next streams, one each.
    pub(crate) faults: VecDeque<Fault>,
    /// Statuses to refuse the next streams with.
    pub(crate) refuse: VecDeque<tonic::Status>,
    pub(crate) streams: usize,
    pub(crate) most_items: usize,
    pub(crate) detached: usize,
    /// All hellos of agents.
    pub(crate) hellos: Vec<wire::AgentHello>,
    /// True if finished tables are not assigned again to a returning agent, whatever its bookmarks.
    pub(crate) forgets_finished_tables: bool,
    /// True if agents are suspended as soon as they connect.
    pub(crate) suspends_agents: bool,
    pub(crate) attached: usize,
}

pub(crate) struct FakeHost {
    state: Mutex<HostState>,
    changed: watch::Sender<u64>,
}

impl FakeHost {
    pub(crate) fn new() -> Arc<FakeHost> {
        Arc::new(FakeHost { state: Mutex::default(), changed: watch::channel(0).0 })
    }

    /// Locks the state for reading.
    pub(crate) fn look(&self) -> MutexGuard<'_, HostState> {
        self.state.lock().unwrap()
    }

    /// Changes the state and notifies streams and waiters.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut HostState) -> T) -> T {
        let result = change(&mut self.look());
        self.changed.send_modify(|version| *version += 1);
        result
    }

    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Waits for a condition.
    pub(crate) async fn until(&self, holds: impl Fn(&HostState) -> bool) {
        let mut changes = self.changes();
        with_timeout(async {
            while !holds(&self.look()) {
                changes.changed().await.unwrap();
            }
        })
        .await;
    }
}

/// A channel attached to a stream.
#[derive(Debug)]
pub(crate) struct AttachedChannel {
    pub(crate) token: String,
    /// Number of the last update sent; `None` before the snapshot.
    sent: Option<u32>,
    /// Id of the last decision sent.
    asked: u32,
}

impl AttachedChannel {
    pub(crate) fn new(token: String, after: Option<u32>) -> AttachedChannel {
        AttachedChannel { token, sent: after, asked: 0 }
    }

    /// Moves the position: forward to skip an update, back to repeat one.
    pub(crate) fn skip(&mut self, by: i64) {
        self.sent = self.sent.map(|sent| (i64::from(sent) + by).max(0) as u32);
    }

    pub(crate) fn repeat_decisions(&mut self) {
        self.asked = 0;
    }

    /// All new items; and true at the end.
    pub(crate) fn catch_up(&mut self, seat: &Seat) -> (Vec<Item>, bool) {
        let mut items = Vec::new();
        if let Some(reason) = seat.closed {
            items.push(closed(reason, false));
            return (items, true);
        }
        let sent = self.sent.unwrap_or_else(|| {
            // A snapshot from before the last two updates, so that some always follow it.
            let number = (seat.updates.len() as u32).saturating_sub(2);
            items.push(Item::Snapshot(Box::new(snapshot(&self.token, number))));
            number
        });
        items.extend(seat.updates.iter().skip(sent as usize).cloned().map(Item::Update));
        self.sent = Some(sent.max(seat.updates.len() as u32));
        if let Some(id) = seat.open.filter(|id| *id > self.asked) {
            self.asked = id;
            let after = seat.updates.len() as u32;
            items.push(Item::Decision(wire::Decision { id, after, legal_count: 3, ..Default::default() }));
        }
        if seat.over {
            items.push(closed(wire::ErrorReason::Unspecified, false));
        }
        (items, seat.over)
    }
}

pub(crate) fn closed(reason: wire::ErrorReason, retry: bool) -> Item {
    let message = String::from("closed by the fake server");
    Item::Closed(wire::ChannelClosed { reason: reason.into(), message, number: 0, retry })
}

fn snapshot(token: &str, number: u32) -> wire::Snapshot {
    let table = wire::Table {
        table_id: format!("table of {token}"),
        game: "gap".into(),
        state: wire::TableState::Playing.into(),
        seats: vec![wire::TableSeat::default(); 2],
        ..Default::default()
    };
    let viewer = wire::Viewer { viewer: Some(wire::viewer::Viewer::Seat(1)) };
    wire::Snapshot { number, viewer: Some(viewer), table: Some(table), ..Default::default() }
}
