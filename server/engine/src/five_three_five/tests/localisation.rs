//! Localised text of Five Three Five.

use super::*;
use crate::test_support::assert_localised;

#[test]
fn cards_and_options_are_localised() {
    assert_localised(&Rank::EIGHT, "8", "8");
    assert_localised(&cards("13 3 3"), "3, 3, 13", "3, 3, 13");
    assert_localised(&Ranks::EMPTY, "-", "-");
    assert_localised(&combination("7,8,9"), "7,8,9", "7,8,9");
    assert_localised(&combination("9,9,9"), "9,9,9", "9,9,9");
    assert_localised(&Options { beginner: false }, "full rules", "volle Regeln");
    assert_localised(&Options { beginner: true }, "beginner rules", "Einsteigerregeln");
}

#[test]
fn actions_are_localised() {
    assert_localised(&action("lead 5,5"), "lead 5,5", "5,5 ausspielen");
    assert_localised(&action("over 9"), "overwrite with 9", "mit 9 überbieten");
    assert_localised(&action("add 3,4,5"), "add to make 3,4,5", "anlegen zu 3,4,5");
    assert_localised(&Action::Pass, "pass", "passen");
}

#[test]
fn events_are_localised() {
    let laid =
        |play| Event::Laid { seat: seat(1), play, cards: cards("3 5"), combination: combination("3,4,5") };
    let flushed = |reason| Event::Flushed { by: seat(2), reason };
    let left = [cards("3 8"), Ranks::EMPTY, cards("12"), Ranks::EMPTY, Ranks::EMPTY, Ranks::EMPTY];
    let totals = [-5, 0, -3, 0, 0, 0];
    let cases = [
        (
            Event::HandBegan { hand_number: 1, start: seat(2) },
            "Hand 2: seat 2 leads.",
            "Durchgang 2: Sitz 2 spielt aus.",
        ),
        (Event::Dealt { hand: cards("1 8") }, "Your cards: 1, 8.", "Deine Karten: 1, 8."),
        (laid(PlayKind::Lead), "Seat 1 leads 3,4,5.", "Sitz 1 spielt 3,4,5 aus."),
        (laid(PlayKind::Overwrite), "Seat 1 overwrites with 3,4,5.", "Sitz 1 überbietet mit 3,4,5."),
        (laid(PlayKind::Add), "Seat 1 adds 3, 5, which makes 3,4,5.", "Sitz 1 legt 3, 5 an, das gibt 3,4,5."),
        (Event::Passed { seat: seat(0) }, "Seat 0 passes.", "Sitz 0 passt."),
        (
            flushed(FlushReason::AllPassed),
            "Seat 2 flushes the field: all others have passed.",
            "Sitz 2 spült das Feld weg: Alle anderen haben gepasst.",
        ),
        (
            flushed(FlushReason::Full),
            "Seat 2 flushes the field: the stack is full.",
            "Sitz 2 spült das Feld weg: Der Stapel ist voll.",
        ),
        (
            flushed(FlushReason::Eight),
            "Seat 2 flushes the field: an 8 was laid.",
            "Sitz 2 spült das Feld weg: Eine 8 wurde gelegt.",
        ),
        (
            Event::HandScored { hand_number: 0, left, points: Points::new(3, totals) },
            "Hand 1: seat 0 scores -5, seat 1 scores 0, seat 2 scores -3; seat 0 is left with 3, 8; seat 2 is left with 12.",
            "Durchgang 1: Sitz 0 bekommt -5, Sitz 1 bekommt 0, Sitz 2 bekommt -3; Sitz 0 hat noch 3, 8; Sitz 2 hat noch 12.",
        ),
        (
            Event::Ended { outcome: Outcome::from_points(3, totals) },
            "The game is over. Seat 1 comes 1st with 0 points. Seat 2 comes 2nd with -3 points. Seat 0 comes 3rd with -5 points.",
            "Das Spiel ist zu Ende. Sitz 1 belegt Platz 1 mit 0 Punkten. Sitz 2 belegt Platz 2 mit -3 Punkten. Sitz 0 belegt Platz 3 mit -5 Punkten.",
        ),
    ];
    for (event, en, de) in cases {
        assert_localised(&event, en, de);
        assert_eq!(event.to_string(), en);
    }
}

#[test]
fn views_are_localised() {
    let mut game = table(&["1 5 13", "1 7", "2 4"]);
    play(&mut game, "0 lead 5\n1 pass");
    game.gone = cards("9 9");
    game.totals = [-1, 0, -2, 0, 0, 0];
    assert_localised(
        &game.view(Viewer::Seat(seat(0))),
        "Five Three Five (full rules), seen by seat 0\nHand 1. Turn: seat 2\nStack: 5, laid by seat 0\nOut: 9, 9\n\
         Set aside: 13, kept back: 0\nSeat 0: 2 cards, total -1\nSeat 1: 2 cards, total 0, passed\n\
         Seat 2: 2 cards, total -2\nYour cards: 1, 13\n",
        "Five Three Five (volle Regeln), gesehen von Sitz 0\nDurchgang 1. Am Zug: Sitz 2\nStapel: 5, gelegt von Sitz 0\n\
         Aus dem Spiel: 9, 9\nBeiseite: 13, zurückgehalten: 0\nSitz 0: 2 Karten, gesamt -1\n\
         Sitz 1: 2 Karten, gesamt 0, gepasst\nSitz 2: 2 Karten, gesamt -2\nDeine Karten: 1, 13\n",
    );
    let mut game = table(&["1", "8"]);
    game.hand_number = 1;
    game.options.beginner = true;
    game.gone = Ranks::EMPTY;
    game.rest.truncate(4);
    assert_localised(
        &game.view(Viewer::Spectator),
        "Five Three Five (beginner rules), seen by a spectator\nHand 2. Turn: seat 0\nStack: -\nOut: -\n\
         Set aside: 4, kept back: 0\nSeat 0: 1 card, total 0\nSeat 1: 1 card, total 0\n",
        "Five Three Five (Einsteigerregeln), gesehen von einem Zuschauer\nDurchgang 2. Am Zug: Sitz 0\nStapel: -\n\
         Aus dem Spiel: -\nBeiseite: 4, zurückgehalten: 0\nSitz 0: 1 Karte, gesamt 0\nSitz 1: 1 Karte, gesamt 0\n",
    );
    game.apply(seat(0), action("lead 1"), &mut NoEvents).expect("a last card");
    assert_localised(
        &game.view(Viewer::Seat(seat(1))),
        "Five Three Five (beginner rules), seen by seat 1\nThe game is over. Seat 0 comes 1st with 0 points. You come 2nd with -1 point.\n\
         Stack: 1, laid by seat 0\nOut: -\nSet aside: 4, kept back: 0\nSeat 0: 0 cards, total 0\n\
         Seat 1: 1 card, total -1, left: 8\nYour cards: 8\n",
        "Five Three Five (Einsteigerregeln), gesehen von Sitz 1\nDas Spiel ist zu Ende. Sitz 0 belegt Platz 1 mit 0 Punkten. Du belegst Platz 2 mit -1 Punkt.\n\
         Stapel: 1, gelegt von Sitz 0\nAus dem Spiel: -\nBeiseite: 4, zurückgehalten: 0\n\
         Sitz 0: 0 Karten, gesamt 0\nSitz 1: 1 Karte, gesamt -1, übrig: 8\nDeine Karten: 8\n",
    );
}
