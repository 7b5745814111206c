//! How to choose one of the legal actions: the trait, and the two strategies that do not look ahead.

use parlor_engine::{Game, Seat, below};
use rand_core::Rng;

use crate::{BotError, Rated};

/// A way to choose, for a player who sees a view and the list of legal actions, and nothing else.
pub trait Strategy<G: Game> {
    /// The index of the chosen action. The view is that of the seat, and the list is the one that the game gives the
    /// seat for it. All randomness comes from `rng`.
    fn choose(
        &self,
        view: &G::View,
        seat: Seat,
        legal: &[G::Action],
        rng: &mut impl Rng,
    ) -> Result<usize, BotError>;
}

/// Chooses any legal action, each with the same chance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Random;

impl<G: Game> Strategy<G> for Random {
    fn choose(
        &self,
        _: &G::View,
        _: Seat,
        legal: &[G::Action],
        rng: &mut impl Rng,
    ) -> Result<usize, BotError> {
        if legal.is_empty() {
            return Err(BotError::NothingToChoose);
        }
        Ok(below(legal.len() as u32, rng) as usize)
    }
}

/// Chooses the action with the best rating, one of them at random if there are several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Greedy;

impl<G: Rated> Strategy<G> for Greedy {
    fn choose(
        &self,
        view: &G::View,
        seat: Seat,
        legal: &[G::Action],
        rng: &mut impl Rng,
    ) -> Result<usize, BotError> {
        if legal.is_empty() {
            return Err(BotError::NothingToChoose);
        }
        let mut ratings = Vec::with_capacity(legal.len());
        G::rate(view, seat, legal, &mut ratings);
        Ok(best(&ratings, rng))
    }
}

/// The place of the highest rating; of several, each with the same chance.
pub(crate) fn best(ratings: &[f32], rng: &mut impl Rng) -> usize {
    let highest = ratings.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let is_best = |rating: &f32| *rating == highest;
    let count = ratings.iter().filter(|rating| is_best(rating)).count();
    let pick = if count > 1 { below(count as u32, rng) as usize } else { 0 };
    let mut places = ratings.iter().enumerate().filter(|(_, rating)| is_best(rating));
    places.nth(pick).map_or(0, |(place, _)| place)
}
