//! Action cards: SWITCH, X2, SWAP and PASS.

use super::*;

#[test]
fn switch_reverses_the_direction_of_play() {
    let mut table = Table::new(&["SWITCH", "", "SWITCH"], "2|2");
    table.act(0, "SWITCH");
    assert_eq!(table.event_texts()[0], "all: Seat 0 plays SWITCH: play goes the other way round.");
    assert_eq!((table.to_act(), table.game.order), (vec![2], PlayOrder::Anticlockwise));
    assert_eq!((table.sizes(), table.game.played), (vec![7, 7, 7], hand("SWITCH")));
    table.act(2, "SWITCH");
    assert_eq!((table.to_act(), table.game.order), (vec![0], PlayOrder::Clockwise));
    table.act(0, "pass");
    assert_eq!(table.to_act(), [1]);
    // With two players it has no further effect.
    let mut two = Table::new(&["SWITCH", ""], "");
    assert_eq!(two.act(0, "SWITCH").to_act(), [1]);
    assert_eq!(two.act(1, "pass").to_act(), [0]);
}

#[test]
fn x2_doubles_the_card_laid_on_the_next_turn() {
    let mut table = Table::new(&["X2 5|10", "5|8"], "");
    table.act(0, "X2");
    assert_eq!(table.event_texts()[0], "all: Seat 0 plays X2.");
    assert_eq!((table.game.x2, table.scores()), (Seats::only(seat(0)), &[0, 0][..]));
    table.play(&["1: 5|8 0,0 left", "0: 5|10 0,0 right"]);
    assert_eq!((table.scores(), table.game.x2), (&[56, 13][..], Seats::NONE));
    let doubled =
        Event::Laid { seat: seat(0), placement: placement("5|10 0,0 right"), points: 56, doubled: true };
    assert_eq!(table.events[0], (Audience::Everyone, doubled));
}

#[test]
fn x2_is_lost_by_any_other_action_and_does_not_stack() {
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
    // A second X2 does not double twice.
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
fn swap_trades_hands_and_refills_only_the_players_own() {
    let own = "SWAP 2|2 2|3 2|4 2|5 2|6 2|7";
    let others = "3|3 3|4 3|5 3|6 3|7 3|8 3|9";
    let mut table = Table::new(&[own, others, ""], "4|4 4|5");
    table.act(0, "SWAP 1");
    assert_eq!(table.game.hands[0], hand(others), "a full hand draws nothing");
    assert_eq!(table.game.hands[1], hand("2|2 2|3 2|4 2|5 2|6 2|7"));
    assert_eq!(
        table.event_texts(),
        [
            "all: Seat 0 plays SWAP and trades hands with seat 1.",
            "0: Your new hand: 3|3, 3|4, 3|5, 3|6, 3|7, 3|8, 3|9.",
            "1: Your new hand: 2|2, 2|3, 2|4, 2|5, 2|6, 2|7.",
            "all: Seat 1 is next.",
            "1: It is your turn.",
        ]
    );
    // The other hand stays short until the end of its owner's next turn.
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
fn swap_with_an_empty_hand_is_legal() {
    let mut given = Table::late(&["SWAP", "3|3 3|4"], "");
    given.act(0, "SWAP 1");
    assert_eq!(given.game.hands[..2], [hand("3|3 3|4"), Hand::EMPTY]);
    // Seat 1 was next without cards and passed automatically.
    assert_eq!(given.to_act(), [0]);
    let mut got = Table::late(&["SWAP 3|3", ""], "");
    got.act(0, "SWAP 1");
    assert_eq!((got.game.hands[..2].to_vec(), got.to_act()), (vec![Hand::EMPTY, hand("3|3")], vec![1]));
    // Both hands empty: no card is left, and the game ends at once.
    let mut both = Table::late(&["SWAP", ""], "");
    both.act(0, "SWAP 1");
    assert_eq!((both.game.passed, both.places()), (Seats::NONE, vec![1, 1]));
}

#[test]
fn pass_card_skips_the_next_seat_without_a_window() {
    let mut table = Table::new(&["PASS", "5|8", "PASS"], "2|2");
    table.act(2, "decline").act(0, "PASS");
    assert_eq!(
        table.event_texts(),
        [
            "all: Seat 0 plays PASS and skips seat 1.",
            "0: You draw 2|2.",
            "not {Seat(0)}: Seat 0 draws 1 card.",
            "all: Seat 2 is next.",
            "2: It is your turn.",
        ]
    );
    assert_eq!(table.game.passed, Seats::NONE);
    // Against the direction of play.
    let mut back = Table::new(&["SWITCH", "", "PASS", ""], "");
    back.play(&["2: decline", "0: SWITCH", "2: decline", "3: pass", "2: PASS"]);
    assert_eq!(back.to_act(), [0]);
}

#[test]
fn pass_card_of_two_players_gives_another_turn_after_the_window() {
    let mut table = Table::new(&["PASS", "PASS"], "");
    table.play(&["1: decline", "0: PASS"]);
    assert_eq!((table.to_act(), table.game.turn), (vec![1], seat(0)));
    assert_eq!(table.act(1, "decline").to_act(), [0]);
}

#[test]
fn skipped_player_draws_nothing_and_keeps_a_pending_x2() {
    let mut table = Table::new(&["SWAP", "X2 5|8", "PASS"], "");
    table.play(&["2: decline", "0: pass", "2: decline", "1: X2", "2: pass"]);
    table.play(&["2: decline", "0: SWAP 1"]);
    assert_eq!(table.sizes(), [7, 6, 7]);
    // Seat 1 is skipped in the window: it stays short, and keeps its pending x2.
    table.act(2, "PASS");
    assert_eq!((table.sizes(), table.game.x2), (vec![7, 6, 7], Seats::only(seat(1))));
    table.play(&["2: pass", "0: 5|8 0,0 left"]);
    assert_eq!(table.to_act(), [1]);
    table.act(1, "pass");
    assert_eq!((table.sizes()[1], table.game.x2), (7, Seats::NONE));
}
