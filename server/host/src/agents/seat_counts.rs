//! Tables at which an agent has a seat, and its capacity for more.

use std::collections::HashMap;

use super::suspension::SuspensionScope;
use crate::TableId;
use crate::table::Setup;

/// A table at which an agent has a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SeatedTable {
    /// Scope in which its incidents count.
    pub(super) scope: SuspensionScope,
    /// The game has begun. Before that the table takes none of the agent's capacity.
    pub(super) plays: bool,
    /// Incidents at the table count: its clock can be kept.
    pub(super) counts_incidents: bool,
}

impl SeatedTable {
    pub(super) fn new(setup: &Setup, plays: bool) -> SeatedTable {
        SeatedTable {
            scope: scope_of(setup),
            plays,
            counts_incidents: super::incidents::counts_incidents(setup.time.decision),
        }
    }
}

/// Scope in which the incidents at a table count.
pub(super) fn scope_of(setup: &Setup) -> SuspensionScope {
    let tournament = setup.chance.deal().map(|deal| deal.tournament);
    SuspensionScope { owner: setup.owner.clone(), tournament }
}

/// Tables at which an agent has a seat, and that are not over.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct SeatCounts(HashMap<TableId, SeatedTable>);

impl SeatCounts {
    pub(super) fn insert(&mut self, table: TableId, seated: SeatedTable) {
        self.0.insert(table, seated);
    }

    pub(super) fn remove(&mut self, table: TableId) -> Option<SeatedTable> {
        self.0.remove(&table)
    }

    pub(super) fn contains(&self, table: TableId) -> bool {
        self.0.contains_key(&table)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Marks a table as begun or not.
    pub(super) fn set_plays(&mut self, table: TableId, plays: bool) {
        if let Some(seated) = self.0.get_mut(&table) {
            seated.plays = plays;
        }
    }

    /// Number of tables whose game has begun.
    pub(super) fn playing(&self) -> usize {
        self.0.values().filter(|seated| seated.plays).count()
    }

    /// Number of tables that wait for players.
    pub(super) fn waiting(&self) -> usize {
        self.len() - self.playing()
    }

    /// Number of tables of this owner, tournaments included.
    pub(super) fn of_owner(&self, owner: &str) -> usize {
        self.0.values().filter(|seated| seated.scope.owner == owner).count()
    }

    /// Number of tables in tournaments of this owner.
    pub(super) fn of_tournaments(&self, owner: &str) -> usize {
        let is_counted =
            |seated: &&SeatedTable| seated.scope.owner == owner && seated.scope.tournament.is_some();
        self.0.values().filter(is_counted).count()
    }

    /// Scopes of the tables at which incidents count, each once.
    pub(super) fn scopes(&self) -> Vec<SuspensionScope> {
        let mut scopes: Vec<SuspensionScope> = Vec::new();
        for seated in self.0.values().filter(|seated| seated.counts_incidents) {
            if !scopes.contains(&seated.scope) {
                scopes.push(seated.scope.clone());
            }
        }
        scopes
    }
}
