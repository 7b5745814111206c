//! Heuristic of GAP.
//!
//! A round scores the largest colours less the smallest ones, so a taken card is good if its colour becomes a
//! large one. An action is rated by three terms:
//!
//! - the points of the own collection if the round ended now;
//! - its potential, as long as there are turns left: large colours grow, and the gap between large and small
//!   ones widens;
//! - less the potential gain of the next player from the cards left in the middle.
//!
//! A card that takes nothing joins the middle and leaves the collection as it is, which is often better than
//! to enlarge a small colour.

use parlor_engine::gap::{Action, Card, Colour, Event, Gap, View};
use parlor_engine::{CardSet, Points, Seat, Viewer};

use crate::Heuristic;

impl Heuristic for Gap {
    const MAX_PLAYOUT_ACTIONS: u32 = 64;
    const RATING_UNCERTAINTY: f32 = 1.5;

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
            let taken = taken_cards(view.middle, *action);
            let (gained, left) = if taken.is_empty() {
                (counts, view.middle.with(action.card))
            } else {
                (add(counts, taken.with(action.card)), view.middle - taken)
            };
            collection_value(gained, turns) - THREAT_WEIGHT * threat(&gains, left)
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

    fn is_hidden(_: &Action) -> bool {
        false
    }
}

/// Weight of the potential gain of the next player.
const THREAT_WEIGHT: f32 = 0.6;

/// Weight of the potential per turn left.
const POTENTIAL_WEIGHT: f32 = 0.7;

/// Reduction of the potential by a card of a small colour.
const SMALL_COLOUR_PENALTY: f32 = 0.3;

/// Number of cards by colour.
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

/// Cards that an action takes from the middle: all equals, or the neighbours it names.
fn taken_cards(middle: CardSet<Card>, action: Action) -> CardSet<Card> {
    let equals: CardSet<Card> =
        middle.into_iter().filter(|card| card.number() == action.card.number()).collect();
    if equals.is_empty() { action.lower.into_iter().chain(action.higher).collect() } else { equals }
}

/// Points of a collection by the rules.
fn points(counts: Counts) -> i32 {
    let having = |count: i32| counts.iter().filter(|c| **c == count).count() as i32;
    let largest = counts.into_iter().max().unwrap_or(0);
    let smallest = counts.into_iter().filter(|count| *count > 0).min().unwrap_or(0);
    let minus = if smallest == largest { 0 } else { smallest * having(smallest) };
    largest * having(largest) - minus
}

/// Points of a collection plus its potential: the two largest colours grow, and may become equal and both
/// count; the others cost points only if they are smallest in the end.
fn collection_value(counts: Counts, turns: u8) -> f32 {
    let mut sorted = counts;
    sorted.sort_unstable();
    let [a, b, c, second, largest] = sorted.map(|count| count as f32);
    let potential = largest + second - SMALL_COLOUR_PENALTY * (a + b + c);
    points(counts) as f32 + POTENTIAL_WEIGHT * f32::from(turns) * potential
}

/// Gain of a collection by one more card, by colour.
fn gains(counts: Counts, turns: u8) -> [f32; 5] {
    let before = collection_value(counts, turns);
    std::array::from_fn(|colour| {
        let mut more = counts;
        more[colour] += 1;
        (collection_value(more, turns) - before).max(0.0)
    })
}

/// Expected gain of the next player from the cards in the middle. A card is taken by three of the ten
/// numbers.
fn threat(gains: &[f32; 5], left: CardSet<Card>) -> f32 {
    0.3 * counts(left).iter().zip(gains).map(|(count, gain)| *count as f32 * gain).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::points;

    /// The examples of the rules.
    #[test]
    fn collection_points_follow_the_rules() {
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
