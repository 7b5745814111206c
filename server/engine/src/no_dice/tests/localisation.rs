//! Localised text of No Dice.

use super::*;
use crate::test_support::in_both_languages;

#[test]
fn actions_are_localised() {
    for (text, en, de) in [
        (
            "5|10 2,0 right",
            "5|10 with its 5 at (2, 0) and its 10 at (4, 0)",
            "5|10 mit der 5 bei (2, 0) und der 10 bei (4, 0)",
        ),
        ("5|5 2,0 left", "5|5 at (0, 0) and (2, 0)", "5|5 bei (0, 0) und (2, 0)"),
        ("SWITCH", "SWITCH", "SWITCH"),
        ("PASS", "PASS", "PASS"),
        ("X2", "X2", "X2"),
        ("SWAP 3", "SWAP with seat 3", "SWAP mit Sitz 3"),
        ("pass", "pass", "passen"),
        ("decline", "decline", "verzichten"),
    ] {
        assert_eq!(in_both_languages(&action(text)), [en, de]);
    }
    assert_eq!(in_both_languages(&Options {}), ["no options", "keine Optionen"]);
    assert_eq!(in_both_languages(&hand("5|10 PASS PASS")), ["5|10, PASS, PASS"; 2]);
    assert_eq!(in_both_languages(&Hand::EMPTY), ["-"; 2]);
}

#[test]
fn events_are_localised_in_german() {
    let (one, two) = (seat(1), seat(2));
    let laid =
        |doubled| Event::Laid { seat: one, placement: placement("5|10 0,0 right"), points: 28, doubled };
    let skipped = |out_of_turn| Event::Skipped { by: one, seat: two, out_of_turn };
    let passed = |by_itself| Event::Passed { seat: one, by_itself };
    let drew = |count| Event::OtherDrew { seat: one, count };
    for (event, de) in [
        (Event::Dealt { hand: hand("X2 5|5") }, "Deine Hand: 5|5, X2."),
        (Event::NextUp { seat: one }, "Sitz 1 ist an der Reihe."),
        (Event::YourTurn, "Du bist am Zug."),
        (Event::Asked, "Spielst du jetzt PASS, damit dieser Zug ausfällt?"),
        (Event::Declined, "Du hast verzichtet."),
        (Event::SaidYes, "Du hast gesagt, dass du PASS spielst."),
        (laid(false), "Sitz 1 legt 5|10 mit der 5 bei (0, 0) und der 10 bei (2, 0): 28 Punkte."),
        (laid(true), "Sitz 1 legt 5|10 mit der 5 bei (0, 0) und der 10 bei (2, 0): 28 Punkte, verdoppelt."),
        (Event::Switched { seat: one }, "Sitz 1 spielt SWITCH: Es geht andersherum weiter."),
        (skipped(false), "Sitz 1 spielt PASS und lässt Sitz 2 aussetzen."),
        (skipped(true), "Sitz 1 spielt PASS außer der Reihe und lässt Sitz 2 aussetzen."),
        (Event::PlayedX2 { seat: one }, "Sitz 1 spielt X2."),
        (Event::Swapped { seat: one, with: two }, "Sitz 1 spielt SWAP und tauscht die Hand mit Sitz 2."),
        (Event::Got { hand: hand("X2") }, "Du hast diese Hand bekommen: X2."),
        (passed(false), "Sitz 1 passt."),
        (passed(true), "Sitz 1 hat keine Karten mehr und passt."),
        (Event::Drew { cards: hand("X2") }, "Du ziehst X2."),
        (drew(1), "Sitz 1 zieht eine Karte."),
        (drew(2), "Sitz 1 zieht 2 Karten."),
    ] {
        assert_eq!(in_both_languages(&event)[1], de);
    }
    assert_eq!(
        laid(true).to_string(),
        "Seat 1 lays 5|10 with its 5 at (0, 0) and its 10 at (2, 0) and scores 28, doubled."
    );
}

#[test]
fn view_draws_the_board() {
    let mut table = Table::new(&["5|8 SWAP", "5|10 X2 PASS", "PASS"], "2|2 2|3 2|4");
    table.play(&["1: decline", "2: decline", "0: 5|8 0,0 left", "2: decline", "1: 5|10 0,0 down"]);
    table.play(&["1: decline", "2: pass", "1: decline", "2: decline", "0: SWAP 2", "0: decline", "1: X2"]);
    insta::assert_snapshot!(in_both_languages(&table.view(0)).join("\n"));
    assert_eq!(table.view(0).known[2].len(), 6);
}

/// There is no edge between the two segments of a card, in any rotation.
#[test]
fn card_is_drawn_without_an_inner_edge() {
    let drawn = |lay: &str| {
        let mut table = Table::new(&["5|8", "", ""], "");
        table.act(0, lay);
        let [english, _] = in_both_languages(&table.view(1));
        english.lines().skip(2).take_while(|line| line.starts_with('[')).collect::<Vec<_>>().join("/")
    };
    assert_eq!(drawn("5|8 0,0 left"), "[ 8   5]/[__  __]");
    assert_eq!(drawn("5|8 0,0 right"), "[ 5   8]/[__  __]");
    assert_eq!(drawn("5|8 0,0 down"), "[ 5]/[  ]/[ 8]/[__]");
    assert_eq!(drawn("5|8 0,0 up"), "[ 8]/[  ]/[ 5]/[__]");
}

#[test]
fn view_states_the_decision() {
    let mut table = Table::new(&["", "PASS", "PASS"], "");
    let last = |table: &Table, by: u8| {
        in_both_languages(&table.view(by)).map(|text| text.lines().last().map(str::to_owned))
    };
    let line = |en: &str, de: &str| [Some(en.to_owned()), Some(de.to_owned())];
    assert_eq!(
        last(&table, 1),
        line("You are asked whether you play PASS now.", "Du wirst gefragt, ob du jetzt PASS spielst.")
    );
    table.act(1, "PASS");
    assert_eq!(last(&table, 1), line("You said yes to PASS.", "Du hast Ja zu PASS gesagt."));
    table.act(2, "decline");
    table.act(2, "decline");
    assert_eq!(last(&table, 1), line("It is your turn.", "Du bist am Zug."));
}
