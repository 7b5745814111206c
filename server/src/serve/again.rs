//! The tasks of calls. One that is woken while it runs goes on at once.
//!
//! HTTP/2 wakes a call whose message it has just taken, so that each message would be followed by a turn for nothing. The
//! scheduler comes to that turn when all others have had theirs, and by then all of the call has left the cache.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use futures_util::task::AtomicWaker;
use hyper::rt::Executor;

/// How often a task goes on at once before others have their turn.
const TIMES: u8 = 2;

/// Gives every call of a connection a task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tasks;

impl<F: Future<Output: Send> + Unpin + Send + 'static> Executor<F> for Tasks {
    fn execute(&self, call: F) {
        tokio::spawn(Again::new(call));
    }
}

/// A future that is polled again at once if it was woken while it was polled.
struct Again<F> {
    future: F,
    bell: Arc<Bell>,
    /// What rings the bell.
    waker: Waker,
}

/// What wakes the future.
#[derive(Default)]
struct Bell {
    state: AtomicU8,
    task: AtomicWaker,
}

/// The future waits to be woken.
const WAITS: u8 = 0;
/// It is being polled, and has not been woken since that began.
const RUNS: u8 = 1;
/// It was woken: it is being polled, or its task knows.
const WOKEN: u8 = 2;

impl Wake for Bell {
    fn wake(self: Arc<Bell>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Bell>) {
        if self.state.swap(WOKEN, Ordering::AcqRel) == WAITS {
            self.task.wake();
        }
    }
}

impl<F> Again<F> {
    fn new(future: F) -> Again<F> {
        let bell = Arc::<Bell>::default();
        Again { future, waker: bell.clone().into(), bell }
    }
}

impl<F: Future + Unpin> Future for Again<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let Again { future, bell, waker } = &mut *self;
        bell.task.register(cx.waker());
        for _ in 0..=TIMES {
            // What it was woken for before this, it is about to see.
            bell.state.swap(RUNS, Ordering::AcqRel);
            if let Poll::Ready(output) = Pin::new(&mut *future).poll(&mut Context::from_waker(waker)) {
                return Poll::Ready(output);
            }
            if bell.state.compare_exchange(RUNS, WAITS, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                return Poll::Pending;
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, pin::pin, sync::atomic::AtomicU32, time::Duration};

    use super::*;

    /// Counts how often it was rung.
    #[derive(Default)]
    struct Rung(AtomicU32);

    impl Wake for Rung {
        fn wake(self: Arc<Rung>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How often a future is polled, and its task is woken, when it is polled once and wakes itself so often.
    fn polled(wakes: u32) -> (u32, u32) {
        let (rung, mut polls) = (Arc::<Rung>::default(), 0);
        let mut again = Again::new(poll_fn(|cx| {
            polls += 1;
            if polls <= wakes {
                cx.waker().wake_by_ref();
            }
            Poll::<()>::Pending
        }));
        assert!(Pin::new(&mut again).poll(&mut Context::from_waker(&rung.clone().into())).is_pending());
        drop(again);
        (polls, rung.0.load(Ordering::Relaxed))
    }

    #[test]
    fn whoever_wakes_itself_goes_on_at_once_but_not_for_ever() {
        assert_eq!(polled(0), (1, 0));
        assert_eq!(polled(1), (2, 0));
        assert_eq!(polled(2), (3, 0));
        assert_eq!(polled(3), (3, 1), "others have their turn first");
        assert_eq!(polled(100), (3, 1));
    }

    #[test]
    fn whoever_waits_is_woken_once() {
        let rung = Arc::<Rung>::default();
        let mut inner: Option<Waker> = None;
        let mut again = Again::new(poll_fn(|cx| {
            inner = Some(cx.waker().clone());
            Poll::<()>::Pending
        }));
        let waker = rung.clone().into();
        assert!(Pin::new(&mut again).poll(&mut Context::from_waker(&waker)).is_pending());
        drop(again);
        let inner = inner.expect("a waker");
        inner.wake_by_ref();
        inner.wake();
        assert_eq!(rung.0.load(Ordering::Relaxed), 1);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nobody_who_is_woken_from_elsewhere_sleeps_on() {
        const COUNT: u32 = 100_000;
        let (shown, taken) = (Arc::<(AtomicU32, AtomicWaker)>::default(), Arc::<AtomicU32>::default());
        let taking = {
            let (shown, taken) = (shown.clone(), taken.clone());
            tokio::spawn(Again::new(Box::pin(poll_fn(move |cx| {
                shown.1.register(cx.waker());
                let seen = shown.0.load(Ordering::Acquire);
                taken.store(seen, Ordering::Release);
                if seen == COUNT { Poll::Ready(()) } else { Poll::Pending }
            }))))
        };
        let showing = tokio::task::spawn_blocking(move || {
            for number in 1..=COUNT {
                shown.0.store(number, Ordering::Release);
                shown.1.wake();
                // Now and then it has seen everything and waits.
                while number % 7 == 0 && taken.load(Ordering::Acquire) < number {
                    std::thread::yield_now();
                }
            }
        });
        let both = async { tokio::try_join!(taking, showing) };
        tokio::time::timeout(Duration::from_secs(60), pin!(both))
            .await
            .expect("nobody sleeps")
            .expect("both");
    }
}
