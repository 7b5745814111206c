//! A connection: what it is read from and written to, who is at its other end, and an end that the server can set to it.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
};

use futures_util::{Stream, StreamExt};
use metrics::gauge;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::transport::server::Connected;

use super::{Accepted, gather::Gathering};
use crate::{grpc::Peer, telemetry::names};

/// Ends all connections at once.
#[derive(Clone, Default)]
pub(super) struct Cut(Arc<CutOff>);

#[derive(Default)]
struct CutOff {
    /// Looked at for every message, which must not need a lock that all connections share.
    is_cut: AtomicBool,
    wakes: CancellationToken,
}

impl Cut {
    /// Ends them.
    pub(super) fn off(&self) {
        self.0.is_cut.store(true, Ordering::Release);
        self.0.wakes.cancel();
    }
}

/// Numbers the connections, and lets all of them end at once.
pub(super) fn connections<IO>(
    incoming: impl Stream<Item = Accepted<IO>>,
    cut: Cut,
) -> impl Stream<Item = io::Result<Connection<IO>>> {
    let numbers = AtomicU64::new(1);
    incoming.map(move |Accepted { io, address }| {
        let peer = Peer { connection: numbers.fetch_add(1, Ordering::Relaxed), address };
        Ok(Connection {
            io: Gathering::new(io),
            peer,
            wakes: Box::pin(cut.0.wakes.clone().cancelled_owned()),
            woken: None,
            cut: cut.clone(),
            _open: Open::new(),
        })
    })
}

/// A connection that the server can end at any moment.
pub(super) struct Connection<IO> {
    io: Gathering<IO>,
    peer: Peer,
    cut: Cut,
    wakes: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Who is woken when the connection is cut off.
    woken: Option<Waker>,
    _open: Open,
}

impl<IO> Connection<IO> {
    /// Fails once the connection is cut off, and wakes the reader when that happens.
    fn not_cut(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if !self.woken.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            self.woken = Some(cx.waker().clone());
            // If it is ready, the connection is cut off.
            let _ = self.wakes.as_mut().poll(cx);
        }
        if self.is_cut() { Err(io::ErrorKind::ConnectionAborted.into()) } else { Ok(()) }
    }

    fn is_cut(&self) -> bool {
        self.cut.0.is_cut.load(Ordering::Acquire)
    }
}

impl<IO> Connected for Connection<IO> {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        self.peer
    }
}

impl<IO: AsyncRead + Unpin> AsyncRead for Connection<IO> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.not_cut(cx)?;
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for Connection<IO> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Nothing that still waits to be sent holds up a connection that is cut off.
        if self.is_cut() {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.io).poll_shutdown(cx)
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
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn a_connection_that_is_cut_off_ends_for_whoever_reads_it() {
        let cut = Cut::default();
        let (near, mut far) = duplex(64);
        let incoming = stream::iter([Accepted { io: near, address: None }]);
        let mut accepted = std::pin::pin!(connections(incoming, cut.clone()));
        let mut connection = accepted.next().await.unwrap().unwrap();
        assert_eq!(connection.connect_info().connection, 1);
        far.write_all(b"hello").await.unwrap();
        let mut read = [0; 5];
        connection.read_exact(&mut read).await.unwrap();

        let reading = tokio::spawn(async move { connection.read_u8().await });
        cut.off();
        let error = reading.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionAborted);
    }

    #[tokio::test]
    async fn every_connection_has_a_number_of_its_own() {
        let incoming = stream::iter((0..3).map(|_| Accepted { io: duplex(8).0, address: None }));
        let accepted = connections(incoming, Cut::default());
        let numbers: Vec<u64> =
            accepted.map(|connection| connection.unwrap().connect_info().connection).collect().await;
        assert_eq!(numbers, [1, 2, 3]);
    }
}
