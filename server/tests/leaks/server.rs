//! `TestServer`: a server with one table, and the gRPC clients of its players and viewers.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http_body_util::BodyExt;
use hyper_util::rt::TokioIo;
use parlor_engine::{Seat, Viewer};
use parlor_host::clock::ManualClock;
use parlor_host::persistence::encode_entry;
use parlor_host::placement::{NodeId, NodePlacement, Partition, Placement};
use parlor_host::table::{Entry, Setup};
use parlor_proto::v1;
use parlor_proto::v1::play_service_client::PlayServiceClient;
use parlor_proto::v1::record_service_client::RecordServiceClient;
use parlor_proto::v1::table_service_client::TableServiceClient;
use parlor_server::TableId;
use parlor_server::cluster::ClusterNode;
use parlor_server::config::Settings;
use parlor_server::grpc::convert::ApiCodec;
use parlor_server::identity::{ApiKeys, Generation, KeySet, NewKey, Scope, ServerKey, SigningKeys};
use parlor_server::transport::{AcceptedConnection, RunningServer, Server, ServerDependencies};
use parlor_store::{Append, Listing, Log, LogKind, MemoryLog, Millis, NewPlace, OwnerId};
use parlor_testkit::with_timeout;
use prost::Message;
use tokio::io::DuplexStream;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Request;
use tonic::transport::{Channel, Endpoint, Uri};
use tower::ServiceExt as _;

use crate::model_table::OWNER;

/// Buffer size of an in-memory connection, in bytes.
const DUPLEX_BYTES: usize = 1 << 16;
/// Time after a start of the server in which no seat counts as absent.
const RECONNECT_TIME: Duration = Duration::from_secs(30);
/// The channel on which a viewer plays or watches.
pub(crate) const CHANNEL: u32 = 1;
/// A channel that is never attached: detaching it is answered after everything sent before, which makes it a
/// fence.
const FENCE_CHANNEL: u32 = 99;

/// The keys that the servers of all pairs share, so that their bytes are comparable.
pub(crate) struct ServerFactory {
    owner: NewKey,
    /// A key of somebody else, who does not own the table.
    guest: NewKey,
    server_key: ServerKey,
    route: Route,
}

/// The way from a client to the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Route {
    /// A connection in memory.
    Memory,
    /// A connection over TCP.
    Sockets,
    /// A connection over TCP to another node, which plays and watches over a link.
    OtherNode,
}

impl ServerFactory {
    pub(crate) fn new(route: Route) -> ServerFactory {
        let key = |owner: &str, scopes: &[Scope]| {
            let owner = owner.parse().expect("a valid owner name");
            NewKey::generate(owner, scopes.to_vec(), None, None).expect("randomness")
        };
        ServerFactory {
            owner: key(OWNER, &[Scope::Tables, Scope::Agents]),
            guest: key("guest", &[Scope::Play, Scope::Tables, Scope::Agents]),
            server_key: ServerKey::from_bytes([7; 32]),
            route,
        }
    }

    fn settings(&self) -> Settings {
        let mut settings = Settings { metrics: None, ..Settings::default() };
        settings.listen = SocketAddr::from(([127, 0, 0, 1], 0));
        settings.keys = vec![self.owner.entry.clone(), self.guest.entry.clone()];
        // The clock stands still, so an exhausted rate limit would never recover.
        settings.limits.request_burst = "1000000".parse().expect("a number");
        settings.limits.requests_per_second = "1000000".parse().expect("a number");
        settings
    }

    /// Starts a server on this log.
    pub(crate) async fn start(&self, log: Arc<MemoryLog>, clock: &ManualClock) -> (RunningServer, Channel) {
        let settings = self.settings();
        let parts = self.parts(&settings, log, clock);
        if self.route == Route::Sockets {
            let running = Server::start(&settings, parts).await.expect("a server");
            let channel = connect(&running).await;
            (running, channel)
        } else {
            let (near, far) = mpsc::channel::<AcceptedConnection<DuplexStream>>(1);
            let running = Server::start_on(&settings, parts, ReceiverStream::new(far)).await;
            (running.expect("a server"), connect_in_memory(near).await)
        }
    }

    fn parts(&self, settings: &Settings, log: Arc<MemoryLog>, clock: &ManualClock) -> ServerDependencies {
        ServerDependencies {
            clock: Arc::new(clock.clone()),
            log,
            keys: Arc::new(ApiKeys::new(KeySet::new(settings.keys.clone()).expect("keys"))),
            server_key: self.server_key.clone(),
            signing_keys: Arc::new(SigningKeys::from_bytes([8; 32])),
        }
    }

