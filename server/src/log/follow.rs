//! Following a log: first what is in it, then what comes, each item once and in order.
//!
//! Whoever commits publishes here, after the commit. A topic exists while somebody follows it. Between a follower and
//! the log stands a queue of bounded length: who does not keep up is told, and follows again from where it was.

use std::collections::HashMap;
use std::collections::VecDeque;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::append::limits;
use super::{Entry, FeedItem, LogError};

/// How many commits may wait for a follower.
pub(super) const QUEUE: usize = 128;

/// Something with a number: an entry, a feed item.
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

/// What followers of a topic are told.
#[derive(Clone, Debug)]
enum News<T> {
    /// New items, all of one commit.
    More(Arc<[T]>),
    /// There will be no more: the table is finished, or it is gone and this is why.
    End(Option<LogError>),
}

/// All topics that somebody follows.
pub(super) struct Hub<K, T> {
    topics: Mutex<HashMap<K, broadcast::Sender<News<T>>>>,
}

impl<K: Hash + Eq + Clone + Send + 'static, T: Numbered + Send + Sync + 'static> Hub<K, T> {
    pub(super) fn new() -> Arc<Hub<K, T>> {
        Arc::new(Hub { topics: Mutex::new(HashMap::new()) })
    }

    fn topics(&self) -> MutexGuard<'_, HashMap<K, broadcast::Sender<News<T>>>> {
        // Nothing in here is left half done by a panic.
        self.topics.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Listens to a topic. Whoever then reads the log and gives the rest to [`Listening::after`] misses nothing.
    pub(super) fn listen(self: &Arc<Self>, key: K) -> Listening<T> {
        let receiver =
            self.topics().entry(key.clone()).or_insert_with(|| broadcast::Sender::new(QUEUE)).subscribe();
        let hub = self.clone();
        Listening { receiver: Some(receiver), leave: Box::new(move || hub.sweep(&key)) }
    }

    /// Forgets a topic that nobody follows.
    fn sweep(&self, key: &K) {
        let mut topics = self.topics();
        if topics.get(key).is_some_and(|topic| topic.receiver_count() == 0) {
            topics.remove(key);
        }
    }

    /// Tells the followers of new items. Only after they are durable.
    pub(super) fn publish(&self, key: &K, items: &[T]) {
        if items.is_empty() {
            return;
        }
        if let Some(topic) = self.topics().get(key) {
            // Fails when the last follower has just gone: then nobody needs to know.
            let _ = topic.send(News::More(items.into()));
        }
    }

    /// Tells the followers that nothing more will come.
    pub(super) fn end(&self, key: &K, why: Option<LogError>) {
        if let Some(topic) = self.topics().remove(key) {
            let _ = topic.send(News::End(why));
        }
    }

    /// Cuts all followers off.
    pub(super) fn close(&self) {
        self.topics().clear();
    }

    /// Whether nobody follows anything. Whoever begins to later reads what was durable before.
    pub(super) fn is_idle(&self) -> bool {
        self.topics().is_empty()
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.topics().len()
    }
}

/// What comes after the items that were read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rest {
    /// What will be committed.
    Live,
    /// Nothing: the table is finished.
    Finished,
    /// More that is in the log already, too much to be read at once.
    Unread,
}

impl Rest {
    /// After the entries of a table.
    pub(super) fn of_table(finished: bool) -> Rest {
        if finished { Rest::Finished } else { Rest::Live }
    }

    /// After so many items of a feed. A full page means that there may be more.
    pub(super) fn of_feed(items: usize) -> Rest {
        if items < limits::FEED_PAGE { Rest::Live } else { Rest::Unread }
    }
}

/// A follower that has not read yet what is in the log.
pub(super) struct Listening<T> {
    receiver: Option<broadcast::Receiver<News<T>>>,
    leave: Box<dyn Fn() + Send>,
}

impl<T> Drop for Listening<T> {
    fn drop(&mut self) {
        self.receiver = None;
        (self.leave)();
    }
}

impl<T: Numbered> Listening<T> {
    /// A follower that gets these items from number `next` on, and then what is new, unless `rest` says that there is
    /// more to be read first, or nothing to come.
    pub(super) fn after(self, ready: Vec<T>, next: u64, rest: Rest) -> Follow<T> {
        let end = match rest {
            Rest::Live => None,
            Rest::Finished => Some(Ok(())),
            Rest::Unread => Some(Err(LogError::Behind { next: next + ready.len() as u64 })),
        };
        Follow { ready: ready.into(), next, end, live: self }
    }
}

