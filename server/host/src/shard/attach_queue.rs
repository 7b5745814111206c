//! Attach requests that wait until the shard has time for them: callers in turn, and those of each caller in order.
//!
//! An attach can cost as much as hundreds of moves, because it may send a whole game. A shard carries out a few in each of
//! its turns, so that the moves at its tables do not wait for an attach storm, nor the attaches of one caller for those of
//! another.

use std::collections::VecDeque;

use parlor_store::FastMap;

use super::table_message::AttachRequest;
use crate::limits::CallerKey;

/// Attach requests that wait. Each stream has a bounded number of them.
#[derive(Default)]
pub(crate) struct AttachQueue {
    requests: FastMap<Option<CallerKey>, VecDeque<Box<AttachRequest>>>,
    /// Callers with requests, in the order in which they are served.
    callers: VecDeque<Option<CallerKey>>,
}

impl AttachQueue {
    pub(crate) fn push(&mut self, attach: Box<AttachRequest>) {
        let of_caller = self.requests.entry(attach.caller).or_default();
        if of_caller.is_empty() {
            self.callers.push_back(attach.caller);
        }
        of_caller.push_back(attach);
    }

    /// Takes the next request of the next caller.
    pub(crate) fn pop(&mut self) -> Option<Box<AttachRequest>> {
        let caller = self.callers.pop_front()?;
        let of_caller = self.requests.get_mut(&caller)?;
        let attach = of_caller.pop_front();
        if of_caller.is_empty() {
            self.requests.remove(&caller);
        } else {
            self.callers.push_back(caller);
        }
        attach
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.callers.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use parlor_engine::Viewer;

    use super::*;
    use crate::clock::Moment;
    use crate::shard::subscription::test_subscription::subscription;
    use crate::stream::queue::CatchUpGuard;
    use crate::{TableId, ViewerCredential, Wants};

    fn request(caller: u64, number: u64) -> Box<AttachRequest> {
        let subscription = subscription(number, Viewer::Spectator, Wants::default());
        let table = TableId::from_bytes([1; 16]);
        Box::new(AttachRequest {
            channel: subscription.channel,
            attachment: subscription.attachment,
            credential: ViewerCredential::NoToken { table, caller: None, admin: false },
            caller: Some(CallerKey::Connection(caller)),
            after: None,
            wants: subscription.wants,
            arrived: Moment::START,
            agent: None,
            _catch_up: CatchUpGuard::new(&subscription.queue),
            queue: subscription.queue,
        })
    }

    #[test]
    fn callers_take_turns() {
        let mut queue = AttachQueue::default();
        for (caller, number) in [(7, 1), (7, 2), (7, 3), (8, 4), (9, 5), (8, 6)] {
            queue.push(request(caller, number));
        }
        let mut order = Vec::new();
        while let Some(attach) = queue.pop() {
            order.push(attach.attachment.0);
            // A caller that comes later waits for those that wait already, and not for all that they request.
            if attach.attachment.0 == 4 {
                queue.push(request(10, 7));
            }
        }
        assert_eq!(order, [1, 4, 5, 2, 6, 7, 3]);
        assert!(queue.is_empty() && queue.requests.is_empty());
    }
}
