//! Bots: what one has to be able to do.

use async_trait::async_trait;

use crate::{Choice, Question, Update, wire};

/// Whatever a bot fails with.
pub type BotError = Box<dyn std::error::Error + Send + Sync>;

/// A player that is a program: it is asked, and answers. The same bot plays one seat, a thousand tables over one stream,
/// or games in this process without a server.
///
/// A closure that takes a [`Question`] and gives a [`Choice`] is a bot too.
///
/// ```
/// use parlor_sdk::{Bot, BotError, Choice, Question, Update};
///
/// /// Does the first thing it can, and counts what it sees.
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
    /// Answers a question. An error ends the bot's game: its clock will then play for it.
    fn decide(&mut self, question: &Question) -> Result<Choice, BotError>;

    /// The bot has a seat. It is told before anything else, once for each table.
    fn start(&mut self, _start: &Start<'_>) {}

    /// Something happened at the table, as the seat learns it. Numbers are consecutive; one that is not means that the
    /// server no longer had what came before. The view of a question holds all that is known in any case.
    fn observe(&mut self, _update: &Update) {}

    /// The table is over.
    fn end(&mut self, _end: &End<'_>) {}

    /// What the server should send: events with updates, and views and legal actions with decisions, unless the bot
    /// says otherwise. What is left out saves bytes on both sides.
    fn wants(&self) -> wire::Wants {
        usual_wants()
    }
}

/// A bot that waits for something while it decides: for another program, a model, a person.
///
/// Every [`Bot`] is one. It then thinks on the task that plays its seat; let one that thinks for longer than a
/// millisecond or so do that on a thread of its own, with [`Offloaded`](crate::Offloaded).
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
    /// Answers a question. See [`Bot::decide`].
    async fn decide(&mut self, question: &Question) -> Result<Choice, BotError>;

    /// The bot has a seat. See [`Bot::start`].
    async fn start(&mut self, _start: &Start<'_>) {}

    /// Something happened at the table. See [`Bot::observe`].
    async fn observe(&mut self, _update: &Update) {}

    /// The table is over. See [`Bot::end`].
    async fn end(&mut self, _end: &End<'_>) {}

    /// What the server should send. See [`Bot::wants`].
    fn wants(&self) -> wire::Wants {
        usual_wants()
    }
}

fn usual_wants() -> wire::Wants {
    wire::Wants { events: true, decision_views: true, legal_actions: true, ..Default::default() }
}

/// Where a bot plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Start<'a> {
    /// The id of the table; empty for a game in this process.
    pub table_id: &'a str,
    /// The id of the game.
    pub game: &'a str,
    /// The bot's seat.
    pub seat: u32,
    /// How many play.
    pub players: u32,
}

/// How a table ended for a bot.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct End<'a> {
    /// Where the bot played.
    pub start: Start<'a>,
    /// How the table ended; none if the server did not say.
    pub result: Option<&'a wire::TableResult>,
}

impl End<'_> {
    /// What the bot reached; none unless the game was played to its end.
    #[must_use]
    pub fn own(&self) -> Option<&wire::SeatResult> {
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

    async fn start(&mut self, start: &Start<'_>) {
        Bot::start(self, start);
    }

    async fn observe(&mut self, update: &Update) {
        Bot::observe(self, update);
    }

    async fn end(&mut self, end: &End<'_>) {
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

    fn start(&mut self, start: &Start<'_>) {
        (**self).start(start);
    }

    fn observe(&mut self, update: &Update) {
        (**self).observe(update);
    }

    fn end(&mut self, end: &End<'_>) {
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

    async fn start(&mut self, start: &Start<'_>) {
        (**self).start(start).await;
    }

    async fn observe(&mut self, update: &Update) {
        (**self).observe(update).await;
    }

    async fn end(&mut self, end: &End<'_>) {
        (**self).end(end).await;
    }

    fn wants(&self) -> wire::Wants {
        (**self).wants()
    }
}
