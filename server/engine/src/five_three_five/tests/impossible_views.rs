//! Validation of views: impossible ones are rejected with a reason.

use super::views::{at_the_end, endgame, in_a_field, second_half};
use super::*;
use crate::test_support::test_rng;

/// A change that makes a view impossible, and the expected reason.
type Case = (fn(&mut View), &'static str);

/// Applies a change to a view and checks the reason of its rejection.
fn assert_impossible(game: &FiveThreeFive, viewer: Viewer, change: fn(&mut View), reason: &str) {
    let mut view = game.view(viewer);
    let mut rng = test_rng("five_three_five: impossible views");
    assert!(view.sample(&mut rng).is_ok(), "before: {view:?}");
    change(&mut view);
    let error = view.sample(&mut rng).err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some(format!("impossible view: {reason}").as_str()), "{view:?}");
}

#[test]
fn impossible_tables_are_rejected() {
    let cases: &[Case] = &[
        (|v| v.players = 1, "the number of players is out of range"),
        (|v| v.players = 7, "the number of players is out of range"),
        (|v| v.start = seat(4), "the start or the turn is at a seat that is not at the table"),
        (|v| v.turn = seat(4), "the start or the turn is at a seat that is not at the table"),
        (|v| v.viewer = Viewer::Seat(seat(4)), "the viewer is not at the table"),
        (|v| v.set_aside = 5, "the number of cards kept back or set aside is wrong"),
        (|v| v.kept_back = 24, "the number of cards kept back or set aside is wrong"),
        (|v| v.hand = cards("3 12"), "a hand does not match its size"),
        (|v| v.viewer = Viewer::Spectator, "a hand does not match its size"),
        (|v| v.hand_sizes[4] = 1, "a seat that is not at the table has cards"),
        (|v| v.left[4] = cards("1"), "a seat that is not at the table has cards"),
        (|v| v.hand_sizes[0] = 13, "a hand is too large"),
        (|v| v.hand_sizes[0] = 12, "the cards do not add up to the deck"),
        (|v| v.left[0] = cards("1"), "cards must be revealed at the end, and only then"),
        (|v| v.gone = v.gone.plus(cards("5")), "there are too many cards of a rank"),
        (|v| v.hand = cards("3 5 13"), "there are too many cards of a rank"),
        (|v| v.gone = v.gone.plus(cards("4")), "the cards do not add up to the deck"),
        (|v| v.gone = v.gone.minus(cards("4")), "the cards do not add up to the deck"),
    ];
    for (change, reason) in cases {
        assert_impossible(&in_a_field(), Viewer::Seat(seat(3)), *change, reason);
    }
}

#[test]
fn impossible_fields_are_rejected() {
    let cases: &[Case] = &[
        (|v| v.passed = v.passed.with(seat(4)), "a seat that is not at the table has passed"),
        (
            |v| v.stack = v.stack.map(|s| Stack { by: seat(4), ..s }),
            "the stack belongs to a seat that is not at the table",
        ),
        (|v| v.stack = v.stack.map(|s| Stack { by: seat(2), ..s }), "the owner of the stack has passed"),
        (|v| v.passed = v.passed.with(seat(1)), "the owner of the stack has passed"),
        (|v| v.passed = v.passed.with(seat(0)).with(seat(3)), "too many seats have passed"),
        (|v| v.turn = seat(0), "the turn does not follow from the last play"),
        (|v| v.turn = seat(1), "the turn does not follow from the last play"),
        (|v| v.turn = seat(2), "the turn does not follow from the last play"),
        (|v| v.passed = Seats::NONE, "the turn does not follow from the last play"),
        (
            |v| {
                v.hand_sizes[0] = 0;
                v.gone = v.gone.plus(cards("1 13"));
            },
            "only the player who ends the game must have no cards",
        ),
        (
            |v| {
                v.hand_sizes[1] = 12;
                v.gone = v.gone.minus(Ranks::copies(rank(5), 5)).minus(Ranks::copies(rank(12), 5));
                v.gone = v.gone.minus(cards("11 11"));
            },
            "the owner of the stack has a full hand",
        ),
        (
            |v| {
                v.gone = v.gone.plus(cards("7"));
                v.stack = None;
            },
            "a seat has passed without a stack",
        ),
        (
            |v| {
                v.gone = v.gone.plus(cards("7 1 13"));
                v.hand_sizes[0] = 0;
                v.passed = Seats::NONE;
                v.stack = None;
            },
            "a player has no cards, but the hand continues",
        ),
    ];
    for (change, reason) in cases {
        assert_impossible(&in_a_field(), Viewer::Seat(seat(3)), *change, reason);
    }
}

