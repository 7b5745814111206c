//! Complete groups that are not counted yet, with the sums that are shown of them.

use std::collections::BTreeMap;

use crate::plan::PlanSetup;
use crate::{Entrant, Group};

/// Score of an entrant in its provisional groups. It enters no statistic.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ProvisionalScore {
    /// Number of groups.
    pub groups: u32,
    /// Mean group score in points; 0 without groups.
    pub mean: f64,
}

/// Complete groups that are not counted yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ProvisionalGroups {
    groups: BTreeMap<u32, Group>,
    totals: Vec<Totals>,
    /// Scale of the sums: other players at a table, times tables of a group.
    scale: i64,
}

/// Sums of one entrant. They are integers, so that they do not depend on the order of the groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Totals {
    groups: u32,
    /// Sum of `points * players - points of all` over all tables.
    score: i64,
}

impl ProvisionalGroups {
    pub(super) fn new(setup: &PlanSetup) -> ProvisionalGroups {
        ProvisionalGroups {
            groups: BTreeMap::new(),
            totals: vec![Totals::default(); usize::from(setup.entrants)],
            scale: (i64::from(setup.players) - 1) * i64::from(setup.rotations()),
        }
    }

    pub(super) fn insert(&mut self, group: Group) {
        for (entrant, score) in scores(&group) {
            let totals = &mut self.totals[entrant.index()];
            totals.groups += 1;
            totals.score += score;
        }
        self.groups.insert(group.number, group);
    }

    pub(super) fn remove(&mut self, number: u32) -> Option<Group> {
        let group = self.groups.remove(&number)?;
        for (entrant, score) in scores(&group) {
            let totals = &mut self.totals[entrant.index()];
            totals.groups -= 1;
            totals.score -= score;
        }
        Some(group)
    }

    pub(super) fn get(&self, number: u32) -> Option<&Group> {
        self.groups.get(&number)
    }

    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Scores of all entrants, in their order.
    pub(super) fn scores(&self) -> impl Iterator<Item = ProvisionalScore> + '_ {
        self.totals.iter().map(|totals| {
            let divisor = (self.scale * i64::from(totals.groups)).max(1);
            ProvisionalScore { groups: totals.groups, mean: totals.score as f64 / divisor as f64 }
        })
    }
}

/// Score of each entrant of a group over its tables: `points * players - points of all`. Divided by the number of
/// others and of tables, it is the group score.
fn scores(group: &Group) -> impl Iterator<Item = (Entrant, i64)> {
    let entrants: Vec<Entrant> = group.scores().iter().map(|score| score.entrant).collect();
    let players = entrants.len() as i64;
    entrants.into_iter().map(move |entrant| {
        let of_table = |table: &crate::TableScore| {
            let all: i64 = table.points().map(|(_, points)| i64::from(points)).sum();
            let own: i64 =
                table.points().filter(|(of, _)| *of == entrant).map(|(_, points)| i64::from(points)).sum();
            own * players - all
        };
        (entrant, group.tables.iter().map(of_table).sum())
    })
}
