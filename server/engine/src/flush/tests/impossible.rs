//! Views that no game gives: each is an error that names what is wrong.

use super::views::{at_the_end, endgame, in_a_field, second_half};
use super::*;
use crate::conformance::test_rng;

/// What spoils a view, and the reason that it is then impossible.
type Case = (fn(&mut View), &'static str);

/// Spoils a view, and expects the reason.
fn impossible(game: &Flush, viewer: Viewer, spoil: fn(&mut View), reason: &str) {
    let mut view = game.view(viewer);
    let mut rng = test_rng("flush: impossible");
    assert!(view.sample(&mut rng).is_ok(), "before: {view:?}");
    spoil(&mut view);
    let why = view.sample(&mut rng).err().map(|why| why.to_string());
    assert_eq!(why.as_deref(), Some(format!("impossible view: {reason}").as_str()), "{view:?}");
}

#[test]
fn impossible_tables() {
    let cases: &[Case] = &[
        (|v| v.players = 1, "the number of players"),
        (|v| v.players = 7, "the number of players"),
        (|v| v.start = seat(4), "a seat that is not at the table"),
        (|v| v.turn = seat(4), "a seat that is not at the table"),
        (|v| v.viewer = Viewer::Seat(seat(4)), "a viewer who is not at the table"),
        (|v| v.set_aside = 5, "more or fewer cards laid by than are"),
        (|v| v.kept_back = 24, "more or fewer cards laid by than are"),
        (|v| v.hand = cards("3 12"), "a hand that is not as large as its size says"),
        (|v| v.viewer = Viewer::Spectator, "a hand that is not as large as its size says"),
        (|v| v.hand_sizes[4] = 1, "cards of nobody"),
        (|v| v.left[4] = cards("1"), "cards of nobody"),
        (|v| v.hand_sizes[0] = 13, "a hand that is too large"),
        (|v| v.hand_sizes[0] = 12, "cards that are nowhere"),
        (|v| v.left[0] = cards("1"), "cards shown before the end, or not shown at the end"),
        (|v| v.gone = v.gone.plus(cards("5")), "more cards of a rank than there are"),
        (|v| v.hand = cards("3 5 13"), "more cards of a rank than there are"),
        (|v| v.gone = v.gone.plus(cards("4")), "cards that are nowhere"),
        (|v| v.gone = v.gone.minus(cards("4")), "cards that are nowhere"),
    ];
    for (spoil, reason) in cases {
        impossible(&in_a_field(), Viewer::Seat(seat(3)), *spoil, reason);
    }
}

#[test]
fn impossible_fields() {
    let cases: &[Case] = &[
        (|v| v.passed = v.passed.with(seat(4)), "a pass of nobody"),
        (|v| v.stack = v.stack.map(|s| Stack { by: seat(4), ..s }), "cards laid by nobody"),
        (|v| v.stack = v.stack.map(|s| Stack { by: seat(2), ..s }), "cards laid after passing"),
        (|v| v.passed = v.passed.with(seat(1)), "cards laid after passing"),
        (|v| v.passed = v.passed.with(seat(0)).with(seat(3)), "a field that everyone passed on"),
        (|v| v.turn = seat(0), "a turn that is not next"),
        (|v| v.turn = seat(1), "a turn that is not next"),
        (|v| v.turn = seat(2), "a turn that is not next"),
        (|v| v.passed = Seats::NONE, "a turn that is not next"),
        (
            |v| {
                v.hand_sizes[0] = 0;
                v.gone = v.gone.plus(cards("1 13"));
            },
            "a hand without cards that goes on, or an end with cards",
        ),
        (
            |v| {
                v.hand_sizes[1] = 12;
                v.gone = v.gone.minus(Ranks::copies(rank(5), 5)).minus(Ranks::copies(rank(12), 5));
                v.gone = v.gone.minus(cards("11 11"));
            },
            "cards laid from a full hand",
        ),
        (
            |v| {
                v.gone = v.gone.plus(cards("6"));
                v.stack = None;
            },
            "a pass on nothing",
        ),
        (
            |v| {
                v.gone = v.gone.plus(cards("6 1 13"));
                v.hand_sizes[0] = 0;
                v.passed = Seats::NONE;
                v.stack = None;
            },
            "a hand without cards that goes on",
        ),
    ];
    for (spoil, reason) in cases {
        impossible(&in_a_field(), Viewer::Seat(seat(3)), *spoil, reason);
    }
}

/// All but two may have passed: the one who laid the stack, and the one who is asked.
#[test]
fn somebody_is_left_to_play_on_a_field() {
    let rest = "7 7 7 7 8 8 8 8 9 9 9 9 10 10 10 10 11 11 11 11 12 12 12 12 1 2 3 4";
    let mut two = endgame(&["1 5", "6 13"], rest);
    play(&mut two, "0 lead 1\n1 over 6");
    let spoil = |v: &mut View| v.passed = Seats::only(seat(0));
    impossible(&two, Viewer::Spectator, spoil, "a field that everyone passed on");
    let mut five = endgame(&["1 9", "2 9", "3 9", "4 9", "5 9"], &"8 ".repeat(Flush::set_aside(5).into()));
    play(&mut five, "0 lead 1\n1 over 2\n2 pass\n3 pass\n4 pass");
    let view = five.view(Viewer::Spectator);
    assert_eq!(view.passed.len(), 3);
    assert!(view.sample(&mut test_rng("flush: somebody_is_left_to_play_on_a_field")).is_ok());
}

/// A hand of which nothing was laid yet is led by its start player.
#[test]
fn impossible_leads() {
    let game = dealt(Options::default(), &[&["1 2", "3", "4"]]);
    impossible(&game, Viewer::Spectator, |v| v.turn = seat(1), "a hand that somebody else leads");
    let mut later = game;
    play(&mut later, "0 lead 1\n1 pass\n2 over 4\n0 pass -> passed");
    assert!(later.view(Viewer::Spectator).sample(&mut test_rng("flush: a lead")).is_ok());
}

#[test]
fn impossible_stacks() {
    for (stack, can_be) in [
        ("5,5,5", true),
        ("5,5,5,5", false),
        ("8,8", false),
        ("9,9", true),
        ("7,8,9,10", true),
        ("6,7,8,9,10", false),
    ] {
        let mut view = endgame(&["1 5 13", "1 6 6 7", "2 4", "3 12 13"], "8 9 10 11").view(Viewer::Spectator);
        let combination = combination(stack);
        view.stack = Some(Stack { combination, by: seat(0) });
        view.turn = seat(1);
        // The stack's cards come from those that are gone, or, where too many are held, from the hands.
        let missing = combination.cards().minus(view.gone).len();
        view.gone = view.gone.minus(combination.cards());
        view.hand_sizes[1] -= missing;
        let sampled = view.sample(&mut test_rng("flush: impossible_stacks"));
        let why = sampled.err().map(|why| why.to_string());
        let expected = (!can_be).then(|| "impossible view: a stack that would have been flushed".to_string());
        assert_eq!(why, expected, "{stack}");
    }
}

#[test]
fn impossible_ends() {
    let cases: &[Case] = &[
        (|v| v.left[0] = cards("5"), "cards shown before the end, or not shown at the end"),
        (|v| v.left[2] = cards("8 12"), "a hand that is not what was shown"),
        (|v| v.gone = v.gone.minus(cards("1")), "cards that are nowhere"),
        (
            |v| {
                v.stack = None;
                v.gone = v.gone.plus(cards("9"));
            },
            "an end without a last card",
        ),
        (
            |v| v.stack = v.stack.map(|s| Stack { by: seat(0), ..s }),
            "a hand without cards that goes on, or an end with cards",
        ),
        (|v| v.turn = seat(0), "a turn that is not next"),
        (|v| v.totals[3] = -1, "points of nobody"),
        (|v| v.totals[0] = 1, "a total that cannot be reached"),
        (|v| v.totals[0] = -2, "a total that cannot be reached"),
        (|v| v.totals[0] = -73, "a total that cannot be reached"),
        (|v| v.totals[0] = i32::MIN, "a total that cannot be reached"),
        (|v| v.totals[0] = i32::MAX, "a total that cannot be reached"),
        (
            |v| {
                v.totals[0] = -23;
                v.start = seat(0);
            },
            "a hand after the end",
        ),
        (|v| v.totals[0] = -20, "a hand that the lowest total does not lead"),
        (|v| v.start = seat(2), "a hand that the lowest total does not lead"),
        (|v| v.totals[2] = -19, "an end that the points do not give"),
        (|v| v.totals[2] = -21, "a result that the points do not give"),
        (|v| v.outcome = None, "cards shown before the end, or not shown at the end"),
        (|v| v.hand_number = 0, "totals that do not fit the number of hands"),
        (|v| v.hand_number = 18, "totals that do not fit the number of hands"),
        (|v| v.hand_number = u16::MAX, "totals that do not fit the number of hands"),
    ];
    for (spoil, reason) in cases {
        impossible(&at_the_end(), Viewer::Seat(seat(2)), *spoil, reason);
    }
    // Totals before the last hand were -3, -16 and -15: no more than 17 hands can have led to them.
    let mut view = at_the_end().view(Viewer::Spectator);
    view.hand_number = 17;
    assert!(view.sample(&mut test_rng("flush: impossible_ends")).is_ok());
}

/// Whoever is left with many dear cards falls far below the limit in one hand.
#[test]
fn a_total_can_be_far_below_the_limit() {
    let mut game = endgame(&["9", "1", "8 8 8 8 12 12 12 12 13 13 13 13"], "1 1 2 2 3 3 4 4 5 5 6 6 7");
    game.totals[..3].copy_from_slice(&[-3, -15, -19]);
    (game.hand_number, game.start) = (4, seat(2));
    play(&mut game, "0 lead 9 -> ends");
    let view = game.view(Viewer::Spectator);
    assert_eq!(view.totals[..3], [-3, -16, -19 - 40]);
    assert!(view.sample(&mut test_rng("flush: a_total_can_be_far_below_the_limit")).is_ok());
}

/// Each hand has one winner, who loses nothing; all others lose a point or more.
#[test]
fn totals_fit_the_number_of_hands() {
    let mut rng = test_rng("flush: totals_fit_the_number_of_hands");
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
        let mut view = endgame(&["1 2", "3", "4"], "1 2 3 4 5 6 7 8 9 10 11 12 13").view(Viewer::Spectator);
        view.hand_number = hand_number;
        view.totals[..3].copy_from_slice(&totals);
        view.start = seat(start);
        assert_eq!(view.sample(&mut rng).is_ok(), fits, "{hand_number}: {totals:?}");
    }
}

