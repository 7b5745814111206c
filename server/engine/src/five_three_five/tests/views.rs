//! Views, and game states sampled from them.

use super::*;
use crate::below;
use crate::conformance::assert_uniform;
use crate::test_support::test_rng;

/// A game with exactly these hands, these cards set aside (or, in the first half of two players, kept back),
/// and all other cards gone.
pub(super) fn endgame(hands: &[&str], rest: &str) -> FiveThreeFive {
    let mut game = dealt(Options::default(), &[&vec![""; hands.len()]]);
    game.rest = ranks(rest).into_iter().collect();
    for (hand, given) in game.hands.iter_mut().zip(hands) {
        *hand = cards(given);
    }
    let held =
        game.hands.iter().fold(game.rest.iter().copied().collect(), |sum: Ranks, hand| sum.plus(*hand));
    game.gone = Ranks::each(card::copies(game.players)).minus(held);
    game
}

/// Two players in the second half, led by seat 1.
pub(super) fn second_half(hands: [&str; 2], aside: &str) -> FiveThreeFive {
    let mut game = endgame(&hands, aside);
    game.hand_number = 1;
    (game.start, game.turn) = (seat(1), seat(1));
    game.totals[1] = -7;
    game
}

/// Four players: seat 1 has overwritten, seat 2 has passed, seat 3 is to act.
pub(super) fn in_a_field() -> FiveThreeFive {
    let mut game = endgame(&["1 5 13", "1 7 7 9", "2 4", "3 12 13"], "8 9 11 14");
    play(&mut game, "0 lead 5\n1 over 7\n2 pass");
    game
}

/// Three players at the end of the game, won by seat 1.
pub(super) fn at_the_end() -> FiveThreeFive {
    let mut game = endgame(&["1 5", "9", "8 14"], "1 2 3 4 5 7 8 9 11 12 13 14 15");
    game.totals[..3].copy_from_slice(&[-3, -16, -15]);
    (game.hand_number, game.start) = (4, seat(1));
    game.turn = seat(1);
    play(&mut game, "1 lead 9 -> ends");
    assert!(game.outcome.is_some());
    game
}

#[test]
fn view_of_a_field() {
    let game = in_a_field();
    let view = game.view(Viewer::Seat(seat(3)));
    let expected = View {
        viewer: Viewer::Seat(seat(3)),
        players: 4,
        options: Options::default(),
        hand_number: 0,
        start: seat(0),
        turn: seat(3),
        stack: Some(Stack { combination: combination("7"), by: seat(1) }),
        passed: Seats::only(seat(2)),
        hand: cards("3 12 13"),
        hand_sizes: [2, 3, 2, 3, 0, 0],
        gone: Ranks::each(4).minus(cards("1 13 1 7 7 9 2 4 3 12 13 8 9 11 14")),
        set_aside: 4,
        kept_back: 0,
        left: [Ranks::EMPTY; MAX_SEATS],
        totals: [0; MAX_SEATS],
        outcome: None,
    };
    assert_eq!(view, expected);
    assert_eq!(view.unseen(), cards("1 13 1 7 9 2 4 8 9 11 14"));
    assert!(!view.lead_is_due());
    let spectator = View { viewer: Viewer::Spectator, hand: Ranks::EMPTY, ..expected };
    assert_eq!(game.view(Viewer::Spectator), spectator);
    assert_eq!(game.view(Viewer::Seat(seat(4))), spectator, "a seat that is not there looks on");
    assert_eq!(game.view(Viewer::Seat(seat(2))).viewer, Viewer::Seat(seat(2)));
}

#[test]
fn view_at_the_end_reveals_hands_but_not_cards_set_aside() {
    let game = at_the_end();
    for viewer in Viewer::all(3) {
        let view = game.view(viewer);
        assert_eq!(view.left[..3], [cards("1 5"), Ranks::EMPTY, cards("8 14")]);
        assert_eq!(view.unseen(), Ranks::each(1), "the cards set aside");
        assert_eq!((view.lead_is_due(), view.stack.map(|stack| stack.by)), (false, Some(seat(1))));
        assert_eq!(view.totals[..3], [-6, -16, -22]);
    }
}

#[test]
fn events_reproduce_views_across_two_halves() {
    let mut game =
        endgame(&["1", "3 5"], "7 7 7 7 8 8 8 8 9 9 9 9 11 11 11 11 12 12 12 12 13 13 13 13 1 2 3 4");
    play(&mut game, "0 lead 1 -> ends");
    assert_eq!(
        game.hands[..2],
        [cards("7 7 7 7 8 8 8 8 9 9 9 9"), cards("11 11 11 11 12 12 12 12 13 13 13 13")]
    );
    assert_eq!(
        game.view(Viewer::Spectator).unseen(),
        cards("1 2 3 4").plus(game.hands[0]).plus(game.hands[1])
    );
    play(&mut game, "1 lead 11,11,11\n0 pass -> passed\n1 lead 11");
}

