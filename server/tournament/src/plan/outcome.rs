//! What a line-up reached in a round, in whole numbers: what decides must not hang on how a sum was rounded.

use super::lineups::Lineup;
use crate::{Entrant, Group};

/// What a line-up reached in a round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Outcome {
    /// Who played.
    pub(crate) lineup: Lineup,
    /// What each scored: over all tables of all groups, the points times the number of players, less the points of all.
    /// The lead over the mean of the others is this over the number of others.
    pub(crate) score: Vec<i64>,
    /// What each scored in the groups that were played because of a tie.
    pub(crate) tie_score: Vec<i64>,
    /// How many groups are complete.
    pub(crate) groups: u32,
    /// How many groups that were played because of a tie are complete.
    pub(crate) tie_groups: u32,
}

impl Outcome {
    pub(crate) fn new(lineup: &[Entrant]) -> Outcome {
        let zeros = vec![0; lineup.len()];
        Outcome { lineup: lineup.to_vec(), score: zeros.clone(), tie_score: zeros, groups: 0, tie_groups: 0 }
    }

    /// Counts a group.
    pub(crate) fn add(&mut self, group: &Group, tie: bool) {
        let (groups, score) = match tie {
            true => (&mut self.tie_groups, &mut self.tie_score),
            false => (&mut self.groups, &mut self.score),
        };
        *groups += 1;
        for table in &group.tables {
            let all: i64 = table.points().map(|(_, points)| i64::from(points)).sum();
            for (who, points) in table.points() {
                if let Some(at) = self.lineup.iter().position(|member| *member == who) {
                    score[at] += i64::from(points) * self.lineup.len() as i64 - all;
                }
            }
        }
    }
}
