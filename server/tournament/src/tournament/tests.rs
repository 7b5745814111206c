//! Tournaments of every format and size, simulated to their end with random results.

mod blocks;
mod invalid;
mod sequential;
mod simulator;
mod withdrawals;

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::plan::{DealMode, Format, PlanVersion};
use simulator::{Simulator, for_every_setup, seed};

/// Number of counted groups of each pair.
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
fn every_format_and_size_plays_to_its_end() {
    let seed = seed();
    for_every_setup(|setup| {
        let mut simulator = Simulator::new(setup.clone(), seed);
        simulator.start();
        simulator.play_out();
        let tournament = &simulator.tournament;
        let progress = tournament.progress();
        assert_eq!(progress.groups_counted, tournament.group_count(), "{setup:?}");
        assert_eq!(progress.groups_complete, tournament.group_count());
        assert_eq!(progress.tables_over, progress.groups_counted * u32::from(setup.rotations()));
        assert_eq!(progress.round + 1, progress.rounds);
        let planned = simulator.expected;
        match setup.format {
            // Tie-break groups are not part of the expectation.
            Format::Knockout { tie_groups: 1.., .. } => {
                assert!(planned.groups_expected <= progress.groups_counted);
            }
            _ => assert_eq!(planned.groups_expected, progress.groups_counted, "{setup:?}"),
        }
        assert_eq!(planned.rounds, progress.rounds, "{setup:?}");
        assert_eq!(tournament.ready(&BTreeSet::new()).count(), 0);
        for group in tournament.counted() {
            let lineup: BTreeSet<Entrant> =
                tournament.group(group.number).unwrap().lineup.iter().copied().collect();
            assert_eq!(lineup.len(), usize::from(setup.players), "members of a line-up are distinct");
            assert_eq!(group.tables.len(), usize::from(setup.rotations()));
            for seat in 0..usize::from(setup.players) {
                let sat: BTreeSet<Entrant> =
                    group.tables.iter().map(|table| table.seats[seat].entrant).collect();
                assert_eq!(sat.len(), group.tables.len(), "every entrant has each seat once");
                assert!(sat.is_subset(&lineup));
            }
        }
        check_format(&simulator, &setup);
    });
}

