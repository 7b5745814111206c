//! Validation of views: impossible ones are rejected with a reason.

use super::views::complete;
use super::*;
use crate::test_support::test_rng;

#[test]
fn impossible_views_are_rejected_with_a_reason() {
    let mut rng = test_rng("impossible_views_are_rejected_with_a_reason");
    let mut table = Table::new(&["5|8 X2", "5|10 PASS", "SWAP"], "");
    table.play(&["1: decline", "0: X2", "1: 5|10 0,0 right", "1: decline", "2: SWAP 1"]);
    table.play(&["2: decline", "0: 5|8 0,0 left"]);
    let good = table.view(1);
    assert_eq!((good.turn, good.decision, table.to_act()), (seat(1), None, vec![2]));
    assert!(NoDice::sample(&good, &mut rng).is_ok());
    type Change = fn(&mut View);
    let cases: &[(&str, Change)] = &[
        ("the number of players is out of range", |view| view.players = 1),
        ("the number of players is out of range", |view| view.players = 7),
        ("the turn belongs to a seat that is not at the table", |view| view.turn = seat(3)),
        ("the viewer is not at the table", |view| {
            view.viewer = Viewer::Seat(seat(3));
        }),
        ("a seat that is not at the table has an x2", |view| view.x2 = Seats::only(seat(3))),
        ("a seat that is not at the table has passed", |view| view.passed = Seats::only(seat(3))),
        ("a seat that is not at the table has points or cards", |view| view.scores[3] = 1),
        ("a seat that is not at the table has points or cards", |view| view.hand_sizes[3] = 1),
        ("a seat that is not at the table has points or cards", |view| view.known[3] = hand("2|2")),
        ("a playing card is among the played action cards", |view| {
            view.played = view.played.with(card("2|2"));
        }),
        ("an x2 is pending that was not played", |view| view.x2 = Seats::all(2)),
        ("a card is in two places", |view| view.known[0] = hand("5|10")),
        ("a card is in two places", |view| view.table.push(view.table[0])),
        ("there are too many cards of a kind", |view| {
            view.played = hand("X2 X2 X2 X2 X2 SWAP");
        }),
        ("a hand does not match its size", |view| {
            view.hand_sizes[1] -= 1;
        }),
        ("a hand is too large", |view| view.hand_sizes[0] = 8),
        ("more cards are known in a hand than it has", |view| {
            view.hand_sizes[2] = view.known[2].len() - 1;
        }),
        ("the viewer remembers cards in its own hand, or a spectator remembers cards", |view| {
            let gone = view.hand.into_iter().next().expect("a card");
            view.hand = view.hand.without(gone);
            view.known[1] = Hand::EMPTY.with(gone);
            view.hand_sizes[1] -= 1;
        }),
        ("the cards do not add up to the deck", |view| view.draw_pile -= 1),
        ("the cards do not add up to the deck", |view| view.draw_pile += 1),
        ("the outcome contradicts the cards, the passes or the points", |view| {
            view.outcome = Some(Outcome::from_points(3, view.scores));
        }),
        ("the outcome contradicts the cards, the passes or the points", |view| view.passed = Seats::all(3)),
        ("the outcome contradicts the cards, the passes or the points", |view| {
            view.passed = Seats::all(3);
            view.outcome = Some(Outcome::from_points(3, [1; 6]));
        }),
        ("the viewer cannot have this decision", |view| {
            view.decision = Some(Decision::Window);
        }),
        ("the viewer cannot have this decision", |view| {
            view.turn = seat(2);
            view.decision = Some(Decision::Turn);
        }),
        ("the viewer cannot have this decision", |view| {
            view.passed = Seats::all(3);
            view.outcome = Some(Outcome::from_points(3, view.scores));
            view.decision = Some(Decision::Turn);
        }),
        ("the viewer cannot have answered yes", |view| {
            view.said_yes = true;
        }),
        ("the viewer cannot have answered yes", |view| {
            view.turn = seat(0);
            view.said_yes = true;
        }),
        ("a card on the board belongs to a seat that is not at the table", |view| {
            view.table[0].seat = seat(3);
        }),
        ("a card on the board is in an illegal position", |view| {
            view.table[1].placement = placement("5|8 9,9 left");
        }),
        ("the points do not follow from the board", |view| view.scores[0] = 27),
        ("the points do not follow from the board", |view| view.scores[0] = 57),
        ("the points do not follow from the board", |view| view.scores[2] = 1),
    ];
    for (reason, change) in cases {
        let mut view = good.clone();
        change(&mut view);
        let error = NoDice::sample(&view, &mut rng).expect_err(reason);
        assert_eq!(error.to_string(), format!("impossible view: {reason}"));
    }
}

