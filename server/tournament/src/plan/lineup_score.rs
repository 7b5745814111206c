//! Scores of a line-up in a round, as integers: decisions must not depend on rounding.

use super::lineups::Lineup;
use crate::{Entrant, Group};

/// Scores of a line-up in a round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LineupScore {
    pub(crate) lineup: Lineup,
    /// Score of each member over all tables of all groups: `points * players - points of all`. Divided by the
    /// number of others, it is the lead over the mean of the others.
    pub(crate) score: Vec<i64>,
    /// Score of each member in the tie-break groups.
    pub(crate) tie_score: Vec<i64>,
    /// Number of complete groups, without tie-break groups.
    pub(crate) groups: u32,
    /// Number of complete tie-break groups.
    pub(crate) tie_groups: u32,
}

impl LineupScore {
    pub(crate) fn new(lineup: &[Entrant]) -> LineupScore {
        let zeros = vec![0; lineup.len()];
        LineupScore {
            lineup: lineup.to_vec(),
            score: zeros.clone(),
            tie_score: zeros,
            groups: 0,
            tie_groups: 0,
        }
    }

    /// Adds a complete group; `tie` marks a tie-break group.
    pub(crate) fn add(&mut self, group: &Group, tie: bool) {
        let (groups, score) = match tie {
            true => (&mut self.tie_groups, &mut self.tie_score),
            false => (&mut self.groups, &mut self.score),
        };
        *groups += 1;
        for table in &group.tables {
            let total: i64 = table.points().map(|(_, points)| i64::from(points)).sum();
            for (entrant, points) in table.points() {
                if let Some(at) = self.lineup.iter().position(|member| *member == entrant) {
                    score[at] += i64::from(points) * self.lineup.len() as i64 - total;
                }
            }
        }
    }
}
