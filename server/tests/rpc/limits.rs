//! What a client may send and hold: messages that are too large, cut short or out of order, channels, streams, and
//! readers that do not read.

use std::time::Duration;

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason, stream_item::Item};
use parlor_server::config::{Count, Size};
use prost::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tonic::{
    Code, Request, Status,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    codegen::http::uri::PathAndQuery,
    transport::{Channel, Endpoint},
};

use crate::client::{Caller, Refused, why};
use crate::players::VIEWS;
use crate::streams::{
    Line, after, answering, attaching, detaching, follow, index, item, rail, seat, wanting,
};
use crate::table_requests::{gap, house, open, replace, table};
use crate::test_server::{Scene, connect, soon};

/// A codec that sends any bytes as a message.
#[derive(Clone, Copy, Default)]
struct Raw;

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Raw;
    type Decoder = Raw;

    fn encoder(&mut self) -> Raw {
        Raw
    }

    fn decoder(&mut self) -> Raw {
        Raw
    }
}

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        bytes::BufMut::put_slice(buffer, &item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let length = bytes::Buf::remaining(buffer);
        Ok(Some(bytes::Buf::copy_to_bytes(buffer, length).to_vec()))
    }
}

/// Sends these bytes as the only message of a call.
async fn send(channel: &Channel, method: &'static str, bytes: Vec<u8>) -> Result<Vec<u8>, Status> {
    let mut client = tonic::client::Grpc::new(channel.clone());
    soon(client.ready()).await.expect("a connection");
    let path = PathAndQuery::from_static(method);
    let mut answers =
        soon(client.streaming(Request::new(tokio_stream::once(bytes)), path, Raw)).await?.into_inner();
    soon(answers.message()).await.map(Option::unwrap_or_default)
}

const CREATE: &str = "/parlor.v1.TableService/CreateTable";
const PLAY: &str = "/parlor.v1.PlayService/Play";

#[tokio::test]
async fn bytes_that_are_no_message_are_refused() {
    let scene = Scene::new().await;
    let channel = connect(&scene.url()).await;
    let whole = gap(2).encode_to_vec();
    let cut_short = whole[..whole.len() - 5].to_vec();
    for method in [CREATE, PLAY] {
        for bytes in [cut_short.clone(), vec![0xff; 40], vec![0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]] {
            let status = send(&channel, method, bytes).await.expect_err("no message");
            assert!(matches!(status.code(), Code::Internal | Code::InvalidArgument), "{method}: {status:?}");
        }
    }
    // A field of a later version is no trouble: here number 2000, with the value 1.
    let newer = [whole.clone(), vec![0x80, 0x7d, 0x01]].concat();
    for bytes in [whole, newer] {
        let made = send(&channel, CREATE, bytes).await.expect("a table");
        let made = v1::CreateTableResponse::decode(made.as_slice()).expect("a message");
        assert_eq!(made.table.expect("a table").seats.len(), 2);
    }
}

#[tokio::test]
async fn a_request_that_breaks_off_does_no_harm() {
    let scene = Scene::new().await;
    let address = scene.url().replace("http://", "");
    // A message of a hundred bytes, of which ten come.
    let body = [&[0, 0, 0, 0, 100][..], &[8; 10]].concat();
    for announced in [body.len(), 105] {
        let mut stream = soon(tokio::net::TcpStream::connect(&address)).await.unwrap();
        let head = format!(
            "POST {CREATE} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/grpc-web+proto\r\n\
             connection: close\r\ncontent-length: {announced}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(&body).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = Vec::new();
        // Whether the server answers or just ends the connection, it says nothing of success.
        let _ended = soon(stream.read_to_end(&mut answer)).await;
        let answer = String::from_utf8_lossy(&answer).to_lowercase();
        assert!(!answer.contains("grpc-status:0") && !answer.contains("grpc-status: 0"), "{answer}");
    }
    assert!(scene.anyone().create_table(gap(2)).await.is_ok());
}

#[tokio::test]
async fn a_message_that_is_too_large_is_refused_and_its_stream_ends() {
    let scene = Scene::with(|settings| {
        settings.limits.message_bytes = Size::of_kib(64);
        settings.limits.batch_bytes = Size::of_kib(64);
    })
    .await;
    let caller = scene.anyone();
    let large = v1::CancelTableRequest { note: "x".repeat(70_000), ..crate::table_requests::cancel("x") };
    let refused = caller.cancel_table(large).await.expect_err("too large");
    assert_eq!((refused.reason, refused.metadata["most"].as_str()), (Reason::MessageTooLarge, "65536"));
    let seated = scene.seat_all(gap(2)).await;
    let mut line = Line::attached(&caller, 1, seat(&seated.tokens[0])).await;
    line.heard.decision(1).await;
    line.say(vec![attaching(2, seat(&"x".repeat(70_000)))]).await;
    let refused = line.heard.ending().await.expect_err("the stream ends");
    assert_eq!(refused.reason, Reason::MessageTooLarge);
}

#[tokio::test]
async fn a_message_has_so_many_items() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut line = Line::open(&caller).await;
    line.say((0..1024).map(detaching).collect()).await;
    for _ in 0..1024 {
        let (_, item) = line.heard.next().await;
        assert!(matches!(item, Item::Closed(closed) if closed.reason() == Reason::Protocol));
    }
    line.say((0..1025).map(detaching).collect()).await;
    let refused = line.heard.ending().await.expect_err("too many");
    assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["items".to_owned()]));
}

