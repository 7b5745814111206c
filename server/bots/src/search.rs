//! Information-set Monte Carlo tree search.
//!
//! Each iteration samples a world that is consistent with the view ([`sample`](parlor_engine::Game::sample)),
//! descends the tree of actions visible to the observer, adds one node, plays out by ratings until the round
//! is over, and backpropagates the rewards. The tree is shared by all worlds, so its values are averages over
//! the information hidden from the observer: it never learns to act on a hidden card.
//!
//! - The search gets a view and no game state. It samples the worlds itself.
//! - Every seat of a world maximises its lead over the mean of the others.
//! - Hidden actions of others (cards they hide, secret answers) are chosen by ratings and add no node,
//!   because the observer could not tell such nodes apart.

use std::marker::PhantomData;

use parlor_engine::{Audience, EventSink, MAX_SEATS, Seat, Viewer, below};
use rand_core::Rng;

use crate::search_tree::{NodeId, Rewards, SearchTree};
use crate::strategy::index_of_best;
use crate::{BotError, Heuristic, Strategy};

/// Maximum number of iterations of a search; its tree then takes about 10 MB, and the search seconds.
pub const MAX_ITERATIONS: u32 = 100_000;

/// One in this many actions of a playout is random, so that playouts vary.
const RANDOM_ACTION_ODDS: u32 = 8;

/// A tree search with a budget of iterations. The same view, list and random numbers give the same choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Search {
    iterations: u32,
}

impl Default for Search {
    fn default() -> Search {
        Search { iterations: 300 }
    }
}

impl Search {
    /// A search with a budget of iterations, 1 to [`MAX_ITERATIONS`]; `None` outside of these bounds.
    #[must_use]
    pub fn new(iterations: u32) -> Option<Search> {
        (1..=MAX_ITERATIONS).contains(&iterations).then_some(Search { iterations })
    }

    /// Iterations per decision.
    #[must_use]
    pub const fn iterations(self) -> u32 {
        self.iterations
    }

    /// Searches while `go_on` returns true for the number of iterations done, up to [`MAX_ITERATIONS`]. The
    /// search has no clock: a caller with a time budget checks its own in `go_on`.
    ///
    /// # Errors
    /// The list is empty or does not belong to the view, or the view is impossible.
    pub fn choose_while<G: Heuristic>(
        view: &G::View,
        seat: Seat,
        legal: &[G::Action],
        rng: &mut impl Rng,
        mut go_on: impl FnMut(u32) -> bool,
    ) -> Result<usize, BotError> {
        if legal.is_empty() {
            return Err(BotError::NoLegalActions);
        }
        if legal.len() == 1 {
            return Ok(0);
        }
        let mut search = SearchRun::<G>::new(view, seat, legal);
        let mut done = 0;
        while done < MAX_ITERATIONS && go_on(done) {
            search.iterate(rng)?;
            done += 1;
        }
        let chosen = search.tree.most_visited_action();
        let index = chosen.and_then(|chosen| legal.iter().position(|action| *action == chosen));
        Ok(index.unwrap_or_else(|| index_of_best(&search.root_ratings, rng)))
    }
}

impl<G: Heuristic> Strategy<G> for Search {
    fn choose(
        &self,
        view: &G::View,
        seat: Seat,
        legal: &[G::Action],
        rng: &mut impl Rng,
    ) -> Result<usize, BotError> {
        Search::choose_while::<G>(view, seat, legal, rng, |done| done < self.iterations)
    }
}

/// A search in progress, with its reusable buffers.
struct SearchRun<'a, G: Heuristic> {
    view: &'a G::View,
    observer: Seat,
    root_legal: &'a [G::Action],
    root_ratings: Vec<f32>,
    tree: SearchTree<G::Action>,
    path: Vec<NodeId>,
    legal: Vec<G::Action>,
    ratings: Vec<f32>,
}

