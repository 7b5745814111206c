//! A clock that tests advance by hand.

use std::{
    collections::BTreeMap,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::Duration,
};

use tokio::sync::watch;

use super::{Clock, Moment, Sleep};

/// A clock that stands still until it is advanced. Clones share the same time.
///
/// Advancing it wakes every sleep whose deadline has passed, earliest first, and equal deadlines in the order
/// in which they were first polled. A task on another thread may not be sleeping yet when the test advances
/// the clock: use [`ManualClock::wait_for_sleepers`] first.
#[derive(Clone, Debug)]
pub struct ManualClock {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    sleepers: watch::Sender<usize>,
}

#[derive(Debug)]
struct State {
    now: Moment,
    /// Last value of the wall clock that was set, and the moment it was set at.
    wall: (u64, Moment),
    next_number: u64,
    /// Sleeps by deadline, then in order of their first poll.
    waiting: BTreeMap<(Moment, u64), Waker>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // No critical section leaves the state half updated, so a poisoned lock is safe to use.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Recounts under the watch's lock, so that the last published count is the current one.
    fn update_sleeper_count(&self) {
        self.sleepers.send_modify(|count| *count = self.state().waiting.len());
    }
}

impl ManualClock {
    /// [`Clock::now_ms`] of a new clock: 2026-01-01 00:00 UTC.
    pub const EPOCH_MS: u64 = 1_767_225_600_000;

    /// A clock at the start of its monotonic time.
    #[must_use]
    pub fn new() -> ManualClock {
        let state = State {
            now: Moment::START,
            wall: (ManualClock::EPOCH_MS, Moment::START),
            next_number: 0,
            waiting: BTreeMap::new(),
        };
        ManualClock { shared: Arc::new(Shared { state: Mutex::new(state), sleepers: watch::Sender::new(0) }) }
    }

    /// Advances time and wakes, in order, every sleep whose deadline has passed.
    pub fn advance(&self, time: Duration) {
        let due = {
            let mut state = self.shared.state();
            let now = state.now + time;
            state.now = now;
            // Every deadline up to `now` has a smaller key than this; numbers never reach the maximum.
            let later = state.waiting.split_off(&(now, u64::MAX));
            std::mem::replace(&mut state.waiting, later)
        };
        self.shared.update_sleeper_count();
        // Outside the lock: a waker may run its task immediately.
        for waker in due.into_values() {
            waker.wake();
        }
    }

    /// Sets the wall clock alone, as an administrator or a time server does. Monotonic time is unaffected.
    pub fn set_wall_clock(&self, now_ms: u64) {
        let mut state = self.shared.state();
        state.wall = (now_ms, state.now);
    }

    /// The earliest deadline of any sleep.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Moment> {
        let state = self.shared.state();
        state.waiting.keys().next().map(|(deadline, _)| *deadline)
    }

    /// Waits until at least this many sleeps are pending on this clock.
    pub async fn wait_for_sleepers(&self, count: usize) {
        let mut sleepers = self.shared.sleepers.subscribe();
        // Cannot fail: the sender lives in `self`.
        let _enough = sleepers.wait_for(|asleep| *asleep >= count).await;
    }
}

impl Default for ManualClock {
    fn default() -> ManualClock {
        ManualClock::new()
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> u64 {
        let state = self.shared.state();
        let (set_to, set_at) = state.wall;
        let since = state.now.since(set_at).as_millis();
        set_to.saturating_add(u64::try_from(since).unwrap_or(u64::MAX))
    }

    fn now(&self) -> Moment {
        self.shared.state().now
    }

    fn sleep_until(&self, deadline: Moment) -> Sleep {
        Box::pin(ManualSleep { clock: self.clone(), deadline, number: None })
    }
}

struct ManualSleep {
    clock: ManualClock,
    deadline: Moment,
    /// Order among sleeps with the same deadline, assigned at the first poll.
    number: Option<u64>,
}

impl Future for ManualSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let shared = self.clock.shared.clone();
        {
            let mut state = shared.state();
            if state.now >= self.deadline {
                return Poll::Ready(());
            }
            let number = *self.number.get_or_insert_with(|| {
                state.next_number += 1;
                state.next_number
            });
            state.waiting.insert((self.deadline, number), context.waker().clone());
        }
        shared.update_sleeper_count();
        Poll::Pending
    }
}

