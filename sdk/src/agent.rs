//! Agents: a bot with a name, which waits to be given seats and plays many tables over one stream.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use crate::error::Reason;
use crate::random::fresh_bytes;
use crate::run::{Refused, panicked};
use crate::session::{Connection, Given, Handle, SlotId};
use crate::{AgentKey, AsyncBot, Client, Error, Finished, options, wire};

/// Who an agent is, and what it takes.
///
/// ```no_run
/// use parlor_sdk::{AgentSettings, Choice, Client, Error, Question};
///
/// #[tokio::main]
/// async fn main() -> Result<(), Error> {
///     let client = Client::connect("http://localhost:7766").await?;
///     let settings = AgentSettings::new("first").version("1.0").games(["gap"]).max_tables(100);
///     let settings = settings.key("a secret that only you know");
///     // A bot of its own for each table. It runs until the server turns the agent away.
///     client.serve_agent(settings, |_given| |_: &Question| Choice::Index(0)).await
/// }
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is connected before `Client::agent` or `Client::serve_agent`"]
pub struct AgentSettings {
    name: String,
    version: String,
    key: Option<AgentKey>,
    games: Vec<String>,
    max_tables: u32,
    wants: Option<wire::Wants>,
    entropy: Option<Vec<u8>>,
}

impl AgentSettings {
    /// An agent of this name: 1 to 64 letters, digits and the characters `.`, `_` and `-`. It plays all games, at up to 16
    /// tables at once, unless said otherwise.
    pub fn new(name: impl Into<String>) -> AgentSettings {
        AgentSettings {
            name: name.into(),
            version: String::new(),
            key: None,
            games: options::games(),
            max_tables: 16,
            wants: None,
            entropy: None,
        }
    }

    /// The version of the program. Ratings belong to a name and a version, and the seats of one version are not given to
    /// another.
    pub fn version(mut self, version: impl Into<String>) -> AgentSettings {
        self.version = version.into();
        self
    }

    /// The secret that the name belongs to: 16 to 64 bytes, and the same ever after. Whoever connects first under a name fixes
    /// it. A client with an API key needs none.
    pub fn key(mut self, key: impl Into<AgentKey>) -> AgentSettings {
        self.key = Some(key.into());
        self
    }

    /// The games that it plays, by their ids.
    pub fn games<G: Into<String>>(mut self, games: impl IntoIterator<Item = G>) -> AgentSettings {
        self.games = games.into_iter().map(Into::into).collect();
        self
    }

    /// At how many tables it plays at once: 1 to 10000. The server may allow fewer.
    pub fn max_tables(mut self, tables: u32) -> AgentSettings {
        self.max_tables = tables;
        self
    }

    /// What to be sent, for all tables. Not said: events with updates, and views and legal actions with decisions.
    pub fn wants(mut self, wants: wire::Wants) -> AgentSettings {
        self.wants = Some(wants);
        self
    }

    /// What it adds to the shuffles of tournaments: up to 64 bytes. Not said: 32 random ones.
    pub fn entropy(mut self, entropy: impl Into<Vec<u8>>) -> AgentSettings {
        self.entropy = Some(entropy.into());
        self
    }

    fn hello(self) -> Result<wire::AgentHello, Error> {
        let entropy = match self.entropy {
            Some(entropy) => entropy,
            None => fresh_bytes::<32>()?.to_vec(),
        };
        Ok(wire::AgentHello {
            name: self.name,
            version: self.version,
            agent_key: self.key.map(|key| key.reveal().as_bytes().to_vec()).unwrap_or_default(),
            games: self.games,
            max_tables: self.max_tables,
            wants: self.wants,
            entropy,
            bookmarks: Vec::new(),
        })
    }
}

