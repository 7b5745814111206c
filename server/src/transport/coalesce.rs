//! Write coalescing: combines the frames of many HTTP/2 streams into one write system call.
//!
//! hyper writes the frames of each stream as they arrive, one system call each, and a commit of the log makes
//! many streams send at once. Writes are therefore buffered, and a flush first yields so that ready tasks can
//! add their frames; it yields again while the buffer grows. After fruitless waits, as on a connection with
//! one stream, flushes skip the wait with exponential back-off.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Buffer size at which the buffer is written without a flush, in bytes.
const MAX_BUFFERED_BYTES: usize = 64 * 1024;
/// Maximum waits of one flush: under sustained load the buffer grows with every wait.
const MAX_WAITS: u8 = 16;
/// Maximum back-off: flushes that skip the wait after a fruitless one. The back-off starts at 1 and doubles.
const MAX_SKIPPED_WAITS: u8 = 64;

/// Maximum size of a write that bypasses the buffer while flushes skip the wait, in bytes.
const MAX_DIRECT_WRITE_BYTES: usize = 1024;

/// A connection with coalesced writes.
#[derive(Debug)]
pub(super) struct CoalescingIo<IO> {
    io: IO,
    buffer: BytesMut,
    /// Decaying maximum of recent flush sizes in bytes: the initial capacity of the next buffer.
    recent_size: usize,
    /// The flush in progress, if it waits.
    flush_wait: Option<FlushWait>,
    /// Back-off: flushes to skip after a fruitless wait.
    backoff: u8,
    /// Upcoming flushes that skip the wait.
    skip_waits: u8,
}

/// A flush that waits for further writes.
#[derive(Clone, Copy, Debug)]
struct FlushWait {
    /// Buffered bytes at the last wait.
    buffered: usize,
    /// Waits so far.
    waits: u8,
}

impl<IO> CoalescingIo<IO> {
    pub(super) fn new(io: IO) -> CoalescingIo<IO> {
        CoalescingIo {
            io,
            buffer: BytesMut::new(),
            recent_size: 0,
            flush_wait: None,
            backoff: 0,
            skip_waits: 0,
        }
    }

    /// Decides whether a flush yields to ready tasks before it writes.
    fn should_wait(&mut self) -> bool {
        match self.flush_wait.take() {
            Some(FlushWait { buffered, waits }) if self.buffer.len() > buffered && waits < MAX_WAITS => {
                self.flush_wait = Some(FlushWait { buffered: self.buffer.len(), waits: waits + 1 });
                true
            }
            Some(FlushWait { buffered, waits }) => {
                let is_fruitless = waits == 1 && self.buffer.len() == buffered;
                self.backoff = if is_fruitless { (2 * self.backoff).clamp(1, MAX_SKIPPED_WAITS) } else { 0 };
                self.skip_waits = self.backoff;
                false
            }
            None if self.skip_waits > 0 => {
                self.skip_waits -= 1;
                false
            }
            None => {
                self.flush_wait = Some(FlushWait { buffered: self.buffer.len(), waits: 1 });
                true
            }
        }
    }
}

/// Concatenates the slices. Panics if they exceed the scratch space.
fn concatenate<'a>(slices: &'a [IoSlice<'_>], scratch: &'a mut [u8; MAX_DIRECT_WRITE_BYTES]) -> &'a [u8] {
    if let [slice] = slices {
        return slice;
    }
    let mut length = 0;
    for slice in slices {
        scratch[length..length + slice.len()].copy_from_slice(slice);
        length += slice.len();
    }
    &scratch[..length]
}

impl<IO: AsyncWrite + Unpin> CoalescingIo<IO> {
    /// Writes the buffer to the connection.
    fn poll_write_buffer(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.buffer.is_empty() {
            let written = ready!(Pin::new(&mut self.io).poll_write(cx, &self.buffer))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.buffer.advance(written);
        }
        // An idle connection holds no buffer memory.
        self.buffer = BytesMut::new();
        Poll::Ready(Ok(()))
    }
}

