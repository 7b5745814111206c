//! Questions as engine types (feature `engine`), with sampling and playouts for bots that search.
//!
//! A view holds everything a player knows. [`Question::sample`] draws a complete game consistent with it,
//! uniformly from all such games, and [`playout`] plays a game to its end at random. A Monte Carlo bot needs
//! no more:
//!
//! ```
//! use parlor_sdk::{Bot, BotError, Choice, Question};
//! use rand_chacha::ChaCha8Rng;
//!
//! /// Tries every action in a hundred sampled worlds and plays the one with the most points.
//! struct MonteCarlo(ChaCha8Rng);
//!
//! impl Bot for MonteCarlo {
//!     fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
//!         let seat = question.engine_seat()?;
//!         let mut totals = vec![0; question.engine_actions()?.len()];
//!         for _ in 0..100 {
//!             let world = question.sample(&mut self.0)?;
//!             for (index, total) in totals.iter_mut().enumerate() {
//!                 let outcome = question.playout_action(world.clone(), index, &mut self.0)?;
//!                 *total += outcome.points(seat).unwrap_or_default();
//!             }
//!         }
//!         let best = (0..totals.len()).max_by_key(|index| totals[*index]).unwrap_or_default();
//!         Ok(best.into())
//!     }
//! }
//! ```

use parlor_engine::{AnyAction, AnyGame, AnyView, Game, NoEvents, Outcome, Seat, below, for_all_games};
use parlor_proto::convert::{self, InvalidField};
use rand_core::Rng;

use crate::error::Reason;
use crate::{Error, Question};

/// Error for a wire value that this crate's engine does not know.
pub(crate) fn unsupported_value(what: &str, wrong: &InvalidField) -> Error {
    let message =
        format!("this client cannot read {what} of the server ({wrong}): update the client library");
    Error::new(Reason::UnknownReply, message)
}

impl Question {
    /// The player's view as the engine's type. Converted once and cached.
    ///
    /// # Errors
    ///
    /// [`Reason::Settings`] if the seat was attached without `decision_views`, [`Reason::UnknownReply`] if
    /// the server's view is newer than this crate.
    pub fn engine_view(&self) -> Result<&AnyView, Error> {
        match self.converted_view() {
            Some(Ok(view)) => Ok(view),
            Some(Err(wrong)) => Err(unsupported_value("a view", wrong)),
            None => Err(Error::new(
                Reason::Settings,
                "the decision has no view: attach the seat with `decision_views` in its wants",
            )),
        }
    }

    /// All legal actions as the engine's type, in the same order.
    ///
    /// # Errors
    ///
    /// [`Reason::Settings`] if the seat was attached without `legal_actions`, [`Reason::UnknownReply`] if an
    /// action is newer than this crate.
    pub fn engine_actions(&self) -> Result<&[AnyAction], Error> {
        match self.converted_actions() {
            Some(Ok(actions)) if actions.is_empty() => Err(Error::new(
                Reason::Settings,
                "the decision has no list of actions: attach the seat with `legal_actions` in its wants",
            )),
            Some(Ok(actions)) => Ok(actions),
            Some(Err(wrong)) => Err(unsupported_value("an action", wrong)),
            None => Err(Error::missing_field("legal actions")),
        }
    }

    /// The seat that decides, as the engine's type.
    pub fn engine_seat(&self) -> Result<Seat, Error> {
        convert::seat(self.seat(), "seat").map_err(|wrong| unsupported_value("a seat", &wrong))
    }

    /// Samples a world: a complete game consistent with the view, drawn uniformly from all such games, with
    /// fresh chance for the future.
    ///
    /// # Errors
    ///
    /// Those of [`engine_view`](Question::engine_view), and [`Reason::UnknownReply`] for an impossible view.
    pub fn sample(&self, rng: &mut impl Rng) -> Result<AnyGame, Error> {
        AnyGame::sample(self.engine_view()?, rng).map_err(|impossible| {
            Error::new(
                Reason::UnknownReply,
                format!("no game agrees with the view ({impossible}): update the client library"),
            )
        })
    }

    /// Applies the legal action at `index` to a world and plays it to its end at random.
    ///
    /// # Errors
    ///
    /// Those of [`engine_actions`](Question::engine_actions), and [`Reason::IllegalAction`] if there is no
    /// action at `index` or the world refuses it.
    pub fn playout_action(
        &self,
        mut world: AnyGame,
        index: usize,
        rng: &mut impl Rng,
    ) -> Result<Outcome, Error> {
        let actions = self.engine_actions()?;
        let action = actions.get(index).ok_or_else(|| {
            let message = format!("there are {} legal actions, and none at {index}", actions.len());
            Error::new(Reason::IllegalAction, message)
        })?;
        world
            .apply(self.engine_seat()?, *action, &mut NoEvents)
            .map_err(|refusal| Error::new(Reason::IllegalAction, refusal.to_string()))?;
        Ok(playout(world, rng))
    }
}

/// Plays a game to its end, each action drawn uniformly from the legal ones, and returns the outcome.
///
/// ```
/// use parlor_engine::{AnyGame, Chance, GameId, NoEvents};
/// use rand_core::SeedableRng;
///
/// let game = AnyGame::new(1, GameId::Gap.default_options(), 3, Chance::seeded([0; 32]), &mut NoEvents)?;
/// let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
/// let outcome = parlor_sdk::engine::playout(game, &mut rng);
/// assert_eq!(outcome.standings().count(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn playout(game: AnyGame, rng: &mut impl Rng) -> Outcome {
    macro_rules! play {
        ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {
            match game {
                $(AnyGame::$variant(game) => play_randomly(*game, rng),)*
            }
        };
    }
    for_all_games!(play)
}

fn play_randomly<G: Game>(mut game: G, rng: &mut impl Rng) -> Outcome {
    let mut legal = Vec::new();
    loop {
        if let Some(seat) = game.to_act().first() {
            game.legal_actions(seat, &mut legal);
            let choice = legal[below(legal.len() as u32, rng) as usize];
            game.apply(seat, choice, &mut NoEvents).expect("a listed action is legal");
        } else if game.window_is_held() {
            game.close_window(&mut NoEvents);
        } else {
            return game.outcome().expect("a game with no seat to act is over");
        }
    }
}
