//! How good an action of GAP looks.
//!
//! A round counts the largest colours less the smallest ones, so what matters about a card taken is whether its colour
//! is to be a large one. An action is rated by three things:
//!
//! - what one's own collection is worth after it: its points if the round ended now, and a part of what it promises as
//!   long as there are turns left: a large colour grows, and a gap between large and small ones widens;
//! - what the collection of the next player could gain from the middle that is left.
//!
//! A card that takes nothing joins the middle and leaves the collection as it is, which is often better than to make a
//! small colour larger.

use parlor_engine::gap::{Action, Card, Colour, Event, Gap, View};
use parlor_engine::{CardSet, Points, Seat, Viewer};

use crate::Rated;

impl Rated for Gap {
    const HORIZON: u32 = 64;
    const DOUBT: f32 = 1.5;

    fn viewer(view: &View) -> Viewer {
        view.viewer
    }

    fn rate(view: &View, seat: Seat, legal: &[Action], ratings: &mut Vec<f32>) {
        ratings.clear();
        let counts = counts(view.collected[seat.index()]);
        let next = seat.left(view.players);
        let turns = view.hand_sizes[seat.index()].saturating_sub(1);
        let others = self::counts(view.collected[next.index()]);
        let others_turns = view.hand_sizes[next.index()];
        ratings.extend(legal.iter().map(|action| {
            let taken = taken(view.middle, *action);
            let (gained, left) = if taken.is_empty() {
                (counts, view.middle.with(action.card))
            } else {
                (add(counts, taken.with(action.card)), view.middle - taken)
            };
            let own = worth(gained, turns);
            let threat = if others_turns > 0 {
                threat(others, others_turns, left)
            } else {
                0.0
            };
            own - THREAT * threat
        }));
    }

    fn points(event: &Event) -> Option<Points> {
        match event {
            Event::RoundScored { points, .. } => Some(*points),
            _ => None,
        }
    }

    fn ends_round(event: &Event) -> bool {
        matches!(event, Event::RoundScored { .. })
    }

    fn is_unseen(_: &Action) -> bool {
        false
    }
}

/// How much of what the next player might gain counts against an action.
const THREAT: f32 = 0.6;

/// What a promise is worth for each turn left.
const PROMISE: f32 = 0.7;

/// What a card of a small colour takes from the promise.
const SMALL: f32 = 0.3;

/// How many cards of each colour.
type Counts = [i32; 5];

fn counts(cards: CardSet<Card>) -> Counts {
    Colour::ALL.map(|colour| i32::from((cards & colour.cards()).len()))
}

fn add(mut counts: Counts, cards: CardSet<Card>) -> Counts {
    for card in cards {
        counts[card.colour() as usize] += 1;
    }
    counts
}

/// What an action takes from the middle: all equals, or the neighbours it names.
fn taken(middle: CardSet<Card>, action: Action) -> CardSet<Card> {
    let equals: CardSet<Card> = middle
        .into_iter()
        .filter(|card| card.number() == action.card.number())
        .collect();
    if equals.is_empty() {
        action.lower.into_iter().chain(action.higher).collect()
    } else {
        equals
    }
}

/// The points of a collection, as the rules count them.
fn points(counts: Counts) -> i32 {
    let having = |count: i32| counts.iter().filter(|c| **c == count).count() as i32;
    let largest = counts.into_iter().max().unwrap_or(0);
    let smallest = counts.into_iter().filter(|count| *count > 0).min().unwrap_or(0);
    let minus = if smallest == largest {
        0
    } else {
        smallest * having(smallest)
    };
    largest * having(largest) - minus
}

/// The points of a collection, and what it promises: the two largest colours grow, and may become equal and count
/// both; the others count against it only as far as they are smallest in the end.
fn worth(counts: Counts, turns: u8) -> f32 {
    let mut sorted = counts;
    sorted.sort_unstable();
    let [a, b, c, second, largest] = sorted.map(|count| count as f32);
    let promise = largest + second - SMALL * (a + b + c);
    points(counts) as f32 + PROMISE * f32::from(turns) * promise
}

/// What the middle offers a collection: the mean gain over the numbers that a card can have, without the card itself,
/// whose colour nobody knows.
fn threat(counts: Counts, turns: u8, middle: CardSet<Card>) -> f32 {
    let mut by_number = [CardSet::<Card>::EMPTY; 10];
    for card in middle {
        by_number[usize::from(card.number())] = by_number[usize::from(card.number())].with(card);
    }
    let before = worth(counts, turns);
    let mut sum = 0.0;
    for number in 0..10 {
        let equals = by_number[number];
        let taken = if equals.is_empty() {
            let neighbours = [by_number[(number + 9) % 10], by_number[(number + 1) % 10]];
            neighbours.into_iter().filter_map(CardSet::first).collect()
        } else {
            equals
        };
        if !taken.is_empty() {
            sum += (worth(add(counts, taken), turns) - before).max(0.0);
        }
    }
    sum / 10.0
}
