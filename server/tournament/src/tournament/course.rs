//! The course of a tournament: which stages it has, one after another, by its format.

use super::{GroupState, State, Tournament};
use crate::Entrant;
use crate::plan::chance::Draw;
use crate::plan::fill::{Wanted, fill};
use crate::plan::knockout::{self, Knockout};
use crate::plan::lineups::{self, Lineup};
use crate::plan::outcome::Outcome;
use crate::plan::swiss::Swiss;
use crate::plan::{Format, Setup};

/// How many groups of a round robin or a gauntlet are a stage, where a question is to be answered: so few that a clear answer
/// ends it early, and so many that a lot is played between two tables of a deal.
const BLOCK: usize = 100;

/// What a format remembers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Course {
    /// All line-ups are known from the beginning.
    Fixed,
    /// Rounds of equals.
    Swiss(Swiss),
    /// Rounds after which the better ones go on.
    Knockout(Knockout),
}

impl Course {
    pub(super) fn new(setup: &Setup) -> Course {
        let (entrants, players) = (usize::from(setup.entrants), usize::from(setup.players));
        match setup.format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } => Course::Fixed,
            Format::Swiss { .. } => Course::Swiss(Swiss::new(entrants, players)),
            Format::Knockout { .. } => Course::Knockout(Knockout::new(entrants, players)),
        }
    }
}

impl Tournament {
    /// The round that is played or was the last.
    pub(super) fn round(&self) -> u32 {
        self.groups.last().map_or(0, |planned| planned.round)
    }

    /// How many rounds there will be, and how many groups after those that are known.
    pub(super) fn to_come(&self) -> (u32, u32) {
        let players = usize::from(self.setup.players);
        match (&self.course, self.setup.format) {
            (Course::Swiss(_), Format::Swiss { rounds, groups }) => {
                let left = rounds - self.round() - 1;
                (rounds, left * groups * (self.there().len() / players) as u32)
            }
            (Course::Knockout(knockout), Format::Knockout { groups, .. }) => {
                let tables = knockout::rounds(knockout.left_after(|who| self.is_there(who)), players);
                let rounds = self.round() + 1 + tables.len() as u32;
                (rounds, tables.iter().sum::<usize>() as u32 * groups)
            }
            _ => (1, self.later.len() as u32),
        }
    }

    /// Plans the first stage, of those who are there. Nothing has happened yet.
    pub(super) fn first_stage(&mut self) {
        debug_assert_eq!(self.state, State::Created, "what was played must not be planned anew");
        self.groups.clear();
        self.members.clear();
        self.later.clear();
        self.course = Course::new(&self.setup);
        let (there, players) = (self.there(), usize::from(self.setup.players));
        match self.setup.format {
            Format::RoundRobin { groups } => {
                self.fixed(&lineups::round_robin(&there, players, groups, &self.chance));
            }
            Format::Gauntlet { champion, groups } => {
                let others: Vec<Entrant> = there.iter().copied().filter(|who| *who != champion).collect();
                let lineups = match there.len() == others.len() {
                    true => Vec::new(),
                    false => lineups::gauntlet(champion, &others, players, groups, &self.chance),
                };
                self.fixed(&lineups);
            }
            Format::Swiss { .. } | Format::Knockout { .. } => {
                self.pair(0);
            }
        }
    }

    /// One stage in which each line-up plays one group.
    fn fixed(&mut self, lineups: &[Lineup]) {
        self.members = lineups.concat();
        self.later = (0..lineups.len() as u32).collect();
        let block = self.block();
        self.stage(block, 0, false);
    }

    /// Whether the groups of a format that knows all of them come in several stages.
    fn has_blocks(&self) -> bool {
        self.course == Course::Fixed && self.setup.test.is_some() && self.setup.rotations() > 1
    }

    /// The line-ups of the next stage of such a format.
    fn block(&mut self) -> Vec<u32> {
        let most = if self.has_blocks() { BLOCK } else { usize::MAX };
        self.later.drain(..self.later.len().min(most)).collect()
    }

    /// Whether a group can be voided: nothing hangs on it yet but what counts.
    pub(super) fn can_be_voided(&self, group: u32) -> bool {
        self.course == Course::Fixed || self.schedule.has(group)
    }

