//! Turns: missing gap, gap, match, pass; and rebuilding the draw pile.

use super::*;

/// The worked example: tops red 4 and blue 9.
#[test]
fn cards_fit_into_the_gap_or_match_a_top() {
    let table = Table::position("r4 b9", "g1 g2", &["y6 b8 y4 y10", "g3"]);
    table.assert_legal(0, "y4 left, y6 left, y6 right, b8 right, pass");
    let gap = table.game.view(Viewer::Seat(seat(0))).into_gap();
    assert_eq!(
        ["y6", "b8", "r5", "y9", "e5"].map(|c| gap.contains(card(c))),
        [true, false, false, false, true]
    );
    table.assert_refused(0, "y4 right", "habe_fertig.other_pile");
    table.assert_refused(0, "b8 left", "habe_fertig.other_pile");
    table.assert_refused(0, "y10 left", "habe_fertig.does_not_fit");
    table.assert_refused(0, "y10 right", "habe_fertig.does_not_fit");
    table.assert_refused(0, "g3 left", "not_in_hand");
    table.assert_refused(0, "lay left", "habe_fertig.nothing_to_lay");
    table.assert_refused(1, "pass", "not_asked");
    table.assert_refused(2, "pass", "no_such_seat");
    assert!(table.legal(1).is_empty() && table.legal(5).is_empty());

    for (pile, tops) in [("left", ["y6", "b9"]), ("right", ["r4", "y6"])] {
        let mut table = table.clone();
        table.play(0, &format!("y6 {pile}"));
        assert_eq!(table.tops(), tops.map(card));
        assert_eq!(table.game.to_act(), Seats::only(seat(0)), "moves again");
        assert_eq!(table.take_events(), [format!("all: Gap! Seat 0 plays yellow 6 on the {pile} pile.")]);
    }
    for (matching, tops) in [("b8 right", ["r4", "b8"]), ("y4 left", ["y4", "b9"])] {
        let mut table = table.clone();
        let turns = table.game.turns;
        table.play(0, matching);
        assert_eq!(table.tops(), tops.map(card));
        assert_eq!((table.game.turn, table.game.turns), (seat(1), turns + 1), "the turn is over");
    }
}

/// The legal actions for these tops and hands.
#[test]
fn legal_actions_for_tops_and_hands() {
    for (tops, hand, expected) in [
        // The gap is strictly between the tops; a difference of two is a gap.
        ("r4 b6", "y3 y5 y7", "y5 left, y5 right, pass"),
        ("b6 r4", "y3 y5 y7", "y5 left, y5 right, pass"),
        ("r4 b5", "y3 g7", "pass"),
        ("r1 b11", "y1 y2 y10 y11", "y1 left, y2 left, y2 right, y10 left, y10 right, y11 right, pass"),
        // A card in the gap with the colour of a top can only match.
        ("r4 b9", "r6 b6", "r6 left, b6 right, pass"),
        ("r4 r9", "r6 y6", "r6 left, r6 right, y6 left, y6 right, pass"),
        // A card that matches both tops may go on either.
        ("r4 b9", "r9 b4", "r9 left, r9 right, b4 left, b4 right, pass"),
        ("r4 b4", "y4 e4", "y4 left, y4 right, e4 left, e4 right, pass"),
        // Passing is always allowed.
        ("r4 b9", "g1", "pass"),
    ] {
        let table = Table::position(tops, "p1 p2", &[hand, "g11"]);
        table.assert_legal(0, expected);
        assert_eq!(table.game.default_action(seat(0)), Some(Action::Pass));
        assert_eq!(table.game.default_action(seat(1)), None);
    }
}

