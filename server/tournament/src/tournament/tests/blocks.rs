//! Blocks: groups are counted from the start on, deals keep their distance, and what lies beyond the counted groups
//! is provisional.

use std::collections::BTreeSet;

use super::simulator::{self, Simulator, seed};
use crate::plan::{DealMode, Format, PlanSetup, PlanVersion, TableKey};
use crate::tournament::ProvisionalScore;
use crate::{Entrant, PlanEntry, Tournament, TournamentState};

fn setup(format: Format, players: u8, entrants: u16) -> PlanSetup {
    let (version, deals) = (PlanVersion::LATEST, DealMode::Duplicate);
    PlanSetup { version, players, entrants, format, deals, test: None }
}

/// Plays these tables.
fn play(tournament: &mut Tournament, tables: impl IntoIterator<Item = TableKey>) {
    for TableKey { group, rotation } in tables {
        let table = simulator::result(tournament, TableKey { group, rotation }, 7);
        tournament.apply(&PlanEntry::TableOver { group, table }).unwrap();
    }
}

/// All tables of a rotation of these groups.
fn rotation(groups: std::ops::Range<u32>, rotation: u8) -> impl Iterator<Item = TableKey> {
    groups.map(move |group| TableKey { group, rotation })
}

#[test]
fn groups_of_every_format_are_counted_from_the_start() {
    for (format, players, entrants, groups) in [
        (Format::RoundRobin { groups: 200 }, 2, 3, 600),
        (Format::RoundRobin { groups: 600 }, 3, 3, 600),
        (Format::Gauntlet { champion: Entrant(1), groups: 200 }, 2, 4, 600),
        (Format::Swiss { rounds: 2, groups: 300 }, 2, 4, 1200),
        (Format::Knockout { groups: 300, tie_groups: 0 }, 2, 4, 900),
    ] {
        let mut simulator = Simulator::new(setup(format, players, entrants), seed());
        simulator.start();
        simulator.play_out();
        assert_eq!(simulator.tournament.progress().groups_counted, groups, "{format:?}");
        // A block of 100, and the few tables of the next one that run beside its last ones.
        assert!(simulator.max_uncounted <= 110, "{format:?}: {} are not counted", simulator.max_uncounted);
    }
}

#[test]
fn rotations_of_a_block_are_played_one_after_the_other() {
    let mut simulator = Simulator::new(setup(Format::RoundRobin { groups: 600 }, 3, 3), seed());
    simulator.start();
    simulator.play_out();
    let mut started = [[0_u32; 3]; 6];
    for table in &simulator.started {
        let block = &mut started[table.group as usize / 100];
        let rotation = usize::from(table.rotation);
        assert!(block[..rotation].iter().all(|earlier| *earlier == 100), "{table:?} is too early");
        block[rotation] += 1;
    }
    assert_eq!(started, [[100; 3]; 6]);
    let order = |of: u8| -> Vec<u32> {
        let tables = simulator.started.iter().filter(|table| table.rotation == of && table.group < 100);
        tables.map(|table| table.group).collect()
    };
    assert!(order(0).is_sorted() && !order(1).is_sorted() && order(1) != order(2));
}

#[test]
fn later_block_starts_when_the_earlier_ones_have_no_table_to_offer() {
    let mut tournament = Tournament::new(setup(Format::RoundRobin { groups: 600 }, 2, 2), [1; 32]).unwrap();
    tournament.apply(&PlanEntry::Started).unwrap();
    let mut running: BTreeSet<TableKey> = rotation(0..100, 0).collect();
    // All deals of the first block run: nobody waits for them.
    let next = |tournament: &Tournament, running: &BTreeSet<TableKey>| tournament.ready(running).next();
    assert_eq!(next(&tournament, &running), Some(TableKey { group: 100, rotation: 0 }));
    let over = TableKey { group: 41, rotation: 0 };
    running.remove(&over);
    play(&mut tournament, [over]);
    assert_eq!(next(&tournament, &running), Some(TableKey { group: 41, rotation: 1 }));
    running.insert(TableKey { group: 41, rotation: 1 });
    assert_eq!(next(&tournament, &running), Some(TableKey { group: 100, rotation: 0 }));
}

