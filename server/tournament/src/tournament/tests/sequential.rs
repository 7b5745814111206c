//! Tournaments with a sequential test.

use std::collections::BTreeSet;

use super::simulator::{self, Simulator, seed};
use crate::plan::{DealMode, Format, PlanSetup, PlanVersion, SequentialTest, TableKey};
use crate::tournament::GroupState;
use crate::{Entrant, PlanEntry, Standings, Tournament, TournamentState};

#[test]
fn sequential_test_ends_the_tournament_with_the_deciding_group() {
    let seed = seed();
    let test = SequentialTest {
        entrant: Entrant(0),
        lower: -0.5,
        upper: 0.5,
        alpha: 0.05,
        beta: 0.05,
        min_groups: 10,
    };
    let format = Format::RoundRobin { groups: 400 };
    let setup = PlanSetup {
        version: PlanVersion::LATEST,
        players: 2,
        entrants: 3,
        format,
        deals: DealMode::Duplicate,
        test: Some(test),
    };
    for salt in 0..20 {
        let play = |finishing| {
            let mut simulator = Simulator::new(setup.clone(), seed + salt);
            simulator.finishing = finishing;
            simulator.start();
            simulator.play_out();
            simulator.tournament
        };
        let (one, other) = (play(1), play(2));
        assert_eq!(one.state(), TournamentState::Finished);
        assert!(one.test().unwrap().decision.is_some() && one.counted().len() < 1200);
        assert_eq!(one.counted(), other.counted(), "independent of the finishing order");
        assert_eq!(one.test(), other.test());
        let standings = Standings::from_groups(&one.placings(), Some(&test), one.counted());
        assert_eq!(standings.test, one.test(), "the standings show the same decision");
        let before = &one.counted()[..one.counted().len() - 1];
        let before = Standings::from_groups(&one.placings(), Some(&test), before).test.unwrap();
        assert_eq!(before.decision, None, "no group was counted after it");
    }
}

#[test]
fn voiding_a_counted_group_removes_it_from_the_count() {
    let test = SequentialTest {
        entrant: Entrant(1),
        lower: -9.0,
        upper: 9.0,
        alpha: 0.05,
        beta: 0.05,
        min_groups: 100,
    };
    let format = Format::RoundRobin { groups: 10 };
    let setup = PlanSetup {
        version: PlanVersion::LATEST,
        players: 2,
        entrants: 3,
        format,
        deals: DealMode::Independent,
        test: Some(test),
    };
    let mut tournament = Tournament::new(setup, [6; 32]).unwrap();
    tournament.apply(&PlanEntry::Started).unwrap();
    for group in 0..20 {
        let over = simulator::result(&tournament, TableKey { group, rotation: 0 }, 8);
        tournament.apply(&PlanEntry::TableOver { group, table: over }).unwrap();
    }
    tournament.apply(&PlanEntry::GroupVoided { group: 4, reason: "a fault".to_owned() }).unwrap();
    let numbers: Vec<u32> = tournament.counted().iter().map(|group| group.number).collect();
    assert_eq!(numbers, (0..20).filter(|number| *number != 4).collect::<Vec<u32>>());
    let standings = Standings::from_groups(&tournament.placings(), Some(&test), tournament.counted());
    assert_eq!(tournament.test(), standings.test);
    assert_eq!(tournament.group(4).unwrap().void_reason, Some("a fault"));
    let replaced = tournament.group(30).unwrap();
    assert_eq!((replaced.lineup, replaced.state), (tournament.group(4).unwrap().lineup, GroupState::Open));
}

/// A test that is never decided.
fn undecidable_test() -> SequentialTest {
    let (alpha, beta) = (0.001, 0.001);
    SequentialTest { entrant: Entrant(0), lower: -1e-9, upper: 1e-9, alpha, beta, min_groups: 10 }
}

/// Otherwise no group would be counted before the first rotations of all groups are played.
#[test]
fn sequential_test_ends_the_tournament_within_the_first_block() {
    for version in [PlanVersion::V1, PlanVersion::V2] {
        let format = Format::RoundRobin { groups: 80 };
        let test = Some(undecidable_test());
        let setup = PlanSetup { version, players: 2, entrants: 3, format, deals: DealMode::Duplicate, test };
        let mut simulator = Simulator::new(setup.clone(), seed());
        assert_eq!(simulator.tournament.progress().groups_expected, 240);
        simulator.start();
        simulator.play_out();
        if version == PlanVersion::V1 {
            let stage = |table: &TableKey| (table.group / 100, table.rotation);
            assert!(simulator.started.iter().map(stage).is_sorted(), "{:?}", simulator.started);
        }
        assert_eq!(simulator.started.len(), 480);
        assert_eq!(simulator.tournament.progress().groups_counted, 240);
        let clear = SequentialTest { lower: -100.0, upper: -50.0, ..undecidable_test() };
        let mut simulator = Simulator::new(PlanSetup { test: Some(clear), ..setup }, seed());
        simulator.start();
        simulator.play_out();
        assert!(simulator.tournament.test().unwrap().decision.is_some() && simulator.started.len() <= 200);
    }
}

/// Groups of earlier blocks can be voided, and after a withdrawal the remaining entrants still meet as often
/// as required.
#[test]
fn blocks_are_voided_and_repaired() {
    [PlanVersion::V1, PlanVersion::V2].into_iter().for_each(void_and_repair);
}

fn void_and_repair(version: PlanVersion) {
    let format = Format::RoundRobin { groups: 60 };
    let test = Some(undecidable_test());
    let setup = PlanSetup { version, players: 2, entrants: 4, format, deals: DealMode::Duplicate, test };
    let mut tournament = Tournament::new(setup, [3; 32]).unwrap();
    tournament.apply(&PlanEntry::Started).unwrap();
    let play_one = |tournament: &mut Tournament| {
        let next = tournament.ready(&BTreeSet::new()).next();
        if let Some(next) = next {
            let table = simulator::result(tournament, next, 5);
            tournament.apply(&PlanEntry::TableOver { group: next.group, table }).unwrap();
        }
        next
    };
    for _ in 0..230 {
        play_one(&mut tournament).unwrap();
    }
    tournament.apply(&PlanEntry::GroupVoided { group: 3, reason: "a fault".to_owned() }).unwrap();
    tournament.apply(&PlanEntry::Withdrawn { entrant: Entrant(2) }).unwrap();
    while play_one(&mut tournament).is_some() {}
    let meetings = |one: u16, other: u16| {
        let is_theirs = |group: &&crate::Group| {
            let seats = &group.tables[0].seats;
            [one, other].iter().all(|entrant| seats.iter().any(|seat| seat.entrant.0 == *entrant))
        };
        tournament.counted().iter().filter(is_theirs).count()
    };
    assert_eq!([meetings(0, 1), meetings(0, 3), meetings(1, 3)], [60; 3]);
    assert_eq!(tournament.state(), TournamentState::Finished);
}
