//! [`BlockingBot`]: runs a bot on Tokio's blocking thread pool.

use async_trait::async_trait;

use crate::{AsyncBot, Bot, BotError, Choice, GameEnd, GameStart, Question, Update, wire};

/// Runs a [`Bot`]'s `decide` on Tokio's blocking thread pool, so a bot that searches for seconds delays no
/// other seat.
///
/// ```
/// # use parlor_sdk::{Choice, BlockingBot, Question};
/// let slow_bot = |question: &Question| Choice::Index(question.default_index());
/// let bot = BlockingBot::new(slow_bot);
/// ```
#[derive(Debug)]
pub struct BlockingBot<B> {
    /// `None` while it decides on another thread; stays `None` if it panicked or its decision was cancelled.
    bot: Option<B>,
    wants: wire::Wants,
}

impl<B: Bot + 'static> BlockingBot<B> {
    /// Wraps a bot.
    pub fn new(bot: B) -> BlockingBot<B> {
        BlockingBot { wants: Bot::wants(&bot), bot: Some(bot) }
    }
}

#[async_trait]
impl<B: Bot + 'static> AsyncBot for BlockingBot<B> {
    async fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        let mut bot = self.bot.take().ok_or("an earlier decision of the bot panicked or was cancelled")?;
        let question = question.clone();
        let deciding = tokio::task::spawn_blocking(move || {
            let choice = Bot::decide(&mut bot, &question);
            (bot, choice)
        });
        let (bot, choice) = deciding.await?;
        self.bot = Some(bot);
        choice
    }

    async fn start(&mut self, start: &GameStart<'_>) {
        if let Some(bot) = &mut self.bot {
            Bot::start(bot, start);
        }
    }

    async fn observe(&mut self, update: &Update) {
        if let Some(bot) = &mut self.bot {
            Bot::observe(bot, update);
        }
    }

    async fn end(&mut self, end: &GameEnd<'_>) {
        if let Some(bot) = &mut self.bot {
            Bot::end(bot, end);
        }
    }

    fn wants(&self) -> wire::Wants {
        self.wants
    }
}
