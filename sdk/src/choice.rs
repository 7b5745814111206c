//! What a player does when asked, and what became of it.

use crate::{Error, wire};

/// What a player does when asked: the place of a legal action in its list, or the action itself.
///
/// ```
/// use parlor_sdk::Choice;
/// assert_eq!(Choice::from(3), Choice::Index(3));
/// ```
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Choice {
    /// The action at this place of the list of legal actions, the first being 0.
    Index(usize),
    /// This action.
    Action(Box<wire::GameAction>),
}

impl Choice {
    /// The message for the wire.
    pub(crate) fn answer(self, decision_id: u32, think_ms: Option<u32>) -> wire::Answer {
        let choice = match self {
            // One beyond any list is refused, like every index that is not in the list.
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

/// An answer that was accepted: it is on disk at the server, and counts.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Answered {
    /// The id of the decision.
    pub decision_id: u32,
    /// What was decided.
    pub action: Option<wire::GameAction>,
    /// The number of the update in which it was decided.
    pub number: u32,
    /// Whether an earlier copy of the answer had been accepted before: it is harmless, and tells that a connection
    /// broke on the way.
    pub repeated: bool,
}

impl Answered {
    /// What became of an answer: an error unless it was accepted.
    pub(crate) fn from_wire(answered: wire::Answered) -> Result<Answered, Error> {
        let repeated = match answered.status() {
            wire::AnswerStatus::Accepted => false,
            wire::AnswerStatus::Repeated => true,
            wire::AnswerStatus::Unspecified | wire::AnswerStatus::Conflict | wire::AnswerStatus::Refused => {
                return Err(Error::refused(answered));
            }
        };
        Ok(Answered {
            decision_id: answered.decision_id,
            action: answered.action,
            number: answered.number,
            repeated,
        })
    }
}
