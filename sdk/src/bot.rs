//! The bot traits: [`Bot`] for bots that compute, [`AsyncBot`] for bots that await.

use async_trait::async_trait;

use crate::{Choice, Question, Update, wire};

/// Any error that a bot fails with.
pub type BotError = Box<dyn std::error::Error + Send + Sync>;

/// A program that plays: it is asked questions and returns choices. The same bot plays one seat, a thousand
/// tables over one stream, or games in this process without a server.
///
/// Closures `FnMut(&Question) -> Choice` implement it.
///
/// ```
/// use parlor_sdk::{Bot, BotError, Choice, Question, Update};
///
/// /// Plays the first legal action and counts the updates.
/// struct First { updates: usize }
///
/// impl Bot for First {
///     fn decide(&mut self, _: &Question) -> Result<Choice, BotError> {
///         Ok(Choice::Index(0))
///     }
///     fn observe(&mut self, _: &Update) {
///         self.updates += 1;
///     }
/// }
/// ```
pub trait Bot: Send {
    /// Chooses an action. An error ends this bot's game: from then on the clock plays its seat.
    fn decide(&mut self, question: &Question) -> Result<Choice, BotError>;

    /// Called once per table, before any other method.
    fn start(&mut self, _start: &GameStart<'_>) {}

    /// Called for each update of the table, as this seat sees it. Update numbers are consecutive; a gap means
    /// that the server no longer had the updates in between. The view of a question is complete regardless.
    fn observe(&mut self, _update: &Update) {}

    /// Called once when the table is over.
    fn end(&mut self, _end: &GameEnd<'_>) {}

    /// Selects the parts of messages that the server sends. What is not set has its default: events with
    /// updates, views and legal actions with decisions. Leaving parts out saves bandwidth on both sides.
    fn wants(&self) -> wire::Wants {
        wire::Wants::default()
    }
}

/// A bot that awaits something while it decides: another program, a model, a person.
///
/// Every [`Bot`] implements it. Its `decide` then runs on the task that plays the seat; wrap a bot that
/// computes for longer than about a millisecond in [`BlockingBot`](crate::BlockingBot).
///
/// ```
/// use parlor_sdk::{AsyncBot, BotError, Choice, Question, async_trait};
///
/// struct Slow;
///
/// #[async_trait]
/// impl AsyncBot for Slow {
///     async fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
///         tokio::time::sleep(std::time::Duration::from_millis(10)).await;
///         Ok(question.default_index().into())
///     }
/// }
/// ```
#[async_trait]
pub trait AsyncBot: Send {
    /// Chooses an action. See [`Bot::decide`].
    async fn decide(&mut self, question: &Question) -> Result<Choice, BotError>;

    /// Called once per table. See [`Bot::start`].
    async fn start(&mut self, _start: &GameStart<'_>) {}

    /// Called for each update. See [`Bot::observe`].
    async fn observe(&mut self, _update: &Update) {}

    /// Called once when the table is over. See [`Bot::end`].
    async fn end(&mut self, _end: &GameEnd<'_>) {}

    /// Selects the parts of messages that the server sends. See [`Bot::wants`].
    fn wants(&self) -> wire::Wants {
        wire::Wants::default()
    }
}

/// The table and seat that a bot plays.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct GameStart<'a> {
    /// Id of the table; empty for a game in this process.
    pub table_id: &'a str,
    /// Id of the game.
    pub game: &'a str,
    /// The bot's seat.
    pub seat: u32,
    /// Number of players.
    pub players: u32,
    /// The table at that time, with its options and players; `None` for a game in this process.
    pub table: Option<&'a wire::Table>,
}

impl<'a> GameStart<'a> {
    /// The start of a seat at a table, for programs that call bots themselves.
    #[must_use]
    pub fn new(table: &'a wire::Table, seat: u32) -> GameStart<'a> {
        let players = u32::try_from(table.seats.len()).unwrap_or(u32::MAX);
        GameStart { table_id: &table.table_id, game: &table.game, seat, players, table: Some(table) }
    }
}

/// The end of a table, for one bot.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct GameEnd<'a> {
    /// The table and seat that the bot played.
    pub start: GameStart<'a>,
    /// Result of the table; `None` if the server sent none.
    pub result: Option<&'a wire::TableResult>,
}

impl GameEnd<'_> {
    /// Result of the bot's own seat; `None` unless the game was played out.
    #[must_use]
    pub fn own_result(&self) -> Option<&wire::SeatResult> {
        self.result?.seats.iter().find(|seat| seat.seat == self.start.seat)
    }
}

impl<F: FnMut(&Question) -> Choice + Send> Bot for F {
    fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        Ok(self(question))
    }
}

#[async_trait]
impl<B: Bot + ?Sized> AsyncBot for B {
    async fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        Bot::decide(self, question)
    }

    async fn start(&mut self, start: &GameStart<'_>) {
        Bot::start(self, start);
    }

    async fn observe(&mut self, update: &Update) {
        Bot::observe(self, update);
    }

    async fn end(&mut self, end: &GameEnd<'_>) {
        Bot::end(self, end);
    }

    fn wants(&self) -> wire::Wants {
        Bot::wants(self)
    }
}

impl Bot for Box<dyn Bot> {
    fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        (**self).decide(question)
    }

    fn start(&mut self, start: &GameStart<'_>) {
        (**self).start(start);
    }

    fn observe(&mut self, update: &Update) {
        (**self).observe(update);
    }

    fn end(&mut self, end: &GameEnd<'_>) {
        (**self).end(end);
    }

    fn wants(&self) -> wire::Wants {
        (**self).wants()
    }
}

#[async_trait]
impl AsyncBot for Box<dyn AsyncBot> {
    async fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        (**self).decide(question).await
    }

    async fn start(&mut self, start: &GameStart<'_>) {
        (**self).start(start).await;
    }

    async fn observe(&mut self, update: &Update) {
        (**self).observe(update).await;
    }

    async fn end(&mut self, end: &GameEnd<'_>) {
        (**self).end(end).await;
    }

    fn wants(&self) -> wire::Wants {
        (**self).wants()
    }
}
