//! Timeouts of a byte stream: for the first bytes of its client, and for a client that reads nothing.
//!
//! HTTP/2 finds dead clients by pings and HTTP/1 has a timeout for headers, but both begin when the protocol of the
//! connection is known, and HTTP/1 has nothing for a client that does not read its response.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

use crate::config::Connections;

/// Bytes from which the protocol of a connection is known: the length of the HTTP/2 preface.
const FIRST_BYTES: usize = 24;

/// Timeouts of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct IoTimeouts {
    /// Time until the first bytes of the client.
    pub(super) first_bytes: Duration,
    /// Time in which the client must read something that is waiting for it.
    pub(super) write: Duration,
}

impl From<&Connections> for IoTimeouts {
    fn from(settings: &Connections) -> IoTimeouts {
        IoTimeouts { first_bytes: settings.first_bytes_within.get(), write: settings.write_timeout.get() }
    }
}

/// A byte stream that fails when the client takes too long.
#[derive(Debug)]
pub(super) struct TimedIo<IO> {
    io: IO,
    /// `None` once they have arrived.
    first_bytes: Option<FirstBytes>,
    write_timeout: Duration,
    /// The timer of a write that waits for the client. It is only there while one does: usually none waits.
    stalled_write: Option<Pin<Box<Sleep>>>,
}

/// The first bytes of a client.
#[derive(Debug)]
struct FirstBytes {
    missing: usize,
    timer: Pin<Box<Sleep>>,
}

impl<IO> TimedIo<IO> {
    /// Starts the timeout of the first bytes.
    pub(super) fn new(io: IO, timeouts: IoTimeouts) -> TimedIo<IO> {
        let timer = Box::pin(sleep(timeouts.first_bytes));
        TimedIo {
            io,
            first_bytes: Some(FirstBytes { missing: FIRST_BYTES, timer }),
            write_timeout: timeouts.write,
            stalled_write: None,
        }
    }

    /// Passes on the result of a write, or fails if the client has read nothing for too long.
    fn check_write(
        &mut self,
        cx: &mut Context<'_>,
        write: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if write.is_ready() {
            self.stalled_write = None;
            return write;
        }
        let timeout = self.write_timeout;
        let timer = self.stalled_write.get_or_insert_with(|| Box::pin(sleep(timeout)));
        timer.as_mut().poll(cx).map(|()| Err(timed_out("the client reads nothing")))
    }
}

fn timed_out(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, why)
}

impl<IO: AsyncRead + Unpin> AsyncRead for TimedIo<IO> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let filled = buffer.filled().len();
        let read = Pin::new(&mut self.io).poll_read(cx, buffer);
        let Some(first) = &mut self.first_bytes else { return read };
        first.missing = first.missing.saturating_sub(buffer.filled().len() - filled);
        if first.missing == 0 {
            self.first_bytes = None;
        } else if read.is_pending() && first.timer.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(timed_out("the client sends nothing")));
        }
        read
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for TimedIo<IO> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.io).poll_write(cx, bytes);
        self.check_write(cx, write)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.io).poll_write_vectored(cx, slices);
        self.check_write(cx, write)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    const TIMEOUTS: IoTimeouts =
        IoTimeouts { first_bytes: Duration::from_secs(10), write: Duration::from_secs(30) };

    #[tokio::test(start_paused = true)]
    async fn first_bytes_in_drips_do_not_extend_their_timeout() {
        let (near, mut far) = duplex(64);
        let mut near = TimedIo::new(near, TIMEOUTS);
        let mut buffer = [0; 64];
        for _ in 0..3 {
            far.write_all(b"P").await.unwrap();
            assert_eq!(near.read(&mut buffer).await.unwrap(), 1);
            sleep(Duration::from_secs(3)).await;
        }
        assert_eq!(near.read(&mut buffer).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn client_that_has_sent_its_first_bytes_may_be_silent() {
        let (near, mut far) = duplex(64);
        let mut near = TimedIo::new(near, TIMEOUTS);
        far.write_all(&[b'x'; FIRST_BYTES]).await.unwrap();
        near.read_exact(&mut [0; FIRST_BYTES]).await.unwrap();
        let late = tokio::spawn(async move {
            sleep(Duration::from_secs(3600)).await;
            far.write_all(b"later").await.unwrap();
            far
        });
        near.read_exact(&mut [0; 5]).await.unwrap();
        late.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn slow_reader_keeps_its_connection_and_one_that_stops_loses_it() {
        let (near, mut far) = duplex(8);
        let mut near = TimedIo::new(near, TIMEOUTS);
        let reading = tokio::spawn(async move {
            for _ in 0..5 {
                far.read_exact(&mut [0; 8]).await.unwrap();
                sleep(Duration::from_secs(29)).await;
            }
            far
        });
        near.write_all(&[0; 48]).await.expect("a slow reader");
        let far = reading.await.unwrap();
        assert_eq!(near.write_all(&[0; 48]).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(far);
    }
}
