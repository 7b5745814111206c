//! Limits of readers: items and bytes that wait for a slow one, alone and together with others of its connection and
//! its caller, and what a client may request by attaching again and again.

use futures_util::future::join_all;
use parlor_engine::GameId;
use parlor_host::clock::Moment;
use parlor_proto::v1::{self, ErrorReason as Reason, stream_item::Item};
use parlor_server::config::{Count, Size};
use tonic::transport::Endpoint;

use crate::client::Client;
use crate::players::WANT_VIEWS;
use crate::streams::{
    ALL_WANTS, PlayStream, answer_index, attach_item, detach_item, play_seat, resume_after, spectate,
    with_wants,
};
use crate::table_requests::{gap, house, join, open, replace, table};
use crate::test_server::{TestServer, ms, wait_until, with_timeout};

/// Everything that a client can want of a game.
const EVERYTHING: v1::Wants =
    v1::Wants { texts: v1::Language::German as i32, board: Some(true), rematch: Some(false), ..ALL_WANTS };

/// A client with the smallest HTTP/2 flow-control windows, on a connection of its own.
async fn client_with_small_windows(server: &TestServer) -> Client {
    let endpoint = Endpoint::from_shared(server.url()).expect("a URL");
    let endpoint = endpoint.initial_stream_window_size(65_535).initial_connection_window_size(65_535);
    let channel = with_timeout(endpoint.connect()).await.expect("a connection");
    Client::new(channel, None)
}

/// Creates a table that waits for one player beside three bots.
async fn waiting_table(server: &TestServer) -> String {
    let seats = vec![open(), house("random"), house("random"), house("random")];
    server.client().new_table(v1::CreateTableRequest { seats, ..table(GameId::HabeFertig, 4) }).await
}

/// Opens a stream of this client, on which this many channels watch the table.
async fn watch(client: &Client, id: &str, channels: u32, wants: v1::Wants) -> PlayStream {
    let mut stream = PlayStream::open(client).await;
    let attach = |channel| attach_item(channel, with_wants(wants, spectate(id)));
    stream.send((1..=channels).map(attach).collect()).await;
    for channel in 1..=channels {
        stream.reader.snapshot(channel).await;
    }
    stream
}

/// Lets bots play the game to its end.
async fn play_to_end(server: &TestServer, id: &str) {
    let client = server.client();
    client.replace_seat(replace(id, 0, "random")).await.expect("a bot");
    wait_until("the end", async || client.table(id).await.result.is_some()).await;
}

/// Lets bots play a game while the spectators on a stream do not read it; returns the table, the stream and its ending.
async fn play_past_a_slow_reader(
    server: &TestServer,
    channels: u32,
    wants: v1::Wants,
) -> (String, PlayStream, v1::StreamEnding) {
    let id = waiting_table(server).await;
    let mut stream = watch(&client_with_small_windows(server).await, &id, channels, wants).await;
    play_to_end(server, &id).await;
    let ending = stream.reader.ending().await.expect("a graceful end").expect("a reason");
    (id, stream, ending)
}

/// Asserts that a spectator who resumes gets all updates after those that its first stream has.
async fn assert_resumes_without_loss(server: &TestServer, id: &str, cut_off: &PlayStream, wants: v1::Wants) {
    let last_received = cut_off.reader.last_buffered_number(1);
    let attach = resume_after(last_received, with_wants(wants, spectate(id)));
    let mut stream = PlayStream::open_attached(&server.client(), 1, attach).await;
    let mut number = last_received;
    let closed = loop {
        match stream.reader.next_on(1).await {
            Item::Update(update) => {
                number += 1;
                assert_eq!(update.number, number);
            }
            Item::Closed(closed) => break closed,
            other => panic!("{other:?}"),
        }
    };
    assert!(number > last_received, "the client was cut off before the end");
    assert_eq!((closed.reason(), closed.number), (Reason::Unspecified, number));
}

/// A server with a short queue for each reader.
async fn server_with_short_queues() -> TestServer {
    TestServer::with_settings(|settings| settings.limits.reader_queue = Count::new(16)).await
}

