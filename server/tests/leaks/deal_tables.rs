//! Tables of a tournament whose deals are not over: nothing that anybody but the organiser is told of one of them, and no
//! refusal, depends on which deal it plays. A player who could match the tables of a deal could remember its cards.
//!
//! Two tables of different deals are over while a second table of one of the deals is being played. Every call is made
//! about both, and the answers must be the same bytes, but for the ids and the results of the tables.

use std::sync::Arc;

use parlor_host::clock::ManualClock;
use parlor_proto::v1::agent_service_client::AgentServiceClient;
use parlor_proto::v1::play_service_client::PlayServiceClient;
use parlor_proto::v1::record_service_client::RecordServiceClient;
use parlor_proto::v1::stream_item::Item;
use parlor_proto::v1::table_service_client::TableServiceClient;
use parlor_proto::v1::tournament_service_client::TournamentServiceClient;
use parlor_proto::v1::{self, entrant_setup::Entrant};
use parlor_server::transport::RunningServer;
use parlor_store::MemoryLog;
use parlor_testkit::with_timeout;
use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Response, Status, Streaming};

use crate::server::{CHANNEL, Route, ServerFactory, with_key};

/// The number of deals, each of two tables.
const DEALS: u32 = 3;

/// An answer as text for a failed comparison, and as bytes. Ids of tables are replaced in both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Told {
    pub(crate) call: &'static str,
    pub(crate) text: String,
    pub(crate) bytes: Vec<u8>,
}

/// The answer of a call about a table, without its id.
pub(crate) fn told<M: Message + std::fmt::Debug>(
    call: &'static str,
    table: &str,
    answer: Result<M, Status>,
) -> Told {
    let (text, bytes) = match answer {
        Ok(message) => (format!("{message:?}"), message.encode_to_vec()),
        Err(status) => (
            format!(
                "{:?}: {}, {}",
                status.code(),
                status.message(),
                String::from_utf8_lossy(status.details())
            ),
            [status.code().description().as_bytes(), status.message().as_bytes(), status.details()].concat(),
        ),
    };
    let blank = "-".repeat(table.len());
    Told {
        call,
        text: text.replace(table, &blank),
        bytes: replaced(&bytes, table.as_bytes(), blank.as_bytes()),
    }
}

/// The bytes with every occurrence of `from` replaced by `to`, which is as long.
pub(crate) fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut start = 0;
    while let Some(found) = bytes[start..].windows(from.len()).position(|part| part == from) {
        bytes[start + found..start + found + to.len()].copy_from_slice(to);
        start += found + to.len();
    }
    bytes
}

/// A server with a tournament that has one table running and a table of each of its deals over.
struct DealtTournament {
    /// The key of the agent, which is not the organiser's.
    entrant: String,
    tournament: String,
    /// Tables of different deals that are over.
    over: Vec<String>,
    running: String,
    channel: Channel,
    _agent: AgentStream,
    _server: RunningServer,
}

impl DealtTournament {
    async fn new() -> DealtTournament {
        let factory = ServerFactory::new(Route::Memory);
        let (server, channel) = factory.start(Arc::new(MemoryLog::new()), &ManualClock::new()).await;
        let (organiser, entrant) = (factory.owner_header(), factory.guest_header());
        let hello = v1::AgentHello { name: "ann".to_owned(), ..v1::AgentHello::default() };
        let mut agent = AgentStream::connect(&channel, &entrant, hello).await;
        let mut tournaments = TournamentServiceClient::new(channel.clone());
        let created = tournaments.create_tournament(with_key(create(), &organiser));
        let created = with_timeout(created).await.expect("a tournament").into_inner();
        let tournament = created.tournament.expect("a tournament").tournament_id;
        let start = v1::StartTournamentRequest { tournament_id: tournament.clone(), ..Default::default() };
        with_timeout(tournaments.start_tournament(with_key(start, &organiser))).await.expect("a start");
        let mut over = Vec::new();
        for _ in 0..DEALS {
            over.push(agent.play_table().await);
        }
        let running = agent.next_table().await;
        DealtTournament { entrant, tournament, over, running, channel, _agent: agent, _server: server }
    }

