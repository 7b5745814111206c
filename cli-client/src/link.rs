//! Between the SDK and a screen: what a table says goes one way, and answers go the other.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use parlor_cli::table::{self, Both, Decision, Incoming, TimeLeft};
use parlor_cli::terminal::{Answer, Link};
use parlor_engine::Lang;
use parlor_proto::convert;
use parlor_sdk::{Connection, Error, Event, Question, Reason, Seat, Session, Spectator, wire};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::errors::{Failure, not_understood};

/// So much waits for a screen to be drawn.
const QUEUE: usize = 64;

/// What a screen needs: events to follow the game, views and actions with decisions, and the clocks.
pub(crate) const WANTS: wire::Wants = wire::Wants {
    events: true,
    update_views: false,
    decision_views: true,
    legal_actions: true,
    rematch: false,
    time_left: true,
};

/// A place at a table: a seat, or one at the rail.
pub(crate) enum Place {
    /// A seat.
    Seat(Seat),
    /// At the rail.
    Spectator(Spectator),
}

impl Place {
    /// The next thing that the place is told; none at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Event>, Error> {
        match self {
            Place::Seat(seat) => seat.next().await,
            Place::Spectator(spectator) => spectator.next().await,
        }
    }
}

/// How the link ends. Dropping it leaves the table.
pub(crate) struct Ending {
    task: JoinHandle<()>,
    failure: Failed,
}

/// What went wrong. It is put here before the screen hears of it, so that whoever leaves then finds it.
type Failed = Arc<Mutex<Option<Failure>>>;

impl Ending {
    /// What went wrong, if something did before the screen was left.
    pub(crate) fn failure(self) -> Option<Failure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Joins a place at a table with whatever shows it.
pub(crate) fn open(session: &Session, place: Place, lang: Lang) -> (Link, Ending) {
    let (to_screen, incoming) = mpsc::channel(QUEUE);
    let (answers, from_screen) = mpsc::channel(QUEUE);
    let failure = Failed::default();
    let carrier = Carrier { lang, to_screen, asked: None };
    let task = tokio::spawn(carrier.run(session.clone(), place, from_screen, Arc::clone(&failure)));
    (Link { incoming, answers }, Ending { task, failure })
}

/// Why nothing more is carried.
enum Stop {
    /// The screen is gone.
    NobodyLooks,
    /// Something went wrong.
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failed(failure)
    }
}

struct Carrier {
    lang: Lang,
    to_screen: mpsc::Sender<Incoming>,
    /// The decision that is open, as far as is known.
    asked: Option<Arc<parlor_sdk::Decision>>,
}

impl Carrier {
    async fn run(
        mut self,
        session: Session,
        mut place: Place,
        mut from_screen: mpsc::Receiver<Answer>,
        failed: Failed,
    ) {
        let why = match self.carry(&session, &mut place, &mut from_screen).await {
            Ok(()) => None,
            Err(Stop::NobodyLooks) => return,
            Err(Stop::Failed(failure)) => {
                let why = failure.message(self.lang);
                // The line for standard error is printed when the screen has gone.
                failed.lock().unwrap_or_else(PoisonError::into_inner).replace(failure);
                why
            }
        };
        // If the screen is gone, nobody needs to know.
        let _ = self.show(Incoming::Closed(why)).await;
    }

    /// Carries until the table has nothing more to say.
    async fn carry(
        &mut self,
        session: &Session,
        place: &mut Place,
        from_screen: &mut mpsc::Receiver<Answer>,
    ) -> Result<(), Stop> {
        // An answer waits until the server has it on disk, and the game goes on meanwhile.
        let mut answering = FuturesUnordered::new();
        let mut connection = session.connection();
        let mut watching = true;
        loop {
            tokio::select! {
                event = place.next() => match event.map_err(Failure::from)? {
                    Some(event) => self.event(event).await?,
                    None => return Ok(()),
                },
                Some(answer) = from_screen.recv() => {
                    let open = self.asked.clone().filter(|asked| asked.id() == answer.decision);
                    if let Some(decision) = open {
                        answering.push(async move {
                            (answer.decision, decision.choose_index(answer.index as usize).await)
                        });
                    }
                }
                Some((decision, answered)) = answering.next(), if !answering.is_empty() => {
                    if let Err(error) = answered {
                        self.refused(decision, &error).await?;
                    }
                }
                changed = connection.changed(), if watching => {
                    watching = changed.is_ok();
                    let is_open = match &*connection.borrow_and_update() {
                        Connection::Open => Some(true),
                        Connection::Broken { .. } => Some(false),
                        _ => None,
                    };
                    if let Some(is_open) = is_open {
                        self.show(Incoming::Connection(is_open)).await?;
                    }
                }
            }
        }
    }

    async fn show(&self, incoming: Incoming) -> Result<(), Stop> {
        self.to_screen.send(incoming).await.map_err(|_| Stop::NobodyLooks)
    }

    async fn event(&mut self, event: Event) -> Result<(), Stop> {
        match event {
            Event::Snapshot(snapshot) => {
                let snapshot = table::snapshot(*snapshot).map_err(not_understood)?;
                let over = snapshot.table.result.is_some();
                self.show(Incoming::Snapshot(Box::new(snapshot))).await?;
                // The SDK tells of a decision once, and a snapshot makes a screen forget it. Should it have been decided
                // meanwhile, the server will say so.
                match &self.asked {
                    Some(asked) if !over => {
                        let asked = question(asked)?;
                        self.show(Incoming::Decision(Box::new(asked))).await
                    }
                    _ => Ok(()),
                }
            }
            Event::Update(update) => {
                if let Some(decided) = update.decided() {
                    self.asked = self.asked.take().filter(|asked| asked.id() > decided.decision_id);
                }
                let update = table::update(update.wire().clone()).map_err(not_understood)?;
                self.show(Incoming::Update(Box::new(update))).await
            }
            Event::Decision(decision) => {
                let asked = question(&decision)?;
                self.asked = Some(Arc::new(decision));
                self.show(Incoming::Decision(Box::new(asked))).await
            }
            Event::Presence(presence) => {
                let seat = convert::seat(presence.seat, "seat").map_err(not_understood)?;
                self.show(Incoming::Presence { seat, connected: presence.connected }).await
            }
            Event::TimeLeft(time) => {
                let time = table::time_left(time).map_err(not_understood)?;
                self.show(Incoming::TimeLeft(time)).await
            }
            // Something of a later SDK.
            _ => Ok(()),
        }
    }

    async fn refused(&mut self, decision: u32, error: &Error) -> Result<(), Stop> {
        let why = match error.refusal().and_then(|refusal| refusal.text.clone()) {
            Some(text) => Both { en: text.en, de: text.de },
            None => {
                let message = error.message().to_owned();
                Both { en: message.clone(), de: message }
            }
        };
        let still_open = matches!(error.reason(), Reason::IllegalAction | Reason::InvalidField);
        if !still_open {
            self.asked = self.asked.take().filter(|asked| asked.id() != decision);
        }
        self.show(Incoming::Refused { decision, why, still_open }).await
    }
}

/// What a screen asks.
fn question(question: &Question) -> Result<Decision, Failure> {
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
