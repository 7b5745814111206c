//! Information-set Monte Carlo tree search.
//!
//! Each iteration draws a world that agrees with the view ([`sample`](parlor_engine::Game::sample)), walks down the tree of what the observer
//! would see, adds one node to it, plays on by ratings until the round is over, and notes on the way back what
//! everyone made of it. The tree is shared by all worlds, so what it learns holds on average over what the observer
//! cannot know: it never learns to act on a hidden card.
//!
//! - The search gets a view and no game. The worlds are its own.
//! - Everyone in a world is taken to want as many points as possible more than the others.
//! - What others choose unseen (which cards they hide, whether they say yes in secret) is chosen by ratings and makes
//!   no node: the observer could not tell these nodes apart.

use std::marker::PhantomData;

use parlor_engine::{Audience, EventSink, MAX_SEATS, Seat, Viewer, below};
use rand_core::Rng;

use crate::strategy::best;
use crate::tree::{NodeId, Rewards, Tree};
use crate::{BotError, Rated, Strategy};

/// The most iterations that a search can have: it needs some 10 MB for its tree then, and seconds.
pub const MAX_ITERATIONS: u32 = 100_000;

/// A playout does something at random once in so many actions, so that more than one course of events is seen.
const SURPRISE: u32 = 8;

/// A tree search with a budget of iterations: the same view, list and randomness give the same choice.
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
    /// A search of so many iterations: 1 to [`MAX_ITERATIONS`].
    #[must_use]
    pub fn new(iterations: u32) -> Option<Search> {
        (1..=MAX_ITERATIONS).contains(&iterations).then_some(Search { iterations })
    }

    /// How many iterations it has for a decision.
    #[must_use]
    pub const fn iterations(self) -> u32 {
        self.iterations
    }

    /// Searches while `go_on`, asked with the number of iterations done, says so, and at most [`MAX_ITERATIONS`]
    /// long. There is no clock in here: a caller who wants to spend time looks at theirs.
    pub fn choose_while<G: Rated>(
        view: &G::View,
        seat: Seat,
        legal: &[G::Action],
        rng: &mut impl Rng,
        mut go_on: impl FnMut(u32) -> bool,
    ) -> Result<usize, BotError> {
        if legal.is_empty() {
            return Err(BotError::NothingToChoose);
        }
        if legal.len() == 1 {
            return Ok(0);
        }
        let mut walk = Walk::<G>::new(view, seat, legal);
        let mut done = 0;
        while done < MAX_ITERATIONS && go_on(done) {
            walk.iterate(rng)?;
            done += 1;
        }
        let chosen = walk.tree.most_tried();
        let place = chosen.and_then(|chosen| legal.iter().position(|action| *action == chosen));
        Ok(place.unwrap_or_else(|| best(&walk.root_ratings, rng)))
    }
}

impl<G: Rated> Strategy<G> for Search {
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

/// One search under way, with what it needs again and again.
struct Walk<'a, G: Rated> {
    view: &'a G::View,
    observer: Seat,
    root_legal: &'a [G::Action],
    root_ratings: Vec<f32>,
    tree: Tree<G::Action>,
    path: Vec<NodeId>,
    legal: Vec<G::Action>,
    ratings: Vec<f32>,
}

impl<'a, G: Rated> Walk<'a, G> {
    fn new(view: &'a G::View, observer: Seat, legal: &'a [G::Action]) -> Walk<'a, G> {
        let mut root_ratings = Vec::with_capacity(legal.len());
        G::rate(view, observer, legal, &mut root_ratings);
        Walk {
            view,
            observer,
            root_legal: legal,
            root_ratings,
            tree: Tree::new(),
            path: Vec::new(),
            legal: Vec::new(),
            ratings: Vec::new(),
        }
    }

    fn iterate(&mut self, rng: &mut impl Rng) -> Result<(), BotError> {
        let mut world = G::sample(self.view, rng)?;
        let mut scores = Scores::<G>::new();
        self.path.clear();
        self.path.push(NodeId::ROOT);
        let mut node = NodeId::ROOT;
        let mut in_tree = true;
        for step in 0..G::HORIZON {
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
                    return Err(BotError::OtherActions);
                }
                self.legal.clear();
                self.legal.extend_from_slice(self.root_legal);
                self.ratings.clone_from(&self.root_ratings);
            } else {
                world.legal_actions(actor, &mut self.legal);
                self.rate(&world, actor);
            }
            let sees = actor == self.observer || !self.legal.iter().any(G::is_unseen);
            let place = if in_tree && sees {
                trust(&mut self.ratings, G::DOUBT);
                let (place, next, is_new) = self.tree.descend(node, actor, &self.legal, &self.ratings);
                self.path.push(next);
                node = next;
                in_tree = !is_new;
                place
            } else if !in_tree && below(SURPRISE, rng) == 0 {
                below(self.legal.len() as u32, rng) as usize
            } else {
                best(&self.ratings, rng)
            };
            let Some(action) = self.legal.get(place) else {
                break;
            };
            if world.apply(actor, *action, &mut scores).is_err() {
                // A world allows what it offers: only the caller's own list can be wrong.
                return Err(BotError::OtherActions);
            }
        }
        self.tree.learn(&self.path, &scores.rewards(world.players()));
        Ok(())
    }

    /// Rates what the actor can do by what the actor sees.
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

/// Turns ratings into shares of trust, which add up to 1: the share falls with the square of how far a rating is
/// below the best.
fn trust(ratings: &mut [f32], doubt: f32) {
    let highest = ratings.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for rating in ratings.iter_mut() {
        let below = 1.0 + (highest - *rating) / doubt;
        *rating = 1.0 / (below * below);
        sum += *rating;
    }
    for rating in ratings.iter_mut() {
        *rating /= sum;
    }
}

/// The points made in a playout, picked up from its events.
struct Scores<G> {
    points: [i32; MAX_SEATS],
    round_is_over: bool,
    game: PhantomData<G>,
}

impl<G: Rated> Scores<G> {
    const fn new() -> Scores<G> {
        Scores { points: [0; MAX_SEATS], round_is_over: false, game: PhantomData }
    }

    /// The points of each seat, less the mean of the others'.
    fn rewards(&self, players: u8) -> Rewards {
        let players = usize::from(players).clamp(2, MAX_SEATS);
        let sum: i32 = self.points[..players].iter().sum();
        let others = (players - 1) as f32;
        self.points.map(|own| own as f32 - (sum - own) as f32 / others)
    }
}

impl<G: Rated> EventSink<G::Event> for Scores<G> {
    fn emit(&mut self, _: Audience, event: G::Event) {
        if let Some(points) = G::points(&event) {
            for (seat, points) in points.iter() {
                self.points[seat.index()] += points;
            }
        }
        self.round_is_over |= G::ends_round(&event);
    }
}
