//! Invalid entries and setups are refused with the reason, and change nothing.

use parlor_engine::below;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::simulator::{self, Simulator, for_every_setup, seed};
use crate::plan::{
    DealMode, Format, MAX_TABLES, PlanSetup, PlanSetupError, PlanVersion, SequentialTest, TableKey,
};
use crate::{Entrant, InvalidEntry, PlanEntry, TableScore, Tournament};

#[test]
fn invalid_entry_is_refused_with_its_reason() {
    let format = Format::RoundRobin { groups: 2 };
    let setup = PlanSetup {
        version: PlanVersion::LATEST,
        players: 3,
        entrants: 7,
        format,
        deals: DealMode::Duplicate,
        test: None,
    };
    let mut simulator = Simulator::new(setup, 1);
    let over = |tournament: &Tournament, table: TableKey| {
        let mut over = simulator::result(tournament, table, 5);
        over.rotation = table.rotation;
        PlanEntry::TableOver { group: table.group, table: over }
    };
    let first = TableKey { group: 0, rotation: 0 };
    let refused = |tournament: &Tournament, entry: PlanEntry| tournament.propose(entry).unwrap_err();
    let early = over(&simulator.tournament, first);
    assert_eq!(refused(&simulator.tournament, early.clone()), InvalidEntry::NotStarted);
    assert_eq!(refused(&simulator.tournament, PlanEntry::Paused), InvalidEntry::NotStarted);
    simulator.start();
    let tournament = &simulator.tournament;
    let with = |change: &dyn Fn(&mut u32, &mut TableScore)| {
        let PlanEntry::TableOver { mut group, mut table } = early.clone() else { unreachable!() };
        change(&mut group, &mut table);
        refused(tournament, PlanEntry::TableOver { group, table })
    };
    assert_eq!(with(&|group, _| *group = 14), InvalidEntry::UnknownGroup(14, 14));
    assert_eq!(with(&|_, table| table.rotation = 3), InvalidEntry::UnknownTable(0, 3, 3));
    assert!(matches!(with(&|_, table| table.seats.swap(0, 1)), InvalidEntry::WrongSeats { .. }));
    assert!(matches!(with(&|_, table| table.seats.truncate(2)), InvalidEntry::WrongSeats { .. }));
    assert_eq!(with(&|_, table| table.seats[1].place = 4), InvalidEntry::WrongPlace(0, 0, 4));
    let nobody = PlanEntry::Withdrawn { entrant: Entrant(7) };
    assert_eq!(refused(tournament, nobody), InvalidEntry::UnknownEntrant(7, 7));
    simulator.apply(early.clone());
    let PlanEntry::TableOver { group, mut table } = early.clone() else { unreachable!() };
    assert_eq!(simulator.tournament.propose(early).unwrap(), None);
    table.seats[0].points += 1;
    let other = PlanEntry::TableOver { group, table };
    assert_eq!(refused(&simulator.tournament, other), InvalidEntry::ConflictingResult(0, 0));
}

#[test]
fn random_entries_are_applied_or_refused_without_effect() {
    let seed = seed();
    for_every_setup(|setup| {
        if setup.entrants % 5 != 0 {
            return;
        }
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let mut tournament = Tournament::new(setup, [2; 32]).unwrap();
        for _ in 0..300 {
            let group = below(tournament.group_count() + 2, &mut rng);
            let rotation = below(u32::from(tournament.setup().rotations()) + 1, &mut rng) as u8;
            let entry = match below(40, &mut rng) {
                0 => PlanEntry::Cancelled { reason: "enough".to_owned() },
                1..=3 => PlanEntry::Started,
                4..=6 => PlanEntry::Paused,
                7..=9 => PlanEntry::Resumed,
                10 => PlanEntry::Withdrawn { entrant: Entrant(below(14, &mut rng) as u16) },
                11..=12 => PlanEntry::GroupVoided { group, reason: String::new() },
                _ => {
                    let table = TableKey { group, rotation };
                    let mut table = match tournament.table(table) {
                        Some(_) => simulator::result(&tournament, table, 4),
                        None => TableScore { rotation, seats: Vec::new() },
                    };
                    match (below(6, &mut rng), table.seats.len()) {
                        (0, 1..) => drop(table.seats.pop()),
                        (1, 1..) => table.seats[0].entrant = Entrant(u16::MAX),
                        (2, 1..) => table.seats[0].place = below(256, &mut rng) as u8,
                        (3, 1..) => table.seats[0].points = if rotation == 0 { i32::MIN } else { i32::MAX },
                        _ => {}
                    }
                    PlanEntry::TableOver { group, table }
                }
            };
            let before = tournament.clone();
            let asked = tournament.propose(entry.clone());
            match tournament.apply(&entry) {
                Ok(()) => assert_eq!(asked, Ok(Some(entry))),
                Err(why) => {
                    assert_eq!(asked, if why == InvalidEntry::NoEffect { Ok(None) } else { Err(why) });
                    assert!(tournament == before);
                }
            }
            assert_eq!(tournament.placings().len(), usize::from(tournament.setup().entrants));
            let progress = tournament.progress();
            assert!(progress.groups_counted <= progress.groups_complete);
            assert!(progress.groups_complete <= progress.groups_expected);
        }
    });
}

