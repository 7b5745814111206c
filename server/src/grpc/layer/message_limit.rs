//! Message size limit. The length prefix of each gRPC message is checked as it arrives: a message that is too
//! large is refused before any of it is buffered, with the same reason in unary and streaming calls.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::{Buf, Bytes};
use http::Request;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tonic::{Status, body::Body};
use tower::{Layer, Service};

use crate::grpc::Failure;

/// Refuses messages above a size limit.
#[derive(Clone, Copy, Debug)]
pub struct MessageLimitLayer {
    max_bytes: u64,
}

impl MessageLimitLayer {
    /// Limits messages to `max_bytes`.
    #[must_use]
    pub const fn new(max_bytes: usize) -> MessageLimitLayer {
        MessageLimitLayer { max_bytes: max_bytes as u64 }
    }
}

impl<S> Layer<S> for MessageLimitLayer {
    type Service = MessageLimitService<S>;

    fn layer(&self, inner: S) -> MessageLimitService<S> {
        MessageLimitService { inner, max_bytes: self.max_bytes }
    }
}

/// The service of [`MessageLimitLayer`].
#[derive(Clone, Debug)]
pub struct MessageLimitService<S> {
    inner: S,
    max_bytes: u64,
}

impl<S: Service<Request<Body>>> Service<Request<Body>> for MessageLimitService<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> S::Future {
        let check = LengthCheck { max_bytes: self.max_bytes, position: Position::HEADER };
        self.inner.call(request.map(|body| Body::new(LimitedBody { body, check })))
    }
}

/// Position in the body, a sequence of messages: each is a flag byte, a length of four bytes, and as many
/// bytes.
#[derive(Clone, Copy, Debug)]
enum Position {
    /// In the header: bytes of it that were read, and the length as far as it was read.
    Header { seen: u8, length: u32 },
    /// In a message: bytes that are left of it.
    Message { left: u32 },
}

impl Position {
    const HEADER: Position = Position::Header { seen: 0, length: 0 };
}

/// Incremental check of the message lengths in a body.
#[derive(Debug)]
struct LengthCheck {
    max_bytes: u64,
    position: Position,
}

impl LengthCheck {
    /// Checks the next bytes of the body, cut anywhere.
    fn advance(&mut self, mut bytes: &[u8]) -> Result<(), Failure> {
        while bytes.has_remaining() {
            self.position = match self.position {
                Position::Header { seen: 0, .. } => {
                    bytes.advance(1);
                    Position::Header { seen: 1, length: 0 }
                }
                Position::Header { seen, length } => {
                    let length = length << 8 | u32::from(bytes.get_u8());
                    if seen < 4 {
                        Position::Header { seen: seen + 1, length }
                    } else if u64::from(length) > self.max_bytes {
                        return Err(Failure::MessageTooLarge {
                            bytes: length.into(),
                            max_bytes: self.max_bytes,
                        });
                    } else {
                        Position::Message { left: length }.or_next()
                    }
                }
                Position::Message { left } => {
                    let skip = bytes.len().min(left as usize);
                    bytes.advance(skip);
                    // `skip` is at most `left`, so it fits into u32.
                    Position::Message { left: left - skip as u32 }.or_next()
                }
            };
        }
        Ok(())
    }
}

impl Position {
    /// Moves on to the next header after the last byte of a message.
    const fn or_next(self) -> Position {
        match self {
            Position::Message { left: 0 } => Position::HEADER,
            position => position,
        }
    }
}

/// A request body that fails at the first message that is too large.
struct LimitedBody {
    body: Body,
    check: LengthCheck,
}

impl HttpBody for LimitedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(bytes) = frame.data_ref()
            && let Err(failure) = self.check.advance(bytes)
        {
            return Poll::Ready(Some(Err(failure.into())));
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn framed(messages: &[usize]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for length in messages {
            bytes.push(0);
            bytes.extend((*length as u32).to_be_bytes());
            bytes.extend(std::iter::repeat_n(0xff, *length));
        }
        bytes
    }

    fn check_in_chunks(max_bytes: u64, bytes: &[u8], chunk: usize) -> Result<(), Failure> {
        let mut check = LengthCheck { max_bytes, position: Position::HEADER };
        bytes.chunks(chunk).try_for_each(|chunk| check.advance(chunk))
    }

    proptest! {
        /// The first message that is too large is refused, for every split of the bytes into chunks.
        #[test]
        fn only_messages_that_are_too_large_are_refused(
            messages in prop::collection::vec(0..40_usize, 0..8),
            chunk in 1..50_usize,
        ) {
            let result = check_in_chunks(20, &framed(&messages), chunk);
            let expected = match messages.iter().find(|length| **length > 20) {
                Some(length) => Err(Failure::MessageTooLarge { bytes: *length as u64, max_bytes: 20 }),
                None => Ok(()),
            };
            prop_assert_eq!(result, expected);
        }
    }

    #[test]
    fn length_prefix_alone_refuses_a_message_that_is_too_large() {
        let announced = [0, 0xff, 0xff, 0xff, 0xff];
        let refused = Failure::MessageTooLarge { bytes: u32::MAX.into(), max_bytes: 1024 };
        assert_eq!(check_in_chunks(1024, &announced, 5), Err(refused));
    }
}
