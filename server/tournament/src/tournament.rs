//! A tournament as the fold of its log.
//!
//! The log holds events only. Pairings, seating, counted groups and the end of the tournament are computed
//! from it, so a replay of the log gives the same tournament.
//!
//! **Counting.** Groups are numbered in the order in which they enter the statistics. The groups of a round
//! are added when the previous round is complete; the replacement of a void group comes last. A group is
//! *counted* once it and all groups before it are complete or void, so the statistics do not depend on who
//! plays quickly.
//!
//! **Determinism.** A Swiss or knockout round is paired from the complete results of the rounds before, and
//! every draw has a random stream of its own. So the order in which tables finish changes nothing.
//!
//! **Provisional groups.** Groups that are complete, but not counted yet, have sums of their own, which are shown
//! and enter no statistic. If the tournament is cancelled, they stay provisional.
//!
//! **Blocks.** Each stage is played in blocks of groups, so that groups are counted from the start on: otherwise
//! none would be before the first rotations of all groups are played.
//!
//! **Sequential test.** The test is updated with each counted group, and the tournament ends with the very
//! group that decides it. Later groups that happen to be complete are left out, so that speed does not
//! influence the decision.

mod apply;
mod entry;
mod provisional;
mod queries;
mod stages;
#[cfg(test)]
mod tests;
mod validate;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub use entry::{InvalidEntry, PlanEntry};
pub use provisional::ProvisionalScore;
pub use queries::{GroupState, GroupSummary, Placing, Progress};

#[cfg(doc)]
use crate::plan::PlanVersion;
use crate::plan::lineups::Lineup;
use crate::plan::random::{Purpose, RandomStreams};
use crate::plan::schedule::Schedule;
use crate::plan::{PlanSetup, PlanSetupError, TableKey};
use crate::stats::Sprt;
use crate::{Entrant, Group, TableScore};
use parlor_engine::shuffle;
use provisional::ProvisionalGroups;
use stages::FormatState;

/// Lifecycle state of a tournament.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TournamentState {
    /// Not started yet.
    Created,
    /// Started, but entropy for the shuffles is still collected.
    Starting,
    /// Tables are being played.
    Running,
    /// No new tables start until it is resumed.
    Paused,
    /// Played to its end, or decided by its sequential test.
    Finished,
    /// Ended by the organiser.
    Cancelled,
}

/// A table of the plan with its seating.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedTable {
    /// Group and rotation.
    pub table: TableKey,
    /// Round, from 0; always 0 in formats without rounds.
    pub round: u32,
    /// Entrants in seat order.
    pub seats: Vec<Entrant>,
}

/// A tournament: the fold of its entries.
#[derive(Clone, PartialEq, Debug)]
pub struct Tournament {
    setup: PlanSetup,
    random: RandomStreams,
    state: TournamentState,
    /// Reason of the cancellation, or empty.
    cancel_reason: String,
    withdrawn: Vec<bool>,
    /// All planned groups, by number.
    groups: Vec<PlannedGroup>,
    /// All line-ups, concatenated.
    members: Vec<Entrant>,
    format_state: FormatState,
    /// Line-ups of a round robin or gauntlet whose groups belong to a later stage; only in [`PlanVersion::V1`].
    queued_lineups: VecDeque<u32>,
    /// Pending tables of the current stage.
    schedule: Schedule,
    /// Void groups with the reason.
    voided: BTreeMap<u32, String>,
    /// Results of incomplete groups.
    partial: BTreeMap<u32, Vec<TableScore>>,
    /// Complete groups that are not counted yet.
    provisional: ProvisionalGroups,
    /// Counted groups, in order.
    counted: Vec<Group>,
    /// The first group that is neither counted nor void.
    next_to_count: u32,
    tables_over: u32,
    /// The sequential test over all counted groups.
    test: Option<Sprt>,
}

/// A planned group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PlannedGroup {
    /// Number of its line-up.
    lineup: u32,
    round: u32,
    /// True for a tie-break group.
    tie: bool,
    state: GroupState,
}

impl Tournament {
    /// A tournament in state [`TournamentState::Created`]. All random draws come from `seed`.
    ///
    /// # Errors
    /// The first invalid setting.
    pub fn new(setup: PlanSetup, seed: [u8; 32]) -> Result<Tournament, PlanSetupError> {
        setup.validate()?;
        let random = RandomStreams::from_seed(seed);
        let provisional = ProvisionalGroups::new(&setup);
        let mut tournament = Tournament {
            withdrawn: vec![false; usize::from(setup.entrants)],
            format_state: FormatState::new(&setup),
            schedule: Schedule::new(0, 0, setup.rotations(), setup.version, &random),
            test: setup.test.map(Sprt::new),
            setup,
            random,
            state: TournamentState::Created,
            cancel_reason: String::new(),
            groups: Vec::new(),
            members: Vec::new(),
            queued_lineups: VecDeque::new(),
            voided: BTreeMap::new(),
            partial: BTreeMap::new(),
            provisional,
            counted: Vec::new(),
            next_to_count: 0,
            tables_over: 0,
        };
        tournament.plan_first_stage();
        Ok(tournament)
    }

