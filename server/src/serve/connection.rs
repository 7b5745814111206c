//! The connections of a server: each is served by tasks of its own, until its client ends it or the server does.
//!
//! tonic could do this. But with every message it would ask whether the server stops, by a lock that all connections
//! share, and put one more body around those of every stream.

use std::{
    convert::Infallible,
    error::Error,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use http::{Request, Response};
use hyper::{
    body::{Body as HttpBody, Incoming},
    server::conn::http1,
};
use hyper_util::rt::TokioIo;
use metrics::gauge;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tower::{Service, ServiceExt, util::Oneshot};

use super::{Accepted, begun::Begun, gather::Gathering, http2::Http2, tls::Acceptor};
use crate::{grpc::Peer, telemetry::names};

/// Asks all connections to end: what is under way on them is finished, and nothing new is taken.
#[derive(Clone, Default)]
pub(super) struct Closing(Arc<Asked>);

#[derive(Default)]
struct Asked {
    /// Looked at for every message, which must not need a lock that all connections share.
    is_asked: AtomicBool,
    wakes: CancellationToken,
}

impl Closing {
    /// Asks them.
    pub(super) fn ask(&self) {
        self.0.is_asked.store(true, Ordering::Release);
        self.0.wakes.cancel();
    }

    pub(super) fn is_asked(&self) -> bool {
        self.0.is_asked.load(Ordering::Acquire)
    }

    /// Waits until they are asked.
    pub(super) fn asked(&self) -> impl Future<Output = ()> + Send + use<> {
        self.0.wakes.clone().cancelled_owned()
    }
}

/// What every connection has in common.
pub(super) struct Way<S> {
    /// How HTTP/1 is spoken.
    pub(super) http1: http1::Builder,
    /// How HTTP/2 is spoken.
    pub(super) http2: Http2,
    /// How it is encrypted, if it is.
    pub(super) tls: Option<Acceptor>,
    /// What answers.
    pub(super) service: S,
}

/// Serves connections as they come, until there are no more or they are asked to end, and then until the last has ended.
/// Whoever drops this cuts off those that are open.
pub(super) async fn serve<IO, S>(incoming: impl Stream<Item = Accepted<IO>>, way: Way<S>, closing: Closing)
where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    S: Serve,
{
    let way = Arc::new(way);
    let mut served = JoinSet::new();
    {
        // Nobody listens any more when this is left.
        let mut incoming = pin!(incoming);
        let mut numbers = 1..;
        loop {
            let accepted = tokio::select! {
                accepted = incoming.next() => accepted,
                Some(_) = served.join_next() => continue,
                () = closing.asked() => break,
            };
            let Some((Accepted { io, address }, connection)) = accepted.zip(numbers.next()) else { break };
            let (io, peer, closing) = (Gathering::new(io), Peer { connection, address }, closing.clone());
            match &way.tls {
                None => served.spawn(way.clone().speak(io, peer, closing, Open::new())),
                Some(_) => served.spawn(way.clone().speak_in_private(io, peer, closing)),
            };
        }
    }
    while served.join_next().await.is_some() {}
}

impl<S: Serve> Way<S> {
    /// Serves a connection that is to be encrypted first.
    async fn speak_in_private<IO>(self: Arc<Self>, io: IO, peer: Peer, closing: Closing)
    where
        IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let open = Open::new();
        let Some(tls) = &self.tls else { return };
        let accepted = tokio::select! {
            accepted = tls.accept(io) => accepted,
            () = closing.asked() => return,
        };
        match accepted {
            Ok(io) => self.speak(io, peer, closing, open).await,
            Err(error) => tracing::debug!(%error, "a client did not agree on how to encrypt"),
        }
    }

    /// Serves a connection to its end.
    async fn speak<IO>(self: Arc<Self>, io: IO, peer: Peer, closing: Closing, _open: Open)
    where
        IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let begun = tokio::select! {
            begun = Begun::of(io) => begun,
            () = closing.asked() => return,
        };
        let calls = Calls::new(self.service.clone(), peer);
        let served = match begun {
            Err(error) => Err(error.to_string()),
            Ok((true, io)) => self.http2.serve(io, calls, closing).await.map_err(|error| error.to_string()),
            Ok((false, io)) => {
                Box::pin(self.speak_http1(io, calls, closing)).await.map_err(|error| error.to_string())
            }
        };
        if let Err(error) = served {
            tracing::debug!(error, "a connection failed");
        }
    }

    /// Serves a client that speaks HTTP/1.
    async fn speak_http1<IO>(&self, io: Begun<IO>, calls: Calls<S>, closing: Closing) -> hyper::Result<()>
    where
        IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let mut connection = pin!(self.http1.serve_connection(TokioIo::new(io), calls));
        tokio::select! {
            served = connection.as_mut() => return served,
            () = closing.asked() => connection.as_mut().graceful_shutdown(),
        }
        connection.await
    }
}

