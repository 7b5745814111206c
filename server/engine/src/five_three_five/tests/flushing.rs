//! Passing, flushing, and the last card of a hand.

use super::*;

#[test]
fn leads_flush_with_several_cards_and_an_8() {
    let hands = ["1 2 3 4 5 7 8 8 8 9", "1 3 3 3 9", "1", "1"];
    for (lead, came) in [
        ("7,8", " -> eight"),
        ("8,9", " -> eight"),
        ("7,8,9", " -> eight"),
        ("8,8", " -> eight"),
        ("8,8,8", " -> eight"),
        ("8", ""),
        ("9", ""),
        ("3,4,5", ""),
    ] {
        let next = if came.is_empty() { "1 pass" } else { "0 lead 1" };
        check(&hands, &format!("0 lead {lead}{came}\n{next}"));
    }
    check(
        &["1 2 3 5 8", "1 3 3 3 9", "1", "1"],
        "0 lead 1\n1 pass\n2 pass\n3 pass -> passed\n0 lead 8\n1 over 9\n2 pass\n3 pass\n0 pass -> passed\n1 lead 3,3,3\n2 pass\n3 pass\n0 add 3,3,3,3 -> full\n0 lead 2",
    );
}

/// "Pass: out until the field is flushed. Passing is always allowed, except when leading."
#[test]
fn passed_seats_are_out_until_the_flush() {
    check(
        &["1 2 9", "1 3 11", "1 4 7 12", "1 5 13"],
        "
        0 lead 2
        1 pass
        2 over 4
        3 over 5
        0 over 9
        1 over 11 -> not_asked
        2 over 12
        3 pass
        1 over 11 -> not_asked
        0 pass -> passed
        0 lead 1 -> not_asked
        2 lead 7
        3 pass
        0 pass
        1 over 11
        3 pass -> not_asked
        2 pass -> passed
        1 lead 3
        ",
    );
}

#[test]
fn two_players_flush_with_one_pass() {
    check(&["1 2 3", "1 5 7"], "0 lead 2\n1 pass -> passed\n0 lead 1\n1 over 5\n0 pass -> passed\n1 lead 7");
}

/// "The fourth card is played to a set (with five or six players an add may make it four or five: either
/// flushes)."
#[test]
fn full_sets_flush() {
    let five = ["1 3 3 3 7 7", "1 3 3 5 5 5", "1 5 5 7 7 7", "1", "1"];
    check(&five, "0 lead 3,3,3\n1 add 3,3,3,3 -> full\n1 lead 1");
    check(
        &five,
        "0 lead 3,3,3\n1 add 3,3,3,3,3 -> full\n1 lead 5,5,5\n2 add 5,5,5,5,5 -> full\n2 lead 7,7,7\n3 pass\n\
         4 pass\n0 add 7,7,7,7,7 -> full\n0 lead 1 -> ends",
    );
    let six = ["1 7 7 7", "7 7 9 9", "1", "1", "1", "1"];
    check(&six, "0 lead 7,7,7\n1 add 7,7,7,7 -> full\n1 lead 9");
    check(&six, "0 lead 7,7,7\n1 add 7,7,7,7,7 -> full\n1 lead 9");
    for hands in [&["1 7 7 7", "7 9 9"][..], &["1 7 7 7", "7 9 9", "1"], &["1 7 7 7", "7 9 9", "1", "1"]] {
        check(hands, "0 lead 7,7,7\n1 add 7,7,7,7,7 -> not_in_hand\n1 add 7,7,7,7 -> full\n1 lead 9");
    }
}

/// "The fifth card to a run, however many cards the add had."
#[test]
fn full_runs_flush() {
    let hands = ["2 3 4 15", "1 4 5 5 15", "1 1 3 5 15"];
    check(&hands, "0 lead 3\n1 add 3,4\n2 add 3,4,5\n0 add 2,3,4,5\n1 add 1,2,3,4,5 -> full\n1 lead 15");
    check(&hands, "0 lead 2,3,4\n1 add 1,2,3,4,5 -> full\n1 lead 15");
    check(&hands, "0 lead 2,3,4\n1 pass\n2 add 1,2,3,4\n0 pass -> passed\n2 lead 1");
    check(&hands, "0 lead 3,4\n1 add 3,4,5\n2 add 1,2,3,4,5 -> not_in_hand\n2 pass\n0 add 2,3,4,5");
    check(
        &["1 12 13", "1 2 7", "1 11 14 15"],
        "0 lead 12,13\n1 pass\n2 add 11,12,13,14,15 -> full\n2 lead 1 -> ends",
    );
}