#[tokio::test]
async fn items_out_of_order_close_their_channel_and_no_other() {
    let scene = Scene::new().await;
    let seated = scene.seat_all(gap(2)).await;
    let mut line = Line::attached(&scene.anyone(), 1, seat(&seated.tokens[0])).await;
    let decision = line.heard.decision(1).await;
    let refused = line.answer(2, index(1, 0)).await;
    assert_eq!(refused.status(), v1::AnswerStatus::Refused);
    assert_eq!(refused.refusal.expect("a reason").reason(), Reason::Protocol, "nothing is attached there");
    line.say(vec![detaching(3)]).await;
    assert_eq!(line.heard.closed(3).await.reason(), Reason::Protocol);
    line.say(vec![v1::PlayRequestItem { channel: 4, item: None }]).await;
    assert_eq!(line.heard.closed(4).await.reason(), Reason::InvalidField);
    line.say(vec![item(5, v1::play_request_item::Item::Attach(v1::Attach::default()))]).await;
    assert_eq!(line.heard.closed(5).await.reason(), Reason::InvalidField);
    line.say(vec![attaching(6, rail(&seated.id)), detaching(6), answering(6, index(1, 0))]).await;
    assert_eq!(line.heard.closed(6).await.reason(), Reason::Unspecified, "what it asked for");
    assert_eq!(line.heard.answered(6).await.refusal.expect("a reason").reason(), Reason::Protocol);
    let unreadable = v1::PlayRequestItem { channel: 7, item: None };
    line.say(vec![attaching(7, rail(&seated.id)), unreadable, answering(7, index(1, 0))]).await;
    assert_eq!(line.heard.closed(7).await.reason(), Reason::InvalidField);
    let late = line.heard.answered(7).await.refusal.expect("a reason");
    assert_eq!(late.reason(), Reason::Protocol, "it was attached before it was closed, and not after");
    let accepted = line.answer(1, index(decision.id, 0)).await;
    assert_eq!(accepted.status(), v1::AnswerStatus::Accepted, "the first channel has not noticed any of it");
}

#[tokio::test]
async fn a_stream_has_so_many_channels() {
    let scene = Scene::with(|settings| settings.limits.channels_per_stream = Count::of(2)).await;
    let caller = scene.anyone();
    let id = caller.make(gap(2)).await;
    let mut line = Line::open(&caller).await;
    line.say((1..=3).map(|channel| attaching(channel, after(0, rail(&id)))).collect()).await;
    let closed = line.heard.closed(3).await;
    assert_eq!((closed.reason(), closed.retry), (Reason::TooManyStreams, false));
    // One that is attached anew is no further one, and one that is closed makes room.
    line.say(vec![attaching(2, rail(&id))]).await;
    line.heard.snapshot(2).await;
    line.say(vec![detaching(1), attaching(3, rail(&id))]).await;
    line.heard.closed(1).await;
    line.heard.snapshot(3).await;
}

#[tokio::test]
async fn a_connection_has_so_many_streams() {
    let scene = Scene::with(|settings| settings.limits.streams_per_connection = Count::of(2)).await;
    let caller = scene.anyone();
    let one = Line::open(&caller).await;
    let _two = Line::open(&caller).await;
    assert_eq!(why(Line::try_open(&caller).await), Reason::TooManyStreams);
    assert!(Line::try_open(&scene.stranger().await).await.is_ok(), "another connection");
    drop(one);
    crate::test_server::until("room", async || Line::try_open(&caller).await.is_ok()).await;
}

#[tokio::test]
async fn follow_watches_one_to_64_channels() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let id = caller.make(gap(2)).await;
    let told = |refused: Refused| (refused.reason, refused.fields);
    let field = |name: &str| (Reason::InvalidField, vec![name.to_owned()]);
    let refused = |answer: Result<crate::streams::Heard, Refused>| told(answer.err().expect("not like that"));
    assert_eq!(refused(follow(&caller, vec![]).await), field("channels"));
    let many = |count: u32| (0..count).map(|channel| (channel, rail(&id))).collect::<Vec<_>>();
    assert_eq!(refused(follow(&caller, many(65)).await), field("channels"));
    assert_eq!(
        refused(follow(&caller, vec![(1, rail(&id)), (1, rail(&id))]).await),
        field("channels[1].channel")
    );
    let nothing = v1::FollowRequest { channels: vec![v1::FollowChannel { channel: 1, attach: None }] };
    let status = soon(caller.play().follow(nothing)).await.expect_err("nothing to watch");
    assert_eq!(told(Refused::of(&status)), field("channels[0].attach"));
    let mut heard = follow(&caller, many(64)).await.unwrap();
    for channel in 0..64 {
        heard.snapshot(channel).await;
    }
    // What is wrong with one of them closes that one alone.
    let mut heard = follow(&caller, vec![(1, seat("pls_x")), (2, rail(&id))]).await.unwrap();
    assert_eq!(heard.closed(1).await.reason(), Reason::TokenInvalid);
    heard.snapshot(2).await;
}

