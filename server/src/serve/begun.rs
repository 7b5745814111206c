//! The beginning of a connection: its first bytes say which HTTP the client speaks.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};

/// What a client says first if it speaks HTTP/2.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A connection that has begun: what was read of it is read again.
#[derive(Debug)]
pub(super) struct Begun<IO> {
    io: IO,
    /// What was read and is to be read again.
    first: Vec<u8>,
    /// Whether anything came from the client since somebody last looked.
    heard: Arc<AtomicBool>,
}

impl<IO: AsyncRead + Unpin> Begun<IO> {
    /// Reads until it is clear whether the client speaks HTTP/2, and says so. Another one speaks HTTP/1, or nothing.
    pub(super) async fn of(mut io: IO) -> io::Result<(bool, Begun<IO>)> {
        let mut first = Vec::with_capacity(PREFACE.len());
        while first.len() < PREFACE.len() && PREFACE.starts_with(&first) {
            let missing = (PREFACE.len() - first.len()) as u64;
            if (&mut io).take(missing).read_buf(&mut first).await? == 0 {
                break;
            }
        }
        Ok((first == PREFACE, Begun { io, first, heard: Arc::default() }))
    }

    /// Set whenever anything comes from the client.
    pub(super) fn heard(&self) -> Arc<AtomicBool> {
        self.heard.clone()
    }
}

impl<IO: AsyncRead + Unpin> AsyncRead for Begun<IO> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.first.is_empty() {
            let now = self.first.len().min(buffer.remaining());
            buffer.put_slice(&self.first[..now]);
            self.first.drain(..now);
            return Poll::Ready(Ok(()));
        }
        let read = Pin::new(&mut self.io).poll_read(cx, buffer);
        if read.is_ready() {
            self.heard.store(true, Ordering::Relaxed);
        }
        read
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for Begun<IO> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, slices)
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
    use tokio::io::{AsyncWriteExt, duplex};

    use super::*;

    /// Whether this is HTTP/2 if it comes in two parts, cut here. All of it must be read again.
    async fn check(said: &[u8], cut: usize) -> bool {
        let (near, mut far) = duplex(1024);
        let said_by = said.to_vec();
        let saying = tokio::spawn(async move {
            let (one, two) = said_by.split_at(cut);
            far.write_all(one).await.unwrap();
            tokio::task::yield_now().await;
            far.write_all(two).await.unwrap();
        });
        let (is_http2, mut begun) = Begun::of(near).await.unwrap();
        saying.await.unwrap();
        let (mut heard, mut part) = (Vec::new(), [0; 5]);
        loop {
            match begun.read(&mut part).await.unwrap() {
                0 => break,
                read => heard.extend_from_slice(&part[..read]),
            }
        }
        assert_eq!(heard, said);
        is_http2
    }

    #[tokio::test]
    async fn the_first_bytes_say_which_it_is() {
        let more = [PREFACE, b"and more"].concat();
        for cut in 0..=PREFACE.len() {
            assert!(check(&more, cut).await && check(PREFACE, cut).await, "cut at {cut}");
            assert!(!check(&PREFACE[..cut.min(PREFACE.len() - 1)], 0).await, "no more than {cut}");
        }
        for other in [
            "",
            "G",
            "P",
            "GET / HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
        ] {
            for cut in 0..=other.len() {
                assert!(!check(other.as_bytes(), cut).await, "{other:?} cut at {cut}");
            }
        }
    }
}
