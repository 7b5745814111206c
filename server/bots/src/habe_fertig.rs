//! Heuristic of Habe fertig.
//!
//! - Hiding: stars count for the winner, and hidden stars cannot be left in hand, so stars are hidden. But a
//!   6 fits many gaps: of cards with equal stars the one that is harder to play is hidden.
//! - On a turn, all sequences of plays are searched: into the gap, again into the gap, and a match at the
//!   end, which gets rid of a card, while a sequence without a final match ends with a pass and an extra
//!   card. An action is rated by the best sequence that begins with it.
//! - A sequence should end with tops that help the next player little: a narrow gap, or none.

use std::borrow::Cow;

use parlor_engine::habe_fertig::{Action, Card, Event, HabeFertig, Pair, Phase, View};
use parlor_engine::{CardSet, Game, Points, Seat, Viewer};

use crate::Heuristic;

/// Value of laying a card, besides its stars.
const CARD_VALUE: f32 = 1.0;
/// Value of laying a star.
const STAR_VALUE: f32 = 0.05;
/// Cost of each number in the gap left to the next player.
const GAP_COST: f32 = 0.2;
/// Rating of finishing, above all others.
const FINISH_VALUE: f32 = 30.0;
/// Maximum number of positions searched to rate one action.
const MAX_POSITIONS: u32 = 60;

impl Heuristic for HabeFertig {
    const MAX_PLAYOUT_ACTIONS: u32 = 600;
    const RATING_UNCERTAINTY: f32 = 1.0;

    fn viewer(view: &View) -> Viewer {
        view.viewer
    }

    /// While cards are hidden, earlier answers of others carry no information: the view is that of the
    /// beginning of the round.
    fn view_when_asked(view: &View) -> Cow<'_, View> {
        if !matches!(view.phase, Phase::Hiding { .. }) {
            return Cow::Borrowed(view);
        }
        let mut asked = view.clone();
        HabeFertig::apply_event(&mut asked, &Event::RoundBegan { round: view.round, dealer: view.dealer });
        Cow::Owned(asked)
    }

    fn rate(view: &View, _: Seat, legal: &[Action], ratings: &mut Vec<f32>) {
        ratings.clear();
        let tops = view.tops;
        let turned = match view.phase {
            Phase::Laying { turned } => Some(turned),
            Phase::Hiding { .. } | Phase::Moving => None,
        };
        ratings.extend(legal.iter().map(|action| {
            let mut budget = MAX_POSITIONS;
            match (*action, tops) {
                (Action::Hide(pair), _) => hiding_value(pair),
                (Action::Lay(pile), Some(tops)) => turned.map_or(0.0, |turned| {
                    let mut after = tops;
                    after[pile.index()] = turned;
                    best_sequence(after, view.hand, &mut budget)
                }),
                (Action::Play { card, pile }, Some(tops)) => {
                    let mut after = tops;
                    after[pile.index()] = card;
                    play_value(tops, after, card, view.hand, &mut budget)
                }
                (Action::Pass, Some(tops)) => end_of_turn_value(tops) - CARD_VALUE,
                _ => 0.0,
            }
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

    fn is_hidden(action: &Action) -> bool {
        matches!(action, Action::Hide(_))
    }
}

/// Value of hiding two cards.
fn hiding_value(pair: Pair) -> f32 {
    pair.cards()
        .into_iter()
        .map(|card| f32::from(card.stars()) + 0.1 * f32::from(card.number().abs_diff(6)))
        .sum()
}

/// Value of the best sequence of plays from here on, within the turn.
fn best_sequence(tops: [Card; 2], hand: CardSet<Card>, budget: &mut u32) -> f32 {
    let mut best = end_of_turn_value(tops) - CARD_VALUE;
    for card in hand {
        for pile in 0..2 {
            if *budget == 0 {
                return best;
            }
            if is_playable(tops, card, pile) {
                *budget -= 1;
                let mut after = tops;
                after[pile] = card;
                best = best.max(play_value(tops, after, card, hand, budget));
            }
        }
    }
    best
}

/// Value of laying this card and of the best continuation.
fn play_value(tops: [Card; 2], after: [Card; 2], card: Card, hand: CardSet<Card>, budget: &mut u32) -> f32 {
    let gain = CARD_VALUE + STAR_VALUE * f32::from(card.stars());
    let left = hand.without(card);
    if left.is_empty() {
        return FINISH_VALUE;
    }
    if is_in_gap(tops, card) {
        gain + best_sequence(after, left, budget)
    } else {
        gain + end_of_turn_value(after)
    }
}

/// Value of leaving these tops to the next player.
fn end_of_turn_value(tops: [Card; 2]) -> f32 {
    let apart = tops[0].number().abs_diff(tops[1].number());
    -GAP_COST * f32::from(apart.saturating_sub(1))
}

/// True if the card may be laid on the pile.
fn is_playable(tops: [Card; 2], card: Card, pile: usize) -> bool {
    let top = tops[pile];
    card.colour() == top.colour() || card.number() == top.number() || is_in_gap(tops, card)
}

/// True if the card goes into the gap: its number is between those of the tops, and its colour is on neither.
fn is_in_gap(tops: [Card; 2], card: Card) -> bool {
    let [a, b] = tops.map(Card::number);
    let between = a.min(b) < card.number() && card.number() < a.max(b);
    between && tops.iter().all(|top| top.colour() != card.colour())
}
