//! Turns: laying, action cards, passing, draws and the end.

use super::*;

#[test]
fn laying_a_card_scores_draws_and_passes_the_turn_on() {
    let mut table = Table::new(&["5|8 5|10", "5|9"], "2|2 3|3 4|4");
    assert_eq!(table.asked(), [0]);
    table.act(0, "5|8 0,0 left");
    assert_eq!(
        table.said(),
        [
            "all: Seat 0 lays 5|8 with its 5 at (0, 0) and its 8 at (-2, 0) and scores 13.",
            "0: You draw 2|2.",
            "not {Seat(0)}: Seat 0 draws a card.",
            "all: Seat 1 is next.",
            "1: It is your turn.",
        ]
    );
    assert_eq!((table.asked(), table.sizes(), table.scores()), (vec![1], vec![7, 7], &[13, 0][..]));
    table.act(1, "5|9 2,0 right").act(0, "5|10 0,0 up");
    assert_eq!(table.scores(), [13 + 15 + 5 + 8 + 5, 14 + 5]);
    let pile = table.game.draw_pile.len();
    assert_eq!(pile, 60 - 14 - 3);
}

#[test]
fn only_what_is_in_hand_can_be_played_and_only_on_ones_turn() {
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
        assert_eq!(table.refused(by, does), code, "{by}: {does}");
    }
    table.act(0, "5|8 0,0 left");
    for (does, code) in [
        ("5|9 9,9 right", "no_dice.detached"),
        ("5|9 1,0 right", "no_dice.cover_whole"),
        ("5|9 0,0 left", "no_dice.cover_value"),
        ("5|9 0,2 left", "no_dice.contact_value"),
        ("SWAP 0", "not_in_hand"),
    ] {
        assert_eq!(table.refused(1, does), code, "{does}");
    }
}

#[test]
fn the_list_ends_with_action_cards_and_a_pass() {
    let listed = |table: &Table| {
        let mut offered = Vec::new();
        table.game.legal_actions(Seat::FIRST, &mut offered);
        offered.retain(|action| !matches!(action, Action::Lay(_)));
        offered
    };
    let all = Table::new(&["SWITCH PASS X2 SWAP", "", ""], "");
    assert_eq!(listed(&all), ["SWITCH", "PASS", "X2", "SWAP 1", "SWAP 2", "pass"].map(action));
    let none = Table::new(&["", ""], "");
    assert_eq!(listed(&none), [Action::Pass]);
    let mut offered = vec![Action::Pass];
    none.game.legal_actions(seat(1), &mut offered);
    assert_eq!(offered, [], "a seat that is not asked has nothing, and the list is emptied");
    let two_of_a_kind = Table::new(&["X2 X2 SWAP SWAP", ""], "");
    assert_eq!(listed(&two_of_a_kind), ["X2", "SWAP 1", "pass"].map(action));
}

#[test]
fn passing_is_always_allowed_and_fills_the_hand() {
    let mut table = Table::late(&["5|8 5|9", "2|2"], "3|3 4|4 6|6 7|7 8|8 9|9");
    table.act(0, "pass");
    assert_eq!(table.game.hands[0], hand("5|8 5|9 3|3 4|4 6|6 7|7 8|8"));
    assert_eq!(
        table.said(),
        [
            "all: Seat 0 passes.",
            "0: You draw 3|3, 4|4, 6|6, 7|7, 8|8.",
            "not {Seat(0)}: Seat 0 draws 5 cards.",
            "all: Seat 1 is next.",
            "1: It is your turn.",
        ]
    );
    // As far as the draw pile lasts.
    table.act(1, "2|2 0,0 right");
    assert_eq!((table.game.hands[1], table.game.draw_pile.len()), (hand("9|9"), 0));
}