#[test]
fn cancelled_tournament_counts_its_prefix_and_the_rest_stays_provisional() {
    let mut tournament = Tournament::new(setup(Format::RoundRobin { groups: 600 }, 2, 2), [1; 32]).unwrap();
    tournament.apply(&PlanEntry::Started).unwrap();
    play(&mut tournament, rotation(0..100, 0).chain(rotation(0..100, 1)));
    play(&mut tournament, rotation(100..200, 0).chain(rotation(103..107, 1)));
    tournament.apply(&PlanEntry::Cancelled { reason: "rain".to_owned() }).unwrap();
    assert_eq!(tournament.state(), TournamentState::Cancelled);
    let progress = tournament.progress();
    assert_eq!((progress.groups_counted, progress.groups_complete), (100, 104));
    assert!(tournament.is_counted(99) && !tournament.is_counted(103));
    assert_provisional_scores(&tournament, &[103, 104, 105, 106]);
}

/// Provisional scores are those of exactly these groups.
fn assert_provisional_scores(tournament: &Tournament, groups: &[u32]) {
    let mut expected = vec![ProvisionalScore::default(); usize::from(tournament.setup().entrants)];
    for &number in groups {
        assert!(!tournament.is_counted(number));
        let tables = (0..tournament.setup().rotations())
            .map(|rotation| tournament.result(TableKey { group: number, rotation }).unwrap().clone())
            .collect();
        for score in (crate::Group { number, round: 0, tables }).scores() {
            let of = &mut expected[score.entrant.index()];
            of.mean = (of.mean * f64::from(of.groups) + score.score) / f64::from(of.groups + 1);
            of.groups += 1;
        }
    }
    for (shown, expected) in tournament.provisional_scores().zip(expected) {
        assert_eq!(shown.groups, expected.groups);
        assert!((shown.mean - expected.mean).abs() < 1e-9, "{shown:?} {expected:?}");
    }
}

#[test]
fn provisional_scores_follow_the_counted_groups() {
    let mut tournament = Tournament::new(setup(Format::RoundRobin { groups: 6 }, 3, 4), [2; 32]).unwrap();
    tournament.apply(&PlanEntry::Started).unwrap();
    let all = tournament.group_count();
    for turn in 0..3 {
        play(&mut tournament, rotation(1..all, turn));
    }
    let rest: Vec<u32> = (1..all).collect();
    assert_provisional_scores(&tournament, &rest);
    play(&mut tournament, (0..3).map(|rotation| TableKey { group: 0, rotation }));
    assert_provisional_scores(&tournament, &[]);
    assert_eq!(tournament.state(), TournamentState::Finished);
}

#[test]
fn voided_counted_group_is_provisional_no_more() {
    let mut tournament = Tournament::new(setup(Format::RoundRobin { groups: 9 }, 2, 2), [3; 32]).unwrap();
    tournament.apply(&PlanEntry::Started).unwrap();
    play(&mut tournament, rotation(0..9, 0).chain(rotation(0..4, 1)).chain(rotation(6..8, 1)));
    assert_provisional_scores(&tournament, &[6, 7]);
    for group in [2, 6] {
        tournament.apply(&PlanEntry::GroupVoided { group, reason: "a fault".to_owned() }).unwrap();
    }
    assert_eq!(tournament.progress().groups_counted, 3);
    assert_provisional_scores(&tournament, &[7]);
}

/// A tournament goes on with the version of the plan that it was created with.
#[test]
fn old_version_of_the_plan_is_one_block() {
    let setup = PlanSetup { version: PlanVersion::V1, ..setup(Format::RoundRobin { groups: 600 }, 2, 2) };
    let mut tournament = Tournament::new(setup, [1; 32]).unwrap();
    tournament.apply(&PlanEntry::Started).unwrap();
    play(&mut tournament, rotation(0..100, 0));
    let next = tournament.ready(&BTreeSet::new()).next();
    assert_eq!(next, Some(TableKey { group: 100, rotation: 0 }));
    assert_eq!([PlanVersion::from_number(1), PlanVersion::from_number(3)], [Some(PlanVersion::V1), None]);
}