/// The worked example: a perfect turn, and the other placement of the grey 4.
#[test]
fn gap_cards_give_extra_moves() {
    let start = Table::position("e10 r3", "g1 g2", &["b7 e4 r6 r2 y8", "g3"]);
    let mut table = start.clone();
    table.play(0, "b7 left").play(0, "e4 right").play(0, "r6 left");
    assert_eq!(table.tops(), [card("r6"), card("e4")]);
    assert_eq!(table.game.turn, seat(0));
    table.play(0, "r2 left");
    assert_eq!((table.tops(), table.game.turn), ([card("r2"), card("e4")], seat(1)));

    let mut table = start;
    table.play(0, "b7 left").play(0, "e4 left");
    assert_eq!(table.tops(), [card("e4"), card("r3")]);
    // No card is turned over before an extra move.
    assert_eq!((table.game.turn, table.game.phase), (seat(0), Phase::Moving));
    table.assert_legal(0, "r2 right, r6 right, pass");
}

/// The worked example: tops 5 and 4. The player chooses the pile, and everyone sees the card.
#[test]
fn turn_without_a_gap_turns_a_card_over() {
    for played in ["r5", "r4", "r3"] {
        let mut table = Table::position("r8 b4", "g9 g2 g3", &[&format!("{played} y1"), "b1 g7"]);
        table.play(0, &format!("{played} left"));
        let turned = card("g9");
        assert_eq!(table.game.phase, Phase::Laying { turned }, "{played} and b4");
        assert_eq!(
            table.events.last(),
            Some(&(Audience::Everyone, Event::TurnedOver { seat: seat(1), card: turned }))
        );
        table.assert_legal(1, "lay left, lay right");
        assert_eq!(table.game.default_action(seat(1)), Some(action("lay left")));
        for wrong in ["pass", "b1 right", "g7 left"] {
            table.assert_refused(1, wrong, "habe_fertig.lay_first");
        }
        table.assert_refused(0, "lay left", "not_asked");
        for (pile, at) in [("left", 0), ("right", 1)] {
            let mut table = table.clone();
            table.take_events();
            table.play(1, &format!("lay {pile}"));
            assert_eq!(table.tops()[at], turned);
            assert_eq!(table.take_events(), [format!("all: Seat 1 lays green 9 on the {pile} pile.")]);
            assert_eq!((table.game.turn, table.game.phase), (seat(1), Phase::Moving));
            assert_eq!(table.game.draw.len(), 2);
        }
    }
    let mut table = Table::position("r8 b4", "g9", &["r6 y1", "b1"]);
    table.play(0, "r6 left");
    assert_eq!(table.game.phase, Phase::Moving, "6 and 4 are a gap");
}

/// "Once a turn at most; if there is still no gap, the turn goes on anyway."
#[test]
fn at_most_one_card_is_turned_over_per_turn() {
    let mut table = Table::position("r8 b4", "g3 g2 g1", &["r5 y1", "b5 b1 p9"]);
    table.play(0, "r5 left").play(1, "lay left");
    assert_eq!((table.tops(), table.game.phase), ([card("g3"), card("b4")], Phase::Moving));
    table.assert_legal(1, "b1 right, b5 right, pass");
    table.play(1, "pass");
    let turned = card("g1");
    assert_eq!(table.game.phase, Phase::Laying { turned }, "the next turn has its own");
}

/// "Pass: take the top card of the draw pile. The turn is over." Only the player sees the card.
#[test]
fn pass_takes_a_card_and_ends_the_turn() {
    let mut table = Table::position("r4 b9", "g1 g2 g3", &["y6", "p3", "p6"]);
    table.play(0, "pass").play(1, "pass");
    assert_eq!(
        table.take_events(),
        [
            "0: You pass and take green 1.",
            "not 0: Seat 0 passes and takes a card.",
            "1: You pass and take green 2.",
            "not 1: Seat 1 passes and takes a card."
        ]
    );
    assert_eq!([table.hand(0), table.hand(1)], [set("y6 g1"), set("p3 g2")]);
    assert_eq!((table.game.turn, table.game.turns), (seat(2), 182));
    // Also as an extra move.
    let mut table = Table::position("r4 b9", "g1 g2", &["y6 y1", "p3"]);
    table.play(0, "y6 left").play(0, "pass");
    assert_eq!((table.hand(0), table.game.turn), (set("g1 y1"), seat(1)));
    table.play(1, "pass");
    assert_eq!(table.game.turn, seat(0), "clockwise, and round the table");
}

