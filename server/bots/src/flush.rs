//! How good an action of Flush looks.
//!
//! A hand is as good as the number of turns it takes to get rid of it. So cards are thought of in groups that can be
//! led together, and an action is rated by what the groups of the cards left cost:
//!
//! - a group costs a turn; one that flushes by itself (four of a kind, five in a row, several cards with an 8) costs
//!   next to nothing, as its player leads again; high single cards cost less than low ones, as they beat others;
//! - an action that flushes brings the lead, which saves a turn;
//! - passing costs nothing but the turn, so it is right where laying would break a group without gaining the lead.
//!
//! What is left in hand when somebody else is done costs points, so the penalties left count too, the more the fewer
//! cards somebody else has.

use parlor_engine::flush::{Action, Combination, CombinationKind, Event, Flush, Rank, Ranks, View};
use parlor_engine::{Points, Seat, Viewer};

use crate::Rated;

/// What a turn is worth, in points.
const TURN: f32 = 3.0;
/// What the lead is worth, in turns.
const LEAD: f32 = 1.0;
/// How much of the penalties left counts when somebody else has one card left.
const URGENCY: f32 = 0.7;
/// What finishing is worth beyond everything else.
const DONE: f32 = 100.0;

impl Rated for Flush {
    const HORIZON: u32 = 400;
    const DOUBT: f32 = 3.0;

    fn viewer(view: &View) -> Viewer {
        view.viewer
    }

    fn rate(view: &View, seat: Seat, legal: &[Action], ratings: &mut Vec<f32>) {
        ratings.clear();
        let fewest = Seat::all(view.players)
            .filter(|other| *other != seat)
            .map(|other| view.hand_sizes[other.index()])
            .min()
            .unwrap_or(0);
        let urgency = 1.0 / f32::from(fewest.max(1));
        let stack = view.stack.map(|stack| stack.combination);
        ratings.extend(legal.iter().map(|action| {
            let (cards, flushes) = laid(*action, stack);
            let left = view.hand.minus(cards);
            if left.is_empty() {
                return DONE;
            }
            let turns = turns(left) - if flushes { LEAD } else { 0.0 };
            -TURN * turns - URGENCY * urgency * left.penalty() as f32
        }));
    }

    fn points(event: &Event) -> Option<Points> {
        match event {
            Event::HandScored { points, .. } => Some(*points),
            _ => None,
        }
    }

    fn ends_round(event: &Event) -> bool {
        matches!(event, Event::HandScored { .. })
    }

    fn is_unseen(_: &Action) -> bool {
        false
    }
}

/// The cards that an action lays, and whether that flushes.
fn laid(action: Action, stack: Option<Combination>) -> (Ranks, bool) {
    let (cards, after, is_lead) = match action {
        Action::Pass => return (Ranks::EMPTY, false),
        Action::Lead(lead) => (lead.cards(), lead, true),
        Action::Overwrite(higher) => (higher.cards(), higher, false),
        Action::Add(grown) => {
            let below = stack.map_or(Ranks::EMPTY, Combination::cards);
            (grown.cards().minus(below), grown, false)
        }
    };
    let with_eight = cards.contains(Rank::EIGHT) && !(is_lead && cards.len() == 1);
    (cards, after.is_full() || with_eight)
}

/// How many turns it takes to lead all the cards, more or less: from the lowest rank up, each taken with its equals or
/// with those that follow it, whichever is more.
fn turns(hand: Ranks) -> f32 {
    let mut left = hand;
    let mut sum = 0.0;
    while let Some(lowest) = left.lowest() {
        let copies = left.count(lowest);
        let run = left.run(lowest).min(5);
        let group = if copies >= run {
            Combination::set(lowest, copies.min(5))
        } else {
            Combination::sequence(lowest, run)
        };
        let group = group.unwrap_or(Combination::single(lowest));
        sum += cost(group);
        left = left.minus(group.cards());
    }
    sum
}

/// The turns that a group costs.
fn cost(group: Combination) -> f32 {
    let has_eight = group.cards().contains(Rank::EIGHT);
    if group.is_full() || has_eight && group.size() > 1 {
        return 0.2;
    }
    if has_eight {
        return 0.3;
    }
    let height = f32::from(group.lowest().number()) / 13.0;
    match group.kind() {
        CombinationKind::Single => 1.1 - 0.6 * height,
        CombinationKind::Set | CombinationKind::Sequence => 1.0 - 0.3 * height,
    }
}
