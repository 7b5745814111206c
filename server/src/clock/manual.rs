//! A clock that stands still until a test moves it.

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

/// Time that is moved by hand. Clones are the same clock.
///
/// Moving it wakes everyone whose deadline has come, earliest first, and among equals in the order in which they went
/// to sleep. A task on another thread may not have begun its wait yet when the test moves on: let
/// [`ManualClock::sleepers`] wait for it first.
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
    /// What the clock on the wall was last set to, and when.
    wall: (u64, Moment),
    next_number: u64,
    /// By deadline, then by who came first.
    waiting: BTreeMap<(Moment, u64), Waker>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing is left half done under this lock, so a panic elsewhere does no harm to it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts anew under the watch's own lock, so that the last count told is the last one true.
    fn tell_sleepers(&self) {
        self.sleepers.send_modify(|count| *count = self.state().waiting.len());
    }
}

impl ManualClock {
    /// What [`Clock::now_ms`] says on a new clock: 2026-01-01 00:00 UTC.
    pub const EPOCH_MS: u64 = 1_767_225_600_000;

    /// A clock that stands at the start of its stopwatch.
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

    /// Moves time forward and wakes, in order, everyone whose deadline has come.
    pub fn advance(&self, time: Duration) {
        let due = {
            let mut state = self.shared.state();
            let now = state.now + time;
            state.now = now;
            // Everything at or before `now` has a smaller key than this; numbers never get that far.
            let later = state.waiting.split_off(&(now, u64::MAX));
            std::mem::replace(&mut state.waiting, later)
        };
        self.shared.tell_sleepers();
        // Outside the lock: a waker may run its task right here.
        for waker in due.into_values() {
            waker.wake();
        }
    }

    /// Moves the clock on the wall alone, as an administrator or a time server does. The stopwatch does not notice.
    pub fn set_wall_clock(&self, now_ms: u64) {
        let mut state = self.shared.state();
        state.wall = (now_ms, state.now);
    }

    /// The earliest deadline that somebody waits for.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Moment> {
        let state = self.shared.state();
        state.waiting.keys().next().map(|(deadline, _)| *deadline)
    }

    /// Waits until at least so many are asleep on this clock.
    pub async fn sleepers(&self, count: usize) {
        let mut sleepers = self.shared.sleepers.subscribe();
        // The sender lives in `self`, so the only answer is that there are enough of them.
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
    /// Its place among those with the same deadline, once it has been polled.
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
        shared.tell_sleepers();
        Poll::Pending
    }
}

impl Drop for ManualSleep {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let shared = &self.clock.shared;
        let waker = shared.state().waiting.remove(&(self.deadline, number));
        if waker.is_some() {
            shared.tell_sleepers();
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

    /// Sleeps until each of the deadlines in a task of its own; gives the order in which they woke after each step.
    async fn wakes(deadlines: &[u32], steps: &[u32]) -> Vec<Vec<u32>> {
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
        clock.sleepers(deadlines.len()).await;
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
    async fn sleepers_wake_in_the_order_of_their_deadlines() {
        assert_eq!(wakes(&[30, 10, 20], &[60]).await, [[10, 20, 30]]);
        assert_eq!(wakes(&[3, 1, 2, 4], &[1, 1, 2]).await, [vec![1], vec![2], vec![3, 4]]);
        assert_eq!(wakes(&[2], &[1]).await, [Vec::<u32>::new()], "time is not up");
    }

    #[tokio::test]
    async fn time_stands_still_until_it_is_moved() {
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
    async fn a_dropped_sleep_is_forgotten() {
        let clock = ManualClock::new();
        let task = tokio::spawn({
            let clock = clock.clone();
            async move {
                tokio::select! {
                    () = clock.sleep_until(at(5)) => panic!("the longer one came first"),
                    () = clock.sleep_until(at(3)) => {}
                }
            }
        });
        clock.sleepers(2).await;
        assert_eq!(clock.next_deadline(), Some(at(3)));
        clock.advance(SECOND * 3);
        task.await.unwrap();
        assert_eq!(clock.next_deadline(), None);
        clock.sleepers(0).await;
    }

    #[tokio::test]
    async fn a_sleep_moved_to_another_task_wakes_that_one() {
        let clock = ManualClock::new();
        let mut sleep = clock.sleep_until(at(1));
        tokio::select! {
            biased;
            () = &mut sleep => panic!("nobody moved the clock"),
            () = async {} => {}
        }
        let task = tokio::spawn(sleep);
        tokio::task::yield_now().await;
        clock.advance(SECOND);
        task.await.unwrap();
    }

    #[test]
    fn it_is_used_as_any_clock() {
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::new());
        assert_eq!(clock.now(), Moment::START);
    }
}
