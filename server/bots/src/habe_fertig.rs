//! How good an action of Habe fertig looks.
//!
//! - Hiding: stars count for the winner, and two cards fewer with stars are two fewer to be left with, so stars are
//!   hidden. But a 6 goes into many gaps; of cards with the same stars the one that is harder to play is hidden.
//! - On a turn, everything that can be laid in a row is thought through: into the gap, again into the gap, and a match
//!   at the end, which is worth a card, while a row that ends without a match ends with a pass and a card more.
//!   An action is rated by the best row that begins with it.
//! - A row should end with tops that help the next player little: a narrow gap, or none.

use std::borrow::Cow;

use parlor_engine::habe_fertig::{Action, Card, Event, HabeFertig, Pair, Phase, View};
use parlor_engine::{CardSet, Game, Points, Seat, Viewer};

use crate::Rated;

/// What it is worth to be rid of a card, besides its stars.
const CARD: f32 = 1.0;
/// What it is worth not to hold a star at the end.
const STAR: f32 = 0.05;
/// What a number in the gap is worth to the next player.
const GAP: f32 = 0.2;
/// What finishing is worth beyond everything else.
const DONE: f32 = 30.0;
/// So many positions are looked at to rate one action.
const EFFORT: u32 = 60;

impl Rated for HabeFertig {
    const HORIZON: u32 = 600;
    const DOUBT: f32 = 1.0;

    fn viewer(view: &View) -> Viewer {
        view.viewer
    }

    /// That somebody has hidden cards tells nothing of which: for whoever has to hide, the round has just begun.
    fn as_asked(view: &View) -> Cow<'_, View> {
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
            let mut effort = EFFORT;
            match (*action, tops) {
                (Action::Hide(pair), _) => hide(pair),
                (Action::Lay(pile), Some(tops)) => turned.map_or(0.0, |turned| {
                    let mut after = tops;
                    after[pile.index()] = turned;
                    best_row(after, view.hand, &mut effort)
                }),
                (Action::Play { card, pile }, Some(tops)) => {
                    let mut after = tops;
                    after[pile.index()] = card;
                    step(tops, after, card, view.hand, &mut effort)
                }
                (Action::Pass, Some(tops)) => stop(tops) - CARD,
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

    fn is_unseen(action: &Action) -> bool {
        matches!(action, Action::Hide(_))
    }
}

/// What it is worth to hide two cards.
fn hide(pair: Pair) -> f32 {
    pair.cards()
        .into_iter()
        .map(|card| f32::from(card.stars()) + 0.1 * f32::from(card.number().abs_diff(6)))
        .sum()
}

/// What the best row of cards from here on is worth; the turn has not ended.
fn best_row(tops: [Card; 2], hand: CardSet<Card>, effort: &mut u32) -> f32 {
    let mut best = stop(tops) - CARD;
    for card in hand {
        for pile in 0..2 {
            if *effort == 0 {
                return best;
            }
            if fits(tops, card, pile) {
                *effort -= 1;
                let mut after = tops;
                after[pile] = card;
                best = best.max(step(tops, after, card, hand, effort));
            }
        }
    }
    best
}

/// What it is worth to lay this card, and whatever follows.
fn step(tops: [Card; 2], after: [Card; 2], card: Card, hand: CardSet<Card>, effort: &mut u32) -> f32 {
    let gain = CARD + STAR * f32::from(card.stars());
    let left = hand.without(card);
    if left.is_empty() {
        return DONE;
    }
    if is_in_gap(tops, card) { gain + best_row(after, left, effort) } else { gain + stop(after) }
}

/// What it is worth to leave these tops to the next player.
fn stop(tops: [Card; 2]) -> f32 {
    let apart = tops[0].number().abs_diff(tops[1].number());
    -GAP * f32::from(apart.saturating_sub(1))
}

/// Whether the card may be laid on the pile.
fn fits(tops: [Card; 2], card: Card, pile: usize) -> bool {
    let top = tops[pile];
    card.colour() == top.colour() || card.number() == top.number() || is_in_gap(tops, card)
}

/// Whether the card goes into the gap: its number is between those of the tops, and its colour is on neither.
fn is_in_gap(tops: [Card; 2], card: Card) -> bool {
    let [a, b] = tops.map(Card::number);
    let between = a.min(b) < card.number() && card.number() < a.max(b);
    between && tops.iter().all(|top| top.colour() != card.colour())
}