/// What answers the requests of all connections.
pub(super) trait Serve:
    Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>
    + Clone
    + Send
    + Sync
    + 'static
{
}

impl<S> Serve for S where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static
{
}

/// The calls on one connection.
#[derive(Clone)]
pub(super) struct Calls<S> {
    service: S,
    peer: Peer,
}

impl<S: Serve> Calls<S> {
    pub(super) const fn new(service: S, peer: Peer) -> Calls<S> {
        Calls { service, peer }
    }

    /// Asks the service. Boxed: every stream has room for it, long after it is done.
    pub(super) fn ask<B>(&self, request: Request<B>) -> Pin<Box<Oneshot<S, Request<Body>>>>
    where
        B: HttpBody<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
    {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(self.peer);
        Box::pin(self.service.clone().oneshot(request))
    }
}

impl<S: Serve> hyper::service::Service<Request<Incoming>> for Calls<S> {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<Oneshot<S, Request<Body>>>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        self.ask(request)
    }
}

/// Counts a connection while it is open.
struct Open;

impl Open {
    fn new() -> Open {
        gauge!(names::CONNECTIONS_OPEN).increment(1);
        Open
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        gauge!(names::CONNECTIONS_OPEN).decrement(1);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tower::service_fn;

    use super::*;
    use crate::config::Settings;

    /// A service that says on which connection it was called, and the far ends of two connections to it.
    fn served(closing: &Closing) -> (impl Future<Output = ()> + Send + 'static, [DuplexStream; 2]) {
        let service = service_fn(async |request: Request<Body>| {
            let peer = request.extensions().get::<Peer>().expect("a peer");
            let response = Response::builder().header("connection-number", peer.connection);
            Ok::<_, Infallible>(response.body(Body::empty()).expect("a response"))
        });
        let way =
            Way { http1: http1::Builder::new(), http2: Http2::new(&Settings::default()), tls: None, service };
        let ((near_a, far_a), (near_b, far_b)) = (duplex(1024), duplex(1024));
        let incoming = stream::iter([near_a, near_b].map(|io| Accepted { io, address: None }));
        (serve(incoming.chain(stream::pending()), way, closing.clone()), [far_a, far_b])
    }

    async fn ask(far: &mut DuplexStream) -> String {
        far.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
        let mut heard = String::new();
        while !heard.ends_with("\r\n\r\n") {
            heard.push(far.read_u8().await.unwrap().into());
        }
        heard
    }

    #[tokio::test]
    async fn every_connection_has_a_number_of_its_own() {
        let (serving, [mut one, mut two]) = served(&Closing::default());
        let serving = tokio::spawn(serving);
        for _ in 0..2 {
            assert!(ask(&mut one).await.contains("connection-number: 1\r\n"));
            assert!(ask(&mut two).await.contains("connection-number: 2\r\n"));
        }
        serving.abort();
    }

    #[tokio::test]
    async fn connections_that_are_asked_to_end_do_so() {
        let closing = Closing::default();
        let (serving, [mut one, mut two]) = served(&closing);
        let serving = tokio::spawn(serving);
        ask(&mut one).await;
        closing.ask();
        assert_eq!(one.read(&mut [0]).await.unwrap(), 0);
        assert_eq!(two.read(&mut [0]).await.unwrap(), 0, "nothing was ever said on this one");
        serving.await.unwrap();
    }

    #[tokio::test]
    async fn connections_that_nobody_serves_any_more_are_cut_off() {
        let (serving, [mut one, mut two]) = served(&Closing::default());
        let serving = tokio::spawn(serving);
        ask(&mut one).await;
        two.write_all(b"GET /").await.unwrap();
        serving.abort();
        assert_eq!(one.read(&mut [0]).await.unwrap(), 0);
        assert_eq!(two.read(&mut [0]).await.unwrap(), 0, "in the middle of a request");
    }
}
