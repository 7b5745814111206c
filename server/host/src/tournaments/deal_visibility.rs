//! Visibility of the deals of tournaments, and notification of the runner when a table of a deal ends.
//!
//! While a table of a deal is still to be played, the other tables of the deal have neither spectators nor
//! records, and their seeds are secret. [`DealVisibility`] tracks the tournaments that are not over, with
//! their deals that are; a tournament that it does not have is over.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use tokio::sync::Notify;

use crate::HostError;
use crate::table::{Deal, Ending};
use crate::{TableId, TournamentId};

/// End of a table of a deal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableEnd {
    /// The table.
    pub table: TableId,
    /// Number of the deal.
    pub number: u32,
    /// Rotation: number of the table within the deal.
    pub rotation: u8,
    /// The ending.
    pub ending: Ending,
}

/// A tournament that is not over.
#[derive(Default)]
struct OpenTournament {
    /// Numbers of its deals that are over.
    over: HashSet<u32>,
    /// Its tables that have ended since the last [`TableEnds::next`]; at most one item for each running
    /// table.
    ended: Vec<TableEnd>,
    /// Wakes the runner; `None` without one.
    runner: Option<Arc<Notify>>,
}

/// Knowledge of the deals of tournaments that are played by other nodes.
pub trait RemoteDeals: std::fmt::Debug + Send + Sync + 'static {
    /// True if a deal is known to be over; `None` for a tournament of this node. A deal that nothing is known of is not
    /// over, and its node is asked, for the next time.
    fn is_over(&self, tournament: TournamentId, number: u32) -> Option<bool>;
}

/// The tournaments that are not over, and which of their deals are. Clones share the state.
#[derive(Clone, Default)]
pub struct DealVisibility {
    open: Arc<RwLock<HashMap<TournamentId, OpenTournament>>>,
    /// Set on a node of a cluster.
    remote: Arc<OnceLock<Arc<dyn RemoteDeals>>>,
}

impl std::fmt::Debug for DealVisibility {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DealVisibility")
    }
}

impl DealVisibility {
    /// Returns whether a deal is over, so that all of it may be shown.
    #[must_use]
    pub fn is_over(&self, tournament: TournamentId, number: u32) -> bool {
        if let Some(over) = self.remote.get().and_then(|remote| remote.is_over(tournament, number)) {
            return over;
        }
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        open.get(&tournament).is_none_or(|open| open.over.contains(&number))
    }

    /// Leaves the tournaments of other nodes to their nodes. Called once, at the start.
    pub fn set_remote(&self, remote: Arc<dyn RemoteDeals>) {
        // A second call would set the same.
        let _ = self.remote.set(remote);
    }

    /// Checks that the deal of a table is over; `None` is a table without a deal.
    ///
    /// # Errors
    ///
    /// [`HostError::DealNotOver`].
    pub fn check(&self, deal: Option<&Deal>) -> Result<(), HostError> {
        match deal {
            Some(Deal { tournament, number, .. }) if !self.is_over(*tournament, *number) => {
                Err(HostError::DealNotOver { tournament: *tournament })
            }
            _ => Ok(()),
        }
    }

    /// The tournaments that have started and are not over.
    #[must_use]
    pub fn tournaments(&self) -> Vec<TournamentId> {
        self.open.read().unwrap_or_else(PoisonError::into_inner).keys().copied().collect()
    }

    /// Adds a tournament that is not over and has no runner yet: none of its deals is visible.
    pub fn open(&self, tournament: TournamentId) {
        self.change(|all| {
            all.entry(tournament).or_default();
        });
    }

    /// Registers the runner of a tournament, and returns its source of table ends from now on.
    #[must_use]
    pub fn attach_runner(&self, tournament: TournamentId) -> TableEnds {
        let woken = Arc::new(Notify::new());
        self.change(|all| {
            let open = all.entry(tournament).or_default();
            (open.ended, open.runner) = (Vec::new(), Some(woken.clone()));
        });
        TableEnds { deals: self.clone(), tournament, woken }
    }

    /// Marks a deal as over: its last table has ended, or it is void and none of its tables runs.
    pub fn end_deal(&self, tournament: TournamentId, number: u32) {
        self.change(|all| {
            if let Some(open) = all.get_mut(&tournament) {
                open.over.insert(number);
            }
        });
    }

    /// Removes a tournament that is over, with all its deals.
    pub fn close(&self, tournament: TournamentId) {
        self.change(|all| drop(all.remove(&tournament)));
    }

    /// Notifies the runner that a table of a deal is durably over.
    pub(crate) fn notify_table_over(&self, table: TableId, deal: &Deal, ending: &Ending) {
        self.change(|all| {
            let Some(open) = all.get_mut(&deal.tournament) else { return };
            // The next runner finds ended tables when it starts.
            let Some(runner) = &open.runner else { return };
            let (number, rotation) = (deal.number, deal.rotation);
            open.ended.push(TableEnd { table, number, rotation, ending: ending.clone() });
            runner.notify_one();
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut HashMap<TournamentId, OpenTournament>) -> T) -> T {
        // A panic leaves the map consistent: each change is one step.
        change(&mut self.open.write().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Source of the table ends of one tournament, for its runner.
#[derive(Debug)]
pub struct TableEnds {
    deals: DealVisibility,
    tournament: TournamentId,
    woken: Arc<Notify>,
}

impl TableEnds {
    /// Waits for tables that have ended since the last call.
    ///
    /// # Cancellation
    ///
    /// No end is lost if the future is dropped.
    pub async fn next(&mut self) -> Vec<TableEnd> {
        loop {
            let ended = self.deals.change(|all| {
                all.get_mut(&self.tournament).map(|open| std::mem::take(&mut open.ended)).unwrap_or_default()
            });
            if !ended.is_empty() {
                return ended;
            }
            self.woken.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tournament_that_is_not_open_is_over() {
        let (deals, tournament) = (DealVisibility::default(), TournamentId::from_bytes([1; 16]));
        assert!(deals.is_over(tournament, 0));
        deals.open(tournament);
        assert!(!deals.is_over(tournament, 0));
        deals.end_deal(tournament, 1);
        assert!(!deals.is_over(tournament, 0) && deals.is_over(tournament, 1));
        let _ends = deals.attach_runner(tournament);
        assert!(deals.is_over(tournament, 1), "a new runner keeps the deals that are over");
        deals.close(tournament);
        assert!(deals.is_over(tournament, 0));
        deals.end_deal(tournament, 0);
        assert!(deals.is_over(tournament, 7), "a closed tournament stays over");
    }

    #[tokio::test]
    async fn runner_is_notified_of_table_ends() {
        let (deals, tournament) = (DealVisibility::default(), TournamentId::from_bytes([1; 16]));
        let deal = Deal {
            tournament,
            number: 3,
            rotation: 1,
            server_seed: [0; 32],
            entropy: Vec::new(),
            recolour: true,
            given: false,
        };
        let table = TableId::from_bytes([2; 16]);
        deals.notify_table_over(table, &deal, &Ending::Expired);
        let mut ends = deals.attach_runner(tournament);
        deals.notify_table_over(table, &deal, &Ending::Expired);
        let end = TableEnd { table, number: 3, rotation: 1, ending: Ending::Expired };
        assert_eq!(ends.next().await, [end]);
        let refused = HostError::DealNotOver { tournament };
        assert_eq!((deals.check(Some(&deal)), deals.check(None)), (Err(refused), Ok(())));
    }
}
