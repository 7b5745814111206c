//! The strategy trait, and the two strategies without search: random and greedy.

use parlor_engine::{Game, Seat, below};
use rand_core::Rng;

use crate::{BotError, Heuristic};

/// A strategy: chooses an action from a view and its list of legal actions.
pub trait Strategy<G: Game> {
    /// Returns the index of the chosen action. `view` is the view of `seat`, and `legal` its legal actions in
    /// the order of the game. All randomness comes from `rng`.
    ///
    /// # Errors
    /// The list is empty, or it does not belong to the view.
    fn choose(
        &self,
        view: &G::View,
        seat: Seat,
        legal: &[G::Action],
        rng: &mut impl Rng,
    ) -> Result<usize, BotError>;
}

/// Chooses a legal action uniformly at random.
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
            return Err(BotError::NoLegalActions);
        }
        Ok(below(legal.len() as u32, rng) as usize)
    }
}

/// Chooses the action with the best rating, ties at random.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Greedy;

impl<G: Heuristic> Strategy<G> for Greedy {
    fn choose(
        &self,
        view: &G::View,
        seat: Seat,
        legal: &[G::Action],
        rng: &mut impl Rng,
    ) -> Result<usize, BotError> {
        if legal.is_empty() {
            return Err(BotError::NoLegalActions);
        }
        let mut ratings = Vec::with_capacity(legal.len());
        G::rate(view, seat, legal, &mut ratings);
        Ok(index_of_best(&ratings, rng))
    }
}

/// Index of the highest rating, ties at random.
pub(crate) fn index_of_best(ratings: &[f32], rng: &mut impl Rng) -> usize {
    let highest = ratings.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let is_best = |rating: &f32| *rating == highest;
    let count = ratings.iter().filter(|rating| is_best(rating)).count();
    let pick = if count > 1 { below(count as u32, rng) as usize } else { 0 };
    let mut indices = ratings.iter().enumerate().filter(|(_, rating)| is_best(rating));
    indices.nth(pick).map_or(0, |(index, _)| index)
}
