//! Tournaments of every format and size, played to their end with made-up results.

mod departures;
mod play;
mod refusals;
mod sequential;

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
        assert_eq!(progress.groups_counted, tournament.group_count(), "{setup:?}");
        assert_eq!(progress.groups_complete, tournament.group_count());
        assert_eq!(progress.tables_over, progress.groups_counted * u32::from(setup.rotations()));
        assert_eq!(progress.round + 1, progress.rounds);
        let planned = player.expected;
        match setup.format {
            // Ties are not foreseen.
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
            let played = tournament.group_count() - progress.groups_voided;
            assert_eq!(progress.groups_counted, played, "{setup:?}");
            assert_eq!(progress.tables_over, played * u32::from(setup.rotations()));
            assert!(tournament.counted().iter().map(|group| group.number).is_sorted());
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
        let table = tournament.ready(&running).next().unwrap();
        running.insert(table);
        let over = play::result(&tournament, table, 1);
        tournament.fold(&Entry::TableOver { group: table.group, table: over }).unwrap();
        running.remove(&table);
    }
    assert_eq!(tournament.progress().tables_over, 50_000);
    assert_eq!(tournament.progress().groups_counted, 0, "the first group is open, so nothing counts yet");
}

/// A tournament that is under way is read back from its log by planning it again. If this test fails, those that servers have
/// in their stores cannot be read any more: it is the change that is wrong, or the setup needs a version of its plan.
#[test]
fn the_plan_is_pinned() {
    // FNV-1a, which the standard library's hashers do not promise to be.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |number: u32| hash = (hash ^ u64::from(number)).wrapping_mul(0x0100_0000_01b3);
    every(|setup| {
        let mut player = Player::new(setup, 77);
        player.trouble = 25;
        player.start();
        player.play_out();
        for table in &player.begun {
            add(table.group);
            add(u32::from(table.rotation));
            let seats = player.tournament.table(*table).unwrap().seats;
            seats.iter().for_each(|who| add(u32::from(who.0)));
        }
    });
    assert_eq!(format!("{hash:016x}"), "e879399e2a02652d");
}
