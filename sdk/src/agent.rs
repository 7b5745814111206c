//! Agents: bots with a registered name that are assigned seats at many tables over one stream.

mod settings;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use crate::error::Reason;
use crate::play::{OnRefusal, bot_panic};
use crate::session::{AgentMessage, ConnectionState, SessionHandle, SubscriptionId};
use crate::{AsyncBot, Client, Error, FinishedTable, Seat, wire};
pub use settings::AgentSettings;

/// Events of an agent's life.
#[derive(Debug)]
#[non_exhaustive]
pub enum AgentEvent {
    /// Connected, for the first time or again, with the server's welcome.
    Connected(wire::AgentWelcome),
    /// Suspended by the server while connected: it gets no new seats for a while, and keeps those it has.
    SetAside(wire::SetAside),
    /// The connection broke. It is re-established automatically, and all tables continue.
    Disconnected {
        /// Cause, one line for people.
        why: String,
    },
    /// A tournament that is starting asked for entropy: first for a commitment, then, with the commitments of all, for the
    /// entropy. The agent has answered, unless the commitments have changed. Keep what is shown to compare it with the
    /// tournament's records.
    EntropyAsked(wire::TournamentEntropyAsked),
    /// A seat was assigned, and a bot was made for it.
    SeatGiven(wire::SeatGiven),
    /// A table is over.
    TableOver(Box<FinishedTable>),
    /// The bot at a table failed. The clock plays its seat; the other tables continue.
    BotFailed {
        /// The seat.
        given: wire::SeatGiven,
        /// The error.
        error: Error,
    },
}

type SeatFuture = Pin<Box<dyn Future<Output = Result<Option<FinishedTable>, Error>> + Send>>;
/// Plays one seat until its table is over, or until the second argument completes, which gives `None`.
type SeatPlayer = Box<dyn FnOnce(Seat, SeatStop) -> SeatFuture + Send>;
/// Completes when the agent is stopped.
type SeatStop = Pin<Box<dyn Future<Output = ()> + Send>>;
type MakePlayer = Box<dyn FnMut(&wire::SeatGiven) -> SeatPlayer + Send>;

/// A running agent, made by [`Client::start_agent`] or [`Client::start_agent_seats`].
///
/// It makes progress only while [`next`](AgentRunner::next) is awaited. The connection is re-established like
/// that of a [`Session`](crate::Session): each table continues where it was, and each decision is answered
/// once. An answer that the rules refuse is replaced by the default action, so the other players need not
/// wait for the clock.
///
/// It ends with an error when the server rejects it for good, above all with [`Reason::AgentReplaced`] when
/// another program connects under the same name. Dropping it leaves all tables at once: the seats stay the
/// agent's, and their clocks run.
pub struct AgentRunner {
    handle: Arc<SessionHandle>,
    messages: mpsc::Receiver<AgentMessage>,
    connection: watch::Receiver<ConnectionState>,
    make_player: MakePlayer,
    tables: JoinSet<TableOutcome>,
    stop: watch::Sender<bool>,
    over: bool,
}

/// Outcome of one table.
struct TableOutcome {
    given: wire::SeatGiven,
    /// `None` if the agent was stopped first.
    outcome: Result<Option<FinishedTable>, Error>,
}

impl Client {
    /// Starts an agent. `make_bot` returns a [`Bot`](crate::Bot) or [`AsyncBot`] for each assigned seat.
    /// Nothing happens until [`AgentRunner::next`] is awaited. Must be called on a Tokio runtime.
    ///
    /// ```no_run
    /// # async fn example(client: parlor_sdk::Client) -> Result<(), parlor_sdk::Error> {
    /// use parlor_sdk::{AgentEvent, AgentSettings, Choice, Question};
    ///
    /// let settings = AgentSettings::new("first").key("a secret that only you know");
    /// let mut agent = client.start_agent(settings, |_given| |_: &Question| Choice::Index(0))?;
    /// while let Some(event) = agent.next().await? {
    ///     match event {
    ///         AgentEvent::TableOver(finished) => println!("{:?}", finished.own_result()),
    ///         other => println!("{other:?}"),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn start_agent<B, M>(&self, settings: AgentSettings, mut make_bot: M) -> Result<AgentRunner, Error>
    where
        B: AsyncBot + 'static,
        M: FnMut(&wire::SeatGiven) -> B + Send + 'static,
    {
        let make_player = move |given: &wire::SeatGiven| -> SeatPlayer {
            let mut bot = make_bot(given);
            Box::new(move |mut seat, stopped| {
                Box::pin(async move { seat.play_until(&mut bot, stopped, OnRefusal::PlayDefault).await })
            })
        };
        Ok(self.run_agent(settings, Box::new(make_player)))
    }