#[test]
fn impossible_hands() {
    let cases: &[Case] = &[
        (|v| v.start = seat(1), "a first hand that seat 0 does not lead"),
        (|v| v.totals[0] = -1, "totals that do not fit the number of hands"),
        (
            |v| {
                v.totals[..4].copy_from_slice(&[0, -20, -1, -1]);
                v.hand_number = 1;
                v.start = seat(1);
            },
            "a hand after the end",
        ),
        (
            |v| {
                v.totals[..4].copy_from_slice(&[0, -19, -1, -1]);
                v.hand_number = 1;
            },
            "a hand that the lowest total does not lead",
        ),
    ];
    for (spoil, reason) in cases {
        impossible(&in_a_field(), Viewer::Seat(seat(3)), *spoil, reason);
    }
    let mut view = in_a_field().view(Viewer::Spectator);
    view.totals[..4].copy_from_slice(&[0, -19, -1, -1]);
    (view.hand_number, view.start) = (1, seat(1));
    let mut rng = test_rng("flush: impossible_hands");
    assert!(view.sample(&mut rng).is_ok(), "-19 goes on");
    view.totals[1] = -10;
    view.options.beginner = true;
    assert!(view.sample(&mut rng).is_err(), "-10 is the end for beginners");
    view.totals[1] = -9;
    assert!(view.sample(&mut rng).is_ok());
}

