//! The host: all tables in memory, the clients that play and watch them, agents and tournaments.
//!
//! The host knows no network protocol. A handler calls [`Host`] and [`Tournaments`](tournaments::Tournaments); streams hand out
//! batches of items that an [`ItemEncoder`] has encoded, and what is stored of the API's forms passes through a
//! [`PayloadCodec`](persistence::PayloadCodec).
//!
//! Tables are spread over shards, one task each, that own them. A change is folded into its table, appended to the log
//! together with all other changes of the same turn, and shown once it is durable (`shard/table_actor.rs`). An unused table
//! leaves memory and costs disk alone; it is loaded again on demand, or when its clock wakes it. A finished table is served
//! from its record (`shard/finished_table.rs`).

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
mod quota;
mod random;
mod records;
mod requests;
mod retention;
pub mod settings;
mod shard;
pub mod stream;
pub mod table;
mod tags;
pub mod tournaments;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parlor_engine::{Seat, Viewer};
use parlor_store::{Delete, Log, Millis, NewFeedItem, OwnerId};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, info_span};

pub use agents::agent_stream::{AgentArrival, AgentStream};
pub use create_table::DealtTable;
pub use error::HostError;
pub use owner_feed::OwnerFeed;
pub use parlor_fair::{Secret, TableId};
pub use random::{RandomnessError, random_bytes};
pub use requests::{Actor, Channel, JoinRequest, NewChance, NewTable, TableFilter, ViewerCredential, Wants};
pub use settings::HostSettings;
pub use stream::{
    AnswerOutcome, AnswerRefused, Answered, Backpressured, ChannelCommand, ClientCommand, Closed,
    DecisionPrompt, ItemBatch, ItemEncoder, OutboundBatch, OwnerEvent, OwnerFeedItem, Presence, SeatTime,
    Snapshot, StreamHandle, StreamItem, StreamKind, StreamReceiver, ViewerUpdate,
};
pub use tags::{agent_tag, tournament_tag};
pub use tournaments::deal_visibility::{Deals, TableEnd, TableEnds};

use crate::agents::AgentRegistry;
use crate::clock::{Clock, Moment};
use crate::identity::{Generation, Owner, VerifiedSeatToken};
use crate::persistence::PayloadCodec;
use crate::shard::house_bots::{self, BotPool};
use crate::shard::table_message::{Change, ReplyTo, TableMessage};
use crate::shard::{Shard, ShardMessage};
use crate::stream::queue::{QueueLimits, StreamQueue};
use crate::stream::registry::StreamRegistry;
use crate::table::{DecisionAnswer, IdempotencyKey, TableSummary};
use quota::Quota;

/// The forms that are not the host's: how items go over the wire, and how payloads of the API are stored.
#[derive(Clone, Copy)]
pub struct Codecs {
    /// Encodes stream items.
    pub items: &'static dyn ItemEncoder,
    /// Encodes and decodes payloads in stored messages.
    pub payloads: &'static dyn PayloadCodec,
}

/// How many messages may wait for a shard. Whoever sends another waits.
const INBOX: usize = 4096;

/// How long after a start nobody counts as away: so long everyone has to come back.
const COME_BACK: Duration = Duration::from_secs(30);

/// What the parts of a host share.
struct Shared {
    codecs: Codecs,
    log: Arc<dyn Log>,
    clock: Arc<dyn Clock>,
    bots: BotPool,
    quota: Quota,
    deals: Deals,
    agents: AgentRegistry,
    attachments: AtomicU64,
    /// Nobody is let in any more.
    stopping: AtomicBool,
    streams: Arc<StreamRegistry>,
    /// All that was accepted is durable: whoever follows the life of tables comes back later.
    stopped: CancellationToken,
    /// Before this moment nobody counts as away.
    away_from: Moment,
    idle: Duration,
    table_queue: usize,
    streaming: QueueLimits,
    channels_per_stream: u32,
}

/// The ways to all shards. The shards end with the last of these: they have none themselves.
#[derive(Clone)]
struct Shards(Arc<[ShardSender]>);

impl Shards {
    /// The number of the shard that has the table.
    fn number(&self, table: TableId) -> usize {
        shard_number(table, self.0.len())
    }

    /// Tells the shard of a table something. BlockedOn while it has too much to do.
    async fn send(&self, table: TableId, message: ShardMessage) -> Result<(), HostError> {
        self.0[self.number(table)].send(message).await.map_err(|_| HostError::Stopping)
    }

