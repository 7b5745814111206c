//! Effects of withdrawals on the remaining entrants.

use std::collections::BTreeSet;

use super::simulator::{self, Simulator};
use crate::plan::{DealMode, Format, PlanSetup, PlanVersion, TableKey};
use crate::tournament::GroupState;
use crate::{Entrant, InvalidEntry, PlanEntry, Tournament, TournamentState};

fn opened(format: Format, players: u8, entrants: u16) -> Tournament {
    let setup = PlanSetup {
        version: PlanVersion::LATEST,
        players,
        entrants,
        format,
        deals: DealMode::Duplicate,
        test: None,
    };
    Tournament::new(setup, [4; 32]).unwrap()
}

fn withdraw(tournament: &mut Tournament, entrant: u16) {
    tournament.apply(&PlanEntry::Withdrawn { entrant: Entrant(entrant) }).unwrap();
}

/// Plays all ready tables of a round, in order.
fn play_round(tournament: &mut Tournament, round: u32) {
    let next = |tournament: &Tournament| {
        let mut ready = tournament.ready(&BTreeSet::new()).collect::<Vec<_>>().into_iter();
        ready.next().filter(|next| tournament.group(next.group).unwrap().round == round)
    };
    while let Some(next) = next(tournament) {
        let table = simulator::result(tournament, next, 3);
        tournament.apply(&PlanEntry::TableOver { group: next.group, table }).unwrap();
    }
}

#[test]
fn withdrawal_before_the_start_removes_the_entrant_from_the_plan() {
    let mut tournament = opened(Format::RoundRobin { groups: 1 }, 3, 5);
    withdraw(&mut tournament, 2);
    let planned = (0..tournament.group_count()).map(|number| tournament.group(number).unwrap());
    assert!(planned.into_iter().all(|group| !group.lineup.contains(&Entrant(2))));
    assert_eq!(tournament.progress().groups_voided, 0);
    withdraw(&mut tournament, 0);
    assert_eq!(tournament.group_count(), 1);
    withdraw(&mut tournament, 1);
    assert_eq!(
        tournament.propose(PlanEntry::Started),
        Err(InvalidEntry::TooFewEntrants { left: 2, players: 3 })
    );
}

#[test]
fn knockout_withdrawal_advances_the_opponent() {
    let mut tournament = opened(Format::Knockout { groups: 1, tie_groups: 0 }, 2, 4);
    tournament.apply(&PlanEntry::Started).unwrap();
    withdraw(&mut tournament, 0);
    assert_eq!(tournament.group(0).unwrap().state, GroupState::Void);
    assert_eq!(tournament.group(0).unwrap().void_reason, Some("entrant 0 was withdrawn"));
    play_round(&mut tournament, 0);
    let last = tournament.group(tournament.group_count() - 1).unwrap();
    assert!(last.round == 1 && last.lineup.contains(&Entrant(3)), "3 was paired with 0, and advances");
    play_round(&mut tournament, 1);
    assert_eq!(tournament.state(), TournamentState::Finished);
    assert_eq!(tournament.placings()[0].out_in_round, Some(0));
}

#[test]
fn swiss_withdrawal_scores_the_opponent_as_with_a_bye() {
    let mut tournament = opened(Format::Swiss { rounds: 2, groups: 1 }, 2, 6);
    tournament.apply(&PlanEntry::Started).unwrap();
    let lineup = tournament.group(0).unwrap().lineup.to_vec();
    withdraw(&mut tournament, lineup[0].0);
    play_round(&mut tournament, 0);
    let placings = tournament.placings();
    assert_eq!(placings[lineup[1].index()].match_points, 1.0);
    assert_eq!(placings[lineup[1].index()].byes, 0);
    assert_eq!(placings[lineup[0].index()].match_points, 0.0);
    play_round(&mut tournament, 1);
    assert_eq!(tournament.state(), TournamentState::Finished);
    let byes: u32 = tournament.placings().iter().map(|placing| placing.byes).sum();
    assert_eq!(byes, 1, "five entrants are left");
}

#[test]
fn gauntlet_ends_without_its_champion_and_is_repaired_without_another_entrant() {
    let format = Format::Gauntlet { champion: Entrant(1), groups: 6 };
    let mut tournament = opened(format, 3, 7);
    tournament.apply(&PlanEntry::Started).unwrap();
    withdraw(&mut tournament, 4);
    let games = |tournament: &Tournament, entrant: u16| {
        let groups = (0..tournament.group_count()).map(|number| tournament.group(number).unwrap());
        groups
            .filter(|group| group.state != GroupState::Void && group.lineup.contains(&Entrant(entrant)))
            .count()
    };
    assert!([0, 2, 3, 5, 6].iter().all(|entrant| (6..=7).contains(&games(&tournament, *entrant))));
    withdraw(&mut tournament, 1);
    assert_eq!(tournament.state(), TournamentState::Finished);
}

#[test]
fn withdrawal_keeps_complete_groups_and_drops_running_tables() {
    let format = Format::RoundRobin { groups: 2 };
    let setup = PlanSetup {
        version: PlanVersion::LATEST,
        players: 2,
        entrants: 3,
        format,
        deals: DealMode::Independent,
        test: None,
    };
    let mut simulator = Simulator::new(setup, 5);
    simulator.start();
    let lineup = simulator.tournament.group(0).unwrap().lineup.to_vec();
    let over = simulator::result(&simulator.tournament, TableKey { group: 0, rotation: 0 }, 5);
    simulator.apply(PlanEntry::TableOver { group: 0, table: over });
    simulator.apply(PlanEntry::Withdrawn { entrant: lineup[0] });
    assert_eq!(simulator.tournament.counted().len(), 1);
    let running = (1..6).map(|group| TableKey { group, rotation: 0 });
    for table in running {
        let group = simulator.tournament.group(table.group).unwrap();
        assert_eq!(simulator.tournament.is_pending(table), !group.lineup.contains(&lineup[0]));
        // A late result of a dropped table has no effect.
        let over = simulator::result(&simulator.tournament, table, 5);
        let late =
            simulator.tournament.propose(PlanEntry::TableOver { group: table.group, table: over }).unwrap();
        assert_eq!(late.is_some(), simulator.tournament.is_pending(table));
    }
}
