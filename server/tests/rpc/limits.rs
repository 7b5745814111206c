//! Limits of streams and messages: malformed, truncated and oversized messages, items per message, channels
//! per stream, streams per connection, and batch sizes.

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
    transport::Channel,
};

use crate::client::{RpcError, error_reason};
use crate::players::WANT_VIEWS;
use crate::streams::{
    PlayStream, answer_index, answer_item, attach_item, detach_item, open_follow, play_seat, request_item,
    resume_after, spectate, with_wants,
};
use crate::table_requests::{gap, table};
use crate::test_server::{TestServer, connect, with_timeout};

/// A codec whose messages are raw bytes.
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

/// Sends these bytes as the only request message of a call, and returns the first response message.
async fn send(channel: &Channel, method: &'static str, bytes: Vec<u8>) -> Result<Vec<u8>, Status> {
    let mut client = tonic::client::Grpc::new(channel.clone());
    with_timeout(client.ready()).await.expect("a connection");
    let path = PathAndQuery::from_static(method);
    let mut answers = with_timeout(client.streaming(Request::new(tokio_stream::once(bytes)), path, Raw))
        .await?
        .into_inner();
    with_timeout(answers.message()).await.map(Option::unwrap_or_default)
}

const CREATE: &str = "/parlor.v1.TableService/CreateTable";
const PLAY: &str = "/parlor.v1.PlayService/Play";

#[tokio::test]
async fn malformed_messages_are_refused_and_unknown_fields_ignored() {
    let server = TestServer::new().await;
    let channel = connect(&server.url()).await;
    let whole = gap(2).encode_to_vec();
    let truncated = whole[..whole.len() - 5].to_vec();
    for method in [CREATE, PLAY] {
        for bytes in [truncated.clone(), vec![0xff; 40], vec![0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]] {
            let status = send(&channel, method, bytes).await.expect_err("a malformed message");
            assert!(matches!(status.code(), Code::Internal | Code::InvalidArgument), "{method}: {status:?}");
        }
    }
    // A field of a later version is ignored: number 2000, with the value 1.
    let newer = [whole.clone(), vec![0x80, 0x7d, 0x01]].concat();
    for bytes in [whole, newer] {
        let made = send(&channel, CREATE, bytes).await.expect("a table");
        let made = v1::CreateTableResponse::decode(made.as_slice()).expect("a message");
        assert_eq!(made.table.expect("a table").seats.len(), 2);
    }
}

#[tokio::test]
async fn truncated_http1_request_does_not_succeed() {
    let server = TestServer::new().await;
    let address = server.url().replace("http://", "");
    // The frame announces 100 bytes, of which 10 are sent.
    let body = [&[0, 0, 0, 0, 100][..], &[8; 10]].concat();
    for announced in [body.len(), 105] {
        let mut stream = with_timeout(tokio::net::TcpStream::connect(&address)).await.unwrap();
        let head = format!(
            "POST {CREATE} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/grpc-web+proto\r\n\
             connection: close\r\ncontent-length: {announced}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(&body).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = Vec::new();
        // The server may answer with an error or close the connection, but must not report success.
        let _ended = with_timeout(stream.read_to_end(&mut answer)).await;
        let answer = String::from_utf8_lossy(&answer).to_lowercase();
        assert!(!answer.contains("grpc-status:0") && !answer.contains("grpc-status: 0"), "{answer}");
    }
    assert!(server.client().create_table(gap(2)).await.is_ok());
}

#[tokio::test]
async fn oversized_message_is_refused_and_ends_its_stream() {
    let server = TestServer::with_settings(|settings| {
        settings.limits.message_bytes = Size::from_kib(64);
        settings.limits.batch_bytes = Size::from_kib(64);
    })
    .await;
    let client = server.client();
    let large = v1::CancelTableRequest { note: "x".repeat(70_000), ..crate::table_requests::cancel("x") };
    let refused = client.cancel_table(large).await.expect_err("an oversized message");
    assert_eq!((refused.reason, refused.metadata["most"].as_str()), (Reason::MessageTooLarge, "65536"));
    let seated = server.new_seated_table(gap(2)).await;
    let mut stream = PlayStream::open_attached(&client, 1, play_seat(&seated.tokens[0])).await;
    stream.reader.decision(1).await;
    stream.send(vec![attach_item(2, play_seat(&"x".repeat(70_000)))]).await;
    let refused = stream.reader.ending().await.expect_err("the end of the stream");
    assert_eq!(refused.reason, Reason::MessageTooLarge);
}

#[tokio::test]
async fn items_per_message_are_limited() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut stream = PlayStream::open(&client).await;
    stream.send((0..1024).map(detach_item).collect()).await;
    for _ in 0..1024 {
        let (_, item) = stream.reader.next().await;
        assert!(matches!(item, Item::Closed(closed) if closed.reason() == Reason::Protocol));
    }
    stream.send((0..1025).map(detach_item).collect()).await;
    let refused = stream.reader.ending().await.expect_err("too many items");
    assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["items".to_owned()]));
}

