//! Localised text of GAP.

use super::*;
use crate::test_support::assert_localised;

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
    assert_localised(&action("b4"), "blue 4", "blaue 4");
    assert_localised(&action("b4<g3"), "blue 4, taking green 3", "blaue 4, nimmt grüne 3");
    assert_localised(&action("b4>g5"), "blue 4, taking green 5", "blaue 4, nimmt grüne 5");
    assert_localised(
        &action("b4<y3>g5"),
        "blue 4, taking green 5, yellow 3",
        "blaue 4, nimmt grüne 5, gelbe 3",
    );
}

#[test]
fn events_are_localised() {
    let seat = seat(1);
    let middle = cards("b1 g2");
    let (round, start, card) = (2, seat, card("b4"));
    for (event, en, de) in [
        (
            Event::RoundBegan { round, start, extra: false, middle },
            "Round 3: seat 1 begins, the middle is blue 1, green 2.",
            "Runde 3: Sitz 1 beginnt, in der Mitte liegen blaue 1, grüne 2.",
        ),
        (
            Event::RoundBegan { round, start, extra: true, middle },
            "Round 3 to break the tie: seat 1 begins, the middle is blue 1, green 2.",
            "Runde 3 als Stichrunde: Sitz 1 beginnt, in der Mitte liegen blaue 1, grüne 2.",
        ),
        (Event::Dealt { hand: middle }, "Your hand: blue 1, green 2.", "Deine Hand: blaue 1, grüne 2."),
        (
            Event::Played { seat, card, taken: cards("") },
            "Seat 1 plays blue 4 into the middle.",
            "Sitz 1 legt blaue 4 in die Mitte.",
        ),
        (
            Event::Played { seat, card, taken: cards("g3 g5") },
            "Seat 1 plays blue 4 and takes green 3, green 5.",
            "Sitz 1 spielt blaue 4 und nimmt grüne 3, grüne 5.",
        ),
        (Event::Filled { cards: middle }, "Turned up: blue 1, green 2.", "Aufgedeckt: blaue 1, grüne 2."),
        (
            Event::RoundScored { round, points: Points::new(2, [8, -1, 0, 0, 0, 0]) },
            "Round 3 scores seat 0 8, seat 1 -1.",
            "Runde 3 bringt Sitz 0 8, Sitz 1 -1.",
        ),
        (
            Event::Ended { outcome: Outcome::from_points(2, [8, 9, 0, 0, 0, 0]) },
            "The game is over. Place 1: seat 1 with 9. Place 2: seat 0 with 8.",
            "Das Spiel ist zu Ende. Rang 1: Sitz 1 mit 9. Rang 2: Sitz 0 mit 8.",
        ),
    ] {
        assert_localised(&event, en, de);
        assert_eq!(event.to_string(), en);
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
         seat 0: 5 cards, collected blue 3, yellow 3, total 0\n\
         seat 1: 6 cards, collected -, total 0\n\
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
        "The game is over. Place 1: seat 1 with 9. Place 2: seat 0 with 8.",
    ];
    assert_eq!(lines, expected);
    assert!(!ended.contains("Hand"), "a spectator has none");
}
