//! The end of a round: scoring, limits, revealed cards; and the end of the game.

use super::*;

/// The worked example: +6 for the winner's hidden cards, -7 for four cards with seven stars.
#[test]
fn only_the_winner_scores_positive_points() {
    for (last, tops) in [("b8 right", "r4 b9"), ("b6 left", "r4 y9")] {
        let card_played = &last[..2];
        let mut table = Table::position(tops, "g1 g2", &[card_played, "y6 y8 y10 y1", "p11"])
            .with_hidden(&["e6 e3", "p6 p5", "p7 p4"]);
        table.play(0, last);
        let texts = table.take_events();
        let mut expected = vec![
            "all: Seat 0 has finished, with grey 3 and grey 6 hidden; \
             seat 1 holds yellow 1, yellow 6, yellow 8 and yellow 10; seat 2 holds purple 11.",
            "all: Round 1: seat 0 scores 6, seat 1 scores -7, seat 2 scores 0.",
            "all: Round 2: seat 0 deals, and everyone hides two cards.",
        ];
        let gap = card_played == "b6";
        let played = if gap {
            "all: Gap! Seat 0 plays blue 6 on the left pile."
        } else {
            "all: Seat 0 plays blue 8 on the right pile."
        };
        expected.insert(0, played);
        assert_eq!(texts[..4], expected, "at once, by A or by B");
        assert_eq!(texts.len(), 7, "then each of three sees the new hand");
        assert_eq!(table.game.totals, [6, -7, 0, 0, 0, 0]);
    }
}

/// The last card ends the round: the draw pile is not rebuilt, and no card is turned over.
#[test]
fn last_card_ends_the_round_at_once() {
    let mut table = Table::position("r4 b5", "", &["r5", "p3"]).with_buried("r1");
    table.play(0, "r5 right");
    let names = table.take_events();
    assert!(
        names.iter().all(|event| !event.contains("rebuilt") && !event.contains("turned over")),
        "{names:?}"
    );
}

/// "When all players in a row pass without being able to take a card."
#[test]
fn round_ends_when_all_pass_without_a_card() {
    for players in 2..=4u8 {
        let mut hands = vec!["y6", "g5", "p3", "p6"];
        hands.truncate(players.into());
        let mut table = Table::position("r4 b9", "", &hands).with_buried("");
        let stars: Vec<i32> =
            (0..players).map(|number| super::super::card::stars(table.hand(number))).collect();
        for number in 0..players {
            assert_eq!((table.game.round, table.game.dry_passes), (0, number));
            table.play(number, "pass");
        }
        assert_eq!(table.game.round, 1, "{players}");
        let lost: Vec<i32> = table.game.totals[..players.into()].iter().map(|total| -total).collect();
        assert_eq!(lost, stars, "no player gains points");
        let texts = table.take_events();
        assert!(
            texts[usize::from(players)]
                .starts_with("all: Nobody has finished; seat 0 holds yellow 6; seat 1 holds ")
        );
    }
}

#[test]
fn playing_a_card_resets_the_dry_passes() {
    let mut table = Table::position("r4 b9", "", &["y6 y4 g1", "b1 p1", "p3"]).with_buried("");
    table.play(0, "pass").play(1, "b1 right");
    assert_eq!(table.game.dry_passes, 0);
    table.play(2, "pass").play(0, "pass").play(1, "pass");
    assert_eq!((table.game.round, table.game.dry_passes), (0, 2));
    table.play(2, "pass");
    assert_eq!(table.game.round, 1);
}

/// "At the end of that round's turn number 100 times the players (extra moves belong to their turn)."
#[test]
fn round_ends_after_100_turns_per_player() {
    for players in 2..=4u8 {
        let mut hands = vec!["y6 g1", "g6 p1 b1", "p6 y1 b2", "e6 e1 b3"];
        hands.truncate(players.into());
        let last = players - 1;
        let table = Table::position("r4 b9", "g2 g3 g4 g5", &hands).after_turns(100 * u16::from(players) - 2);
        for ending in ["pass", "match"] {
            let mut table = table.clone();
            table.play(last - 1, "pass");
            assert_eq!((table.game.round, table.game.turn), (0, seat(last)));
            let [into_gap, matching] =
                [["g6 left", "b1 right"], ["p6 left", "b2 right"], ["e6 left", "b3 right"]]
                    [usize::from(last) - 1];
            table.play(last, into_gap);
            assert_eq!(
                (table.game.round, table.game.turn),
                (0, seat(last)),
                "an extra move belongs to its turn"
            );
            table.play(last, if ending == "pass" { "pass" } else { matching });
            assert_eq!(table.game.round, 1);
            assert!(
                table
                    .take_events()
                    .iter()
                    .any(|event| event.starts_with("all: Nobody has finished; seat 0 holds "))
            );
            assert_eq!(table.game.totals[0], if players == 2 { -5 } else { -4 });
        }
    }
    // A player who finishes in the last turn wins the round.
    let mut table =
        Table::position("r4 b9", "g2", &["y6", "b1"]).after_turns(199).with_hidden(&["e1 e2", "e5 e6"]);
    table.play(1, "b1 right");
    assert_eq!(table.game.totals[..2], [-4, 7]);
}

