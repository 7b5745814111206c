//! Leading, overwriting, adding and passing.

use super::*;

/// "The start player, and whoever flushed the field, leads: any combination of one to three
/// cards; passing is not allowed."
#[test]
fn leader_cannot_pass() {
    check(
        &["1 2 8", "1 9", "1 13"],
        "
        0 pass -> five_three_five.passed_a_lead
        0 over 2 -> five_three_five.no_stack
        0 add 1,2 -> five_three_five.no_stack
        0 lead 2
        1 over 9
        2 over 13
        0 pass
        1 pass -> passed
        2 pass -> five_three_five.passed_a_lead
        2 over 1 -> five_three_five.no_stack
        2 add 1,2 -> five_three_five.no_stack
        ",
    );
}

#[test]
fn follower_cannot_lead() {
    check(
        &["1 2", "3 4", "5 7"],
        "0 lead 1\n1 lead 3 -> five_three_five.not_leading\n1 lead 1 -> five_three_five.not_leading\n1 over 3",
    );
}

#[test]
fn cards_must_be_in_hand() {
    check(
        &["1 2 2 4", "1 3 5 9", "1 1"],
        "
        0 lead 3 -> not_in_hand
        0 lead 2,2,2 -> not_in_hand
        0 lead 1,2,3 -> not_in_hand
        0 lead 4
        1 over 7 -> not_in_hand
        1 add 4,4 -> not_in_hand
        1 add 2,3,4 -> not_in_hand
        1 add 3,4,5
        2 add 2,3,4,5 -> not_in_hand
        2 add 2,3,4 -> five_three_five.add
        ",
    );
}

#[test]
fn only_the_seat_to_act_may_act() {
    check(
        &["1 2", "3 3 4", "5 7"],
        "
        1 lead 3 -> not_asked
        2 pass -> not_asked
        4 lead 1 -> no_such_seat
        3 pass -> no_such_seat
        0 lead 1
        0 pass -> not_asked
        2 over 5 -> not_asked
        ",
    );
}

/// "In one turn a player lays one, two or three cards, never more."
#[test]
fn turn_lays_at_most_three_cards() {
    check(
        &["1 4", "1 1 2 3 4 4 4 4 5", "1 5 5", "2", "2"],
        "
        0 lead 4
        1 add 4,4,4,4,4 -> five_three_five.too_many_cards
        1 add 1,2,3,4,5 -> five_three_five.too_many_cards
        1 add 1,2,3,4
        2 add 1,2,3,4,5 -> full
        2 lead 5
        ",
    );
    check(&["1 4 4", "1 4 4 4", "2", "2", "2"], "0 lead 4,4\n1 add 4,4,4,4,4 -> full\n1 lead 1 -> ends");
    for lead in ["2,2,2,2", "2,2,2,2,2", "1,2,3,4", "11,12,13,14,15"] {
        let refused = format!("0 lead {lead} -> five_three_five.too_many_cards\n0 lead 1");
        check(&["1 2 2 2 2 3 4 11 12 13 14 15", "1", "1", "1", "1"], &refused);
    }
}

/// "The same type and the same number of cards. A card or a set beats one of a lower rank. A run beats one of
/// higher ranks. Equal beats nothing."
#[test]
fn overwrite_needs_same_kind_and_size_and_beating_ranks() {
    for (stack, beating, does) in [
        ("5", "7", true),
        ("5", "15", true),
        ("5", "5", false),
        ("5", "4", false),
        ("5", "7,7", false),
        ("5", "7,8", false),
        ("5,5", "7,7", true),
        ("5,5", "5,5", false),
        ("5,5", "4,4", false),
        ("5,5", "7", false),
        ("5,5", "7,7,7", false),
        ("5,5", "7,8", false),
        ("5,5,5", "13,13,13", true),
        ("2,3,4", "1,2,3", true),
        ("11,12,13", "2,3,4", true),
        ("11,12,13", "1,2,3", true),
        ("11,12,13", "7,8,9", true),
        ("1,2,3", "2,3,4", false),
        ("2,3,4", "11,12,13", false),
        ("4,5", "4,5", false),
        ("4,5", "7,8", false),
        ("4,5", "3,3", false),
        ("4,5", "3", false),
        ("4,5", "1,2,3", false),
    ] {
        let found = combination(beating).beats(combination(stack));
        assert_eq!(found, does, "{beating} on {stack}");
    }
}

