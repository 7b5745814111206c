//! Which deals of tournaments are over, and who is told when a table of one is.
//!
//! While a table of a deal is still to be played, the others have neither spectators nor records, and their seeds are
//! secret. A table does not know whether its deal is over; this does. It knows the tournaments that are not over; what it
//! does not know is over.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::mpsc;

use super::HostError;
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
    /// Who runs it.
    runner: Option<mpsc::UnboundedSender<TableEnd>>,
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

    /// A tournament is not over, and nobody runs it yet: none of its deals is shown.
    pub fn open(&self, tournament: TableId) {
        self.change(|all| {
            all.entry(tournament).or_default();
        });
    }

    /// Somebody runs the tournament, and is told from now on when a table of it is over.
    #[must_use]
    pub fn run(&self, tournament: TableId) -> mpsc::UnboundedReceiver<TableEnd> {
        // It holds at most one message for each table that runs.
        let (runner, ends) = mpsc::unbounded_channel();
        self.change(|all| all.entry(tournament).or_default().runner = Some(runner));
        ends
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
    pub(super) fn table_over(&self, table: TableId, deal: &Deal, ending: &Ending) {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(runner) = all.get(&deal.tournament).and_then(|open| open.runner.as_ref()) {
            let (number, rotation) = (deal.number, deal.rotation);
            // Whoever ran it has gone, and whoever runs it next looks for itself.
            let _ = runner.send(TableEnd { table, number, rotation, ending: ending.clone() });
        }
    }

    fn change(&self, change: impl FnOnce(&mut HashMap<TableId, Open>)) {
        // Each change is one step.
        change(&mut self.0.write().unwrap_or_else(PoisonError::into_inner));
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

    #[test]
    fn whoever_runs_it_is_told_of_tables() {
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
        assert_eq!((ends.try_recv().ok(), ends.try_recv().ok()), (Some(end), None));
        let refused = HostError::DealNotOver { tournament, number: 3 };
        assert_eq!((deals.check(Some(&deal)), deals.check(None)), (Err(refused), Ok(())));
    }
}
