//! Localised text of GAP.

use super::*;
use crate::test_support::{assert_addressed, assert_localised};
use crate::{CardLabel, Lang};

#[test]
fn cards_are_localised() {
    for (name, en, de) in [
        ("b0", "blue 0", "blaue 0"),
        ("g7", "green 7", "grüne 7"),
        ("y3", "yellow 3", "gelbe 3"),
        ("p9", "pink 9", "pinke 9"),
        ("u5", "purple 5", "lila 5"),
    ] {
        assert_localised(&card(name), en, de);
    }
    assert_localised(&cards("y3 b0"), "blue 0, yellow 3", "blaue 0, gelbe 3");
    assert_localised(&cards(""), "-", "-");
}

#[test]
fn options_are_localised() {
    for (length, en, de) in [
        (Length::Target(30), "to 30 points", "bis 30 Punkte"),
        (Length::Target(1), "to 1 point", "bis 1 Punkt"),
        (Length::Rounds(1), "1 round", "1 Runde"),
        (Length::Rounds(2), "2 rounds", "2 Runden"),
    ] {
        assert_localised(&Options { length }, en, de);
    }
}

#[test]
fn actions_are_localised() {
    for (text, en, de) in [
        ("b4", "play blue 4", "blaue 4 spielen"),
        ("b4<g3", "play blue 4, taking green 3", "blaue 4 spielen und grüne 3 nehmen"),
        ("b4>g5", "play blue 4, taking green 5", "blaue 4 spielen und grüne 5 nehmen"),
        ("b4<y3>g5", "play blue 4, taking green 5, yellow 3", "blaue 4 spielen und grüne 5, gelbe 3 nehmen"),
    ] {
        assert_localised(&action(text), en, de);
    }
}

#[test]
fn events_are_localised() {
    let seat = seat(1);
    let middle = cards("b1 g2");
    let (round, start, card) = (2, seat, card("b4"));
    for (event, en, de) in [
        (
            Event::RoundBegan { round, start, extra: false, middle },
            "Round 3: seat 1 begins. In the middle: blue 1, green 2.",
            "Runde 3: Sitz 1 beginnt. In der Mitte: blaue 1, grüne 2.",
        ),
        (
            Event::RoundBegan { round, start, extra: true, middle },
            "Round 3 to break the tie: seat 1 begins. In the middle: blue 1, green 2.",
            "Runde 3 (Entscheidungsrunde): Sitz 1 beginnt. In der Mitte: blaue 1, grüne 2.",
        ),
        (Event::Dealt { hand: middle }, "Your hand: blue 1, green 2.", "Deine Hand: blaue 1, grüne 2."),
        (
            Event::Played { seat, card, taken: cards("") },
            "Seat 1 plays blue 4 into the middle.",
            "Sitz 1 legt die blaue 4 in die Mitte.",
        ),
        (
            Event::Played { seat, card, taken: cards("g3 g5") },
            "Seat 1 plays blue 4 and takes green 3 and green 5.",
            "Sitz 1 spielt die blaue 4 und nimmt die grüne 3 und die grüne 5.",
        ),
        (Event::Filled { cards: middle }, "Turned up: blue 1, green 2.", "Aufgedeckt: blaue 1, grüne 2."),
        (
            Event::RoundScored { round, points: Points::new(2, [8, -1, 0, 0, 0, 0]) },
            "Round 3: seat 0 scores 8, seat 1 scores -1.",
            "Runde 3: Sitz 0 bekommt 8, Sitz 1 bekommt -1.",
        ),
        (
            Event::Ended { outcome: Outcome::from_points(2, [8, 9, 0, 0, 0, 0]) },
            "The game is over. Seat 1 comes 1st with 9 points. Seat 0 comes 2nd with 8 points.",
            "Das Spiel ist zu Ende. Sitz 1 belegt Platz 1 mit 9 Punkten. Sitz 0 belegt Platz 2 mit 8 Punkten.",
        ),
    ] {
        assert_localised(&event, en, de);
        assert_eq!(event.to_string(), en);
    }
}

