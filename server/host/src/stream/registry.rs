//! Registry of the open streams, and the receiving side of a stream.

use std::collections::HashMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};

use crate::HostError;
use crate::stream::queue::{OutboundBatch, StreamQueue};

/// The open streams, so that all of them can be ended.
#[derive(Debug, Default)]
pub(crate) struct StreamRegistry(Mutex<OpenStreams>);

#[derive(Debug, Default)]
struct OpenStreams {
    /// By address of the queue.
    streams: HashMap<usize, Weak<StreamQueue>>,
    ended: bool,
}

impl StreamRegistry {
    fn lock(&self) -> MutexGuard<'_, OpenStreams> {
        // A panic cannot leave the state half updated.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, queue: &Arc<StreamQueue>) {
        let mut open = self.lock();
        if open.ended {
            queue.end(HostError::Stopping);
        } else {
            open.streams.insert(Arc::as_ptr(queue).addr(), Arc::downgrade(queue));
        }
    }

    fn remove(&self, queue: &Arc<StreamQueue>) {
        self.lock().streams.remove(&Arc::as_ptr(queue).addr());
    }

    /// Ends all streams after their queued items, and streams opened later at once.
    pub(crate) fn end_all(&self) {
        let mut open = self.lock();
        open.ended = true;
        for queue in open.streams.drain().filter_map(|(_, queue)| queue.upgrade()) {
            queue.end(HostError::Stopping);
        }
    }
}

/// The receiving side of a stream.
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

    /// Polls for the next message, with all queued items that fit. `None`: the stream has ended.
    pub fn poll_next(&mut self, context: &Context<'_>) -> Poll<Option<OutboundBatch>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let polled = self.queue.poll_next(context);
        if let Poll::Ready(batch) = &polled {
            self.ended = batch.as_ref().is_none_or(|batch| batch.end_reason.is_some());
        }
        polled
    }

    /// Returns whether the client has violated the protocol, or its connection has broken.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.queue.is_broken()
    }

    /// The next message. Cancel safe: no item is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<OutboundBatch> {
        poll_fn(|context| self.poll_next(context)).await
    }
}

impl Drop for StreamReceiver {
    fn drop(&mut self) {
        self.streams.remove(&self.queue);
    }
}
