//! What an entry does to the groups: results come in, groups become void, entrants leave, and what is complete counts.

use super::course::Course;
use super::{GroupState, State, Tournament};
use crate::plan::TableId;
use crate::stats::Sprt;
use crate::{Entrant, Group, TableScore};

impl Tournament {
    /// Takes the result of a table.
    pub(super) fn take(&mut self, group: u32, table: TableScore) {
        self.schedule.close(TableId { group, rotation: table.rotation });
        self.tables_over += 1;
        self.partial.entry(group).or_default().push(table);
        if self.schedule.is_played(group) {
            let mut tables = self.partial.remove(&group).unwrap_or_default();
            tables.sort_by_key(|table| table.rotation);
            let planned = &mut self.groups[group as usize];
            planned.state = GroupState::Complete;
            self.ahead.insert(group, Group { number: group, round: planned.round, tables });
        }
    }

    /// Voids a group of the stage that is played, whatever it has.
    pub(super) fn void(&mut self, group: u32, reason: String) {
        for rotation in 0..self.setup.rotations() {
            self.schedule.close(TableId { group, rotation });
        }
        self.groups[group as usize].state = GroupState::Void;
        self.voided.insert(group, reason);
        let partial = self.partial.remove(&group).unwrap_or_default().len();
        self.uncount(group);
        let complete = self.ahead.remove(&group).map_or(0, |group| group.tables.len());
        self.tables_over -= (partial + complete) as u32;
    }

    /// If a group counts, counts only those before it, so that the others can be counted without it.
    fn uncount(&mut self, group: u32) {
        if let Ok(at) = self.counted.binary_search_by_key(&group, |group| group.number) {
            self.ahead.extend(self.counted.split_off(at).into_iter().map(|group| (group.number, group)));
            self.next = group;
            self.test = self.setup.test.map(Sprt::new);
            self.counted.iter().for_each(|group| tell(&mut self.test, group));
        }
    }

    /// Plays a void group again with a fresh deal. If somebody of its line-up is gone, others take its place.
    pub(super) fn replace(&mut self, group: u32) {
        let planned = self.groups[group as usize];
        if self.lineup(planned.lineup).iter().all(|who| self.is_there(*who)) {
            self.append(planned);
        } else {
            self.refill();
        }
    }

    /// Takes an entrant out.
    pub(super) fn withdraw(&mut self, entrant: Entrant) {
        self.withdrawn[entrant.index()] = true;
        if self.state == State::Created {
            return self.first_stage();
        }
        let open = self.schedule.first() as usize..self.groups.len();
        let gone: Vec<u32> = open
            .filter(|&group| self.groups[group].state == GroupState::Open)
            .filter(|&group| self.lineup(self.groups[group].lineup).contains(&entrant))
            .map(|group| group as u32)
            .collect();
        for group in gone {
            self.void(group, format!("entrant {} was withdrawn", entrant.0));
        }
        let later = std::mem::take(&mut self.later).into_iter();
        self.later = later.filter(|lineup| !self.lineup(*lineup).contains(&entrant)).collect();
        let round = self.round();
        if let Course::Knockout(knockout) = &mut self.course {
            knockout.withdraw(entrant, round);
        }
        self.refill();
    }

    /// Counts all groups up to the first that is open.
    pub(super) fn count(&mut self) {
        while let Some(planned) = self.groups.get(self.next as usize) {
            if planned.state == GroupState::Open {
                break;
            }
            self.next += 1;
            if let Some(group) = self.ahead.remove(&(self.next - 1)) {
                tell(&mut self.test, &group);
                self.counted.push(group);
            }
            // The question is answered by exactly these groups: whatever is complete beyond them does not count.
            if self.test.as_ref().is_some_and(|test| test.state().decision.is_some()) {
                self.state = State::Finished;
                break;
            }
        }
    }
}

/// Tells a test what its entrant scored in a group, if it was in it.
fn tell(test: &mut Option<Sprt>, group: &Group) {
    let Some(test) = test else { return };
    let own = group.scores().into_iter().find(|score| score.entrant == test.test().entrant);
    if let Some(own) = own {
        test.push(own.score);
    }
}
