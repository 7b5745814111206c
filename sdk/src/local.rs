//! Games in this process, without a server (feature `local`): the same bots, as fast as they think.
//!
//! ```
//! use parlor_sdk::local::LocalGame;
//! use parlor_sdk::{Choice, Question};
//!
//! let mut first = |_: &Question| Choice::Index(0);
//! let mut last = |question: &Question| Choice::Index(question.legal_count() - 1);
//! let over = LocalGame::of("gap")?.seed([7; 32]).play(&mut [&mut first, &mut last])?;
//! println!("{} after {} decisions", over.outcome, over.decisions);
//! # Ok::<(), parlor_sdk::Error>(())
//! ```
//!
//! The bots of the house are baselines to beat. They are in the crate `parlor-bots`, and take their places like this:
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
//! let over = LocalGame::of("flush")?.play(&mut [&mut mine, &mut greedy])?;
//! assert_eq!(over.result.seats.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod referee;

use std::sync::Arc;

use parlor_engine::{AnyGame, AnyOptions, Chance, GameId, Outcome, Seat};

use crate::client::unknown_game;
use crate::error::Reason;
use crate::random::fresh_bytes;
use crate::{AsyncBot, Bot, BotError, Choice, End, Error, Start, wire};
use referee::Referee;

/// A game to be played in this process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "nothing is played before `play`"]
pub struct LocalGame {
    options: AnyOptions,
    seed: Option<[u8; 32]>,
}

/// A game that was played.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct LocalOver {
    /// What each seat reached.
    pub outcome: Outcome,
    /// The same as a server would say it.
    pub result: wire::TableResult,
    /// How many decisions were made.
    pub decisions: u64,
}

impl LocalGame {
    /// A game with its usual options, by its id.
    pub fn of(game: &str) -> Result<LocalGame, Error> {
        let game = GameId::from_id(game).ok_or_else(|| unknown_game(game))?;
        Ok(LocalGame::with_options(game.default_options()))
    }

    /// A game with options.
    pub fn with_options(options: impl Into<AnyOptions>) -> LocalGame {
        LocalGame { options: options.into(), seed: None }
    }

    /// The seed of the shuffle: the same seed and the same choices give the same game, here and at a server. Not said:
    /// a fresh one.
    pub fn seed(mut self, seed: [u8; 32]) -> LocalGame {
        self.seed = Some(seed);
        self
    }

    /// Plays the game to its end, with a bot for each seat, in order.
    ///
    /// Seats that are to choose at the same time are asked one after another, and none learns what the others chose. A
    /// bot that fails, or does what is against the rules, ends the game with an error that names its seat.
    pub fn play(&self, bots: &mut [&mut dyn Bot]) -> Result<LocalOver, Error> {
        let mut referee = self.referee(bots.len())?;
        for (bot, seat) in bots.iter_mut().zip(0..) {
            bot.start(&self.start(seat, &referee));
        }
        referee.tell(|seat, update| bots[seat.index()].observe(update));
        while let Some((seat, question)) = referee.ask() {
            let choice = bots[seat.index()].decide(&question);
            referee.decide(seat, &question, chosen(seat, choice)?)?;
            referee.tell(|seat, update| bots[seat.index()].observe(update));
        }
        let over = referee.over()?;
        for (bot, seat) in bots.iter_mut().zip(0..) {
            bot.end(&End { start: self.start(seat, &referee), result: Some(&over.result) });
        }
        Ok(over)
    }

    /// The same with bots that wait for something.
    pub async fn play_async(&self, bots: &mut [&mut dyn AsyncBot]) -> Result<LocalOver, Error> {
        let mut referee = self.referee(bots.len())?;
        for (bot, seat) in bots.iter_mut().zip(0..) {
            bot.start(&self.start(seat, &referee)).await;
        }
        loop {
            let mut updates = Vec::with_capacity(bots.len());
            referee.tell(|seat, update| updates.push((seat, update.clone())));
            for (seat, update) in updates {
                bots[seat.index()].observe(&update).await;
            }
            let Some((seat, question)) = referee.ask() else { break };
            let choice = bots[seat.index()].decide(&question).await;
            referee.decide(seat, &question, chosen(seat, choice)?)?;
        }
        let over = referee.over()?;
        for (bot, seat) in bots.iter_mut().zip(0..) {
            bot.end(&End { start: self.start(seat, &referee), result: Some(&over.result) }).await;
        }
        Ok(over)
    }

    fn start(&self, seat: u32, referee: &Referee) -> Start<'static> {
        Start { table_id: "", game: self.options.game().info().id, seat, players: referee.players() }
    }

    /// Sets the table up, and deals.
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

/// What a bot chose, or why it could not.
fn chosen(seat: Seat, choice: Result<Choice, BotError>) -> Result<Choice, Error> {
    choice.map_err(|error| Error::of_bot(&*error).at(format_args!("seat {seat}")))
}

#[cfg(test)]
mod tests;