    /// Starts a node on this log, as one of two that agree on the owner of all tables.
    async fn start_node(
        &self,
        id: &str,
        nodes: &Arc<OneOwner>,
        log: Arc<MemoryLog>,
        clock: &ManualClock,
    ) -> (RunningServer, Channel) {
        let settings = self.settings();
        let id: NodeId = id.parse().expect("a node name");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        if id == nodes.owner {
            let address = listener.local_addr().expect("an address").to_string();
            nodes.address.set(address.into()).expect("one owner");
        }
        let placement = Arc::new(NodeView { me: id.clone(), nodes: nodes.clone() });
        let node = ClusterNode { node: id, placement, listener, tls: None };
        let parts = self.parts(&settings, log, clock);
        let running = Server::start_node(&settings, parts, node).await.expect("a node");
        let channel = connect(&running).await;
        (running, channel)
    }

    /// The `authorization` header of the owner's key.
    pub(crate) fn owner_header(&self) -> String {
        format!("Bearer {}", self.owner.text.reveal())
    }

    /// The `authorization` header of the guest's key.
    pub(crate) fn guest_header(&self) -> String {
        format!("Bearer {}", self.guest.text.reveal())
    }

    /// Starts a server with this table in its log, before the first join.
    pub(crate) async fn serve(&self, setup: Setup) -> TestServer {
        let (log, clock) = (Arc::new(MemoryLog::new()), ManualClock::new());
        let table = setup.table;
        let (mut nodes, mut front) = (None, None);
        if self.route == Route::OtherNode {
            // Started before there is a table, which it never loads.
            let owner = "owner".parse().expect("a node name");
            let all = Arc::new(OneOwner { owner, address: OnceLock::new(), changes: watch::Sender::new(0) });
            front = Some(self.start_node("front", &all, log.clone(), &clock).await);
            nodes = Some(all);
        }
        log.append(create_append(setup)).await.expect("a table");
        let (running, channel) = match &nodes {
            Some(nodes) => self.start_node("owner", nodes, log.clone(), &clock).await,
            None => self.start(log.clone(), &clock).await,
        };
        let (front, front_channel) =
            front.map_or((None, channel.clone()), |(front, channel)| (Some(front), channel));
        // For so long after a start nobody counts as absent, and clocks of absent seats stand still.
        clock.advance(RECONNECT_TIME);
        let tokens = |seat| self.server_key.seat_token(table, seat, Generation(0)).reveal().clone();
        TestServer {
            tokens: Seat::all(parlor_engine::MAX_SEATS as u8).map(tokens).collect(),
            owner: self.owner_header(),
            guest: self.guest_header(),
            table,
            log,
            clock,
            tables: TableServiceClient::new(channel.clone()),
            front_tables: TableServiceClient::new(front_channel.clone()),
            play: PlayServiceClient::new(front_channel),
            records: RecordServiceClient::new(channel.clone()),
            channel,
            is_carried: front.is_some(),
            _running: [Some(running), front],
        }
    }
}

/// Two nodes, one of which owns all tables.
#[derive(Debug)]
struct OneOwner {
    owner: NodeId,
    address: OnceLock<Arc<str>>,
    changes: watch::Sender<u64>,
}

/// The view of one of the nodes.
#[derive(Debug)]
struct NodeView {
    me: NodeId,
    nodes: Arc<OneOwner>,
}

impl NodePlacement for NodeView {
    fn placement(&self, _: Partition) -> Placement {
        if self.me == self.nodes.owner {
            Placement::Local
        } else {
            Placement::Remote(self.nodes.owner.clone())
        }
    }

    fn link_address(&self, _: &NodeId) -> Option<Arc<str>> {
        self.nodes.address.get().cloned()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.nodes.changes.subscribe()
    }
}

/// Connects over TCP.
async fn connect(running: &RunningServer) -> Channel {
    let address = running.address().expect("an address");
    let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("an address");
    with_timeout(endpoint.connect()).await.expect("a connection")
}

/// Connects in memory.
async fn connect_in_memory(near: mpsc::Sender<AcceptedConnection<DuplexStream>>) -> Channel {
    let connector = tower::service_fn(move |_: Uri| {
        let near = near.clone();
        async move {
            let (client, io) = tokio::io::duplex(DUPLEX_BYTES);
            let refused = |_| std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
            near.send(AcceptedConnection { io, address: None }).await.map_err(refused)?;
            Ok::<_, std::io::Error>(TokioIo::new(client))
        }
    });
    let endpoint = Endpoint::from_static("http://in.memory");
    with_timeout(endpoint.connect_with_connector(connector)).await.expect("a connection")
}

