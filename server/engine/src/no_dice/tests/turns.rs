//! Turns: laying cards, passing, drawing, and the end of the game.

use super::*;

#[test]
fn laying_a_card_scores_draws_and_ends_the_turn() {
    let mut table = Table::new(&["5|8 5|10", "5|9"], "2|2 3|3 4|4");
    assert_eq!(table.to_act(), [0]);
    table.act(0, "5|8 0,0 left");
    assert_eq!(
        table.event_texts(),
        [
            "all: Seat 0 lays 5|8 at (0, 0), 8 to the left, and scores 13.",
            "0: You draw 2|2.",
            "not {Seat(0)}: Seat 0 draws 1 card.",
            "all: Seat 1 is next.",
            "1: It is your turn.",
        ]
    );
    assert_eq!((table.to_act(), table.sizes(), table.scores()), (vec![1], vec![7, 7], &[13, 0][..]));
    table.act(1, "5|9 2,0 right").act(0, "5|10 0,0 up");
    assert_eq!(table.scores(), [13 + 15 + 5 + 8 + 5, 14 + 5]);
    let pile = table.game.draw_pile.len();
    assert_eq!(pile, 60 - 14 - 3);
}

#[test]
fn only_cards_in_hand_can_be_played_and_only_on_ones_turn() {
    let mut table = Table::new(&["5|8 SWAP", "5|9 SWITCH X2"], "");
    for (by, does, code) in [
        (0, "5|9 0,0 right", "not_in_hand"),
        (0, "SWITCH", "not_in_hand"),
        (0, "X2", "not_in_hand"),
        (0, "PASS", "not_in_hand"),
        (0, "decline", "no_dice.no_window"),
        (0, "SWAP 0", "no_dice.swap_partner"),
        (0, "SWAP 2", "no_dice.swap_partner"),
        (0, "5|8 2,0 right", "no_dice.first_card"),
        (1, "5|9 0,0 right", "not_asked"),
        (1, "SWAP 0", "not_asked"),
        (1, "pass", "not_asked"),
        (1, "decline", "not_asked"),
        (2, "pass", "no_such_seat"),
        (5, "pass", "no_such_seat"),
    ] {
        assert_eq!(table.refusal_code(by, does), code, "{by}: {does}");
    }
    table.act(0, "5|8 0,0 left");
    for (does, code) in [
        ("5|9 9,9 right", "no_dice.detached"),
        ("5|9 1,0 right", "no_dice.cover_whole"),
        ("5|9 0,0 left", "no_dice.cover_value"),
        ("5|9 0,2 left", "no_dice.contact_value"),
        ("SWAP 0", "not_in_hand"),
    ] {
        assert_eq!(table.refusal_code(1, does), code, "{does}");
    }
}

#[test]
fn legal_actions_end_with_action_cards_and_pass() {
    let listed = |table: &Table| {
        let mut legal = Vec::new();
        table.game.legal_actions(Seat::FIRST, &mut legal);
        legal.retain(|action| !matches!(action, Action::Lay(_)));
        legal
    };
    let all = Table::new(&["SWITCH PASS X2 SWAP", "", ""], "");
    assert_eq!(listed(&all), ["SWITCH", "PASS", "X2", "SWAP 1", "SWAP 2", "pass"].map(action));
    let none = Table::new(&["", ""], "");
    assert_eq!(listed(&none), [Action::Pass]);
    let mut legal = vec![Action::Pass];
    none.game.legal_actions(seat(1), &mut legal);
    assert_eq!(legal, [], "a seat that is not asked has nothing, and the list is emptied");
    let two_of_a_kind = Table::new(&["X2 X2 SWAP SWAP", ""], "");
    assert_eq!(listed(&two_of_a_kind), ["X2", "SWAP 1", "pass"].map(action));
}

#[test]
fn pass_is_always_legal_and_refills_the_hand() {
    let mut table = Table::late(&["5|8 5|9", "2|2"], "3|3 4|4 6|6 7|7 8|8 9|9");
    table.act(0, "pass");
    assert_eq!(table.game.hands[0], hand("5|8 5|9 3|3 4|4 6|6 7|7 8|8"));
    assert_eq!(
        table.event_texts(),
        [
            "all: Seat 0 passes.",
            "0: You draw 3|3, 4|4, 6|6, 7|7, 8|8.",
            "not {Seat(0)}: Seat 0 draws 5 cards.",
            "all: Seat 1 is next.",
            "1: It is your turn.",
        ]
    );
    // Only as far as the draw pile lasts.
    table.act(1, "2|2 0,0 right");
    assert_eq!((table.game.hands[1], table.game.draw_pile.len()), (hand("9|9"), 0));
}

#[test]
fn game_ends_at_once_when_all_have_passed() {
    let mut table = Table::new(&["5|8", "", ""], "");
    table.play(&["0: 5|8 0,0 left", "1: pass", "2: pass"]);
    assert_eq!(table.game.outcome(), None);
    table.act(0, "pass");
    assert_eq!((table.to_act(), table.places()), (vec![], vec![1, 2, 2]));
    assert_eq!(
        table.event_texts(),
        ["all: Seat 0 passes.", &format!("all: {}", table.game.outcome().expect("the game is over"))]
    );
    assert_eq!(table.refusal_code(1, "pass"), "game_over");
    for by in 0..3 {
        assert_eq!(table.game.default_action(seat(by)), None);
    }
}

