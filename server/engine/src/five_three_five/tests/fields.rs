//! Leading, overwriting and adding, with the worked examples of the rules.

use super::*;

/// Hands of 4 players with enough cards for all examples.
const PLENTY: [&str; 4] =
    ["3 3 5 6 6 7 8 9", "3 3 4 5 6 7 8 9 9", "2 4 5 6 7 9 10 11 12", "1 10 11 12 13 13"];

/// Plays one line by seat 1 after the lead.
fn after_lead(lead: &str, line: &str) {
    check(&PLENTY, &format!("0 lead {lead}\n1 {line}"));
}

#[test]
fn example_of_a_stack_of_5() {
    for line in [
        "over 9",
        "add 5,5",
        "add 4,5",
        "add 5,6",
        "over 6",
        "add 5,6,7",
        "add 4,5,6",
        "over 7,8 -> five_three_five.overwrite",
        "add 7,8 -> five_three_five.add",
    ] {
        after_lead("5", line);
    }
}

#[test]
fn example_of_a_stack_of_6_7() {
    for line in [
        "add 6,7,8 -> eight",
        "add 5,6,7,8 -> eight",
        "over 8,9 -> eight",
        "add 6,7,8,9 -> eight",
        "over 7,8 -> eight",
    ] {
        after_lead("6,7", line);
    }
}

#[test]
fn example_of_an_8_led_alone() {
    for line in ["over 9", "add 8,9", "add 8,8 -> eight", "add 4,5,6,7,8 -> full", "add 7,8", "add 5,6,7,8"] {
        after_lead("8", line);
    }
    check(
        &PLENTY,
        "0 lead 8\n1 over 9\n2 add 9,10\n3 over 11,12\n0 pass\n1 pass\n2 pass -> passed\n3 lead 1",
    );
}

#[test]
fn example_of_a_stack_of_9() {
    for line in
        ["over 8 -> five_three_five.overwrite", "add 8,9 -> eight", "over 9 -> five_three_five.overwrite"]
    {
        after_lead("9", line);
    }
}

#[test]
fn example_of_a_stack_of_3_3() {
    check(&PLENTY, "0 lead 3,3\n1 add 3,3,3,3 -> full\n1 lead 4");
}

/// "The start player, and whoever flushed the field, leads: any combination; passing is not allowed."
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
        &["1 2", "3 4", "5 6"],
        "0 lead 1\n1 lead 3 -> five_three_five.not_leading\n1 lead 1 -> five_three_five.not_leading\n1 over 3",
    );
}

#[test]
fn cards_must_be_in_hand() {
    check(
        &["1 2 2 4", "1 3 5 6", "1 1"],
        "
        0 lead 3 -> not_in_hand
        0 lead 2,2,2 -> not_in_hand
        0 lead 1,2,3 -> not_in_hand
        0 lead 2,2,2,2,2 -> not_in_hand
        0 lead 4
        1 over 7 -> not_in_hand
        1 add 4,4 -> not_in_hand
        1 add 2,3,4 -> not_in_hand
        1 add 3,4,5,6
        2 add 1,2,3,4,5 -> five_three_five.add
        ",
    );
}

