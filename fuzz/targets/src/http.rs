//! Connections of a whole server: gRPC-Web bodies over HTTP/1.1, and arbitrary bytes.

use std::cell::RefCell;

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::grpc_requests::method;
use crate::server::InMemoryServer;

/// Inputs for one server. The tables that they create are forgotten with it.
const INPUTS_PER_SERVER: u32 = 256;

/// A server and the inputs it is still good for.
struct Fixture {
    server: InMemoryServer,
    inputs_left: u32,
}

thread_local! {
    static FIXTURE: RefCell<Option<Fixture>> = const { RefCell::new(None) };
}

/// Sends bytes to the server of this thread.
fn send(bytes: &[u8]) -> Vec<u8> {
    FIXTURE.with_borrow_mut(|fixture| {
        let current = fixture.get_or_insert_with(|| Fixture {
            server: InMemoryServer::start(),
            inputs_left: INPUTS_PER_SERVER,
        });
        let answer = current.server.send(bytes);
        current.inputs_left -= 1;
        if current.inputs_left == 0 {
            *fixture = None;
        }
        answer
    })
}

/// Sends the bytes of a connection, whatever they are.
pub(crate) fn run_connection(input: &[u8]) {
    send(input);
}

/// Bits of the second byte: the form of the body.
mod form {
    /// `grpc-web-text`: the body is base64.
    pub(super) const TEXT: u8 = 1;
    /// The bytes are base64 already, or something else.
    pub(super) const ENCODED: u8 = 2;
    /// The bytes are one message; otherwise they are frames.
    pub(super) const MESSAGE: u8 = 4;
    /// The body comes in chunks.
    pub(super) const CHUNKED: u8 = 8;
}

/// Size of the chunks of a body in chunks. Not a multiple of anything in the body.
const CHUNK_BYTES: usize = 7;

/// Calls a method by gRPC-Web: the first byte selects it, the second the form of the body, which are the others.
pub(crate) fn run_grpc_web(input: &[u8]) {
    let [selector, form, bytes @ ..] = input else { return };
    let has = |bit| form & bit != 0;
    let mut body = bytes.to_vec();
    if has(form::MESSAGE) {
        let length = u32::try_from(bytes.len()).expect("a short input");
        body = [&[0], &length.to_be_bytes()[..], bytes].concat();
    }
    if has(form::TEXT) && !has(form::ENCODED) {
        body = STANDARD.encode(body).into_bytes();
    }
    let kind = if has(form::TEXT) { "grpc-web-text" } else { "grpc-web" };
    let length = match has(form::CHUNKED) {
        true => "transfer-encoding: chunked".to_owned(),
        false => format!("content-length: {}", body.len()),
    };
    let path = method(*selector).path;
    let mut request = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/{kind}+proto\r\nx-grpc-web: 1\r\n{length}\r\n\r\n"
    )
    .into_bytes();
    if has(form::CHUNKED) {
        for chunk in body.chunks(CHUNK_BYTES) {
            request.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
            request.extend([chunk, b"\r\n"].concat());
        }
        request.extend(b"0\r\n\r\n");
    } else {
        request.extend(body);
    }
    let answer = send(&request);
    // A whole request is answered, whatever is in it.
    assert!(answer.starts_with(b"HTTP/1.1 200 "), "{path}: {}", String::from_utf8_lossy(&answer));
}
