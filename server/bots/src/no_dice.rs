//! Heuristic of No Dice.
//!
//! The game lasts until no cards are left to play, so every card is played eventually and an action card
//! costs no points: only its timing matters.
//!
//! - A playing card is worth its score, doubled with an x2.
//! - X2 is worth the best placement at hand, which can be laid next time for twice its points. It is played
//!   when that placement is better than usual, and never while an x2 is pending.
//! - PASS takes a turn, and with it a card of the draw pile, from another player: it is played while there is
//!   a draw pile, preferably against a player who is ahead or has a pending x2.
//! - SWAP is for a hand that is worth less than another's is likely to be, at best an empty hand for a full
//!   one.
//! - SWITCH changes little: it is for a turn without valuable alternatives.

use parlor_engine::no_dice::{Action, Card, Event, Hand, LaidCard, NoDice, Placement, View};
use parlor_engine::{MAX_SEATS, Points, Seat, Viewer};

use crate::Heuristic;

/// Typical score of a good placement.
const GOOD_PLACEMENT: f32 = 26.0;

/// Estimated value of an unknown card in another hand.
const UNKNOWN_CARD: f32 = 12.0;

impl Heuristic for NoDice {
    const MAX_PLAYOUT_ACTIONS: u32 = 12;
    const RATING_UNCERTAINTY: f32 = 6.0;

    fn viewer(view: &View) -> Viewer {
        view.viewer
    }

    fn rate(view: &View, seat: Seat, legal: &[Action], ratings: &mut Vec<f32>) {
        ratings.clear();
        let is_turn = legal.iter().any(|action| matches!(action, Action::Lay(_)));
        let sums = if is_turn { PrefixSums::new(&view.table) } else { PrefixSums::default() };
        let times = if view.x2.contains(seat) { 2.0 } else { 1.0 };
        let mut best = 0.0f32;
        for action in legal {
            let rating = match action {
                Action::Lay(placement) => {
                    let points = sums.score(*placement) as f32;
                    best = best.max(points);
                    points * times
                }
                _ => 0.0,
            };
            ratings.push(rating);
        }
        for (action, rating) in legal.iter().zip(ratings) {
            *rating = match action {
                Action::Lay(_) => *rating,
                Action::X2 if times > 1.0 => -1.0,
                Action::X2 => best + (best - GOOD_PLACEMENT) * 0.5,
                Action::PassCard => pass_value(view, seat, best),
                Action::Decline => 0.0,
                Action::Switch => 8.0 - GOOD_PLACEMENT * (times - 1.0),
                Action::Swap(with) => swap_value(view, *with) - GOOD_PLACEMENT * (times - 1.0),
                Action::Pass => -1.0,
            };
        }
    }

    fn points(event: &Event) -> Option<Points> {
        match event {
            Event::Laid { seat, points, .. } => {
                let mut scored = [0; MAX_SEATS];
                scored[seat.index()] = *points;
                Some(Points::new(MAX_SEATS as u8, scored))
            }
            _ => None,
        }
    }

    fn ends_round(event: &Event) -> bool {
        matches!(event, Event::Ended { .. })
    }

    fn is_hidden(action: &Action) -> bool {
        matches!(action, Action::Decline)
    }
}

/// Value of the card PASS. In a window, declining is worth 0, so PASS is played if its value is positive.
fn pass_value(view: &View, seat: Seat, best: f32) -> f32 {
    let drawing = if view.draw_pile > 0 { 6.0 } else { -2.0 };
    if view.turn == seat {
        // Better in a window than on the own turn, except with two players, where both have the same effect.
        if view.players == 2 { best.min(GOOD_PLACEMENT) + drawing } else { 4.0 }
    } else {
        let ahead = view.scores[view.turn.index()] >= view.scores[seat.index()];
        let armed = view.x2.contains(view.turn);
        drawing + if ahead { 2.0 } else { 0.0 } + if armed { 4.0 } else { 0.0 }
    }
}

/// Value of swapping hands: their cards less one's own. While there are cards to draw, hands are refilled
/// anyway, and the swap is worth a card less.
fn swap_value(view: &View, with: Seat) -> f32 {
    let own = view.hand.without(Card::Swap);
    let theirs = view.hand_sizes[with.index()];
    let gain = UNKNOWN_CARD * f32::from(theirs) - hand_value(own);
    if view.draw_pile == 0 { gain } else { gain - UNKNOWN_CARD }
}

/// Value of a hand: the values of its playing cards, which each scores at least.
fn hand_value(hand: Hand) -> f32 {
    hand.into_iter()
        .map(|card| match card {
            Card::Playing(card) => f32::from(card.lower() + card.higher()) + 2.0,
            Card::X2 => GOOD_PLACEMENT / 2.0,
            Card::Switch | Card::Pass | Card::Swap => 2.0,
        })
        .sum()
}

/// Maximum number of squares, in steps of half a segment. Tables of real games have fewer.
const MAX_SQUARES: usize = 1 << 14;