/// An action that leaves the draw pile empty reshuffles everything but the two tops.
#[test]
fn draw_pile_is_rebuilt_after_a_pass() {
    let mut table =
        Table::position("r4 b9", "g1", &["y6 y1", "p3"]).with_buried("r1 r2 r3").with_rebuilds(&["r2 r3 r1"]);
    table.play(0, "pass");
    assert_eq!(
        table.take_events(),
        [
            "0: You pass and take green 1.",
            "not 0: Seat 0 passes and takes a card.",
            "all: The draw pile is rebuilt from 3 cards."
        ]
    );
    assert_eq!(table.game.draw[..], list("r1 r3 r2")[..], "the next card is the last one");
    assert_eq!((table.tops(), table.game.buried), ([card("r4"), card("b9")], CardSet::EMPTY));
    assert_eq!(table.game.rebuilds, 1);
    // The next rebuild has a shuffle of its own.
    table.play(1, "r5 left").play(0, "pass").play(1, "pass");
    let mut table = table.with_rebuilds(&["", "r4 b9"]);
    table.events.clear();
    table.play(0, "y6 left").play(0, "pass");
    assert_eq!(table.events.last(), Some(&(Audience::Everyone, Event::Rebuilt { cards: set("r4 r5") })));
    assert_eq!((table.game.rebuilds, table.game.draw[..].to_vec()), (2, list("r5 r4")));
}

#[test]
fn draw_pile_with_cards_is_not_rebuilt() {
    let mut table = Table::position("r4 b9", "g1 g2", &["y6 y1", "p3"]).with_buried("r1 r2 r3");
    table.play(0, "y6 left").play(0, "pass");
    assert_eq!((table.game.rebuilds, table.game.draw.len()), (0, 1));
    assert_eq!(table.game.buried, set("r1 r2 r3 r4"));
}

/// With an empty draw pile that cannot be rebuilt, no card is turned over or taken, until the next card is
/// played.
#[test]
fn empty_draw_pile_without_buried_cards_stays_empty() {
    let mut table = Table::position("r4 b5", "g1", &["y6 y1 r7 y5 y9", "p3"]).with_buried("");
    table.play(0, "pass");
    assert_eq!(
        (table.game.rebuilds, table.game.phase),
        (0, Phase::Moving),
        "no gap, and nothing to turn over"
    );
    table.take_events();
    table.play(1, "pass");
    assert_eq!(table.take_events(), ["all: Seat 1 passes, and there is no card to take."]);
    assert_eq!((table.game.turn, table.game.dry_passes, table.game.phase), (seat(0), 1, Phase::Moving));
    table.play(0, "r7 left");
    assert_eq!(
        table.take_events(),
        ["all: Seat 0 plays red 7 on the left pile.", "all: The draw pile is rebuilt from 1 card."]
    );
    assert_eq!((table.game.dry_passes, &table.game.draw[..]), (0, &list("r4")[..]));
    // The extra move after a card in the gap can take the card that it covered.
    let mut table = Table::position("r4 b9", "", &["y6 y1", "p3"]).with_buried("");
    table.play(0, "y6 left").play(0, "pass");
    assert_eq!((table.hand(0), table.game.turn), (set("y1 r4"), seat(1)));
}

/// "If the card turned over was the last one, the pile is rebuilt only after that card has been laid."
#[test]
fn draw_pile_is_rebuilt_after_the_turned_over_card_is_laid() {
    let mut table = Table::position("r8 b4", "g9", &["r5 y1", "p3"]).with_buried("r1 r2");
    table.play(0, "r5 left");
    assert_eq!((table.game.draw.len(), table.game.rebuilds), (0, 0));
    assert_eq!(table.game.buried, set("r1 r2 r8"));
    table.take_events();
    table.play(1, "lay left");
    assert_eq!(
        table.take_events(),
        ["all: Seat 1 lays green 9 on the left pile.", "all: The draw pile is rebuilt from 4 cards."]
    );
    assert_eq!(table.game.draw.iter().copied().collect::<CardSet<Card>>(), set("r1 r2 r8 r5"));
    assert_eq!((table.tops(), table.game.buried), ([card("g9"), card("b4")], CardSet::EMPTY));
}