    /// Asks tables for something, in this order. BlockedOn while their shards have too much to do.
    async fn ask_all(&self, asks: Vec<(TableId, TableMessage)>) {
        for (table, ask) in asks {
            // A shard ends with the host, and then nobody waits for an answer.
            let _ = self.send(table, ShardMessage::Table(table, ask)).await;
        }
    }

    /// Asks a table for something, unless its shard has too much to do: then it is given back.
    fn try_ask(&self, table: TableId, ask: TableMessage) -> Result<(), (TableId, TableMessage)> {
        match self.0[self.number(table)].try_send(ShardMessage::Table(table, ask)) {
            Err(TrySendError::Full(ShardMessage::Table(table, ask))) => Err((table, ask)),
            // A shard ends with the host, and then nobody waits for an answer.
            _ => Ok(()),
        }
    }
}

/// The way to a shard.
type ShardSender = mpsc::Sender<ShardMessage>;

fn shard_number(table: TableId, shards: usize) -> usize {
    // The end of a name is random.
    usize::from(table.as_bytes()[15]) % shards
}

/// All tables, and those who play and watch them. Clones are the same host; it ends with the last of them.
#[derive(Clone)]
pub struct Host {
    shared: Arc<Shared>,
    shards: Shards,
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Host")
    }
}

/// A player sits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Joined {
    /// Where.
    pub seat: Seat,
    /// Which generation of the seat's token is good.
    pub generation: Generation,
    /// The table now.
    pub look: TableSummary,
}

