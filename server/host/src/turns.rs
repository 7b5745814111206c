//! Turns: the seats that an owner's tables wait for, told to the owner as they change.
//!
//! Only what everyone may see counts ([`Table::waiting_for`]), and only when it is durable. A subscriber is told states,
//! not steps: while it does not read, a table has one entry, however much is played.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parlor_engine::{Seat, Seats};
use parlor_store::OwnerId;
use tokio::sync::Notify;

use crate::identity::Owner;
use crate::table::{State, Table};
use crate::{Host, HostError, TableFilter, TableId};

/// Maximum number of tables whose changes a subscriber has not read; a slower one is disconnected.
const MAX_UNREAD_TABLES: usize = 65_536;
/// Tables per page of the first scan.
const PAGE_SIZE: usize = 100;

/// A table began or stopped to wait for a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TurnChange {
    /// The table.
    pub table: TableId,
    /// The seat.
    pub seat: Seat,
    /// True if the table waits for the seat now.
    pub asked: bool,
}

/// The seats that a table waits for after this many entries of its log.
#[derive(Clone, Copy)]
struct WaitingSeats {
    length: u64,
    seats: Seats,
}

/// Subscribers by owner.
#[derive(Default)]
pub(crate) struct TurnRegistry {
    /// Number of subscribers of all owners, so that a commit without any costs no lock.
    count: AtomicUsize,
    subscribers: Mutex<HashMap<OwnerId, Vec<Arc<UnreadTurns>>>>,
}

/// Changed tables that a subscriber has not read.
#[derive(Default)]
struct UnreadTurns {
    tables: Mutex<HashMap<TableId, WaitingSeats>>,
    changed: Notify,
}

/// Locks a mutex. No critical section here leaves its data half updated, so a poisoned lock is safe to use.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TurnRegistry {
    /// Publishes the durable state of a table.
    pub(crate) fn publish(&self, owner: &OwnerId, table: &Table) {
        if self.count.load(Ordering::Acquire) == 0 {
            return;
        }
        let subscribers = lock(&self.subscribers);
        let Some(of_owner) = subscribers.get(owner) else { return };
        let waiting = WaitingSeats { length: table.length(), seats: table.waiting_for() };
        for subscriber in of_owner {
            let mut tables = lock(&subscriber.tables);
            // One table more than the maximum tells the subscriber that it was too slow.
            if tables.len() <= MAX_UNREAD_TABLES {
                tables.insert(table.setup().table, waiting);
            }
            subscriber.changed.notify_one();
        }
    }

    fn subscribe(&self, owner: &OwnerId) -> Arc<UnreadTurns> {
        let unread = Arc::<UnreadTurns>::default();
        lock(&self.subscribers).entry(owner.clone()).or_default().push(unread.clone());
        self.count.fetch_add(1, Ordering::Release);
        unread
    }

    fn unsubscribe(&self, owner: &OwnerId, unread: &Arc<UnreadTurns>) {
        let mut subscribers = lock(&self.subscribers);
        if let Some(of_owner) = subscribers.get_mut(owner) {
            of_owner.retain(|other| !Arc::ptr_eq(other, unread));
            if of_owner.is_empty() {
                subscribers.remove(owner);
            }
        }
        self.count.fetch_sub(1, Ordering::Release);
    }
}

/// Subscription to the turns of an owner's tables.
pub struct TurnFeed {
    host: Host,
    owner: OwnerId,
    filter: TableFilter,
    unread: Arc<UnreadTurns>,
    /// The turns that the subscriber was told. During the first scan also tables that wait for nobody, so that an older state in the
    /// listing is recognised.
    told: HashMap<TableId, WaitingSeats>,
    scan: Scan,
}

/// Progress of the first scan, which lists the tables in play.
enum Scan {
    /// Continues behind this table.
    After(Option<TableId>),
    Done,
}

impl std::fmt::Debug for TurnFeed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TurnFeed").field("owner", &self.owner).finish_non_exhaustive()
    }
}

impl TurnFeed {
    pub(crate) fn new(host: &Host, owner: &Owner) -> Result<TurnFeed, HostError> {
        let id = OwnerId::new(owner.as_str())?;
        let filter = TableFilter {
            states: vec![State::Playing],
            caller: Some(owner.clone()),
            owned: true,
            ..TableFilter::default()
        };
        // Before the scan, so that no change is missed.
        let unread = host.shared.turns.subscribe(&id);
        let (host, told) = (host.clone(), HashMap::new());
        Ok(TurnFeed { host, owner: id, filter, unread, told, scan: Scan::After(None) })
    }

    /// Waits for changes: first of all seats that tables wait for, in several parts, then of what changes.
    ///
    /// # Cancellation
    /// Dropping the future loses no change.
    pub async fn next(&mut self) -> Result<Vec<TurnChange>, HostError> {
        loop {
            let listed = match self.scan {
                Scan::After(after) => {
                    let (tables, next) = self.host.list_tables(self.filter.clone(), after, PAGE_SIZE).await?;
                    Some((tables, next))
                }
                Scan::Done => {
                    self.unread.changed.notified().await;
                    None
                }
            };
            // Nothing waits from here on, so that nothing is lost.
            let mut changes = Vec::new();
            let unread = std::mem::take(&mut *lock(&self.unread.tables));
            if unread.len() > MAX_UNREAD_TABLES {
                return Err(HostError::TooSlow);
            }
            for (table, waiting) in unread {
                self.tell(table, waiting, &mut changes);
            }
            if let Some((tables, next)) = listed {
                for summary in tables {
                    let waiting = WaitingSeats { length: summary.length, seats: summary.waiting_for };
                    self.tell(summary.setup.table, waiting, &mut changes);
                }
                self.scan = next.map_or(Scan::Done, |table| Scan::After(Some(table)));
            }
            if matches!(self.scan, Scan::Done) {
                self.told.retain(|_, waiting| waiting.seats != Seats::NONE);
            }
            if !changes.is_empty() {
                return Ok(changes);
            }
        }
    }

    /// Adds the differences between what the subscriber was told of a table and its state, unless that is older.
    fn tell(&mut self, table: TableId, waiting: WaitingSeats, changes: &mut Vec<TurnChange>) {
        let before = self.told.get(&table).copied().unwrap_or(WaitingSeats { length: 0, seats: Seats::NONE });
        if waiting.length < before.length {
            return;
        }
        let gone = before.seats.iter().filter(|seat| !waiting.seats.contains(*seat));
        changes.extend(gone.map(|seat| TurnChange { table, seat, asked: false }));
        let new = waiting.seats.iter().filter(|seat| !before.seats.contains(*seat));
        changes.extend(new.map(|seat| TurnChange { table, seat, asked: true }));
        self.told.insert(table, waiting);
    }
}

impl Drop for TurnFeed {
    fn drop(&mut self) {
        self.host.shared.turns.unsubscribe(&self.owner, &self.unread);
    }
}
