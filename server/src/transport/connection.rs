//! IO of an accepted connection: coalesced writes, timeouts, peer information for tonic, the open-connections gauge,
//! and abort.
//!
//! tonic detaches its connection tasks. After the grace period of a shutdown their IO fails, which ends them.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
};

use metrics::gauge;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::transport::server::Connected;

use super::{
    coalesce::CoalescingIo,
    connection_limit::ConnectionPermit,
    timed_io::{IoTimeouts, TimedIo},
};
use crate::{grpc::Peer, telemetry::metric_names};

/// Aborts all connections of a server.
#[derive(Clone, Default)]
pub(super) struct CutOff(Arc<CutOffState>);

#[derive(Default)]
struct CutOffState {
    /// Read for every message: an atomic, because a shared lock would be contended by all connections.
    is_cut: AtomicBool,
    wakes: CancellationToken,
}

impl CutOff {
    /// Fails the IO of all connections from now on.
    pub(super) fn cut(&self) {
        self.0.is_cut.store(true, Ordering::Release);
        self.0.wakes.cancel();
    }

    fn check(&self) -> io::Result<()> {
        if self.0.is_cut.load(Ordering::Acquire) {
            return Err(io::Error::new(io::ErrorKind::ConnectionAborted, "the server is shutting down"));
        }
        Ok(())
    }
}

/// An accepted connection.
pub(super) struct Connection<IO> {
    io: CoalescingIo<TimedIo<IO>>,
    peer: Peer,
    cut_off: CutOff,
    /// Wakes the connection task when the connection is cut off.
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
    /// The waker registered with `cut`.
    waker: Option<Waker>,
    _open: OpenConnection,
    _permit: ConnectionPermit,
}

impl<IO> Connection<IO> {
    /// Wraps the IO of an admitted connection.
    pub(super) fn new(
        io: IO,
        peer: Peer,
        permit: ConnectionPermit,
        timeouts: IoTimeouts,
        cut_off: CutOff,
    ) -> Connection<IO> {
        Connection {
            io: CoalescingIo::new(TimedIo::new(io, timeouts)),
            peer,
            cut: Box::pin(cut_off.0.wakes.clone().cancelled_owned()),
            cut_off,
            waker: None,
            _open: OpenConnection::new(),
            _permit: permit,
        }
    }

    /// Fails if the connection is cut off; otherwise registers the task to be woken by the cut-off. One task
    /// serves a connection, so the waker rarely changes.
    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if !self.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            self.waker = Some(cx.waker().clone());
            // If `cut` is ready, the check below fails.
            let _ready = self.cut.as_mut().poll(cx);
        }
        self.cut_off.check()
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
        self.check(cx)?;
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for Connection<IO> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.cut_off.check()?;
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.cut_off.check()?;
        Pin::new(&mut self.io).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.cut_off.check()?;
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.cut_off.check()?;
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

/// Guard of the open-connections gauge.
struct OpenConnection;

impl OpenConnection {
    fn new() -> OpenConnection {
        gauge!(metric_names::CONNECTIONS_OPEN).increment(1);
        OpenConnection
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        gauge!(metric_names::CONNECTIONS_OPEN).decrement(1);
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::super::connection_limit::ConnectionLimit;
    use super::*;
    use crate::config::Connections;

    #[tokio::test]
    async fn a_cut_off_wakes_a_waiting_read_and_fails_all_io() {
        let (near, _far) = duplex(16);
        let cut_off = CutOff::default();
        let settings = Connections::default();
        let peer = Peer { connection: 1, address: None };
        let permit = ConnectionLimit::new(&settings, None).admit(peer).expect("a first connection");
        let timeouts = IoTimeouts::from(&settings);
        let mut connection = Connection::new(near, peer, permit, timeouts, cut_off.clone());
        connection.write_all(b"written").await.expect("an open connection");
        let mut buffer = [0; 4];
        let reading = tokio::spawn(async move {
            let read = connection.read(&mut buffer).await;
            (connection, read)
        });
        tokio::task::yield_now().await;
        assert!(!reading.is_finished(), "the client sends nothing");
        cut_off.cut();
        let (mut connection, read) = reading.await.expect("the reader");
        assert_eq!(read.expect_err("cut off").kind(), io::ErrorKind::ConnectionAborted);
        assert_eq!(
            connection.write(b"more").await.expect_err("cut off").kind(),
            io::ErrorKind::ConnectionAborted
        );
    }
}
