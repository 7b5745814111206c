//! A server with one table, over gRPC, and the clients of those who play and watch there.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::TokioIo;
use parlor_engine::{Seat, Viewer};
use parlor_proto::v1;
use parlor_proto::v1::play_service_client::PlayServiceClient;
use parlor_proto::v1::record_service_client::RecordServiceClient;
use parlor_proto::v1::table_service_client::TableServiceClient;
use parlor_server::TableId;
use parlor_server::clock::ManualClock;
use parlor_server::config::Settings;
use parlor_server::identity::{Generation, KeySet, Keys, NewKey, Scope, ServerKey};
use parlor_server::log::{Append, Kind, Listing, Log, MemoryLog, Millis, NewPlace, OwnerId};
use parlor_server::serve::{Accepted, Parts, Running, Server};
use parlor_server::stored::encode_entry;
use parlor_server::table::{Entry, Setup};
use prost::Message;
use tokio::io::DuplexStream;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Request;
use tonic::transport::{Channel, Endpoint, Uri};

use crate::model_table::OWNER;

/// How long anything may take on a slow machine with other things to do.
const A_MINUTE: Duration = Duration::from_secs(60);
/// How many bytes wait on a connection in memory.
const PIPE: usize = 1 << 16;
/// The channel on which a viewer plays or watches.
pub(crate) const CHANNEL: u32 = 1;
/// A channel that is never attached: detaching it is answered after all that was said before.
const NO_CHANNEL: u32 = 99;

/// The answer, which comes within a minute.
pub(crate) async fn soon<T>(answer: impl Future<Output = T>) -> T {
    tokio::time::timeout(A_MINUTE, answer).await.expect("an answer within a minute")
}

/// What the servers of all twins share, so that their bytes can be compared.
pub(crate) struct House {
    owner: NewKey,
    /// Somebody with a key that opens nothing in particular.
    guest: NewKey,
    server_key: ServerKey,
    /// Whether clients come over TCP, and not by memory.
    sockets: bool,
}

impl House {
    pub(crate) fn new(sockets: bool) -> House {
        let key = |owner: &str, scope| {
            let owner = owner.parse().expect("a name");
            NewKey::generate(owner, vec![scope], None, None).expect("randomness")
        };
        House {
            owner: key(OWNER, Scope::Tables),
            guest: key("guest", Scope::Play),
            server_key: ServerKey::from_bytes([7; 32]),
            sockets,
        }
    }

    fn settings(&self) -> Settings {
        let mut settings = Settings { metrics: None, ..Settings::default() };
        settings.listen = SocketAddr::from(([127, 0, 0, 1], 0));
        settings.keys = vec![self.owner.entry.clone(), self.guest.entry.clone()];
        // The clock stands still, so nobody's rate would ever recover.
        settings.limits.request_burst = "1000000".parse().expect("a number");
        settings.limits.requests_per_second = "1000000".parse().expect("a number");
        settings
    }

    /// A server that finds this table in its log, before anybody has joined.
    pub(crate) async fn serve(&self, setup: Setup) -> Served {
        let (log, clock, settings) = (Arc::new(MemoryLog::new()), ManualClock::new(), self.settings());
        let table = setup.table;
        log.append(creation(setup)).await.expect("a table");
        let parts = Parts {
            clock: Arc::new(clock.clone()),
            log: log.clone(),
            keys: Arc::new(Keys::new(KeySet::new(settings.keys.clone()).expect("keys"))),
            server_key: self.server_key.clone(),
        };
        let (running, channel) = if self.sockets {
            let running = Server::start(&settings, parts).await.expect("a server");
            let address = running.address().expect("an address");
            let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("an address");
            (running, soon(endpoint.connect()).await.expect("a connection"))
        } else {
            let (near, far) = mpsc::channel::<Accepted<DuplexStream>>(1);
            let running = Server::start_on(&settings, parts, ReceiverStream::new(far)).await;
            (running.expect("a server"), connect(near).await)
        };
        let tokens = |seat| self.server_key.seat_token(table, seat, Generation(0)).reveal().clone();
        let bearer = |key: &NewKey| format!("Bearer {}", key.text.reveal());
        Served {
            tokens: Seat::all(parlor_engine::MAX_SEATS as u8).map(tokens).collect(),
            owner: bearer(&self.owner),
            guest: bearer(&self.guest),
            table,
            log,
            clock,
            tables: TableServiceClient::new(channel.clone()),
            play: PlayServiceClient::new(channel.clone()),
            records: RecordServiceClient::new(channel),
            _running: running,
        }
    }
}

