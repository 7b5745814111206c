//! The streams that are open, each with what waits for its client.

use std::collections::HashMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};

use crate::HostError;
use crate::stream::queue::{OutboundBatch, StreamQueue};

/// The streams that are open, so that all of them can be ended.
#[derive(Debug, Default)]
pub(crate) struct StreamRegistry(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    /// By where they are in memory.
    streams: HashMap<usize, Weak<StreamQueue>>,
    ended: bool,
}

impl StreamRegistry {
    fn open(&self) -> MutexGuard<'_, Open> {
        // Nothing in here is left half done by a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, queue: &Arc<StreamQueue>) {
        let mut open = self.open();
        if open.ended {
            queue.end(HostError::Stopping);
        } else {
            open.streams.insert(Arc::as_ptr(queue).addr(), Arc::downgrade(queue));
        }
    }

    fn remove(&self, queue: &Arc<StreamQueue>) {
        self.open().streams.remove(&Arc::as_ptr(queue).addr());
    }

    /// Ends all streams after what waits, and those that are opened later.
    pub(crate) fn end_all(&self) {
        let mut open = self.open();
        open.ended = true;
        for queue in open.streams.drain().filter_map(|(_, queue)| queue.upgrade()) {
            queue.end(HostError::Stopping);
        }
    }
}

/// The reading end of a stream.
#[derive(Debug)]
pub struct StreamReceiver {
    queue: Arc<StreamQueue>,
    streams: Arc<StreamRegistry>,
    ended: bool,
}

impl StreamReceiver {
    pub(crate) fn new(queue: Arc<StreamQueue>, streams: Arc<StreamRegistry>) -> StreamReceiver {
        streams.add(&queue);
        StreamReceiver { queue, streams, ended: false }
    }

    /// The next message, with all that is ready and fits; waits until there is something. `None`: the stream has ended.
    pub fn poll_next(&mut self, context: &Context<'_>) -> Poll<Option<OutboundBatch>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let polled = self.queue.poll_take(context);
        if let Poll::Ready(batch) = &polled {
            self.ended = batch.as_ref().is_none_or(|batch| batch.ending.is_some());
        }
        polled
    }

    /// Whether the client has broken the rules of the stream, or its connection.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.queue.is_broken()
    }

    /// See [`StreamReceiver::poll_next`]. Nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<OutboundBatch> {
        poll_fn(|context| self.poll_next(context)).await
    }
}

impl Drop for StreamReceiver {
    fn drop(&mut self) {
        self.streams.remove(&self.queue);
    }
}
