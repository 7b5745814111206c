//! Invalid entries and setups are refused with the reason, and change nothing.

use parlor_engine::below;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::simulator::{self, Simulator, for_every_setup, seed};
use crate::plan::{Deals, Format, MAX_TABLES, SequentialTest, Setup, SetupError, TableId};
use crate::{Entrant, Entry, Misfit, TableScore, Tournament};

#[test]
fn invalid_entry_is_refused_with_its_reason() {
    let format = Format::RoundRobin { groups: 2 };
    let setup = Setup { players: 3, entrants: 7, format, deals: Deals::Duplicate, test: None };
    let mut simulator = Simulator::new(setup, 1);
    let over = |tournament: &Tournament, table: TableId| {
        let mut over = simulator::result(tournament, table, 5);
        over.rotation = table.rotation;
        Entry::TableOver { group: table.group, table: over }
    };
    let first = TableId { group: 0, rotation: 0 };
    let refused = |tournament: &Tournament, entry: Entry| tournament.ask(entry).unwrap_err();
    let early = over(&simulator.tournament, first);
    assert_eq!(refused(&simulator.tournament, early.clone()), Misfit::NotStarted);
    assert_eq!(refused(&simulator.tournament, Entry::Paused), Misfit::NotStarted);
    simulator.start();
    let tournament = &simulator.tournament;
    let with = |change: &dyn Fn(&mut u32, &mut TableScore)| {
        let Entry::TableOver { mut group, mut table } = early.clone() else { unreachable!() };
        change(&mut group, &mut table);
        refused(tournament, Entry::TableOver { group, table })
    };
    assert_eq!(with(&|group, _| *group = 14), Misfit::NoGroup(14, 14));
    assert_eq!(with(&|_, table| table.rotation = 3), Misfit::NoTable(0, 3, 3));
    assert!(matches!(with(&|_, table| table.seats.swap(0, 1)), Misfit::WrongSeats { .. }));
    assert!(matches!(with(&|_, table| table.seats.truncate(2)), Misfit::WrongSeats { .. }));
    assert_eq!(with(&|_, table| table.seats[1].place = 4), Misfit::WrongPlace(0, 0, 4));
    let nobody = Entry::Withdrawn { entrant: Entrant(7) };
    assert_eq!(refused(tournament, nobody), Misfit::NoEntrant(7, 7));
    simulator.fold(early.clone());
    let Entry::TableOver { group, mut table } = early.clone() else { unreachable!() };
    assert_eq!(simulator.tournament.ask(early).unwrap(), None);
    table.seats[0].points += 1;
    let other = Entry::TableOver { group, table };
    assert_eq!(refused(&simulator.tournament, other), Misfit::OtherResult(0, 0));
}

#[test]
fn random_entries_are_applied_or_refused_without_effect() {
    let seed = seed();
    for_every_setup(|setup| {
        if setup.entrants % 5 != 0 {
            return;
        }
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let mut tournament = Tournament::open(setup, [2; 32]).unwrap();
        for _ in 0..300 {
            let group = below(tournament.group_count() + 2, &mut rng);
            let rotation = below(u32::from(tournament.setup().rotations()) + 1, &mut rng) as u8;
            let entry = match below(40, &mut rng) {
                0 => Entry::Cancelled { reason: "enough".to_owned() },
                1..=3 => Entry::Started,
                4..=6 => Entry::Paused,
                7..=9 => Entry::Resumed,
                10 => Entry::Withdrawn { entrant: Entrant(below(14, &mut rng) as u16) },
                11..=12 => Entry::GroupVoided { group, reason: String::new() },
                _ => {
                    let table = TableId { group, rotation };
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
                    Entry::TableOver { group, table }
                }
            };
            let before = tournament.clone();
            let asked = tournament.ask(entry.clone());
            match tournament.fold(&entry) {
                Ok(()) => assert_eq!(asked, Ok(Some(entry))),
                Err(why) => {
                    assert_eq!(asked, if why == Misfit::Nothing { Ok(None) } else { Err(why) });
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
    let good = Setup { players: 3, entrants: 5, format, deals: Deals::Duplicate, test: None };
    let check = |change: &dyn Fn(&mut Setup)| {
        let mut setup = good.clone();
        change(&mut setup);
        Tournament::open(setup, [0; 32]).err()
    };
    let count = |what, least, most| Some(SetupError::Count { what, least, most });
    assert_eq!(check(&|_| ()), None);
    assert_eq!(check(&|setup| setup.entrants = 1), Some(SetupError::Entrants(1)));
    assert_eq!(check(&|setup| setup.entrants = 257), Some(SetupError::Entrants(257)));
    assert_eq!(check(&|setup| setup.players = 1), Some(SetupError::Players(1)));
    assert_eq!(check(&|setup| setup.players = 6), Some(SetupError::TooFew { entrants: 5, players: 6 }));
    for groups in [0, 100_001] {
        let round_robin = Format::RoundRobin { groups };
        assert_eq!(check(&|setup| setup.format = round_robin), count("groups", 1, 100_000));
    }
    let gauntlet = Format::Gauntlet { champion: Entrant(5), groups: 1 };
    assert_eq!(check(&|setup| setup.format = gauntlet), Some(SetupError::NoEntrant(5, 5)));
    let swiss = Format::Swiss { rounds: 101, groups: 1 };
    assert_eq!(check(&|setup| setup.format = swiss), count("rounds", 1, 100));
    let knockout = Format::Knockout { groups: 1, tie_groups: 1001 };
    assert_eq!(check(&|setup| setup.format = knockout), count("tie_groups", 0, 1000));
    let long = check(&|setup| {
        setup.entrants = 256;
        setup.format = Format::RoundRobin { groups: 1000 };
    });
    assert!(matches!(long, Some(SetupError::TooLong(tables)) if tables > MAX_TABLES));
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
    assert_eq!(check_test(SequentialTest { entrant: Entrant(9), ..test }), Some(SetupError::NoEntrant(9, 5)));
    for wrong in [
        SequentialTest { upper: 0.0, ..test },
        SequentialTest { lower: f64::NAN, ..test },
        SequentialTest { upper: f64::INFINITY, ..test },
        SequentialTest { alpha: 0.0, ..test },
        SequentialTest { beta: 0.6, ..test },
    ] {
        assert!(matches!(check_test(wrong), Some(SetupError::Test(_))), "{wrong:?}");
    }
    assert_eq!(check_test(SequentialTest { min_groups: 1, ..test }), count("min_groups", 2, 100_000));
    let knockout = Format::Knockout { groups: 1, tie_groups: 1 };
    let of_knockout = check(&|setup| (setup.format, setup.test) = (knockout, Some(test)));
    assert_eq!(of_knockout, Some(SetupError::TestOfKnockout));
}