/// The append that creates the table.
fn create_append(setup: Setup) -> Append {
    let (created, owner) = (setup.created, OwnerId::new(&setup.owner).expect("a valid owner name"));
    let game = setup.options.game().info().id.to_owned();
    let table = setup.table;
    let entry = encode_entry(created, created, &Entry::Created(Box::new(setup)), &ApiCodec);
    Append {
        listing: Some(Listing {
            kind: LogKind::Table,
            owner,
            game,
            state: 1,
            visibility: 1,
            tags: Vec::new(),
        }),
        place: Some(NewPlace::InPlay),
        ..Append::new(table, 0, Millis(created), vec![entry])
    }
}

/// A server with one table, and its clients.
pub(crate) struct TestServer {
    /// The token of each seat.
    pub(crate) tokens: Vec<String>,
    pub(crate) clock: ManualClock,
    owner: String,
    guest: String,
    table: TableId,
    log: Arc<MemoryLog>,
    tables: TableServiceClient<Channel>,
    /// By the way on which viewers come.
    front_tables: TableServiceClient<Channel>,
    is_carried: bool,
    play: PlayServiceClient<Channel>,
    records: RecordServiceClient<Channel>,
    channel: Channel,
    _running: [Option<RunningServer>; 2],
}

/// A request with this `authorization` header.
pub(crate) fn with_key<T>(message: T, key: &str) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", key.parse().expect("text"));
    request
}

/// All wants.
fn wants() -> v1::Wants {
    v1::Wants {
        events: Some(true),
        update_views: Some(true),
        decision_views: Some(true),
        legal_actions: Some(true),
        rematch: Some(true),
        time_left: Some(true),
        texts: v1::Language::German.into(),
        board: Some(true),
    }
}

impl TestServer {
    pub(crate) fn attach(&self, viewer: Viewer, after: Option<u32>) -> v1::Attach {
        let viewer = match viewer {
            Viewer::Seat(seat) => v1::attach::Viewer::SeatToken(self.tokens[seat.index()].clone()),
            Viewer::Spectator => v1::attach::Viewer::TableId(self.table.to_string()),
        };
        v1::Attach { viewer: Some(viewer), after, wants: Some(wants()) }
    }

    /// Joins a seat, by the owner.
    pub(crate) async fn join(&mut self, seat: Seat) -> v1::JoinTableResponse {
        let asked = v1::JoinTableRequest {
            table_id: self.table.to_string(),
            seat: Some(seat.index() as u32),
            ..Default::default()
        };
        let joined = with_timeout(self.tables.join_table(with_key(asked, &self.owner))).await;
        joined.expect("a free seat").into_inner()
    }

    /// Answers for a seat with Act.
    pub(crate) async fn act(&mut self, seat: Seat, answer: v1::Answer) -> v1::Answered {
        let seat_token = self.tokens[seat.index()].clone();
        let asked = v1::ActRequest { seat_token, answer: Some(answer), reveal_entropy: None };
        let answered = with_timeout(self.play.act(with_key(asked, &self.guest))).await.expect("an answer");
        answered.into_inner().answered.expect("an outcome")
    }

    /// Resigns a seat.
    pub(crate) async fn resign(&mut self, seat: Seat) {
        let token = self.tokens[seat.index()].clone();
        let seat = Some(v1::resign_seat_request::Seat::SeatToken(token));
        let resigned = self.tables.resign_seat(with_key(v1::ResignSeatRequest { seat }, &self.guest));
        with_timeout(resigned).await.expect("a resigned seat");
    }

    /// GetTable by the viewer. The response comes after everything that the table processed before.
    pub(crate) async fn get_table(&mut self, viewer: Viewer) -> v1::GetTableResponse {
        let token = viewer.seat().map(|seat| self.tokens[seat.index()].clone()).unwrap_or_default();
        let texts = v1::Language::English.into();
        let asked = v1::GetTableRequest { table_id: self.table.to_string(), token, texts };
        let response = with_timeout(self.front_tables.get_table(with_key(asked, &self.guest))).await;
        response.expect("a public table").into_inner()
    }

    /// ListTables by a stranger.
    pub(crate) async fn list_tables(&mut self) -> v1::ListTablesResponse {
        let listed = self.tables.list_tables(with_key(v1::ListTablesRequest::default(), &self.guest));
        with_timeout(listed).await.expect("a list").into_inner()
    }