#[test]
fn switch_reverses_the_direction_from_the_end_of_the_turn() {
    let mut table = Table::new(&["SWITCH", "", "SWITCH"], "2|2");
    table.act(0, "SWITCH");
    assert_eq!(table.said()[0], "all: Seat 0 plays SWITCH: play goes the other way round.");
    assert_eq!((table.asked(), table.game.order), (vec![2], PlayOrder::Anticlockwise));
    assert_eq!((table.sizes(), table.game.played), (vec![7, 7, 7], hand("SWITCH")));
    table.act(2, "SWITCH");
    assert_eq!((table.asked(), table.game.order), (vec![0], PlayOrder::Clockwise));
    table.act(0, "pass");
    assert_eq!(table.asked(), [1]);
    // With two players it has no further effect.
    let mut two = Table::new(&["SWITCH", ""], "");
    assert_eq!(two.act(0, "SWITCH").asked(), [1]);
    assert_eq!(two.act(1, "pass").asked(), [0]);
}

#[test]
fn x2_doubles_what_is_laid_on_the_next_turn() {
    let mut table = Table::new(&["X2 5|10", "5|8"], "");
    table.act(0, "X2");
    assert_eq!(table.said()[0], "all: Seat 0 plays X2.");
    assert_eq!((table.game.x2, table.scores()), (Seats::only(seat(0)), &[0, 0][..]));
    table.play(&["1: 5|8 0,0 left", "0: 5|10 0,0 right"]);
    assert_eq!((table.scores(), table.game.x2), (&[56, 13][..], Seats::NONE));
    let doubled =
        Event::Laid { seat: seat(0), placement: placement("5|10 0,0 right"), points: 56, doubled: true };
    assert_eq!(table.told[0], (Audience::Everyone, doubled));
}

#[test]
fn x2_is_lost_by_anything_else_and_does_not_stack() {
    for (other, then) in [
        ("pass", Seats::NONE),
        ("SWITCH", Seats::NONE),
        ("PASS", Seats::NONE),
        ("SWAP 1", Seats::NONE),
        ("X2", Seats::only(Seat::FIRST)),
    ] {
        let mut table = Table::new(&["X2 X2 SWITCH SWAP PASS 5|10", "5|8"], "");
        table.play(&["0: X2", "0: decline", "1: 5|8 0,0 left"]).act(0, other);
        assert_eq!(table.game.x2, then, "{other}");
    }
    // A second X2 doubles, and does not double twice.
    let mut table = Table::new(&["X2 X2 5|10", "5|8"], "");
    table.play(&["0: X2", "1: 5|8 0,0 left", "0: X2", "1: pass", "0: 5|10 0,0 right"]);
    assert_eq!(table.scores(), [56, 13]);
}

#[test]
fn x2_stays_with_the_player_when_hands_are_swapped() {
    let mut table = Table::new(&["X2 5|10", "SWAP 5|9", "5|8"], "");
    table.play(&["0: X2", "1: SWAP 0", "2: 5|8 0,0 left"]);
    assert_eq!(table.game.x2, Seats::only(seat(0)));
    table.act(0, "5|9 2,0 right");
    assert_eq!(table.scores(), [2 * (14 + 5), 0, 13]);
}

#[test]
fn swap_trades_hands_and_fills_only_the_players_own() {
    let own = "SWAP 2|2 2|3 2|4 2|5 2|6 2|7";
    let others = "3|3 3|4 3|5 3|6 3|7 3|8 3|9";
    let mut table = Table::new(&[own, others, ""], "4|4 4|5");
    table.act(0, "SWAP 1");
    assert_eq!(table.game.hands[0], hand(others), "a full hand draws nothing");
    assert_eq!(table.game.hands[1], hand("2|2 2|3 2|4 2|5 2|6 2|7"));
    assert_eq!(
        table.said(),
        [
            "all: Seat 0 plays SWAP and trades hands with seat 1.",
            "0: You got this hand: 3|3, 3|4, 3|5, 3|6, 3|7, 3|8, 3|9.",
            "1: You got this hand: 2|2, 2|3, 2|4, 2|5, 2|6, 2|7.",
            "all: Seat 1 is next.",
            "1: It is your turn.",
        ]
    );
    // The other stays short until the end of their own next turn.
    assert_eq!(table.sizes(), [7, 6, 7]);
    assert_eq!(table.act(1, "pass").sizes(), [7, 7, 7]);
    assert_eq!(table.game.hands[1], hand("2|2 2|3 2|4 2|5 2|6 2|7 4|4"));
}

