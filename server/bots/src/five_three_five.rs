//! Heuristic of Five Three Five.
//!
//! A hand is as good as the number of turns it takes to lay all its cards. The hand is partitioned into
//! groups that can be led together, and an action is rated by the cost of the groups left:
//!
//! - a group has up to three cards and costs a turn; one that flushes by itself (several cards with an 8)
//!   costs almost nothing, as its player leads again; single cards and sets cost less the higher they are,
//!   and runs the lower they are, as they beat others;
//! - an action that flushes gains the lead, which saves a turn;
//! - passing costs the turn only, so it is right where laying would break a group without gaining the lead.
//!
//! Cards left in hand when another player finishes cost points, so the remaining penalties count, too: the
//! more, the fewer cards the shortest other hand has.

use parlor_engine::five_three_five::{
    Action, Combination, CombinationKind, Event, FiveThreeFive, Rank, Ranks, View,
};
use parlor_engine::{Points, Seat, Viewer};

use crate::Heuristic;

/// Maximum number of cards laid in one turn.
const MAX_LAID: u8 = 3;
/// The number of the highest rank.
const HIGHEST: f32 = 15.0;
/// Value of a turn, in points.
const TURN_VALUE: f32 = 3.0;
/// Value of the lead, in turns.
const LEAD_VALUE: f32 = 1.0;
/// Weight of the remaining penalties when another player has one card left.
const PENALTY_WEIGHT: f32 = 0.7;
/// Rating of finishing, above all others.
const FINISH_VALUE: f32 = 100.0;

impl Heuristic for FiveThreeFive {
    const MAX_PLAYOUT_ACTIONS: u32 = 400;
    const RATING_UNCERTAINTY: f32 = 3.0;

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
            let (cards, flushes) = laid_cards(*action, stack);
            let left = view.hand.minus(cards);
            if left.is_empty() {
                return FINISH_VALUE;
            }
            let turns = estimated_turns(left) - if flushes { LEAD_VALUE } else { 0.0 };
            -TURN_VALUE * turns - PENALTY_WEIGHT * urgency * left.penalty() as f32
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

    fn is_hidden(_: &Action) -> bool {
        false
    }
}

/// The cards that an action lays, and whether it flushes.
fn laid_cards(action: Action, stack: Option<Combination>) -> (Ranks, bool) {
    let (cards, after, is_lead) = match action {
        Action::Pass => return (Ranks::EMPTY, false),
        Action::Lead(lead) => (lead.cards(), lead, true),
        Action::Overwrite(beating) => (beating.cards(), beating, false),
        Action::Add(grown) => {
            let below = stack.map_or(Ranks::EMPTY, Combination::cards);
            (grown.cards().minus(below), grown, false)
        }
    };
    let with_eight = cards.contains(Rank::EIGHT) && !(is_lead && cards.len() == 1);
    (cards, after.is_full() || with_eight)
}

/// Estimated number of turns to lead all cards: from the lowest rank up, each is grouped with its equals or
/// with the ranks that follow it, whichever group is larger.
fn estimated_turns(hand: Ranks) -> f32 {
    let mut left = hand;
    let mut sum = 0.0;
    while let Some(lowest) = left.lowest() {
        let copies = left.count(lowest).min(MAX_LAID);
        let run = left.run_length(lowest).min(MAX_LAID);
        let group =
            if copies >= run { Combination::set(lowest, copies) } else { Combination::run(lowest, run) };
        let group = group.unwrap_or(Combination::single(lowest));
        sum += turns_of_group(group);
        left = left.minus(group.cards());
    }
    sum
}

/// Cost of a group, in turns.
fn turns_of_group(group: Combination) -> f32 {
    if group.cards().contains(Rank::EIGHT) {
        return if group.size() > 1 { 0.2 } else { 0.3 };
    }
    let height = f32::from(group.lowest().number()) / HIGHEST;
    match group.kind() {
        CombinationKind::Single => 1.1 - 0.6 * height,
        CombinationKind::Set => 1.0 - 0.3 * height,
        CombinationKind::Run => 0.7 + 0.3 * height,
    }
}