/// A server that queues as many items as can be set.
async fn server_with_long_queues() -> TestServer {
    TestServer::with_settings(|settings| {
        settings.limits.reader_queue = Count::new(65_536);
        settings.limits.spectators_per_caller = Count::new(200);
    })
    .await
}

/// The reason with which the server ends the stream of a slow reader.
pub(crate) async fn slow_reader_reason() -> Reason {
    play_past_a_slow_reader(&server_with_short_queues().await, 16, WANT_VIEWS).await.2.reason()
}

#[tokio::test]
async fn slow_reader_is_cut_off_and_resumes_without_loss() {
    let server = server_with_short_queues().await;
    let (id, stream, ending) = play_past_a_slow_reader(&server, 16, WANT_VIEWS).await;
    assert_eq!(ending.reason(), Reason::TooSlow);
    assert_resumes_without_loss(&server, &id, &stream, WANT_VIEWS).await;
}

#[tokio::test]
async fn unread_stream_is_cut_off_at_its_bytes_and_resumes_without_loss() {
    let server = server_with_long_queues().await;
    let (id, stream, ending) = play_past_a_slow_reader(&server, 200, EVERYTHING).await;
    assert_eq!(ending.reason(), Reason::TooSlow);
    assert!(ending.message.contains("bytes"), "{}", ending.message);
    assert_resumes_without_loss(&server, &id, &stream, EVERYTHING).await;
}

#[tokio::test]
async fn attaches_beyond_the_burst_wait() {
    let server = TestServer::with_settings(|settings| {
        settings.limits.attaches_per_second = Count::new(10);
        settings.limits.attach_burst = Count::new(20);
    })
    .await;
    let client = server.client();
    let id = client.new_table(gap(2)).await;
    let mut stream = PlayStream::open(&client).await;
    stream.send((0..21).map(|channel| attach_item(channel, spectate(&id))).collect()).await;
    for channel in 0..20 {
        stream.reader.snapshot(channel).await;
    }
    // The rate is that of the caller, on all of its streams.
    let mut other =
        PlayStream::open_attached(&server.client_on_new_connection().await, 1, spectate(&id)).await;
    server.advance_to_deadline(ms(100)).await;
    server.advance_to(ms(200));
    stream.reader.snapshot(20).await;
    other.reader.snapshot(1).await;
}

#[tokio::test]
async fn bytes_of_requested_updates_count_as_attaches() {
    let server = TestServer::with_settings(|settings| {
        settings.limits.attaches_per_second = Count::new(10);
        settings.limits.attach_burst = Count::new(20);
    })
    .await;
    let id = waiting_table(&server).await;
    play_to_end(&server, &id).await;
    let mut stream = PlayStream::open(&server.client()).await;
    let attach = resume_after(0, with_wants(EVERYTHING, spectate(&id)));
    stream.send(vec![attach_item(1, attach.clone())]).await;
    while !matches!(stream.reader.next_on(1).await, Item::Closed(_)) {}
    // The game was longer than 20 times 16 KiB.
    stream.send(vec![attach_item(2, attach)]).await;
    let minute = Moment::START + ms(60_000);
    let waits = async || server.clock.next_deadline().is_some_and(|deadline| deadline < minute);
    wait_until("the attach waits", waits).await;
    server.advance_to(ms(60_000));
    while !matches!(stream.reader.next_on(2).await, Item::Closed(_)) {}
}

#[tokio::test]
async fn unread_streams_of_a_connection_are_cut_off_together() {
    let server = TestServer::with_settings(|settings| {
        settings.limits.reader_queue = Count::new(65_536);
        settings.limits.spectators_per_caller = Count::new(200);
        settings.limits.connection_bytes = Size::from_kib(4 * 1024);
    })
    .await;
    let id = waiting_table(&server).await;
    let client = client_with_small_windows(&server).await;
    let mut streams = Vec::new();
    for _ in 0..8 {
        streams.push(watch(&client, &id, 16, EVERYTHING).await);
    }
    let mut reading = watch(&server.client(), &id, 1, EVERYTHING).await;
    play_to_end(&server, &id).await;
    streams.iter_mut().for_each(PlayStream::end_requests);
    // All at a time: what is not read of one takes the window of the connection from the others.
    let endings = join_all(streams.iter_mut().map(|stream| stream.reader.ending())).await;
    let mut messages = Vec::new();
    for ending in endings.into_iter().filter_map(|ending| ending.expect("a graceful end")) {
        assert_eq!(ending.reason(), Reason::TooSlow);
        messages.push(ending.message);
    }
    let of_connection = |message: &String| message.contains("on the streams of this connection");
    assert!(messages.iter().any(of_connection), "{messages:?}");
    reading.reader.table_over(1).await;
    assert_resumes_without_loss(&server, &id, &streams[0], EVERYTHING).await;
}

