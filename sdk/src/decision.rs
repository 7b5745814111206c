//! Decisions of a seat: a question and the handle that answers it.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::session::SubscriptionHandle;
use crate::time::Stopwatch;
use crate::{AcceptedAnswer, Choice, Error, Question, wire};

/// A [`Question`] that the server has put to a seat, with the handle to answer it.
///
/// It stays answerable after its [`Seat`](crate::Seat) is dropped: a live decision keeps the subscription
/// open.
pub struct Decision {
    question: Question,
    subscription: Arc<SubscriptionHandle>,
    since: Stopwatch,
}

impl Decision {
    pub(crate) fn new(question: Question, subscription: Arc<SubscriptionHandle>) -> Decision {
        Decision { question, subscription, since: Stopwatch::start() }
    }

    /// The question without the handle: cheap to clone, and free to outlive the decision.
    #[must_use]
    pub fn question(&self) -> &Question {
        &self.question
    }

    /// Sends an action: one of [`legal_actions`](Question::legal_actions), an index into that list, or any
    /// other action, which the server refuses.
    ///
    /// Returns once the server has committed the answer to disk. The answer is re-sent after every reconnect
    /// until the server acknowledges it; repeats are harmless.
    ///
    /// # Errors
    ///
    /// [`Reason::IllegalAction`](crate::Reason::IllegalAction) if the rules refuse the action: the decision
    /// stays open and can be answered again. [`Reason::DecidedOtherwise`](crate::Reason::DecidedOtherwise) if
    /// the clock or another client of the seat was first.
    pub async fn choose(&self, choice: impl Into<Choice>) -> Result<AcceptedAnswer, Error> {
        let answer = choice.into().answer(self.question.id(), Some(self.since.elapsed_ms()));
        self.subscription.answer(answer).await
    }

    /// Sends the legal action at this index, counted from 0.
    pub async fn choose_index(&self, index: usize) -> Result<AcceptedAnswer, Error> {
        self.choose(index).await
    }

    /// Sends the default action, which the clock plays when it runs out.
    pub async fn choose_default(&self) -> Result<AcceptedAnswer, Error> {
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

/// Wraps a decision message of the wire.
pub(crate) fn from_wire(
    subscription: &Arc<SubscriptionHandle>,
    table_id: &Arc<str>,
    seat: u32,
    decision: wire::Decision,
) -> Decision {
    Decision::new(Question::from_wire(Arc::clone(table_id), seat, decision), Arc::clone(subscription))
}