    /// Starts an agent that gets a [`Seat`] for each assignment, instead of a bot. For a program that shows its seats to
    /// somebody, and answers when they have chosen. `play_seat` is called on a task of its own for each seat; its future
    /// returns [`Seat::finish`] once the table is over, and is dropped when the agent is stopped. An answer that the rules
    /// refuse is an error of [`Decision::choose`](crate::Decision::choose), as for any seat.
    ///
    /// ```no_run
    /// # async fn example(client: parlor_sdk::Client) -> Result<(), parlor_sdk::Error> {
    /// use parlor_sdk::{AgentSettings, Error, Seat};
    ///
    /// let settings = AgentSettings::new("first").key("a secret that only you know");
    /// let mut agent = client.start_agent_seats(settings, |mut seat: Seat| async move {
    ///     while let Some(decision) = seat.next_decision().await? {
    ///         decision.choose_default().await?;
    ///     }
    ///     Ok::<_, Error>(seat.finish().await)
    /// })?;
    /// while let Some(event) = agent.next().await? {
    ///     println!("{event:?}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn start_agent_seats<P, F>(&self, settings: AgentSettings, play_seat: P) -> Result<AgentRunner, Error>
    where
        P: Fn(Seat) -> F + Clone + Send + 'static,
        F: Future<Output = Result<FinishedTable, Error>> + Send + 'static,
    {
        let make_player = move |_: &wire::SeatGiven| -> SeatPlayer {
            let play_seat = play_seat.clone();
            Box::new(move |seat, stopped| {
                let playing = play_seat(seat);
                Box::pin(async move {
                    tokio::select! {
                        biased;
                        () = stopped => Ok(None),
                        finished = playing => finished.map(Some),
                    }
                })
            })
        };
        Ok(self.run_agent(settings, Box::new(make_player)))
    }

    fn run_agent(&self, settings: AgentSettings, make_player: MakePlayer) -> AgentRunner {
        let (handle, messages) = SessionHandle::open_agent(self, settings.hello());
        AgentRunner {
            connection: handle.connection(),
            handle,
            messages,
            make_player,
            tables: JoinSet::new(),
            stop: watch::Sender::new(false),
            over: false,
        }
    }

    /// Runs an agent until the server rejects it. Use [`start_agent`](Client::start_agent) to observe or stop
    /// it.
    ///
    /// # Errors
    ///
    /// The reason for the rejection, such as [`Reason::AgentReplaced`] or [`Reason::AgentNameTaken`].
    pub async fn serve_agent<B, M>(&self, settings: AgentSettings, make_bot: M) -> Result<(), Error>
    where
        B: AsyncBot + 'static,
        M: FnMut(&wire::SeatGiven) -> B + Send + 'static,
    {
        let mut agent = self.start_agent(settings, make_bot)?;
        while agent.next().await?.is_some() {}
        Ok(())
    }
}

impl AgentRunner {
    /// Runs the agent until the next event. Returns `None` after [`stop`](AgentRunner::stop), once all
    /// decisions in progress are answered. An error is permanent and the last item. Cancel-safe.
    pub async fn next(&mut self) -> Result<Option<AgentEvent>, Error> {
        loop {
            let mut stop = self.stop.subscribe();
            let stopping = *stop.borrow_and_update();
            if self.over || (stopping && self.tables.is_empty()) {
                self.over = true;
                return Ok(None);
            }
            let event = tokio::select! {
                biased;
                Some(outcome) = self.tables.join_next() => self.table_ended(outcome),
                Some(message) = self.messages.recv(), if !stopping => Some(self.handle_message(message)),
                Ok(()) = self.connection.changed() => self.connection_changed()?,
                Ok(()) = stop.changed(), if !stopping => None,
            };
            if let Some(event) = event {
                return Ok(Some(event));
            }
        }
    }