    /// Everything that this caller is told about a table of the tournament.
    async fn told_of(&self, table: &str, key: &str) -> Vec<Told> {
        let mut told = self.told_of_record(table, key).await;
        told.extend(self.told_of_changes(table, key).await);
        told.extend(self.told_of_streams(table, key).await);
        told
    }

    async fn told_of_record(&self, table: &str, key: &str) -> Vec<Told> {
        let mut records = RecordServiceClient::new(self.channel.clone());
        let mut all = Vec::new();
        let spectator = v1::Viewer { viewer: Some(v1::viewer::Viewer::Spectator(v1::Spectator {})) };
        let seat = v1::Viewer { viewer: Some(v1::viewer::Viewer::Seat(1)) };
        for viewer in [None, Some(spectator), Some(seat)] {
            let asked = v1::GetRecordRequest { table_id: table.to_owned(), viewer, ..Default::default() };
            let answer = with_timeout(records.get_record(with_key(asked, key))).await;
            all.push(told("GetRecord", table, answer.map(Response::into_inner)));
            let asked = v1::ReplayRequest { table_id: table.to_owned(), viewer, ..Default::default() };
            let answer = with_timeout(records.replay(with_key(asked, key))).await;
            all.push(told("Replay", table, first(answer).await));
        }
        all
    }

    async fn told_of_changes(&self, table: &str, key: &str) -> Vec<Told> {
        let mut tables = TableServiceClient::new(self.channel.clone());
        let mut all = Vec::new();
        let table_id = table.to_owned();
        macro_rules! tell {
            ($call:ident, $request:expr) => {
                let answer = with_timeout(tables.$call(with_key($request, key))).await;
                all.push(told(stringify!($call), table, answer.map(Response::into_inner)));
            };
        }
        let asked = v1::GetTableRequest { table_id: table_id.clone(), ..Default::default() };
        let answer = with_timeout(tables.get_table(with_key(asked, key))).await.map(|response| {
            let mut shown = response.into_inner().table.expect("a table");
            // The points depend on the cards, and are known to the players; who begins is drawn for each deal.
            shown.result.iter_mut().for_each(|result| result.seats.clear());
            shown.seats.clear();
            shown
        });
        all.push(told("get_table", table, answer));
        tell!(join_table, v1::JoinTableRequest { table_id: table_id.clone(), ..Default::default() });
        tell!(rematch, v1::RematchRequest { table_id: table_id.clone(), ..Default::default() });
        let house_bot = Some(v1::HouseBotSeat { name: "random".to_owned() });
        let replace =
            v1::ReplaceSeatRequest { table_id: table_id.clone(), seat: 0, house_bot, ..Default::default() };
        tell!(replace_seat, replace);
        tell!(
            reissue_seat_token,
            v1::ReissueSeatTokenRequest { table_id: table_id.clone(), ..Default::default() }
        );
        tell!(
            create_spectator_token,
            v1::CreateSpectatorTokenRequest { table_id: table_id.clone(), ..Default::default() }
        );
        let at = v1::SeatAtTable { table_id: table_id.clone(), seat: 0 };
        tell!(
            resign_seat,
            v1::ResignSeatRequest { seat: Some(v1::resign_seat_request::Seat::SeatAtTable(at)) }
        );
        tell!(cancel_table, v1::CancelTableRequest { table_id: table_id.clone(), ..Default::default() });
        tell!(delete_table, v1::DeleteTableRequest { table_id });
        all
    }

