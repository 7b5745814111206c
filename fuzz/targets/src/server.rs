//! A server in this process behind connections in memory. Time stands still while there is something to do, and jumps to
//! the next timer when there is not, so that an answer is awaited without waiting.

use std::sync::Arc;
use std::time::Duration;

use parlor_host::clock::ManualClock;
use parlor_server::config::{Count, Settings, Span};
use parlor_server::identity::{ApiKeys, KeySet, SigningKeys};
use parlor_server::transport::{AcceptedConnection, RunningServer, Server, ServerDependencies};
use parlor_store::MemoryLog;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex, split};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{Sender, channel};
use tokio::time::{sleep, timeout};
use tokio_stream::wrappers::ReceiverStream;

use crate::callers::server_key;

/// Time after which an idle server answers no more.
const IDLE: Duration = Duration::from_secs(1);
/// Bytes of an answer that are read.
const MAX_ANSWER_BYTES: u64 = 1 << 20;
/// Bytes on their way in each direction of a connection.
const PIPE_BYTES: usize = 64 << 10;

/// A server without API keys, on a log in memory.
pub(crate) struct InMemoryServer {
    connections: Sender<AcceptedConnection<DuplexStream>>,
    // Dropped before its runtime.
    _running: RunningServer,
    runtime: Runtime,
}

impl InMemoryServer {
    pub(crate) fn start() -> InMemoryServer {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
        let runtime = runtime.expect("a runtime");
        let (connections, accepted) = channel(1);
        let dependencies = ServerDependencies {
            clock: Arc::new(ManualClock::new()),
            log: Arc::new(MemoryLog::new()),
            keys: Arc::new(ApiKeys::new(KeySet::default())),
            server_key: server_key(),
            signing_keys: Arc::new(SigningKeys::from_bytes([8; 32])),
        };
        let settings = settings();
        let starting = Server::start_on(&settings, dependencies, ReceiverStream::new(accepted));
        let running = runtime.block_on(starting).expect("a running server");
        InMemoryServer { connections, _running: running, runtime }
    }

    /// Sends bytes on a connection of their own and reads what the server answers.
    pub(crate) fn send(&self, bytes: &[u8]) -> Vec<u8> {
        let (client, server) = duplex(PIPE_BYTES);
        let accepted = AcceptedConnection { io: server, address: None };
        self.runtime.block_on(async {
            assert!(self.connections.send(accepted).await.is_ok(), "the server accepts connections");
            let (read, mut write) = split(client);
            let mut answer = Vec::new();
            let mut read = read.take(MAX_ANSWER_BYTES);
            // The server may close the connection before it has read everything.
            let exchange = async { tokio::join!(write.write_all(bytes), read.read_to_end(&mut answer)) };
            let _idle = timeout(IDLE, exchange).await;
            drop((read, write));
            // The server notices the end of the connection.
            sleep(IDLE).await;
            answer
        })
    }
}

/// Settings with rate limits that no input reaches.
fn settings() -> Settings {
    let mut settings = Settings { shutdown_grace: Span::from_ms(0), ..Settings::default() };
    settings.bots.workers = Count::new(1);
    settings.testing.games = true;
    settings.limits.requests_per_second = Count::new(1_000_000);
    settings.limits.request_burst = Count::new(1_000_000);
    settings
}
