//! The connections of a server: each is served by a task of its own, until its client ends it or the server does.
//!
//! tonic could do this. But with every message it would ask whether the server stops, by a lock that all connections
//! share, and put one more body around those of every stream.

use std::{
    convert::Infallible,
    future::poll_fn,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Waker,
};

use futures_util::{Stream, StreamExt};
use http::{Request, Response};
use hyper::body::Incoming;
use hyper_util::{rt::TokioIo, server::conn::auto::Builder};
use metrics::gauge;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tower::{Service, ServiceExt, util::Oneshot};

use super::{Accepted, again::Tasks, gather::Gathering, tls::Acceptor};
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

    fn is_asked(&self) -> bool {
        self.0.is_asked.load(Ordering::Acquire)
    }
}

/// What every connection has in common.
pub(super) struct Way<S> {
    /// How HTTP is spoken.
    pub(super) http: Builder<Tasks>,
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
                () = closing.0.wakes.cancelled() => break,
            };
            let Some((Accepted { io, address }, connection)) = accepted.zip(numbers.next()) else { break };
            let (io, peer, closing) = (Gathering::new(io), Peer { connection, address }, closing.clone());
            match &way.tls {
                None => served.spawn(way.speak(io, peer, closing, Open::new())),
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
            () = closing.0.wakes.cancelled() => return,
        };
        match accepted {
            Ok(io) => self.speak(io, peer, closing, open).await,
            Err(error) => tracing::debug!(%error, "a client did not agree on how to encrypt"),
        }
    }

    /// Serves a connection to its end. What every message needs of this lies together, and no async function is around it: each
    /// would have its own place to note how far it is.
    fn speak<IO>(
        &self,
        io: IO,
        peer: Peer,
        closing: Closing,
        open: Open,
    ) -> impl Future<Output = ()> + Send + use<IO, S>
    where
        IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let calls = Calls { service: self.service.clone(), peer };
        let mut connection = Box::pin(self.http.serve_connection(TokioIo::new(io), calls).into_owned());
        let mut asked = Box::pin(closing.0.wakes.clone().cancelled_owned());
        let (mut woken, mut is_closing): (Option<Waker>, _) = (None, false);
        poll_fn(move |cx| {
            let _open = &open;
            if !woken.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
                woken = Some(cx.waker().clone());
                // If it is ready, that is seen below.
                let _ = asked.as_mut().poll(cx);
            }
            if !is_closing && closing.is_asked() {
                is_closing = true;
                connection.as_mut().graceful_shutdown();
            }
            connection.as_mut().poll(cx).map(|ended| {
                if let Err(error) = ended {
                    tracing::debug!(error, "a connection failed");
                }
            })
        })
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
struct Calls<S> {
    service: S,
    peer: Peer,
}

impl<S: Serve> hyper::service::Service<Request<Incoming>> for Calls<S> {
    type Response = Response<Body>;
    type Error = Infallible;
    /// Boxed: every stream has room for it, long after it is done.
    type Future = Pin<Box<Oneshot<S, Request<Body>>>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(self.peer);
        Box::pin(self.service.clone().oneshot(request))
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

    /// A service that says on which connection it was called, and the far ends of two connections to it.
    fn served(closing: &Closing) -> (impl Future<Output = ()> + Send + 'static, [DuplexStream; 2]) {
        let service = service_fn(async |request: Request<Body>| {
            let peer = request.extensions().get::<Peer>().expect("a peer");
            let response = Response::builder().header("connection-number", peer.connection);
            Ok::<_, Infallible>(response.body(Body::empty()).expect("a response"))
        });
        let way = Way { http: Builder::new(Tasks), tls: None, service };
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