/// "A run of 7,8,9 is never full (there is no fifth card), and grows no further."
#[test]
fn run_of_the_clouds_is_never_full() {
    let mut game = table(&["1 8", "1 7 9 11", "2 3 5 11"]);
    play(&mut game, "0 lead 8\n1 add 7,8,9");
    assert_eq!(legal(&game, seat(2)), "pass");
    play(&mut game, "2 pass\n0 pass -> passed\n1 lead 11");
}

/// "Where more than one reason holds, the one told is: full, then the 8."
#[test]
fn full_is_told_before_the_8() {
    check(&["1 8", "1 8 8 8", "1"], "0 lead 8\n1 add 8,8,8,8 -> full\n1 lead 1 -> ends");
    check(&["1 8", "1 8 8 8", "1"], "0 lead 8\n1 add 8,8,8 -> eight\n1 lead 1");
}

/// "The cards just laid include an 8, as an overwrite, as an add, or as a play of several cards."
#[test]
fn laying_an_8_flushes() {
    let hands = ["1 7 7 8 8 9 11 12", "1 3 7 8 8 9 9 11", "1 7 9 13"];
    for lines in [
        "0 lead 7\n1 over 8 -> eight\n1 lead 1",
        "0 lead 7\n1 add 7,8 -> eight",
        "0 lead 7\n1 add 7,8,9 -> eight",
        "0 lead 7,7\n1 over 8,8 -> eight",
        "0 lead 11,12\n1 over 7,8 -> eight",
        "0 lead 11,12\n1 over 8,9 -> eight",
        "0 lead 8,9 -> eight\n0 lead 1",
        "0 lead 8,8 -> eight\n0 lead 1",
        "0 lead 9\n1 add 8,9 -> eight",
        "0 lead 9\n1 add 7,8,9 -> eight",
        "0 lead 8\n1 add 8,8,8 -> eight",
        // A later card other than an 8, laid on an 8 led alone, does not flush.
        "0 lead 8\n1 add 8,9\n2 add 7,8,9\n0 pass\n1 pass -> passed\n2 lead 1",
        "0 lead 8\n1 add 7,8\n2 add 7,8,9\n0 pass\n1 pass -> passed\n2 lead 1",
        "0 lead 8\n1 over 9\n2 over 13\n0 pass\n1 pass -> passed\n2 lead 1",
        "0 lead 8\n1 pass\n2 pass -> passed\n0 lead 1",
    ] {
        check(&hands, lines);
    }
    // A run with an 8 flushes, although an 8 lies there already.
    let hands = ["1 8 11 12", "1 7 9", "1 7 8 9"];
    check(&hands, "0 lead 8\n1 add 8,9\n2 over 7,8 -> eight\n2 lead 1");
    check(&hands, "0 lead 8\n1 add 7,8\n2 over 8,9 -> five_three_five.overwrite");
}

#[test]
fn flush_clears_all_passes() {
    check(
        &["1 7 7", "1 8 9", "1 2 9"],
        "0 lead 7\n1 pass\n2 over 9\n0 pass -> passed\n2 lead 2\n0 over 7\n1 over 8 -> eight\n1 lead 9\n2 pass\n0 pass -> passed\n1 lead 1 -> ends",
    );
    check(&["1 7 7", "1 8 9", "1 2 9"], "0 lead 7,7\n1 pass\n2 pass -> passed\n0 lead 1 -> ends");
    check(
        &["1 7 9", "1 7 8", "1 2 9"],
        "0 lead 7\n1 add 7,7\n2 pass\n0 pass -> passed\n1 lead 8\n2 over 9\n0 add 9,9\n1 pass\n2 pass -> passed\n0 lead 1 -> ends",
    );
}

/// "A player who lays their last card ends the hand at once, also when that play would have flushed."
#[test]
fn last_card_ends_the_hand_at_once() {
    for (hands, lines) in [
        (["1", "2", "3"], "0 lead 1 -> ends"),
        (["8 8", "2", "3"], "0 lead 8,8 -> ends"),
        (["7 8 9", "2", "3"], "0 lead 7,8,9 -> ends"),
        (["1 2 3 4", "5", "3"], "0 lead 2,3,4\n1 add 2,3,4,5 -> ends"),
        (["1 2 3 4", "1 5", "3"], "0 lead 2,3,4\n1 add 1,2,3,4,5 -> ends"),
        (["1 7", "8", "3"], "0 lead 7\n1 over 8 -> ends"),
        (["1 7", "7 7 7", "3"], "0 lead 7\n1 add 7,7,7,7 -> ends"),
        (["1 9", "8", "3"], "0 lead 9\n1 add 8,9 -> ends"),
        (["1 7", "1", "9"], "0 lead 7\n1 pass\n2 over 9 -> ends"),
    ] {
        let mut game = table(&hands);
        play(&mut game, lines);
        assert_eq!((game.hand_number, game.stack, game.passed), (1, None, Seats::NONE), "{lines}");
    }
}
