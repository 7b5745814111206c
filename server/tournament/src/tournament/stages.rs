//! Stages of a tournament by format: the first stage, the transition to the next one, and repairs after
//! withdrawals.

use super::{GroupState, PlannedGroup, Tournament};
use crate::Entrant;
use crate::plan::coverage::{Coverage, cover};
use crate::plan::knockout::{self, Knockout};
use crate::plan::lineup_score::LineupScore;
use crate::plan::lineups::{self, Lineup};
use crate::plan::random::Purpose;
use crate::plan::swiss::Swiss;
use crate::plan::{Format, PlanSetup, PlanVersion};

/// Groups of a stage of a round robin or gauntlet with a sequential test, in [`PlanVersion::V1`].
const V1_STAGE_GROUPS: usize = 100;

/// State of a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum FormatState {
    /// Round robin or gauntlet: all line-ups are planned at the start.
    Fixed,
    Swiss(Swiss),
    Knockout(Knockout),
}

impl FormatState {
    pub(super) fn new(setup: &PlanSetup) -> FormatState {
        let (entrants, players) = (usize::from(setup.entrants), usize::from(setup.players));
        match setup.format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } => FormatState::Fixed,
            Format::Swiss { .. } => FormatState::Swiss(Swiss::new(entrants, players)),
            Format::Knockout { .. } => FormatState::Knockout(Knockout::new(entrants, players)),
        }
    }
}

impl Tournament {
    /// The current or last round, from 0.
    pub(super) fn round(&self) -> u32 {
        self.groups.last().map_or(0, |planned| planned.round)
    }

    /// Expected number of rounds, and of groups not planned yet.
    pub(super) fn expected_rounds_and_groups(&self) -> (u32, u32) {
        let players = usize::from(self.setup.players);
        match (&self.format_state, self.setup.format) {
            (FormatState::Swiss(_), Format::Swiss { rounds, groups }) => {
                let left = rounds - self.round() - 1;
                (rounds, left * groups * (self.active_entrants().len() / players) as u32)
            }
            (FormatState::Knockout(knockout), Format::Knockout { groups, .. }) => {
                let remaining = knockout.remaining_after_round(|entrant| self.is_active(entrant));
                let tables = knockout::tables_per_round(remaining, players);
                let rounds = self.round() + 1 + tables.len() as u32;
                (rounds, tables.iter().sum::<usize>() as u32 * groups)
            }
            _ => (1, self.queued_lineups.len() as u32),
        }
    }

    /// Plans the first stage with the active entrants, and discards an earlier plan of it. No table was played.
    pub(super) fn plan_first_stage(&mut self) {
        debug_assert!(!self.has_begun(), "a tournament that has begun is never planned anew");
        self.groups.clear();
        self.members.clear();
        self.queued_lineups.clear();
        self.format_state = FormatState::new(&self.setup);
        let (active, players) = (self.active_entrants(), usize::from(self.setup.players));
        match self.setup.format {
            Format::RoundRobin { groups } => {
                self.plan_fixed(&lineups::round_robin(&active, players, groups, &self.random));
            }
            Format::Gauntlet { champion, groups } => {
                let others: Vec<Entrant> =
                    active.iter().copied().filter(|entrant| *entrant != champion).collect();
                let lineups = match active.len() == others.len() {
                    true => Vec::new(),
                    false => lineups::gauntlet(champion, &others, players, groups, &self.random),
                };
                self.plan_fixed(&lineups);
            }
            Format::Swiss { .. } | Format::Knockout { .. } => {
                self.start_round(0);
            }
        }
    }

    /// Queues all line-ups with one group each, and starts the first stage.
    fn plan_fixed(&mut self, lineups: &[Lineup]) {
        self.members = lineups.concat();
        self.queued_lineups = (0..lineups.len() as u32).collect();
        let stage = self.take_stage();
        self.start_stage(stage, 0, false);
    }

    /// True if the groups of a round robin or gauntlet are played in several stages.
    fn has_fixed_stages(&self) -> bool {
        self.setup.version == PlanVersion::V1
            && self.format_state == FormatState::Fixed
            && self.setup.test.is_some()
            && self.setup.rotations() > 1
    }

    /// Removes the line-ups of the next stage from the queue.
    fn take_stage(&mut self) -> Vec<u32> {
        let most = if self.has_fixed_stages() { V1_STAGE_GROUPS } else { usize::MAX };
        self.queued_lineups.drain(..self.queued_lineups.len().min(most)).collect()
    }

