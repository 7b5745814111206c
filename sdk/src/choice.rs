//! [`Choice`], a player's answer to a question, and [`AcceptedAnswer`], its acknowledgement.

use crate::{Error, wire};

/// A player's answer: the index of a legal action, or the action itself.
///
/// ```
/// use parlor_sdk::Choice;
/// assert_eq!(Choice::from(3), Choice::Index(3));
/// ```
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Choice {
    /// Index into the list of legal actions, from 0.
    Index(usize),
    /// This action.
    Action(Box<wire::GameAction>),
}

impl Choice {
    /// Converts to the wire message.
    pub(crate) fn answer(self, decision_id: u32, think_ms: Option<u32>) -> wire::Answer {
        let choice = match self {
            // Saturates: an index outside the list is refused by the server.
            Choice::Index(index) => wire::answer::Choice::Index(u32::try_from(index).unwrap_or(u32::MAX)),
            Choice::Action(action) => wire::answer::Choice::Action(*action),
        };
        wire::Answer { decision_id, choice: Some(choice), think_ms }
    }
}

impl From<usize> for Choice {
    fn from(index: usize) -> Choice {
        Choice::Index(index)
    }
}

impl From<wire::GameAction> for Choice {
    fn from(action: wire::GameAction) -> Choice {
        Choice::Action(Box::new(action))
    }
}

impl From<&wire::GameAction> for Choice {
    fn from(action: &wire::GameAction) -> Choice {
        Choice::from(action.clone())
    }
}

#[cfg(feature = "engine")]
impl From<parlor_engine::AnyAction> for Choice {
    fn from(action: parlor_engine::AnyAction) -> Choice {
        Choice::from(wire::GameAction::from(action))
    }
}

/// An accepted answer: committed to the server's disk.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct AcceptedAnswer {
    /// Id of the decision.
    pub decision_id: u32,
    /// The action that was decided.
    pub action: Option<wire::GameAction>,
    /// Number of the update that carries the decision.
    pub number: u32,
    /// True if an earlier copy of the answer had been accepted already: the connection broke before its
    /// acknowledgement.
    pub repeated: bool,
}

impl AcceptedAnswer {
    /// Converts an acknowledgement; an error unless the answer was accepted.
    pub(crate) fn from_wire(answered: wire::Answered) -> Result<AcceptedAnswer, Error> {
        let repeated = match answered.status() {
            wire::AnswerStatus::Accepted => false,
            wire::AnswerStatus::Repeated => true,
            wire::AnswerStatus::Unspecified | wire::AnswerStatus::Conflict | wire::AnswerStatus::Refused => {
                return Err(Error::from_refused_answer(answered));
            }
        };
        Ok(AcceptedAnswer {
            decision_id: answered.decision_id,
            action: answered.action,
            number: answered.number,
            repeated,
        })
    }
}
