//! What the fake server keeps: seats with their updates and decisions, and the faults that it is to commit.
//!
//! A table here is one seat that is asked a number of times. Each answer is an update, and leads to the next decision or
//! to the end. All of it outlives streams, like the log of a real server.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use parlor_sdk::wire;
use tokio::sync::watch;
use wire::stream_item::Item;

/// What a stream does wrong, after it has sent so many items.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) after: usize,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// The connection breaks.
    Cut,
    /// The stream ends as if all were said.
    End,
    /// The stream ends with this status.
    Status(tonic::Code),
    /// The stream says that it will end, and ends.
    Ending(wire::ErrorReason),
    /// Every channel is closed with this reason, and can be attached again.
    CloseAll(wire::ErrorReason),
    /// Every open decision is sent again.
    AskAgain,
    /// An update is left out.
    LeaveOut,
    /// The last update is sent again.
    TellAgain,
}

impl Kind {
    /// Whether what was to be sent at that moment is lost. The others are mistakes of a stream that goes on.
    pub(crate) fn loses(&self) -> bool {
        !matches!(self, Kind::AskAgain | Kind::LeaveOut | Kind::TellAgain)
    }
}

/// One seat: all that was ever told and asked there.
#[derive(Clone, Default)]
pub(crate) struct Seat {
    pub(crate) updates: Vec<wire::Update>,
    /// How many decisions there will be.
    pub(crate) decisions: u32,
    /// The id of the decision that is open, if one is.
    pub(crate) open: Option<u32>,
    /// What was decided, by id.
    pub(crate) decided: BTreeMap<u32, u32>,
    /// How many times an answer is refused, and why, before one is taken.
    pub(crate) refusals: VecDeque<wire::ErrorReason>,
    pub(crate) over: bool,
    /// Why nobody may attach, if so.
    pub(crate) closed: Option<wire::ErrorReason>,
}

impl Seat {
    /// A table with so many decisions, the first of which is open.
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

    /// Decides, whoever did it.
    pub(crate) fn decide(&mut self, id: u32, index: u32) {
        self.decided.insert(id, index);
        let number = self.updates.len() as u32 + 1;
        let decided = Some(wire::Decided { decision_id: id, index, ..Default::default() });
        self.updates.push(wire::Update { number, decided, ..Default::default() });
        self.open = None;
        self.ask(id + 1);
    }

    /// Takes an answer.
    pub(crate) fn answer(&mut self, answer: &wire::Answer) -> wire::Answered {
        let Some(wire::answer::Choice::Index(index)) = answer.choice else {
            panic!("the tests answer with indexes")
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
        assert_eq!(self.open, Some(id), "an answer to a decision that was never asked");
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

/// Everything, and what was seen of the client.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) seats: BTreeMap<String, Seat>,
    /// What the next streams do wrong, one each.
    pub(crate) faults: VecDeque<Fault>,
    /// What the next streams are refused with.
    pub(crate) refuse: VecDeque<tonic::Status>,
    pub(crate) streams: usize,
    pub(crate) most_items: usize,
    pub(crate) detached: usize,
    /// Every hello of an agent.
    pub(crate) hellos: Vec<wire::AgentHello>,
    /// Tables that are over are not given to an agent that comes back, whatever it remembers of them.
    pub(crate) forgets_tables_that_are_over: bool,
    /// Agents are set aside as soon as they are connected.
    pub(crate) sets_aside: bool,
    pub(crate) attached: usize,
}

pub(crate) struct Host {
    state: Mutex<State>,
    changed: watch::Sender<u64>,
}

impl Host {
    pub(crate) fn new() -> Arc<Host> {
        Arc::new(Host { state: Mutex::default(), changed: watch::channel(0).0 })
    }

    /// Reads, without telling anybody.
    pub(crate) fn look(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Changes something, and tells the streams and whoever waits.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let result = change(&mut self.look());
        self.changed.send_modify(|version| *version += 1);
        result
    }

    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Waits until something holds.
    pub(crate) async fn until(&self, holds: impl Fn(&State) -> bool) {
        let mut changes = self.changes();
        super::within(async {
            while !holds(&self.look()) {
                changes.changed().await.unwrap();
            }
        })
        .await;
    }
}

/// What is attached to a stream.
#[derive(Debug)]
pub(crate) struct Attached {
    pub(crate) token: String,
    /// The number of the last update that was sent; none before the snapshot.
    sent: Option<u32>,
    /// The id of the last decision that was sent.
    asked: u32,
}

impl Attached {
    pub(crate) fn new(token: String, after: Option<u32>) -> Attached {
        Attached { token, sent: after, asked: 0 }
    }

    /// Lets the next update be left out, or the last one be sent again.
    pub(crate) fn skip(&mut self, by: i64) {
        self.sent = self.sent.map(|sent| (i64::from(sent) + by).max(0) as u32);
    }

    pub(crate) fn ask_again(&mut self) {
        self.asked = 0;
    }

    /// Everything that is new; and whether it was the end.
    pub(crate) fn catch_up(&mut self, seat: &Seat) -> (Vec<Item>, bool) {
        let mut items = Vec::new();
        if let Some(reason) = seat.closed {
            items.push(closed(reason, false));
            return (items, true);
        }
        let sent = self.sent.unwrap_or_else(|| {
            // A snapshot of the moment before the last two updates, so that there is always something after it.
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
    let message = String::from("closed by the fake");
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