/// Checks the guarantees of the format.
fn check_format(simulator: &Simulator, setup: &PlanSetup) {
    let tournament = &simulator.tournament;
    let met = meetings(tournament);
    let all: Vec<Entrant> = (0..setup.entrants).map(Entrant).collect();
    let met_by = |a: Entrant, b: Entrant| met.get(&(a.min(b), a.max(b))).copied().unwrap_or_default();
    let games = |entrant: Entrant| {
        let numbers = tournament.counted().iter().map(|group| group.number);
        numbers.filter(|&number| tournament.group(number).unwrap().lineup.contains(&entrant)).count() as u32
    };
    let placings = tournament.placings();
    match setup.format {
        Format::RoundRobin { groups } => {
            let pairs = (1..setup.entrants).flat_map(|a| (0..a).map(move |b| (Entrant(a), Entrant(b))));
            let counts: Vec<u32> = pairs.map(|(a, b)| met_by(a, b)).collect();
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(*least >= groups && most - least <= 1, "{setup:?}: {least} to {most}");
            assert!(all.iter().all(|entrant| games(*entrant) == games(all[0])), "{setup:?}");
        }
        Format::Gauntlet { champion, groups } => {
            for &entrant in all.iter().filter(|entrant| **entrant != champion) {
                assert!((groups..=groups + 1).contains(&met_by(champion, entrant)), "{setup:?}");
                assert_eq!(games(entrant), met_by(champion, entrant), "the champion is in every line-up");
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
fn finishing_order_of_tables_changes_nothing() {
    let seed = seed();
    for_every_setup(|setup| {
        if setup.entrants % 3 != 0 {
            return;
        }
        let play = |order| {
            let mut simulator = Simulator::new(setup.clone(), seed);
            simulator.finishing = order;
            simulator.start();
            simulator.play_out();
            simulator.tournament
        };
        let (one, other) = (play(seed + 1), play(seed + 2));
        assert!(one == other, "{setup:?}");
    });
}

#[test]
fn replay_of_the_log_gives_the_same_tournament() {
    let seed = seed();
    for_every_setup(|setup| {
        if setup.entrants % 4 != 0 {
            return;
        }
        let mut simulator = Simulator::new(setup.clone(), seed);
        simulator.disruption = 12;
        simulator.start();
        simulator.play_out();
        let mut again = Tournament::new(setup, simulator.seed()).unwrap();
        for entry in &simulator.log {
            assert_eq!(again.propose(entry.clone()).unwrap().as_ref(), Some(entry));
            again.apply(entry).unwrap();
            assert_eq!(
                again.propose(entry.clone()).ok().flatten(),
                None,
                "a repeat has no effect or is refused"
            );
            let before = again.clone();
            assert!(again.apply(entry).is_err());
            assert!(again == before, "a refused entry changes nothing");
        }
        assert!(again == simulator.tournament);
    });
}

#[test]
fn tournament_with_withdrawals_and_void_groups_plays_to_its_end() {
    let seed = seed();
    for_every_setup(|setup| {
        for disruption in [40, 8] {
            let mut simulator = Simulator::new(setup.clone(), seed ^ u64::from(disruption));
            simulator.disruption = disruption;
            simulator.start();
            simulator.play_out();
            let tournament = &simulator.tournament;
            let progress = tournament.progress();
            let played = tournament.group_count() - progress.groups_voided;
            assert_eq!(progress.groups_counted, played, "{setup:?}");
            assert_eq!(progress.tables_over, played * u32::from(setup.rotations()));
            assert!(tournament.counted().iter().map(|group| group.number).is_sorted());
            let active = tournament.active_entrants();
            // The active entrants have met as often as required, unless too few are left to fill a table.
            if let Format::RoundRobin { groups } = setup.format {
                let met = meetings(tournament);
                let pairs =
                    active.iter().flat_map(|a| active.iter().map(move |b| (*a, *b))).filter(|(a, b)| a < b);
                for pair in pairs.filter(|_| active.len() >= usize::from(setup.players)) {
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
fn first_rotations_start_in_group_order_and_later_ones_in_a_new_order() {
    let format = Format::RoundRobin { groups: 4 };
    let setup = PlanSetup {
        version: PlanVersion::LATEST,
        players: 3,
        entrants: 9,
        format,
        deals: DealMode::Duplicate,
        test: None,
    };
    let mut simulator = Simulator::new(setup, 3);
    simulator.start();
    simulator.play_out();
    let groups = simulator.tournament.group_count() as usize;
    let started: Vec<TableKey> = simulator.started.clone();
    assert_eq!(started.len(), 3 * groups);
    assert!(started.iter().map(|table| table.rotation).is_sorted());
    assert!(started[..groups].is_sorted(), "first rotations in the order of the deals");
    let (second, third) = (&started[groups..2 * groups], &started[2 * groups..]);
    let moved = |one: &[TableKey], other: &[TableKey]| {
        one.iter().zip(other).filter(|(one, other)| one.group != other.group).count() > groups / 2
    };
    assert!(moved(second, &started[..groups]) && moved(third, second), "each time in a new order");
}

#[test]
fn steps_are_cheap_in_a_tournament_of_a_million_tables() {
    let format = Format::RoundRobin { groups: 11_111 };
    let setup = PlanSetup {
        version: PlanVersion::LATEST,
        players: 2,
        entrants: 10,
        format,
        deals: DealMode::Duplicate,
        test: None,
    };
    let mut tournament = Tournament::new(setup, [1; 32]).unwrap();
    assert_eq!(tournament.progress().tables_expected, 999_990);
    tournament.apply(&PlanEntry::Started).unwrap();
    // The first table never ends; all others are played.
    let stuck = TableKey { group: 0, rotation: 0 };
    let mut running = BTreeSet::from([stuck]);
    for _ in 0..50_000 {
        let table = tournament.ready(&running).next().unwrap();
        running.insert(table);
        let over = simulator::result(&tournament, table, 1);
        tournament.apply(&PlanEntry::TableOver { group: table.group, table: over }).unwrap();
        running.remove(&table);
    }
    assert_eq!(tournament.progress().tables_over, 50_000);
    assert_eq!(tournament.progress().groups_counted, 0, "the first group is open, so nothing counts yet");
}

/// A running tournament is restored from its log by planning it again. If this test fails, stored tournaments
/// cannot be restored any more: the change is wrong, or needs a new version of the plan.
#[test]
fn plan_is_pinned() {
    for (version, expected) in [(PlanVersion::V1, "e879399e2a02652d"), (PlanVersion::V2, "357ead3d1fbf21d7")]
    {
        // FNV-1a: the standard library does not specify its hashers.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |number: u32| hash = (hash ^ u64::from(number)).wrapping_mul(0x0100_0000_01b3);
        for_every_setup(|setup| {
            let mut simulator = Simulator::new(PlanSetup { version, ..setup }, 77);
            simulator.disruption = 25;
            simulator.start();
            simulator.play_out();
            for table in &simulator.started {
                add(table.group);
                add(u32::from(table.rotation));
                let seats = simulator.tournament.table(*table).unwrap().seats;
                seats.iter().for_each(|entrant| add(u32::from(entrant.0)));
            }
        });
        assert_eq!(format!("{hash:016x}"), expected, "{version:?}");
    }
}
