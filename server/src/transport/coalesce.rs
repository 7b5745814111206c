//! Brings what many streams of a connection have to say into one write.
//!
//! HTTP/2 writes each stream's frames as they come, a system call each, and a commit of the log makes many streams speak
//! at once. So what is written is gathered, and a flush first lets the tasks run that are ready, and does so again while that
//! brings more: their frames go the same way. Where it has lately brought nothing, as on a connection with one stream, nothing
//! waits.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// So much is gathered before it is written in any case.
const ENOUGH: usize = 64 * 1024;
/// How often a flush waits at the most. Under a load that never ceases something more comes every time.
const TIMES: u8 = 16;
/// After a wait that was for nothing, a flush does not wait; after each further one, twice as many, up to this.
const AT_ONCE: u8 = 64;

/// So much can be written without being gathered, where a flush does not wait.
const SMALL: usize = 1024;

/// A connection whose writes are gathered.
#[derive(Debug)]
pub(super) struct CoalescingIo<IO> {
    io: IO,
    gathered: BytesMut,
    /// How much there was lately when it was written: room is made for as much.
    lately: usize,
    /// The flush that waits.
    waiting: Option<Wait>,
    /// How many flushes do not wait after a wait that was for nothing.
    in_vain: u8,
    /// How many of the next flushes do not wait.
    at_once: u8,
}

#[derive(Clone, Copy, Debug)]
struct Wait {
    /// How much there was when it last looked.
    last: usize,
    /// How often it has waited.
    times: u8,
}

impl<IO> CoalescingIo<IO> {
    pub(super) fn new(io: IO) -> CoalescingIo<IO> {
        CoalescingIo { io, gathered: BytesMut::new(), lately: 0, waiting: None, in_vain: 0, at_once: 0 }
    }

    /// Whether a flush is to wait until the tasks that are ready have run.
    fn waits(&mut self) -> bool {
        match self.waiting.take() {
            Some(Wait { last, times }) if self.gathered.len() > last && times < TIMES => {
                self.waiting = Some(Wait { last: self.gathered.len(), times: times + 1 });
                true
            }
            Some(Wait { last, times }) => {
                let nothing_came = times == 1 && self.gathered.len() == last;
                self.in_vain = if nothing_came { (2 * self.in_vain).clamp(1, AT_ONCE) } else { 0 };
                self.at_once = self.in_vain;
                false
            }
            None if self.at_once > 0 => {
                self.at_once -= 1;
                false
            }
            None => {
                self.waiting = Some(Wait { last: self.gathered.len(), times: 1 });
                true
            }
        }
    }
}

/// What is to be written, in one piece: there is room for it.
fn joined<'a>(slices: &'a [IoSlice<'_>], room: &'a mut [u8; SMALL]) -> &'a [u8] {
    if let [slice] = slices {
        return slice;
    }
    let mut length = 0;
    for slice in slices {
        room[length..length + slice.len()].copy_from_slice(slice);
        length += slice.len();
    }
    &room[..length]
}

impl<IO: AsyncWrite + Unpin> CoalescingIo<IO> {
    /// Writes what was gathered.
    fn poll_write_out(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.gathered.is_empty() {
            let written = ready!(Pin::new(&mut self.io).poll_write(cx, &self.gathered))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.gathered.advance(written);
        }
        // A connection that rests has no buffer.
        self.gathered = BytesMut::new();
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
        if self.gathered.is_empty() && self.at_once > 0 && length <= SMALL {
            // The flush would not wait for more.
            self.at_once -= 1;
            return Pin::new(&mut self.io).poll_write(cx, joined(slices, &mut [0; SMALL]));
        }
        if self.gathered.len() >= ENOUGH {
            ready!(self.poll_write_out(cx))?;
        }
        if self.gathered.is_empty() {
            let room = self.lately.max(length);
            self.gathered.reserve(room);
        }
        slices.iter().for_each(|slice| self.gathered.extend_from_slice(slice));
        Poll::Ready(Ok(length))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.gathered.is_empty() {
            if self.waits() {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            self.lately = self.gathered.len().max(self.lately - self.lately / 16);
        }
        ready!(self.poll_write_out(cx))?;
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_write_out(cx))?;
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::task::yield_now;

    use super::*;

    #[tokio::test]
    async fn what_is_written_meanwhile_goes_in_one_write() {
        let (near, mut far) = duplex(1024);
        let mut near = CoalescingIo::new(near);
        let mut read = [0; 64];
        near.write_all(b"one ").await.unwrap();
        {
            let mut flush = std::pin::pin!(near.flush());
            assert!(futures_util::poll!(&mut flush).is_pending(), "others may have something to say");
        }
        near.write_all(b"two").await.unwrap();
        near.flush().await.unwrap();
        let length = far.read(&mut read).await.unwrap();
        assert_eq!(&read[..length], b"one two");
    }

    #[tokio::test]
    async fn it_waits_while_more_comes_but_not_for_ever() {
        let (near, mut far) = duplex(1024);
        let mut near = CoalescingIo::new(near);
        let mut read = [0; 128];
        for words in [TIMES, 2] {
            for word in 0..words {
                near.write_all(b"word").await.unwrap();
                assert!(futures_util::poll!(std::pin::pin!(near.flush())).is_pending(), "word {word}");
            }
            if words == TIMES {
                near.write_all(b"more").await.unwrap();
            }
            assert!(futures_util::poll!(std::pin::pin!(near.flush())).is_ready(), "{words} words");
            let length = far.read(&mut read).await.unwrap();
            assert_eq!(
                length,
                4 * usize::from(if words == TIMES { words + 1 } else { words }),
                "in one write"
            );
            assert_eq!(near.at_once, 0, "it was not in vain");
            assert_eq!(near.gathered.capacity(), 0, "a connection that rests has no buffer");
        }
    }

    #[tokio::test]
    async fn a_connection_with_little_to_say_says_it_at_once() {
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
    async fn everything_arrives_in_order_whatever_the_other_end_takes() {
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