/// What is in a log from a cursor on, then what comes: each item once, in order, and only when it is durable.
pub struct Follow<T> {
    ready: VecDeque<T>,
    next: u64,
    /// Set when nothing more will come.
    end: Option<Result<(), LogError>>,
    live: Listening<T>,
}

impl<T> fmt::Debug for Follow<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Follow").field("next", &self.next).finish_non_exhaustive()
    }
}

#[expect(private_bounds, reason = "entries and feed items can be followed, and nothing else")]
impl<T: Numbered> Follow<T> {
    /// The next item, when it is there; `None` after the last one of a finished table.
    ///
    /// [`LogError::Behind`] says that this follower did not keep up and where to follow again. Nothing is lost when the
    /// future is dropped.
    pub async fn next(&mut self) -> Result<Option<T>, LogError> {
        loop {
            while let Some(item) = self.ready.pop_front() {
                // What was committed between listening and reading comes twice.
                if item.number() < self.next {
                    continue;
                }
                if item.number() > self.next {
                    self.ready.clear();
                    self.end = Some(Err(LogError::Behind { next: self.next }));
                    break;
                }
                self.next += 1;
                return Ok(Some(item));
            }
            match (&self.end, &mut self.live.receiver) {
                (Some(end), _) => return end.clone().map(|()| None),
                (None, None) => return Err(LogError::Closed),
                (None, Some(receiver)) => match receiver.recv().await {
                    Ok(News::More(items)) => self.ready.extend(items.iter().cloned()),
                    Ok(News::End(why)) => self.end = Some(why.map_or(Ok(()), Err)),
                    Err(RecvError::Lagged(_)) => self.end = Some(Err(LogError::Behind { next: self.next })),
                    Err(RecvError::Closed) => self.end = Some(Err(LogError::Closed)),
                },
            }
        }
    }

    /// The index or number that [`Follow::next`] gives next: the cursor to follow again from.
    #[must_use]
    pub fn cursor(&self) -> u64 {
        self.next
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::log::Millis;

    fn item(number: u64) -> FeedItem {
        FeedItem { number, at: Millis(0), payload: Bytes::new() }
    }

    #[tokio::test]
    async fn a_follower_that_does_not_keep_up_is_told_where_to_go_on() {
        let hub = Hub::<u8, FeedItem>::new();
        let mut slow = hub.listen(1).after(vec![item(1)], 1, Rest::Live);
        for number in 2..3 + QUEUE as u64 {
            hub.publish(&1, &[item(number)]);
        }
        assert_eq!(slow.next().await.unwrap().map(|item| item.number), Some(1));
        for _ in 0..2 {
            assert_eq!(slow.next().await, Err(LogError::Behind { next: 2 }));
        }
        assert_eq!(slow.cursor(), 2);
    }

    #[tokio::test]
    async fn what_was_read_and_published_comes_once() {
        let hub = Hub::<u8, FeedItem>::new();
        let listening = hub.listen(1);
        hub.publish(&1, &[item(1), item(2)]);
        hub.publish(&1, &[item(3)]);
        hub.publish(&2, &[item(9)]);
        let mut follow = listening.after(vec![item(1), item(2)], 1, Rest::Live);
        for number in 1..=3 {
            assert_eq!(follow.next().await, Ok(Some(item(number))));
        }
        hub.end(&1, None);
        assert_eq!(follow.next().await, Ok(None));
    }

    #[tokio::test]
    async fn a_topic_goes_with_its_last_follower() {
        let hub = Hub::<u8, FeedItem>::new();
        let first = hub.listen(1).after(Vec::new(), 1, Rest::Live);
        let second = hub.listen(1);
        drop(first);
        assert_eq!(hub.len(), 1);
        drop(second);
        assert_eq!(hub.len(), 0);
    }

    #[tokio::test]
    async fn followers_of_a_closed_log_are_cut_off() {
        let hub = Hub::<u8, FeedItem>::new();
        let mut follow = hub.listen(1).after(Vec::new(), 1, Rest::Live);
        hub.close();
        assert_eq!(follow.next().await, Err(LogError::Closed));
    }
}
