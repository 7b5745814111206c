//! How good an action of No Dice looks.
//!
//! Every card gets its turn in the end, as the game lasts until no cards are left to play, so an action card costs no
//! points: what matters is when it is played.
//!
//! - A playing card is worth what it scores, twice that with an x2.
//! - X2 is worth the best placement at hand, as that can be laid next time for twice its points. So it is played when
//!   that placement is better than usual, and never while an x2 waits already.
//! - PASS takes a turn, and with it a card of the draw pile, from somebody else: it is played while there is a draw
//!   pile, and against a player who is ahead or has an x2 waiting rather than another.
//! - SWAP is for a hand that is poorer than what another's is likely to be: an empty hand for a full one, best of all.
//! - SWITCH changes little: it is for a turn in which nothing else is worth much.

use parlor_engine::no_dice::{Action, Card, Event, Hand, Laid, NoDice, Placement, Square, View};
use parlor_engine::{MAX_SEATS, Points, Seat, Viewer};

use crate::Rated;

/// What a good placement usually scores.
const USUAL: f32 = 26.0;

/// What a card in another's hand is worth, seen from outside.
const UNKNOWN_CARD: f32 = 12.0;

impl Rated for NoDice {
    const HORIZON: u32 = 12;
    const DOUBT: f32 = 6.0;

    fn viewer(view: &View) -> Viewer {
        view.viewer
    }

    fn rate(view: &View, seat: Seat, legal: &[Action], ratings: &mut Vec<f32>) {
        ratings.clear();
        let is_turn = legal.iter().any(|action| matches!(action, Action::Lay(_)));
        let visible = if is_turn { visible(&view.table) } else { Vec::new() };
        let times = if view.x2.contains(seat) { 2.0 } else { 1.0 };
        let mut best = 0.0f32;
        for action in legal {
            let rating = match action {
                Action::Lay(placement) => {
                    let points = score(&visible, *placement) as f32;
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
                Action::X2 => best + (best - USUAL) * 0.5,
                Action::PassCard => pass_card(view, seat, best),
                Action::Decline => 0.0,
                Action::Switch => 8.0 - USUAL * (times - 1.0),
                Action::Swap(with) => swap(view, *with) - USUAL * (times - 1.0),
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

    fn is_unseen(action: &Action) -> bool {
        matches!(action, Action::Decline)
    }
}

/// The card PASS. In a window, declining is worth nothing, so what is above nothing is played.
fn pass_card(view: &View, seat: Seat, best: f32) -> f32 {
    let drawing = if view.draw_pile > 0 { 6.0 } else { -2.0 };
    if view.turn == seat {
        // The same is done better in a window, unless two play: then it is the same, and now is now.
        if view.players == 2 {
            best.min(USUAL) + drawing
        } else {
            4.0
        }
    } else {
        let ahead = view.scores[view.turn.index()] >= view.scores[seat.index()];
        let armed = view.x2.contains(view.turn);
        drawing + if ahead { 2.0 } else { 0.0 } + if armed { 4.0 } else { 0.0 }
    }
}

/// What a trade of hands brings: their cards less one's own. While there are cards to draw, a hand is filled up anyway,
/// and a trade is worth a card less.
fn swap(view: &View, with: Seat) -> f32 {
    let own = view.hand.without(Card::Swap);
    let theirs = view.hand_sizes[with.index()];
    let gain = UNKNOWN_CARD * f32::from(theirs) - worth(own);
    if view.draw_pile == 0 {
        gain
    } else {
        gain - UNKNOWN_CARD
    }
}

/// What a hand is worth: its values, as every playing card scores them at least.
fn worth(hand: Hand) -> f32 {
    hand.into_iter()
        .map(|card| match card {
            Card::Playing(card) => f32::from(card.lower() + card.higher()) + 2.0,
            Card::X2 => USUAL / 2.0,
            Card::Switch | Card::Pass | Card::Swap => 2.0,
        })
        .sum()
}

/// What laying a card there scores: its own values, and the value of every segment that it covers or touches.
fn score(visible: &[Top], placement: Placement) -> i32 {
    let squares = [placement.lower(), placement.higher()];
    let own = i32::from(placement.card().lower()) + i32::from(placement.card().higher());
    let met = visible
        .iter()
        .filter(|(other, _)| squares.iter().any(|square| meets(*square, *other)));
    own + met.map(|(_, value)| i32::from(*value)).sum::<i32>()
}

/// Whether a segment on one square covers one on the other, or shares a stretch of edge with it; a corner is not
/// enough.
fn meets((x, y): Square, (other_x, other_y): Square) -> bool {
    let dx = (i32::from(x) - i32::from(other_x)).abs();
    let dy = (i32::from(y) - i32::from(other_y)).abs();
    dx <= 2 && dy <= 2 && dx + dy < 4
}

/// A segment that nothing covers: its square and its value.
type Top = (Square, u8);

/// The segments on top. One is covered by exactly those that were laid on its square later. The view can tell this
/// too, but checks the whole table before it does, which is too slow for a playout.
fn visible(table: &[Laid]) -> Vec<Top> {
    let mut tops: Vec<Top> = Vec::with_capacity(2 * table.len());
    for laid in table.iter().rev() {
        let card = laid.placement.card();
        let segments = [
            (laid.placement.lower(), card.lower()),
            (laid.placement.higher(), card.higher()),
        ];
        for (square, value) in segments {
            if tops.iter().all(|(other, _)| *other != square) {
                tops.push((square, value));
            }
        }
    }
    tops
}
