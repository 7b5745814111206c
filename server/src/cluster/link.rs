//! Links to other nodes: one HTTP/2 connection a node, opened when it is first needed and kept open until the node is gone.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use parlor_host::Secret;
use parlor_host::placement::{NodeId, NodePlacement};
use prost::Message;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::{Status, body::Body};

use super::first_message::{PREFIX, message_length};
use super::link_headers::LinkHeaders;
use super::link_tls::LinkTls;
use super::retry_pause;
use super::wire::{HandshakeRequest, HandshakeResponse};
use crate::identity::ServerKey;

/// The calling side of a link that is up.
pub(super) type LinkSender = SendRequest<Body>;

/// Path of the handshake.
pub(super) const HANDSHAKE: &str = "/parlor.node.v1.LinkService/Handshake";
/// Path of the question whether a deal is over.
pub(super) const IS_DEAL_OVER: &str = "/parlor.node.v1.LinkService/IsDealOver";
/// Time for opening a connection, TLS and the handshake, each.
const OPEN_TIMEOUT: Duration = Duration::from_secs(3);
/// Interval and timeout of HTTP/2 pings: a link whose other end does not answer is down.
const PING: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(2)];
/// Credit of one stream in bytes: what may be under way to a client that does not read.
const STREAM_CREDIT: u32 = 128 * 1024;
/// Credit of a link in bytes, far more than of its streams: a client that does not read takes nothing from the others.
const LINK_CREDIT: u32 = 1 << 30;
/// Bytes that may wait in memory to be sent on one stream.
const SEND_BUFFER: usize = 128 * 1024;

/// This node's software, for the log of other nodes.
pub(super) fn software() -> String {
    concat!("parlor-server ", env!("CARGO_PKG_VERSION")).to_owned()
}

/// A link cannot be opened.
#[derive(Debug, thiserror::Error)]
pub(super) enum LinkError {
    #[error("the connection failed: {0}")]
    Io(#[from] io::Error),
    #[error("the connection failed: {0}")]
    Http(#[from] hyper::Error),
    #[error("no answer within {OPEN_TIMEOUT:?}")]
    Timeout,
    #[error("the certificates of links cannot be used: {why}")]
    Certificate { why: String },
    #[error("{address} is not a host and a port")]
    Address { address: String },
    #[error("refused ({:?}): {}", .0.code(), .0.message())]
    Refused(Status),
}

/// All links of a node. Dropping it closes them.
#[derive(Debug)]
pub(super) struct Links {
    shared: Arc<Shared>,
    _stop: DropGuard,
}

#[derive(Debug)]
struct Shared {
    node: NodeId,
    placement: Arc<dyn NodePlacement>,
    token: Secret<String>,
    tls: Option<LinkTls>,
    /// The links whose tasks run, and the senders of those that are up.
    links: Mutex<HashMap<NodeId, Option<LinkSender>>>,
    changes: watch::Sender<u64>,
    stop: CancellationToken,
}

impl Links {
    pub(super) fn new(
        node: NodeId,
        placement: Arc<dyn NodePlacement>,
        key: &ServerKey,
        tls: Option<&LinkTls>,
    ) -> Links {
        let stop = CancellationToken::new();
        let shared = Arc::new(Shared {
            node,
            placement,
            token: key.link_token(),
            tls: tls.cloned(),
            links: Mutex::default(),
            changes: watch::Sender::new(0),
            stop: stop.clone(),
        });
        tokio::spawn(shared.clone().report_placements());
        Links { shared, _stop: stop.drop_guard() }
    }

    /// The sender of the link to a node, if it is up. The first request for a node starts the link.
    pub(super) fn sender(&self, node: &NodeId) -> Option<LinkSender> {
        let mut links = self.shared.links();
        match links.get(node) {
            Some(sender) => sender.clone().filter(|sender| !sender.is_closed()),
            None => {
                links.insert(node.clone(), None);
                tokio::spawn(self.shared.clone().run(node.clone()));
                None
            }
        }
    }

    /// Counts the changes of placements and links.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    pub(super) fn headers(&self, to: &NodeId) -> LinkHeaders {
        self.shared.headers(to)
    }
}

impl Shared {
    fn links(&self) -> MutexGuard<'_, HashMap<NodeId, Option<LinkSender>>> {
        // A panic cannot leave the map half updated.
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn headers(&self, to: &NodeId) -> LinkHeaders {
        LinkHeaders { from: self.node.clone(), to: to.clone(), token: self.token.clone() }
    }

