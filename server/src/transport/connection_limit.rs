//! Limits of open connections, in total and per network address.
//!
//! A connection beyond a limit is closed as soon as it is accepted. The limits stay below that of open files, so that
//! the store and the metrics port always get theirs.

use std::{
    fs,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use metrics::counter;
use parlor_host::limits::{CountGuard, Counter, LimitedResource};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{config::Connections, grpc::Peer, telemetry::metric_names};

/// Files that are not connections of clients: the store, connections to the metrics port, the listeners.
const RESERVED_FILES: u32 = 128;

/// Limits of open connections. Clones share the counts.
#[derive(Clone)]
pub(super) struct ConnectionLimit(Arc<LimitState>);

struct LimitState {
    total: Arc<Semaphore>,
    addresses: Counter<IpAddr>,
    max_per_address: u32,
    /// Set after the first refusal, which is logged.
    has_refused: AtomicBool,
}

/// Space of one connection, which is released on drop.
pub(super) struct ConnectionPermit {
    _total: OwnedSemaphorePermit,
    _address: Option<CountGuard<IpAddr>>,
}

impl ConnectionLimit {
    /// The limits of the settings, on a server that may open `max_files` files, if that is limited.
    pub(super) fn new(settings: &Connections, max_files: Option<u32>) -> ConnectionLimit {
        let (total, per_address) = effective_limits(settings, max_files);
        if total < settings.max_total.get() {
            tracing::warn!(
                connections = total,
                "fewer connections than connections.max_total: raise the limit of open files (ulimit -n)"
            );
        }
        ConnectionLimit(Arc::new(LimitState {
            total: Arc::new(Semaphore::new(total as usize)),
            addresses: Counter::new(LimitedResource::Connections, total as usize),
            max_per_address: per_address,
            has_refused: AtomicBool::new(false),
        }))
    }

    /// Admits a connection, or refuses it.
    pub(super) fn admit(&self, peer: Peer) -> Option<ConnectionPermit> {
        let state = &self.0;
        let Ok(total) = state.total.clone().try_acquire_owned() else { return self.refuse("total") };
        let hold = |address| state.addresses.hold(&address, state.max_per_address);
        match peer.network_address().map(hold).transpose() {
            Ok(address) => Some(ConnectionPermit { _total: total, _address: address }),
            Err(_) => self.refuse("address"),
        }
    }

    fn refuse(&self, limit: &'static str) -> Option<ConnectionPermit> {
        counter!(metric_names::CONNECTIONS_REFUSED, "limit" => limit).increment(1);
        if !self.0.has_refused.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                limit,
                "connection refused: connections.max_total or connections.max_per_address is reached; \
                 further refusals are only counted"
            );
        }
        None
    }
}

/// The limits in total and per address that apply with this limit of open files.
///
/// One address gets half of all connections at most, unless its limit is as high as the total: then all clients may
/// come from one address, such as that of a proxy.
fn effective_limits(settings: &Connections, max_files: Option<u32>) -> (u32, u32) {
    let (max_total, max_per_address) = (settings.max_total.get(), settings.max_per_address.get());
    let for_connections = |files: u32| files - RESERVED_FILES.min(files / 2);
    let total = max_files.map_or(max_total, |files| for_connections(files).min(max_total)).max(1);
    let is_shared = max_per_address >= max_total;
    (total, if is_shared { total } else { max_per_address.min(total.div_ceil(2)) })
}

/// Maximum number of open files of this process (`ulimit -n`), if the system limits it.
pub(super) fn max_open_files() -> Option<u32> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Count;

    #[test]
    fn limits_stay_below_that_of_open_files() {
        let limits = |total: u32, per_address: u32, files| {
            let settings = Connections {
                max_total: Count::new(total),
                max_per_address: Count::new(per_address),
                ..Connections::default()
            };
            effective_limits(&settings, files)
        };
        assert_eq!(limits(10_000, 1_000, None), (10_000, 1_000));
        assert_eq!(limits(10_000, 1_000, Some(65_536)), (10_000, 1_000));
        assert_eq!(limits(10_000, 1_000, Some(1_024)), (896, 448));
        assert_eq!(limits(10_000, 10_000, Some(1_024)), (896, 896), "a proxy");
        assert_eq!(limits(10_000, 1_000, Some(100)), (50, 25));
        assert_eq!(limits(10_000, 1_000, Some(1)), (1, 1));
        assert_eq!(limits(10, 8, None), (10, 5));
    }

    #[test]
    fn limit_of_open_files_is_known() {
        assert!(max_open_files().expect("Linux has /proc") > RESERVED_FILES);
    }
}