#[tokio::test]
async fn protocol_errors_close_their_channel_only() {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(gap(2)).await;
    let mut stream = PlayStream::open_attached(&server.client(), 1, play_seat(&seated.tokens[0])).await;
    let decision = stream.reader.decision(1).await;
    let refused = stream.answer(2, answer_index(1, 0)).await;
    assert_eq!(refused.status(), v1::AnswerStatus::Refused);
    assert_eq!(refused.refusal.expect("a reason").reason(), Reason::Protocol, "no attached channel");
    stream.send(vec![detach_item(3)]).await;
    assert_eq!(stream.reader.closed(3).await.reason(), Reason::Protocol);
    stream.send(vec![v1::PlayRequestItem { channel: 4, item: None }]).await;
    assert_eq!(stream.reader.closed(4).await.reason(), Reason::InvalidField);
    stream.send(vec![request_item(5, v1::play_request_item::Item::Attach(v1::Attach::default()))]).await;
    assert_eq!(stream.reader.closed(5).await.reason(), Reason::InvalidField);
    stream
        .send(vec![attach_item(6, spectate(&seated.id)), detach_item(6), answer_item(6, answer_index(1, 0))])
        .await;
    assert_eq!(stream.reader.closed(6).await.reason(), Reason::Unspecified, "closed by request");
    assert_eq!(stream.reader.answered(6).await.refusal.expect("a reason").reason(), Reason::Protocol);
    let unreadable = v1::PlayRequestItem { channel: 7, item: None };
    stream
        .send(vec![attach_item(7, spectate(&seated.id)), unreadable, answer_item(7, answer_index(1, 0))])
        .await;
    assert_eq!(stream.reader.closed(7).await.reason(), Reason::InvalidField);
    let late = stream.reader.answered(7).await.refusal.expect("a reason");
    assert_eq!(late.reason(), Reason::Protocol, "the channel was closed before the answer");
    let accepted = stream.answer(1, answer_index(decision.id, 0)).await;
    assert_eq!(accepted.status(), v1::AnswerStatus::Accepted, "other channels are unaffected");
}

#[tokio::test]
async fn channels_per_stream_are_limited() {
    let server =
        TestServer::with_settings(|settings| settings.limits.channels_per_stream = Count::new(2)).await;
    let client = server.client();
    let id = client.new_table(gap(2)).await;
    let mut stream = PlayStream::open(&client).await;
    stream.send((1..=3).map(|channel| attach_item(channel, resume_after(0, spectate(&id)))).collect()).await;
    let closed = stream.reader.closed(3).await;
    assert_eq!((closed.reason(), closed.retry), (Reason::TooManyStreams, false));
    // Attaching a channel again does not count twice, and detaching makes room.
    stream.send(vec![attach_item(2, spectate(&id))]).await;
    stream.reader.snapshot(2).await;
    stream.send(vec![detach_item(1), attach_item(3, spectate(&id))]).await;
    stream.reader.closed(1).await;
    stream.reader.snapshot(3).await;
}

