//! HTTP/2 on one connection: its calls, each a task of its own, and whether the client is still there.
//!
//! hyper could do this. But with every message it would look at its own clocks and pings, and ask again and again whether the
//! client has reset the stream.

use std::{
    convert::Infallible,
    future::{pending, poll_fn},
    pin::Pin,
    sync::atomic::{AtomicBool, Ordering},
    task::{Context, Poll, Waker, ready},
    time::Duration,
};

use bytes::Bytes;
use h2::{
    Ping, PingPong, Reason, RecvStream, SendStream,
    server::{Builder, Connection, SendResponse},
};
use http::Response;
use hyper::body::{Body as HttpBody, Frame};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{sleep, timeout},
};
use tokio_util::task::AbortOnDropHandle;
use tonic::body::Body;

use super::{
    begun::Begun,
    connection::{Calls, Closing, Serve},
};
use crate::config::Settings;

/// How many calls more than the limit HTTP/2 lets through on one connection. They are answered that there are too many;
/// the next ones wait, as the protocol has it, and their client is told nothing.
const TOLD_OFF: u32 = 16;
/// How much a client may send before it is read, on a stream and on all of a connection.
const WINDOW: u32 = 1 << 20;
/// How much waits on a stream for a client that does not read.
const SEND_BUFFER: usize = 400 << 10;
/// How much is sent before one looks whether the client has room for it.
const UNASKED: usize = 16 << 10;
/// How large the headers of a request may be.
const HEADERS: u32 = 16 << 10;

/// How often one looks whether something has come from a client, until it has been silent for long enough to be asked.
const LOOKS: u32 = 4;

/// How the server speaks HTTP/2.
pub(super) struct Http2 {
    builder: Builder,
    /// How long a client may be silent before it is asked whether it is still there, and how long it has to answer.
    silent: Duration,
    patience: Duration,
}

impl Http2 {
    pub(super) fn new(settings: &Settings) -> Http2 {
        let mut builder = Builder::new();
        builder
            .initial_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .max_header_list_size(HEADERS)
            .max_send_buffer_size(SEND_BUFFER)
            .max_concurrent_streams(settings.limits.streams_per_connection.get() + TOLD_OFF);
        let connections = &settings.connections;
        let (silent, patience) = (connections.keepalive_interval.get(), connections.keepalive_timeout.get());
        Http2 { builder, silent, patience }
    }

    /// Serves a connection to its end.
    pub(super) async fn serve<IO, S>(
        &self,
        io: Begun<IO>,
        calls: Calls<S>,
        closing: Closing,
    ) -> Result<(), h2::Error>
    where
        IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        S: Serve,
    {
        let heard = io.heard();
        let mut connection = Box::pin(self.builder.handshake(io)).await?;
        let pings = connection.ping_pong();
        let mut speaking = AbortOnDropHandle::new(tokio::spawn(speak(connection, calls, closing)));
        tokio::select! {
            ended = &mut speaking => ended.unwrap_or(Ok(())),
            () = gone(pings, &heard, self.silent, self.patience) => {
                tracing::debug!("a client does not answer any more");
                Ok(())
            }
        }
    }
}

/// Speaks with a client to the end, or until it is to end, in a task of its own. What every message needs of this lies together,
/// and no async function is around it: each would have its own place to note how far it is.
fn speak<IO, S>(
    mut connection: Connection<Begun<IO>, Bytes>,
    calls: Calls<S>,
    closing: Closing,
) -> impl Future<Output = Result<(), h2::Error>>
where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    S: Serve,
{
    let mut asked = Box::pin(closing.asked());
    let (mut woken, mut is_closing): (Option<Waker>, _) = (None, false);
    poll_fn(move |cx| {
        if !woken.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            woken = Some(cx.waker().clone());
            // If it is ready, that is seen below.
            let _ = asked.as_mut().poll(cx);
        }
        if !is_closing && closing.is_asked() {
            is_closing = true;
            connection.graceful_shutdown();
        }
        while let Some((request, respond)) = ready!(connection.poll_accept(cx)).transpose()? {
            tokio::spawn(Answering::Asking { asked: calls.ask(request.map(Said)), respond });
        }
        Poll::Ready(Ok(()))
    })
}

/// Asks a client that is silent whether it is still there, until it does not answer.
async fn gone(pings: Option<PingPong>, heard: &AtomicBool, silent: Duration, patience: Duration) {
    let Some(mut pings) = pings else { return pending().await };
    let mut looks = 0;
    loop {
        sleep(silent / LOOKS).await;
        looks = if heard.swap(false, Ordering::Relaxed) { 0 } else { looks + 1 };
        if looks < LOOKS {
            continue;
        }
        looks = 0;
        match timeout(patience, pings.ping(Ping::opaque())).await {
            Ok(Ok(_)) => {}
            // The connection has ended, and whoever speaks says so.
            Ok(Err(_)) => return pending().await,
            Err(_) => return,
        }
    }
}

