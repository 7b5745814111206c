//! The worked examples of the rules.

use super::*;

/// Plays one line by seat 1, who has the first hand, after seat 0 has led. Seats 2 and 3 are also there.
fn after_lead(hand: &str, lead: &str, lines: &[&str]) {
    let leads = format!("15 {lead}");
    for line in lines {
        check(&[&leads, hand, "1", "1"], &format!("0 lead {lead}\n1 {line}"));
    }
}

/// The actions of seat 1 after the lead.
fn offered(hand: &str, lead: &str) -> String {
    let mut game = table(&[&format!("15 {lead}"), hand, "1", "1"]);
    play(&mut game, &format!("0 lead {lead}"));
    legal(&game, seat(1))
}

/// "A 9 overwrites; a 4 adds to the set 4,4; a 3, or a 5, adds to a run; 2 and 3 together add to 2,3,4; 3 and 5
/// together add to 3,4,5; 5 and 7 do neither, for there is no 6; 4,4,4 together add to a set of four and flush."
#[test]
fn example_of_a_stack_of_4() {
    after_lead(
        "1 2 3 4 4 4 5 7 9",
        "4",
        &[
            "over 9",
            "add 4,4",
            "add 3,4",
            "add 4,5",
            "add 2,3,4",
            "add 3,4,5",
            "over 7,8 -> five_three_five.overwrite",
            "add 7,8 -> five_three_five.add",
            "add 4,4,4,4 -> full",
        ],
    );
    assert_eq!(offered("1 5 7", "4"), "over 5 | over 7 | add 4,5 | pass");
}

/// "An 8 adds to 7,8 and flushes, or overwrites and flushes: the player says which. 8 and 9 together add to
/// 7,8,9 and flush."
#[test]
fn example_of_a_stack_of_7() {
    after_lead("1 8 9", "7", &["add 7,8 -> eight", "over 8 -> eight", "add 7,8,9 -> eight"]);
}

/// "A 9 overwrites or adds; neither flushes. A second 8 adds, and flushes. A 7 adds, and does not flush."
#[test]
fn example_of_an_8_led_alone() {
    after_lead("1 7 8 9", "8", &["over 9", "add 8,9", "add 8,8 -> eight", "add 7,8", "add 7,8,9"]);
}

/// "An 8 cannot overwrite (it is lower); it may add to 8,9, and flushes. An 11 overwrites, and cannot add."
#[test]
fn example_of_a_stack_of_9() {
    after_lead("1 8 11", "9", &["over 8 -> five_three_five.overwrite", "add 8,9 -> eight", "over 11"]);
    assert_eq!(offered("1 8 11", "9"), "over 11 | add 8,9 | pass");
}

/// "11,12 overwrites (lower runs beat higher ones); 13,14 does not; 11 adds, 14 adds, 11 and 14 together add to
/// 11,12,13,14; then 15 adds the fifth card and flushes; nothing overwrites four cards."
#[test]
fn example_of_a_stack_of_12_13() {
    let hand = "1 11 12 13 14";
    after_lead(
        hand,
        "12,13",
        &[
            "over 11,12",
            "over 13,14 -> five_three_five.overwrite",
            "add 11,12,13",
            "add 12,13,14",
            "add 11,12,13,14",
        ],
    );
    let mut game = table(&["1 12 13", hand, "1 2 3 4 5 11 12 13 15", "1"]);
    play(&mut game, "0 lead 12,13\n1 add 11,12,13,14\n2 over 1,2,3,4 -> five_three_five.too_many_cards");
    assert_eq!(legal(&game, seat(2)), "add 11,12,13,14,15 | pass");
    play(&mut game, "2 add 11,12,13,14,15 -> full\n2 lead 5");
}

/// "1,2 overwrites; 7,8 does not (it is higher); 4,5 adds to 2,3,4,5, and 1 then adds the fifth card and
/// flushes."
#[test]
fn example_of_a_stack_of_2_3() {
    after_lead("1 2 4 5 7 8", "2,3", &["over 1,2", "over 7,8 -> five_three_five.overwrite", "add 2,3,4,5"]);
    check(
        &["9 2 3", "4 5 7", "1 1", "1"],
        "0 lead 2,3\n1 add 2,3,4,5\n2 add 1,2,3,4,5 -> full\n2 lead 1 -> ends",
    );
}

/// "A lead of 7,8 or of 8,8 flushes by itself; a lead of 8 does not. No lead fills a set or a run of its own: a
/// lead has three cards at most."
#[test]
fn example_of_leads() {
    let hands = ["1 1 1 1 2 3 4 5 7 8 8 9", "9 9", "2", "2"];
    for (lead, consequence, next) in [
        ("7,8", " -> eight", "0 lead 1"),
        ("8,8", " -> eight", "0 lead 1"),
        ("7,8,9", " -> eight", "0 lead 1"),
        ("8", "", "1 over 9"),
        ("1,1,1", "", "1 pass"),
        ("1,2,3", "", "1 pass"),
        ("1,1,1,1", " -> five_three_five.too_many_cards", "0 lead 1"),
        ("1,2,3,4", " -> five_three_five.too_many_cards", "0 lead 1"),
        ("1,2,3,4,5", " -> five_three_five.too_many_cards", "0 lead 1"),
    ] {
        check(&hands, &format!("0 lead {lead}{consequence}\n{next}"));
    }
}

/// "Four players, stack 3,3: 3,3 adds to a set of four and flushes. Six players, stack 3,3,3: 3 flushes at four,
/// 3,3 flushes at five."
#[test]
fn example_of_full_sets() {
    check(&["1 3 3", "1 3 3", "1", "1"], "0 lead 3,3\n1 add 3,3,3,3 -> full\n1 lead 1 -> ends");
    let six = ["1 3 3 3", "2 3 3", "1", "1", "1", "1"];
    check(&six, "0 lead 3,3,3\n1 add 3,3,3,3 -> full\n1 lead 2");
    check(&six, "0 lead 3,3,3\n1 add 3,3,3,3,3 -> full\n1 lead 2 -> ends");
}
