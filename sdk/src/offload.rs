//! Thinking on a thread of its own.

use async_trait::async_trait;

use crate::{AsyncBot, Bot, BotError, Choice, End, Question, Start, Update, wire};

/// Lets a [`Bot`] think on a thread for blocking work, so that one that searches for seconds holds up nobody else's
/// seat.
///
/// ```
/// # use parlor_sdk::{Choice, Offloaded, Question};
/// let thinker = |question: &Question| Choice::Index(question.default_index());
/// let bot = Offloaded::new(thinker);
/// ```
#[derive(Debug)]
pub struct Offloaded<B> {
    /// Away while it thinks, and for good if it panicked or nobody waited for it.
    bot: Option<B>,
    wants: wire::Wants,
}

impl<B: Bot + 'static> Offloaded<B> {
    /// The same bot, thinking elsewhere.
    pub fn new(bot: B) -> Offloaded<B> {
        Offloaded { wants: Bot::wants(&bot), bot: Some(bot) }
    }
}

#[async_trait]
impl<B: Bot + 'static> AsyncBot for Offloaded<B> {
    async fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        let mut bot = self.bot.take().ok_or("the bot did not come back from a decision before")?;
        let question = question.clone();
        let thinking = tokio::task::spawn_blocking(move || {
            let choice = Bot::decide(&mut bot, &question);
            (bot, choice)
        });
        let (bot, choice) = thinking.await?;
        self.bot = Some(bot);
        choice
    }

    async fn start(&mut self, start: &Start<'_>) {
        if let Some(bot) = &mut self.bot {
            Bot::start(bot, start);
        }
    }

    async fn observe(&mut self, update: &Update) {
        if let Some(bot) = &mut self.bot {
            Bot::observe(bot, update);
        }
    }

    async fn end(&mut self, end: &End<'_>) {
        if let Some(bot) = &mut self.bot {
            Bot::end(bot, end);
        }
    }

    fn wants(&self) -> wire::Wants {
        self.wants
    }
}
