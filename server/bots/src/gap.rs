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
        let turns = view.hand_sizes[seat.index()].saturating_sub(1);
        let next = seat.left(view.players);
        let gains = match view.hand_sizes[next.index()] {
            0 => [0.0; 5],
            left => gains(self::counts(view.collected[next.index()]), left),
        };
        ratings.extend(legal.iter().map(|action| {
            let taken = taken(view.middle, *action);
            let (gained, left) = if taken.is_empty() {
                (counts, view.middle.with(action.card))
            } else {
                (add(counts, taken.with(action.card)), view.middle - taken)
            };
            worth(gained, turns) - THREAT * threat(&gains, left)
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
    let equals: CardSet<Card> =
        middle.into_iter().filter(|card| card.number() == action.card.number()).collect();
    if equals.is_empty() { action.lower.into_iter().chain(action.higher).collect() } else { equals }
}

/// The points of a collection, as the rules count them.
fn points(counts: Counts) -> i32 {
    let having = |count: i32| counts.iter().filter(|c| **c == count).count() as i32;
    let largest = counts.into_iter().max().unwrap_or(0);
    let smallest = counts.into_iter().filter(|count| *count > 0).min().unwrap_or(0);
    let minus = if smallest == largest { 0 } else { smallest * having(smallest) };
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

/// What a card of each colour would add to a collection.
fn gains(counts: Counts, turns: u8) -> [f32; 5] {
    let before = worth(counts, turns);
    std::array::from_fn(|colour| {
        let mut more = counts;
        more[colour] += 1;
        (worth(more, turns) - before).max(0.0)
    })
}

/// What the cards left in the middle offer whoever gains so much by each. A card is taken by three of the ten numbers.
fn threat(gains: &[f32; 5], left: CardSet<Card>) -> f32 {
    0.3 * counts(left).iter().zip(gains).map(|(count, gain)| *count as f32 * gain).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::points;

    /// The examples of the rules.
    #[test]
    fn collections_are_counted_by_the_rules() {
        let examples = [
            ([5, 5, 2, 1, 1], 8),
            ([4, 4, 1, 0, 0], 7),
            ([6, 2, 0, 0, 0], 4),
            ([4, 3, 2, 0, 0], 2),
            ([0, 4, 0, 4, 0], 8),
            ([0, 0, 3, 0, 0], 3),
            ([3, 2, 2, 0, 0], -1),
            ([0; 5], 0),
        ];
        for (counts, expected) in examples {
            assert_eq!(points(counts), expected, "{counts:?}");
        }
    }
}