#[test]
fn events_address_their_reader() {
    let (seat, middle) = (seat(1), cards("b1 g2"));
    for (event, en, de) in [
        (
            Event::RoundBegan { round: 2, start: seat, extra: false, middle },
            "Round 3: you begin. In the middle: blue 1, green 2.",
            "Runde 3: du beginnst. In der Mitte: blaue 1, grüne 2.",
        ),
        (
            Event::Played { seat, card: card("b4"), taken: cards("") },
            "You play blue 4 into the middle.",
            "Du legst die blaue 4 in die Mitte.",
        ),
        (
            Event::Played { seat, card: card("b4"), taken: cards("g3 g5") },
            "You play blue 4 and take green 3 and green 5.",
            "Du spielst die blaue 4 und nimmst die grüne 3 und die grüne 5.",
        ),
        (
            Event::RoundScored { round: 2, points: Points::new(2, [8, -1, 0, 0, 0, 0]) },
            "Round 3: seat 0 scores 8, you score -1.",
            "Runde 3: Sitz 0 bekommt 8, du bekommst -1.",
        ),
    ] {
        assert_addressed(&event, seat, en, de);
    }
}

#[test]
fn questions_are_asked_only_of_the_seat_to_act() {
    let game = table(2, &["b0 b1", "g0 g1"], "y0 y1 y2 y3", "b6");
    let questions = [seat(0), seat(1)].map(|seat| {
        Lang::ALL.map(|lang| {
            let mut out = TextBuilder::new(lang, Viewer::Seat(seat));
            Gap::write_question(&game.view(Viewer::Seat(seat)), &mut out);
            out.finish().to_string()
        })
    });
    let asked = [
        "Play a card: it takes all of its number, else its neighbours, else it joins the middle.",
        "Spiele eine Karte: Sie nimmt alle mit ihrer Zahl, sonst Nachbarn, sonst kommt sie in die Mitte.",
    ];
    assert_eq!(questions, [asked.map(str::to_owned), ["", ""].map(str::to_owned)]);
}

#[test]
fn faces_have_ids_short_labels_and_suits() {
    let face = |name: &str, lang| {
        let face = card(name).face(lang);
        format!("{} {} {}", face.id, face.short, face.suit.expect("a colour").name)
    };
    assert_eq!(face("g7", Lang::En), "green-7 g7 green");
    assert_eq!(face("g7", Lang::De), "green-7 gn7 Grün");
    let all = || card::deck(5).into_iter();
    for lang in Lang::ALL {
        let labels: std::collections::HashSet<String> = all().map(|card| card.face(lang).short).collect();
        assert_eq!(labels.len(), all().count(), "short labels differ");
    }
}

#[test]
fn views_are_localised() {
    let hands = ["b0 b1 b2 b3 b4 b5", "g0 g1 g2 g3 g4 g5"];
    let mut game = table(2, &hands, "y0 y1 y2 y3", "b6");
    play(&mut game, "b3");
    assert_localised(
        &game.view(Viewer::Seat(seat(0))),
        "GAP (to 30 points), seen by seat 0\n\
         Round 1. Turn: seat 1\n\
         Middle: blue 6, yellow 0, yellow 1, yellow 2. Stack: 13\n\
         Seat 0: 5 cards, collected blue 3, yellow 3, total 0\n\
         Seat 1: 6 cards, collected -, total 0\n\
         Hand: blue 0, blue 1, blue 2, blue 4, blue 5\n",
        "GAP (bis 30 Punkte), gesehen von Sitz 0\n\
         Runde 1. Am Zug: Sitz 1\n\
         Mitte: blaue 6, gelbe 0, gelbe 1, gelbe 2. Stapel: 13\n\
         Sitz 0: 5 Karten, gesammelt blaue 3, gelbe 3, gesamt 0\n\
         Sitz 1: 6 Karten, gesammelt -, gesamt 0\n\
         Hand: blaue 0, blaue 1, blaue 2, blaue 4, blaue 5\n",
    );
    game.outcome = Some(Outcome::from_points(2, [8, 9, 0, 0, 0, 0]));
    let ended = game.view(Viewer::Spectator).to_string();
    let lines: Vec<&str> = ended.lines().take(2).collect();
    let expected = [
        "GAP (to 30 points), seen by a spectator",
        "The game is over. Seat 1 comes 1st with 9 points. Seat 0 comes 2nd with 8 points.",
    ];
    assert_eq!(lines, expected);
    assert!(!ended.contains("Hand"), "a spectator has none");
}
