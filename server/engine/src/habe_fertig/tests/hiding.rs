//! Hiding: "Every player chooses any two of the twelve and lays them face down."

use super::*;

const HANDS: [&str; 2] = ["r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 y1", "b1 b2 b3 b4 b5 b6 b7 b8 b9 b10 b11 p1"];

#[test]
fn pair_is_unordered() {
    assert_eq!(pair("r6 r3"), pair("r3 r6"));
    assert_eq!((pair("r6 r3").low(), pair("r6 r3").high()), (card("r3"), card("r6")));
    assert_eq!(pair("r6 r3").cards(), set("r3 r6"));
    assert_eq!(Pair::new(card("r3"), card("r3")), None);
}

#[test]
fn any_two_cards_of_the_hand_can_be_hidden() {
    let table = Table::deal(&HANDS, "");
    let mut expected = Vec::new();
    let hand = list(HANDS[1]);
    for (place, low) in hand.iter().enumerate() {
        for high in &hand[place + 1..] {
            expected.push(Action::Hide(Pair::new(*low, *high).expect("two cards")));
        }
    }
    assert_eq!(expected.len(), 66);
    assert_eq!(table.legal(1), expected);
    assert_eq!(table.game.default_action(seat(1)), Some(action("hide b1 b2")), "the first of them");
    table.assert_refused(0, "hide r1 b1", "not_in_hand");
    table.assert_refused(0, "hide b1 b2", "not_in_hand");
}

#[test]
fn all_players_hide_simultaneously() {
    let mut table = Table::deal(&["", "", ""], "");
    assert_eq!(table.game.to_act(), Seats::all(3));
    for (number, waiting) in [(1, vec![0, 2]), (2, vec![0])] {
        let first = table.legal(number)[0];
        table.game.apply(seat(number), first, &mut table.events).expect("hiding");
        assert_eq!(table.game.to_act(), waiting.iter().map(|number| seat(*number)).collect());
        assert_eq!(table.game.view(Viewer::Spectator).phase, Phase::Hiding { waiting: table.game.to_act() });
        assert!(table.legal(number).is_empty());
        assert_eq!(table.game.default_action(seat(number)), None);
    }
    let hand: Vec<Card> = table.hand(1).into_iter().collect();
    let again = Action::Hide(Pair::new(hand[0], hand[1]).expect("two cards"));
    assert_eq!(table.game.apply(seat(1), again, &mut table.events), Err(Refusal::NOT_ASKED));
}

#[test]
fn others_see_who_has_hidden_but_not_the_cards() {
    let mut table = Table::deal(&HANDS, "");
    table.take_events();
    table.play(0, "hide r6 r3");
    assert_eq!(table.take_events(), ["0: You hide red 3 and red 6.", "not 0: Seat 0 hides two cards."]);
    for other in [viewer(1), Viewer::Spectator] {
        let view = table.game.view(other);
        assert_eq!(
            (view.hidden, view.hidden_of(seat(0)), view.hand_of(seat(0))),
            (CardSet::EMPTY, None, None)
        );
        assert_eq!((view.hand_sizes[0], view.hand_sizes[1]), (10, 12));
        assert!(view.unseen().contains_all(set(HANDS[0])));
    }
    let own = table.game.view(viewer(0));
    assert_eq!((own.hidden, own.hidden_of(seat(0))), (set("r3 r6"), Some(set("r3 r6"))));
    assert_eq!((own.hand, own.hand_of(seat(0))), (set(HANDS[0]) - set("r3 r6"), Some(own.hand)));
}

/// "Their owner's view goes on naming them", until the round ends.
#[test]
fn owners_view_keeps_showing_hidden_cards() {
    let mut table = Table::deal(&HANDS, "y2 y8 g1");
    table.play(0, "hide r6 r3").play(1, "hide b6 b5").play(0, "pass").play(1, "pass");
    assert_eq!(table.game.view(viewer(0)).hidden, set("r3 r6"));
    assert_eq!(table.game.view(viewer(1)).hidden, set("b5 b6"));
    assert_eq!(table.game.view(Viewer::Spectator).hidden, CardSet::EMPTY);
}

/// "The piles are turned up after everyone has hidden": left, then right; the remaining cards are the draw
/// pile.
#[test]
fn piles_open_after_everyone_has_hidden() {
    let mut table = Table::deal(&HANDS, "y8 y2 g1");
    table.play(1, "hide b6 b5");
    assert_eq!((table.game.tops, table.game.draw.len()), (None, 42));
    table.take_events();
    table.play(0, "hide r6 r3");
    assert_eq!(
        table.take_events(),
        [
            "0: You hide red 3 and red 6.",
            "not 0: Seat 0 hides two cards.",
            "all: The piles begin with yellow 8 on the left and yellow 2 on the right."
        ]
    );
    assert_eq!(table.tops(), [card("y8"), card("y2")]);
    assert_eq!((table.game.draw.len(), table.game.draw.last()), (40, Some(&card("g1"))));
    assert_eq!((table.game.to_act(), table.game.phase), (Seats::only(seat(0)), Phase::Moving));
}

/// "The seat left of the dealer begins"; its first turn turns a card over if there is no gap.
#[test]
fn first_turn_of_a_round_can_begin_without_a_gap() {
    let mut table = Table::deal(&HANDS, "y5 g4 p9 p8");
    table.hide_all();
    let turned = card("p9");
    assert_eq!(table.game.phase, Phase::Laying { turned });
    table.assert_legal(0, "lay left, lay right");
    assert_eq!(
        table.take_events()[7..],
        [
            "all: The piles begin with yellow 5 on the left and green 4 on the right.",
            "all: There is no gap: purple 9 is turned over for seat 0."
        ]
    );
}

#[test]
fn only_hiding_is_legal_before_the_round_and_never_after() {
    let mut table = Table::deal(&HANDS, "y8 y2");
    for wrong in ["pass", "lay left", "r1 left"] {
        table.assert_refused(0, wrong, "habe_fertig.hide_first");
    }
    table.hide_all();
    table.assert_refused(0, "hide r1 r2", "habe_fertig.hiding_is_over");
    table.assert_refused(1, "hide b1 b2", "not_asked");
    let mut table = Table::deal(&HANDS, "y8 y7");
    table.hide_all();
    table.assert_refused(0, "hide r1 r2", "habe_fertig.hiding_is_over");
}
