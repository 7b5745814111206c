//! Tournaments that end when a question is answered.

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