    /// Stops the agent: no bot is asked anything more, and [`next`](AgentRunner::next) returns `None` once
    /// the decisions in progress are answered. The seats stay the agent's, so it can reconnect and continue.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// A handle that stops the agent from another task while [`next`](AgentRunner::next) is awaited.
    pub fn stop_handle(&self) -> impl Fn() + Send + Sync + Clone + 'static {
        let stop = self.stop.clone();
        move || {
            stop.send_replace(true);
        }
    }

    /// Number of tables the agent plays at now.
    #[must_use]
    pub fn active_tables(&self) -> usize {
        self.tables.len()
    }

    fn handle_message(&mut self, message: AgentMessage) -> AgentEvent {
        match message {
            AgentMessage::Welcome(welcome) => AgentEvent::Connected(welcome),
            AgentMessage::EntropyAsked(asked) => AgentEvent::EntropyAsked(asked),
            AgentMessage::SetAside(suspension) => AgentEvent::SetAside(suspension),
            AgentMessage::Seat(subscription, seat) => {
                let player = (self.make_player)(&seat);
                self.tables.spawn(play(
                    Arc::clone(&self.handle),
                    subscription,
                    seat.clone(),
                    player,
                    Box::pin(self.stopped()),
                ));
                AgentEvent::SeatGiven(seat)
            }
        }
    }

    fn stopped(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut stop = self.stop.subscribe();
        async move {
            // The sender lives in the agent: if it is dropped, so is this task.
            let _ = stop.wait_for(|stop| *stop).await;
        }
    }

    fn table_ended(&self, joined: Result<TableOutcome, tokio::task::JoinError>) -> Option<AgentEvent> {
        let TableOutcome { given, outcome } = match joined {
            Ok(outcome) => outcome,
            // A table's task catches panics of its bot; it fails only when the runtime shuts down.
            Err(error) => {
                tracing::warn!(%error, "the task of a table failed");
                return None;
            }
        };
        match outcome {
            Ok(finished) => finished.map(|finished| AgentEvent::TableOver(Box::new(finished))),
            // The agent itself has ended; `next` reports why.
            Err(_) if self.handle.shared.ended().is_some() => None,
            Err(error) => Some(AgentEvent::BotFailed { given, error }),
        }
    }

    fn connection_changed(&mut self) -> Result<Option<AgentEvent>, Error> {
        match &*self.connection.borrow_and_update() {
            ConnectionState::Broken { why } => Ok(Some(AgentEvent::Disconnected { why: why.clone() })),
            ConnectionState::Ended => {
                self.over = true;
                let ended = self.handle.shared.ended();
                Err(ended.unwrap_or_else(|| Error::new(Reason::Closed, "the agent's connection has ended")))
            }
            ConnectionState::Opening | ConnectionState::Open => Ok(None),
        }
    }
}

impl fmt::Debug for AgentRunner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let connection = self.connection.borrow();
        f.debug_struct("AgentRunner")
            .field("connection", &*connection)
            .field("playing", &self.tables.len())
            .finish_non_exhaustive()
    }
}

/// Plays one seat to its end. A panic of the bot is contained.
async fn play(
    handle: Arc<SessionHandle>,
    subscription: SubscriptionId,
    given: wire::SeatGiven,
    player: SeatPlayer,
    stopped: SeatStop,
) -> TableOutcome {
    let number = given.seat;
    let mut playing = JoinSet::new();
    playing.spawn(async move { player(handle.assigned_seat(subscription, number).await?, stopped).await });
    let outcome = match playing.join_next().await {
        Some(Ok(outcome)) => outcome,
        Some(Err(error)) => Err(bot_panic(error)),
        None => Ok(None),
    };
    TableOutcome { given, outcome }
}
