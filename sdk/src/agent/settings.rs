//! [`AgentSettings`]: name, credentials and capacity of an agent.

use std::time::Duration;

use crate::{AgentKey, options, wire};

/// Name, credentials and capacity of an agent.
///
/// ```no_run
/// use parlor_sdk::{AgentSettings, Choice, Client, Error, Question};
///
/// #[tokio::main]
/// async fn main() -> Result<(), Error> {
///     let client = Client::connect("http://localhost:7766").await?;
///     let settings = AgentSettings::new("first").version("1.0").games(["gap"]).max_tables(100);
///     let settings = settings.key("a secret that only you know");
///     // One bot per table. Runs until the server rejects the agent.
///     client.serve_agent(settings, |_given| |_: &Question| Choice::Index(0)).await
/// }
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is connected before `Client::start_agent` or `Client::serve_agent`"]
pub struct AgentSettings {
    name: String,
    version: String,
    key: Option<AgentKey>,
    games: Vec<String>,
    max_tables: u32,
    wants: Option<wire::Wants>,
    adds_entropy: bool,
    seated_by: wire::SeatedBy,
    min_decision: Duration,
}

impl AgentSettings {
    /// An agent of this name: 1 to 64 letters, digits, `.`, `_` and `-`. Defaults: all games, at most 16
    /// tables at once.
    pub fn new(name: impl Into<String>) -> AgentSettings {
        AgentSettings {
            name: name.into(),
            version: String::new(),
            key: None,
            games: options::game_ids(),
            max_tables: 16,
            wants: None,
            adds_entropy: true,
            seated_by: wire::SeatedBy::Anyone,
            min_decision: Duration::ZERO,
        }
    }

    /// Version of the program. Ratings belong to a name and a version, and the seats of one version are not
    /// given to another.
    pub fn version(mut self, version: impl Into<String>) -> AgentSettings {
        self.version = version.into();
        self
    }

    /// Secret that owns the name: 16 to 64 bytes. The first connection under a name fixes it for good. Not
    /// needed by a client with an API key.
    pub fn key(mut self, key: impl Into<AgentKey>) -> AgentSettings {
        self.key = Some(key.into());
        self
    }

    /// Ids of the games it plays.
    pub fn games<G: Into<String>>(mut self, games: impl IntoIterator<Item = G>) -> AgentSettings {
        self.games = games.into_iter().map(Into::into).collect();
        self
    }

    /// Maximum number of simultaneous tables: 1 to 10000. The server may allow fewer.
    pub fn max_tables(mut self, tables: u32) -> AgentSettings {
        self.max_tables = tables;
        self
    }

    /// Parts of messages that the server sends, for all tables. What is not set has its default: events with
    /// updates, views and legal actions with decisions.
    pub fn wants(mut self, wants: wire::Wants) -> AgentSettings {
        self.wants = Some(wants);
        self
    }

    /// Contributes, or not, 32 random bytes to the shuffles of each tournament: it commits to them and reveals
    /// them when the server asks. Default: it does.
    pub fn adds_entropy(mut self, adds: bool) -> AgentSettings {
        self.adds_entropy = adds;
        self
    }

    /// Those who may give it seats. Default: anyone. With [`SeatedBy::Tournaments`](wire::SeatedBy) no rival can seat it
    /// at tables of its own.
    pub fn seated_by(mut self, seated_by: wire::SeatedBy) -> AgentSettings {
        self.seated_by = seated_by;
        self
    }

    /// Shortest time for a decision at which it plays: it gets no seat at a table whose clock gives less. Default: any.
    pub fn min_decision(mut self, time: Duration) -> AgentSettings {
        self.min_decision = time;
        self
    }

    /// The first message of the agent's stream.
    pub(super) fn hello(self) -> wire::AgentHello {
        wire::AgentHello {
            name: self.name,
            version: self.version,
            agent_key: self.key.map(|key| key.reveal().as_bytes().to_vec()).unwrap_or_default(),
            games: self.games,
            max_tables: self.max_tables,
            wants: self.wants,
            bookmarks: Vec::new(),
            adds_entropy: self.adds_entropy,
            seated_by: self.seated_by.into(),
            min_decision_ms: u32::try_from(self.min_decision.as_millis()).unwrap_or(u32::MAX),
        }
    }
}