impl<'a, G: Heuristic> SearchRun<'a, G> {
    fn new(view: &'a G::View, observer: Seat, legal: &'a [G::Action]) -> SearchRun<'a, G> {
        let mut root_ratings = Vec::with_capacity(legal.len());
        G::rate(view, observer, legal, &mut root_ratings);
        SearchRun {
            view,
            observer,
            root_legal: legal,
            root_ratings,
            tree: SearchTree::new(),
            path: Vec::new(),
            legal: Vec::new(),
            ratings: Vec::new(),
        }
    }

    fn iterate(&mut self, rng: &mut impl Rng) -> Result<(), BotError> {
        let mut world = G::sample(self.view, rng)?;
        let mut scores = PlayoutScores::<G>::new();
        self.path.clear();
        self.path.push(NodeId::ROOT);
        let mut node = NodeId::ROOT;
        let mut in_tree = true;
        for step in 0..G::MAX_PLAYOUT_ACTIONS {
            while world.to_act().is_empty() && world.window_is_held() {
                world.close_window(&mut scores);
            }
            let to_act = world.to_act();
            let actor = if to_act.contains(self.observer) { Some(self.observer) } else { to_act.first() };
            let Some(actor) = actor.filter(|_| !scores.round_is_over) else {
                break;
            };
            if step == 0 {
                if actor != self.observer {
                    return Err(BotError::ActionsMismatch);
                }
                self.legal.clear();
                self.legal.extend_from_slice(self.root_legal);
                self.ratings.clone_from(&self.root_ratings);
            } else {
                world.legal_actions(actor, &mut self.legal);
                self.rate(&world, actor);
            }
            let is_visible = actor == self.observer || !self.legal.iter().any(G::is_hidden);
            let index = if in_tree && is_visible {
                ratings_to_priors(&mut self.ratings, G::RATING_UNCERTAINTY);
                let (index, next, is_new) = self.tree.select(node, actor, &self.legal, &self.ratings);
                self.path.push(next);
                node = next;
                in_tree = !is_new;
                index
            } else if !in_tree && below(RANDOM_ACTION_ODDS, rng) == 0 {
                below(self.legal.len() as u32, rng) as usize
            } else {
                index_of_best(&self.ratings, rng)
            };
            let Some(action) = self.legal.get(index) else {
                break;
            };
            if world.apply(actor, *action, &mut scores).is_err() {
                // A world accepts its own legal actions: only the caller's list can be wrong.
                return Err(BotError::ActionsMismatch);
            }
        }
        self.tree.backpropagate(&self.path, &scores.rewards(world.players()));
        Ok(())
    }

    /// Rates the legal actions of the actor by the actor's own view.
    fn rate(&mut self, world: &G, actor: Seat) {
        if self.legal.len() == 1 {
            self.ratings.clear();
            self.ratings.push(0.0);
        } else {
            let view = world.view(Viewer::Seat(actor));
            G::rate(&view, actor, &self.legal, &mut self.ratings);
        }
    }
}

/// Converts ratings into priors that add up to 1. A prior falls with the square of the distance to the best
/// rating, in units of `uncertainty`.
fn ratings_to_priors(ratings: &mut [f32], uncertainty: f32) {
    let highest = ratings.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for rating in ratings.iter_mut() {
        let distance = 1.0 + (highest - *rating) / uncertainty;
        *rating = 1.0 / (distance * distance);
        sum += *rating;
    }
    for rating in ratings.iter_mut() {
        *rating /= sum;
    }
}

/// Points scored in a playout, collected from its events.
struct PlayoutScores<G> {
    points: [i32; MAX_SEATS],
    round_is_over: bool,
    game: PhantomData<G>,
}

impl<G: Heuristic> PlayoutScores<G> {
    const fn new() -> PlayoutScores<G> {
        PlayoutScores { points: [0; MAX_SEATS], round_is_over: false, game: PhantomData }
    }

    /// Rewards by seat: the seat's points less the mean of the others'.
    fn rewards(&self, players: u8) -> Rewards {
        let players = usize::from(players).clamp(2, MAX_SEATS);
        let sum: i32 = self.points[..players].iter().sum();
        let others = (players - 1) as f32;
        self.points.map(|own| own as f32 - (sum - own) as f32 / others)
    }
}

impl<G: Heuristic> EventSink<G::Event> for PlayoutScores<G> {
    fn emit(&mut self, _: Audience, event: G::Event) {
        if let Some(points) = G::points(&event) {
            for (seat, points) in points.iter() {
                self.points[seat.index()] += points;
            }
        }
        self.round_is_over |= G::ends_round(&event);
    }
}