#[test]
fn swap_for_a_short_hand_draws_up_to_seven() {
    let mut table = Table::late(&["SWAP 2|2 2|3", "3|3", ""], "4|4 4|5 4|6");
    table.act(0, "SWAP 1");
    assert_eq!(table.game.hands[0], hand("3|3 4|4 4|5 4|6"));
    assert_eq!(table.game.hands[1], hand("2|2 2|3"));
}

#[test]
fn swap_with_an_empty_hand_is_allowed() {
    let mut given = Table::late(&["SWAP", "3|3 3|4"], "");
    given.act(0, "SWAP 1");
    assert_eq!(given.game.hands[..2], [hand("3|3 3|4"), Hand::EMPTY]);
    // Seat 1 came up with nothing and passed by itself.
    assert_eq!(given.asked(), [0]);
    let mut got = Table::late(&["SWAP 3|3", ""], "");
    got.act(0, "SWAP 1");
    assert_eq!((got.game.hands[..2].to_vec(), got.asked()), (vec![Hand::EMPTY, hand("3|3")], vec![1]));
    // Empty against empty: no card is left, and the game is over at once.
    let mut both = Table::late(&["SWAP", ""], "");
    both.act(0, "SWAP 1");
    assert_eq!((both.game.passed, both.places()), (Seats::NONE, vec![1, 1]));
}

#[test]
fn pass_as_a_turn_skips_the_next_seat_without_a_window_for_it() {
    let mut table = Table::new(&["PASS", "5|8", "PASS"], "2|2");
    table.act(2, "decline").act(0, "PASS");
    assert_eq!(
        table.said(),
        [
            "all: Seat 0 plays PASS and skips seat 1.",
            "0: You draw 2|2.",
            "not {Seat(0)}: Seat 0 draws a card.",
            "all: Seat 2 is next.",
            "2: It is your turn.",
        ]
    );
    assert_eq!(table.game.passed, Seats::NONE);
    // Against the direction of play.
    let mut back = Table::new(&["SWITCH", "", "PASS", ""], "");
    back.play(&["2: decline", "0: SWITCH", "2: decline", "3: pass", "2: PASS"]);
    assert_eq!(back.asked(), [0]);
}

#[test]
fn with_two_players_the_same_player_is_up_again_after_the_usual_window() {
    let mut table = Table::new(&["PASS", "PASS"], "");
    table.play(&["1: decline", "0: PASS"]);
    assert_eq!((table.asked(), table.game.turn), (vec![1], seat(0)));
    assert_eq!(table.act(1, "decline").asked(), [0]);
}

#[test]
fn a_skipped_player_draws_nothing_and_their_x2_waits() {
    let mut table = Table::new(&["SWAP", "X2 5|8", "PASS"], "");
    table.play(&["2: decline", "0: pass", "2: decline", "1: X2", "2: pass"]);
    table.play(&["2: decline", "0: SWAP 1"]);
    assert_eq!(table.sizes(), [7, 6, 7]);
    // Seat 1 is skipped in the window: it stays short, and its x2 waits.
    table.act(2, "PASS");
    assert_eq!((table.sizes(), table.game.x2), (vec![7, 6, 7], Seats::only(seat(1))));
    table.play(&["2: pass", "0: 5|8 0,0 left"]);
    assert_eq!(table.asked(), [1]);
    table.act(1, "pass");
    assert_eq!((table.sizes()[1], table.game.x2), (7, Seats::NONE));
}

#[test]
fn the_game_ends_at_once_when_all_have_passed() {
    let mut table = Table::new(&["5|8", "", ""], "");
    table.play(&["0: 5|8 0,0 left", "1: pass", "2: pass"]);
    assert_eq!(table.game.outcome(), None);
    table.act(0, "pass");
    assert_eq!((table.asked(), table.places()), (vec![], vec![1, 2, 2]));
    assert_eq!(
        table.said(),
        [
            "all: Seat 0 passes.",
            "all: The game is over. Place 1: seat 0 with 13. Place 2: seat 1 with 0. Place 2: seat 2 with 0."
        ]
    );
    assert_eq!(table.refused(1, "pass"), "game_over");
    for by in 0..3 {
        assert_eq!(table.game.default_action(seat(by)), None);
    }
}

