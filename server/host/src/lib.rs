//! Table host: all tables in memory, the client streams that play and watch them, agents and tournaments.
//!
//! The host depends on no network protocol. Handlers call [`Host`] and
//! [`Tournaments`](tournaments::Tournaments). Streams deliver batches of items encoded by an [`ItemEncoder`];
//! API payloads in stored messages pass through a [`PayloadCodec`].
//!
//! Tables are partitioned over shards, one task each. A shard applies a change to its table, appends it to
//! the log together with all other changes of the same turn, and publishes it once the append is durable
//! (`shard/table_actor.rs`). An unused table leaves memory and occupies disk only; it is loaded again on
//! demand, or when one of its timers fires. A finished table is served from its record
//! (`shard/finished_table.rs`).

pub mod agents;
mod authorization;
pub mod clock;
mod create_table;
mod error;
pub mod identity;
pub mod limits;
mod listing;
pub mod metric_names;
mod owner_feed;
pub mod persistence;
pub mod placement;
mod quota;
mod random;
mod records;
mod requests;
mod reservation;
mod retention;
pub mod settings;
mod shard;
pub mod stream;
pub mod table;
mod table_calls;
mod tags;
#[cfg(feature = "test-hooks")]
pub mod test_hooks;
pub mod tournaments;
mod turns;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parlor_store::{Log, Millis, OwnerId};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, info_span};

pub use agents::agent_stream::{AgentArrival, AgentStream};
pub use create_table::DealtTable;
pub use error::HostError;
pub use owner_feed::OwnerFeed;
pub use parlor_fair::{Secret, TableId, TournamentId};
pub use random::{RandomnessError, random_bytes};
pub use requests::{Actor, Channel, JoinRequest, NewChance, NewTable, TableFilter, ViewerCredential, Wants};
pub use settings::HostSettings;
pub use stream::{
    AnswerOutcome, AnswerRefused, Answered, Backpressured, ChannelCommand, ClientCommand, Closed,
    DecisionPrompt, ItemBatch, ItemEncoder, OutboundBatch, OwnerEvent, OwnerFeedItem, Presence, RemoteItems,
    SeatTime, Snapshot, StreamHandle, StreamItem, StreamKind, StreamReceiver, ViewerUpdate,
};
pub use table_calls::Joined;
pub use tags::{agent_tag, tournament_tag};
pub use tournaments::deal_visibility::{DealVisibility, RemoteDeals, TableEnd, TableEnds};
pub use turns::{TurnChange, TurnFeed};

use crate::agents::AgentRegistry;
use crate::clock::{Clock, Moment};
use crate::identity::Owner;
use crate::limits::{ByteReservation, StreamAllowance};
use crate::persistence::PayloadCodec;
use crate::shard::house_bots::{self, BotPool};
use crate::shard::senders::{ShardSenders, shard_index};
use crate::shard::subscriptions::SpectatorLimits;
use crate::shard::table_message::{ReplyTo, TableMessage};
use crate::shard::{Shard, ShardMessage};
use crate::stream::queue::{QueueLimits, StreamQueue};
use crate::stream::registry::StreamRegistry;
use crate::table::IdempotencyKey;
use crate::tournaments::log_id::tournament_of_log;
use quota::Quota;
use turns::TurnRegistry;

/// Encoders and decoders supplied by the server: stream items on the wire, and API payloads in storage.
#[derive(Clone, Copy)]
pub struct Codecs {
    /// Encodes stream items.
    pub items: &'static dyn ItemEncoder,
    /// Encodes and decodes payloads in stored messages.
    pub payloads: &'static dyn PayloadCodec,
}

/// Capacity of a shard's inbox in messages. Senders wait while it is full.
const SHARD_INBOX_CAPACITY: usize = 4096;

/// Time after a start in which clients can reconnect before their seats count as absent.
const RECONNECT_TIME: Duration = Duration::from_secs(30);

/// State shared by the shards and the API of one host.
struct Shared {
    codecs: Codecs,
    log: Arc<dyn Log>,
    clock: Arc<dyn Clock>,
    bots: BotPool,
    quota: Quota,
    deals: DealVisibility,
    agents: AgentRegistry,
    turns: Arc<TurnRegistry>,
    attachments: AtomicU64,
    /// No request is accepted any more.
    stopping: AtomicBool,
    streams: Arc<StreamRegistry>,
    /// Cancelled once everything accepted is durable; ends owner feeds.
    stopped: CancellationToken,
    /// Seats count as absent only from this moment on.
    reconnect_deadline: Moment,
    idle_timeout: Duration,
    reveal_within: Duration,
    table_queue: usize,
    stream_limits: QueueLimits,
    channels_per_stream: u32,
    spectator_limits: SpectatorLimits,
}

