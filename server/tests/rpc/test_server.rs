//! `TestServer`: a server in this process behind a real socket, on a manually advanced clock.

use std::{path::PathBuf, sync::Arc, time::Duration};

use parlor_host::clock::{Clock, ManualClock, Moment};
use parlor_server::{
    config::{Count, Settings, Span},
    identity::{ApiKeys, KeyEntry, KeySet, NewKey, Owner, Scope, ServerKey, SigningKeys},
    transport::{RunningServer, Server, ServerDependencies},
};
use parlor_store::{Log, MemoryLog};
use tonic::transport::{Channel, Endpoint};

use crate::client::Client;

pub(crate) use parlor_testkit::{wait_until, with_timeout};

pub(crate) fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Settings of a server on a free port, with rate limits that no test reaches unless it sets its own.
pub(crate) fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.listen.set_port(0);
    settings.metrics = None;
    settings.shutdown_grace = Span::from_ms(0);
    settings.bots.workers = Count::new(1);
    settings.testing.games = true;
    settings.limits.requests_per_second = Count::new(1_000_000);
    settings.limits.request_burst = Count::new(1_000_000);
    settings
}

/// Generates an API key of this owner with these scopes.
pub(crate) fn api_key(owner: &str, scopes: &[Scope]) -> NewKey {
    let owner: Owner = owner.parse().expect("a valid owner name");
    NewKey::generate(owner, scopes.to_vec(), None, None).expect("randomness")
}

/// Sets the quotas of a key: open tables, and requests per second.
pub(crate) fn with_quotas(mut key: NewKey, tables: Option<u32>, requests: Option<u32>) -> NewKey {
    key.entry.tables = tables.map(Count::new);
    key.entry.requests_per_second = requests.map(Count::new);
    key
}

/// A running server, with its clock, log and keys.
pub(crate) struct TestServer {
    pub(crate) clock: ManualClock,
    pub(crate) log: Arc<dyn Log>,
    pub(crate) keys: Arc<ApiKeys>,
    /// Folder of the log file, for logs on disk.
    pub(crate) folder: Option<PathBuf>,
    settings: Settings,
    running: RunningServer,
    channel: Channel,
}

impl TestServer {
    /// Starts a server without API keys, on a log in memory.
    pub(crate) async fn new() -> TestServer {
        TestServer::with_settings(|_| {}).await
    }

    /// Starts a server with changed settings, on a log in memory.
    pub(crate) async fn with_settings(change: impl FnOnce(&mut Settings)) -> TestServer {
        TestServer::with_log(Arc::new(MemoryLog::new()), change).await
    }

    /// Starts a server with these API keys, on a log in memory.
    pub(crate) async fn with_keys<'a>(keys: impl IntoIterator<Item = &'a NewKey>) -> TestServer {
        let entries: Vec<KeyEntry> = keys.into_iter().map(|key| key.entry.clone()).collect();
        TestServer::with_settings(|settings| settings.keys = entries).await
    }

    /// Starts a server on this log, with changed settings.
    pub(crate) async fn with_log(log: Arc<dyn Log>, change: impl FnOnce(&mut Settings)) -> TestServer {
        let mut settings = settings();
        change(&mut settings);
        TestServer::start(log, ManualClock::new(), settings).await
    }

    async fn start(log: Arc<dyn Log>, clock: ManualClock, settings: Settings) -> TestServer {
        let keys = Arc::new(ApiKeys::new(KeySet::new(settings.keys.clone()).expect("valid keys")));
        let parts = ServerDependencies {
            clock: Arc::new(clock.clone()),
            log: log.clone(),
            keys: keys.clone(),
            server_key: ServerKey::from_bytes([7; 32]),
            signing_keys: Arc::new(SigningKeys::from_bytes([8; 32])),
        };
        let running = with_timeout(Server::start(&settings, parts)).await.expect("a running server");
        let address = running.address().expect("a socket address");
        let channel = connect(&format!("http://{address}")).await;
        TestServer { clock, log, keys, folder: None, settings, running, channel }
    }

    /// Stops the server and starts it again on the log that `reopen` returns, with the wall clock `down_for`
    /// later.
    pub(crate) async fn restart(
        self,
        down_for: Duration,
        reopen: impl AsyncFnOnce(Arc<dyn Log>) -> Arc<dyn Log>,
    ) -> TestServer {
        let TestServer { clock, log, settings, running, channel, .. } = self;
        drop(channel);
        with_timeout(running.stop()).await;
        let down_ms = u64::try_from(down_for.as_millis()).expect("a downtime in u64 milliseconds");
        let later = ManualClock::new();
        later.set_wall_clock(clock.now_ms() + down_ms);
        let log = reopen(log).await;
        TestServer::start(log, later, settings).await
    }

    /// Begins a graceful shutdown in a task of its own.
    pub(crate) fn begin_shutdown(self) -> tokio::task::JoinHandle<()> {
        tokio::spawn(self.running.stop())
    }

    /// A client without an API key.
    pub(crate) fn client(&self) -> Client {
        Client::new(self.channel.clone(), None)
    }

    /// A client with this API key.
    pub(crate) fn client_with_key(&self, key: &NewKey) -> Client {
        Client::new(self.channel.clone(), Some(key.text.reveal()))
    }

    /// A client that sends this text as its API key.
    pub(crate) fn client_with_key_text(&self, key: &str) -> Client {
        Client::new(self.channel.clone(), Some(key))
    }

    /// A client without an API key, on a connection of its own.
    pub(crate) async fn client_on_new_connection(&self) -> Client {
        Client::new(connect(&self.url()).await, None)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.running.address().expect("a socket address"))
    }

    pub(crate) fn advance(&self, time: Duration) {
        self.clock.advance(time);
    }

    /// Advances the clock to `time` after the start of the server.
    ///
    /// # Panics
    /// If the clock is past that already.
    pub(crate) fn advance_to(&self, time: Duration) {
        let now = self.clock.now().since(Moment::START);
        self.clock.advance(
            time.checked_sub(now).unwrap_or_else(|| panic!("{time:?} is before the clock, {now:?}")),
        );
    }

    /// Advances the clock from deadline to deadline until the server's next one is exactly `time` after its
    /// start, which shows that nothing is due before. Earlier deadlines are those of timers that were
    /// cancelled meanwhile.
    pub(crate) async fn advance_to_deadline(&self, time: Duration) {
        let moment = Moment::START + time;
        let what = format!("a deadline at {time:?}");
        wait_until(&what, async || match self.clock.next_deadline() {
            Some(deadline) if deadline < moment => {
                self.advance_to(deadline.since(Moment::START));
                false
            }
            deadline => deadline == Some(moment),
        })
        .await;
    }
}

pub(crate) async fn connect(url: &str) -> Channel {
    let endpoint = Endpoint::from_shared(url.to_owned()).expect("a URL");
    with_timeout(endpoint.connect()).await.expect("a connection")
}