/// All but two seats may have passed: the owner of the stack and the seat to act.
#[test]
fn field_needs_two_seats_that_have_not_passed() {
    let rest = "7 7 7 7 8 8 8 8 9 9 9 9 11 11 11 11 12 12 12 12 14 14 14 14 1 2 3 4";
    let mut two = endgame(&["1 5", "4 13"], rest);
    play(&mut two, "0 lead 1\n1 over 4");
    let change = |v: &mut View| v.passed = Seats::only(seat(0));
    assert_impossible(&two, Viewer::Spectator, change, "too many seats have passed");
    let mut five =
        endgame(&["1 9", "2 9", "3 9", "4 9", "5 9"], &"8 ".repeat(FiveThreeFive::set_aside(5).into()));
    play(&mut five, "0 lead 1\n1 over 2\n2 pass\n3 pass\n4 pass");
    let view = five.view(Viewer::Spectator);
    assert_eq!(view.passed.len(), 3);
    assert!(
        view.sample(&mut test_rng("five_three_five: field_needs_two_seats_that_have_not_passed")).is_ok()
    );
}

/// An untouched hand must be led by its start seat.
#[test]
fn impossible_leads_are_rejected() {
    let game = dealt(Options::default(), &[&["1 2", "3", "4"]]);
    assert_impossible(
        &game,
        Viewer::Spectator,
        |v| v.turn = seat(1),
        "an untouched hand is not led by the start seat",
    );
    let mut later = game;
    play(&mut later, "0 lead 1\n1 pass\n2 over 4\n0 pass -> passed");
    assert!(later.view(Viewer::Spectator).sample(&mut test_rng("five_three_five: a lead")).is_ok());
}

/// Four cards take two turns of one field, and so two players.
#[test]
fn stack_of_four_needs_two_players_who_laid() {
    let mut game = dealt(Options::default(), &[&["2 3 4", "1", "1"]]);
    play(&mut game, "0 lead 2,3,4");
    let four = Some(Stack { combination: combination("1,2,3,4"), by: seat(0) });
    let mut view = game.view(Viewer::Spectator);
    view.stack = four;
    let mut rng = test_rng("five_three_five: stack_of_four_needs_two_players_who_laid");
    for (sizes, reason) in [
        ([9, 13, 13], Some("impossible view: one player cannot have laid the whole stack")),
        ([10, 12, 13], None),
    ] {
        view.hand_sizes[..3].copy_from_slice(&sizes);
        let error = view.sample(&mut rng).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), reason, "{sizes:?}");
    }
}

#[test]
fn impossible_stacks_are_rejected() {
    for (stack, can_be) in [
        ("5,5,5", true),
        ("5,5,5,5", false),
        ("8,8", false),
        ("9,9", true),
        ("7,8,9", true),
        ("2,3,4,5", true),
        ("1,2,3,4,5", false),
    ] {
        let mut view = endgame(&["1 5 13", "1 7 7 9", "2 4", "3 12 13"], "8 9 11 14").view(Viewer::Spectator);
        let combination = combination(stack);
        view.stack = Some(Stack { combination, by: seat(0) });
        view.turn = seat(1);
        // The stack's cards are taken from those out of play or, if too many are held, from the hands.
        let missing = combination.cards().minus(view.gone).len();
        view.gone = view.gone.minus(combination.cards());
        view.hand_sizes[1] -= missing;
        let sampled = view.sample(&mut test_rng("five_three_five: impossible_stacks_are_rejected"));
        let error = sampled.err().map(|error| error.to_string());
        let expected = (!can_be).then(|| "impossible view: the stack would have been flushed".to_string());
        assert_eq!(error, expected, "{stack}");
    }
}