/// Independent of the previous state of the view.
#[test]
fn first_half_begins_with_no_cards_gone() {
    let mut view = second_half(["1 2", "3"], "4 5 7 9").view(Viewer::Spectator);
    assert!(!view.gone.is_empty());
    FiveThreeFive::apply_event(&mut view, &Event::HandBegan { hand_number: 0, start: seat(0) });
    assert_eq!((view.gone, view.unseen()), (Ranks::EMPTY, Ranks::each(4)));
}

/// A card with one unseen copy is equally likely in every place.
#[test]
fn samples_place_a_card_uniformly() {
    let mut rng = test_rng("five_three_five: samples_place_a_card_uniformly");
    let view = in_a_field().view(Viewer::Seat(seat(3)));
    let places = (0..22_000).map(|_| {
        let world = view.sample(&mut rng).expect("a possible view");
        assert_eq!(world.hands[3], cards("3 12 13"));
        let holder = (0..3).find(|i| world.hands[*i].contains(rank(2)));
        // Hands of 2, 3 and 2 cards and 4 cards set aside: each card of a hand is a place.
        let size = view.hand_sizes[holder.unwrap_or(0)];
        let place = holder.map(|_| below(size.into(), &mut rng));
        (holder, place, world.rest.iter().position(|card| *card == rank(2)))
    });
    assert_uniform(11, places);
}

#[test]
fn samples_are_uniform_in_the_second_half() {
    let mut rng = test_rng("five_three_five: samples_are_uniform_in_the_second_half");
    let view = second_half(["1", "2 3"], "4 5 7 9").view(Viewer::Seat(seat(0)));
    let deals = (0..6_000).map(|_| {
        let world = view.sample(&mut rng).expect("a possible view");
        assert_eq!(world.view(Viewer::Seat(seat(0))), view);
        world.hands[1]
    });
    assert_uniform(15, deals);
    // The two 4s are distinct cards: together twice as likely as any other card.
    let view = second_half(["1", "4"], "4 5 7 9").view(Viewer::Seat(seat(0)));
    let mut other = false;
    let deals = (0..5_000).map(|_| {
        let world = view.sample(&mut rng).expect("a possible view");
        other ^= world.hands[1] == cards("4");
        (world.hands[1], other && world.hands[1] == cards("4"))
    });
    assert_uniform(5, deals);
}

/// Cards kept back are as hidden as cards set aside.
#[test]
fn samples_are_uniform_in_the_first_half() {
    let mut rng = test_rng("five_three_five: samples_are_uniform_in_the_first_half");
    let rest = "2 3 3 3 3 4 4 4 4 5 5 5 5 7 7 7 7 8 8 8 9 9 9 9 11 11 11 11";
    let view = endgame(&["1", "8"], rest).view(Viewer::Seat(seat(0)));
    assert_eq!((view.kept_back, view.set_aside), (24, 4));
    let places = (0..29_000).map(|_| {
        let world = view.sample(&mut rng).expect("a possible view");
        world.rest.iter().position(|card| *card == rank(2))
    });
    assert_uniform(29, places);
}

#[test]
fn samples_have_fresh_chance() {
    let game = in_a_field();
    let view = game.view(Viewer::Spectator);
    let mut rng = test_rng("five_three_five: samples_have_fresh_chance");
    let chances = [(); 2].map(|()| view.sample(&mut rng).expect("a possible view").chance);
    assert!(chances[0] != chances[1] && chances[0] != game.chance);
}

/// No event causes a panic for any view; seats and cards in events are not validated.
#[test]
fn events_on_an_invalid_view_do_not_panic() {
    let mut view = in_a_field().view(Viewer::Seat(seat(3)));
    view.players = 255;
    view.hand_sizes = [0; MAX_SEATS];
    view.totals = [i32::MIN; MAX_SEATS];
    for players in [0, 1, 6, 7, 255] {
        view.players = players;
        for by in (0..6).map(seat) {
            for event in [
                Event::Passed { seat: by },
                Event::Laid {
                    seat: by,
                    play: PlayKind::Overwrite,
                    cards: Ranks::each(5),
                    combination: combination("5"),
                },
                Event::Flushed { by, reason: FlushReason::Full },
                Event::HandScored {
                    hand_number: u16::MAX,
                    left: [Ranks::each(5); MAX_SEATS],
                    points: Points::new(6, [-1; MAX_SEATS]),
                },
                Event::HandBegan { hand_number: u16::MAX, start: by },
            ] {
                FiveThreeFive::apply_event(&mut view, &event);
                assert!(view.turn.index() < MAX_SEATS);
                assert!(
                    view.sample(&mut test_rng("five_three_five: events_on_an_invalid_view_do_not_panic"))
                        .is_err()
                        || players == 6
                );
                let _ = view.to_string();
            }
        }
    }
}
