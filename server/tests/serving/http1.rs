//! A client of HTTP/1.1 that shows every byte of a response.

use std::net::SocketAddr;

use parlor_testkit::with_timeout;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

/// An HTTP response: the status line and headers in lower case, and the body.
pub(crate) struct HttpResponse {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl HttpResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let prefix = format!("{name}: ");
        self.head.lines().find_map(|line| line.strip_prefix(prefix.as_str()))
    }

    /// The status code.
    pub(crate) fn status(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    /// The body as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("a text")
    }
}

/// Sends a request over a connection of its own, under the name that the address is.
pub(crate) async fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> HttpResponse {
    send_to(address, &address.to_string(), method, path, headers, body).await
}

/// Sends a request over a connection of its own, under this name.
pub(crate) async fn send_to(
    address: SocketAddr,
    host: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> HttpResponse {
    let stream = with_timeout(TcpStream::connect(address)).await.expect("a connection");
    exchange(stream, host, method, path, headers, body).await
}

/// Sends a request as the only one of a connection.
pub(crate) async fn exchange(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    host: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> HttpResponse {
    let mut request = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
    for (name, value) in headers {
        request += &format!("{name}: {value}\r\n");
    }
    request += &format!("content-length: {}\r\n\r\n", body.len());
    stream.write_all(request.as_bytes()).await.expect("a connection");
    stream.write_all(body).await.expect("a connection");
    stream.flush().await.expect("a connection");
    let mut answer = Vec::new();
    with_timeout(stream.read_to_end(&mut answer)).await.expect("an answer");
    let split = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("the end of the headers");
    let head = String::from_utf8_lossy(&answer[..split]).to_lowercase();
    let mut body = answer.split_off(split + 4);
    if head.contains("transfer-encoding: chunked") {
        body = decode_chunked(&body);
    }
    HttpResponse { head, body }
}

/// Decodes a chunked body.
fn decode_chunked(mut body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let end = body.windows(2).position(|two| two == b"\r\n").expect("a length");
        let length = usize::from_str_radix(&String::from_utf8_lossy(&body[..end]), 16).expect("a length");
        if length == 0 {
            return bytes;
        }
        bytes.extend_from_slice(&body[end + 2..end + 2 + length]);
        body = &body[end + 4 + length..];
    }
}