/// One call: asks the service, and sends what it answers.
enum Answering<F> {
    /// The service is asked.
    Asking { asked: Pin<Box<F>>, respond: SendResponse<Bytes> },
    /// It has answered.
    Telling(Telling),
}

impl<F: Future<Output = Result<Response<Body>, Infallible>>> Future for Answering<F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if let Answering::Asking { asked, respond } = &mut *self {
            let Ok(response) = match asked.as_mut().poll(cx) {
                Poll::Ready(response) => response,
                // A client that does not want an answer any more gets none.
                Poll::Pending => return respond.poll_reset(cx).map(drop),
            };
            let Some(telling) = begin(response, respond) else { return Poll::Ready(()) };
            *self = Answering::Telling(telling);
        }
        let Answering::Telling(telling) = &mut *self else { return Poll::Ready(()) };
        telling.poll_tell(cx).map(|told| {
            if let Err(error) = told {
                tracing::debug!(%error, "a response broke off");
            }
        })
    }
}

/// Sends the head of a response. The body remains to be sent, if there is one.
fn begin(response: Response<Body>, respond: &mut SendResponse<Bytes>) -> Option<Telling> {
    let (head, body) = response.into_parts();
    let is_over = body.is_end_stream();
    match respond.send_response(Response::from_parts(head, ()), is_over) {
        Ok(stream) if !is_over => Some(Telling { body, stream, sent: 0, waits: None }),
        Ok(_) => None,
        // The client has gone, or the headers are none.
        Err(error) => {
            tracing::debug!(%error, "a response could not be sent");
            respond.send_reset(Reason::INTERNAL_ERROR);
            None
        }
    }
}

/// The body of a response, on its way to the client.
struct Telling {
    body: Body,
    stream: SendStream<Bytes>,
    /// How much was sent since the client was last seen to have room.
    sent: usize,
    /// Who is woken when the client does not want the rest.
    waits: Option<Waker>,
}

impl Telling {
    fn poll_tell(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), h2::Error>> {
        let mut has_sent = false;
        loop {
            if self.sent >= UNASKED && !ready!(self.poll_room(cx))? {
                return Poll::Ready(Ok(()));
            }
            match Pin::new(&mut self.body).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => {
                        self.sent += data.len();
                        self.stream.send_data(data, false)?;
                        has_sent = true;
                    }
                    Err(frame) => {
                        if let Ok(trailers) = frame.into_trailers() {
                            self.stream.reserve_capacity(0);
                            return Poll::Ready(self.stream.send_trailers(trailers));
                        }
                    }
                },
                Poll::Ready(Some(Err(error))) => {
                    tracing::debug!(%error, "a body broke off");
                    self.stream.send_reset(Reason::INTERNAL_ERROR);
                    return Poll::Ready(Ok(()));
                }
                Poll::Ready(None) => return Poll::Ready(self.stream.send_data(Bytes::new(), true)),
                // Woken for what was sent, and known to those who would tell of a reset.
                Poll::Pending if has_sent && self.is_waiting(cx) => return Poll::Pending,
                Poll::Pending => return self.poll_unwanted(cx),
            }
        }
    }

    /// Waits until the client has room for all that was sent and for more. Says whether it wants that.
    fn poll_room(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, h2::Error>> {
        self.stream.reserve_capacity(1);
        while self.stream.capacity() == 0 {
            match self.stream.poll_capacity(cx) {
                Poll::Ready(Some(capacity)) => drop(capacity?),
                Poll::Ready(None) => return Poll::Ready(Ok(false)),
                Poll::Pending => return self.poll_unwanted(cx).map_ok(|()| false),
            }
        }
        // Whoever waited was woken for this.
        (self.sent, self.waits) = (0, None);
        Poll::Ready(Ok(true))
    }

    /// Waits until the client does not want the rest.
    fn poll_unwanted(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), h2::Error>> {
        self.waits = Some(cx.waker().clone());
        self.stream.poll_reset(cx).map_ok(drop)
    }

    fn is_waiting(&self, cx: &Context<'_>) -> bool {
        self.waits.as_ref().is_some_and(|waits| waits.will_wake(cx.waker()))
    }
}

/// The body of a request.
struct Said(RecvStream);