#[test]
fn highest_total_wins_and_equal_totals_share_a_place() {
    for (totals, places) in
        [([3, 0, 9, 0], [2, 4, 1, 3]), ([9, 0, 9, 7], [1, 4, 1, 3]), ([4, 4, 4, 4], [2, 4, 2, 1])]
    {
        // Seat 3 begins and wins the last round, with one star hidden. Seat 1 loses four stars.
        let mut table = Table::position("r4 b9", "g1", &["y1", "y6", "y11", "b1"])
            .in_last_round(&totals)
            .with_hidden(&["e5 e6", "p5 p6", "p7 e7", "e10 e11"]);
        assert_eq!(table.game.turn, seat(3));
        table.play(3, "b1 right");
        let outcome = table.game.outcome().expect("the end");
        let expected = [totals[0], totals[1] - 4, totals[2], totals[3] + 1];
        let points: Vec<i32> = outcome.standings().map(|standing| standing.points).collect();
        assert_eq!(points, expected);
        let got: Vec<u8> = outcome.standings().map(|standing| standing.place).collect();
        assert_eq!(got, places, "{totals:?}");
        assert_eq!(table.events.last(), Some(&(Audience::Everyone, Event::Ended { outcome })));
        assert_eq!(table.game.to_act(), Seats::NONE);
        for number in 0..4 {
            table.assert_refused(number, "pass", "game_over");
            assert!(table.legal(number).is_empty());
            assert_eq!(table.game.default_action(seat(number)), None);
        }
        table.assert_refused(4, "pass", "no_such_seat");
    }
}

/// "The winner's hidden cards and all remaining hands are shown; the others' hidden cards are not."
#[test]
fn round_end_reveals_hands_and_the_winners_hidden_cards() {
    let mut table = Table::position("r4 b9", "g1", &["p1", "y6 y8", "b8"])
        .in_last_round(&[0, 0, 0])
        .with_hidden(&["p7 p4", "p6 p5", "e6 e3"]);
    assert_eq!((table.game.turn, table.game.view(viewer(1)).shown), (seat(2), None));
    table.play(2, "b8 right");
    let hands = ["p1", "y6 y8", "", "", "", ""].map(set);
    let shown = RevealedCards { winner: Some(seat(2)), hidden: set("e3 e6"), hands };
    for other in [viewer(0), viewer(1), Viewer::Spectator] {
        let view = table.game.view(other);
        assert_eq!(view.shown, Some(shown));
        assert_eq!(view.hand_of(seat(1)), Some(set("y6 y8")));
        assert_eq!(view.hidden_of(seat(2)), Some(set("e3 e6")));
        let owner = other == viewer(1);
        assert_eq!(view.hidden_of(seat(1)), owner.then(|| set("p5 p6")));
        assert_eq!(view.unseen().contains(card("p6")), !owner);
        assert!(!view.unseen().contains(card("y6")) && !view.unseen().contains(card("e3")));
        assert!(view.unseen().contains(card("g1")), "the draw pile is not shown");
    }
    // Without a winner, no hidden card is revealed.
    let mut table = Table::position("r4 b9", "", &["b8", "y6"]).with_buried("").in_last_round(&[0, 0]);
    table.play(1, "pass").play(0, "pass");
    let view = table.game.view(Viewer::Spectator);
    let shown = view.shown.expect("the end");
    assert_eq!((shown.winner, shown.hidden, shown.hands[0]), (None, CardSet::EMPTY, set("b8")));
    assert_eq!(view.unseen().len(), 4);
}
