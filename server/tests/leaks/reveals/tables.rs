//! Tables: what is told while seats reveal their entropy.

use std::sync::Arc;

use parlor_host::clock::ManualClock;
use parlor_proto::v1;
use parlor_proto::v1::play_service_client::PlayServiceClient;
use parlor_proto::v1::record_service_client::RecordServiceClient;
use parlor_proto::v1::stream_item::Item;
use parlor_proto::v1::table_service_client::TableServiceClient;
use parlor_server::TableId;
use parlor_server::transport::RunningServer;
use parlor_store::MemoryLog;
use parlor_testkit::with_timeout;
use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Response, Streaming};

use super::{HIDDEN, Hidden, Transcript, assert_same, commitment};
use crate::deal_tables::{Told, first, told};
use crate::server::{Route, ServerFactory, with_key};

/// Entropy of the seats whose viewers are compared.
const KNOWN: [Hidden; 2] = [[5; 32], [6; 32]];
/// A channel that is never attached: its answer comes after everything sent before.
const FENCE: u32 = 9;

/// A table of three seats that have committed, the first of them to the hidden entropy, and its clients.
struct StartingTable {
    id: String,
    tokens: Vec<String>,
    owner: String,
    guest: String,
    channel: Channel,
    requests: mpsc::Sender<v1::PlayRequest>,
    responses: Streaming<v1::PlayResponse>,
    /// Streams that stay open, as presence is told to others.
    open: Vec<Streaming<v1::FollowResponse>>,
    transcript: Transcript,
    _server: RunningServer,
}

impl StartingTable {
    async fn new(factory: &ServerFactory, hidden: Hidden) -> StartingTable {
        let (server, channel) = factory.start(Arc::new(MemoryLog::new()), &ManualClock::new()).await;
        let (owner, guest) = (factory.owner_header(), factory.guest_header());
        let mut tables = TableServiceClient::new(channel.clone());
        let open = v1::seat_setup::Occupant::Open(v1::OpenSeat {});
        let seats = vec![v1::SeatSetup { occupant: Some(open) }; 3];
        let visibility = v1::Visibility::Public.into();
        let asked =
            v1::CreateTableRequest { game: "gap".to_owned(), seats, visibility, ..Default::default() };
        let created = with_timeout(tables.create_table(with_key(asked, &owner))).await.expect("a table");
        let created = created.into_inner().table.expect("a table");
        let (id, shuffle) = (created.table_id, created.shuffle.expect("a shuffle"));
        let mut transcript = Transcript { told: Vec::new(), public: vec![shuffle.commitment] };
        let mut tokens = Vec::new();
        let table = id.parse::<TableId>().expect("an id");
        for entropy in [hidden, KNOWN[0], KNOWN[1]] {
            let commitment = commitment("parlor entropy commitment v1", table.as_bytes(), &entropy);
            transcript.public.push(commitment.clone());
            let asked = v1::JoinTableRequest {
                table_id: id.clone(),
                entropy_commitment: commitment,
                ..Default::default()
            };
            let joined = with_timeout(tables.join_table(with_key(asked, &owner))).await.expect("a seat");
            let joined = joined.into_inner();
            tokens.push(joined.seat_token.clone());
            transcript.public.push(joined.seat_token.clone().into_bytes());
            transcript.told.push(told("JoinTable", &id, Ok(joined)));
        }
        let (requests, receiver) = mpsc::channel(16);
        let mut play = PlayServiceClient::new(channel.clone());
        let opened = with_timeout(play.play(with_key(ReceiverStream::new(receiver), &guest))).await;
        let responses = opened.expect("a stream").into_inner();
        let starting = StartingTable {
            id,
            tokens,
            owner,
            guest,
            channel,
            requests,
            responses,
            open: Vec::new(),
            transcript,
            _server: server,
        };
        for (channel, attach) in starting.attaches(Some(0)) {
            starting.send(channel, v1::play_request_item::Item::Attach(attach)).await;
        }
        starting
    }

    /// Every seat and a spectator, on channels from 1.
    fn attaches(&self, after: Option<u32>) -> Vec<(u32, v1::Attach)> {
        let seats = self.tokens.iter().cloned().map(v1::attach::Viewer::SeatToken);
        let all = seats.chain([v1::attach::Viewer::TableId(self.id.clone())]);
        let attach = |viewer| v1::Attach { viewer: Some(viewer), after, ..v1::Attach::default() };
        (1..).zip(all.map(attach)).collect()
    }

