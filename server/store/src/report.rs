//! Report of a check: the contents of a store, and the problems found in it.

use std::collections::BTreeSet;
use std::fmt;

use crate::journal::row::StoredRow;
use crate::{LogError, LogKind, Place};

/// Problems that a report lists.
const MAX_PROBLEMS: usize = 100;

/// Contents of a store, and the problems found in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StoreReport {
    /// Number of tables.
    pub tables: u64,
    /// Number of tournaments.
    pub tournaments: u64,
    /// Number of agents.
    pub agents: u64,
    /// Number of these that are in play.
    pub in_play: u64,
    /// Number of these that are finished.
    pub finished: u64,
    /// Number of entries in their logs.
    pub entries: u64,
    /// Number of journal rows.
    pub journal_rows: u64,
    /// Number of feed items.
    pub feed_items: u64,
    /// The games of all listings.
    pub games: BTreeSet<String>,
    /// Descriptions of the first hundred problems.
    pub problems: Vec<String>,
}

impl StoreReport {
    /// Reports whether no problem was found.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }

    /// Counts a table, with the entries that its row covers.
    pub(crate) fn count(&mut self, row: &StoredRow) {
        match row.listing.kind {
            LogKind::Table => self.tables += 1,
            LogKind::Tournament => self.tournaments += 1,
            LogKind::Agent => self.agents += 1,
        }
        match row.place {
            Place::InPlay => self.in_play += 1,
            Place::Finished => self.finished += 1,
            Place::AtRest { .. } => {}
        }
        self.entries += row.stored.length;
        if !self.games.contains(&row.listing.game) {
            self.games.insert(row.listing.game.clone());
        }
    }

    pub(crate) fn note<T>(&mut self, result: Result<T, LogError>) -> Option<T> {
        result.map_err(|error| self.problem(error.to_string())).ok()
    }

    pub(crate) fn problem(&mut self, problem: String) {
        if self.problems.len() < MAX_PROBLEMS && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}

impl fmt::Display for StoreReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} tables, {} tournaments, {} agents ({} in play, {} finished), {} entries, {} rows in the journal, \
             {} feed items",
            self.tables,
            self.tournaments,
            self.agents,
            self.in_play,
            self.finished,
            self.entries,
            self.journal_rows,
            self.feed_items
        )?;
        for problem in &self.problems {
            writeln!(f, "problem: {problem}")?;
        }
        match self.problems.len() {
            0 => write!(f, "sound"),
            count => write!(f, "{count} problems: restore the store from a backup"),
        }
    }
}
