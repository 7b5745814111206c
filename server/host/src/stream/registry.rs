//! The streams that are open, each with what waits for its client.

use std::collections::HashMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};

use crate::HostError;
use crate::stream::queue::{Batch, Out};

/// The streams that are open, so that all of them can be ended.
#[derive(Debug, Default)]
pub(crate) struct Streams(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    /// By where they are in memory.
    streams: HashMap<usize, Weak<Out>>,
    ended: bool,
}

impl Streams {
    fn open(&self) -> MutexGuard<'_, Open> {
        // Nothing in here is left half done by a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, out: &Arc<Out>) {
        let mut open = self.open();
        if open.ended {
            out.end(HostError::Stopping);
        } else {
            open.streams.insert(Arc::as_ptr(out).addr(), Arc::downgrade(out));
        }
    }

    fn remove(&self, out: &Arc<Out>) {
        self.open().streams.remove(&Arc::as_ptr(out).addr());
    }

    /// Ends all streams after what waits, and those that are opened later.
    pub(crate) fn end_all(&self) {
        let mut open = self.open();
        open.ended = true;
        for out in open.streams.drain().filter_map(|(_, out)| out.upgrade()) {
            out.end(HostError::Stopping);
        }
    }
}

/// The reading end of a stream.
#[derive(Debug)]
pub struct Outbox {
    out: Arc<Out>,
    streams: Arc<Streams>,
    ended: bool,
}

impl Outbox {
    pub(crate) fn new(out: Arc<Out>, streams: Arc<Streams>) -> Outbox {
        streams.add(&out);
        Outbox { out, streams, ended: false }
    }

    /// The next message, with all that is ready and fits; waits until there is something. `None`: the stream has ended.
    pub fn poll_next(&mut self, context: &Context<'_>) -> Poll<Option<Batch>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let polled = self.out.poll_take(context);
        if let Poll::Ready(batch) = &polled {
            self.ended = batch.as_ref().is_none_or(|batch| batch.ending.is_some());
        }
        polled
    }

    /// Whether the client has broken the rules of the stream, or its connection.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.out.is_broken()
    }

    /// See [`Outbox::poll_next`]. Nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Batch> {
        poll_fn(|context| self.poll_next(context)).await
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        self.streams.remove(&self.out);
    }
}
