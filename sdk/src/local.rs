//! Games in this process, without a server (feature `local`): the same bots, at full speed.
//!
//! ```
//! use parlor_sdk::local::LocalGame;
//! use parlor_sdk::{Choice, Question};
//!
//! let mut first = |_: &Question| Choice::Index(0);
//! let mut last = |question: &Question| Choice::Index(question.legal_count() - 1);
//! let over = LocalGame::new("gap")?.seed([7; 32]).play(&mut [&mut first, &mut last])?;
//! println!("{} after {} decisions", over.outcome, over.decisions);
//! # Ok::<(), parlor_sdk::Error>(())
//! ```
//!
//! House bots serve as baselines. They live in the crate `parlor-bots` and are adapted like this:
//!
//! ```
//! use parlor_bots::HouseBot;
//! use parlor_sdk::local::LocalGame;
//! use parlor_sdk::{Bot, BotError, Choice, Question};
//!
//! struct House { bot: HouseBot, seed: [u8; 32] }
//!
//! impl Bot for House {
//!     fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
//!         self.seed[..4].copy_from_slice(&question.id().to_le_bytes());
//!         Ok(self.bot.decide(question.engine_view()?, question.engine_actions()?, self.seed)?.into())
//!     }
//! }
//!
//! let mut greedy = House { bot: HouseBot::by_name("greedy")?, seed: [1; 32] };
//! let mut mine = |question: &Question| Choice::Index(question.default_index());
//! let over = LocalGame::new("five_three_five")?.play(&mut [&mut mine, &mut greedy])?;
//! assert_eq!(over.result.seats.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod referee;

use std::sync::Arc;

use parlor_engine::{AnyGame, AnyOptions, Chance, GameId, Outcome, Seat};

use crate::client::unknown_game;
use crate::error::Reason;
use crate::random::fresh_bytes;
use crate::{AsyncBot, Bot, BotError, Choice, Error, GameEnd, GameStart, wire};
use referee::Referee;

/// A game to play in this process: its options and, if wanted, its seed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "nothing is played before `play`"]
pub struct LocalGame {
    options: AnyOptions,
    seed: Option<[u8; 32]>,
}

/// Outcome of a game played in this process.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct LocalResult {
    /// Points and place of each seat, as the engine's type.
    pub outcome: Outcome,
    /// The same result as the server's message.
    pub result: wire::TableResult,
    /// Number of decisions made.
    pub decisions: u64,
}

impl LocalGame {
    /// A game with its default options, by its id.
    ///
    /// # Errors
    ///
    /// [`Reason::GameNotFound`] if this crate has no such game.
    pub fn new(game: &str) -> Result<LocalGame, Error> {
        let game = GameId::from_id(game).ok_or_else(|| unknown_game(game))?;
        Ok(LocalGame::with_options(game.default_options()))
    }

    /// A game with these options.
    pub fn with_options(options: impl Into<AnyOptions>) -> LocalGame {
        LocalGame { options: options.into(), seed: None }
    }

    /// Seed of the shuffles. The same seed and the same choices give the same game, here and on a server.
    /// Default: a fresh random seed.
    pub fn seed(mut self, seed: [u8; 32]) -> LocalGame {
        self.seed = Some(seed);
        self
    }

    /// Plays the game to its end. `bots[n]` takes seat `n`.
    ///
    /// Seats that choose simultaneously are asked one after another; none sees the others' choices.
    ///
    /// # Errors
    ///
    /// The number of bots does not suit the game, a bot fails, or a bot chooses an illegal action. The
    /// message names the seat.
    pub fn play(&self, bots: &mut [&mut dyn Bot]) -> Result<LocalResult, Error> {
        let mut referee = self.referee(bots.len())?;
        for (bot, seat) in bots.iter_mut().zip(0..) {
            bot.start(&self.start(seat, &referee));
        }
        referee.deliver(|seat, update| bots[seat.index()].observe(update));
        while let Some((seat, question)) = referee.next_question() {
            let choice = bots[seat.index()].decide(&question);
            referee.decide(seat, &question, name_seat(seat, choice)?)?;
            referee.deliver(|seat, update| bots[seat.index()].observe(update));
        }
        let finished = referee.result()?;
        for (bot, seat) in bots.iter_mut().zip(0..) {
            bot.end(&GameEnd { start: self.start(seat, &referee), result: Some(&finished.result) });
        }
        Ok(finished)
    }

    /// [`play`](LocalGame::play) with bots that await.
    pub async fn play_async(&self, bots: &mut [&mut dyn AsyncBot]) -> Result<LocalResult, Error> {
        let mut referee = self.referee(bots.len())?;
        for (bot, seat) in bots.iter_mut().zip(0..) {
            bot.start(&self.start(seat, &referee)).await;
        }
        loop {
            let mut updates = Vec::with_capacity(bots.len());
            referee.deliver(|seat, update| updates.push((seat, update.clone())));
            for (seat, update) in updates {
                bots[seat.index()].observe(&update).await;
            }
            let Some((seat, question)) = referee.next_question() else { break };
            let choice = bots[seat.index()].decide(&question).await;
            referee.decide(seat, &question, name_seat(seat, choice)?)?;
        }
        let finished = referee.result()?;
        for (bot, seat) in bots.iter_mut().zip(0..) {
            bot.end(&GameEnd { start: self.start(seat, &referee), result: Some(&finished.result) }).await;
        }
        Ok(finished)
    }

    fn start(&self, seat: u32, referee: &Referee) -> GameStart<'static> {
        let game = self.options.game().info().id;
        GameStart { table_id: "", game, seat, players: referee.players(), table: None }
    }

    /// Sets up the table and deals.
    fn referee(&self, players: usize) -> Result<Referee, Error> {
        let seed = self.seed.map_or_else(fresh_bytes, Ok)?;
        let (version, chance) = (self.options.game().info().rules_version, Chance::seeded(seed));
        let players = u8::try_from(players).unwrap_or(u8::MAX);
        let mut events = Vec::new();
        let game = AnyGame::new(version, self.options, players, chance, &mut events)
            .map_err(|error| Error::new(Reason::Settings, error.to_string()))?;
        Ok(Referee::new(game, Arc::from(""), events))
    }
}

/// Unwraps a bot's choice; an error names the seat.
fn name_seat(seat: Seat, choice: Result<Choice, BotError>) -> Result<Choice, Error> {
    choice.map_err(|error| Error::from_bot(&*error).with_context(format_args!("seat {seat}")))
}

#[cfg(test)]
mod tests;