    /// Items that an attaching spectator gets: over Follow and over Play.
    async fn told_of_streams(&self, table: &str, key: &str) -> Vec<Told> {
        let mut play = PlayServiceClient::new(self.channel.clone());
        let viewer = Some(v1::attach::Viewer::TableId(table.to_owned()));
        let attach = v1::Attach { viewer, ..v1::Attach::default() };
        let channels = vec![v1::FollowChannel { channel: CHANNEL, attach: Some(attach.clone()) }];
        let follow =
            with_timeout(play.follow(with_key(v1::FollowRequest { channels, heartbeat_ms: None }, key)))
                .await;
        let (requests, receiver) = mpsc::channel(1);
        let item = Some(v1::play_request_item::Item::Attach(attach));
        let items = vec![v1::PlayRequestItem { channel: CHANNEL, item }];
        requests.send(v1::PlayRequest { items }).await.expect("an open stream");
        let played = with_timeout(play.play(with_key(ReceiverStream::new(receiver), key))).await;
        vec![told("Follow", table, first(follow).await), told("Play", table, first(played).await)]
    }

    /// The tournament as a caller sees it: its state, standings, tables, records and export.
    async fn told_of_tournament(&self, key: &str) -> Vec<String> {
        let mut tournaments = TournamentServiceClient::new(self.channel.clone());
        let mut records = RecordServiceClient::new(self.channel.clone());
        let tournament_id = self.tournament.clone();
        let listed =
            v1::ListTournamentTablesRequest { tournament_id: tournament_id.clone(), ..Default::default() };
        let listed = with_timeout(tournaments.list_tournament_tables(with_key(listed, key))).await;
        let of_tournament =
            v1::ListRecordsRequest { tournament_id: tournament_id.clone(), ..Default::default() };
        let of_tournament = with_timeout(records.list_records(with_key(of_tournament, key))).await;
        let exported = v1::ExportRecordsRequest { tournament_id: tournament_id.clone(), viewer: None };
        let exported = with_timeout(records.export_records(with_key(exported, key))).await;
        let standings = v1::GetStandingsRequest { tournament_id, history: true };
        let standings = with_timeout(tournaments.get_standings(with_key(standings, key))).await;
        vec![
            format!("{:?}", listed.expect("a list").into_inner().tables),
            format!("{:?}", of_tournament.expect("a list").into_inner().records),
            format!("{:?}", first(exported).await.ok().map(|message| message.records)),
            format!(
                "{:?}",
                standings.expect("standings").into_inner().standings.map(|all| all.groups_counted)
            ),
        ]
    }
}

/// The first message of a stream; the error of a stream that has none.
pub(crate) async fn first<M>(opened: Result<Response<Streaming<M>>, Status>) -> Result<M, Status> {
    let message = with_timeout(opened?.into_inner().message()).await?;
    message.ok_or_else(|| Status::ok("the stream has ended"))
}

/// A public tournament of the agent and a house bot.
fn create() -> v1::CreateTournamentRequest {
    let agent = v1::AgentSeat { name: "ann".to_owned(), version: String::new() };
    let entrants = [Entrant::Agent(agent), Entrant::HouseBot(v1::HouseBotSeat { name: "random".to_owned() })];
    let format = v1::tournament_setup::Format::RoundRobin(v1::RoundRobinFormat { groups: DEALS });
    let setup = v1::TournamentSetup {
        name: "cup".to_owned(),
        game: "gap".to_owned(),
        entrants: entrants.map(|entrant| v1::EntrantSetup { entrant: Some(entrant) }).to_vec(),
        format: Some(format),
        clock: Some(v1::ClockSettings { decision_ms: Some(0), ..v1::ClockSettings::default() }),
        ..v1::TournamentSetup::default()
    };
    v1::CreateTournamentRequest { setup: Some(setup), ..v1::CreateTournamentRequest::default() }
}

/// The connection of an agent that plays one table at a time.
pub(crate) struct AgentStream {
    requests: mpsc::Sender<v1::ConnectRequest>,
    responses: Streaming<v1::ConnectResponse>,
    received: std::collections::VecDeque<(u32, Item)>,
}

