//! House bots by name, for any game.

use std::fmt;

use parlor_engine::{AnyAction, AnyView, Game, Seat, for_all_games};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use crate::{BotError, Greedy, Heuristic, MAX_ITERATIONS, Random, Search, Strategy};

/// A house bot. It plays every game of the catalogue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HouseBot(Kind);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Random,
    Greedy,
    Search(Search),
}

impl HouseBot {
    /// The bot of this name: one of [`names`](HouseBot::names), or `search:N` for a search of N iterations.
    ///
    /// # Errors
    /// [`BotError::UnknownBot`].
    ///
    /// ```
    /// use parlor_bots::HouseBot;
    /// assert_eq!(HouseBot::by_name("search:1000")?.to_string(), "search:1000");
    /// assert!(HouseBot::by_name("deep blue").is_err());
    /// # Ok::<(), parlor_bots::BotError>(())
    /// ```
    pub fn by_name(name: &str) -> Result<HouseBot, BotError> {
        let kind = match name {
            "random" => Some(Kind::Random),
            "greedy" => Some(Kind::Greedy),
            "search" => Some(Kind::Search(Search::default())),
            _ => name
                .strip_prefix("search:")
                .filter(|number| number.bytes().all(|digit| digit.is_ascii_digit()))
                .and_then(|number| number.parse().ok())
                .and_then(Search::new)
                .map(Kind::Search),
        };
        kind.map(HouseBot).ok_or_else(|| BotError::UnknownBot {
            name: name.chars().take(40).collect(),
            max_iterations: MAX_ITERATIONS,
        })
    }

    /// The names of the house bots, weakest first.
    #[must_use]
    pub const fn names() -> &'static [&'static str] {
        &["random", "greedy", "search"]
    }

    /// Chooses an action for the seat of the view. Returns its index in `legal`.
    ///
    /// The seed is the only source of randomness: the same view, list and seed give the same index. Use each
    /// seed once.
    ///
    /// # Errors
    /// The view is a spectator's or impossible, or the list is not its list of legal actions.
    pub fn decide(&self, view: &AnyView, legal: &[AnyAction], seed: [u8; 32]) -> Result<usize, BotError> {
        macro_rules! dispatch {
            ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {
                match view {
                    $(AnyView::$variant(view) => {
                        let legal = legal.iter().map(|action| match action {
                            AnyAction::$variant(action) => Ok(*action),
                            _ => Err(BotError::GameMismatch),
                        });
                        let legal = legal.collect::<Result<Vec<_>, _>>()?;
                        self.decide_in::<parlor_engine::$module::$game>(view, &legal, seed)
                    })*
                }
            };
        }
        for_all_games!(dispatch)
    }

    fn decide_in<G: Heuristic>(
        &self,
        view: &G::View,
        legal: &[G::Action],
        seed: [u8; 32],
    ) -> Result<usize, BotError> {
        let seat = G::viewer(view).seat().ok_or(BotError::SpectatorView)?;
        let mut rng = ChaCha8Rng::from_seed(seed);
        validate::<G>(view, seat, legal, &mut rng)?;
        let view = &*G::view_when_asked(view);
        match self.0 {
            Kind::Random => Strategy::<G>::choose(&Random, view, seat, legal, &mut rng),
            Kind::Greedy => Strategy::<G>::choose(&Greedy, view, seat, legal, &mut rng),
            Kind::Search(search) => Strategy::<G>::choose(&search, view, seat, legal, &mut rng),
        }
    }
}

/// Checks that the view is possible and that the list is its list of legal actions. Legality depends on the
/// view alone, so any sampled world that is consistent with the view gives the expected list.
fn validate<G: Game>(
    view: &G::View,
    seat: Seat,
    legal: &[G::Action],
    rng: &mut impl Rng,
) -> Result<(), BotError> {
    if legal.is_empty() {
        return Err(BotError::NoLegalActions);
    }
    let mut expected = Vec::with_capacity(legal.len());
    G::sample(view, rng)?.legal_actions(seat, &mut expected);
    if legal == expected { Ok(()) } else { Err(BotError::ActionsMismatch) }
}

impl fmt::Display for HouseBot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kind::Random => f.write_str("random"),
            Kind::Greedy => f.write_str("greedy"),
            Kind::Search(search) => write!(f, "search:{}", search.iterations()),
        }
    }
}