    /// Cancels the table, by the owner.
    pub(crate) async fn cancel(&mut self) {
        let asked = v1::CancelTableRequest { table_id: self.table.to_string(), note: String::new() };
        with_timeout(self.tables.cancel_table(with_key(asked, &self.owner))).await.expect("a running table");
    }

    /// GetRecord of a viewer, by a stranger.
    pub(crate) async fn record(&mut self, viewer: Viewer) -> v1::GetRecordResponse {
        let asked = v1::GetRecordRequest {
            table_id: self.table.to_string(),
            token: String::new(),
            viewer: Some(viewer.into()),
            texts: v1::Language::German.into(),
        };
        with_timeout(self.records.get_record(with_key(asked, &self.guest)))
            .await
            .expect("a record")
            .into_inner()
    }

    /// Replay as a viewer, by a stranger: texts and boards of every step.
    pub(crate) async fn replay(&mut self, viewer: Viewer) -> Vec<v1::ReplayResponse> {
        let asked = v1::ReplayRequest {
            table_id: self.table.to_string(),
            token: String::new(),
            viewer: Some(viewer.into()),
            language: v1::Language::English.into(),
            first_step: 0,
        };
        let stream = with_timeout(self.records.replay(with_key(asked, &self.guest))).await.expect("a replay");
        let steps = stream.into_inner().collect::<Result<_, _>>();
        with_timeout(steps).await.expect("all steps")
    }

    /// The pages of the table, as any browser gets them: path, status, headers without the date, and body.
    pub(crate) async fn pages(&mut self) -> Vec<(String, Vec<u8>)> {
        let mut pages = Vec::new();
        for path in ["t", "watch", "replay"] {
            let url = format!("http://in.memory/{path}/{}", self.table);
            let asked =
                http::Request::get(&url).header("accept", "text/html").body(tonic::body::Body::empty());
            let answered = with_timeout(self.channel.clone().oneshot(asked.expect("a request"))).await;
            let (mut head, body) = answered.expect("a response").into_parts();
            assert_eq!(head.status, 200, "{url}");
            head.headers.remove("date");
            let body = with_timeout(body.collect()).await.expect("a body").to_bytes().to_vec();
            pages.push((format!("{url}: {} {:?}", head.status, head.headers), body));
        }
        pages
    }

    /// All news of FollowTables, encoded.
    pub(crate) async fn news(&mut self) -> Vec<Vec<u8>> {
        let owner = OwnerId::new(OWNER).expect("a valid owner name");
        let last =
            self.log.read_owner_feed(&owner, 0).await.expect("a feed").last().map_or(0, |item| item.number);
        let asked = with_key(v1::FollowTablesRequest { after: Some(0), turns: false }, &self.owner);
        let mut stream = with_timeout(self.tables.follow_tables(asked)).await.expect("a stream").into_inner();
        let mut news = Vec::new();
        while (news.len() as u64) < last {
            let message = with_timeout(stream.message()).await.expect("a message").expect("an open stream");
            news.extend(message.news.iter().map(Message::encode_to_vec));
        }
        news
    }

    /// The first turns of FollowTables, for a table that waits for a seat, by the owner, who might play at the table.
    pub(crate) async fn turns(&mut self) -> v1::FollowTablesResponse {
        let asked = with_key(v1::FollowTablesRequest { after: None, turns: true }, &self.owner);
        let mut stream = with_timeout(self.tables.follow_tables(asked)).await.expect("a stream").into_inner();
        loop {
            let message = with_timeout(stream.message()).await.expect("a message").expect("an open stream");
            if !message.turns.is_empty() {
                return v1::FollowTablesResponse { number: 0, ..message };
            }
        }
    }

