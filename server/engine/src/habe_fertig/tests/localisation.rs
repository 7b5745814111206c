//! Localised text of Habe fertig.

use super::*;
use crate::test_support::{assert_addressed, assert_localised};
use crate::{Lang, Localise, Points, TextBuilder};

#[test]
fn cards_are_localised() {
    assert_localised(
        &set("r1 y2 g3 b4 p5 e11"),
        "red 1, yellow 2, green 3, blue 4, purple 5, grey 11",
        "rote 1, gelbe 2, grüne 3, blaue 4, lila 5, graue 11",
    );
    assert_localised(&CardSet::<Card>::EMPTY, "-", "-");
    assert_localised(&pair("r6 b3"), "red 6 and blue 3", "rote 6 und blaue 3");
    assert_localised(&Options {}, "no options", "keine Optionen");
}

#[test]
fn actions_are_localised() {
    for (text, en, de) in [
        ("hide r6 b3", "hide red 6 and blue 3", "rote 6 und blaue 3 verstecken"),
        (
            "lay left",
            "lay the turned-over card on the left pile",
            "die aufgedeckte Karte auf den linken Stapel legen",
        ),
        ("r6 right", "play red 6 on the right pile", "rote 6 auf den rechten Stapel spielen"),
        ("pass", "pass", "passen"),
    ] {
        assert_localised(&action(text), en, de);
    }
}

#[test]
fn events_are_localised() {
    let (seat, card, pile) = (seat(2), card("r6"), Pile::Left);
    let mut hands = [CardSet::EMPTY; MAX_SEATS];
    hands[1] = set("y1 y2");
    let points = Points::new(2, [4, -1, 0, 0, 0, 0]);
    for (event, en, de) in [
        (
            Event::RoundBegan { round: 0, dealer: seat },
            "Round 1: seat 2 deals, and everyone hides two cards.",
            "Durchgang 1: Sitz 2 gibt, und alle verstecken zwei Karten.",
        ),
        (Event::Dealt { hand: set("r6 b3") }, "Your hand: red 6, blue 3.", "Deine Hand: rote 6, blaue 3."),
        (
            Event::YouHid { cards: pair("r6 b3") },
            "You hide red 6 and blue 3.",
            "Du versteckst die rote 6 und die blaue 3.",
        ),
        (Event::Hid { seat }, "Seat 2 hides two cards.", "Sitz 2 versteckt zwei Karten."),
        (
            Event::PilesOpened { tops: [card, super::card("b3")] },
            "The piles begin with red 6 on the left and blue 3 on the right.",
            "Die Stapel beginnen: links die rote 6, rechts die blaue 3.",
        ),
        (
            Event::TurnedOver { seat, card },
            "There is no gap: red 6 is turned over for seat 2.",
            "Es gibt keine Lücke: Für Sitz 2 wird die rote 6 aufgedeckt.",
        ),
        (
            Event::Laid { seat, card, pile },
            "Seat 2 lays red 6 on the left pile.",
            "Sitz 2 legt die rote 6 auf den linken Stapel.",
        ),
        (
            Event::Played { seat, card, pile, gap: true },
            "Gap! Seat 2 plays red 6 on the left pile.",
            "Lücke! Sitz 2 spielt die rote 6 auf den linken Stapel.",
        ),
        (
            Event::Played { seat, card, pile, gap: false },
            "Seat 2 plays red 6 on the left pile.",
            "Sitz 2 spielt die rote 6 auf den linken Stapel.",
        ),
        (Event::YouPassed { card }, "You pass and take red 6.", "Du passt und nimmst die rote 6."),
        (Event::Passed { seat }, "Seat 2 passes and takes a card.", "Sitz 2 passt und nimmt eine Karte."),
        (
            Event::PassedWithoutCard { seat },
            "Seat 2 passes, and there is no card to take.",
            "Sitz 2 passt, und es gibt keine Karte zu nehmen.",
        ),
        (
            Event::Rebuilt { cards: set("r1 r2") },
            "The draw pile is rebuilt from 2 cards.",
            "Der Nachziehstapel wird aus 2 Karten erneuert.",
        ),
        (
            Event::Shown {
                shown: RevealedCards { winner: Some(super::seat(0)), hidden: set("r6 b3"), hands },
            },
            "Seat 0 has finished, with red 6 and blue 3 hidden; seat 1 holds yellow 1 and yellow 2.",
            "Sitz 0 hat fertig, versteckt waren die rote 6 und die blaue 3; Sitz 1 hat noch die gelbe 1 und die gelbe 2.",
        ),
        (
            Event::Shown { shown: RevealedCards { winner: None, hidden: CardSet::EMPTY, hands } },
            "Nobody has finished; seat 1 holds yellow 1 and yellow 2.",
            "Niemand hat fertig; Sitz 1 hat noch die gelbe 1 und die gelbe 2.",
        ),
        (
            Event::RoundScored { round: 1, points },
            "Round 2: seat 0 scores 4, seat 1 scores -1.",
            "Durchgang 2: Sitz 0 bekommt 4, Sitz 1 bekommt -1.",
        ),
        (
            Event::Ended { outcome: Outcome::from_points(2, [4, -1, 0, 0, 0, 0]) },
            "The game is over. Seat 0 comes 1st with 4 points. Seat 1 comes 2nd with -1 point.",
            "Das Spiel ist zu Ende. Sitz 0 belegt Platz 1 mit 4 Punkten. Sitz 1 belegt Platz 2 mit -1 Punkt.",
        ),
    ] {
        assert_localised(&event, en, de);
    }
}

