//! Views, and game states sampled from them.

use std::collections::HashMap;

use super::*;
use crate::test_support::{assert_events_reproduce_views, test_rng};

pub(super) fn view(game: &Gap, number: u8) -> View {
    game.view(Viewer::Seat(seat(number)))
}

#[test]
fn view_shows_own_hand_middle_and_collected_cards() {
    let hands = ["b4 b9", "g7", "p7 p8"];
    let mut game = table(3, &hands, "b3 g5 y8 y9", "y0 y1");
    play(&mut game, "b4<b3>g5");
    play(&mut game, "g7>y8");
    game.totals = [3, -1, 9, 0, 0, 0];
    let expected = View {
        viewer: Viewer::Seat(seat(1)),
        players: 3,
        options: Options::default(),
        round: 0,
        extra: false,
        start: seat(0),
        turn: seat(2),
        hand: game.hands[1],
        hand_sizes: [5, 5, 6, 0, 0, 0],
        middle: game.middle,
        stack: 15,
        collected: ["b3 b4 g5", "g7 y8", "", "", "", ""].map(cards),
        totals: [3, -1, 9, 0, 0, 0],
        best: [None; MAX_SEATS],
        outcome: None,
    };
    assert_eq!(view(&game, 1), expected);
    assert_eq!(expected.hand.len(), 5);
    assert_eq!(Seat::all(3).map(|seat| expected.round_points(seat)).collect::<Vec<_>>(), [2 - 1, 1 + 1, 0]);
    let unseen = game.hands[0] | game.hands[2] | game.stack.iter().copied().collect();
    assert_eq!((expected.unseen(), unseen.len()), (unseen, 26));
    let spectator = View { viewer: Viewer::Spectator, hand: CardSet::EMPTY, ..expected };
    assert_eq!(game.view(Viewer::Spectator), spectator);
    assert_eq!(view(&game, 3), spectator, "a seat that is not there sees what a spectator sees");
}

/// A view near the end of a round of two: one card in each hand, three in the stack.
pub(super) fn near_the_end() -> View {
    let mut view = view(&table(2, &[], "", ""), 0);
    view.hand = cards("b0");
    view.hand_sizes = [1, 1, 0, 0, 0, 0];
    view.middle = cards("b2 b4 b6 b8");
    view.stack = 3;
    let unseen = cards("y0 y2 y4 y6");
    let gone: Vec<Card> = (card::deck(2) - view.hand - view.middle - unseen).into_iter().collect();
    view.collected[0] = gone[..12].iter().copied().collect();
    view.collected[1] = gone[12..].iter().copied().collect();
    assert_eq!(view.unseen(), unseen);
    view
}

#[test]
fn samples_are_uniform_over_consistent_deals() {
    let mut rng = test_rng("gap::samples_are_uniform");
    let view = near_the_end();
    let mut counts = HashMap::new();
    for _ in 0..12_000 {
        let world = Gap::sample(&view, &mut rng).expect("a possible view");
        let stack: Vec<Card> = world.stack.into_iter().collect();
        *counts.entry((format_cards(world.hands[1]), stack)).or_insert(0) += 1;
    }
    // 24 orders of four cards: 500 samples each, plus or minus five and a half standard deviations.
    assert_eq!(counts.len(), 24, "{counts:?}");
    assert!(counts.values().all(|count| (380..=620).contains(count)), "{counts:?}");
}

#[test]
fn samples_reproduce_the_view_with_fresh_chance() {
    let mut rng = test_rng("gap::samples_reproduce_the_view");
    let view = near_the_end();
    let [one, other] = [0; 2].map(|_| Gap::sample(&view, &mut rng).expect("a possible view"));
    assert_eq!((one.view(view.viewer), other.view(view.viewer)), (view, view));
    assert_ne!(one.chance, other.chance);
}

/// Two full rounds: applying the events a viewer receives reproduces the view of the game.
#[test]
fn events_reproduce_views() {
    for players in 2..=6 {
        let options = Options { length: Length::Rounds(2) };
        let mut game = table_with(options, players, &[], "", "", &mut NoEvents);
        while let Some(seat) = game.to_act().first() {
            let (before, mut events) = (game.clone(), Vec::new());
            let action = game.default_action(seat).expect("an action");
            game.apply(seat, action, &mut events).expect("a legal action");
            assert_events_reproduce_views(&before, &game, &events, &format!("{players} players"));
        }
    }
}