    /// Waits until the log of the table has this many entries: timers append asynchronously.
    pub(crate) async fn wait_for_length(&self, length: u64) {
        with_timeout(async {
            loop {
                let entries = self.log.read(self.table, 0).await.expect("a table").len() as u64;
                assert!(entries <= length, "{entries} entries in the log, expected {length}");
                if entries == length {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        })
        .await;
    }

    /// The items of a second client of the viewer that attaches twice: with a snapshot, and resuming after an
    /// update.
    pub(crate) async fn follow_again(
        &mut self,
        viewer: Viewer,
        after: u32,
        last: u32,
        asked: bool,
    ) -> Vec<v1::StreamItem> {
        use v1::stream_item::Item;
        let channels = [None, Some(after)].into_iter().zip(1..);
        let channels = channels.map(|(after, channel)| {
            let attach = Some(self.attach(viewer, after));
            v1::FollowChannel { channel, attach }
        });
        let follow =
            with_key(v1::FollowRequest { channels: channels.collect(), heartbeat_ms: None }, &self.guest);
        let mut stream = with_timeout(self.play.follow(follow)).await.expect("a stream").into_inner();
        let mut items: Vec<v1::StreamItem> = Vec::new();
        let decisions = if asked { 2 } else { 0 };
        let is_complete = |items: &[v1::StreamItem]| {
            let count = |is: fn(&Item) -> bool| {
                items.iter().filter_map(|item| item.item.as_ref()).filter(|item| is(item)).count()
            };
            let updates = count(|item| matches!(item, Item::Update(_)));
            count(|item| matches!(item, Item::Snapshot(_))) == 1
                && updates == last.saturating_sub(after) as usize
                && count(|item| matches!(item, Item::Decision(_))) == decisions
        };
        while !is_complete(&items) {
            let message = with_timeout(stream.message()).await.expect("a message").expect("an open stream");
            items.extend(message.items);
            assert!(items.len() < 10_000, "more items than expected");
        }
        items.sort_by_key(|item| item.channel);
        items
    }

    /// A snapshot for a second client of the viewer.
    pub(crate) async fn snapshot(&mut self, viewer: Viewer) -> v1::Snapshot {
        let attach = Some(self.attach(viewer, None));
        let channels = vec![v1::FollowChannel { channel: CHANNEL, attach }];
        let follow = with_key(v1::FollowRequest { channels, heartbeat_ms: None }, &self.guest);
        let mut stream = with_timeout(self.play.follow(follow)).await.expect("a stream").into_inner();
        loop {
            let message = with_timeout(stream.message()).await.expect("a message").expect("an open stream");
            let snapshot = message.items.into_iter().find_map(|item| match item.item {
                Some(v1::stream_item::Item::Snapshot(snapshot)) => Some(*snapshot),
                _ => None,
            });
            if let Some(snapshot) = snapshot {
                return snapshot;
            }
        }
    }

    /// Opens a Play stream and attaches the viewer.
    pub(crate) async fn open_stream(&mut self, viewer: Viewer) -> ViewerStream {
        let (requests, receiver) = mpsc::channel(16);
        let play = self.play.play(with_key(ReceiverStream::new(receiver), &self.guest));
        let responses = with_timeout(play).await.expect("a stream").into_inner();
        let stream = ViewerStream { requests, responses, is_carried: self.is_carried };
        let attach = v1::play_request_item::Item::Attach(self.attach(viewer, Some(0)));
        stream.send(CHANNEL, attach).await;
        stream
    }
}

/// The Play stream of a viewer.
pub(crate) struct ViewerStream {
    requests: mpsc::Sender<v1::PlayRequest>,
    responses: tonic::Streaming<v1::PlayResponse>,
    is_carried: bool,
}

/// A decision that nobody has. The outcome of an answer to it comes after everything that its node has sent before.
const FENCE_DECISION: u32 = u32::MAX;

impl ViewerStream {
    pub(crate) async fn send(&self, channel: u32, item: v1::play_request_item::Item) {
        let items = vec![v1::PlayRequestItem { channel, item: Some(item) }];
        self.requests.send(v1::PlayRequest { items }).await.expect("an open stream");
    }

    /// All items that the server has sent so far.
    pub(crate) async fn items(&mut self) -> Vec<v1::StreamItem> {
        if !self.is_carried {
            self.send(FENCE_CHANNEL, v1::play_request_item::Item::Detach(v1::Detach {})).await;
            return self.items_until(|item| item.channel == FENCE_CHANNEL).await;
        }
        let choice = Some(v1::answer::Choice::Index(0));
        let answer = v1::Answer { decision_id: FENCE_DECISION, choice, think_ms: None };
        self.send(CHANNEL, v1::play_request_item::Item::Answer(answer)).await;
        let is_fence = |item: &v1::StreamItem| matches!(&item.item, Some(v1::stream_item::Item::Answered(answered)) if answered.decision_id == FENCE_DECISION);
        let mut items = self.items_until(is_fence).await;
        items.retain(|item| !is_fence(item));
        items
    }

    /// Items up to the message with an item that passes.
    pub(crate) async fn items_until(
        &mut self,
        is_last: impl Fn(&v1::StreamItem) -> bool,
    ) -> Vec<v1::StreamItem> {
        let mut items: Vec<v1::StreamItem> = Vec::new();
        while !items.iter().any(&is_last) {
            let message =
                with_timeout(self.responses.message()).await.expect("a message").expect("an open stream");
            assert_eq!(message.ending, None);
            items.extend(message.items);
        }
        items
    }
}
