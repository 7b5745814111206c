//! Simulated tournaments: random results, random finishing order, and random withdrawals, void groups and
//! pauses.

use std::collections::BTreeSet;

use parlor_engine::below;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::plan::{DealMode, Format, PlanSetup, PlanVersion, TableKey};
use crate::tournament::{GroupState, PlanEntry, Progress, Tournament};
use crate::{Entrant, SeatFinish, SeatScore, TableScore};

/// Seed of a randomised test.
pub(super) fn seed() -> u64 {
    parlor_testkit::test_seed(20_261_116)
}

/// Runs `check` on every format with up to 12 entrants at tables of up to 6.
pub(super) fn for_every_setup(mut check: impl FnMut(PlanSetup)) {
    for players in 2..=6 {
        for entrants in u16::from(players).max(2)..=12 {
            let champion = Entrant(entrants / 2);
            for format in [
                Format::RoundRobin { groups: 1 },
                Format::RoundRobin { groups: 3 },
                Format::Gauntlet { champion, groups: 1 },
                Format::Gauntlet { champion, groups: 7 },
                Format::Swiss { rounds: 5, groups: 1 },
                Format::Swiss { rounds: 3, groups: 2 },
                Format::Knockout { groups: 2, tie_groups: 2 },
                Format::Knockout { groups: 1, tie_groups: 0 },
            ] {
                for deals in [DealMode::Duplicate, DealMode::Independent] {
                    check(PlanSetup {
                        version: PlanVersion::LATEST,
                        players,
                        entrants,
                        format,
                        deals,
                        test: None,
                    });
                }
            }
        }
    }
}

/// A pseudo-random result that depends on the table and `salt` alone. Ties and forfeits are common.
pub(super) fn result(tournament: &Tournament, table: TableKey, salt: u64) -> TableScore {
    let mut rng = ChaCha20Rng::seed_from_u64(salt);
    rng.set_stream(u64::from(table.group) << 8 | u64::from(table.rotation));
    let seats = tournament.table(table).unwrap().seats;
    let points: Vec<i32> = seats.iter().map(|_| below(3, &mut rng) as i32 - 1).collect();
    let place = |own: i32| 1 + points.iter().filter(|points| **points > own).count() as u8;
    let seat = |(entrant, points): (Entrant, i32)| {
        let finish = if below(20, &mut rng) == 0 { SeatFinish::TimedOut } else { SeatFinish::PlayedOut };
        SeatScore { entrant, points, place: place(points), finish }
    };
    let seats = seats.into_iter().zip(points.iter().copied()).map(seat).collect();
    TableScore { rotation: table.rotation, seats }
}

pub(super) struct Simulator {
    pub(super) tournament: Tournament,
    pub(super) log: Vec<PlanEntry>,
    /// Seed of the order in which tables finish.
    pub(super) finishing: u64,
    /// One in this many events is a disruption: a withdrawal, a void group or a pause. 0: none.
    pub(super) disruption: u32,
    /// All tables in the order in which they started.
    pub(super) started: Vec<TableKey>,
    /// Maximum number of groups whose tables could be over, but were not counted.
    pub(super) max_uncounted: u32,
    /// Progress expected before the start.
    pub(super) expected: Progress,
    salt: u64,
    running: BTreeSet<TableKey>,
}

impl Simulator {
    pub(super) fn new(setup: PlanSetup, seed: u64) -> Simulator {
        let tournament = Tournament::new(setup, bytes(seed)).unwrap();
        Simulator {
            expected: tournament.progress(),
            tournament,
            log: Vec::new(),
            finishing: seed,
            disruption: 0,
            started: Vec::new(),
            max_uncounted: 0,
            salt: seed,
            running: BTreeSet::new(),
        }
    }

    pub(super) fn seed(&self) -> [u8; 32] {
        bytes(self.salt)
    }

    pub(super) fn apply(&mut self, entry: PlanEntry) {
        self.tournament.apply(&entry).unwrap();
        self.log.push(entry);
    }

    pub(super) fn start(&mut self) {
        self.apply(PlanEntry::Started);
    }

    /// Plays with a random number of concurrent tables until the tournament is over.
    pub(super) fn play_out(&mut self) {
        let mut rng = ChaCha20Rng::seed_from_u64(self.finishing);
        let mut disruptions = ChaCha20Rng::seed_from_u64(self.salt);
        while !self.tournament.is_over() {
            let concurrent = 1 + below(8, &mut rng) as usize;
            self.start_tables(concurrent);
            let at = below(self.running.len() as u32, &mut rng) as usize;
            let table =
                *self.running.iter().nth(at).expect("a tournament that is not over has tables to play");
            self.running.remove(&table);
            let table_over = PlanEntry::TableOver {
                group: table.group,
                table: result(&self.tournament, table, self.salt),
            };
            self.apply(table_over);
            let Progress { tables_over, groups_counted, .. } = self.tournament.progress();
            let rotations = u32::from(self.tournament.setup().rotations());
            self.max_uncounted = self.max_uncounted.max(tables_over / rotations - groups_counted);
            if self.disruption > 0
                && !self.tournament.is_over()
                && below(self.disruption, &mut disruptions) == 0
            {
                self.disrupt(&mut disruptions);
            }
            let tournament = &self.tournament;
            self.running.retain(|table| tournament.is_pending(*table));
        }
    }

    /// Starts tables in order until `concurrent` are running, and checks the rules of the schedule.
    fn start_tables(&mut self, concurrent: usize) {
        while self.running.len() < concurrent {
            let Some(next) = self.tournament.ready(&self.running).next() else { break };
            let TableKey { group, rotation } = next;
            assert!(
                self.running.iter().all(|running| running.group != group),
                "a deal runs at two tables at once"
            );
            let mut earlier = (0..rotation).map(|rotation| TableKey { group, rotation });
            assert!(earlier.all(|earlier| self.tournament.result(earlier).is_some()));
            self.running.insert(next);
            self.started.push(next);
        }
    }

    /// Withdraws an entrant, pauses and resumes, or voids a group.
    fn disrupt(&mut self, rng: &mut ChaCha20Rng) {
        match below(4, rng) {
            0 => {
                let entrant = Entrant(below(u32::from(self.tournament.setup().entrants), rng) as u16);
                if let Some(entry) = self.tournament.propose(PlanEntry::Withdrawn { entrant }).unwrap() {
                    self.apply(entry);
                }
            }
            1 => {
                self.apply(PlanEntry::Paused);
                assert_eq!(self.tournament.ready(&self.running).count(), 0);
                self.apply(PlanEntry::Resumed);
            }
            _ => {
                let group = below(self.tournament.group_count(), rng);
                let void = PlanEntry::GroupVoided { group, reason: "a server fault".to_owned() };
                // Groups of decided rounds are refused.
                if let Ok(Some(entry)) = self.tournament.propose(void) {
                    self.apply(entry);
                    assert_eq!(self.tournament.group(group).unwrap().state, GroupState::Void);
                }
            }
        }
    }
}

fn bytes(seed: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes
}