/// "A stack of four cards cannot be overwritten, since nobody lays four."
#[test]
fn stack_of_four_cannot_be_overwritten() {
    let mut game = table(&["1 11 12 13", "1 14", "1 2 3 4 5 7 7"]);
    play(&mut game, "0 lead 11,12,13\n1 add 11,12,13,14\n2 over 1,2,3,4 -> five_three_five.too_many_cards");
    assert_eq!(legal(&game, seat(2)), "pass");
}

/// "The stack and they together are one combination: a set grown, or a run grown at either end or both. A
/// single card may grow to either."
#[test]
fn add_extends_a_set_or_a_run() {
    for (stack, grown, does) in [
        ("4", "4,4", true),
        ("4", "4,4,4,4", true),
        ("4", "5,5", false),
        ("4", "3,4", true),
        ("4", "4,5", true),
        ("4", "2,3,4,5", true),
        ("4", "2,3", false),
        ("4", "4", false),
        ("5,5", "5,5,5", true),
        ("5,5", "5,5,5,5,5", true),
        ("5,5", "5,5", false),
        ("5,5", "7,7,7", false),
        ("5,5", "3,4,5", false),
        ("3,4", "2,3,4", true),
        ("3,4", "3,4,5", true),
        ("3,4", "2,3,4,5", true),
        ("3,4", "3,4", false),
        ("3,4", "1,2,3", false),
        ("3,4", "4,4,4", false),
        ("7,8", "7,8,9", true),
        ("12,13,14", "12,13", false),
        ("12,13,14", "11,12,13,14,15", true),
        ("12,13,14", "11,12,13", false),
    ] {
        let found = combination(grown).extends(combination(stack));
        assert_eq!(found, does, "{stack} to {grown}");
    }
}

/// "The cards overwritten are out of the hand." Extended cards stay on the stack; a flush discards all of it.
#[test]
fn overwritten_and_flushed_cards_are_gone() {
    let hands = ["1 2 3 5", "1 3 4", "1 8 9"];
    let mut game = table(&hands);
    let before = game.gone;
    let gone = |game: &FiveThreeFive| game.gone.minus(before);
    play(&mut game, "0 lead 3");
    assert_eq!(
        (gone(&game), game.stack),
        (Ranks::EMPTY, Some(Stack { combination: combination("3"), by: seat(0) }))
    );
    play(&mut game, "1 over 4");
    assert_eq!((gone(&game), game.stack.map(|s| s.by)), (cards("3"), Some(seat(1))));
    play(&mut game, "2 pass\n0 add 4,5");
    assert_eq!((gone(&game), game.hands[0]), (cards("3"), cards("1 2")));
    play(&mut game, "1 add 3,4,5\n0 add 2,3,4,5\n1 pass -> passed");
    assert_eq!((gone(&game), game.stack), (cards("2 3 3 4 5"), None));
    assert_eq!(game.hands[..3], [cards("1"), cards("1"), cards("1 8 9")]);
}

/// "Where the same cards could overwrite or add, the player says which."
#[test]
fn player_chooses_between_overwrite_and_add() {
    let hands = ["1 1 4", "1 5", "1 9"];
    let [mut over, mut add] = [table(&hands), table(&hands)];
    play(&mut over, "0 lead 4\n1 over 5");
    play(&mut add, "0 lead 4\n1 add 4,5");
    assert_eq!(over.hands, add.hands);
    assert_eq!(over.gone.minus(add.gone), cards("4"));
    play(&mut over, "2 over 9");
    play(&mut add, "2 over 9 -> five_three_five.overwrite");
}