impl<IO: AsyncRead + Unpin> AsyncRead for CoalescingIo<IO> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for CoalescingIo<IO> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let length = slices.iter().map(|slice| slice.len()).sum();
        if self.buffer.is_empty() && self.skip_waits > 0 && length <= MAX_DIRECT_WRITE_BYTES {
            // The flush would skip the wait, so there is nothing to coalesce.
            self.skip_waits -= 1;
            return Pin::new(&mut self.io)
                .poll_write(cx, concatenate(slices, &mut [0; MAX_DIRECT_WRITE_BYTES]));
        }
        if self.buffer.len() >= MAX_BUFFERED_BYTES {
            ready!(self.poll_write_buffer(cx))?;
        }
        if self.buffer.is_empty() {
            let capacity = self.recent_size.max(length);
            self.buffer.reserve(capacity);
        }
        slices.iter().for_each(|slice| self.buffer.extend_from_slice(slice));
        Poll::Ready(Ok(length))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.buffer.is_empty() {
            if self.should_wait() {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            self.recent_size = self.buffer.len().max(self.recent_size - self.recent_size / 16);
        }
        ready!(self.poll_write_buffer(cx))?;
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_write_buffer(cx))?;
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::task::yield_now;

    use super::*;

    #[tokio::test]
    async fn writes_during_a_flush_are_coalesced() {
        let (near, mut far) = duplex(1024);
        let mut near = CoalescingIo::new(near);
        let mut read = [0; 64];
        near.write_all(b"one ").await.unwrap();
        {
            let mut flush = std::pin::pin!(near.flush());
            assert!(futures_util::poll!(&mut flush).is_pending(), "the flush yields to other tasks");
        }
        near.write_all(b"two").await.unwrap();
        near.flush().await.unwrap();
        let length = far.read(&mut read).await.unwrap();
        assert_eq!(&read[..length], b"one two");
    }

    #[tokio::test]
    async fn flush_waits_while_the_buffer_grows_up_to_max_waits() {
        let (near, mut far) = duplex(1024);
        let mut near = CoalescingIo::new(near);
        let mut read = [0; 128];
        for words in [MAX_WAITS, 2] {
            for word in 0..words {
                near.write_all(b"word").await.unwrap();
                assert!(futures_util::poll!(std::pin::pin!(near.flush())).is_pending(), "word {word}");
            }
            if words == MAX_WAITS {
                near.write_all(b"more").await.unwrap();
            }
            assert!(futures_util::poll!(std::pin::pin!(near.flush())).is_ready(), "{words} words");
            let length = far.read(&mut read).await.unwrap();
            assert_eq!(
                length,
                4 * usize::from(if words == MAX_WAITS { words + 1 } else { words }),
                "in one write"
            );
            assert_eq!(near.skip_waits, 0, "no back-off");
            assert_eq!(near.buffer.capacity(), 0, "an idle connection holds no buffer");
        }
    }

    #[tokio::test]
    async fn fruitless_waits_are_backed_off() {
        let (near, mut far) = duplex(1024);
        let mut near = CoalescingIo::new(near);
        let mut waits = Vec::new();
        for flush in 0..1000 {
            near.write_all(b"x").await.unwrap();
            if futures_util::poll!(std::pin::pin!(near.flush())).is_pending() {
                waits.push(flush);
                near.flush().await.unwrap();
            }
            assert_eq!(far.read_u8().await.unwrap(), b'x');
        }
        assert_eq!(waits[..5], [0, 2, 5, 10, 19]);
        assert!(waits.len() < 25, "{waits:?}");
    }

    #[tokio::test]
    async fn all_bytes_arrive_in_order_with_a_slow_reader() {
        let (near, mut far) = duplex(100);
        let mut near = CoalescingIo::new(near);
        let all: Vec<u8> = (0..300_000_u32).map(|number| number as u8).collect();
        let expected = all.clone();
        let writing = tokio::spawn(async move {
            for part in all.chunks(777) {
                near.write_all(part).await.unwrap();
                yield_now().await;
            }
            near.shutdown().await.unwrap();
        });
        let mut read = Vec::new();
        far.read_to_end(&mut read).await.unwrap();
        writing.await.unwrap();
        assert!(read == expected);
    }
}
