//! No Dice in English and in German.

use super::*;
use crate::{Lang, Say};

fn both(what: &impl Say) -> [String; 2] {
    [Lang::En, Lang::De].map(|lang| what.in_lang(lang).to_string())
}

#[test]
fn actions() {
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
        assert_eq!(both(&action(text)), [en, de]);
    }
    assert_eq!(both(&Options {}), ["no options", "keine Optionen"]);
    assert_eq!(both(&hand("5|10 PASS PASS")), ["5|10, PASS, PASS"; 2]);
    assert_eq!(both(&Hand::EMPTY), ["-"; 2]);
}

#[test]
fn events_in_german() {
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
        assert_eq!(both(&event)[1], de);
    }
    assert_eq!(
        laid(true).to_string(),
        "Seat 1 lays 5|10 with its 5 at (0, 0) and its 10 at (2, 0) and scores 28, doubled."
    );
}

#[test]
fn a_view_draws_the_table() {
    let mut table = Table::new(&["5|8 SWAP", "5|10 X2 PASS", "PASS"], "2|2 2|3 2|4");
    table.play(&["1: decline", "2: decline", "0: 5|8 0,0 left", "2: decline", "1: 5|10 0,0 down"]);
    table.play(&["1: decline", "2: pass", "1: decline", "2: decline", "0: SWAP 2", "0: decline", "1: X2"]);
    insta::assert_snapshot!(both(&table.view(0)).join("\n"));
    assert_eq!(table.view(0).known[2].len(), 6);
}

/// The two segments of a card are open to each other, whichever way it lies.
#[test]
fn a_card_is_drawn_in_one_piece() {
    let drawn = |lay: &str| {
        let mut table = Table::new(&["5|8", "", ""], "");
        table.act(0, lay);
        let [english, _] = both(&table.view(1));
        english.lines().skip(2).take_while(|line| line.starts_with('[')).collect::<Vec<_>>().join("/")
    };
    assert_eq!(drawn("5|8 0,0 left"), "[ 8   5]/[__  __]");
    assert_eq!(drawn("5|8 0,0 right"), "[ 5   8]/[__  __]");
    assert_eq!(drawn("5|8 0,0 down"), "[ 5]/[  ]/[ 8]/[__]");
    assert_eq!(drawn("5|8 0,0 up"), "[ 8]/[  ]/[ 5]/[__]");
}

#[test]
fn a_view_says_what_is_asked() {
    let mut table = Table::new(&["", "PASS", "PASS"], "");
    let last =
        |table: &Table, by: u8| both(&table.view(by)).map(|text| text.lines().last().map(str::to_owned));
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
