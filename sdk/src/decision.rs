//! A decision of a seat, and the way to answer it.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::session::Channel;
use crate::time::Stopwatch;
use crate::{Answered, Choice, Error, Question, wire};

/// What a seat is asked by a server: a [`Question`], and the way to answer it.
///
/// It can be answered for as long as it is kept, also after its [`Seat`](crate::Seat) was dropped.
pub struct Decision {
    question: Question,
    channel: Arc<Channel>,
    since: Stopwatch,
}

impl Decision {
    pub(crate) fn new(question: Question, channel: Arc<Channel>) -> Decision {
        Decision { question, channel, since: Stopwatch::start() }
    }

    /// The question alone, which can be kept and handed on.
    #[must_use]
    pub fn question(&self) -> &Question {
        &self.question
    }

    /// Does an action: one of [`legal_actions`](Question::legal_actions), or any other, which the rules then refuse.
    ///
    /// Waits until the server has it on disk, through broken connections; the answer is sent again until the server has
    /// said what became of it. If it is refused, the decision stays open and can be answered again.
    pub async fn choose(&self, choice: impl Into<Choice>) -> Result<Answered, Error> {
        let answer = choice.into().answer(self.question.id(), Some(self.since.elapsed_ms()));
        self.channel.answer(answer).await
    }

    /// Does the action at this place of the list of legal actions, the first being 0.
    pub async fn choose_index(&self, index: usize) -> Result<Answered, Error> {
        self.choose(index).await
    }

    /// Does what the clock would do.
    pub async fn choose_default(&self) -> Result<Answered, Error> {
        self.choose(self.default_index()).await
    }
}

impl Deref for Decision {
    type Target = Question;

    fn deref(&self) -> &Question {
        &self.question
    }
}

impl fmt::Debug for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Decision").field(&self.question).finish()
    }
}

/// What a decision of the wire asks.
pub(crate) fn ask(
    channel: &Arc<Channel>,
    table_id: &Arc<str>,
    seat: u32,
    decision: wire::Decision,
) -> Decision {
    Decision::new(Question::from_wire(Arc::clone(table_id), seat, decision), Arc::clone(channel))
}