    async fn send(&self, channel: u32, item: v1::play_request_item::Item) {
        let items = vec![v1::PlayRequestItem { channel, item: Some(item) }];
        self.requests.send(v1::PlayRequest { items }).await.expect("an open stream");
    }

    async fn reveal(&self, seat: usize, entropy: &[u8]) -> Told {
        let mut play = PlayServiceClient::new(self.channel.clone());
        let reveal =
            v1::RevealEntropyRequest { seat_token: self.tokens[seat].clone(), entropy: entropy.to_vec() };
        let answer = with_timeout(play.reveal_entropy(with_key(reveal, &self.guest))).await;
        told("RevealEntropy", &self.id, answer.map(Response::into_inner))
    }

    /// Adds everything that anybody is told now.
    async fn observe(&mut self) {
        self.observe_tables().await;
        self.observe_play().await;
        self.observe_follow().await;
        // The same guess at both servers: at one of them it is what the first seat has committed to.
        for seat in [1, 2] {
            let told = self.reveal(seat, &HIDDEN[0]).await;
            self.transcript.told.push(told);
        }
        let told = self.reveal(0, &[9; 32]).await;
        self.transcript.told.push(told);
    }

    async fn observe_tables(&mut self) {
        let mut tables = TableServiceClient::new(self.channel.clone());
        let mut records = RecordServiceClient::new(self.channel.clone());
        let (id, tokens) = (self.id.clone(), self.tokens.clone());
        let mut tell = |answer| self.transcript.told.push(answer);
        for key in [&self.owner, &self.guest] {
            for token in tokens.iter().cloned().chain([String::new()]) {
                let texts = v1::Language::English.into();
                let asked = v1::GetTableRequest { table_id: id.clone(), token, texts };
                let answer = with_timeout(tables.get_table(with_key(asked, key))).await;
                tell(told("GetTable", &id, answer.map(Response::into_inner)));
            }
            let answer = with_timeout(tables.list_tables(with_key(Default::default(), key))).await;
            tell(told("ListTables", &id, answer.map(Response::into_inner)));
            let asked = v1::FollowTablesRequest { after: Some(0), turns: true };
            let answer = with_timeout(tables.follow_tables(with_key(asked, key))).await;
            // A stranger has no tables, and is told so.
            tell(told("FollowTables", &id, first(answer).await));
            let asked = v1::JoinTableRequest { table_id: id.clone(), ..Default::default() };
            let answer = with_timeout(tables.join_table(with_key(asked, key))).await;
            tell(told("JoinTable", &id, answer.map(Response::into_inner)));
            let asked = v1::GetRecordRequest { table_id: id.clone(), ..Default::default() };
            let answer = with_timeout(records.get_record(with_key(asked, key))).await;
            tell(told("GetRecord", &id, answer.map(Response::into_inner)));
            let asked = v1::ReplayRequest { table_id: id.clone(), ..Default::default() };
            let answer = with_timeout(records.replay(with_key(asked, key))).await;
            tell(told("Replay", &id, first(answer).await));
        }
        let seat = Some(v1::resign_seat_request::Seat::SeatToken(tokens[1].clone()));
        let answer = tables.resign_seat(with_key(v1::ResignSeatRequest { seat }, &self.guest));
        tell(told("ResignSeat", &id, with_timeout(answer).await.map(Response::into_inner)));
    }

    /// Messages since then on the stream of all seats and the spectator.
    async fn observe_play(&mut self) {
        self.send(FENCE, v1::play_request_item::Item::Detach(v1::Detach {})).await;
        let mut is_complete = false;
        while !is_complete {
            let message = with_timeout(self.responses.message()).await.expect("a message");
            for item in message.expect("an open stream").items {
                is_complete |= item.channel == FENCE;
                self.tell_item("Play", item);
            }
        }
    }

    /// The messages of a second client of everybody.
    async fn observe_follow(&mut self) {
        let channels = self.attaches(None).into_iter();
        let channels: Vec<v1::FollowChannel> =
            channels.map(|(channel, attach)| v1::FollowChannel { channel, attach: Some(attach) }).collect();
        let mut missing = channels.len();
        let mut play = PlayServiceClient::new(self.channel.clone());
        let follow = with_key(v1::FollowRequest { channels, heartbeat_ms: None }, &self.guest);
        let mut stream = with_timeout(play.follow(follow)).await.expect("a stream").into_inner();
        while missing > 0 {
            let message = with_timeout(stream.message()).await.expect("a message").expect("an open stream");
            for item in message.items {
                missing -= usize::from(matches!(item.item, Some(Item::Snapshot(_))));
                self.tell_item("Follow", item);
            }
        }
        self.open.push(stream);
    }

