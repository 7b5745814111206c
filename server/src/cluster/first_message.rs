//! The first message of a request, read without taking it away from the service that serves the request.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tonic::{Status, body::Body};

/// Bytes before each gRPC message: a flag, and a length of four bytes.
pub(super) const PREFIX: usize = 5;

/// A request body, with its first message read.
#[derive(Debug)]
pub(super) struct FirstMessage {
    read: Bytes,
    rest: Body,
    /// Length of the first message with its prefix; `None` if there is none.
    length: Option<usize>,
}

impl FirstMessage {
    /// Reads up to the end of the first message. The layers before have limited its size.
    pub(super) async fn read(mut body: Body) -> Result<FirstMessage, Status> {
        let mut read = BytesMut::new();
        loop {
            if let Some(length) = message_length(&read).filter(|length| *length <= read.len()) {
                return Ok(FirstMessage { read: read.freeze(), rest: body, length: Some(length) });
            }
            match body.frame().await.transpose()? {
                Some(frame) => {
                    if let Ok(data) = frame.into_data() {
                        read.extend_from_slice(&data);
                    }
                }
                None => return Ok(FirstMessage { read: read.freeze(), rest: body, length: None }),
            }
        }
    }

    /// The first message; `None` if there is none, or if it is compressed.
    pub(super) fn message(&self) -> Option<&[u8]> {
        let length = self.length?;
        (self.read[0] == 0).then(|| &self.read[PREFIX..length])
    }

    /// The first message alone, as the body of a unary call.
    pub(super) fn to_unary_body(&self) -> Body {
        let message = self.read.slice(..self.length.unwrap_or(self.read.len()));
        Body::new(http_body_util::Full::new(message))
    }

    /// The whole body.
    pub(super) fn into_body(self) -> Body {
        Body::new(ReadAhead { read: self.read, rest: self.rest })
    }
}

/// Length of the first message with its prefix, if that much is known.
pub(super) fn message_length(bytes: &[u8]) -> Option<usize> {
    let length = bytes.get(1..PREFIX)?.try_into().ok()?;
    Some(PREFIX + u32::from_be_bytes(length) as usize)
}

/// A body whose beginning was read already.
struct ReadAhead {
    read: Bytes,
    rest: Body,
}

impl HttpBody for ReadAhead {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if self.read.has_remaining() {
            return Poll::Ready(Some(Ok(Frame::data(std::mem::take(&mut self.read)))));
        }
        Pin::new(&mut self.rest).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        !self.read.has_remaining() && self.rest.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{StreamExt, stream};
    use http_body_util::StreamBody;

    use super::*;

    fn body(bytes: &[u8], chunk: usize) -> Body {
        let chunks: Vec<_> = bytes
            .chunks(chunk)
            .map(|chunk| Ok::<_, Status>(Frame::data(Bytes::copy_from_slice(chunk))))
            .collect();
        Body::new(StreamBody::new(stream::iter(chunks).boxed()))
    }

    /// However the body is cut into frames, the first message is found and nothing is lost.
    #[tokio::test]
    async fn first_message_is_read_and_the_body_stays_whole() {
        let bytes = [0, 0, 0, 0, 2, 7, 8, 0, 0, 0, 0, 1, 9];
        for chunk in 1..=bytes.len() {
            let first = FirstMessage::read(body(&bytes, chunk)).await.unwrap();
            assert_eq!(first.message(), Some(&[7, 8][..]), "{chunk}");
            assert_eq!(first.to_unary_body().collect().await.unwrap().to_bytes(), &bytes[..7]);
            assert_eq!(first.into_body().collect().await.unwrap().to_bytes(), &bytes[..]);
        }
        for cut in 0..7 {
            let first = FirstMessage::read(body(&bytes[..cut], 3)).await.unwrap();
            assert_eq!(first.message(), None);
            assert_eq!(first.into_body().collect().await.unwrap().to_bytes(), &bytes[..cut]);
        }
    }
}