#[tokio::test]
async fn streams_per_connection_are_limited() {
    let server =
        TestServer::with_settings(|settings| settings.limits.streams_per_connection = Count::new(2)).await;
    let client = server.client();
    let one = PlayStream::open(&client).await;
    let _two = PlayStream::open(&client).await;
    assert_eq!(error_reason(PlayStream::try_open(&client).await), Reason::TooManyStreams);
    assert!(
        PlayStream::try_open(&server.client_on_new_connection().await).await.is_ok(),
        "another connection"
    );
    drop(one);
    crate::test_server::wait_until("room", async || PlayStream::try_open(&client).await.is_ok()).await;
}

#[tokio::test]
async fn follow_takes_1_to_64_channels() {
    let server = TestServer::new().await;
    let client = server.client();
    let id = client.new_table(gap(2)).await;
    let parts = |error: RpcError| (error.reason, error.fields);
    let field = |name: &str| (Reason::InvalidField, vec![name.to_owned()]);
    let error =
        |result: Result<crate::streams::StreamReader, RpcError>| parts(result.err().expect("an error"));
    assert_eq!(error(open_follow(&client, vec![]).await), field("channels"));
    let many = |count: u32| (0..count).map(|channel| (channel, spectate(&id))).collect::<Vec<_>>();
    assert_eq!(error(open_follow(&client, many(65)).await), field("channels"));
    assert_eq!(
        error(open_follow(&client, vec![(1, spectate(&id)), (1, spectate(&id))]).await),
        field("channels[1].channel")
    );
    let nothing = v1::FollowRequest {
        channels: vec![v1::FollowChannel { channel: 1, attach: None }],
        ..v1::FollowRequest::default()
    };
    let status = with_timeout(client.play().follow(nothing)).await.expect_err("a missing attach");
    assert_eq!(parts(RpcError::from_status(&status)), field("channels[0].attach"));
    let mut reader = open_follow(&client, many(64)).await.unwrap();
    for channel in 0..64 {
        reader.snapshot(channel).await;
    }
    // An error of one channel closes that channel only.
    let mut reader = open_follow(&client, vec![(1, play_seat("pls_x")), (2, spectate(&id))]).await.unwrap();
    assert_eq!(reader.closed(1).await.reason(), Reason::TokenInvalid);
    reader.snapshot(2).await;
}

#[tokio::test]
async fn response_messages_are_limited_to_the_batch_size() {
    let server = TestServer::with_settings(|settings| settings.limits.batch_bytes = Size::from_kib(4)).await;
    let played = server.play_to_end(table(GameId::NoDice, 4)).await;
    let request = v1::FollowRequest {
        channels: vec![v1::FollowChannel {
            channel: 1,
            attach: Some(resume_after(0, with_wants(WANT_VIEWS, spectate(&played.id)))),
        }],
        ..v1::FollowRequest::default()
    };
    let mut stream = with_timeout(server.client().play().follow(request)).await.unwrap().into_inner();
    let (mut items, mut messages) = (0, 0);
    while items < played.spectator.updates().count() + 1 {
        let message = with_timeout(stream.message()).await.unwrap().expect("another message");
        let size = message.encoded_len();
        assert!(size <= 4096 || message.items.len() == 1, "{size} bytes in {} items", message.items.len());
        items += message.items.len();
        messages += 1;
    }
    assert!(messages > 3, "{messages} messages");
}

#[tokio::test]
async fn responses_continue_after_the_client_ends_its_requests() {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(gap(2)).await;
    let client = server.client();
    let mut stream = PlayStream::open_attached(&client, 1, play_seat(&seated.tokens[0])).await;
    let decision = stream.reader.decision(1).await;
    stream.end_requests();
    let acted = client
        .act(crate::table_requests::act(&seated.tokens[0], answer_index(decision.id, 0)))
        .await
        .unwrap();
    assert_eq!(stream.reader.update(1).await.number, acted.answered.expect("an answer").number);
    client.cancel_table(crate::table_requests::cancel(&seated.id)).await.unwrap();
    stream.reader.table_over(1).await;
    assert_eq!(stream.reader.closed(1).await.reason(), Reason::Unspecified);
    let ended = tokio::time::timeout(Duration::from_secs(60), stream.reader.ending()).await;
    assert!(matches!(ended, Ok(Ok(None))), "the stream ends with its last channel");
}