impl AgentStream {
    /// Connects an agent that plays GAP.
    pub(crate) async fn connect(channel: &Channel, key: &str, hello: v1::AgentHello) -> AgentStream {
        let hello =
            v1::AgentHello { version: "1".to_owned(), games: vec!["gap".to_owned()], max_tables: 1, ..hello };
        let (requests, receiver) = mpsc::channel(16);
        let first = v1::ConnectRequest { hello: Some(hello), items: Vec::new() };
        requests.send(first).await.expect("an open stream");
        let connected = AgentServiceClient::new(channel.clone())
            .connect(with_key(ReceiverStream::new(receiver), key))
            .await;
        let mut responses = connected.expect("a stream").into_inner();
        with_timeout(responses.message()).await.expect("an open stream").expect("a welcome");
        AgentStream { requests, responses, received: Default::default() }
    }

    pub(crate) async fn next(&mut self) -> (u32, Item) {
        loop {
            if let Some(item) = self.received.pop_front() {
                return item;
            }
            let message =
                with_timeout(self.responses.message()).await.expect("an open stream").expect("a message");
            let items = message.items.into_iter().filter_map(|item| Some((item.channel, item.item?)));
            self.received.extend(items);
        }
    }

    pub(crate) async fn send(&mut self, channel: u32, item: v1::play_request_item::Item) {
        let items = vec![v1::PlayRequestItem { channel, item: Some(item) }];
        self.requests.send(v1::ConnectRequest { hello: None, items }).await.expect("an open stream");
    }

    /// The table at which the agent is seated next.
    async fn next_table(&mut self) -> String {
        loop {
            if let (_, Item::SeatGiven(given)) = self.next().await {
                return given.table_id;
            }
        }
    }

    /// Plays the next table to its end, and returns its id.
    async fn play_table(&mut self) -> String {
        let table = self.next_table().await;
        loop {
            match self.next().await {
                (channel, Item::Decision(decision)) => {
                    let choice = Some(v1::answer::Choice::Index(0));
                    let answer = v1::Answer { decision_id: decision.id, choice, think_ms: None };
                    self.send(channel, v1::play_request_item::Item::Answer(answer)).await;
                }
                (_, Item::Closed(_)) => return table,
                _ => {}
            }
        }
    }
}

/// The first call whose answers differ between two tables.
pub(crate) fn difference(one: &[Told], other: &[Told]) -> Option<String> {
    assert_eq!(one.len(), other.len());
    let differs = one.iter().zip(other).find(|(one, other)| one != other);
    differs.map(|(one, other)| format!("{}: {}\nor {}", one.call, one.text, other.text))
}

#[tokio::test]
async fn tables_of_open_deals_cannot_be_matched() {
    let played = DealtTournament::new().await;
    // The export has its manifest alone.
    let nothing = ["[]", "[]", "Some([])", "Some(0)"].map(str::to_owned);
    assert_eq!(played.told_of_tournament(&played.entrant).await, nothing);
    let mut all = Vec::new();
    for table in &played.over {
        all.push(played.told_of(table, &played.entrant).await);
    }
    for other in &all[1..] {
        assert_eq!(difference(&all[0], other), None);
    }
    // As the reason of a status, or of a closed channel.
    let is_refused =
        |told: &&Told| ["DEAL_NOT_OVER", "DealNotOver"].iter().any(|why| told.text.contains(why));
    let refused = all[0].iter().filter(is_refused).count();
    assert_eq!(refused, 8, "records and replays for three viewers, and two streams");
    // The running table plays one of the deals, and says as little.
    let running = played.told_of_streams(&played.running, &played.entrant).await;
    assert_eq!(difference(&running, &played.told_of_streams(&played.over[0], &played.entrant).await), None);
}

#[tokio::test]
async fn planted_number_of_a_deal_is_detected() {
    let tell = |number: u32| {
        let refused = Status::failed_precondition(format!("deal {number} is still being played"));
        vec![told::<v1::Table>("GetRecord", "table", Err(refused))]
    };
    assert_eq!(difference(&tell(1), &tell(1)), None);
    assert!(difference(&tell(1), &tell(2)).is_some());
}