#[test]
fn waiting_needs_a_possible_holder_of_pass() {
    let mut rng = test_rng("waiting_needs_a_possible_holder_of_pass");
    let impossible = Err("impossible view: the viewer waits although no seat can be asked".to_owned());
    let mut sampled = |view: &View| {
        NoDice::sample(view, &mut rng).map(|sample| sample.asked).map_err(|error| error.to_string())
    };
    // All four PASS cards were played.
    let none = complete(&["2|2", "3|5"], "4|4");
    let mut view = none.view(0);
    assert_eq!(sampled(&view), Ok(Seats::NONE));
    view.decision = None;
    assert_eq!(sampled(&view), impossible.clone());
    // One is unseen, but the other player's only card is known.
    let mut known = complete(&["SWAP 2|2", "3|5"], "4|4 4|5 4|6 4|7 4|8 4|9 PASS 5|5");
    known.act(0, "SWAP 1");
    let mut view = known.view(0);
    assert_eq!((view.known[1], view.hand_sizes[1], view.unseen()), (hand("2|2"), 1, hand("PASS 5|5")));
    view.turn = seat(0);
    assert_eq!((view.decision, sampled(&view)), (None, impossible));
    // The location of one is known.
    let mut there = complete(&["SWAP PASS", "3|5"], "");
    there.act(0, "SWAP 1").act(1, "pass");
    let view = there.view(0);
    assert_eq!((view.turn, view.decision, view.known[1]), (seat(0), None, hand("PASS")));
    assert_eq!(sampled(&view), Ok(Seats::only(seat(1))));
}

/// A player without cards who cannot draw passes automatically, so it is never their turn.
#[test]
fn turn_needs_a_card_in_hand_or_to_draw() {
    let mut rng = test_rng("turn_needs_a_card_in_hand_or_to_draw");
    let mut sampled = |hands: &[&str], pile: &str, turn: u8| {
        let mut view = complete(hands, pile).game.view(Viewer::Spectator);
        view.turn = seat(turn);
        NoDice::sample(&view, &mut rng).map(|sample| sample.turn.index()).map_err(|error| error.to_string())
    };
    let impossible = Err("impossible view: the seat to act has no card and none to draw".to_owned());
    assert_eq!(sampled(&["2|2", "", "3|5"], "", 0), Ok(0));
    assert_eq!(sampled(&["2|2", "", "3|5"], "", 1), impossible);
    assert_eq!(sampled(&["2|2", "", "3|5"], "4|4", 1), Ok(1));
    assert_eq!(sampled(&["2|2", "", "3|5"], "", 2), Ok(2));
}

#[test]
fn view_with_all_cards_played_can_be_sampled() {
    let mut rng = test_rng("view_with_all_cards_played_can_be_sampled");
    let mut table = complete(&["X2", ""], "");
    table.act(0, "X2");
    let mut view = table.game.view(Viewer::Spectator);
    assert!(view.outcome.is_some());
    assert_eq!(
        NoDice::sample(&view, &mut rng).map(|sample| sample.view(Viewer::Spectator)),
        Ok(view.clone())
    );
    view.outcome = None;
    let error = NoDice::sample(&view, &mut rng).expect_err("it is over").to_string();
    assert_eq!(error, "impossible view: the outcome contradicts the cards, the passes or the points");
}

#[test]
fn view_of_a_finished_game_can_be_sampled() {
    let mut rng = test_rng("view_of_a_finished_game_can_be_sampled");
    let mut table = Table::new(&["", "PASS"], "");
    table.play(&["1: decline", "0: pass", "1: pass"]);
    for viewer in Viewer::all(2) {
        let view = table.game.view(viewer);
        assert_eq!(view.decision, None);
        let sample = NoDice::sample(&view, &mut rng).expect("a possible view");
        assert_eq!((sample.view(viewer), sample.to_act()), (view, Seats::NONE));
    }
}
