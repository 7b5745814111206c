//! Bridge between an SDK session and a display: events in one direction, answers in the other.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt;
use futures_util::future::OptionFuture;
use futures_util::stream::FuturesUnordered;
use parlor_cli::lang::BilingualText;
use parlor_cli::table::{self, Decision, TableMessage, TimeLeft};
use parlor_cli::terminal::{Answer, TableChannels};
use parlor_engine::Lang;
use parlor_proto::convert;
use parlor_sdk::{ConnectionState, Error, Event, Question, Reason, Seat, Session, Spectator, wire};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::errors::{Failure, unknown_reply};
use crate::history::{History, HistoryFuture};

/// Capacity of the queues to and from the display.
const QUEUE_CAPACITY: usize = 64;

/// Requested content: events, views and actions with decisions, clocks.
pub(crate) const DISPLAY_WANTS: wire::Wants = wire::Wants {
    events: Some(true),
    update_views: Some(false),
    decision_views: Some(true),
    legal_actions: Some(true),
    rematch: Some(false),
    time_left: Some(true),
    texts: 0,
    board: None,
};

/// Attachment to a table: a seat or a spectator.
pub(crate) enum Attachment {
    /// A seat.
    Seat(Seat),
    /// A spectator.
    Spectator(Spectator),
}

impl Attachment {
    /// The next event; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Event>, Error> {
        match self {
            Attachment::Seat(seat) => seat.next().await,
            Attachment::Spectator(spectator) => spectator.next().await,
        }
    }
}

/// Handle of the bridge task. Dropping it detaches from the table.
pub(crate) struct BridgeHandle {
    task: JoinHandle<()>,
    failure: SharedFailure,
}

/// Failure of the bridge. Stored before the display is closed, so that it is available when the display
/// returns.
type SharedFailure = Arc<Mutex<Option<Failure>>>;

