//! Spectators: their number at a table, and what they are told when players come and go.

use parlor_proto::v1::{self, ErrorReason as Reason, stream_item::Item};
use parlor_server::config::Count;
use parlor_server::identity::Scope;

use crate::streams::{ALL_WANTS, PlayStream, attach_item, detach_item, play_seat, spectate, with_wants};
use crate::table_requests::gap;
use crate::test_server::{TestServer, api_key};

/// Spectators of one table, and those of them from one caller, by default.
const MAX_SPECTATORS: u32 = 1_000;
const MAX_SPECTATORS_OF_CALLER: u32 = 100;

#[tokio::test]
async fn spectators_of_a_table_are_limited() {
    let as_many = Count::new(MAX_SPECTATORS);
    let server = TestServer::with_settings(|settings| settings.limits.spectators_per_caller = as_many).await;
    let client = server.client();
    let id = client.new_table(gap(2)).await;
    let mut stream = PlayStream::open(&client).await;
    stream.send((0..MAX_SPECTATORS).map(|channel| attach_item(channel, spectate(&id))).collect()).await;
    for channel in 0..MAX_SPECTATORS {
        stream.reader.snapshot(channel).await;
    }
    let mut other = PlayStream::open_attached(&client, 1, spectate(&id)).await;
    let refused = other.reader.closed(1).await;
    assert_eq!((refused.reason(), refused.retry), (Reason::TooManyStreams, false));
    assert_eq!(
        refused.message,
        "this table has its 1000 spectators: come back when one has left, or read the record when it is over"
    );
    // A spectator who attaches again keeps the place, and one who leaves makes room.
    stream.send(vec![attach_item(7, spectate(&id)), detach_item(8)]).await;
    stream.reader.snapshot(7).await;
    stream.reader.closed(8).await;
    other.send(vec![attach_item(1, spectate(&id))]).await;
    other.reader.snapshot(1).await;
}

#[tokio::test]
async fn one_caller_cannot_take_the_places_of_all_spectators() {
    let anna = api_key("anna", &[Scope::Tables, Scope::Play]);
    let server = TestServer::with_keys([&anna]).await;
    let id = server.client_with_key(&anna).new_table(v1::CreateTableRequest { chance: None, ..gap(2) }).await;
    let mut streams = Vec::new();
    for client in [server.client(), server.client_with_key(&anna)] {
        let mut stream = PlayStream::open(&client).await;
        stream
            .send((0..=MAX_SPECTATORS_OF_CALLER).map(|channel| attach_item(channel, spectate(&id))).collect())
            .await;
        for channel in 0..MAX_SPECTATORS_OF_CALLER {
            stream.reader.snapshot(channel).await;
        }
        let refused = stream.reader.closed(MAX_SPECTATORS_OF_CALLER).await;
        assert_eq!(refused.reason(), Reason::TooManyStreams);
        assert_eq!(refused.message, "your spectators of one table are limited to 100: end one first");
        // Its spectators stay while the next caller attaches.
        streams.push(stream);
    }
}

#[tokio::test]
async fn presence_of_a_seat_that_comes_and_goes_is_told_once() {
    const TIMES: u32 = 500;
    let server = TestServer::new().await;
    let client = server.client();
    let seated = server.new_seated_table(gap(2)).await;
    let watching = with_wants(ALL_WANTS, spectate(&seated.id));
    let mut spectator = PlayStream::open_attached(&client, 1, watching).await;
    spectator.reader.snapshot(1).await;
    let mut seat = PlayStream::open(&client).await;
    let lean = v1::Wants { time_left: Some(false), ..ALL_WANTS };
    let attach = attach_item(0, with_wants(lean, play_seat(&seated.tokens[0])));
    let come_and_go = (0..TIMES).flat_map(|_| [attach.clone(), detach_item(0)]);
    stream_all(&mut seat, come_and_go.chain([attach.clone()]).collect()).await;
    for _ in 0..TIMES {
        while !matches!(seat.reader.next_on(0).await, Item::Closed(_)) {}
    }
    seat.reader.decision(0).await;
    // The other seat is the last to come.
    let _other = PlayStream::open_attached(&client, 1, play_seat(&seated.tokens[1])).await;
    let mut told = 0;
    while spectator.reader.presence(1).await.seat != 1 {
        told += 1;
    }
    assert!((1..=TIMES / 2).contains(&told), "told {told} times");
}

/// Sends items in as few messages as possible.
async fn stream_all(stream: &mut PlayStream, items: Vec<v1::PlayRequestItem>) {
    for items in items.chunks(1024) {
        stream.send(items.to_vec()).await;
    }
}
