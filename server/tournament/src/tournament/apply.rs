//! Effects of entries on the groups: results, void groups, withdrawals, and the counting of complete groups.

use super::stages::FormatState;
use super::{GroupState, Tournament, TournamentState};
use crate::plan::TableKey;
use crate::stats::Sprt;
use crate::{Entrant, Group, TableScore};

impl Tournament {
    /// Records the result of a table, and completes its group with the last one.
    pub(super) fn record_table(&mut self, group: u32, table: TableScore) {
        self.schedule.close(TableKey { group, rotation: table.rotation });
        self.tables_over += 1;
        self.partial.entry(group).or_default().push(table);
        if self.schedule.is_group_closed(group) {
            let mut tables = self.partial.remove(&group).unwrap_or_default();
            tables.sort_by_key(|table| table.rotation);
            let planned = &mut self.groups[group as usize];
            planned.state = GroupState::Complete;
            self.provisional.insert(Group { number: group, round: planned.round, tables });
        }
    }

    /// Voids a group, with any results that it has.
    pub(super) fn void_group(&mut self, group: u32, reason: String) {
        for rotation in 0..self.setup.rotations() {
            self.schedule.close(TableKey { group, rotation });
        }
        self.groups[group as usize].state = GroupState::Void;
        self.voided.insert(group, reason);
        let partial = self.partial.remove(&group).unwrap_or_default().len();
        self.uncount_from(group);
        let complete = self.provisional.remove(group).map_or(0, |group| group.tables.len());
        self.tables_over -= (partial + complete) as u32;
    }

    /// If the group is counted, removes it and all later groups from the count, to be counted again without
    /// it.
    fn uncount_from(&mut self, group: u32) {
        if let Ok(at) = self.counted.binary_search_by_key(&group, |group| group.number) {
            self.counted.split_off(at).into_iter().for_each(|group| self.provisional.insert(group));
            self.next_to_count = group;
            self.test = self.setup.test.map(Sprt::new);
            self.counted.iter().for_each(|group| update_test(&mut self.test, group));
        }
    }

    /// Adds a replacement of a void group with a fresh deal, or other line-ups if a member of this one was
    /// withdrawn.
    pub(super) fn replace_group(&mut self, group: u32) {
        let planned = self.groups[group as usize];
        if self.lineup(planned.lineup).iter().all(|entrant| self.is_active(*entrant)) {
            self.add_group(planned);
        } else {
            self.repair_lineups();
        }
    }

    /// Withdraws an entrant: its open groups become void, and its queued line-ups are dropped.
    pub(super) fn withdraw(&mut self, entrant: Entrant) {
        self.withdrawn[entrant.index()] = true;
        if !self.has_begun() {
            return self.plan_first_stage();
        }
        let stage = self.schedule.first_group() as usize..self.groups.len();
        let affected: Vec<u32> = stage
            .filter(|&group| self.groups[group].state == GroupState::Open)
            .filter(|&group| self.lineup(self.groups[group].lineup).contains(&entrant))
            .map(|group| group as u32)
            .collect();
        for group in affected {
            self.void_group(group, format!("entrant {} was withdrawn", entrant.0));
        }
        let queued = std::mem::take(&mut self.queued_lineups).into_iter();
        self.queued_lineups = queued.filter(|lineup| !self.lineup(*lineup).contains(&entrant)).collect();
        let round = self.round();
        if let FormatState::Knockout(knockout) = &mut self.format_state {
            knockout.withdraw(entrant, round);
        }
        self.repair_lineups();
    }

    /// Counts all groups before the first open one.
    pub(super) fn count_groups(&mut self) {
        while let Some(planned) = self.groups.get(self.next_to_count as usize) {
            if planned.state == GroupState::Open {
                break;
            }
            self.next_to_count += 1;
            if let Some(group) = self.provisional.remove(self.next_to_count - 1) {
                update_test(&mut self.test, &group);
                self.counted.push(group);
            }
            // The test is decided by exactly these groups: complete groups after them are not counted.
            if self.test.as_ref().is_some_and(|test| test.state().decision.is_some()) {
                self.state = TournamentState::Finished;
                break;
            }
        }
    }
}

/// Updates the test with the score of its entrant, if it played in the group.
fn update_test(test: &mut Option<Sprt>, group: &Group) {
    let Some(test) = test else { return };
    let own = group.scores().into_iter().find(|score| score.entrant == test.test().entrant);
    if let Some(own) = own {
        test.push(own.score);
    }
}