#[test]
fn only_the_seat_to_act_may_act() {
    check(
        &["1 2", "3 3 4", "5 6"],
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

/// "The same type and the same number of cards, strictly higher: a card or a set by rank, a sequence by its
/// lowest rank."
#[test]
fn overwrite_needs_same_kind_and_size_and_higher_rank() {
    for (stack, higher, does) in [
        ("5", "6", true),
        ("5", "13", true),
        ("5", "5", false),
        ("5", "4", false),
        ("5", "6,6", false),
        ("5", "6,7", false),
        ("5,5", "6,6", true),
        ("5,5", "5,5", false),
        ("5,5", "4,4", false),
        ("5,5", "6", false),
        ("5,5", "6,6,6", false),
        ("5,5", "6,7", false),
        ("5,5,5", "13,13,13", true),
        ("5,6", "6,7", true),
        ("5,6", "5,6", false),
        ("5,6", "4,5", false),
        ("5,6", "7,7", false),
        ("5,6", "7", false),
        ("5,6", "6,7,8", false),
        ("4,5,6,7", "5,6,7,8", true),
        ("10,11,12", "11,12,13", true),
    ] {
        let found = combination(higher).overwrites(combination(stack));
        assert_eq!(found, does, "{higher} on {stack}");
    }
}

/// "The stack and they together are one combination: a set grown, or a sequence grown at either end or both.
/// A single card may grow to either."
#[test]
fn add_extends_a_set_or_a_sequence() {
    for (stack, grown, does) in [
        ("5", "5,5", true),
        ("5", "5,5,5,5", true),
        ("5", "5,5,5,5,5", true),
        ("5", "6,6", false),
        ("5", "4,5", true),
        ("5", "5,6", true),
        ("5", "3,4,5,6,7", true),
        ("5", "6,7", false),
        ("5", "5", false),
        ("5,5", "5,5,5", true),
        ("5,5", "5,5", false),
        ("5,5", "6,6,6", false),
        ("5,5", "4,5,6", false),
        ("5,6", "4,5,6", true),
        ("5,6", "5,6,7", true),
        ("5,6", "4,5,6,7", true),
        ("5,6", "5,6", false),
        ("5,6", "6,7,8", false),
        ("5,6", "5,5,5", false),
        ("5,6,7", "5,6", false),
        ("5,6,7", "6,7,8,9", false),
    ] {
        let found = combination(grown).extends(combination(stack));
        assert_eq!(found, does, "{stack} to {grown}");
    }
}

/// "The cards overwritten are out of the hand." Extended cards stay on the stack; a flush discards all of it.
#[test]
fn overwritten_and_flushed_cards_are_gone() {
    let hands = ["1 4 4 7", "1 5 6", "1 8 9"];
    let mut game = table(&hands);
    let before = game.gone;
    let gone = |game: &FiveThreeFive| game.gone.minus(before);
    play(&mut game, "0 lead 4");
    assert_eq!(
        (gone(&game), game.stack),
        (Ranks::EMPTY, Some(Stack { combination: combination("4"), by: seat(0) }))
    );
    play(&mut game, "1 over 5");
    assert_eq!((gone(&game), game.stack.map(|s| s.by)), (cards("4"), Some(seat(1))));
    play(&mut game, "2 pass\n0 add 4,5");
    assert_eq!((gone(&game), game.hands[0]), (cards("4"), cards("1 7")));
    play(&mut game, "1 add 4,5,6\n0 add 4,5,6,7\n1 pass -> passed");
    assert_eq!((gone(&game), game.stack), (cards("4 4 5 6 7"), None));
    assert_eq!(game.hands[..3], [cards("1"), cards("1"), cards("1 8 9")]);
}

/// "Where the same cards could overwrite or add, the player says which."
#[test]
fn player_chooses_between_overwrite_and_add() {
    let hands = ["1 1 5", "1 6", "1 9"];
    let [mut over, mut add] = [table(&hands), table(&hands)];
    play(&mut over, "0 lead 5\n1 over 6");
    play(&mut add, "0 lead 5\n1 add 5,6");
    assert_eq!(over.hands, add.hands);
    assert_eq!(over.gone.minus(add.gone), cards("5"));
    play(&mut over, "2 over 9");
    play(&mut add, "2 over 9 -> five_three_five.overwrite");
}

#[test]
fn legal_actions_are_in_the_documented_order() {
    for (hands, lines, who, expected) in [
        (
            ["1 2 2 3 12 13 13 13", "1", "1"],
            "",
            0,
            "lead 1 | lead 2 | lead 3 | lead 12 | lead 13 | lead 2,2 | lead 13,13 | lead 13,13,13 | lead 1,2 | \
             lead 1,2,3 | lead 2,3 | lead 12,13",
        ),
        (
            ["5 6 7 8 9 10", "1", "1"],
            "",
            0,
            "lead 5 | lead 6 | lead 7 | lead 8 | lead 9 | lead 10 | lead 5,6 | lead 5,6,7 | lead 5,6,7,8 | lead 5,6,7,8,9 | lead 6,7 | lead 6,7,8 | lead 6,7,8,9 | lead 6,7,8,9,10 | lead 7,8 | lead 7,8,9 | lead 7,8,9,10 | lead 8,9 | lead 8,9,10 | lead 9,10",
        ),
        (
            ["1 5", "1 3 4 5 5 6 7 8 13", "1"],
            "0 lead 5",
            1,
            "over 6 | over 7 | over 8 | over 13 | add 5,5 | add 5,5,5 | add 3,4,5 | add 3,4,5,6 | add 3,4,5,6,7 | \
             add 4,5 | add 4,5,6 | add 4,5,6,7 | add 4,5,6,7,8 | add 5,6 | add 5,6,7 | add 5,6,7,8 | pass",
        ),
        (
            ["1 5 5", "4 5 5 6 6 7 7 7 8", "1"],
            "0 lead 5,5",
            1,
            "over 6,6 | over 7,7 | add 5,5,5 | add 5,5,5,5 | pass",
        ),
        (
            ["1 5 6", "3 4 6 7 8 9 12 13", "1"],
            "0 lead 5,6",
            1,
            "over 6,7 | over 7,8 | over 8,9 | over 12,13 | add 3,4,5,6 | add 3,4,5,6,7 | add 4,5,6 | add 4,5,6,7 | \
             add 4,5,6,7,8 | add 5,6,7 | add 5,6,7,8 | add 5,6,7,8,9 | pass",
        ),
        (["1 12 13", "1 11 13", "1"], "0 lead 12,13", 1, "add 11,12,13 | pass"),
        (["1 2", "1 1 3", "1"], "0 lead 1", 1, "over 3 | add 1,1 | add 1,1,1 | pass"),
        (["5 13", "1 12", "1"], "0 lead 13", 1, "add 12,13 | pass"),
        (["5 13", "1 4", "1"], "0 lead 13", 1, "pass"),
        (["5 13", "1 4", "1"], "0 lead 13", 0, ""),
        (["5 13", "1 4", "1"], "0 lead 13", 2, ""),
        (["5 13", "1 4", "1"], "", 5, ""),
    ] {
        let mut game = table(&hands);
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
