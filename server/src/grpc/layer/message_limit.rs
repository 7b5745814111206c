//! No message is larger than the settings allow. The length that a message announces is looked at as it comes in: a
//! larger one is refused before any of it is kept, with the same reason in every kind of call.

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

/// Refuses messages of more than so many bytes.
#[derive(Clone, Copy, Debug)]
pub struct MessageSize {
    most: u64,
}

impl MessageSize {
    /// Messages have at most this many bytes.
    #[must_use]
    pub const fn new(most: usize) -> MessageSize {
        MessageSize { most: most as u64 }
    }
}

impl<S> Layer<S> for MessageSize {
    type Service = Sizing<S>;

    fn layer(&self, inner: S) -> Sizing<S> {
        Sizing { inner, most: self.most }
    }
}

/// The service of [`MessageSize`].
#[derive(Clone, Debug)]
pub struct Sizing<S> {
    inner: S,
    most: u64,
}

impl<S: Service<Request<Body>>> Service<Request<Body>> for Sizing<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> S::Future {
        let measure = Measure { most: self.most, at: At::HEADER };
        self.inner.call(request.map(|body| Body::new(Measured { body, measure })))
    }
}

/// Where in the body we are: messages are a flag, a length of four bytes and as many bytes, one after the other.
#[derive(Clone, Copy, Debug)]
enum At {
    /// So many bytes of the flag and the length have been seen, and the length is this so far.
    Header { seen: u8, length: u32 },
    /// So many bytes of the message are still to come.
    Message { left: u32 },
}

impl At {
    const HEADER: At = At::Header { seen: 0, length: 0 };
}

#[derive(Debug)]
struct Measure {
    most: u64,
    at: At,
}

impl Measure {
    fn see(&mut self, mut bytes: &[u8]) -> Result<(), Failure> {
        while bytes.has_remaining() {
            self.at = match self.at {
                At::Header { seen: 0, .. } => {
                    bytes.advance(1);
                    At::Header { seen: 1, length: 0 }
                }
                At::Header { seen, length } => {
                    let length = length << 8 | u32::from(bytes.get_u8());
                    if seen < 4 {
                        At::Header { seen: seen + 1, length }
                    } else if u64::from(length) > self.most {
                        return Err(Failure::MessageTooLarge { bytes: length.into(), most: self.most });
                    } else {
                        At::Message { left: length }.or_next()
                    }
                }
                At::Message { left } => {
                    let skip = bytes.len().min(left as usize);
                    bytes.advance(skip);
                    // What is skipped is no more than what is left.
                    At::Message { left: left - skip as u32 }.or_next()
                }
            };
        }
        Ok(())
    }
}

impl At {
    /// A message of which nothing is left is followed by the next one.
    const fn or_next(self) -> At {
        match self {
            At::Message { left: 0 } => At::HEADER,
            at => at,
        }
    }
}

struct Measured {
    body: Body,
    measure: Measure,
}

impl HttpBody for Measured {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(bytes) = frame.data_ref()
            && let Err(failure) = self.measure.see(bytes)
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

    fn see_in_parts(most: u64, bytes: &[u8], part: usize) -> Result<(), Failure> {
        let mut measure = Measure { most, at: At::HEADER };
        bytes.chunks(part).try_for_each(|part| measure.see(part))
    }

    proptest! {
        /// However the bytes are cut, exactly the first message that is too large is refused.
        #[test]
        fn only_messages_that_are_too_large_are_refused(
            messages in prop::collection::vec(0..40_usize, 0..8),
            part in 1..50_usize,
        ) {
            let seen = see_in_parts(20, &framed(&messages), part);
            let expected = match messages.iter().find(|length| **length > 20) {
                Some(length) => Err(Failure::MessageTooLarge { bytes: *length as u64, most: 20 }),
                None => Ok(()),
            };
            prop_assert_eq!(seen, expected);
        }
    }

    #[test]
    fn a_length_alone_is_enough_to_refuse() {
        let announced = [0, 0xff, 0xff, 0xff, 0xff];
        let refused = Failure::MessageTooLarge { bytes: u32::MAX.into(), most: 1024 };
        assert_eq!(see_in_parts(1024, &announced, 5), Err(refused));
    }
}