/// What happens to an agent.
#[derive(Debug)]
#[non_exhaustive]
pub enum AgentEvent {
    /// It is connected, for the first time or again: what the server said.
    Connected(wire::AgentWelcome),
    /// It was set aside while it was connected: it gets no new seats for a while, and goes on with those that it has.
    SetAside(wire::SetAside),
    /// The connection broke. It is made again by itself, and all tables go on.
    Disconnected {
        /// Why, for people: one line.
        why: String,
    },
    /// It has a seat, and a bot was made for it.
    SeatGiven(wire::SeatGiven),
    /// A table is over.
    TableOver(Box<Finished>),
    /// The bot at a table failed. Its clock plays for it there, and the other tables go on.
    BotFailed {
        /// Where.
        given: wire::SeatGiven,
        /// How.
        error: Error,
    },
}

type MakeBot = Box<dyn FnMut(&wire::SeatGiven) -> Box<dyn AsyncBot> + Send>;

/// An agent that is connected, or about to be: made by [`Client::agent`].
///
/// It works while somebody calls [`next`](Serving::next). The connection heals itself, like that of a
/// [`Session`](crate::Session): each table goes on where it was, and each decision is answered once. An answer that the
/// rules refuse is replaced by the default, so that the others at the table need not wait for the clock.
///
/// It ends with an error when the server turns it away for good; above all with [`Reason::AgentReplaced`] when another program
/// connects under the same name, which it leaves the name to. Dropping it leaves all tables at once: the seats stay the
/// agent's, and their clocks run.
pub struct Serving {
    handle: Arc<Handle>,
    given: mpsc::Receiver<Given>,
    connection: watch::Receiver<Connection>,
    make_bot: MakeBot,
    tables: JoinSet<Left>,
    stop: watch::Sender<bool>,
    over: bool,
}

/// What became of one table.
struct Left {
    given: wire::SeatGiven,
    /// None if the agent was stopped before.
    outcome: Result<Option<Finished>, Error>,
}

impl Client {
    /// Connects an agent. `make_bot` gives a bot for each seat that the agent is given; every [`Bot`](crate::Bot) and
    /// [`AsyncBot`] will do. Nothing happens before [`Serving::next`] is called. Must be called on a Tokio runtime.
    ///
    /// ```no_run
    /// # async fn example(client: parlor_sdk::Client) -> Result<(), parlor_sdk::Error> {
    /// use parlor_sdk::{AgentEvent, AgentSettings, Choice, Question};
    ///
    /// let settings = AgentSettings::new("first").key("a secret that only you know");
    /// let mut agent = client.agent(settings, |_given| |_: &Question| Choice::Index(0))?;
    /// while let Some(event) = agent.next().await? {
    ///     match event {
    ///         AgentEvent::TableOver(finished) => println!("{:?}", finished.own()),
    ///         other => println!("{other:?}"),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn agent<B, M>(&self, settings: AgentSettings, mut make_bot: M) -> Result<Serving, Error>
    where
        B: AsyncBot + 'static,
        M: FnMut(&wire::SeatGiven) -> B + Send + 'static,
    {
        let (handle, given) = Handle::of_agent(self, settings.hello()?);
        Ok(Serving {
            connection: handle.connection(),
            handle,
            given,
            make_bot: Box::new(move |seat| Box::new(make_bot(seat))),
            tables: JoinSet::new(),
            stop: watch::Sender::new(false),
            over: false,
        })
    }

    /// Connects an agent and lets it play until the server turns it away, which is the error. To learn what it does, or to
    /// stop it, use [`agent`](Client::agent).
    pub async fn serve_agent<B, M>(&self, settings: AgentSettings, make_bot: M) -> Result<(), Error>
    where
        B: AsyncBot + 'static,
        M: FnMut(&wire::SeatGiven) -> B + Send + 'static,
    {
        let mut agent = self.agent(settings, make_bot)?;
        while agent.next().await?.is_some() {}
        Ok(())
    }
}