impl Host {
    /// Starts a host on what the log has: tables in play go on, those at rest wake when their clock says so.
    pub async fn start(
        log: Arc<dyn Log>,
        clock: Arc<dyn Clock>,
        settings: &HostSettings,
        codecs: Codecs,
    ) -> Result<Host, HostError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // One for every second core: the others have enough to do with streams and the log, and what moves between a shard
        // and a stream on another core has to move between their caches.
        let (shards, inboxes): (Vec<_>, Vec<_>) =
            (0..cores.div_ceil(2)).map(|_| mpsc::channel(INBOX)).unzip();
        let agents = AgentRegistry::start(log.clone(), clock.clone(), &settings.agents).await?;
        let shared = Arc::new(Shared {
            codecs,
            away_from: clock.now() + COME_BACK,
            agents,
            log,
            clock,
            bots: start_bots(&shards, settings)?,
            quota: Quota::default(),
            deals: Deals::default(),
            attachments: AtomicU64::new(1),
            stopping: AtomicBool::new(false),
            streams: Arc::default(),
            stopped: CancellationToken::new(),
            idle: settings.idle_timeout,
            table_queue: settings.table_queue,
            streaming: QueueLimits {
                items: settings.stream_queue,
                message: settings.batch_bytes,
                kind: StreamKind::Client,
                encoder: codecs.items,
            },
            channels_per_stream: settings.channels_per_stream,
        });
        let shards = Shards(shards.into());
        let start_up = shared.log.load_startup_state().await?;
        // Whoever runs the tournaments comes later, and until then nothing of them is shown.
        start_up.tournaments.iter().for_each(|tournament| shared.deals.open(*tournament));
        let (now, now_ms) = (shared.clock.now(), shared.clock.now_ms());
        let mut all: Vec<Shard> =
            inboxes.into_iter().map(|inbox| Shard::new(shared.clone(), inbox)).collect();
        for table in start_up.in_play {
            all[shards.number(table)].wake_at(now, table);
        }
        for (Millis(at), table) in start_up.waking {
            let moment = now + Duration::from_millis(at.saturating_sub(now_ms));
            all[shards.number(table)].wake_at(moment, table);
        }
        for (number, shard) in all.into_iter().enumerate() {
            tokio::spawn(shard.run(number).instrument(info_span!("shard", number)));
        }
        retention::start(&shared, settings.keep_finished);
        Ok(Host { shared, shards })
    }

    /// Lets nobody in any more, waits until all that was accepted is durable, and tells all streams to come back.
    pub async fn stop(&self) {
        self.shared.stopping.store(true, Ordering::Relaxed);
        let mut stopped = Vec::new();
        for shard in self.shards.0.iter() {
            let (to, answer) = oneshot::channel();
            if shard.send(ShardMessage::Stop(to)).await.is_ok() {
                stopped.push(answer);
            }
        }
        for answer in stopped {
            // A shard that has ended has nothing on its way.
            let _ = answer.await;
        }
        self.shared.streams.end_all();
        self.shared.stopped.cancel();
    }

    /// Makes a house bot fail at a decision, as if it had panicked.
    #[cfg(feature = "test-hooks")]
    pub async fn fail_house_bot(&self, table: TableId, seat: Seat, decision: table::DecisionId) {
        let chosen = Err(parlor_bots::BotError::Panicked);
        let failed = house_bots::BotMove { table, seat, decision, chosen };
        // A shard ends with the host, and then no bot can fail.
        let _ = self.shards.send(table, ShardMessage::Bot(failed)).await;
    }

    /// The codec of payloads in stored messages.
    pub(crate) fn payload_codec(&self) -> &'static dyn PayloadCodec {
        self.shared.codecs.payloads
    }

    fn going(&self) -> Result<(), HostError> {
        if self.shared.stopping.load(Ordering::Relaxed) { Err(HostError::Stopping) } else { Ok(()) }
    }

    /// Asks a table, and waits for the answer.
    async fn ask<T>(
        &self,
        table: TableId,
        ask: impl FnOnce(ReplyTo<T>) -> TableMessage,
    ) -> Result<T, HostError> {
        self.going()?;
        let (to, answer) = oneshot::channel();
        self.shards.send(table, ShardMessage::Table(table, ask(to))).await?;
        answer.await.unwrap_or(Err(HostError::Stopping))
    }

    /// BlockedOn for so long, by the host's clock.
    pub async fn wait(&self, time: Duration) {
        let clock = &self.shared.clock;
        clock.sleep_until(clock.now() + time).await;
    }

    /// The agents that the host knows.
    #[must_use]
    pub fn agents(&self) -> &AgentRegistry {
        &self.shared.agents
    }

    /// A table, whether it is in memory, at rest or over.
    pub async fn look(&self, table: TableId) -> Result<TableSummary, HostError> {
        self.ask(table, TableMessage::Summary).await.map(|look| self.shown(look))
    }

    /// A table, to somebody who may see it, and as whom.
    pub async fn admit(&self, who: &ViewerCredential) -> Result<(TableSummary, Viewer), HostError> {
        let asking = who.clone();
        let admitted = self.ask(who.table(), |to| TableMessage::Admit { who: asking, to }).await;
        admitted.map(|(look, viewer)| (self.shown(look), viewer))
    }

    /// Fires when all that was accepted is durable, and everything ends.
    #[must_use]
    pub fn stopped(&self) -> CancellationToken {
        self.shared.stopped.clone()
    }

    /// Which deals of tournaments are over.
    #[must_use]
    pub fn deals(&self) -> &Deals {
        &self.shared.deals
    }

    /// The table with the seeds of its deal, if it has one and that is over.
    fn shown(&self, mut look: TableSummary) -> TableSummary {
        if self.shared.deals.check(look.setup.chance.deal()).is_ok() {
            look.reveal_deal();
        }
        look
    }

    /// Lets somebody sit down.
    pub async fn join(&self, table: TableId, mut join: JoinRequest) -> Result<Joined, HostError> {
        if let Some(previous) = join.previous {
            join.joining.previous = Some(self.previous_seat(table, previous).await?);
        }
        let (seat, look) = self.ask(table, |to| TableMessage::Join { join: Box::new(join), to }).await?;
        Ok(Joined { seat, generation: Generation(look.seats[seat.index()].generation), look })
    }

    /// The seat at the table before, whose token this is, if that table has this one as its rematch.
    async fn previous_seat(&self, table: TableId, previous: VerifiedSeatToken) -> Result<Seat, HostError> {
        let (before, _) = self.admit(&ViewerCredential::Seat(previous)).await?;
        if before.rematch == Some(table) { Ok(previous.seat()) } else { Err(HostError::NotFound { table }) }
    }

    async fn change(&self, table: TableId, behalf: Actor, change: Change) -> Result<TableSummary, HostError> {
        self.ask(table, |to| TableMessage::Change { behalf, change, to }).await
    }

    /// Lets a house bot take over a seat for good.
    pub async fn replace(
        &self,
        table: TableId,
        behalf: Actor,
        seat: Seat,
        bot: String,
        request: Option<IdempotencyKey>,
    ) -> Result<TableSummary, HostError> {
        self.change(table, behalf, Change::Replace { seat, bot, request }).await
    }

    /// Gives a seat up. Doing it again is harmless.
    pub async fn resign(&self, table: TableId, behalf: Actor, seat: Seat) -> Result<(), HostError> {
        self.change(table, behalf, Change::Resign { seat }).await.map(|_| ())
    }

    /// The agent of a seat is set aside and cannot play it: it plays defaults to the end, and ranks last. Doing it again
    /// is harmless.
    pub async fn set_aside_seat(&self, table: TableId, seat: Seat) -> Result<TableSummary, HostError> {
        self.change(table, Actor::Admin, Change::SetAside { seat }).await
    }

    /// Ends a table without a score. Doing it again is harmless.
    pub async fn cancel(
        &self,
        table: TableId,
        behalf: Actor,
        note: String,
    ) -> Result<TableSummary, HostError> {
        self.change(table, behalf, Change::Cancel { note }).await
    }

    /// Makes the token of a seat anew, and says which generation is good now.
    pub async fn reissue(
        &self,
        table: TableId,
        behalf: Actor,
        seat: Seat,
        request: Option<IdempotencyKey>,
    ) -> Result<Generation, HostError> {
        let look = self.change(table, behalf, Change::Reissue { seat, request }).await?;
        Ok(Generation(look.seats[seat.index()].generation))
    }

    /// Which generation of the tokens for spectators is good, after those given before were revoked, if they are to be.
    pub async fn spectators(
        &self,
        table: TableId,
        behalf: Actor,
        revoke: bool,
    ) -> Result<Generation, HostError> {
        let look = if revoke {
            self.change(table, behalf, Change::RevokeSpectators).await?
        } else {
            let look = self.look(table).await?;
            authorization::AccessCheck::from(&look).may_change(&behalf, None)?;
            look
        };
        Ok(Generation(look.spectators))
    }

    /// Deletes a table that is over, with all that is stored of it.
    pub async fn delete(&self, table: TableId, behalf: Actor) -> Result<(), HostError> {
        let look = self.look(table).await?;
        authorization::AccessCheck::from(&look).may_change(&behalf, None)?;
        if !look.state.is_over() {
            return Err(HostError::NotOver { table });
        }
        let owner = OwnerId::new(&look.setup.owner)?;
        let feed = vec![NewFeedItem {
            owner,
            payload: persistence::encode_news(table, &OwnerEvent::Deleted, self.shared.codecs.payloads),
        }];
        self.shared.log.delete(Delete { table, at: Millis(self.shared.clock.now_ms()), feed }).await?;
        self.shards.send(table, ShardMessage::Deleted(table)).await
    }

    /// Takes the answer of a seat.
    pub async fn act(
        &self,
        pass: VerifiedSeatToken,
        answering: DecisionAnswer,
    ) -> Result<Answered, HostError> {
        self.ask(pass.table(), |to| TableMessage::Act { pass, answering, to }).await
    }

    /// A stream for one client: what the client says, and what it is told.
    pub fn open_stream(&self) -> Result<(StreamHandle, StreamReceiver), HostError> {
        self.open(StreamKind::Client)
    }

    fn open(&self, kind: StreamKind) -> Result<(StreamHandle, StreamReceiver), HostError> {
        self.going()?;
        let out = StreamQueue::new(QueueLimits { kind, ..self.shared.streaming });
        Ok((
            StreamHandle::new(self.clone(), out.clone()),
            StreamReceiver::new(out, self.shared.streams.clone()),
        ))
    }

    /// The life of all tables of an owner, after this number; without one, from now on.
    pub async fn news(&self, owner: &Owner, after: Option<u64>) -> Result<OwnerFeed, HostError> {
        self.going()?;
        let stopped = self.shared.stopped.clone();
        let codec = self.shared.codecs.payloads;
        OwnerFeed::new(self.shared.log.clone(), codec, stopped, OwnerId::new(owner.as_str())?, after).await
    }
}

/// Starts the threads of the house bots. What they decide goes to the shard of the table, while there is one.
fn start_bots(shards: &[mpsc::Sender<ShardMessage>], settings: &HostSettings) -> Result<BotPool, HostError> {
    let shards: Vec<mpsc::WeakSender<ShardMessage>> = shards.iter().map(mpsc::Sender::downgrade).collect();
    let done = move |moved: house_bots::BotMove| {
        if let Some(shard) = shards[shard_number(moved.table, shards.len())].upgrade() {
            // A shard ends with the host, and then nobody waits for the bot.
            let _ = shard.blocking_send(ShardMessage::Bot(moved));
        }
    };
    BotPool::start(&settings.bots, done)
        .map_err(|error| HostError::Fault { what: format!("no threads for the house bots: {error}") })
}

/// What the log knows the request of a client by.
pub(crate) fn client_request(request: &IdempotencyKey) -> String {
    format!("c:{}", request.id)
}

/// What the log knows the rematch of a table by. No client can choose it.
fn rematch_request(table: TableId) -> String {
    format!("r:{table}")
}