#[test]
fn impossible_ends_are_rejected() {
    let cases: &[Case] = &[
        (|v| v.left[0] = cards("5"), "cards must be revealed at the end, and only then"),
        (|v| v.left[2] = cards("8 12"), "the viewer's hand is not the revealed one"),
        (|v| v.gone = v.gone.minus(cards("1")), "the cards do not add up to the deck"),
        (
            |v| {
                v.stack = None;
                v.gone = v.gone.plus(cards("9"));
            },
            "the game ended without a last card",
        ),
        (
            |v| v.stack = v.stack.map(|s| Stack { by: seat(0), ..s }),
            "only the player who ends the game must have no cards",
        ),
        (|v| v.turn = seat(0), "the turn does not follow from the last play"),
        (|v| v.totals[3] = -1, "a seat that is not at the table has points"),
        (|v| v.totals[0] = 1, "a total is out of reach"),
        (|v| v.totals[0] = -2, "a total is out of reach"),
        (|v| v.totals[0] = -73, "a total is out of reach"),
        (|v| v.totals[0] = i32::MIN, "a total is out of reach"),
        (|v| v.totals[0] = i32::MAX, "a total is out of reach"),
        (
            |v| {
                v.totals[0] = -23;
                v.start = seat(0);
            },
            "the game had ended before this hand",
        ),
        (|v| v.totals[0] = -20, "the start seat does not have the lowest total"),
        (|v| v.start = seat(2), "the start seat does not have the lowest total"),
        (|v| v.totals[2] = -19, "the points do not end the game"),
        (|v| v.totals[2] = -21, "the outcome does not follow from the points"),
        (|v| v.outcome = None, "cards must be revealed at the end, and only then"),
        (|v| v.hand_number = 0, "the totals do not match the number of hands"),
        (|v| v.hand_number = 18, "the totals do not match the number of hands"),
        (|v| v.hand_number = u16::MAX, "the totals do not match the number of hands"),
    ];
    for (change, reason) in cases {
        assert_impossible(&at_the_end(), Viewer::Seat(seat(2)), *change, reason);
    }
    // The totals before the last hand were -3, -16 and -15: at most 17 hands can lead to them.
    let mut view = at_the_end().view(Viewer::Spectator);
    view.hand_number = 17;
    assert!(view.sample(&mut test_rng("five_three_five: impossible_ends_are_rejected")).is_ok());
}

/// A hand with many expensive cards takes the total far below the limit at once.
#[test]
fn total_far_below_the_limit_is_possible() {
    let mut game = endgame(&["9", "1", "8 8 8 8 14 14 14 14 15 15 15 15"], "1 1 2 2 3 3 4 4 5 5 7 7 11");
    game.totals[..3].copy_from_slice(&[-3, -15, -19]);
    (game.hand_number, game.start) = (4, seat(2));
    play(&mut game, "0 lead 9 -> ends");
    let view = game.view(Viewer::Spectator);
    assert_eq!(view.totals[..3], [-3, -16, -19 - 40]);
    assert!(view.sample(&mut test_rng("five_three_five: total_far_below_the_limit_is_possible")).is_ok());
}