    /// Adds an item, unless it tells who is connected: that depends on when streams are opened.
    fn tell_item(&mut self, call: &'static str, item: v1::StreamItem) {
        if !matches!(item.item, Some(Item::Presence(_) | Item::TimeLeft(_))) {
            self.transcript.told.push(told(call, &self.id, Ok(item)));
        }
    }

    /// Cancels the table; returns the seeds that it then shows.
    async fn cancel(&mut self) -> v1::FairShuffle {
        let mut tables = TableServiceClient::new(self.channel.clone());
        let asked = v1::CancelTableRequest { table_id: self.id.clone(), note: String::new() };
        let over = with_timeout(tables.cancel_table(with_key(asked, &self.owner))).await.expect("a table");
        let over = over.into_inner();
        let shuffle = over.table.clone().and_then(|table| table.shuffle).expect("a shuffle");
        self.transcript.told.push(told("CancelTable", &self.id, Ok(over)));
        shuffle
    }
}

#[tokio::test]
async fn reveals_at_a_table_are_told_to_nobody_before_the_start() {
    let factory = ServerFactory::new(Route::Memory);
    let mut tables = Vec::new();
    for hidden in HIDDEN {
        let mut table = StartingTable::new(&factory, hidden).await;
        // Nobody has revealed; the first seat has; two of three have.
        table.observe().await;
        table.reveal(0, &hidden).await;
        table.observe().await;
        table.reveal(1, &KNOWN[0]).await;
        table.observe().await;
        let secrets = [hidden, KNOWN[0], KNOWN[1]];
        assert_eq!(secrets.map(|secret| table.transcript.find(&secret)), [None; 3]);
        tables.push(table);
    }
    assert_same(&tables[0].transcript, &tables[1].transcript);
    assert!(tables[0].transcript.told.len() > 75, "too little for a meaningful test");
    for (table, hidden) in tables.iter_mut().zip(HIDDEN) {
        table.reveal(2, &KNOWN[1]).await;
        table.observe().await;
        for secret in [hidden, KNOWN[0], KNOWN[1]] {
            assert!(table.transcript.find(&secret).is_some(), "shown by the start");
        }
        check_seeds(table).await;
    }
}

/// A table that is cancelled before all have revealed shows its own seed, and nobody's entropy.
#[tokio::test]
async fn cancelled_starting_table_shows_no_entropy() {
    let mut table = StartingTable::new(&ServerFactory::new(Route::Memory), HIDDEN[0]).await;
    table.reveal(0, &HIDDEN[0]).await;
    table.observe().await;
    let shuffle = table.cancel().await;
    assert_eq!(table.transcript.find(&shuffle.server_seed), Some("CancelTable"));
    table.observe().await;
    assert_eq!(table.transcript.find(&HIDDEN[0]), None);
}

/// Nobody was told a seed before the table is over, and everybody is then.
async fn check_seeds(table: &mut StartingTable) {
    let before = table.transcript.told.len();
    let shuffle = table.cancel().await;
    let after = table.transcript.told.split_off(before);
    for seed in [&shuffle.server_seed, &shuffle.game_seed] {
        assert_eq!((seed.len(), table.transcript.find(seed)), (32, None));
    }
    table.transcript.told = after;
    table.observe().await;
    for seed in [&shuffle.server_seed, &shuffle.game_seed] {
        assert!(table.transcript.find(seed).is_some(), "the search finds what is shown");
    }
}

/// A server that tells a seat's reveal in any form is detected.
#[test]
fn planted_reveal_is_detected() {
    let shown = |hidden: &[u8]| {
        let seat = v1::SeatEntropy { entropy: hidden.to_vec(), ..v1::SeatEntropy::default() };
        Transcript { told: vec![told("GetTable", "table", Ok(seat))], public: Vec::new() }
    };
    assert_eq!(shown(&HIDDEN[0]).find(&HIDDEN[0]), Some("GetTable"));
    assert_eq!(shown(&HIDDEN[0]).find(&HIDDEN[1]), None);
    let same = std::panic::catch_unwind(|| assert_same(&shown(&HIDDEN[0]), &shown(&HIDDEN[1])));
    assert!(same.is_err(), "a difference");
    assert!(v1::SeatEntropy::default().encode_to_vec().is_empty());
}