/// Two-dimensional prefix sums of the values on the table: for each square the sum of all segments further up
/// and further left, so that the sum over a rectangle takes four look-ups.
///
/// The view itself can list the segments on top, but validates the whole table first. That is too slow for a
/// playout, and so is comparing every placement with every segment.
#[derive(Default)]
struct PrefixSums {
    left: i32,
    top: i32,
    width: usize,
    height: usize,
    sums: Vec<i32>,
}

impl PrefixSums {
    fn new(table: &[LaidCard]) -> PrefixSums {
        let squares = |laid: &LaidCard| [laid.placement.lower(), laid.placement.higher()];
        let bounds = |along: fn((i16, i16)) -> i16| {
            let ends = table.iter().flat_map(squares).map(along);
            let (low, high) = ends.fold((i16::MAX, i16::MIN), |(low, high), at| (low.min(at), high.max(at)));
            (i32::from(low), (i32::from(high) - i32::from(low) + 1).max(0) as usize)
        };
        let (left, width) = bounds(|(x, _)| x);
        let (top, height) = bounds(|(_, y)| y);
        let row = width + 1;
        let size = row * (height + 1);
        if table.is_empty() || size > MAX_SQUARES {
            return PrefixSums::default();
        }
        let mut sums = vec![0; size];
        for laid in table {
            let values = [laid.placement.card().lower(), laid.placement.card().higher()];
            for ((x, y), value) in squares(laid).into_iter().zip(values) {
                let (x, y) = ((i32::from(x) - left) as usize, (i32::from(y) - top) as usize);
                // Later segments cover earlier ones on the same square.
                sums[(y + 1) * row + x + 1] = value.into();
            }
        }
        for at in row..size {
            if at % row != 0 {
                sums[at] += sums[at - 1] + sums[at - row] - sums[at - row - 1];
            }
        }
        PrefixSums { left, top, width, height, sums }
    }

    /// Sum of the values of all segments with left and upper edges in these inclusive ranges.
    fn within(&self, (left, right): (i32, i32), (top, bottom): (i32, i32)) -> i32 {
        let column = |x: i32| (x - self.left).clamp(0, self.width as i32) as usize;
        let line = |y: i32| (y - self.top).clamp(0, self.height as i32) as usize * (self.width + 1);
        let (left, right, top, bottom) = (column(left), column(right + 1), line(top), line(bottom + 1));
        let sum = |line: usize, column: usize| self.sums.get(line + column).copied().unwrap_or(0);
        sum(bottom, right) - sum(bottom, left) - sum(top, right) + sum(top, left)
    }

    /// Score of laying a card: its own values, and the value of every segment that it covers or touches.
    /// Segments above and below must share a stretch of edge with it, as those at its sides do; a corner is
    /// not enough.
    fn score(&self, placement: Placement) -> i32 {
        let own = i32::from(placement.card().lower()) + i32::from(placement.card().higher());
        let [one, other] = [placement.lower(), placement.higher()];
        let (left, right) = (i32::from(one.0.min(other.0)), i32::from(one.0.max(other.0)) + 2);
        let (top, bottom) = (i32::from(one.1.min(other.1)), i32::from(one.1.max(other.1)) + 2);
        let inside = (left - 1, right - 1);
        own + self.within((left - 2, right), (top - 1, bottom - 1))
            + self.within(inside, (top - 2, top - 2))
            + self.within(inside, (bottom, bottom))
    }
}

#[cfg(test)]
mod tests {
    use parlor_engine::{Audience, Chance, Game, NoEvents, below};

    use super::*;

    /// Compares the score of every placement in random games with the points of the game.
    #[test]
    fn placement_scores_follow_the_rules() {
        let mut rng = parlor_testkit::rng_with_default_seed(7);
        let mut compared = 0;
        for players in 2..=6 {
            let chance = Chance::fresh(&mut rng);
            let mut game =
                NoDice::new(1, Default::default(), players, chance, &mut NoEvents).expect("a game");
            let mut legal = Vec::new();
            while let Some(seat) = game.to_act().first() {
                game.legal_actions(seat, &mut legal);
                let view = game.view(Viewer::Seat(seat));
                let sums = PrefixSums::new(&view.table);
                for action in &legal {
                    let Action::Lay(placement) = action else { continue };
                    let mut events: Vec<(Audience, Event)> = Vec::new();
                    game.clone().apply(seat, *action, &mut events).expect("a legal action");
                    let scored = events.iter().find_map(|(_, event)| NoDice::points(event)).expect("points");
                    let times = if view.x2.contains(seat) { 2 } else { 1 };
                    assert_eq!(times * sums.score(*placement), scored.of(seat));
                    compared += 1;
                }
                let action = legal[below(legal.len() as u32, &mut rng) as usize];
                game.apply(seat, action, &mut NoEvents).expect("a legal action");
            }
        }
        assert!(compared > 1000, "{compared}");
    }
}