    /// True if no pairing depends on the group: groups of decided rounds cannot be voided.
    pub(super) fn can_be_voided(&self, group: u32) -> bool {
        self.format_state == FormatState::Fixed || self.schedule.contains_group(group)
    }

    /// Starts the next stage. Returns false if there is none.
    pub(super) fn start_next_stage(&mut self) -> bool {
        if self.format_state == FormatState::Fixed {
            let stage = self.take_stage();
            let is_more = !stage.is_empty();
            if is_more {
                self.start_stage(stage, 0, false);
            }
            return is_more;
        }
        let round = self.round();
        let scores = self.lineup_scores(round);
        let withdrawn = self.withdrawn.clone();
        let is_active = |entrant: Entrant| !withdrawn[entrant.index()];
        match (&mut self.format_state, self.setup.format) {
            (FormatState::Swiss(swiss), Format::Swiss { rounds, .. }) => {
                swiss.score_round(&scores, is_active);
                round + 1 < rounds && self.start_round(round + 1)
            }
            (FormatState::Knockout(knockout), Format::Knockout { tie_groups, .. }) => {
                let tied = knockout.tied_lineups(&scores, tie_groups, is_active);
                if !tied.is_empty() {
                    let first = self.lineup_count() - scores.len() as u32;
                    self.start_stage(tied.into_iter().map(|at| first + at as u32), round, true);
                    return true;
                }
                knockout.finish_round(&scores, round, is_active);
                self.start_round(round + 1)
            }
            _ => false,
        }
    }

    /// Pairs a round and starts its stage. Returns false if no table can be filled.
    fn start_round(&mut self, round: u32) -> bool {
        let active = self.active_entrants();
        let (lineups, groups) = match (&mut self.format_state, self.setup.format) {
            (FormatState::Swiss(swiss), Format::Swiss { groups, .. }) => {
                (swiss.pair_round(active, round, &self.random), groups)
            }
            (FormatState::Knockout(knockout), Format::Knockout { groups, .. }) => {
                (knockout.pair_round(|entrant| active.contains(&entrant)), groups)
            }
            _ => return false,
        };
        if lineups.is_empty() {
            return false;
        }
        let numbers: Vec<u32> = lineups.iter().map(|lineup| self.add_lineup(lineup)).collect();
        self.start_stage((0..groups).flat_map(|_| numbers.iter().copied()), round, false);
        true
    }

    /// Scores of the line-ups of a round whose groups are all counted.
    fn lineup_scores(&self, round: u32) -> Vec<LineupScore> {
        let first = self.groups.partition_point(|planned| planned.round < round);
        let Some(from) = self.groups.get(first).map(|planned| planned.lineup) else { return Vec::new() };
        let mut scores: Vec<LineupScore> =
            (from..self.lineup_count()).map(|lineup| LineupScore::new(self.lineup(lineup))).collect();
        let counted = self.counted.partition_point(|group| group.round < round);
        for group in &self.counted[counted..] {
            let planned = self.groups[group.number as usize];
            scores[(planned.lineup - from) as usize].add(group, planned.tie);
        }
        scores
    }

    /// Replaces line-ups of a round robin or gauntlet that became void by a withdrawal, so that the remaining
    /// entrants still meet as often as the setup requires. No-op in other formats.
    pub(super) fn repair_lineups(&mut self) {
        let players = usize::from(self.setup.players);
        let mut active = self.active_entrants();
        let (champion, coverage) = match self.setup.format {
            Format::RoundRobin { groups } => (None, Coverage::Meetings(groups)),
            Format::Gauntlet { champion, groups } if self.is_active(champion) => {
                (Some(champion), Coverage::Games(groups))
            }
            _ => return,
        };
        active.retain(|entrant| Some(*entrant) != champion);
        let kept = self.groups.iter().filter(|planned| planned.state != GroupState::Void);
        let kept = kept.map(|planned| planned.lineup).chain(self.queued_lineups.iter().copied());
        let kept = kept.map(|lineup| self.lineup(lineup));
        let mut rng = self.random.stream(Purpose::Repair, self.groups.len() as u64);
        let size = players - usize::from(champion.is_some());
        for mut lineup in cover(&active, size, kept, coverage, &mut rng) {
            lineup.extend(champion);
            let lineup = self.add_lineup(&lineup);
            if self.has_fixed_stages() {
                self.queued_lineups.push_back(lineup);
            } else {
                self.add_group(PlannedGroup { lineup, round: 0, tie: false, state: GroupState::Open });
            }
        }
    }
}
