//! Answers to decisions, and what became of them.

use parlor_engine::{AnyAction, Lang, Localise};
use parlor_proto::convert::field::{InvalidField, required};
use parlor_proto::encode::{self, Encode, Prost, ToWire, build_message};
use parlor_proto::v1;

use super::error_text_de::german;
use super::{AsMessage, number};
use crate::grpc::Failure;
use crate::identity::{ServerKey, VerifiedSeatToken};
use parlor_host::table::{Answer, CommandError, Decided, DecisionAnswer, DecisionId};
use parlor_host::{AnswerOutcome, AnswerRefused, Answered, HostError};

/// An answer. One that cannot be read is told of with [`unreadable`].
pub fn answer(wire: v1::Answer) -> Result<DecisionAnswer, InvalidField> {
    if wire.decision_id == 0 {
        return Err(InvalidField::at("decision_id", "must be the id of a decision: the first is 1"));
    }
    let answer = match wire.choice {
        Some(v1::answer::Choice::Index(index)) => Answer::Index(index),
        Some(v1::answer::Choice::Action(action)) => {
            Answer::Action(required::<_, AnyAction>(Some(action), "action")?)
        }
        None => return Err(InvalidField::new("must have an index or an action")),
    };
    Ok(DecisionAnswer { decision: DecisionId(wire.decision_id.into()), answer, reported: wire.think_ms })
}

/// One answer without a stream: who gives it, and the answer itself or what is wrong with it. What is wrong is for
/// [`unreadable`]: an answer that was refused is told of, and is no error of the call.
pub fn act(
    wire: v1::ActRequest,
    key: &ServerKey,
) -> Result<(VerifiedSeatToken, Result<DecisionAnswer, v1::Answered>), Failure> {
    let pass = key.verify_seat_token(&wire.seat_token)?;
    let Some(answer) = wire.answer else {
        return Err(InvalidField::at("answer", "must be set").into());
    };
    let decision_id = answer.decision_id;
    Ok((pass, self::answer(answer).map_err(|wrong| unreadable(decision_id, wrong))))
}

/// What became of an answer that cannot be read: it was refused.
#[must_use]
pub fn unreadable(decision_id: u32, wrong: InvalidField) -> v1::Answered {
    build_message(refused(decision_id, wrong.into()))
}

/// What became of an answer.
#[must_use]
pub fn answered(answered: &Answered) -> v1::Answered {
    build_message(AsMessage(answered))
}

type AnsweredEncoder =
    encode::Answered<u32, v1::AnswerStatus, Option<AnyAction>, u32, Option<Prost<v1::AnswerRefusal>>>;

impl ToWire for AsMessage<'_, Answered> {
    type Wire = v1::Answered;

    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let Answered { decision, outcome } = self.0;
        let decision_id = number(decision.0);
        let decided = |status: v1::AnswerStatus, made: &Decided| encode::Answered {
            decision_id,
            status,
            action: Some(made.action),
            number: number(made.number),
            refusal: None,
        };
        match outcome {
            AnswerOutcome::Accepted(made) => decided(v1::AnswerStatus::Accepted, made),
            AnswerOutcome::Repeated(made) => decided(v1::AnswerStatus::Repeated, made),
            AnswerOutcome::Conflict(made) => {
                let error = CommandError::AlreadyDecided { decision: *decision, played: Some(made.action) };
                let refusal = Some(Prost(refusal(error.into())));
                AnsweredEncoder { refusal, ..decided(v1::AnswerStatus::Conflict, made) }
            }
            AnswerOutcome::Refused(AnswerRefused::Illegal(refusal)) => {
                refused(decision_id, (*refusal).into())
            }
            AnswerOutcome::Refused(
                AnswerRefused::Command(error) | AnswerRefused::Host(HostError::Command(error)),
            ) => command_refused(decision_id, error.clone()),
            AnswerOutcome::Refused(AnswerRefused::Host(error)) => {
                refused(decision_id, refusal(error.clone()))
            }
        }
    }
}

fn refused(decision_id: u32, refusal: v1::AnswerRefusal) -> AnsweredEncoder {
    encode::Answered {
        decision_id,
        status: v1::AnswerStatus::Refused,
        action: None,
        number: 0,
        refusal: Some(Prost(refusal)),
    }
}

fn command_refused(decision_id: u32, error: CommandError) -> AnsweredEncoder {
    match error {
        CommandError::Illegal(refusal) => refused(decision_id, refusal.into()),
        CommandError::NoSuchIndex { .. } => {
            let refusal = v1::AnswerRefusal { field: "index".to_owned(), ..refusal(error.into()) };
            refused(decision_id, refusal)
        }
        CommandError::AlreadyDecided { played, .. } => AnsweredEncoder {
            status: v1::AnswerStatus::Conflict,
            action: played,
            ..refused(decision_id, refusal(error.into()))
        },
        _ => refused(decision_id, refusal(error.into())),
    }
}

/// Why an answer was not accepted, if it was not the rules.
fn refusal(error: HostError) -> v1::AnswerRefusal {
    let played = match &error {
        HostError::Command(CommandError::AlreadyDecided { played, .. }) => *played,
        _ => None,
    };
    let failure = Failure::from(error);
    failure.log();
    let reason = failure.reason();
    let de = match played {
        Some(action) => format!("Das wurde schon entschieden: {}", action.in_lang(Lang::De)),
        None => german(reason).to_owned(),
    };
    v1::AnswerRefusal {
        reason: reason.into(),
        rule: String::new(),
        field: String::new(),
        text: Some(v1::Text { en: failure.message(), de }),
    }
}
