//! What can be seen of a tournament.

use super::course::Course;
use super::{State, Tournament};
use crate::plan::{Setup, TableId};
use crate::stats::{SequentialState, Sprt};
use crate::{Entrant, Group, TableScore};

/// Where a group is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupState {
    /// Not all of its tables are over.
    Open,
    /// All of its tables are over.
    Complete,
    /// It does not count.
    Void,
}

/// A group, whatever has become of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupLook<'a> {
    /// Its number.
    pub number: u32,
    /// The round, of a format that has rounds; 0 otherwise.
    pub round: u32,
    /// Who plays it, in no order.
    pub lineup: &'a [Entrant],
    /// Where it is.
    pub state: GroupState,
    /// Why it is void.
    pub void_reason: Option<&'a str>,
}

/// How far a tournament is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// How many groups count.
    pub groups_counted: u32,
    /// How many groups are complete, whether they count already or not.
    pub groups_complete: u32,
    /// How many groups there will be, void ones left out, as far as is known now.
    pub groups_expected: u32,
    /// How many groups are void.
    pub groups_voided: u32,
    /// How many tables are over, those of void groups left out.
    pub tables_over: u32,
    /// How many tables there will be, as far as is known now.
    pub tables_expected: u32,
    /// The round that is played or was the last, the first being 0.
    pub round: u32,
    /// How many rounds there will be, as far as is known now; 1 for a format that has none.
    pub rounds: u32,
}

/// Where an entrant stands by the rules of the format.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Placing {
    /// Who.
    pub entrant: Entrant,
    /// What the format says of the order: less is better, and among equals the mean group score decides. All are equal in a
    /// round robin and a gauntlet. Swiss: by points, then by Buchholz. Knockout: by the round in which one was out, then by
    /// the place in the line-up.
    pub order: u32,
    /// The points of a Swiss tournament, from the rounds that are complete; 0 in other formats.
    pub match_points: f64,
    /// The sum of the points of all opponents in a Swiss tournament; 0 in other formats.
    pub buchholz: f64,
    /// How many byes it had.
    pub byes: u32,
    /// The round of a knockout in which it was out, the first being 0.
    pub out_in_round: Option<u32>,
    /// Whether it was withdrawn.
    pub withdrawn: bool,
}

impl Tournament {
    /// How it was set up.
    #[must_use]
    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Where it is in its life.
    #[must_use]
    pub const fn state(&self) -> State {
        self.state
    }

