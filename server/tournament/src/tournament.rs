//! A tournament as the fold of its log.
//!
//! The log holds what happened; everything that follows from it is computed: who meets whom, who sits where, what counts,
//! and whether it is over. So a tournament that is read back from its log is the one that was.
//!
//! Groups have numbers in the order in which they count. Those of a round are added when the round before is complete, and
//! a fresh group that replaces a void one comes last. A group counts when it and all before it are complete or void: what
//! is counted does not hang on who plays quickly.
//!
//! A round of a Swiss tournament or a knockout is made from the results of the rounds before, which all are there by then.
//! With all chance drawn by number, the order in which tables finish therefore changes nothing.
//!
//! A sequential test takes in the groups as they come to count. The tournament is over with the very group that answers its
//! question: groups beyond it that happen to be complete are left out, so that nobody's speed moves the answer. So that it can
//! end early, duplicate deals are then played in stages of some groups: otherwise no group would be complete before the first
//! tables of all of them are played.

mod change;
mod course;
mod entry;
mod judge;
mod look;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub use entry::{Entry, Misfit};
pub use look::{GroupLook, GroupState, Placing, Progress};

use crate::plan::chance::{Chance, Draw};
use crate::plan::lineups::Lineup;
use crate::plan::schedule::Schedule;
use crate::plan::{Setup, SetupError, TableId};
use crate::stats::Sprt;
use crate::{Entrant, Group, TableScore};
use course::Course;
use parlor_engine::shuffle;

/// Where a tournament is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It waits to be started.
    Created,
    /// It is being played.
    Running,
    /// It begins no new tables until it is resumed.
    Paused,
    /// It was played to its end, or its question was answered.
    Finished,
    /// The organiser ended it.
    Cancelled,
}

/// A table that may be begun.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableToMake {
    /// Which table it is.
    pub table: TableId,
    /// The round, of a format that has rounds; 0 otherwise.
    pub round: u32,
    /// Who sits where, in the order of the seats.
    pub seats: Vec<Entrant>,
}

/// A tournament.
#[derive(Clone, PartialEq, Debug)]
pub struct Tournament {
    setup: Setup,
    chance: Chance,
    state: State,
    /// Why it was cancelled, or empty.
    note: String,
    withdrawn: Vec<bool>,
    /// All groups that are known, by number.
    groups: Vec<Planned>,
    /// All line-ups, one after another.
    members: Vec<Entrant>,
    course: Course,
    /// The line-ups of a format that knows them all from the beginning, whose groups come with a later stage.
    later: VecDeque<u32>,
    /// The tables of the groups that may be played now.
    schedule: Schedule,
    voided: BTreeMap<u32, String>,
    /// What is there of groups that are not complete.
    partial: BTreeMap<u32, Vec<TableScore>>,
    /// Groups that are complete, but do not count yet.
    ahead: BTreeMap<u32, Group>,
    /// Groups that count, in order.
    counted: Vec<Group>,
    /// The first group that neither counts nor is void.
    next: u32,
    tables_over: u32,
    /// The sequential test, with all groups that count taken in.
    test: Option<Sprt>,
}

/// A group that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Planned {
    /// The number of its line-up.
    lineup: u32,
    round: u32,
    /// Whether it is played because of a tie.
    tie: bool,
    state: GroupState,
}

impl Tournament {
    /// A tournament that was made and waits to be started. `seed` is what all its draws come from.
    ///
    /// # Errors
    /// Why it cannot be set up so.
    pub fn open(setup: Setup, seed: [u8; 32]) -> Result<Tournament, SetupError> {
        setup.check()?;
        let chance = Chance::seeded(seed);
        let mut tournament = Tournament {
            withdrawn: vec![false; usize::from(setup.entrants)],
            course: Course::new(&setup),
            schedule: Schedule::new(0, 0, setup.rotations(), &chance),
            test: setup.test.map(Sprt::new),
            setup,
            chance,
            state: State::Created,
            note: String::new(),
            groups: Vec::new(),
            members: Vec::new(),
            later: VecDeque::new(),
            voided: BTreeMap::new(),
            partial: BTreeMap::new(),
            ahead: BTreeMap::new(),
            counted: Vec::new(),
            next: 0,
            tables_over: 0,
        };
        tournament.first_stage();
        Ok(tournament)
    }

    /// Takes in what happened next.
    ///
    /// # Errors
    /// What does not fit, and the tournament is as it was.
    pub fn fold(&mut self, entry: &Entry) -> Result<(), Misfit> {
        if !self.judge(entry)? {
            return Err(Misfit::Nothing);
        }
        match entry {
            Entry::Started | Entry::Resumed => self.state = State::Running,
            Entry::Paused => self.state = State::Paused,
            Entry::Cancelled { reason } => {
                self.state = State::Cancelled;
                self.note.clone_from(reason);
            }
            Entry::TableOver { group, table } => self.take(*group, table.clone()),
            Entry::GroupVoided { group, reason } => {
                self.void(*group, reason.clone());
                self.replace(*group);
            }
            Entry::Withdrawn { entrant } => self.withdraw(*entrant),
        }
        if self.state != State::Created {
            self.go_on();
        }
        Ok(())
    }

    /// What may be begun now, in order, if those tables are running. Nothing unless the tournament is running. Who plays is in
    /// [`Tournament::group`], and who sits where in [`Tournament::table`], which costs more.
    ///
    /// It comes as it is asked for: a long tournament costs no more than a short one.
    pub fn ready<'a>(&'a self, running: &'a BTreeSet<TableId>) -> impl Iterator<Item = TableId> + 'a {
        let open = (self.state == State::Running).then(|| self.schedule.ready(running));
        open.into_iter().flatten()
    }

    /// Who sits where at a table, in the order of the seats: a random circle for each group, turned on by one for each
    /// rotation, so that everyone has every seat once, and each time other neighbours than in the groups before.
    fn seats(&self, table: TableId) -> Vec<Entrant> {
        let mut seats = self.lineup(self.groups[table.group as usize].lineup).to_vec();
        shuffle(&mut seats, &mut self.chance.stream(Draw::Seating, u64::from(table.group)));
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

    fn is_there(&self, who: Entrant) -> bool {
        !self.withdrawn[who.index()]
    }

    /// Those who are not withdrawn.
    fn there(&self) -> Vec<Entrant> {
        (0..self.setup.entrants).map(Entrant).filter(|who| self.is_there(*who)).collect()
    }

    /// Adds a line-up, and gives its number.
    fn add_lineup(&mut self, lineup: &Lineup) -> u32 {
        self.members.extend_from_slice(lineup);
        self.lineup_count() - 1
    }

    /// Begins a stage: a group for each of these line-ups, in order.
    fn stage(&mut self, lineups: impl IntoIterator<Item = u32>, round: u32, tie: bool) {
        let first = self.groups.len();
        let planned = |lineup| Planned { lineup, round, tie, state: GroupState::Open };
        self.groups.extend(lineups.into_iter().map(planned));
        let count = self.groups.len() - first;
        self.schedule = Schedule::new(first as u32, count, self.setup.rotations(), &self.chance);
    }

    /// Adds a group to the stage that is played.
    fn append(&mut self, like: Planned) {
        self.groups.push(Planned { state: GroupState::Open, ..like });
        self.schedule.push();
    }

    /// Counts what has become complete, and begins the next stage when this one is played.
    fn go_on(&mut self) {
        while !self.is_over() {
            self.count();
            if self.is_over() || !self.schedule.is_done() {
                break;
            }
            if !self.next_stage() {
                self.state = State::Finished;
            }
        }
    }
}
