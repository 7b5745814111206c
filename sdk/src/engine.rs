//! Questions as the engine's types (feature `engine`): views to reason about, worlds to search in.
//!
//! A view holds all that a player knows. [`Question::sample`] makes a whole game that agrees with it, drawn evenly from
//! all that do, and [`playout`] plays one to its end. That is all it takes for a bot that searches:
//!
//! ```
//! use parlor_sdk::{Bot, BotError, Choice, Question};
//! use rand_chacha::ChaCha8Rng;
//!
//! /// Tries every action in a hundred worlds, and does what brought the most points.
//! struct MonteCarlo(ChaCha8Rng);
//!
//! impl Bot for MonteCarlo {
//!     fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
//!         let seat = question.engine_seat()?;
//!         let mut totals = vec![0; question.engine_actions()?.len()];
//!         for _ in 0..100 {
//!             let world = question.sample(&mut self.0)?;
//!             for (index, total) in totals.iter_mut().enumerate() {
//!                 let outcome = question.try_out(world.clone(), index, &mut self.0)?;
//!                 *total += outcome.points(seat).unwrap_or_default();
//!             }
//!         }
//!         let best = (0..totals.len()).max_by_key(|index| totals[*index]).unwrap_or_default();
//!         Ok(best.into())
//!     }
//! }
//! ```

use parlor_engine::{AnyAction, AnyGame, AnyView, Game, NoEvents, Outcome, Seat, below, for_all_games};
use parlor_proto::convert::{self, WrongField};
use rand_core::Rng;

use crate::error::Reason;
use crate::{Error, Question};

/// Something of the wire that this client's engine cannot be.
pub(crate) fn unknown(what: &str, wrong: &WrongField) -> Error {
    let message =
        format!("this client cannot read {what} of the server ({wrong}): update the client library");
    Error::new(Reason::UnknownReply, message)
}

impl Question {
    /// All that the player knows, as the engine's view. It is made once, however often it is asked for.
    pub fn engine_view(&self) -> Result<&AnyView, Error> {
        match self.engine_view_or_none() {
            Some(Ok(view)) => Ok(view),
            Some(Err(wrong)) => Err(unknown("a view", wrong)),
            None => Err(Error::new(Reason::Settings, "take the seat with wanting views with decisions")),
        }
    }

    /// All that the player can do, as the engine's actions, in the same order.
    pub fn engine_actions(&self) -> Result<&[AnyAction], Error> {
        match self.engine_actions_or_wrong() {
            Some(Ok(actions)) if actions.is_empty() => {
                Err(Error::new(Reason::Settings, "take the seat with wanting legal actions"))
            }
            Some(Ok(actions)) => Ok(actions),
            Some(Err(wrong)) => Err(unknown("an action", wrong)),
            None => Err(Error::lacks("legal actions")),
        }
    }

    /// The seat that is asked, as the engine's seat.
    pub fn engine_seat(&self) -> Result<Seat, Error> {
        convert::seat(self.seat(), "seat").map_err(|wrong| unknown("a seat", &wrong))
    }

    /// A whole game that agrees with the view, drawn evenly from all that do. What chance brings later is fresh.
    pub fn sample(&self, rng: &mut impl Rng) -> Result<AnyGame, Error> {
        AnyGame::sample(self.engine_view()?, rng).map_err(|impossible| {
            Error::new(
                Reason::UnknownReply,
                format!("no game agrees with the view ({impossible}): update the client library"),
            )
        })
    }

    /// Does the action at this place of the list in a world, and plays it to its end at random.
    pub fn try_out(&self, mut world: AnyGame, index: usize, rng: &mut impl Rng) -> Result<Outcome, Error> {
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

/// Plays a game to its end, each action drawn evenly from the legal ones, and gives the result.
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
                $(AnyGame::$variant(game) => play_out(*game, rng),)*
            }
        };
    }
    for_all_games!(play)
}

fn play_out<G: Game>(mut game: G, rng: &mut impl Rng) -> Outcome {
    let mut legal = Vec::new();
    loop {
        if let Some(seat) = game.to_act().first() {
            game.legal_actions(seat, &mut legal);
            let choice = legal[below(legal.len() as u32, rng) as usize];
            game.apply(seat, choice, &mut NoEvents).expect("a listed action is legal");
        } else if game.window_is_held() {
            game.close_window(&mut NoEvents);
        } else {
            return game.outcome().expect("a game that waits for nobody is over");
        }
    }
}
