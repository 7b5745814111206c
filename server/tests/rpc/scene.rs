//! A server in this process behind a real socket, on a clock that is moved by hand; and waiting for it.

use std::{future::Future, path::PathBuf, sync::Arc, time::Duration};

use parlor_host::clock::{Clock, ManualClock, Moment};
use parlor_server::{config::{Count, Settings, Span}, identity::{KeyEntry, KeySet, ApiKeys, NewKey, Owner, Scope, ServerKey}, transport::{Parts, Running, Server}};
use parlor_store::{Log, MemoryLog};
use tonic::transport::{Channel, Endpoint};

use crate::caller::Caller;

/// How long anything may take on a slow machine with other things to do.
const A_MINUTE: Duration = Duration::from_secs(60);

/// The answer, which comes within a minute.
pub(crate) async fn soon<T>(answer: impl Future<Output = T>) -> T {
    tokio::time::timeout(A_MINUTE, answer).await.expect("an answer within a minute")
}

/// Waits until the condition holds. For what a server does in its own time and tells nobody.
pub(crate) async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let waited = tokio::time::timeout(A_MINUTE, async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    });
    assert!(waited.await.is_ok(), "{what}: not within a minute");
}

pub(crate) fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Settings of a server on any free port. Whoever tests a limit sets it.
pub(crate) fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.listen.set_port(0);
    settings.metrics = None;
    settings.shutdown_grace = Span::from_ms(0);
    settings.bots.workers = Count::new(1);
    settings.limits.requests_per_second = Count::new(1_000_000);
    settings.limits.request_burst = Count::new(1_000_000);
    settings
}

/// A key of this owner, with these scopes.
pub(crate) fn key(owner: &str, scopes: &[Scope]) -> NewKey {
    let owner: Owner = owner.parse().expect("a name");
    NewKey::generate(owner, scopes.to_vec(), None, None).expect("randomness")
}

/// The same key, with more or other quotas.
pub(crate) fn with_quotas(mut key: NewKey, tables: Option<u32>, requests: Option<u32>) -> NewKey {
    key.entry.tables = tables.map(Count::new);
    key.entry.requests_per_second = requests.map(Count::new);
    key
}

/// A server, and what a test needs of it.
pub(crate) struct Scene {
    /// The server's time.
    pub(crate) clock: ManualClock,
    /// What the server keeps.
    pub(crate) log: Arc<dyn Log>,
    pub(crate) keys: Arc<ApiKeys>,
    /// Where the log is, if it is in a file.
    pub(crate) folder: Option<PathBuf>,
    settings: Settings,
    running: Running,
    channel: Channel,
}

impl Scene {
    /// A server without keys, on a log in memory.
    pub(crate) async fn new() -> Scene {
        Scene::with(|_| {}).await
    }

    /// The same, with other settings.
    pub(crate) async fn with(change: impl FnOnce(&mut Settings)) -> Scene {
        Scene::on(Arc::new(MemoryLog::new()), change).await
    }

    /// A server with these keys, on a log in memory.
    pub(crate) async fn with_keys<'a>(keys: impl IntoIterator<Item = &'a NewKey>) -> Scene {
        let entries: Vec<KeyEntry> = keys.into_iter().map(|key| key.entry.clone()).collect();
        Scene::with(|settings| settings.keys = entries).await
    }

    /// A server on this log.
    pub(crate) async fn on(log: Arc<dyn Log>, change: impl FnOnce(&mut Settings)) -> Scene {
        let mut settings = settings();
        change(&mut settings);
        Scene::start(log, ManualClock::new(), settings).await
    }

    async fn start(log: Arc<dyn Log>, clock: ManualClock, settings: Settings) -> Scene {
        let keys = Arc::new(ApiKeys::new(KeySet::new(settings.keys.clone()).expect("keys")));
        let parts = Parts {
            clock: Arc::new(clock.clone()),
            log: log.clone(),
            keys: keys.clone(),
            server_key: ServerKey::from_bytes([7; 32]),
        };
        let running = soon(Server::start(&settings, parts)).await.expect("a server");
        let address = running.address().expect("an address");
        let channel = connect(&format!("http://{address}")).await;
        Scene { clock, log, keys, folder: None, settings, running, channel }
    }

    /// Stops, and starts anew on another log, when the clock on the wall has moved on by so much.
    pub(crate) async fn restart(
        self,
        down_for: Duration,
        reopen: impl AsyncFnOnce(Arc<dyn Log>) -> Arc<dyn Log>,
    ) -> Scene {
        let Scene { clock, log, settings, running, channel, .. } = self;
        drop(channel);
        soon(running.stop()).await;
        let down_ms = u64::try_from(down_for.as_millis()).expect("a time");
        let later = ManualClock::new();
        later.set_wall_clock(clock.now_ms() + down_ms);
        let log = reopen(log).await;
        Scene::start(log, later, settings).await
    }

    /// Begins to stop the server.
    pub(crate) fn stopping(self) -> tokio::task::JoinHandle<()> {
        tokio::spawn(self.running.stop())
    }

    /// Somebody without a key.
    pub(crate) fn anyone(&self) -> Caller {
        Caller::new(self.channel.clone(), None)
    }

    /// Somebody with this key.
    pub(crate) fn holder(&self, key: &NewKey) -> Caller {
        Caller::new(self.channel.clone(), Some(key.text.reveal()))
    }

    /// Somebody with this text as a key.
    pub(crate) fn claiming(&self, key: &str) -> Caller {
        Caller::new(self.channel.clone(), Some(key))
    }

    /// Somebody without a key, on a connection of their own.
    pub(crate) async fn stranger(&self) -> Caller {
        Caller::new(connect(&self.url()).await, None)
    }

    /// Where the server is.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.running.address().expect("an address"))
    }

    pub(crate) fn advance(&self, time: Duration) {
        self.clock.advance(time);
    }

    /// Moves time on to so long after the start.
    pub(crate) fn advance_to(&self, time: Duration) {
        let now = self.clock.now().since(Moment::START);
        self.clock.advance(
            time.checked_sub(now).unwrap_or_else(|| panic!("time goes forward: {time:?} after {now:?}")),
        );
    }

    /// Lets time pass until the server sleeps until exactly so long after its start: so nothing is due before. On the way
    /// it wakes up for what was due once, and is not any more.
    pub(crate) async fn sleeps_until(&self, time: Duration) {
        let moment = Moment::START + time;
        let what = format!("a sleep until {time:?}");
        until(&what, async || match self.clock.next_deadline() {
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
    soon(endpoint.connect()).await.expect("a connection")
}