#[test]
fn game_ends_before_the_draw() {
    let mut table = Table::late(&["5|8", "5|9"], "2|2 2|3 2|4 2|5 2|6 2|7 2|8 2|9 2|10 3|3");
    table.play(&["0: pass", "1: pass"]);
    assert_eq!((table.sizes(), table.game.outcome().is_some()), (vec![7, 1], true));
}

#[test]
fn playing_a_card_on_a_turn_clears_the_passes() {
    for card_turn in ["5|8 0,0 left", "SWITCH", "X2", "SWAP 0", "PASS"] {
        let mut table = Table::new(&["", "", "5|8 SWITCH X2 SWAP PASS"], "");
        table.play(&["2: decline", "0: pass", "2: decline", "1: pass"]);
        assert_eq!(table.game.passed, Seats::all(2));
        table.act(2, card_turn);
        assert_eq!(table.game.passed, Seats::NONE, "{card_turn}");
    }
}

/// The example of the rules: a second pass counts once, a skip is no pass, and PASS in a window clears
/// nothing.
#[test]
fn passes_are_counted_per_player() {
    let mut table = Table::new(&["", "PASS", ""], "");
    table.play(&["1: decline", "0: pass", "1: pass"]);
    table.act(1, "PASS");
    assert_eq!(table.game.passed, Seats::all(2));
    table.act(0, "pass");
    assert_eq!((table.game.passed, table.game.outcome()), (Seats::all(2), None));
    table.act(1, "pass");
    assert_eq!(table.game.outcome(), None);
    table.act(2, "pass");
    assert_eq!(table.places(), [1, 1, 1]);
}

#[test]
fn game_ends_when_all_cards_are_played() {
    let mut table = Table::late(&["5|8", "5|9", "X2"], "");
    table.play(&["0: 5|8 0,0 left", "1: 5|9 2,0 right"]);
    assert_eq!(table.game.outcome(), None);
    table.act(2, "X2");
    assert_eq!((table.places(), table.game.passed), (vec![2, 1, 3], Seats::NONE));
    // Not while there is a card to draw.
    let mut more = Table::late(&["5|8", ""], "2|2");
    more.act(0, "5|8 0,0 left");
    assert_eq!((more.game.outcome(), more.to_act(), more.sizes()), (None, vec![0], vec![1, 0]));
}

#[test]
fn player_without_cards_passes_automatically_and_loses_x2() {
    let mut table = Table::late(&["5|8 5|10", "", "PASS"], "");
    table.game.x2 = Seats::only(seat(1));
    // No window opens for seat 1, although seat 2 holds PASS.
    table.play(&["2: decline", "0: 5|8 0,0 left"]);
    assert_eq!(
        table.event_texts()[1..],
        [
            "all: Seat 1 is next.",
            "all: Seat 1 has no cards left and passes.",
            "all: Seat 2 is next.",
            "2: It is your turn.",
        ]
    );
    assert_eq!((table.game.passed, table.game.x2), (Seats::only(seat(1)), Seats::NONE));
    // It counts like any other pass, and can end the game.
    table.play(&["2: pass", "2: decline", "0: pass"]);
    assert_eq!(table.places(), [1, 2, 2]);
    let mut last = Table::late(&["5|8", "", ""], "");
    last.game.passed = Seats::only(seat(0));
    last.act(0, "pass");
    assert_eq!(last.game.passed, Seats::all(3));
    assert_eq!(
        last.event_texts(),
        [
            "all: Seat 0 passes.",
            "all: Seat 1 is next.",
            "all: Seat 1 has no cards left and passes.",
            "all: Seat 2 is next.",
            "all: Seat 2 has no cards left and passes.",
            &format!("all: {}", last.game.outcome().expect("the game is over")),
        ]
    );
    // With a card to draw it is a normal turn.
    let mut draws = Table::late(&["5|8", ""], "2|2 2|3 2|4 2|5 2|6 2|7 2|8 2|9");
    draws.act(0, "pass");
    assert_eq!(draws.to_act(), [1]);
    draws.act(1, "pass");
    assert_eq!(draws.places(), [1, 1]);
}

#[test]
fn equal_scores_share_a_place_and_cards_left_do_not_count() {
    let mut table = Table::new(&["", "", "", ""], "");
    table.game.scores = [20, 31, 20, 5, 0, 0];
    table.play(&["0: pass", "1: pass", "2: pass", "3: pass"]);
    assert_eq!(table.places(), [2, 1, 2, 4]);
    let outcome = table.game.outcome().expect("the end");
    assert_eq!(outcome.points(seat(1)), Some(31));
}

#[test]
fn default_action_passes() {
    let table = Table::new(&["5|8", ""], "");
    assert_eq!(table.game.default_action(seat(0)), Some(Action::Pass));
    assert_eq!((table.game.default_action(seat(1)), table.game.default_action(seat(5))), (None, None));
}