impl HttpBody for Said {
    type Data = Bytes;
    type Error = h2::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, h2::Error>>> {
        let frame = match ready!(self.0.poll_data(cx)) {
            Some(Ok(data)) => {
                // The client may send as much again.
                let _ = self.0.flow_control().release_capacity(data.len());
                Some(Ok(Frame::data(data)))
            }
            Some(Err(error)) => Some(Err(error)),
            None => {
                ready!(self.0.poll_trailers(cx)).transpose().map(|trailers| trailers.map(Frame::trailers))
            }
        };
        // A client that has heard enough says so in this way.
        let is_enough = |error: &h2::Error| error.reason() == Some(Reason::NO_ERROR);
        Poll::Ready(frame.filter(|frame| !frame.as_ref().is_err_and(is_enough)))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, atomic::AtomicUsize};

    use futures_util::{FutureExt, StreamExt, stream};
    use h2::client;
    use http::{HeaderMap, Request};
    use http_body_util::StreamBody;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
        sync::mpsc,
        task::JoinHandle,
        time::{Instant, advance},
    };
    use tower::service_fn;

    use super::*;
    use crate::grpc::Peer;

    /// Serves one connection with this service; gives its far end.
    fn served<F>(
        ask: impl Fn(Request<Body>) -> F + Clone + Send + Sync + 'static,
    ) -> (JoinHandle<()>, DuplexStream)
    where
        F: Future<Output = Response<Body>> + Send + 'static,
    {
        let service = service_fn(move |request| ask(request).map(Ok::<_, Infallible>));
        let (near, far) = duplex(1024);
        let serving = async move {
            let (is_http2, io) = Begun::of(near).await.expect("a beginning");
            assert!(is_http2);
            let calls = Calls::new(service, Peer { connection: 1, address: None });
            let _ended = Http2::new(&Settings::default()).serve(io, calls, Closing::default()).await;
        };
        (tokio::spawn(serving), far)
    }

    /// A client over this connection.
    async fn client(far: DuplexStream, window: u32) -> client::SendRequest<Bytes> {
        let mut builder = client::Builder::new();
        let (client, connection) =
            builder.initial_window_size(window).handshake(far).await.expect("a client");
        tokio::spawn(connection);
        client
    }

    fn request() -> Request<()> {
        Request::post("http://localhost/").body(()).expect("a request")
    }

    /// A response with these frames, and with the rest of the stream.
    fn response(
        frames: impl stream::Stream<Item = Result<Frame<Bytes>, &'static str>> + Send + 'static,
    ) -> Response<Body> {
        Response::new(Body::new(StreamBody::new(frames.boxed())))
    }

    #[tokio::test]
    async fn all_of_a_body_arrives_however_little_room_the_client_has() {
        let sizes = [1, 0, 70_000, 5, 300_000];
        let pieces = move || {
            let data = sizes.map(|size| Ok(Frame::data(Bytes::from(vec![7; size]))));
            let trailers = HeaderMap::from_iter([("grpc-status".parse().unwrap(), "0".parse().unwrap())]);
            stream::iter(data).chain(stream::iter([Ok(Frame::trailers(trailers))]))
        };
        let (_serving, far) = served(move |_| async move { response(pieces()) });
        let mut client = client(far, 1000).await;
        let (answer, _said) = client.send_request(request(), true).unwrap();
        let mut body = answer.await.unwrap().into_body();
        let mut heard = 0;
        while let Some(data) = body.data().await {
            let data = data.unwrap();
            heard += data.len();
            body.flow_control().release_capacity(data.len()).unwrap();
        }
        assert_eq!(heard, sizes.iter().sum::<usize>());
        assert_eq!(body.trailers().await.unwrap().expect("trailers")["grpc-status"], "0");
    }

    #[tokio::test]
    async fn no_more_is_taken_from_a_body_than_a_client_that_does_not_read_is_sent() {
        let taken = Arc::<AtomicUsize>::default();
        let takes = taken.clone();
        let (_serving, far) = served(move |_| {
            let takes = takes.clone();
            let frames = stream::repeat_with(move || {
                takes.fetch_add(1000, Ordering::Relaxed);
                Ok(Frame::data(Bytes::from_static(&[7; 1000])))
            });
            async move { response(frames.take(200)) }
        });
        let mut client = client(far, 5000).await;
        let (answer, _said) = client.send_request(request(), true).unwrap();
        let mut body = answer.await.unwrap().into_body();
        let mut most = 5000 + UNASKED + 1000;
        for _ in 0..3 {
            for _ in 0..1000 {
                tokio::task::yield_now().await;
            }
            let taken = taken.load(Ordering::Relaxed);
            assert!((most - UNASKED..=most).contains(&taken), "{taken} of {most}");
            let data = body.data().await.unwrap().unwrap();
            body.flow_control().release_capacity(data.len()).unwrap();
            most += data.len();
        }
    }

    #[tokio::test]
    async fn what_is_said_is_heard_and_answered_on_the_same_stream() {
        let (_serving, far) = served(async |request: Request<Body>| Response::new(request.into_body()));
        let mut client = client(far, 1000).await;
        let (answer, mut said) = client.send_request(request(), false).unwrap();
        let mut body = answer.await.unwrap().into_body();
        for word in ["one", "two", "three"] {
            said.send_data(word.into(), false).unwrap();
            assert_eq!(body.data().await.unwrap().unwrap(), word);
        }
        said.send_data(Bytes::new(), true).unwrap();
        assert!(body.data().await.is_none_or(|data| data.unwrap().is_empty()));
    }

    #[tokio::test]
    async fn a_body_that_breaks_off_resets_the_stream_and_no_other() {
        let (_serving, far) = served(async |_| response(stream::iter([Err("broken")])));
        let mut client = client(far, 1000).await;
        for _ in 0..2 {
            let (answer, _said) = client.send_request(request(), true).unwrap();
            // The reset can come before anything else does.
            let heard = match answer.await {
                Ok(response) => response.into_body().data().await.expect("an end").map(drop),
                Err(error) => Err(error),
            };
            assert_eq!(heard.unwrap_err().reason(), Some(Reason::INTERNAL_ERROR));
        }
    }

    /// A call whose client goes, by a reset or with all of its connection, is given up, wherever it is.
    #[tokio::test]
    async fn nobody_works_for_a_client_that_has_gone() {
        for (has_answered, sent) in [(false, 0), (true, 0), (true, 1), (true, 3)] {
            for whole_connection in [false, true] {
                let (alive, dead) = mpsc::channel::<()>(1);
                let (serving, far) = served(move |_| {
                    let alive = alive.clone();
                    async move {
                        let forever = async move {
                            let _alive = alive;
                            std::future::pending().await
                        };
                        if !has_answered {
                            drop::<Result<_, _>>(forever.await);
                            unreachable!("it lasts for ever");
                        }
                        let sent = stream::iter(0..sent).then(async |number| {
                            if number > 0 {
                                tokio::task::yield_now().await;
                            }
                            Ok(Frame::data(Bytes::from_static(b"x")))
                        });
                        response(sent.chain(stream::once(forever)))
                    }
                });
                let mut client = client(far, 1000).await;
                let (answer, mut said) = client.send_request(request(), false).unwrap();
                let mut answer = std::pin::pin!(answer);
                if has_answered {
                    let mut body = answer.as_mut().await.unwrap().into_body();
                    for _ in 0..sent {
                        body.data().await.unwrap().unwrap();
                    }
                }
                tokio::task::yield_now().await;
                if whole_connection {
                    serving.abort();
                } else {
                    said.send_reset(Reason::CANCEL);
                }
                // Only the service itself has one still, which goes with the connection.
                let given_up = async {
                    while dead.sender_strong_count() > 1 {
                        tokio::task::yield_now().await;
                    }
                };
                timeout(Duration::from_secs(30), given_up).await.expect("the call is given up");
            }
        }
    }

    #[tokio::test(start_paused = true)]
    #[expect(clippy::disallowed_methods, reason = "time is paused, and goes on as the test waits")]
    async fn a_client_that_is_silent_is_asked_and_one_that_does_not_answer_is_cut_off() {
        let (serving, mut far) = served(async |_| Response::new(Body::empty()));
        let began = Instant::now();
        // An empty frame of settings after the beginning, and not a word more.
        far.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
        let mut told = Vec::new();
        far.read_to_end(&mut told).await.unwrap();
        serving.await.unwrap();
        let connections = Settings::default().connections;
        let least = connections.keepalive_interval.get() + connections.keepalive_timeout.get();
        let most = least + connections.keepalive_interval.get() / LOOKS;
        assert!((least..=most).contains(&began.elapsed()), "{:?}", began.elapsed());
        assert!(told.windows(5).any(|bytes| bytes == b"\0\0\x08\x06\0"), "it was asked: {told:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_answers_may_be_silent_for_as_long_as_it_likes() {
        let (serving, far) = served(async |_| Response::new(Body::empty()));
        let mut client = client(far, 1000).await;
        for _ in 0..100 {
            advance(Duration::from_secs(7)).await;
            sleep(Duration::from_millis(1)).await;
        }
        assert!(!serving.is_finished());
        let (answer, _said) = client.send_request(request(), true).unwrap();
        assert!(answer.await.is_ok());
    }
}