#[test]
fn legal_actions_are_in_the_documented_order() {
    for (hands, lines, who, expected) in [
        (
            &["1 2 2 3 12 13 13 13", "1", "1"][..],
            "",
            0,
            "lead 1 | lead 2 | lead 3 | lead 12 | lead 13 | lead 2,2 | lead 13,13 | lead 13,13,13 | lead 1,2 | \
             lead 1,2,3 | lead 2,3 | lead 12,13",
        ),
        (
            &["3 4 5 7 8 9 11", "1", "1"],
            "",
            0,
            "lead 3 | lead 4 | lead 5 | lead 7 | lead 8 | lead 9 | lead 11 | lead 3,4 | lead 3,4,5 | lead 4,5 | \
             lead 7,8 | lead 7,8,9 | lead 8,9",
        ),
        (
            &["1 2 3 4 5", "1", "1"],
            "",
            0,
            "lead 1 | lead 2 | lead 3 | lead 4 | lead 5 | lead 1,2 | lead 1,2,3 | lead 2,3 | lead 2,3,4 | \
             lead 3,4 | lead 3,4,5 | lead 4,5",
        ),
        (&["3 3 3 3 3", "1", "1", "1", "1"], "", 0, "lead 3 | lead 3,3 | lead 3,3,3"),
        (
            &["1 4", "1 1 2 3 3 4 4 5 7 8 13", "1"],
            "0 lead 4",
            1,
            "over 5 | over 7 | over 8 | over 13 | add 4,4 | add 4,4,4 | add 1,2,3,4 | add 2,3,4 | add 2,3,4,5 | \
             add 3,4 | add 3,4,5 | add 4,5 | pass",
        ),
        (
            &["1 5 5", "4 5 5 7 7 8 8 8 9", "1"],
            "0 lead 5,5",
            1,
            "over 7,7 | over 8,8 | add 5,5,5 | add 5,5,5,5 | pass",
        ),
        (
            &["1 13 14", "1 2 3 3 7 8 11 12 13 15", "1"],
            "0 lead 13,14",
            1,
            "over 1,2 | over 2,3 | over 7,8 | over 11,12 | over 12,13 | add 11,12,13,14 | add 11,12,13,14,15 | \
             add 12,13,14 | add 12,13,14,15 | add 13,14,15 | pass",
        ),
        (&["1 2 3", "1 1 2 7 8 9", "1"], "0 lead 2,3", 1, "over 1,2 | add 1,2,3 | pass"),
        (&["1 7 8", "2 9", "1"], "0 lead 8", 1, "over 9 | add 8,9 | pass"),
        (&["5 5 5 1", "5 5 7 7 1", "1", "1", "1"], "0 lead 5,5,5", 1, "add 5,5,5,5 | add 5,5,5,5,5 | pass"),
        (&["5 1", "5 5 5 5 1", "1", "1", "1"], "0 lead 5", 1, "add 5,5 | add 5,5,5 | add 5,5,5,5 | pass"),
        (&["1 2", "1 1 3", "1"], "0 lead 1", 1, "over 3 | add 1,1 | add 1,1,1 | pass"),
        (&["5 13", "1 12", "1"], "0 lead 13", 1, "add 12,13 | pass"),
        (&["5 13", "1 4", "1"], "0 lead 13", 1, "pass"),
        (&["5 13", "1 4", "1"], "0 lead 13", 0, ""),
        (&["5 13", "1 4", "1"], "0 lead 13", 2, ""),
        (&["5 13", "1 4", "1"], "", 5, ""),
    ] {
        let mut game = table(hands);
        play(&mut game, lines);
        assert_eq!(legal(&game, seat(who)), expected, "{lines}");
    }
}

/// "When a clock runs out, the player passes; for a lead, the lowest single card."
#[test]
fn default_action_is_pass_or_lowest_lead() {
    let mut game = table(&["4 4 9", "5", "1 2"]);
    assert_eq!(game.default_action(seat(0)), Some(action("lead 4")));
    assert_eq!((game.default_action(seat(1)), game.default_action(seat(5))), (None, None));
    play(&mut game, "0 lead 4,4");
    assert_eq!(game.default_action(seat(1)), Some(Action::Pass));
    assert_eq!(game.default_action(seat(0)), None);
}