/// Handle to all tables and client streams. Clones share one host, which stops when the last clone is
/// dropped.
#[derive(Clone)]
pub struct Host {
    shared: Arc<Shared>,
    shards: ShardSenders,
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Host")
    }
}

impl Host {
    /// Starts a host from the state in the log: tables in play are loaded now, tables at rest when their
    /// timer fires.
    pub async fn start(
        log: Arc<dyn Log>,
        clock: Arc<dyn Clock>,
        settings: &HostSettings,
        codecs: Codecs,
    ) -> Result<Host, HostError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // One shard for every two cores: streams and the log keep the other cores busy, and data passed
        // between a shard and a stream on another core moves between their caches.
        let (shards, inboxes): (Vec<_>, Vec<_>) =
            (0..cores.div_ceil(2)).map(|_| mpsc::channel(SHARD_INBOX_CAPACITY)).unzip();
        let agents = AgentRegistry::start(log.clone(), clock.clone(), &settings.agents).await?;
        let shared = Arc::new(Shared {
            codecs,
            reconnect_deadline: clock.now() + RECONNECT_TIME,
            agents,
            log,
            clock,
            bots: start_bot_pool(&shards, settings)?,
            quota: Quota::default(),
            deals: DealVisibility::default(),
            turns: Arc::default(),
            attachments: AtomicU64::new(1),
            stopping: AtomicBool::new(false),
            streams: Arc::default(),
            stopped: CancellationToken::new(),
            idle_timeout: settings.idle_timeout,
            reveal_within: settings.reveal_within,
            table_queue: settings.table_queue,
            stream_limits: QueueLimits {
                max_items: settings.stream_queue,
                max_bytes: settings.stream_bytes,
                max_batch_bytes: settings.batch_bytes,
                kind: StreamKind::Client,
                encoder: codecs.items,
            },
            channels_per_stream: settings.channels_per_stream,
            spectator_limits: SpectatorLimits {
                per_table: settings.spectators_per_table,
                per_caller: settings.spectators_per_caller,
            },
        });
        let shards = ShardSenders::new(shards);
        let start_up = shared.log.load_startup_state().await?;
        // Whoever runs the tournaments comes later, and until then nothing of them is shown.
        start_up.tournaments.iter().for_each(|log| shared.deals.open(tournament_of_log(*log)));
        let (now, now_ms) = (shared.clock.now(), shared.clock.now_ms());
        let mut all: Vec<Shard> =
            inboxes.into_iter().map(|inbox| Shard::new(shared.clone(), inbox)).collect();
        for table in start_up.in_play {
            all[shards.shard_of(table)].wake_at(now, table);
        }
        for (Millis(at), table) in start_up.waking {
            let moment = now + Duration::from_millis(at.saturating_sub(now_ms));
            all[shards.shard_of(table)].wake_at(moment, table);
        }
        for (number, shard) in all.into_iter().enumerate() {
            tokio::spawn(shard.run(number).instrument(info_span!("shard", number)));
        }
        retention::start(&shared, settings.keep_finished);
        Ok(Host { shared, shards })
    }

    /// Refuses new requests, waits until everything accepted is durable, and ends all streams with a
    /// retryable error.
    pub async fn stop(&self) {
        self.shared.stopping.store(true, Ordering::Relaxed);
        let mut stopped = Vec::new();
        for shard in self.shards.iter() {
            let (to, answer) = oneshot::channel();
            if shard.send(ShardMessage::Stop(to)).await.is_ok() {
                stopped.push(answer);
            }
        }
        for answer in stopped {
            // A stopped shard has no append in flight.
            let _ = answer.await;
        }
        self.shared.streams.end_all();
        self.shared.stopped.cancel();
    }

    /// Fails a house bot's decision as if the bot had panicked.
    #[cfg(feature = "test-hooks")]
    pub async fn fail_house_bot(
        &self,
        table: TableId,
        seat: parlor_engine::Seat,
        decision: table::DecisionId,
    ) {
        let chosen = Err(parlor_bots::BotError::Panicked);
        let failed = house_bots::BotMove { table, seat, decision, chosen };
        // The shard has stopped with the host; no bot can fail.
        let _ = self.shards.send(table, ShardMessage::BotMove(failed)).await;
    }

    /// Makes every decision of every house bot fail from now on, or not.
    #[cfg(feature = "test-hooks")]
    pub fn fail_house_bots(&self, fail: bool) {
        self.shared.bots.failing.store(fail, std::sync::atomic::Ordering::Relaxed);
    }

    /// Codec of API payloads in stored messages.
    pub(crate) fn payload_codec(&self) -> &'static dyn PayloadCodec {
        self.shared.codecs.payloads
    }

    fn ensure_running(&self) -> Result<(), HostError> {
        if self.shared.stopping.load(Ordering::Relaxed) { Err(HostError::Stopping) } else { Ok(()) }
    }

    /// Sends a request to a table and waits for the reply.
    async fn request<T>(
        &self,
        table: TableId,
        message: impl FnOnce(ReplyTo<T>) -> TableMessage,
    ) -> Result<T, HostError> {
        self.ensure_running()?;
        let (to, answer) = oneshot::channel();
        self.shards.send(table, ShardMessage::Table(table, message(to))).await?;
        answer.await.unwrap_or(Err(HostError::Stopping))
    }

    /// Sleeps for this time by the host's clock.
    pub async fn sleep(&self, time: Duration) {
        let clock = &self.shared.clock;
        clock.sleep_until(clock.now() + time).await;
    }

    /// Time in which entropy that was committed to must be revealed.
    #[must_use]
    pub fn reveal_within(&self) -> Duration {
        self.shared.reveal_within
    }

    /// The agent registry.
    #[must_use]
    pub fn agents(&self) -> &AgentRegistry {
        &self.shared.agents
    }

    /// Token that is cancelled once everything accepted is durable and the host has stopped.
    #[must_use]
    pub fn stopped(&self) -> CancellationToken {
        self.shared.stopped.clone()
    }

    /// Visibility of tournament deals.
    #[must_use]
    pub fn deals(&self) -> &DealVisibility {
        &self.shared.deals
    }

    /// Opens a client stream: the handle for its commands and the receiver of its items.
    pub fn open_stream(
        &self,
        allowance: StreamAllowance,
    ) -> Result<(StreamHandle, StreamReceiver), HostError> {
        self.open_stream_of(StreamKind::Client, allowance)
    }

    fn open_stream_of(
        &self,
        kind: StreamKind,
        StreamAllowance { budgets, attaches }: StreamAllowance,
    ) -> Result<(StreamHandle, StreamReceiver), HostError> {
        self.ensure_running()?;
        let reservation = ByteReservation::new(budgets)?;
        let queue = StreamQueue::new(QueueLimits { kind, ..self.shared.stream_limits }, reservation);
        Ok((
            StreamHandle::new(self.clone(), queue.clone(), attaches),
            StreamReceiver::new(queue, self.shared.streams.clone()),
        ))
    }

    /// Lifecycle events of all tables of an owner after this number; without a number, from now on.
    pub async fn owner_feed(&self, owner: &Owner, after: Option<u64>) -> Result<OwnerFeed, HostError> {
        self.ensure_running()?;
        let stopped = self.shared.stopped.clone();
        let codec = self.shared.codecs.payloads;
        OwnerFeed::new(self.shared.log.clone(), codec, stopped, OwnerId::new(owner.as_str())?, after).await
    }

    /// The seats that the tables of an owner wait for: first all of them, then changes.
    pub fn turn_feed(&self, owner: &Owner) -> Result<TurnFeed, HostError> {
        self.ensure_running()?;
        TurnFeed::new(self, owner)
    }
}