/// A connection in memory.
async fn connect(near: mpsc::Sender<Accepted<DuplexStream>>) -> Channel {
    let connector = tower::service_fn(move |_: Uri| {
        let near = near.clone();
        async move {
            let (client, io) = tokio::io::duplex(PIPE);
            let gone = |_| std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
            near.send(Accepted { io, address: None }).await.map_err(gone)?;
            Ok::<_, std::io::Error>(TokioIo::new(client))
        }
    });
    let endpoint = Endpoint::from_static("http://in.memory");
    soon(endpoint.connect_with_connector(connector)).await.expect("a connection")
}

/// The table as the server finds it in its log.
fn creation(setup: Setup) -> Append {
    let (created, owner) = (setup.created, OwnerId::new(&setup.owner).expect("a name"));
    let game = setup.options.game().info().id.to_owned();
    let table = setup.table;
    let entry = encode_entry(created, created, &Entry::Created(Box::new(setup)));
    Append {
        listing: Some(Listing { kind: Kind::Table, owner, game, state: 1, visibility: 1, tags: Vec::new() }),
        place: Some(NewPlace::InPlay),
        ..Append::new(table, 0, Millis(created), vec![entry])
    }
}

/// One server with its table, and its clients.
pub(crate) struct Served {
    /// The token of each seat.
    pub(crate) tokens: Vec<String>,
    pub(crate) clock: ManualClock,
    owner: String,
    guest: String,
    table: TableId,
    log: Arc<MemoryLog>,
    tables: TableServiceClient<Channel>,
    play: PlayServiceClient<Channel>,
    records: RecordServiceClient<Channel>,
    _running: Running,
}

fn with_key<T>(message: T, key: &str) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", key.parse().expect("text"));
    request
}

/// Everything there is.
fn wants() -> v1::Wants {
    v1::Wants {
        events: true,
        update_views: true,
        decision_views: true,
        legal_actions: true,
        rematch: true,
        time_left: true,
    }
}

impl Served {
    pub(crate) fn attach(&self, viewer: Viewer, after: Option<u32>) -> v1::Attach {
        let viewer = match viewer {
            Viewer::Seat(seat) => v1::attach::Viewer::SeatToken(self.tokens[seat.index()].clone()),
            Viewer::Spectator => v1::attach::Viewer::TableId(self.table.to_string()),
        };
        v1::Attach { viewer: Some(viewer), after, wants: Some(wants()) }
    }

    /// A player takes a seat, with the help of the owner.
    pub(crate) async fn join(&mut self, seat: Seat) -> v1::JoinTableResponse {
        let asked = v1::JoinTableRequest {
            table_id: self.table.to_string(),
            seat: Some(seat.index() as u32),
            ..Default::default()
        };
        let joined = soon(self.tables.join_table(with_key(asked, &self.owner))).await;
        joined.expect("a free seat").into_inner()
    }

    /// Answers for a seat, without a stream.
    pub(crate) async fn act(&mut self, seat: Seat, answer: v1::Answer) -> v1::Answered {
        let seat_token = self.tokens[seat.index()].clone();
        let asked = v1::ActRequest { seat_token, answer: Some(answer) };
        let answered = soon(self.play.act(with_key(asked, &self.guest))).await.expect("an answer");
        answered.into_inner().answered.expect("what became of it")
    }

    /// A seat gives up.
    pub(crate) async fn resign(&mut self, seat: Seat) {
        let token = self.tokens[seat.index()].clone();
        let seat = Some(v1::resign_seat_request::Seat::SeatToken(token));
        let resigned = self.tables.resign_seat(with_key(v1::ResignSeatRequest { seat }, &self.guest));
        soon(resigned).await.expect("a seat that can be given up");
    }

    /// The table, as the viewer may look it up. It is answered after all that the table was told before.
    pub(crate) async fn look(&mut self, viewer: Viewer) -> v1::GetTableResponse {
        let token = viewer.seat().map(|seat| self.tokens[seat.index()].clone()).unwrap_or_default();
        let asked = v1::GetTableRequest { table_id: self.table.to_string(), token };
        let looked = soon(self.tables.get_table(with_key(asked, &self.guest))).await;
        looked.expect("a public table").into_inner()
    }