#[test]
fn invalid_setup_is_refused_with_its_reason() {
    let format = Format::RoundRobin { groups: 1 };
    let good = PlanSetup {
        version: PlanVersion::LATEST,
        players: 3,
        entrants: 5,
        format,
        deals: DealMode::Duplicate,
        test: None,
    };
    let check = |change: &dyn Fn(&mut PlanSetup)| {
        let mut setup = good.clone();
        change(&mut setup);
        Tournament::new(setup, [0; 32]).err()
    };
    let count = |what, least, most| Some(PlanSetupError::OutOfRange { what, least, most });
    assert_eq!(check(&|_| ()), None);
    assert_eq!(check(&|setup| setup.entrants = 1), Some(PlanSetupError::Entrants(1)));
    assert_eq!(check(&|setup| setup.entrants = 257), Some(PlanSetupError::Entrants(257)));
    assert_eq!(check(&|setup| setup.players = 1), Some(PlanSetupError::Players(1)));
    assert_eq!(
        check(&|setup| setup.players = 6),
        Some(PlanSetupError::TooFewEntrants { entrants: 5, players: 6 })
    );
    for groups in [0, 100_001] {
        let round_robin = Format::RoundRobin { groups };
        assert_eq!(check(&|setup| setup.format = round_robin), count("groups", 1, 100_000));
    }
    let gauntlet = Format::Gauntlet { champion: Entrant(5), groups: 1 };
    assert_eq!(check(&|setup| setup.format = gauntlet), Some(PlanSetupError::UnknownEntrant(5, 5)));
    let swiss = Format::Swiss { rounds: 101, groups: 1 };
    assert_eq!(check(&|setup| setup.format = swiss), count("rounds", 1, 100));
    let knockout = Format::Knockout { groups: 1, tie_groups: 1001 };
    assert_eq!(check(&|setup| setup.format = knockout), count("tie_groups", 0, 1000));
    let long = check(&|setup| {
        setup.entrants = 256;
        setup.format = Format::RoundRobin { groups: 1000 };
    });
    assert!(matches!(long, Some(PlanSetupError::TooManyTables(tables)) if tables > MAX_TABLES));
    let test = SequentialTest {
        entrant: Entrant(0),
        lower: 0.0,
        upper: 1.0,
        alpha: 0.05,
        beta: 0.05,
        min_groups: 30,
    };
    let check_test = |test: SequentialTest| check(&|setup| setup.test = Some(test));
    assert_eq!(check_test(test), None);
    assert_eq!(
        check_test(SequentialTest { entrant: Entrant(9), ..test }),
        Some(PlanSetupError::UnknownEntrant(9, 5))
    );
    for wrong in [
        SequentialTest { upper: 0.0, ..test },
        SequentialTest { lower: f64::NAN, ..test },
        SequentialTest { upper: f64::INFINITY, ..test },
        SequentialTest { alpha: 0.0, ..test },
        SequentialTest { beta: 0.6, ..test },
    ] {
        assert!(matches!(check_test(wrong), Some(PlanSetupError::Test(_))), "{wrong:?}");
    }
    assert_eq!(check_test(SequentialTest { min_groups: 1, ..test }), count("min_groups", 2, 100_000));
    let knockout = Format::Knockout { groups: 1, tie_groups: 1 };
    let of_knockout = check(&|setup| (setup.format, setup.test) = (knockout, Some(test)));
    assert_eq!(of_knockout, Some(PlanSetupError::TestInKnockout));
}
