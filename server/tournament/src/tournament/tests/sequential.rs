//! Tournaments that end when a question is answered.

use std::collections::BTreeSet;

use super::play::{self, Player, seed};
use crate::plan::{Deals, Format, SequentialTest, Setup, TableId};
use crate::tournament::GroupState;
use crate::{Entrant, Entry, Standings, State, Tournament};

#[test]
fn a_test_ends_the_tournament_with_the_group_that_answers_it() {
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
    let setup = Setup { players: 2, entrants: 3, format, deals: Deals::Duplicate, test: Some(test) };
    for salt in 0..20 {
        let play = |finishing| {
            let mut player = Player::new(setup.clone(), seed + salt);
            player.finishing = finishing;
            player.start();
            player.play_out();
            player.tournament
        };
        let (one, other) = (play(1), play(2));
        assert_eq!(one.state(), State::Finished);
        assert!(one.test().unwrap().decision.is_some() && one.counted().len() < 1200);
        assert_eq!(one.counted(), other.counted(), "whatever the order in which tables finished");
        assert_eq!(one.test(), other.test());
        let standings = Standings::of(&one.placings(), Some(&test), one.counted());
        assert_eq!(standings.test, one.test(), "the standings are those of the decision");
        let before = &one.counted()[..one.counted().len() - 1];
        let before = Standings::of(&one.placings(), Some(&test), before).test.unwrap();
        assert_eq!(before.decision, None, "no group was counted after it");
    }
}

#[test]
fn a_group_that_counted_is_voided_as_if_it_had_never_counted() {
    let test = SequentialTest {
        entrant: Entrant(1),
        lower: -9.0,
        upper: 9.0,
        alpha: 0.05,
        beta: 0.05,
        min_groups: 100,
    };
    let format = Format::RoundRobin { groups: 10 };
    let setup = Setup { players: 2, entrants: 3, format, deals: Deals::Independent, test: Some(test) };
    let mut tournament = Tournament::open(setup, [6; 32]).unwrap();
    tournament.fold(&Entry::Started).unwrap();
    for group in 0..20 {
        let over = play::result(&tournament, TableId { group, rotation: 0 }, 8);
        tournament.fold(&Entry::TableOver { group, table: over }).unwrap();
    }
    tournament.fold(&Entry::GroupVoided { group: 4, reason: "a fault".to_owned() }).unwrap();
    let numbers: Vec<u32> = tournament.counted().iter().map(|group| group.number).collect();
    assert_eq!(numbers, (0..20).filter(|number| *number != 4).collect::<Vec<u32>>());
    let standings = Standings::of(&tournament.placings(), Some(&test), tournament.counted());
    assert_eq!(tournament.test(), standings.test);
    assert_eq!(tournament.group(4).unwrap().void_reason, Some("a fault"));
    let replaced = tournament.group(30).unwrap();
    assert_eq!((replaced.lineup, replaced.state), (tournament.group(4).unwrap().lineup, GroupState::Open));
}

/// A question that nothing will answer.
fn open_question() -> SequentialTest {
    let (alpha, beta) = (0.001, 0.001);
    SequentialTest { entrant: Entrant(0), lower: -1e-9, upper: 1e-9, alpha, beta, min_groups: 10 }
}

/// Otherwise no group would count before the first tables of all of them are played.
#[test]
fn with_a_question_duplicate_deals_are_played_in_blocks() {
    let format = Format::RoundRobin { groups: 80 };
    let test = Some(open_question());
    let setup = Setup { players: 2, entrants: 3, format, deals: Deals::Duplicate, test };
    let mut player = Player::new(setup.clone(), seed());
    assert_eq!(player.tournament.progress().groups_expected, 240);
    player.start();
    player.play_out();
    let blocks: Vec<(u32, u8)> =
        player.begun.iter().map(|table| (table.group / 100, table.rotation)).collect();
    assert!(blocks.is_sorted() && blocks.len() == 480, "{blocks:?}");
    assert_eq!(player.tournament.progress().groups_counted, 240);
    // A clear answer ends it within the first block.
    let clear = SequentialTest { lower: -100.0, upper: -50.0, ..open_question() };
    let mut player = Player::new(Setup { test: Some(clear), ..setup }, seed());
    player.start();
    player.play_out();
    assert!(player.tournament.test().unwrap().decision.is_some() && player.begun.len() <= 200);
}

/// Groups of earlier blocks can be voided, and those who stay meet as often as they were to when somebody leaves.
#[test]
fn blocks_are_voided_and_filled_up_like_everything() {
    let format = Format::RoundRobin { groups: 60 };
    let test = Some(open_question());
    let setup = Setup { players: 2, entrants: 4, format, deals: Deals::Duplicate, test };
    let mut tournament = Tournament::open(setup, [3; 32]).unwrap();
    tournament.fold(&Entry::Started).unwrap();
    let play_one = |tournament: &mut Tournament| {
        let next = tournament.ready(&BTreeSet::new()).next();
        if let Some(next) = next {
            let table = play::result(tournament, next, 5);
            tournament.fold(&Entry::TableOver { group: next.group, table }).unwrap();
        }
        next
    };
    for _ in 0..230 {
        play_one(&mut tournament).unwrap();
    }
    tournament.fold(&Entry::GroupVoided { group: 3, reason: "a fault".to_owned() }).unwrap();
    tournament.fold(&Entry::Withdrawn { entrant: Entrant(2) }).unwrap();
    while play_one(&mut tournament).is_some() {}
    let meetings = |one: u16, other: u16| {
        let is_theirs = |group: &&crate::Group| {
            let seats = &group.tables[0].seats;
            [one, other].iter().all(|who| seats.iter().any(|seat| seat.entrant.0 == *who))
        };
        tournament.counted().iter().filter(is_theirs).count()
    };
    assert_eq!([meetings(0, 1), meetings(0, 3), meetings(1, 3)], [60; 3]);
    assert_eq!(tournament.state(), State::Finished);
}
