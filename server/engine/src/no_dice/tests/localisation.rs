//! Localised text of No Dice.

use super::*;
use crate::test_support::{assert_localised, in_both_languages};
use crate::{CardLabel as _, Localise as _};

#[test]
fn actions_are_localised() {
    for (text, en, de) in [
        ("5|10 2,0 right", "5|10 at (2, 0), 10 to the right", "5|10 bei (2, 0), 10 rechts"),
        ("5|10 2,0 down", "5|10 at (2, 0), 10 below", "5|10 bei (2, 0), 10 darunter"),
        ("5|10 2,0 left", "5|10 at (2, 0), 10 to the left", "5|10 bei (2, 0), 10 links"),
        ("5|10 2,0 up", "5|10 at (2, 0), 10 above", "5|10 bei (2, 0), 10 darüber"),
        ("5|5 2,0 left", "5|5 at (0, 0), 5 to the right", "5|5 bei (0, 0), 5 rechts"),
        ("SWITCH", "play SWITCH", "SWITCH spielen"),
        ("PASS", "play PASS", "PASS spielen"),
        ("X2", "play X2", "X2 spielen"),
        ("SWAP 3", "SWAP with seat 3", "SWAP mit Sitz 3"),
        ("pass", "pass", "passen"),
        ("decline", "decline", "verzichten"),
    ] {
        assert_localised(&action(text), en, de);
    }
    assert_localised(&Options {}, "no options", "keine Optionen");
    assert_localised(&hand("5|10 PASS PASS"), "5|10, PASS, PASS", "5|10, PASS, PASS");
    assert_localised(&Hand::EMPTY, "-", "-");
}

#[test]
fn private_events_are_localised() {
    for (event, en, de) in [
        (Event::Dealt { hand: hand("X2 5|5") }, "Your hand: 5|5, X2.", "Deine Hand: 5|5, X2."),
        (Event::YourTurn, "It is your turn.", "Du bist am Zug."),
        (
            Event::Asked,
            "Do you play PASS now, to skip this turn?",
            "Spielst du jetzt PASS, damit dieser Zug ausfällt?",
        ),
        (Event::Declined, "You declined.", "Du hast verzichtet."),
        (Event::SaidYes, "You said that you play PASS.", "Du hast gesagt, dass du PASS spielst."),
        (Event::Got { hand: hand("X2") }, "Your new hand: X2.", "Deine neue Hand: X2."),
        (Event::Drew { cards: hand("X2") }, "You draw X2.", "Du ziehst: X2."),
    ] {
        assert_localised(&event, en, de);
    }
}

