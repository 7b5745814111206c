//! Heartbeats of a response stream: empty messages while nothing else is sent.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use parlor_host::Host;

/// Timer of a stream's heartbeats.
pub(super) struct Heartbeat {
    host: Host,
    interval: Duration,
    timer: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Heartbeat {
    /// Starts the timer.
    pub(super) fn new(host: Host, interval: Duration) -> Heartbeat {
        let timer = sleep(host.clone(), interval);
        Heartbeat { host, interval, timer }
    }

    /// Restarts the timer: a message is being sent.
    pub(super) fn restart(&mut self) {
        self.timer = sleep(self.host.clone(), self.interval);
    }

    /// Waits until a heartbeat is due, and restarts the timer.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let due = self.timer.as_mut().poll(cx);
        if due.is_ready() {
            self.restart();
        }
        due
    }
}

impl std::fmt::Debug for Heartbeat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Heartbeat").field("interval", &self.interval).finish_non_exhaustive()
    }
}

fn sleep(host: Host, time: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move { host.sleep(time).await })
}
