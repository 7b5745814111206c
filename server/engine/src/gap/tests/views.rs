//! What a viewer knows, and worlds that agree with it.

use std::collections::HashMap;

use super::*;
use crate::conformance::test_rng;

pub(super) fn view(game: &Gap, number: u8) -> View {
    game.view(Viewer::Seat(seat(number)))
}

#[test]
fn a_player_sees_the_own_hand_the_middle_and_what_was_collected() {
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

/// A view near the end of a round of two: both have a last card, and the stack has three.
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
fn sampled_worlds_are_even_over_all_deals_that_agree() {
    let mut rng = test_rng("gap::sampled_worlds_are_even");
    let view = near_the_end();
    let mut counts = HashMap::new();
    for _ in 0..12_000 {
        let world = Gap::sample(&view, &mut rng).expect("a possible view");
        let stack: Vec<Card> = world.stack.into_iter().collect();
        *counts.entry((names(world.hands[1]), stack)).or_insert(0) += 1;
    }
    // Four cards in any order: 500 worlds each, give or take five standard deviations and a half.
    assert_eq!(counts.len(), 24, "{counts:?}");
    assert!(counts.values().all(|count| (380..=620).contains(count)), "{counts:?}");
}

#[test]
fn sampled_worlds_keep_what_is_known_and_have_a_future_of_their_own() {
    let mut rng = test_rng("gap::sampled_worlds_keep_what_is_known");
    let view = near_the_end();
    let [one, other] = [0; 2].map(|_| Gap::sample(&view, &mut rng).expect("a possible view"));
    assert_eq!((one.view(view.viewer), other.view(view.viewer)), (view, view));
    assert_ne!(one.chance, other.chance);
}

/// Two rounds, to the end: whoever follows what they are told knows what the game would show them.
#[test]
fn events_are_enough_to_follow_the_game() {
    for players in 2..=6 {
        let options = Options { length: Length::Rounds(2) };
        let mut game = table_with(options, players, &[], "", "", &mut NoEvents);
        let mut views: Vec<View> = Viewer::all(players).map(|viewer| game.view(viewer)).collect();
        while let Some(seat) = game.to_act().first() {
            let mut events = Vec::new();
            let action = game.default_action(seat).expect("an action");
            game.apply(seat, action, &mut events).expect("a legal action");
            for view in &mut views {
                let viewer = view.viewer;
                let told = events.iter().filter(|(to, _)| to.includes(viewer));
                told.for_each(|(_, event)| Gap::follow(view, event));
                assert_eq!(*view, game.view(viewer), "{players} players, after {events:?}");
            }
        }
    }
}