/// Public events, for a spectator and for the seat that they are about.
#[test]
fn public_events_are_localised_and_address_their_reader() {
    let (one, two) = (seat(1), seat(2));
    let laid =
        |doubled| Event::Laid { seat: one, placement: placement("5|10 0,0 right"), points: 28, doubled };
    let skipped = |out_of_turn| Event::Skipped { by: one, seat: two, out_of_turn };
    let passed = |by_itself| Event::Passed { seat: one, by_itself };
    let drew = |count| Event::OtherDrew { seat: one, count };
    let cases = [
        (
            Event::NextUp { seat: one },
            ["Seat 1 is next.", "You are next."],
            ["Sitz 1 ist als Nächstes dran.", "Du bist als Nächstes dran."],
        ),
        (
            laid(false),
            [
                "Seat 1 lays 5|10 at (0, 0), 10 to the right, and scores 28.",
                "You lay 5|10 at (0, 0), 10 to the right, and score 28.",
            ],
            [
                "Sitz 1 legt die 5|10 bei (0, 0), 10 rechts: 28 Punkte.",
                "Du legst die 5|10 bei (0, 0), 10 rechts: 28 Punkte.",
            ],
        ),
        (
            laid(true),
            [
                "Seat 1 lays 5|10 at (0, 0), 10 to the right, and scores 28, doubled.",
                "You lay 5|10 at (0, 0), 10 to the right, and score 28, doubled.",
            ],
            [
                "Sitz 1 legt die 5|10 bei (0, 0), 10 rechts: 28 Punkte, verdoppelt.",
                "Du legst die 5|10 bei (0, 0), 10 rechts: 28 Punkte, verdoppelt.",
            ],
        ),
        (
            Event::Switched { seat: one },
            [
                "Seat 1 plays SWITCH: play goes the other way round.",
                "You play SWITCH: play goes the other way round.",
            ],
            [
                "Sitz 1 spielt SWITCH: Es geht andersherum weiter.",
                "Du spielst SWITCH: Es geht andersherum weiter.",
            ],
        ),
        (
            skipped(false),
            ["Seat 1 plays PASS and skips seat 2.", "You play PASS and skip seat 2."],
            ["Sitz 1 spielt PASS und lässt Sitz 2 aussetzen.", "Du spielst PASS und lässt Sitz 2 aussetzen."],
        ),
        (
            skipped(true),
            ["Seat 1 plays PASS out of turn and skips seat 2.", "You play PASS out of turn and skip seat 2."],
            [
                "Sitz 1 spielt PASS außer der Reihe und lässt Sitz 2 aussetzen.",
                "Du spielst PASS außer der Reihe und lässt Sitz 2 aussetzen.",
            ],
        ),
        (
            Event::PlayedX2 { seat: one },
            ["Seat 1 plays X2.", "You play X2."],
            ["Sitz 1 spielt X2.", "Du spielst X2."],
        ),
        (
            Event::Swapped { seat: one, with: two },
            ["Seat 1 plays SWAP and trades hands with seat 2.", "You play SWAP and trade hands with seat 2."],
            [
                "Sitz 1 spielt SWAP und tauscht die Hand mit Sitz 2.",
                "Du spielst SWAP und tauschst die Hand mit Sitz 2.",
            ],
        ),
        (passed(false), ["Seat 1 passes.", "You pass."], ["Sitz 1 passt.", "Du passt."]),
        (
            passed(true),
            ["Seat 1 has no cards left and passes.", "You have no cards left and pass."],
            ["Sitz 1 hat keine Karten mehr und passt.", "Du hast keine Karten mehr und passt."],
        ),
        (
            drew(1),
            ["Seat 1 draws 1 card.", "You draw 1 card."],
            ["Sitz 1 zieht 1 Karte.", "Du ziehst 1 Karte."],
        ),
        (
            drew(2),
            ["Seat 1 draws 2 cards.", "You draw 2 cards."],
            ["Sitz 1 zieht 2 Karten.", "Du ziehst 2 Karten."],
        ),
    ];
    for (event, en, de) in cases {
        for (lang, texts) in [(Lang::En, en), (Lang::De, de)] {
            let read_by = |reader| event.rich_text(lang, reader).to_string();
            assert_eq!([read_by(Viewer::Spectator), read_by(Viewer::Seat(one))], texts);
        }
    }
}

#[test]
fn skipped_and_trading_players_are_addressed() {
    let (one, two) = (seat(1), seat(2));
    for (event, en, de) in [
        (
            Event::Skipped { by: one, seat: two, out_of_turn: false },
            "Seat 1 plays PASS and skips you.",
            "Sitz 1 spielt PASS und lässt dich aussetzen.",
        ),
        (
            Event::Swapped { seat: one, with: two },
            "Seat 1 plays SWAP and trades hands with you.",
            "Sitz 1 spielt SWAP und tauscht die Hand mit dir.",
        ),
    ] {
        let texts = [Lang::En, Lang::De].map(|lang| event.rich_text(lang, Viewer::Seat(two)).to_string());
        assert_eq!(texts, [en, de]);
    }
}

/// The face of a card names its kind, never the copy.
#[test]
fn copies_of_an_action_card_have_one_face() {
    let ids: Vec<String> =
        hand("5|8 SWITCH PASS PASS X2 SWAP").into_iter().map(|card| card.face(Lang::En).id).collect();
    assert_eq!(ids, ["5|8", "switch", "pass", "pass", "x2", "swap"]);
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