impl Drop for ManualSleep {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let shared = &self.clock.shared;
        let waker = shared.state().waiting.remove(&(self.deadline, number));
        if waker.is_some() {
            shared.update_sleeper_count();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn at(seconds: u32) -> Moment {
        Moment::START + SECOND * seconds
    }

    /// Sleeps until each deadline in a task of its own; returns the order in which they woke after each step.
    async fn wake_order(deadlines: &[u32], steps: &[u32]) -> Vec<Vec<u32>> {
        let clock = ManualClock::new();
        let woken = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = Vec::new();
        for &deadline in deadlines {
            let (clock, woken) = (clock.clone(), woken.clone());
            tasks.push(tokio::spawn(async move {
                clock.sleep_until(at(deadline)).await;
                woken.lock().unwrap().push(deadline);
            }));
        }
        clock.wait_for_sleepers(deadlines.len()).await;
        let mut seen = Vec::new();
        for &step in steps {
            clock.advance(SECOND * step);
            for _ in 0..deadlines.len() {
                tokio::task::yield_now().await;
            }
            seen.push(std::mem::take(&mut *woken.lock().unwrap()));
        }
        for task in tasks {
            task.abort();
        }
        seen
    }

    #[tokio::test]
    async fn sleeps_wake_in_order_of_their_deadlines() {
        assert_eq!(wake_order(&[30, 10, 20], &[60]).await, [[10, 20, 30]]);
        assert_eq!(wake_order(&[3, 1, 2, 4], &[1, 1, 2]).await, [vec![1], vec![2], vec![3, 4]]);
        assert_eq!(wake_order(&[2], &[1]).await, [Vec::<u32>::new()], "time is not up");
    }

    #[tokio::test]
    async fn manual_clock_stands_still_until_advanced() {
        let clock = ManualClock::new();
        assert_eq!((clock.now(), clock.now_ms()), (at(0), ManualClock::EPOCH_MS));
        tokio::task::yield_now().await;
        assert_eq!(clock.now(), at(0));
        clock.advance(SECOND * 90);
        assert_eq!((clock.now(), clock.now_ms()), (at(90), ManualClock::EPOCH_MS + 90_000));
        clock.set_wall_clock(5_000);
        clock.advance(SECOND);
        assert_eq!((clock.now(), clock.now_ms()), (at(91), 6_000));
        clock.sleep_until(at(91)).await;
    }

    #[tokio::test]
    async fn dropped_sleep_is_removed() {
        let clock = ManualClock::new();
        let task = tokio::spawn({
            let clock = clock.clone();
            async move {
                tokio::select! {
                    () = clock.sleep_until(at(5)) => panic!("the later deadline woke first"),
                    () = clock.sleep_until(at(3)) => {}
                }
            }
        });
        clock.wait_for_sleepers(2).await;
        assert_eq!(clock.next_deadline(), Some(at(3)));
        clock.advance(SECOND * 3);
        task.await.unwrap();
        assert_eq!(clock.next_deadline(), None);
        clock.wait_for_sleepers(0).await;
    }

    #[tokio::test]
    async fn sleep_wakes_the_task_that_polled_it_last() {
        let clock = ManualClock::new();
        let mut sleep = clock.sleep_until(at(1));
        tokio::select! {
            biased;
            () = &mut sleep => panic!("woke without an advance"),
            () = async {} => {}
        }
        let task = tokio::spawn(sleep);
        tokio::task::yield_now().await;
        clock.advance(SECOND);
        task.await.unwrap();
    }

    #[test]
    fn manual_clock_works_as_dyn_clock() {
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::new());
        assert_eq!(clock.now(), Moment::START);
    }
}