#[test]
fn impossible_halves() {
    let game = second_half(["1 2", "3"], "4 5 6 7");
    let cases: &[Case] = &[
        (|v| v.start = seat(0), "a hand that the lowest total does not lead"),
        (|v| v.totals[0] = -1, "totals that do not fit the number of hands"),
        (|v| v.totals[1] = 0, "totals that do not fit the number of hands"),
        (|v| v.hand_number = 0, "more or fewer cards laid by than are"),
        (
            |v| {
                v.hand_number = 2;
                v.totals[0] = -2;
            },
            "a hand after the end",
        ),
        (
            |v| {
                v.gone = (1..=5).map(rank).fold(Ranks::EMPTY, |sum, rank| sum.plus(Ranks::copies(rank, 4)));
                v.gone = v.gone.plus(cards("6 6 6"));
                v.stack = Some(Stack { combination: combination("9,10"), by: seat(0) });
                v.hand_sizes[..2].copy_from_slice(&[11, 12]);
            },
            "cards of the first half that are not gone",
        ),
    ];
    for (spoil, reason) in cases {
        impossible(&game, Viewer::Spectator, *spoil, reason);
    }
    let untouched = |v: &mut View| {
        v.gone = (1..=6).map(rank).fold(Ranks::EMPTY, |sum, rank| sum.plus(Ranks::copies(rank, 4)));
        v.hand_sizes[..2].copy_from_slice(&[12, 12]);
    };
    let mut view = game.view(Viewer::Spectator);
    untouched(&mut view);
    assert!(view.sample(&mut test_rng("flush: impossible_halves")).is_ok());
}