    fn report_change(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Reports changes of placements as changes of links, so that whoever waits for either waits for one thing.
    async fn report_placements(self: Arc<Self>) {
        let mut placements = self.placement.changes();
        let report = async {
            while placements.changed().await.is_ok() {
                self.report_change();
            }
        };
        tokio::select! {
            () = report => {}
            () = self.stop.cancelled() => {}
        }
    }

    /// Keeps the link to a node open until the node is gone.
    async fn run(self: Arc<Self>, node: NodeId) {
        tokio::select! {
            () = self.keep_open(&node) => {}
            () = self.stop.cancelled() => {}
        }
        self.links().remove(&node);
        self.report_change();
    }

    async fn keep_open(&self, node: &NodeId) {
        let mut failures = 0;
        while let Some(address) = self.placement.link_address(node) {
            match self.open(node, &address).await {
                Ok((sender, closed)) => {
                    tracing::info!(%node, %address, "a link is up");
                    failures = 0;
                    self.links().insert(node.clone(), Some(sender));
                    self.report_change();
                    // An error ends the connection as its end does.
                    let why = closed.await.err().map(|error| error.to_string()).unwrap_or_default();
                    tracing::warn!(%node, %address, why, "a link is down");
                    self.links().insert(node.clone(), None);
                    self.report_change();
                }
                Err(error) => {
                    // Once, and not with every attempt.
                    if failures == 0 {
                        tracing::warn!(%node, %address, %error, "a link cannot be opened");
                    }
                    failures += 1;
                    tokio::time::sleep(retry_pause(failures)).await;
                }
            }
        }
    }

    /// Opens a link: connection, TLS, handshake. Returns its sender, and the future of its end.
    async fn open(&self, node: &NodeId, address: &str) -> Result<(LinkSender, ConnectionEnd), LinkError> {
        let connect = async {
            let io = TcpStream::connect(address).await?;
            io.set_nodelay(true)?;
            Ok::<_, LinkError>(io)
        };
        let io = within(connect).await?;
        let connector = self.tls.as_ref().map(LinkTls::connector).transpose()?;
        let (mut sender, closed) = match connector {
            Some(connector) => within(connect_tls(connector, address, io)).await?,
            None => within(connect_http(io)).await?,
        };
        // The driver of the connection must run for the handshake to be answered.
        let mut closed = Box::pin(closed);
        let handshake = within(handshake(&mut sender, self.headers(node)));
        let response = tokio::select! {
            response = handshake => response?,
            closed = &mut closed => return Err(closed.err().map_or(LinkError::Timeout, LinkError::Http)),
        };
        tracing::debug!(%node, software = response.software, "a node has introduced itself");
        Ok((sender, closed))
    }
}

/// The future that serves a connection until its end.
type ConnectionEnd = std::pin::Pin<Box<dyn Future<Output = Result<(), hyper::Error>> + Send>>;

async fn within<T>(part: impl Future<Output = Result<T, LinkError>>) -> Result<T, LinkError> {
    tokio::time::timeout(OPEN_TIMEOUT, part).await.unwrap_or(Err(LinkError::Timeout))
}

async fn connect_tls(
    connector: TlsConnector,
    address: &str,
    io: TcpStream,
) -> Result<(LinkSender, ConnectionEnd), LinkError> {
    let wrong = || LinkError::Address { address: address.to_owned() };
    let (host, _) = address.rsplit_once(':').ok_or_else(wrong)?;
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let name = ServerName::try_from(host).map_err(|_| wrong())?;
    connect_http(connector.connect(name, io).await?).await
}

async fn connect_http<IO>(io: IO) -> Result<(LinkSender, ConnectionEnd), LinkError>
where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let [interval, timeout] = PING;
    let (sender, connection) = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .initial_stream_window_size(STREAM_CREDIT)
        .initial_connection_window_size(LINK_CREDIT)
        .max_send_buf_size(SEND_BUFFER)
        .keep_alive_interval(interval)
        .keep_alive_timeout(timeout)
        .keep_alive_while_idle(true)
        .handshake(TokioIo::new(io))
        .await?;
    let driver = tokio::spawn(connection);
    let closed = async move {
        // Aborts the driver when the link is dropped, so that its streams end.
        let mut driver = AbortOnDrop(driver);
        (&mut driver.0).await.unwrap_or(Ok(()))
    };
    Ok((sender, Box::pin(closed)))
}

struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The head of a request over a link.
pub(super) fn request(path: &str, headers: &LinkHeaders, body: Body) -> http::Request<Body> {
    let mut request = http::Request::new(body);
    *request.method_mut() = http::Method::POST;
    *request.version_mut() = http::Version::HTTP_2;
    // The authority is not looked at: the headers name the node.
    *request.uri_mut() = http::Uri::builder()
        .scheme("http")
        .authority("node")
        .path_and_query(path)
        .build()
        .expect("the path of a request");
    let own = request.headers_mut();
    own.insert(http::header::CONTENT_TYPE, http::HeaderValue::from_static("application/grpc"));
    own.insert(http::header::TE, http::HeaderValue::from_static("trailers"));
    headers.add(own);
    request
}

async fn handshake(sender: &mut LinkSender, headers: LinkHeaders) -> Result<HandshakeResponse, LinkError> {
    let request = HandshakeRequest { software: software() };
    call(sender, HANDSHAKE, &headers, &request).await
}

/// Calls a method of the link itself.
pub(super) async fn call<R: Message + Default>(
    sender: &mut LinkSender,
    path: &str,
    headers: &LinkHeaders,
    message: &impl Message,
) -> Result<R, LinkError> {
    let message = message.encode_to_vec();
    let mut body = vec![0];
    body.extend((message.len() as u32).to_be_bytes());
    body.extend(message);
    let body = Body::new(Full::new(Bytes::from(body)));
    let response = sender.send_request(request(path, headers, body)).await?;
    let status = Status::from_header_map(response.headers());
    let collected = response.into_body().collect().await?;
    let status = status.or_else(|| collected.trailers().and_then(Status::from_header_map));
    match status {
        Some(status) if status.code() == tonic::Code::Ok => {}
        Some(status) => return Err(LinkError::Refused(status)),
        None => return Err(LinkError::Refused(Status::unknown("the other end speaks no gRPC"))),
    }
    let bytes = collected.to_bytes();
    let message = message_length(&bytes).and_then(|length| bytes.get(PREFIX..length));
    let response = message.and_then(|message| R::decode(message).ok());
    response.ok_or_else(|| LinkError::Refused(Status::unknown("the response is malformed")))
}