impl Serving {
    /// Lets the agent play until something happens that is worth telling. None after [`stop`](Serving::stop), once all
    /// decisions that were being thought about are answered. An error is one that waiting does not mend, and the last thing
    /// that comes. It is safe to give up waiting, and to call again.
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
                Some(left) = self.tables.join_next() => self.left(left),
                Some(given) = self.given.recv(), if !stopping => Some(self.take(given)),
                Ok(()) = self.connection.changed() => self.changed()?,
                Ok(()) = stop.changed(), if !stopping => None,
            };
            if let Some(event) = event {
                return Ok(Some(event));
            }
        }
    }

    /// Stops: no bot is asked anything more, and [`next`](Serving::next) ends when what they were asked before is answered.
    /// The seats stay the agent's, so it can come back and go on.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// A way to stop it from elsewhere, while somebody waits for [`next`](Serving::next).
    pub fn stopper(&self) -> impl Fn() + Send + Sync + Clone + 'static {
        let stop = self.stop.clone();
        move || {
            stop.send_replace(true);
        }
    }

    /// At how many tables it has a seat now.
    #[must_use]
    pub fn playing(&self) -> usize {
        self.tables.len()
    }

    fn take(&mut self, given: Given) -> AgentEvent {
        match given {
            Given::Welcome(welcome) => AgentEvent::Connected(welcome),
            Given::SetAside(aside) => AgentEvent::SetAside(aside),
            Given::Seat(slot, seat) => {
                let bot = (self.make_bot)(&seat);
                self.tables.spawn(play(Arc::clone(&self.handle), slot, seat.clone(), bot, self.stopped()));
                AgentEvent::SeatGiven(seat)
            }
        }
    }

    fn stopped(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut stop = self.stop.subscribe();
        async move {
            // Whoever could say it is gone with the agent itself.
            let _ = stop.wait_for(|stop| *stop).await;
        }
    }

    fn left(&self, left: Result<Left, tokio::task::JoinError>) -> Option<AgentEvent> {
        let Left { given, outcome } = match left {
            Ok(left) => left,
            // The task of a table ends by itself and catches what its bot does, unless the runtime goes down.
            Err(error) => {
                tracing::warn!(%error, "a table of the agent was lost");
                return None;
            }
        };
        match outcome {
            Ok(finished) => finished.map(|finished| AgentEvent::TableOver(Box::new(finished))),
            // The agent itself is at its end, and says why.
            Err(_) if self.handle.shared.ended().is_some() => None,
            Err(error) => Some(AgentEvent::BotFailed { given, error }),
        }
    }

    fn changed(&mut self) -> Result<Option<AgentEvent>, Error> {
        match &*self.connection.borrow_and_update() {
            Connection::Broken { why } => Ok(Some(AgentEvent::Disconnected { why: why.clone() })),
            Connection::Ended => {
                self.over = true;
                let ended = self.handle.shared.ended();
                Err(ended.unwrap_or_else(|| Error::new(Reason::Closed, "the agent's connection has ended")))
            }
            Connection::Opening | Connection::Open => Ok(None),
        }
    }
}

impl fmt::Debug for Serving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let connection = self.connection.borrow();
        f.debug_struct("Serving")
            .field("connection", &*connection)
            .field("playing", &self.tables.len())
            .finish_non_exhaustive()
    }
}

/// Plays one seat to the end. A bot that panics takes nothing with it but its seat.
async fn play(
    handle: Arc<Handle>,
    slot: SlotId,
    given: wire::SeatGiven,
    mut bot: Box<dyn AsyncBot>,
    stopped: impl Future<Output = ()> + Send + 'static,
) -> Left {
    let number = given.seat;
    let mut playing = JoinSet::new();
    playing.spawn(async move {
        let mut seat = handle.given_seat(slot, number).await?;
        seat.play_until(&mut bot, stopped, Refused::PlaysTheDefault).await
    });
    let outcome = match playing.join_next().await {
        Some(Ok(outcome)) => outcome,
        Some(Err(error)) => Err(panicked(error)),
        None => Ok(None),
    };
    Left { given, outcome }
}