#[tokio::test]
async fn messages_are_no_larger_than_a_batch() {
    let scene = Scene::with(|settings| settings.limits.batch_bytes = Size::of_kib(4)).await;
    let played = scene.play_out(table(GameId::NoDice, 4)).await;
    let request = v1::FollowRequest {
        channels: vec![v1::FollowChannel {
            channel: 1,
            attach: Some(after(0, wanting(VIEWS, rail(&played.id)))),
        }],
    };
    let mut stream = soon(scene.anyone().play().follow(request)).await.unwrap().into_inner();
    let (mut items, mut messages) = (0, 0);
    while items < played.spectator.updates().count() + 1 {
        let message = soon(stream.message()).await.unwrap().expect("more of it");
        let size = message.encoded_len();
        assert!(size <= 4096 || message.items.len() == 1, "{size} bytes in {} items", message.items.len());
        items += message.items.len();
        messages += 1;
    }
    assert!(messages > 3, "{messages} messages");
}

/// Somebody on a connection that takes in no more than it must while nobody reads.
async fn narrow(scene: &Scene) -> Caller {
    let endpoint = Endpoint::from_shared(scene.url()).expect("a URL");
    let endpoint = endpoint.initial_stream_window_size(65_535).initial_connection_window_size(65_535);
    let channel = soon(endpoint.connect()).await.expect("a connection");
    Caller::new(channel, None)
}

/// A game of bots, and somebody who watches it, on this stream, without reading; when it is over, the stream is.
async fn sleep_through_a_game(scene: &Scene) -> (String, Line, Reason) {
    let caller = scene.anyone();
    let seats = vec![open(), house("random"), house("random"), house("random")];
    let id = caller.make(v1::CreateTableRequest { seats, ..table(GameId::HabeFertig, 4) }).await;
    let mut line = Line::open(&narrow(scene).await).await;
    let channels = 1..=16_u32;
    line.say(channels.clone().map(|channel| attaching(channel, wanting(VIEWS, rail(&id)))).collect()).await;
    for channel in channels {
        line.heard.snapshot(channel).await;
    }
    caller.replace_seat(replace(&id, 0, "random")).await.expect("a bot");
    crate::test_server::until("the end", async || caller.look(&id).await.result.is_some()).await;
    let ending = line.heard.ending().await.expect("an end in good order").expect("a reason");
    (id, line, ending.reason())
}

/// A server that lets little wait for a reader.
async fn impatient() -> Scene {
    Scene::with(|settings| settings.limits.reader_queue = Count::of(16)).await
}

/// The reason for which somebody who does not read is cut off.
pub(crate) async fn cut_off() -> Reason {
    sleep_through_a_game(&impatient().await).await.2
}

#[tokio::test]
async fn whoever_does_not_read_is_cut_off_and_can_come_back() {
    let scene = impatient().await;
    let caller = scene.anyone();
    let (id, line, reason) = sleep_through_a_game(&scene).await;
    assert_eq!(reason, Reason::TooSlow);
    let seen = line.heard.last_number(1);
    // Nothing is lost.
    let mut line = Line::attached(&caller, 1, after(seen, rail(&id))).await;
    let mut number = seen;
    let closed = loop {
        match line.heard.on(1).await {
            Item::Update(update) => {
                number += 1;
                assert_eq!(update.number, number);
            }
            Item::Closed(closed) => break closed,
            other => panic!("{other:?}"),
        }
    };
    assert!(number > seen, "the client was cut off before the end");
    assert_eq!((closed.reason(), closed.number), (Reason::Unspecified, number));
}

#[tokio::test]
async fn a_client_may_have_said_all_and_go_on_watching() {
    let scene = Scene::new().await;
    let seated = scene.seat_all(gap(2)).await;
    let caller = scene.anyone();
    let mut line = Line::attached(&caller, 1, seat(&seated.tokens[0])).await;
    let decision = line.heard.decision(1).await;
    line.finish();
    let acted =
        caller.act(crate::table_requests::act(&seated.tokens[0], index(decision.id, 0))).await.unwrap();
    assert_eq!(line.heard.update(1).await.number, acted.answered.expect("an answer").number);
    caller.cancel_table(crate::table_requests::cancel(&seated.id)).await.unwrap();
    line.heard.over(1).await;
    assert_eq!(line.heard.closed(1).await.reason(), Reason::Unspecified);
    let ended = tokio::time::timeout(Duration::from_secs(60), line.heard.ending()).await;
    assert!(matches!(ended, Ok(Ok(None))), "the stream ends with its last channel");
}
