//! Following a log: stored items first, then new ones, each exactly once and in order.
//!
//! Committers publish to a topic after each commit. A topic exists while it has followers. Each follower has
//! a bounded queue; one that lags behind gets [`LogError::FollowerLagged`] and follows again from its cursor.

use std::collections::HashMap;
use std::collections::VecDeque;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::append::limits;
use super::{Entry, FeedItem, LogError};

/// Commits queued for one follower before it counts as lagging.
pub(super) const MAX_QUEUED_COMMITS: usize = 128;

/// An item with a sequence number.
pub(super) trait Numbered: Clone {
    fn number(&self) -> u64;
}

impl Numbered for Entry {
    fn number(&self) -> u64 {
        self.index
    }
}

impl Numbered for FeedItem {
    fn number(&self) -> u64 {
        self.number
    }
}

/// Message to the followers of a topic.
#[derive(Clone, Debug)]
enum TopicMessage<T> {
    /// New items of one commit.
    Items(Arc<[T]>),
    /// End of the topic: the table is finished, or this error.
    End(Option<LogError>),
}

/// All topics with followers.
pub(super) struct TopicHub<K, T> {
    topics: Mutex<HashMap<K, broadcast::Sender<TopicMessage<T>>>>,
}

impl<K: Hash + Eq + Clone + Send + 'static, T: Numbered + Send + Sync + 'static> TopicHub<K, T> {
    pub(super) fn new() -> Arc<TopicHub<K, T>> {
        Arc::new(TopicHub { topics: Mutex::new(HashMap::new()) })
    }

    fn topics(&self) -> MutexGuard<'_, HashMap<K, broadcast::Sender<TopicMessage<T>>>> {
        // No critical section leaves the map half updated, so a poisoned lock is safe to use.
        self.topics.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Subscribes to a topic. Reading the log afterwards and passing the items to
    /// [`PendingFollow::into_follow`] leaves no gap between stored and published items.
    pub(super) fn subscribe(self: &Arc<Self>, key: K) -> PendingFollow<T> {
        let receiver = self
            .topics()
            .entry(key.clone())
            .or_insert_with(|| broadcast::Sender::new(MAX_QUEUED_COMMITS))
            .subscribe();
        let hub = self.clone();
        PendingFollow { receiver: Some(receiver), on_drop: Box::new(move || hub.remove_if_unused(&key)) }
    }

    /// Removes a topic without followers.
    fn remove_if_unused(&self, key: &K) {
        let mut topics = self.topics();
        if topics.get(key).is_some_and(|topic| topic.receiver_count() == 0) {
            topics.remove(key);
        }
    }

    /// Publishes items that are durable.
    pub(super) fn publish(&self, key: &K, items: &[T]) {
        if items.is_empty() {
            return;
        }
        if let Some(topic) = self.topics().get(key) {
            // Fails when the last follower has just left.
            let _ = topic.send(TopicMessage::Items(items.into()));
        }
    }

    /// Ends a topic: nothing more will be published.
    pub(super) fn end_topic(&self, key: &K, why: Option<LogError>) {
        if let Some(topic) = self.topics().remove(key) {
            let _ = topic.send(TopicMessage::End(why));
        }
    }

    /// Ends all topics with [`LogError::Closed`].
    pub(super) fn close(&self) {
        self.topics().clear();
    }

    /// Reports whether there are no followers. A follower that subscribes later reads from the log everything
    /// durable by now.
    pub(super) fn is_idle(&self) -> bool {
        self.topics().is_empty()
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.topics().len()
    }
}

/// Continuation after the items read from the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FollowTail {
    /// Items committed from now on.
    Live,
    /// Nothing: the table is finished.
    Finished,
    /// Further stored items, beyond what one read returns.
    MoreStored,
}

impl FollowTail {
    /// Tail after the entries of a table.
    pub(super) fn of_table(finished: bool) -> FollowTail {
        if finished { FollowTail::Finished } else { FollowTail::Live }
    }

    /// Tail after this many feed items. A full page may have a next one.
    pub(super) fn of_feed(items: usize) -> FollowTail {
        if items < limits::MAX_FEED_PAGE_ITEMS { FollowTail::Live } else { FollowTail::MoreStored }
    }
}

/// A subscription whose stored items have not been read yet.
pub(super) struct PendingFollow<T> {
    receiver: Option<broadcast::Receiver<TopicMessage<T>>>,
    on_drop: Box<dyn Fn() + Send>,
}

impl<T> Drop for PendingFollow<T> {
    fn drop(&mut self) {
        self.receiver = None;
        (self.on_drop)();
    }
}