/// Starts the house bot threads. Each move goes to the shard of its table, if the shard still runs.
fn start_bot_pool(
    shards: &[mpsc::Sender<ShardMessage>],
    settings: &HostSettings,
) -> Result<BotPool, HostError> {
    let shards: Vec<mpsc::WeakSender<ShardMessage>> = shards.iter().map(mpsc::Sender::downgrade).collect();
    let done = move |moved: house_bots::BotMove| {
        if let Some(shard) = shards[shard_index(moved.table, shards.len())].upgrade() {
            // The shard has stopped with the host; the move is not awaited.
            let _ = shard.blocking_send(ShardMessage::BotMove(moved));
        }
    };
    BotPool::start(&settings.bots, done)
        .map_err(|error| HostError::Fault { reason: format!("no threads for the house bots: {error}") })
}

/// Runs an operation to its end, also if its requester goes away: for those whose parts must not be separated.
pub(crate) async fn run_to_end<T: Send + 'static>(
    operation: impl Future<Output = Result<T, HostError>> + Send + 'static,
) -> Result<T, HostError> {
    let panicked = |_| HostError::Fault { reason: "an operation panicked".to_owned() };
    tokio::spawn(operation.in_current_span()).await.map_err(panicked)?
}

/// Idempotency key of a client request in the log.
pub(crate) fn client_request_key(request: &IdempotencyKey) -> String {
    format!("c:{}", request.id)
}

/// Idempotency key of a table's rematch in the log. Client keys have another prefix and cannot collide with
/// it.
fn rematch_request_key(table: TableId) -> String {
    format!("r:{table}")
}