impl BridgeHandle {
    /// The failure, if one occurred before the display was closed.
    pub(crate) fn into_failure(self) -> Option<Failure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Drop for BridgeHandle {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Starts a task that connects an attachment with a display.
pub(crate) fn spawn_bridge(
    session: &Session,
    attachment: Attachment,
    history: Option<History>,
    lang: Lang,
) -> (TableChannels, BridgeHandle) {
    let (to_display, incoming) = mpsc::channel(QUEUE_CAPACITY);
    let (answers, from_display) = mpsc::channel(QUEUE_CAPACITY);
    let failure = SharedFailure::default();
    let bridge = Bridge { lang, to_display, asked: None };
    let task =
        tokio::spawn(bridge.run(session.clone(), attachment, history, from_display, Arc::clone(&failure)));
    (TableChannels { incoming, answers }, BridgeHandle { task, failure })
}

/// Reason to stop forwarding.
enum BridgeStop {
    /// The display is closed.
    DisplayClosed,
    /// The attachment failed.
    Failed(Failure),
}

impl From<Failure> for BridgeStop {
    fn from(failure: Failure) -> BridgeStop {
        BridgeStop::Failed(failure)
    }
}

struct Bridge {
    lang: Lang,
    to_display: mpsc::Sender<TableMessage>,
    /// The open decision, as far as known.
    asked: Option<Arc<parlor_sdk::Decision>>,
}

impl Bridge {
    async fn run(
        mut self,
        session: Session,
        mut attachment: Attachment,
        history: Option<History>,
        mut from_display: mpsc::Receiver<Answer>,
        shared: SharedFailure,
    ) {
        let why = match self.forward(&session, &mut attachment, history, &mut from_display).await {
            Ok(()) => None,
            Err(BridgeStop::DisplayClosed) => return,
            Err(BridgeStop::Failed(failure)) => {
                let why = failure.message(self.lang);
                // Printed to standard error after the display is closed.
                shared.lock().unwrap_or_else(PoisonError::into_inner).replace(failure);
                why
            }
        };
        // A closed display is ignored.
        let _ = self.send(TableMessage::Closed(why)).await;
    }

    /// Forwards events and answers until the stream ends.
    async fn forward(
        &mut self,
        session: &Session,
        attachment: &mut Attachment,
        mut history: Option<History>,
        from_display: &mut mpsc::Receiver<Answer>,
    ) -> Result<(), BridgeStop> {
        let mut past: Option<HistoryFuture> = None;
        // An answer completes when it is durable; events continue meanwhile.
        let mut answering = FuturesUnordered::new();
        let mut connection = session.connection();
        let mut watching = true;
        loop {
            tokio::select! {
                event = attachment.next() => match event.map_err(Failure::from)? {
                    Some(event) => {
                        if let Event::Snapshot(snapshot) = &event
                            && let Some(history) = history.take().filter(|_| snapshot.number > 0)
                        {
                            past = Some(history(snapshot.number));
                        }
                        self.forward_event(event).await?;
                    }
                    None => return Ok(()),
                },
                Some(updates) = OptionFuture::from(past.as_mut()) => {
                    past = None;
                    self.forward_history(updates).await?;
                }
                Some(answer) = from_display.recv() => {
                    let open = self.asked.clone().filter(|asked| asked.id() == answer.decision);
                    if let Some(decision) = open {
                        answering.push(async move {
                            (answer.decision, decision.choose_index(answer.index as usize).await)
                        });
                    }
                }
                Some((decision, answered)) = answering.next(), if !answering.is_empty() => {
                    if let Err(error) = answered {
                        self.report_refusal(decision, &error).await?;
                    }
                }
                changed = connection.changed(), if watching => {
                    watching = changed.is_ok();
                    let is_open = match &*connection.borrow_and_update() {
                        ConnectionState::Open => Some(true),
                        ConnectionState::Broken { .. } => Some(false),
                        _ => None,
                    };
                    if let Some(is_open) = is_open {
                        self.send(TableMessage::Connection(is_open)).await?;
                    }
                }
            }
        }
    }

    async fn forward_history(&self, updates: Vec<wire::Update>) -> Result<(), BridgeStop> {
        let updates = updates.into_iter().map(table::decode_update).collect::<Result<Vec<_>, _>>();
        let updates = updates.map_err(unknown_reply)?;
        if updates.is_empty() { Ok(()) } else { self.send(TableMessage::History(updates)).await }
    }

    async fn send(&self, message: TableMessage) -> Result<(), BridgeStop> {
        self.to_display.send(message).await.map_err(|_| BridgeStop::DisplayClosed)
    }

    async fn forward_event(&mut self, event: Event) -> Result<(), BridgeStop> {
        match event {
            Event::Snapshot(snapshot) => {
                let snapshot = table::decode_snapshot(*snapshot).map_err(unknown_reply)?;
                let over = snapshot.table.result.is_some();
                self.send(TableMessage::Snapshot(Box::new(snapshot))).await?;
                // The SDK reports a decision once, and a snapshot makes the display forget it. If it was
                // decided meanwhile, the server refuses the answer.
                match &self.asked {
                    Some(asked) if !over => {
                        let asked = display_decision(asked)?;
                        self.send(TableMessage::Decision(Box::new(asked))).await
                    }
                    _ => Ok(()),
                }
            }
            Event::Update(update) => {
                if let Some(decided) = update.decided() {
                    self.asked = self.asked.take().filter(|asked| asked.id() > decided.decision_id);
                }
                let update = table::decode_update(update.wire().clone()).map_err(unknown_reply)?;
                self.send(TableMessage::Update(Box::new(update))).await
            }
            Event::Decision(decision) => {
                let asked = display_decision(&decision)?;
                self.asked = Some(Arc::new(decision));
                self.send(TableMessage::Decision(Box::new(asked))).await
            }
            Event::Presence(presence) => {
                let seat = convert::seat(presence.seat, "seat").map_err(unknown_reply)?;
                self.send(TableMessage::Presence { seat, connected: presence.connected }).await
            }
            Event::TimeLeft(time) => {
                let time = table::decode_time_left(time).map_err(unknown_reply)?;
                self.send(TableMessage::TimeLeft(time)).await
            }
            // Events of a later SDK.
            _ => Ok(()),
        }
    }

    async fn report_refusal(&mut self, decision: u32, error: &Error) -> Result<(), BridgeStop> {
        let why = match error.refusal().and_then(|refusal| refusal.text.clone()) {
            Some(text) => BilingualText { en: text.en, de: text.de },
            None => {
                let message = error.message().to_owned();
                BilingualText { en: message.clone(), de: message }
            }
        };
        let still_open = matches!(error.reason(), Reason::IllegalAction | Reason::InvalidField);
        if !still_open {
            self.asked = self.asked.take().filter(|asked| asked.id() != decision);
        }
        self.send(TableMessage::Refused { decision, why, still_open }).await
    }
}

/// Converts a decision for the display.
fn display_decision(question: &Question) -> Result<Decision, Failure> {
    Ok(Decision {
        id: question.id(),
        view: Some(question.engine_view()?.clone()),
        legal: question.engine_actions()?.to_vec(),
        time_left: question
            .time_left()
            .map(|decision| TimeLeft { decision, bank: question.bank_left().unwrap_or_default() }),
        secret: question.hidden(),
    })
}