#[test]
fn events_address_their_reader() {
    let (seat, card, pile) = (seat(2), card("r6"), Pile::Left);
    let mut hands = [CardSet::EMPTY; MAX_SEATS];
    hands[2] = set("y1");
    for (event, en, de) in [
        (
            Event::RoundBegan { round: 0, dealer: seat },
            "Round 1: you deal, and everyone hides two cards.",
            "Durchgang 1: du gibst, und alle verstecken zwei Karten.",
        ),
        (
            Event::TurnedOver { seat, card },
            "There is no gap: red 6 is turned over for you.",
            "Es gibt keine Lücke: Für dich wird die rote 6 aufgedeckt.",
        ),
        (
            Event::Laid { seat, card, pile },
            "You lay red 6 on the left pile.",
            "Du legst die rote 6 auf den linken Stapel.",
        ),
        (
            Event::Played { seat, card, pile, gap: true },
            "Gap! You play red 6 on the left pile.",
            "Lücke! Du spielst die rote 6 auf den linken Stapel.",
        ),
        (
            Event::PassedWithoutCard { seat },
            "You pass, and there is no card to take.",
            "Du passt, und es gibt keine Karte zu nehmen.",
        ),
        (
            Event::Rebuilt { cards: set("r1") },
            "The draw pile is rebuilt from 1 card.",
            "Der Nachziehstapel wird aus 1 Karte erneuert.",
        ),
        (
            Event::Shown {
                shown: RevealedCards { winner: Some(super::seat(0)), hidden: set("r6 b3"), hands },
            },
            "Seat 0 has finished, with red 6 and blue 3 hidden; you hold yellow 1.",
            "Sitz 0 hat fertig, versteckt waren die rote 6 und die blaue 3; du hast noch die gelbe 1.",
        ),
        (
            Event::Shown {
                shown: RevealedCards {
                    winner: Some(seat),
                    hidden: set("r6 b3"),
                    hands: [CardSet::EMPTY; MAX_SEATS],
                },
            },
            "You have finished, with red 6 and blue 3 hidden.",
            "Du hast fertig, versteckt waren die rote 6 und die blaue 3.",
        ),
    ] {
        assert_addressed(&event, seat, en, de);
    }
}

#[test]
fn questions_fit_the_decision() {
    let question = |game: &HabeFertig, viewer: Viewer| {
        Lang::ALL.map(|lang| {
            let mut out = TextBuilder::new(lang, viewer);
            HabeFertig::write_question(&game.view(viewer), &mut out);
            out.finish().to_string()
        })
    };
    let hiding = Table::deal(&["", ""], "").game;
    assert_eq!(question(&hiding, viewer(1)), ["Hide two cards.", "Verstecke zwei Karten."]);
    assert_eq!(question(&hiding, Viewer::Spectator), ["", ""]);
    let mut table = Table::position("r4 b9", "g1", &["y6 e1", "b8"]);
    assert_eq!(question(&table.game, viewer(0)), ["Play a card, or pass.", "Spiele eine Karte oder passe."]);
    assert_eq!(question(&table.game, viewer(1)), ["", ""]);
    table.game.phase = Phase::Laying { turned: card("g1") };
    let asked = [
        "There is no gap: lay green 1 on a pile.",
        "Es gibt keine Lücke: Lege die grüne 1 auf einen Stapel.",
    ];
    assert_eq!(question(&table.game, viewer(0)), asked);
}

