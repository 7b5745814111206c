//! Bodies of gRPC requests: the length-prefixed messages of a stream, in chunks of any size.
//!
//! The first byte is the size of the chunks less one, the others are the body.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::{FutureExt, stream};
use http_body_util::StreamBody;
use hyper::body::Frame;
use parlor_proto::codec::EncodedCodec;
use parlor_proto::v1;
use parlor_server::grpc::layer::message_limit::MessageLimitLayer;
use tonic::body::Body;
use tonic::codec::{Codec, Streaming};
use tower::{Layer, ServiceExt, service_fn};

/// Maximum size of a message. Small, so that the fuzzer reaches it.
const MAX_BYTES: usize = 512;

pub(crate) fn run(input: &[u8]) {
    let Some((chunk, body)) = input.split_first() else { return };
    let in_chunks = decode(body, usize::from(*chunk) + 1);
    let at_once = decode(body, body.len().max(1));
    // A later message that is too large fails the chunk that it is in, with the messages before it.
    assert!(in_chunks.starts_with(&at_once), "{in_chunks:?} in chunks, {at_once:?} at once");
}

/// The messages before the end of the body or its first error, decoded as the server does.
fn decode(body: &[u8], chunk: usize) -> Vec<v1::PlayRequest> {
    let frame = |chunk| Ok::<_, Infallible>(Frame::data(Bytes::copy_from_slice(chunk)));
    let frames: Vec<_> = body.chunks(chunk).map(frame).collect();
    let body = Body::new(StreamBody::new(stream::iter(frames)));
    let service = MessageLimitLayer::new(MAX_BYTES).layer(service_fn(read_messages));
    let read = service.oneshot(http::Request::new(body)).now_or_never();
    read.expect("a body that is there").expect("an infallible service")
}

async fn read_messages(request: http::Request<Body>) -> Result<Vec<v1::PlayRequest>, Infallible> {
    let decoder = EncodedCodec::<v1::PlayRequest>::default().decoder();
    let mut requests = Streaming::new_request(decoder, request.into_body(), None, Some(MAX_BYTES));
    let mut messages = Vec::new();
    while let Ok(Some(message)) = requests.message().await {
        messages.push(message);
    }
    Ok(messages)
}