#[test]
fn the_end_comes_before_the_draw() {
    let mut table = Table::late(&["5|8", "5|9"], "2|2 2|3 2|4 2|5 2|6 2|7 2|8 2|9 2|10 3|3");
    table.play(&["0: pass", "1: pass"]);
    assert_eq!((table.sizes(), table.game.outcome().is_some()), (vec![7, 1], true));
}

#[test]
fn a_card_played_in_a_turn_clears_the_passes() {
    for card_turn in ["5|8 0,0 left", "SWITCH", "X2", "SWAP 0", "PASS"] {
        let mut table = Table::new(&["", "", "5|8 SWITCH X2 SWAP PASS"], "");
        table.play(&["2: decline", "0: pass", "2: decline", "1: pass"]);
        assert_eq!(table.game.passed, Seats::all(2));
        table.act(2, card_turn);
        assert_eq!(table.game.passed, Seats::NONE, "{card_turn}");
    }
}

/// The example of the rules: a second pass counts once, a skip is no pass, and PASS in a window clears nothing.
#[test]
fn passes_are_counted_by_player() {
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
fn the_game_ends_when_all_cards_are_played() {
    let mut table = Table::late(&["5|8", "5|9", "X2"], "");
    table.play(&["0: 5|8 0,0 left", "1: 5|9 2,0 right"]);
    assert_eq!(table.game.outcome(), None);
    table.act(2, "X2");
    assert_eq!((table.places(), table.game.passed), (vec![2, 1, 3], Seats::NONE));
    // Not while there is a card to draw.
    let mut more = Table::late(&["5|8", ""], "2|2");
    more.act(0, "5|8 0,0 left");
    assert_eq!((more.game.outcome(), more.asked(), more.sizes()), (None, vec![0], vec![1, 0]));
}

#[test]
fn with_no_card_and_none_to_draw_one_passes_by_oneself_and_loses_the_x2() {
    let mut table = Table::late(&["5|8 5|10", "", "PASS"], "");
    table.game.x2 = Seats::only(seat(1));
    // No window opens for seat 1, though seat 2 holds PASS.
    table.play(&["2: decline", "0: 5|8 0,0 left"]);
    assert_eq!(
        table.said()[1..],
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
        last.said(),
        [
            "all: Seat 0 passes.",
            "all: Seat 1 is next.",
            "all: Seat 1 has no cards left and passes.",
            "all: Seat 2 is next.",
            "all: Seat 2 has no cards left and passes.",
            "all: The game is over. Place 1: seat 0 with 0. Place 1: seat 1 with 0. Place 1: seat 2 with 0.",
        ]
    );
    // With a card to draw it is a turn like any other.
    let mut draws = Table::late(&["5|8", ""], "2|2 2|3 2|4 2|5 2|6 2|7 2|8 2|9");
    draws.act(0, "pass");
    assert_eq!(draws.asked(), [1]);
    draws.act(1, "pass");
    assert_eq!(draws.places(), [1, 1]);
}

#[test]
fn equal_scores_share_the_place_and_hands_count_nothing() {
    let mut table = Table::new(&["", "", "", ""], "");
    table.game.scores = [20, 31, 20, 5, 0, 0];
    table.play(&["0: pass", "1: pass", "2: pass", "3: pass"]);
    assert_eq!(table.places(), [2, 1, 2, 4]);
    let outcome = table.game.outcome().expect("the end");
    assert_eq!(outcome.points(seat(1)), Some(31));
}

#[test]
fn a_clock_that_runs_out_passes() {
    let table = Table::new(&["5|8", ""], "");
    assert_eq!(table.game.default_action(seat(0)), Some(Action::Pass));
    assert_eq!((table.game.default_action(seat(1)), table.game.default_action(seat(5))), (None, None));
}