#[test]
fn views_are_localised() {
    let mut table =
        Table::position("r4 b9", "p1", &["y6 b8", "p3"]).with_buried("g1 g2 g3").with_rebuilds(&["g1 g2 g3"]);
    table.play(0, "pass").play(1, "pass").play(0, "pass").play(1, "r5 left");
    assert_localised(
        &table.game.view(viewer(1)),
        "Habe fertig, seen by seat 1
Round 1, turn 125, seat 0: play or pass
Piles: red 5, blue 9; under them: red 4. Draw pile: 1
Seat 0: 4 cards, total 0
Seat 1: 54 cards, total 0
Hand: HAND. Hidden: grey 8, grey 9
Unseen, dealt (draw pile 0, hidden 2, seat 0 3): yellow 6, blue 8, purple 1, grey 10, grey 11
Unseen, from rebuilt draw pile 1 (draw pile 1, hidden 0, seat 0 1): green 2, green 3
"
        .replace("HAND", &table.hand(1).in_lang(Lang::En).to_string())
        .as_str(),
        "Habe fertig, gesehen von Sitz 1
Durchgang 1, Zug 125, Sitz 0: spielen oder passen
Stapel: rote 5, blaue 9; darunter: rote 4. Nachziehstapel: 1
Sitz 0: 4 Karten, gesamt 0
Sitz 1: 54 Karten, gesamt 0
Hand: HAND. Versteckt: graue 8, graue 9
Ungesehen, ausgeteilt (Nachziehstapel 0, versteckt 2, Sitz 0 3): gelbe 6, blaue 8, lila 1, graue 10, graue 11
Ungesehen, aus dem 1. erneuerten Nachziehstapel (Nachziehstapel 1, versteckt 0, Sitz 0 1): grüne 2, grüne 3
"
        .replace("HAND", &table.hand(1).in_lang(Lang::De).to_string())
        .as_str(),
    );
}

#[test]
fn phases_are_localised() {
    let waiting = [seat(0), seat(2)].into_iter().collect();
    assert_localised(
        &Phase::Hiding { waiting },
        "still to hide two cards: seat 0, seat 2",
        "zwei Karten zu verstecken haben noch: Sitz 0, Sitz 2",
    );
    assert_localised(
        &Phase::Laying { turned: card("r6") },
        "turned over, to be laid: red 6",
        "aufgedeckt und zu legen: rote 6",
    );
    assert_localised(&Phase::Moving, "play or pass", "spielen oder passen");
    let table = Table::deal(&["", ""], "");
    let view = table.game.view(Viewer::Spectator).to_string();
    let lines: Vec<&str> = view.lines().collect();
    assert_eq!(
        lines[..5],
        [
            "Habe fertig, seen by a spectator",
            "Round 1, still to hide two cards: seat 0, seat 1",
            "Piles: -; under them: -. Draw pile: 42",
            "Seat 0: 12 cards, total 0",
            "Seat 1: 12 cards, total 0",
        ]
    );
    assert!(lines[5].starts_with("Unseen, dealt (draw pile 42, hidden 0, seat 0 12, seat 1 12): red 1, "));
    assert_eq!(lines.len(), 6);
}

#[test]
fn final_view_is_localised() {
    let mut table = Table::position("r4 b9", "g1", &["y6", "b8"]).in_last_round(&[1, -2]);
    table.play(1, "b8 right");
    let view = table.game.view(Viewer::Spectator).to_string();
    let lines: Vec<&str> = view.lines().collect();
    assert_eq!(
        lines[1],
        "The game is over. Seat 1 comes 1st with 2 points. Seat 0 comes 2nd with -3 points."
    );
    assert_eq!(lines[5], "Seat 1 has finished, with grey 8 and grey 9 hidden; seat 0 holds yellow 6.");
    assert_eq!(lines.len(), 6);
}
