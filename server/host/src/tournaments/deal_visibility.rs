//! Which deals of tournaments are over, and who is told when a table of one is.
//!
//! While a table of a deal is still to be played, the others have neither spectators nor records, and their seeds are
//! secret. A table does not know whether its deal is over; this does. It knows the tournaments that are not over; what it
//! does not know is over.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::Notify;

use crate::HostError;
use crate::TableId;
use crate::table::{Deal, Ending};

/// A table of a deal is over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableEnd {
    /// The table.
    pub table: TableId,
    /// The number of the deal.
    pub number: u32,
    /// Which table of the deal it was.
    pub rotation: u8,
    /// How it ended.
    pub ending: Ending,
}

/// A tournament that is not over.
#[derive(Default)]
struct Open {
    /// Its deals that are over.
    over: HashSet<u32>,
    /// Its tables that have ended since whoever runs it asked last: each that runs at most once.
    ended: Vec<TableEnd>,
    /// Wakes whoever runs it; none if nobody does.
    runner: Option<Arc<Notify>>,
}

/// The tournaments that are not over. Clones are the same.
#[derive(Clone, Default)]
pub struct Deals(Arc<RwLock<HashMap<TableId, Open>>>);

impl std::fmt::Debug for Deals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Deals")
    }
}

impl Deals {
    /// Whether everything of a deal may be shown.
    #[must_use]
    pub fn is_over(&self, tournament: TableId, number: u32) -> bool {
        let open = self.0.read().unwrap_or_else(PoisonError::into_inner);
        open.get(&tournament).is_none_or(|open| open.over.contains(&number))
    }

    /// Whether everything of the deal that a table belongs to may be shown.
    pub fn check(&self, deal: Option<&Deal>) -> Result<(), HostError> {
        match deal {
            Some(Deal { tournament, number, .. }) if !self.is_over(*tournament, *number) => {
                Err(HostError::DealNotOver { tournament: *tournament, number: *number })
            }
            _ => Ok(()),
        }
    }

    /// The tournaments that are not over, and were begun.
    #[must_use]
    pub fn tournaments(&self) -> Vec<TableId> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).keys().copied().collect()
    }

    /// A tournament is not over, and nobody runs it yet: none of its deals is shown.
    pub fn open(&self, tournament: TableId) {
        self.change(|all| {
            all.entry(tournament).or_default();
        });
    }

    /// Somebody runs the tournament, and is told from now on when a table of it is over.
    #[must_use]
    pub fn run(&self, tournament: TableId) -> TableEnds {
        let woken = Arc::new(Notify::new());
        self.change(|all| {
            let open = all.entry(tournament).or_default();
            (open.ended, open.runner) = (Vec::new(), Some(woken.clone()));
        });
        TableEnds { deals: self.clone(), tournament, woken }
    }

    /// A deal of the tournament is over: its last table is, or it is void and none of its tables runs.
    pub fn end(&self, tournament: TableId, number: u32) {
        self.change(|all| {
            if let Some(open) = all.get_mut(&tournament) {
                open.over.insert(number);
            }
        });
    }

    /// The tournament is over, with all its deals.
    pub fn close(&self, tournament: TableId) {
        self.change(|all| drop(all.remove(&tournament)));
    }

    /// A table of a deal is over, which is durable.
    pub(crate) fn table_over(&self, table: TableId, deal: &Deal, ending: &Ending) {
        self.change(|all| {
            let Some(open) = all.get_mut(&deal.tournament) else { return };
            // Whoever runs it next looks for itself.
            let Some(runner) = &open.runner else { return };
            let (number, rotation) = (deal.number, deal.rotation);
            open.ended.push(TableEnd { table, number, rotation, ending: ending.clone() });
            runner.notify_one();
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut HashMap<TableId, Open>) -> T) -> T {
        // Each change is one step.
        change(&mut self.0.write().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The tables of one tournament as they end, for whoever runs it.
#[derive(Debug)]
pub struct TableEnds {
    deals: Deals,
    tournament: TableId,
    woken: Arc<Notify>,
}

impl TableEnds {
    /// Those that have ended since the last call; waits until there is one. Nothing is lost when the future is dropped.
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
    fn what_is_not_known_to_be_open_is_over() {
        let (deals, tournament) = (Deals::default(), TableId::from_bytes([1; 16]));
        assert!(deals.is_over(tournament, 0));
        deals.open(tournament);
        assert!(!deals.is_over(tournament, 0));
        deals.end(tournament, 1);
        assert!(!deals.is_over(tournament, 0) && deals.is_over(tournament, 1));
        let _ends = deals.run(tournament);
        assert!(deals.is_over(tournament, 1), "whoever runs it forgets nothing");
        deals.close(tournament);
        assert!(deals.is_over(tournament, 0));
        deals.end(tournament, 0);
        assert!(deals.is_over(tournament, 7), "what is over stays so");
    }

    #[tokio::test]
    async fn whoever_runs_it_is_told_of_tables() {
        let (deals, tournament) = (Deals::default(), TableId::from_bytes([1; 16]));
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
        deals.table_over(table, &deal, &Ending::Expired);
        let mut ends = deals.run(tournament);
        deals.table_over(table, &deal, &Ending::Expired);
        let end = TableEnd { table, number: 3, rotation: 1, ending: Ending::Expired };
        assert_eq!(ends.next().await, [end]);
        let refused = HostError::DealNotOver { tournament, number: 3 };
        assert_eq!((deals.check(Some(&deal)), deals.check(None)), (Err(refused), Ok(())));
    }
}