impl<T: Numbered> PendingFollow<T> {
    /// Starts delivery with these stored items, whose first has number `next`; `rest` says what comes after
    /// them.
    pub(super) fn into_follow(self, ready: Vec<T>, next: u64, rest: FollowTail) -> LogFollower<T> {
        let end = match rest {
            FollowTail::Live => None,
            FollowTail::Finished => Some(Ok(())),
            FollowTail::MoreStored => Some(Err(LogError::FollowerLagged { next: next + ready.len() as u64 })),
        };
        LogFollower { ready: ready.into(), next, end, live: self }
    }
}

/// A follower of a log from a cursor on: stored items, then new ones, each once, in order, and only when
/// durable.
pub struct LogFollower<T> {
    ready: VecDeque<T>,
    next: u64,
    /// Set when nothing more will be delivered.
    end: Option<Result<(), LogError>>,
    live: PendingFollow<T>,
}

impl<T> fmt::Debug for LogFollower<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogFollower").field("next", &self.next).finish_non_exhaustive()
    }
}

#[expect(private_bounds, reason = "only entries and feed items can be followed")]
impl<T: Numbered> LogFollower<T> {
    /// Waits for the next item; `None` after the last one of a finished table.
    ///
    /// # Errors
    ///
    /// [`LogError::FollowerLagged`] if this follower lagged, with the cursor to follow again from.
    ///
    /// # Cancellation
    ///
    /// Dropping the future loses no item.
    pub async fn next(&mut self) -> Result<Option<T>, LogError> {
        loop {
            while let Some(item) = self.ready.pop_front() {
                // Items committed between subscribing and reading arrive twice.
                if item.number() < self.next {
                    continue;
                }
                if item.number() > self.next {
                    self.ready.clear();
                    self.end = Some(Err(LogError::FollowerLagged { next: self.next }));
                    break;
                }
                self.next += 1;
                return Ok(Some(item));
            }
            match (&self.end, &mut self.live.receiver) {
                (Some(end), _) => return end.clone().map(|()| None),
                (None, None) => return Err(LogError::Closed),
                (None, Some(receiver)) => match receiver.recv().await {
                    Ok(TopicMessage::Items(items)) => self.ready.extend(items.iter().cloned()),
                    Ok(TopicMessage::End(why)) => self.end = Some(why.map_or(Ok(()), Err)),
                    Err(RecvError::Lagged(_)) => {
                        self.end = Some(Err(LogError::FollowerLagged { next: self.next }));
                    }
                    Err(RecvError::Closed) => self.end = Some(Err(LogError::Closed)),
                },
            }
        }
    }

    /// Cursor to follow again from: the index or number that [`LogFollower::next`] returns next.
    #[must_use]
    pub fn cursor(&self) -> u64 {
        self.next
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::Millis;

    fn item(number: u64) -> FeedItem {
        FeedItem { number, at: Millis(0), payload: Bytes::new() }
    }

    #[tokio::test]
    async fn lagging_follower_gets_its_resume_position() {
        let hub = TopicHub::<u8, FeedItem>::new();
        let mut slow = hub.subscribe(1).into_follow(vec![item(1)], 1, FollowTail::Live);
        for number in 2..3 + MAX_QUEUED_COMMITS as u64 {
            hub.publish(&1, &[item(number)]);
        }
        assert_eq!(slow.next().await.unwrap().map(|item| item.number), Some(1));
        for _ in 0..2 {
            assert_eq!(slow.next().await, Err(LogError::FollowerLagged { next: 2 }));
        }
        assert_eq!(slow.cursor(), 2);
    }

    #[tokio::test]
    async fn item_both_read_and_published_is_delivered_once() {
        let hub = TopicHub::<u8, FeedItem>::new();
        let pending = hub.subscribe(1);
        hub.publish(&1, &[item(1), item(2)]);
        hub.publish(&1, &[item(3)]);
        hub.publish(&2, &[item(9)]);
        let mut follow = pending.into_follow(vec![item(1), item(2)], 1, FollowTail::Live);
        for number in 1..=3 {
            assert_eq!(follow.next().await, Ok(Some(item(number))));
        }
        hub.end_topic(&1, None);
        assert_eq!(follow.next().await, Ok(None));
    }

    #[tokio::test]
    async fn topic_is_removed_with_its_last_follower() {
        let hub = TopicHub::<u8, FeedItem>::new();
        let first = hub.subscribe(1).into_follow(Vec::new(), 1, FollowTail::Live);
        let second = hub.subscribe(1);
        drop(first);
        assert_eq!(hub.len(), 1);
        drop(second);
        assert_eq!(hub.len(), 0);
    }

    #[tokio::test]
    async fn close_ends_every_follow_with_closed() {
        let hub = TopicHub::<u8, FeedItem>::new();
        let mut follow = hub.subscribe(1).into_follow(Vec::new(), 1, FollowTail::Live);
        hub.close();
        assert_eq!(follow.next().await, Err(LogError::Closed));
    }
}