    /// Applies the next entry of the log.
    ///
    /// # Errors
    /// The entry is invalid or changes nothing; the tournament is unchanged.
    pub fn apply(&mut self, entry: &PlanEntry) -> Result<(), InvalidEntry> {
        if !self.validate(entry)? {
            return Err(InvalidEntry::NoEffect);
        }
        match entry {
            PlanEntry::Starting => self.state = TournamentState::Starting,
            PlanEntry::Started | PlanEntry::Resumed => self.state = TournamentState::Running,
            PlanEntry::Paused => self.state = TournamentState::Paused,
            PlanEntry::Cancelled { reason } => {
                self.state = TournamentState::Cancelled;
                self.cancel_reason.clone_from(reason);
            }
            PlanEntry::TableOver { group, table } => self.record_table(*group, table.clone()),
            PlanEntry::GroupVoided { group, reason } => {
                self.void_group(*group, reason.clone());
                self.replace_group(*group);
            }
            PlanEntry::Withdrawn { entrant } => self.withdraw(*entrant),
        }
        if self.has_begun() {
            self.advance();
        }
        Ok(())
    }

    /// True once tables may have been played.
    fn has_begun(&self) -> bool {
        !matches!(self.state, TournamentState::Created | TournamentState::Starting)
    }

    /// Tables that may start now, in order, given the running ones. Empty unless the state is
    /// [`TournamentState::Running`]. The line-up is in [`Tournament::group`]; the seating is in
    /// [`Tournament::table`], which costs more.
    ///
    /// The iterator is lazy: its cost does not grow with the length of the tournament.
    pub fn ready<'a>(&'a self, running: &'a BTreeSet<TableKey>) -> impl Iterator<Item = TableKey> + 'a {
        let open = (self.state == TournamentState::Running).then(|| self.schedule.ready(running));
        open.into_iter().flatten()
    }

    /// Entrants in seat order: a random order for each group, rotated by one for each rotation, so that every
    /// entrant has every seat once, and neighbours differ from group to group.
    fn seats(&self, table: TableKey) -> Vec<Entrant> {
        let mut seats = self.lineup(self.groups[table.group as usize].lineup).to_vec();
        shuffle(&mut seats, &mut self.random.stream(Purpose::Seating, u64::from(table.group)));
        seats.rotate_left(usize::from(table.rotation));
        seats
    }

    fn lineup(&self, number: u32) -> &[Entrant] {
        let players = usize::from(self.setup.players);
        &self.members[number as usize * players..][..players]
    }

    fn lineup_count(&self) -> u32 {
        (self.members.len() / usize::from(self.setup.players)) as u32
    }

    /// True unless the entrant was withdrawn.
    fn is_active(&self, entrant: Entrant) -> bool {
        !self.withdrawn[entrant.index()]
    }

    fn active_entrants(&self) -> Vec<Entrant> {
        (0..self.setup.entrants).map(Entrant).filter(|entrant| self.is_active(*entrant)).collect()
    }

    /// Adds a line-up and returns its number.
    fn add_lineup(&mut self, lineup: &Lineup) -> u32 {
        self.members.extend_from_slice(lineup);
        self.lineup_count() - 1
    }

    /// Starts a stage with one group for each of these line-ups, in order.
    fn start_stage(&mut self, lineups: impl IntoIterator<Item = u32>, round: u32, tie: bool) {
        let first = self.groups.len();
        let planned = |lineup| PlannedGroup { lineup, round, tie, state: GroupState::Open };
        self.groups.extend(lineups.into_iter().map(planned));
        let count = self.groups.len() - first;
        let (rotations, version) = (self.setup.rotations(), self.setup.version);
        self.schedule = Schedule::new(first as u32, count, rotations, version, &self.random);
    }

    /// Adds an open group to the current stage.
    fn add_group(&mut self, like: PlannedGroup) {
        self.groups.push(PlannedGroup { state: GroupState::Open, ..like });
        self.schedule.push_group();
    }

    /// Counts complete groups, and starts the next stage when no table of the current one is pending.
    fn advance(&mut self) {
        while !self.is_over() {
            self.count_groups();
            if self.is_over() || !self.schedule.is_done() {
                break;
            }
            if !self.start_next_stage() {
                self.state = TournamentState::Finished;
            }
        }
    }
}
