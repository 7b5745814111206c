//! The way from the SDK to a screen: a seat or a place at the rail as a [`Link`].

use std::collections::HashMap;
use std::sync::Arc;

use parlor_sdk::{Connection, Decision, Error, Event, Reason, Seat, Session, Spectator, wire};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use crate::table::{self, Both, Incoming, NotUnderstood};
use crate::terminal::{Answer, Link};
use crate::text::clean;

/// So much waits to be drawn or answered at most.
const WAITING: usize = 64;

/// What a screen wants to be sent: everything.
#[must_use]
pub fn wants() -> wire::Wants {
    wire::Wants {
        events: true,
        update_views: true,
        decision_views: true,
        legal_actions: true,
        rematch: false,
        time_left: true,
    }
}

/// Links a seat, which was taken with [`wants`], to a screen. What is linked ends with the link.
#[must_use]
pub fn seat(session: &Session, seat: Seat) -> Link {
    link(Place::Seat(seat), session.connection())
}

/// Links a place at the rail, which was taken with [`wants`], to a screen. What is linked ends with the link.
#[must_use]
pub fn spectator(session: &Session, spectator: Spectator) -> Link {
    link(Place::Rail(spectator), session.connection())
}

/// A place at a table.
enum Place {
    Seat(Seat),
    Rail(Spectator),
}

impl Place {
    async fn next(&mut self) -> Result<Option<Event>, Error> {
        match self {
            Place::Seat(seat) => seat.next().await,
            Place::Rail(spectator) => spectator.next().await,
        }
    }
}

fn link(place: Place, connection: watch::Receiver<Connection>) -> Link {
    let (news, incoming) = mpsc::channel(WAITING);
    let (answers, answered) = mpsc::channel(WAITING);
    tokio::spawn(pump(place, connection, news, answered));
    Link { incoming, answers }
}

/// Carries news to the screen and answers to the table, until one of the two is gone.
async fn pump(
    mut place: Place,
    mut connection: watch::Receiver<Connection>,
    news: mpsc::Sender<Incoming>,
    mut answers: mpsc::Receiver<Answer>,
) {
    let mut open: HashMap<u32, Arc<Decision>> = HashMap::new();
    let mut sending: JoinSet<Option<Incoming>> = JoinSet::new();
    let (mut answering, mut watching) = (true, true);
    loop {
        let incoming = tokio::select! {
            event = place.next() => match event {
                Ok(Some(event)) => match understand(event, &mut open) {
                    Ok(incoming) => incoming,
                    Err(wrong) => return end(&news, Some(wrong.to_string())).await,
                },
                Ok(None) => return end(&news, None).await,
                Err(error) => return end(&news, Some(clean(&error.to_string()))).await,
            },
            answer = answers.recv(), if answering => {
                match answer {
                    Some(answer) => send(answer, &open, &mut sending),
                    None => answering = false,
                }
                None
            }
            Some(refused) = sending.join_next() => refused.ok().flatten(),
            changed = connection.changed(), if watching => {
                watching = changed.is_ok();
                match &*connection.borrow_and_update() {
                    Connection::Open => Some(Incoming::Connection(true)),
                    Connection::Broken { .. } => Some(Incoming::Connection(false)),
                    _ => None,
                }
            }
            () = news.closed() => return,
        };
        if let Some(incoming) = incoming
            && news.send(incoming).await.is_err()
        {
            return;
        }
    }
}

/// Tells the screen that nothing more comes.
async fn end(news: &mpsc::Sender<Incoming>, why: Option<String>) {
    // If nobody listens any more, nobody needs to be told.
    let _ = news.send(Incoming::Closed(why)).await;
}

/// What an event says; nothing if it is of a kind that a screen does not show.
fn understand(
    event: Event,
    open: &mut HashMap<u32, Arc<Decision>>,
) -> Result<Option<Incoming>, NotUnderstood> {
    Ok(Some(match event {
        Event::Snapshot(snapshot) => Incoming::Snapshot(Box::new(table::snapshot(*snapshot)?)),
        Event::Update(update) => {
            if let Some(decided) = update.decided() {
                open.remove(&decided.decision_id);
            }
            Incoming::Update(Box::new(table::update(update.wire().clone())?))
        }
        Event::Decision(decision) => {
            let asked = table::Decision::of(&decision)?;
            open.insert(decision.id(), Arc::new(decision));
            Incoming::Decision(Box::new(asked))
        }
        Event::Presence(presence) => {
            let seat = parlor_proto::convert::seat(presence.seat, "seat")?;
            Incoming::Presence { seat, connected: presence.connected }
        }
        Event::TimeLeft(time) => Incoming::TimeLeft(table::time_left(time)?),
        _ => return Ok(None),
    }))
}

/// Sends an answer, and lets the screen know if it is refused. That it was accepted is told by the update.
fn send(answer: Answer, open: &HashMap<u32, Arc<Decision>>, sending: &mut JoinSet<Option<Incoming>>) {
    let Some(decision) = open.get(&answer.decision).map(Arc::clone) else { return };
    sending.spawn(async move {
        let error = decision.choose(answer.index).await.err()?;
        let still_open = error.reason() != Reason::DecidedOtherwise;
        Some(Incoming::Refused { decision: answer.decision, why: why(&error), still_open })
    });
}

/// Why an answer was not accepted, in both languages where the server says it in both.
fn why(error: &Error) -> Both {
    match error.refusal().and_then(|refusal| refusal.text.as_ref()) {
        Some(text) => Both { en: clean(&text.en), de: clean(&text.de) },
        None => {
            let text = clean(&error.to_string());
            Both { en: text.clone(), de: text }
        }
    }
}