/// Each hand has one winner, who loses nothing; everyone else loses at least one point.
#[test]
fn totals_must_match_the_number_of_hands() {
    let mut rng = test_rng("five_three_five: totals_must_match_the_number_of_hands");
    for (hand_number, totals, start, fits) in [
        (0, [0, 0, 0], 0, true),
        (0, [0, 0, -1], 2, false),
        (1, [0, -1, -1], 1, true),
        (1, [0, -19, -1], 1, true),
        (1, [-1, -1, -1], 0, false),
        (1, [0, 0, -1], 2, false),
        (1, [0, 0, 0], 0, false),
        (2, [-1, -1, -2], 2, true),
        (2, [-1, -1, -1], 0, false),
        (2, [-2, -2, -2], 0, true),
        (2, [0, -2, -2], 1, true),
        (2, [0, -1, -2], 2, false),
        (28, [-18, -19, -19], 1, true),
        (29, [-19, -19, -19], 1, false),
    ] {
        let mut view = endgame(&["1 2", "3", "4"], "1 2 3 4 5 7 8 9 11 12 13 14 15").view(Viewer::Spectator);
        view.hand_number = hand_number;
        view.totals[..3].copy_from_slice(&totals);
        view.start = seat(start);
        assert_eq!(view.sample(&mut rng).is_ok(), fits, "{hand_number}: {totals:?}");
    }
}

#[test]
fn impossible_hand_numbers_are_rejected() {
    let cases: &[Case] = &[
        (|v| v.start = seat(1), "the first hand is not led by seat 0"),
        (|v| v.totals[0] = -1, "the totals do not match the number of hands"),
        (
            |v| {
                v.totals[..4].copy_from_slice(&[0, -20, -1, -1]);
                v.hand_number = 1;
                v.start = seat(1);
            },
            "the game had ended before this hand",
        ),
        (
            |v| {
                v.totals[..4].copy_from_slice(&[0, -19, -1, -1]);
                v.hand_number = 1;
            },
            "the start seat does not have the lowest total",
        ),
    ];
    for (change, reason) in cases {
        assert_impossible(&in_a_field(), Viewer::Seat(seat(3)), *change, reason);
    }
    let mut view = in_a_field().view(Viewer::Spectator);
    view.totals[..4].copy_from_slice(&[0, -19, -1, -1]);
    (view.hand_number, view.start) = (1, seat(1));
    let mut rng = test_rng("five_three_five: impossible_hand_numbers_are_rejected");
    assert!(view.sample(&mut rng).is_ok(), "-19 goes on");
    view.totals[1] = -10;
    view.options.beginner = true;
    assert!(view.sample(&mut rng).is_err(), "-10 is the end for beginners");
    view.totals[1] = -9;
    assert!(view.sample(&mut rng).is_ok());
}

#[test]
fn impossible_halves_are_rejected() {
    let game = second_half(["1 2", "3"], "4 5 7 9");
    let cases: &[Case] = &[
        (|v| v.start = seat(0), "the start seat does not have the lowest total"),
        (|v| v.totals[0] = -1, "the totals do not match the number of hands"),
        (|v| v.totals[1] = 0, "the totals do not match the number of hands"),
        (|v| v.hand_number = 0, "the number of cards kept back or set aside is wrong"),
        (
            |v| {
                v.hand_number = 2;
                v.totals[0] = -2;
            },
            "the game had ended before this hand",
        ),
        (
            |v| {
                v.gone = Ranks::each(4).below(rank(7)).plus(cards("7 7 7"));
                v.stack = Some(Stack { combination: combination("11,12"), by: seat(0) });
                v.hand_sizes[..2].copy_from_slice(&[11, 12]);
            },
            "cards of the first half are still in play",
        ),
    ];
    for (change, reason) in cases {
        assert_impossible(&game, Viewer::Spectator, *change, reason);
    }
    let untouched = |v: &mut View| {
        v.gone = Ranks::each(4).below(Rank::EIGHT);
        v.hand_sizes[..2].copy_from_slice(&[12, 12]);
    };
    let mut view = game.view(Viewer::Spectator);
    untouched(&mut view);
    assert!(view.sample(&mut test_rng("five_three_five: impossible_halves_are_rejected")).is_ok());
}