    /// Whether nothing happens to it any more.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        matches!(self.state, State::Finished | State::Cancelled)
    }

    /// Why it was cancelled. Empty if there is nothing to say.
    #[must_use]
    pub fn note(&self) -> &str {
        &self.note
    }

    /// The groups that count, in order: each group before the first one that is open, void ones left out. Standings are
    /// made of these.
    #[must_use]
    pub fn counted(&self) -> &[Group] {
        &self.counted
    }

    /// How many groups are known: their numbers are those below.
    #[must_use]
    pub fn group_count(&self) -> u32 {
        self.groups.len() as u32
    }

    /// The state of the sequential test, if there is one.
    #[must_use]
    pub fn test(&self) -> Option<SequentialState> {
        self.test.as_ref().map(Sprt::state)
    }

    /// A group by its number.
    #[must_use]
    pub fn group(&self, number: u32) -> Option<GroupLook<'_>> {
        let planned = self.groups.get(number as usize)?;
        Some(GroupLook {
            number,
            round: planned.round,
            lineup: self.lineup(planned.lineup),
            state: planned.state,
            void_reason: self.voided.get(&number).map(String::as_str),
        })
    }

    /// Whether nothing of a group will be played any more, so that its deal may be shown.
    #[must_use]
    pub fn is_deal_over(&self, number: u32) -> bool {
        match self.groups.get(number as usize) {
            Some(planned) => self.is_over() || planned.state != GroupState::Open,
            None => false,
        }
    }

    /// A table, as it is to be made or was made. None if there is no such table.
    #[must_use]
    pub fn table(&self, table: TableId) -> Option<super::TableToMake> {
        let planned = self.groups.get(table.group as usize)?;
        let there = table.rotation < self.setup.rotations();
        there.then(|| super::TableToMake { table, round: planned.round, seats: self.seats(table) })
    }

    /// The result of a table, if it is over and its group is not void.
    #[must_use]
    pub fn result(&self, table: TableId) -> Option<&TableScore> {
        let tables = match self.counted.binary_search_by_key(&table.group, |group| group.number) {
            Ok(at) => &self.counted[at].tables,
            Err(_) => match self.ahead.get(&table.group) {
                Some(group) => &group.tables,
                None => self.partial.get(&table.group)?,
            },
        };
        tables.iter().find(|there| there.rotation == table.rotation)
    }

    /// Whether a table is still to be played: it is not over, and its group is not void. A table that is running and is not
    /// wanted any more should be cancelled.
    #[must_use]
    pub fn is_wanted(&self, table: TableId) -> bool {
        !self.is_over() && self.schedule.is_open(table)
    }

    /// How far it is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let voided = self.voided.len() as u32;
        let (rounds, groups_to_come) = self.to_come();
        let known = self.groups.len() as u32 - voided;
        let complete = (self.counted.len() + self.ahead.len()) as u32;
        let expected = if self.is_over() { complete } else { known.saturating_add(groups_to_come) };
        let tables = expected.saturating_mul(u32::from(self.setup.rotations()));
        Progress {
            groups_counted: self.counted.len() as u32,
            groups_complete: complete,
            groups_expected: expected,
            groups_voided: voided,
            tables_over: self.tables_over,
            tables_expected: if self.is_over() { self.tables_over } else { tables },
            round: self.round(),
            rounds,
        }
    }

    /// Where everyone stands by the rules of the format, in the order of the entrants.
    #[must_use]
    pub fn placings(&self) -> Vec<Placing> {
        let all: Vec<Entrant> = (0..self.setup.entrants).map(Entrant).collect();
        let plain = |entrant: Entrant| Placing {
            entrant,
            order: 0,
            match_points: 0.0,
            buchholz: 0.0,
            byes: 0,
            out_in_round: None,
            withdrawn: !self.is_there(entrant),
        };
        let mut placings: Vec<Placing> = all.iter().map(|who| plain(*who)).collect();
        match &self.course {
            Course::Fixed => {}
            Course::Swiss(swiss) => {
                for placing in &mut placings {
                    placing.match_points = swiss.points(placing.entrant);
                    placing.buchholz = swiss.buchholz(placing.entrant);
                    placing.byes = swiss.byes(placing.entrant);
                }
                rank(&mut placings, |a, b| {
                    let points = b.match_points.total_cmp(&a.match_points);
                    points.then(b.buchholz.total_cmp(&a.buchholz))
                });
            }
            Course::Knockout(knockout) => {
                for placing in &mut placings {
                    placing.byes = knockout.byes(placing.entrant);
                    placing.out_in_round = knockout.out(placing.entrant).map(|out| out.round);
                }
                // Those who are in come first; then the later out, the better, and in a round by what was reached in it.
                let key = |placing: &Placing| {
                    let out = knockout.out(placing.entrant);
                    out.map(|out| (std::cmp::Reverse(out.round), out.place, std::cmp::Reverse(out.score)))
                };
                rank(&mut placings, |a, b| key(a).cmp(&key(b)));
            }
        }
        placings
    }
}

/// Numbers the placings by an order; equals have equal numbers.
fn rank(placings: &mut [Placing], order: impl Fn(&Placing, &Placing) -> std::cmp::Ordering) {
    let mut sorted: Vec<usize> = (0..placings.len()).collect();
    sorted.sort_by(|&a, &b| order(&placings[a], &placings[b]));
    let mut before: Option<usize> = None;
    for (place, at) in sorted.into_iter().enumerate() {
        placings[at].order = match before {
            Some(before) if order(&placings[before], &placings[at]).is_eq() => placings[before].order,
            _ => place as u32,
        };
        before = Some(at);
    }
}