#[tokio::test]
async fn open_streams_of_a_caller_are_limited_by_their_bytes() {
    let server = TestServer::with_settings(|settings| {
        settings.limits.reader_bytes = Size::from_kib(1024);
        settings.limits.connection_bytes = Size::from_kib(1024);
        settings.limits.caller_bytes = Size::from_kib(1024);
    })
    .await;
    let client = server.client();
    let mut streams = Vec::new();
    for _ in 0..64 {
        streams.push(PlayStream::open(&client).await);
    }
    let refused =
        PlayStream::try_open(&server.client_on_new_connection().await).await.err().expect("a refusal");
    assert_eq!((refused.reason, refused.metadata["most"].as_str()), (Reason::TooManyStreams, "64"));
    streams.pop();
    wait_until("room", async || PlayStream::try_open(&client).await.is_ok()).await;
}

/// A server on which little is sent to a reader before it reads.
async fn server_with_short_catch_ups() -> TestServer {
    TestServer::with_settings(|settings| settings.limits.reader_bytes = Size::from_kib(256)).await
}

/// Number of the last update of a table for spectators.
async fn last_number(server: &TestServer, id: &str) -> u32 {
    let mut stream = PlayStream::open_attached(&server.client(), 1, spectate(id)).await;
    stream.reader.snapshot(1).await.number
}

/// Asserts that the next updates on a channel are those from `first` to `last`.
async fn assert_updates(stream: &mut PlayStream, channel: u32, first: u32, last: u32) {
    for expected in first..=last {
        let number = stream.reader.find(|(on, item)| match item {
            Item::Update(update) if *on == channel => Some(update.number),
            _ => None,
        });
        assert_eq!(number.await, expected);
    }
}

#[tokio::test]
async fn missed_updates_of_a_finished_game_are_sent_as_they_are_read() {
    let server = server_with_short_catch_ups().await;
    let id = waiting_table(&server).await;
    play_to_end(&server, &id).await;
    let mut stream = PlayStream::open(&client_with_small_windows(&server).await).await;
    let attach = resume_after(0, with_wants(EVERYTHING, spectate(&id)));
    stream.send((1..=20).map(|channel| attach_item(channel, attach.clone())).collect()).await;
    let last = last_number(&server, &id).await;
    for channel in 1..=20 {
        assert_updates(&mut stream, channel, 1, last).await;
        assert_eq!(stream.reader.closed(channel).await.number, last);
    }
}

#[tokio::test]
async fn missed_updates_of_a_running_game_are_sent_as_they_are_read_and_live_ones_follow() {
    let server = server_with_short_catch_ups().await;
    let client = server.client();
    let id = waiting_table(&server).await;
    let token = client.join_table(join(&id)).await.expect("a seat").seat_token;
    let mut player = PlayStream::open_attached(&client, 1, play_seat(&token)).await;
    let mut decision = player.reader.decision(1).await;
    for _ in 0..12 {
        player.answer(1, answer_index(decision.id, 0)).await;
        decision = player.reader.decision(1).await;
    }
    let last = last_number(&server, &id).await;
    let attach = resume_after(0, with_wants(EVERYTHING, spectate(&id)));
    let mut stream = PlayStream::open(&client_with_small_windows(&server).await).await;
    stream.send((1..=8).map(|channel| attach_item(channel, attach.clone())).collect()).await;
    // A channel that is closed while it catches up gets nothing more.
    stream.send(vec![detach_item(8)]).await;
    for channel in 1..=7 {
        assert_updates(&mut stream, channel, 1, last).await;
    }
    player.answer(1, answer_index(decision.id, 0)).await;
    for channel in 1..=7 {
        assert_updates(&mut stream, channel, last + 1, last + 1).await;
    }
}
