//! EventSink: their contents, audiences and order.

use super::*;
use Audience::{Everyone, Only};

#[test]
fn deal_emits_the_middle_to_everyone_and_hands_to_their_owners() {
    let mut events = Vec::new();
    let hands = ["b0 b1 b2 b3 b4 b5", "g0 g1 g2 g3 g4 g5"];
    let options = Options::default();
    table_with(options, 2, &hands, "y0 y1 y2 y3", "", &mut events);
    let began = Event::RoundBegan { round: 0, start: seat(0), extra: false, middle: cards("y0 y1 y2 y3") };
    let dealt = |number: u8| {
        let hand = cards(hands[usize::from(number)]);
        (Only(seat(number)), Event::Dealt { hand })
    };
    assert_eq!(events, [(Everyone, began), dealt(0), dealt(1)]);
}

fn played(number: u8, what: &str, taken: &str) -> (Audience, Event) {
    let event = Event::Played { seat: seat(number), card: card(what), taken: cards(taken) };
    (Everyone, event)
}

fn filled(with: &str) -> (Audience, Event) {
    (Everyone, Event::Filled { cards: cards(with) })
}

#[test]
fn turn_emits_played_and_filled() {
    let mut game = table(3, &["b0", "b6", "b9"], "g9 p9 b1 y4", "p5 g6 y7 p8");
    assert_eq!(play(&mut game, "b0<p9>b1"), [played(0, "b0", "p9 b1"), filled("p5 g6")]);
    assert_eq!(play(&mut game, "b6"), [played(1, "b6", "g6"), filled("y7")]);
    assert_eq!(play(&mut game, "b9"), [played(2, "b9", "g9"), filled("p8")]);
}

#[test]
fn turn_emits_no_filled_event_without_new_cards() {
    let mut game = table(2, &["b6", "g5"], "b1 g1 y1 b3", "");
    assert_eq!(play(&mut game, "b6"), [played(0, "b6", "")]);
    game.stack.clear();
    assert_eq!(play(&mut game, "g5>b6"), [played(1, "g5", "b6")]);
}

/// Seat 1 of two plays the last card of a round, which takes two cards, so that the middle is refilled.
fn last_turn(length: Length, collected: [&str; 2]) -> (Gap, Vec<(Audience, Event)>) {
    let mut game = table_with(Options { length }, 2, &[], "", "", &mut NoEvents);
    game.collected[..2].copy_from_slice(&collected.map(cards));
    game.hands[..2].copy_from_slice(&["", "y4"].map(cards));
    game.middle = cards("g3 g5 b8 b9");
    game.stack = in_order("y0 y1 y2").into_iter().collect();
    game.turn = seat(1);
    let events = play(&mut game, "y4<g3>g5");
    (game, events)
}

fn scored(round: u16, points: [i32; 2]) -> (Audience, Event) {
    let points = Points::new(2, [points[0], points[1], 0, 0, 0, 0]);
    (Everyone, Event::RoundScored { round, points })
}

#[test]
fn round_end_emits_scores_and_the_next_deal() {
    // g3 g5 y4: 2 - 1 points.
    let (game, events) = last_turn(Target(30), ["b1 b2 b3 g1", ""]);
    let began = Event::RoundBegan { round: 1, start: seat(1), extra: false, middle: game.middle };
    let dealt = |number| {
        let hand = game.hands[seat(number).index()];
        (Only(seat(number)), Event::Dealt { hand })
    };
    let expected =
        [played(1, "y4", "g3 g5"), filled("y2 y1"), scored(0, [2, 1]), (Everyone, began), dealt(0), dealt(1)];
    assert_eq!(events, expected);
    assert_eq!((game.turn, game.hands[0].len(), game.stack.len()), (seat(1), 6, 14));
    assert_eq!(game.collected, [CardSet::EMPTY; MAX_SEATS]);
}

#[test]
fn game_end_emits_the_outcome() {
    let (game, events) = last_turn(Rounds(1), ["b1 b2 b3 g1", ""]);
    let outcome = game.outcome.expect("the game is over");
    let ended = (Everyone, Event::Ended { outcome });
    let expected = [played(1, "y4", "g3 g5"), filled("y2 y1"), scored(0, [2, 1]), ended];
    assert_eq!(events, expected);
    assert_eq!(outcome, Outcome::from_points(2, [2, 1, 0, 0, 0, 0]));
    assert_eq!(format_cards(game.collected[1]), "g3 g5 y4", "the last round stays on the table");
}

#[test]
fn extra_round_is_marked_in_its_event() {
    let (game, events) = last_turn(Rounds(1), ["b1", ""]);
    assert_eq!(events[2], scored(0, [1, 1]));
    let extra = matches!(events[3], (Everyone, Event::RoundBegan { round: 1, extra: true, .. }));
    assert!(extra && game.extra, "{:?}", events[3]);
}

use Length::{Rounds, Target};