    /// The tables, as anybody may list them.
    pub(crate) async fn list(&mut self) -> v1::ListTablesResponse {
        let listed = self.tables.list_tables(with_key(v1::ListTablesRequest::default(), &self.guest));
        soon(listed).await.expect("a list").into_inner()
    }

    /// The owner calls the table off.
    pub(crate) async fn cancel(&mut self) {
        let asked = v1::CancelTableRequest { table_id: self.table.to_string(), note: String::new() };
        soon(self.tables.cancel_table(with_key(asked, &self.owner))).await.expect("a table that is on");
    }

    /// The record of a viewer, as anybody may ask for it.
    pub(crate) async fn record(&mut self, viewer: Viewer) -> v1::GetRecordResponse {
        let asked = v1::GetRecordRequest {
            table_id: self.table.to_string(),
            token: String::new(),
            viewer: Some(viewer.into()),
        };
        soon(self.records.get_record(with_key(asked, &self.guest))).await.expect("a record").into_inner()
    }

    /// All that the owner was told of the table.
    pub(crate) async fn news(&mut self) -> Vec<Vec<u8>> {
        let owner = OwnerId::new(OWNER).expect("a name");
        let last = self.log.owner_feed(&owner, 0).await.expect("a feed").last().map_or(0, |item| item.number);
        let asked = with_key(v1::FollowTablesRequest { after: Some(0) }, &self.owner);
        let mut stream = soon(self.tables.follow_tables(asked)).await.expect("a stream").into_inner();
        let mut news = Vec::new();
        while (news.len() as u64) < last {
            let message = soon(stream.message()).await.expect("a message").expect("a stream that goes on");
            news.extend(message.news.iter().map(Message::encode_to_vec));
        }
        news
    }

    /// Lets the log grow to this length: what clocks demand takes a moment.
    pub(crate) async fn wait_for(&self, length: u64) {
        soon(async {
            loop {
                let there = self.log.read(self.table, 0).await.expect("a table").len() as u64;
                assert!(there <= length, "{there} entries in the log, where {length} were to come");
                if there == length {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        })
        .await;
    }

    /// What a second client of the viewer is told: where everything stands, and all that it has missed since an update.
    pub(crate) async fn told_again(
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
        let follow = with_key(v1::FollowRequest { channels: channels.collect() }, &self.guest);
        let mut stream = soon(self.play.follow(follow)).await.expect("a stream").into_inner();
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
            let message = soon(stream.message()).await.expect("a message").expect("a stream that goes on");
            items.extend(message.items);
            assert!(items.len() < 10_000, "more than there is to tell");
        }
        items.sort_by_key(|item| item.channel);
        items
    }

    /// Lets the viewer play or watch over a stream.
    pub(crate) async fn watch(&mut self, viewer: Viewer) -> Watching {
        let (says, said) = mpsc::channel(16);
        let hear = self.play.play(with_key(ReceiverStream::new(said), &self.guest));
        let hears = soon(hear).await.expect("a stream").into_inner();
        let watching = Watching { says, hears };
        let attach = v1::play_request_item::Item::Attach(self.attach(viewer, Some(0)));
        watching.say(CHANNEL, attach).await;
        watching
    }
}

/// The stream of a viewer.
pub(crate) struct Watching {
    says: mpsc::Sender<v1::PlayRequest>,
    hears: tonic::Streaming<v1::PlayResponse>,
}

impl Watching {
    pub(crate) async fn say(&self, channel: u32, item: v1::play_request_item::Item) {
        let items = vec![v1::PlayRequestItem { channel, item: Some(item) }];
        self.says.send(v1::PlayRequest { items }).await.expect("a stream that is open");
    }

    /// All that was said until now.
    pub(crate) async fn heard(&mut self) -> Vec<v1::StreamItem> {
        self.say(NO_CHANNEL, v1::play_request_item::Item::Detach(v1::Detach {})).await;
        self.heard_until(|item| item.channel == NO_CHANNEL).await
    }

    /// All that is said, up to this item and what comes with it.
    pub(crate) async fn heard_until(
        &mut self,
        is_due: impl Fn(&v1::StreamItem) -> bool,
    ) -> Vec<v1::StreamItem> {
        let mut items: Vec<v1::StreamItem> = Vec::new();
        while !items.iter().any(&is_due) {
            let message =
                soon(self.hears.message()).await.expect("a message").expect("a stream that goes on");
            assert_eq!(message.ending, None);
            items.extend(message.items);
        }
        items
    }
}
