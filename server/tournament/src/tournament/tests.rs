//! Tournaments of every format and size, played to their end with made-up results.

mod play;

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::plan::{Deals, Format};
use play::{Player, every, seed};

/// How often each pair was in a counted group.
fn meetings(tournament: &Tournament) -> BTreeMap<(Entrant, Entrant), u32> {
    let mut met = BTreeMap::new();
    for group in tournament.counted() {
        let mut lineup = tournament.group(group.number).unwrap().lineup.to_vec();
        lineup.sort();
        for (i, &a) in lineup.iter().enumerate() {
            for &b in &lineup[i + 1..] {
                *met.entry((a, b)).or_default() += 1;
            }
        }
    }
    met
}

#[test]
fn every_tournament_is_played_to_its_end() {
    let seed = seed();
    every(|setup| {
        let mut player = Player::new(setup.clone(), seed);
        player.start();
        player.play_out();
        let tournament = &player.tournament;
        let progress = tournament.progress();
        assert_eq!(progress.groups_counted, progress.groups_expected, "{setup:?}");
        assert_eq!(progress.groups_complete, progress.groups_expected);
        assert_eq!(progress.tables_over, progress.tables_expected);
        assert_eq!(progress.round + 1, progress.rounds);
        assert_eq!(tournament.ready(&BTreeSet::new()).count(), 0);
        for group in tournament.counted() {
            let lineup: BTreeSet<Entrant> =
                tournament.group(group.number).unwrap().lineup.iter().copied().collect();
            assert_eq!(lineup.len(), usize::from(setup.players), "nobody is twice at a table");
            assert_eq!(group.tables.len(), usize::from(setup.rotations()));
            for seat in 0..usize::from(setup.players) {
                let sat: BTreeSet<Entrant> =
                    group.tables.iter().map(|table| table.seats[seat].entrant).collect();
                assert_eq!(sat.len(), group.tables.len(), "everyone has each seat once");
                assert!(sat.is_subset(&lineup));
            }
        }
        check_format(&player, &setup);
    });
}

/// What each format promises.
fn check_format(player: &Player, setup: &Setup) {
    let tournament = &player.tournament;
    let met = meetings(tournament);
    let all: Vec<Entrant> = (0..setup.entrants).map(Entrant).collect();
    let met_by = |a: Entrant, b: Entrant| met.get(&(a.min(b), a.max(b))).copied().unwrap_or_default();
    let games = |who: Entrant| {
        let numbers = tournament.counted().iter().map(|group| group.number);
        numbers.filter(|&number| tournament.group(number).unwrap().lineup.contains(&who)).count() as u32
    };
    let placings = tournament.placings();
    match setup.format {
        Format::RoundRobin { groups } => {
            let pairs = (1..setup.entrants).flat_map(|a| (0..a).map(move |b| (Entrant(a), Entrant(b))));
            let counts: Vec<u32> = pairs.map(|(a, b)| met_by(a, b)).collect();
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(*least >= groups && most - least <= 1, "{setup:?}: {least} to {most}");
            assert!(all.iter().all(|who| games(*who) == games(all[0])), "{setup:?}");
        }
        Format::Gauntlet { champion, groups } => {
            for &who in all.iter().filter(|who| **who != champion) {
                assert!((groups..=groups + 1).contains(&met_by(champion, who)), "{setup:?}");
                assert_eq!(games(who), met_by(champion, who), "the champion is in every line-up");
            }
        }
        Format::Swiss { rounds, groups } => {
            let byes: Vec<u32> = placings.iter().map(|placing| placing.byes).collect();
            assert!(byes.iter().max().unwrap() - byes.iter().min().unwrap() <= 1, "{setup:?}: {byes:?}");
            for placing in &placings {
                assert_eq!(games(placing.entrant), (rounds - placing.byes) * groups, "{setup:?}");
                assert!((0.0..=f64::from(rounds)).contains(&placing.match_points));
            }
        }
        Format::Knockout { groups, .. } => {
            let winners: Vec<&Placing> = placings.iter().filter(|p| p.out_in_round.is_none()).collect();
            assert_eq!(winners.len(), 1, "{setup:?}");
            assert_eq!(winners[0].order, 0);
            for placing in &placings {
                let last = placing.out_in_round.unwrap_or(tournament.progress().rounds - 1);
                assert!(games(placing.entrant) >= (last + 1 - placing.byes) * groups, "{setup:?}");
            }
        }
    }
}

#[test]
fn the_order_in_which_tables_finish_changes_nothing() {
    let seed = seed();
    every(|setup| {
        if setup.entrants % 3 != 0 {
            return;
        }
        let play = |order| {
            let mut player = Player::new(setup.clone(), seed);
            player.finishing = order;
            player.start();
            player.play_out();
            player.tournament
        };
        let (one, other) = (play(seed + 1), play(seed + 2));
        assert!(one == other, "{setup:?}");
    });
}

#[test]
fn a_tournament_read_back_from_its_log_is_the_same_after_every_entry() {
    let seed = seed();
    every(|setup| {
        if setup.entrants % 4 != 0 {
            return;
        }
        let mut player = Player::new(setup.clone(), seed);
        player.trouble = 12;
        player.start();
        player.play_out();
        let mut again = Tournament::open(setup, player.seed()).unwrap();
        for entry in &player.log {
            assert_eq!(again.ask(entry.clone()).unwrap().as_ref(), Some(entry));
            again.fold(entry).unwrap();
            assert_eq!(again.ask(entry.clone()).ok().flatten(), None, "once more is harmless or refused");
            let before = again.clone();
            assert!(again.fold(entry).is_err());
            assert!(again == before, "what is refused leaves no trace");
        }
        assert!(again == player.tournament);
    });
}