    /// Begins the stage after the one that is played, or says that there is none.
    pub(super) fn next_stage(&mut self) -> bool {
        if self.course == Course::Fixed {
            let block = self.block();
            let is_more = !block.is_empty();
            if is_more {
                self.stage(block, 0, false);
            }
            return is_more;
        }
        let round = self.round();
        let outcomes = self.outcomes(round);
        let withdrawn = self.withdrawn.clone();
        let there = |who: Entrant| !withdrawn[who.index()];
        match (&mut self.course, self.setup.format) {
            (Course::Swiss(swiss), Format::Swiss { rounds, .. }) => {
                swiss.settle(&outcomes, there);
                round + 1 < rounds && self.pair(round + 1)
            }
            (Course::Knockout(knockout), Format::Knockout { tie_groups, .. }) => {
                let tied = knockout.ties(&outcomes, tie_groups, there);
                if !tied.is_empty() {
                    let first = self.lineup_count() - outcomes.len() as u32;
                    self.stage(tied.into_iter().map(|at| first + at as u32), round, true);
                    return true;
                }
                knockout.settle(&outcomes, round, there);
                self.pair(round + 1)
            }
            _ => false,
        }
    }

    /// Makes up a round and begins its stage, or says that nobody can be paired: then there is none.
    fn pair(&mut self, round: u32) -> bool {
        let there = self.there();
        let (lineups, groups) = match (&mut self.course, self.setup.format) {
            (Course::Swiss(swiss), Format::Swiss { groups, .. }) => {
                (swiss.pair(there, round, &self.chance), groups)
            }
            (Course::Knockout(knockout), Format::Knockout { groups, .. }) => {
                (knockout.pair(|who| there.contains(&who)), groups)
            }
            _ => return false,
        };
        if lineups.is_empty() {
            return false;
        }
        let numbers: Vec<u32> = lineups.iter().map(|lineup| self.add_lineup(lineup)).collect();
        self.stage((0..groups).flat_map(|_| numbers.iter().copied()), round, false);
        true
    }

    /// What each line-up of a round reached, when all its groups are played: then they all count.
    fn outcomes(&self, round: u32) -> Vec<Outcome> {
        let first = self.groups.partition_point(|planned| planned.round < round);
        let Some(from) = self.groups.get(first).map(|planned| planned.lineup) else { return Vec::new() };
        let mut outcomes: Vec<Outcome> =
            (from..self.lineup_count()).map(|lineup| Outcome::new(self.lineup(lineup))).collect();
        let counted = self.counted.partition_point(|group| group.round < round);
        for group in &self.counted[counted..] {
            let planned = self.groups[group.number as usize];
            outcomes[(planned.lineup - from) as usize].add(group, planned.tie);
        }
        outcomes
    }

    /// Adds line-ups to a round robin or a gauntlet in the place of those that are void because somebody is gone, so that
    /// the others meet as often as they were to.
    pub(super) fn refill(&mut self) {
        let players = usize::from(self.setup.players);
        let mut there = self.there();
        let (champion, wanted) = match self.setup.format {
            Format::RoundRobin { groups } => (None, Wanted::Meetings(groups)),
            Format::Gauntlet { champion, groups } if self.is_there(champion) => {
                (Some(champion), Wanted::Games(groups))
            }
            _ => return,
        };
        there.retain(|who| Some(*who) != champion);
        let kept = self.groups.iter().filter(|planned| planned.state != GroupState::Void);
        let kept = kept.map(|planned| planned.lineup).chain(self.later.iter().copied());
        let kept = kept.map(|lineup| self.lineup(lineup));
        let mut rng = self.chance.stream(Draw::Repair, self.groups.len() as u64);
        let size = players - usize::from(champion.is_some());
        for mut lineup in fill(&there, size, kept, wanted, &mut rng) {
            lineup.extend(champion);
            let lineup = self.add_lineup(&lineup);
            if self.has_blocks() {
                self.later.push_back(lineup);
            } else {
                self.append(super::Planned { lineup, round: 0, tie: false, state: GroupState::Open });
            }
        }
    }
}