#[test]
fn withdrawals_and_void_groups_at_any_moment_lead_to_an_end() {
    let seed = seed();
    every(|setup| {
        for trouble in [40, 8] {
            let mut player = Player::new(setup.clone(), seed ^ u64::from(trouble));
            player.trouble = trouble;
            player.start();
            player.play_out();
            let tournament = &player.tournament;
            let progress = tournament.progress();
            assert_eq!(progress.groups_counted, progress.groups_expected, "{setup:?}");
            assert_eq!(progress.tables_over, progress.tables_expected);
            assert_eq!(progress.groups_voided, tournament.voided.len() as u32);
            let there = tournament.there();
            // Those who stayed have met as often as they were to, unless too few stayed to fill a table.
            if let Format::RoundRobin { groups } = setup.format {
                let met = meetings(tournament);
                let pairs =
                    there.iter().flat_map(|a| there.iter().map(move |b| (*a, *b))).filter(|(a, b)| a < b);
                for pair in pairs.filter(|_| there.len() >= usize::from(setup.players)) {
                    assert!(met.get(&pair).is_some_and(|met| *met >= groups), "{setup:?}: {pair:?}");
                }
            }
            if let Format::Knockout { .. } = setup.format {
                let left =
                    tournament.placings().iter().filter(|placing| placing.out_in_round.is_none()).count();
                assert!(left < usize::from(setup.players).max(2), "{setup:?}: {left} left");
            }
        }
    });
}

#[test]
fn what_does_not_fit_is_refused_and_says_why() {
    let format = Format::RoundRobin { groups: 2 };
    let setup = Setup { players: 3, entrants: 7, format, deals: Deals::Duplicate, test: None };
    let mut player = Player::new(setup, 1);
    let over = |tournament: &Tournament, table: TableId| {
        let mut over = play::result(tournament, table, 5);
        over.rotation = table.rotation;
        Entry::TableOver { group: table.group, table: over }
    };
    let first = TableId { group: 0, rotation: 0 };
    let refused = |tournament: &Tournament, entry: Entry| tournament.ask(entry).unwrap_err();
    let early = over(&player.tournament, first);
    assert_eq!(refused(&player.tournament, early.clone()), Misfit::NotStarted);
    assert_eq!(refused(&player.tournament, Entry::Paused), Misfit::NotStarted);
    player.start();
    let tournament = &player.tournament;
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
    player.fold(early.clone());
    let Entry::TableOver { group, mut table } = early.clone() else { unreachable!() };
    assert_eq!(player.tournament.ask(early).unwrap(), None);
    table.seats[0].points += 1;
    let other = Entry::TableOver { group, table };
    assert_eq!(refused(&player.tournament, other), Misfit::OtherResult(0, 0));
}

#[test]
fn first_rotations_come_first_and_in_order_and_the_others_in_another_one() {
    let format = Format::RoundRobin { groups: 4 };
    let setup = Setup { players: 3, entrants: 9, format, deals: Deals::Duplicate, test: None };
    let mut player = Player::new(setup, 3);
    player.start();
    player.play_out();
    let groups = player.tournament.group_count() as usize;
    let begun: Vec<TableId> = player.begun.clone();
    assert_eq!(begun.len(), 3 * groups);
    assert!(begun.iter().map(|table| table.rotation).is_sorted());
    assert!(begun[..groups].is_sorted(), "first rotations in the order of the deals");
    let (second, third) = (&begun[groups..2 * groups], &begun[2 * groups..]);
    let moved = |one: &[TableId], other: &[TableId]| {
        one.iter().zip(other).filter(|(one, other)| one.group != other.group).count() > groups / 2
    };
    assert!(moved(second, &begun[..groups]) && moved(third, second), "each time in a new order");
}

#[test]
fn a_million_tables_cost_little_a_step() {
    let format = Format::RoundRobin { groups: 11_111 };
    let setup = Setup { players: 2, entrants: 10, format, deals: Deals::Duplicate, test: None };
    let mut tournament = Tournament::open(setup, [1; 32]).unwrap();
    assert_eq!(tournament.progress().tables_expected, 999_990);
    tournament.fold(&Entry::Started).unwrap();
    // The first table never ends, and everything else goes on past it.
    let stuck = TableId { group: 0, rotation: 0 };
    let mut running = BTreeSet::from([stuck]);
    for _ in 0..50_000 {
        let table = tournament.ready(&running).next().unwrap().table;
        running.insert(table);
        let over = play::result(&tournament, table, 1);
        tournament.fold(&Entry::TableOver { group: table.group, table: over }).unwrap();
        running.remove(&table);
    }
    assert_eq!(tournament.progress().tables_over, 50_000);
    assert_eq!(tournament.progress().groups_counted, 0, "the first group is open, so nothing counts yet");
}

#[test]
fn nonsense_is_refused_without_a_trace() {
    use parlor_engine::below;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;
    let seed = seed();
    every(|setup| {
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
                        Some(_) => play::result(&tournament, table, 4),
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
