//! Answers to decisions, and their outcomes; Act, which may also reveal entropy.

use parlor_engine::{AnyAction, Lang, Localise};
use parlor_fair::Entropy;
use parlor_host::table::{Answer, CommandError, Decided, DecisionAnswer, DecisionId};
use parlor_host::{AnswerOutcome, AnswerRefused, Answered, HostError};
use parlor_proto::convert::field::{InvalidField, required};
use parlor_proto::encode::{self, Encode, Prost, ToWire, build_message};
use parlor_proto::v1;

use super::shuffle::revealed_entropy;
use super::{AsMessage, saturating_u32};
use crate::grpc::Failure;
use crate::identity::{ServerKey, VerifiedSeatToken};

/// Decodes an answer. [`invalid_answer`] is the response to one that fails.
pub fn answer(wire: v1::Answer) -> Result<DecisionAnswer, InvalidField> {
    let v1::Answer { decision_id, choice, think_ms } = wire;
    if decision_id == 0 {
        return Err(InvalidField::at("decision_id", "must be the id of a decision: the first is 1"));
    }
    let answer = match choice {
        Some(v1::answer::Choice::Index(index)) => Answer::Index(index),
        Some(v1::answer::Choice::Action(action)) => {
            Answer::Action(required::<_, AnyAction>(Some(action), "action")?)
        }
        None => return Err(InvalidField::new("must have an index or an action")),
    };
    Ok(DecisionAnswer { decision: DecisionId(decision_id.into()), answer, reported: think_ms })
}

/// Content of Act.
#[derive(Clone, PartialEq, Debug)]
pub enum ActStep {
    /// An answer, or its refusal: that is a response, not an error of the call.
    Answer(Result<DecisionAnswer, Box<v1::Answered>>),
    /// A reveal of the seat's entropy.
    Reveal(Entropy),
}

/// Decodes Act: the seat token, and the answer or the reveal.
pub fn act(wire: v1::ActRequest, key: &ServerKey) -> Result<(VerifiedSeatToken, ActStep), Failure> {
    let v1::ActRequest { seat_token, answer, reveal_entropy } = wire;
    let token = key.verify_seat_token(&seat_token)?;
    let step = match (answer, reveal_entropy) {
        (Some(answer), None) => {
            let decision_id = answer.decision_id;
            let answer = self::answer(answer);
            ActStep::Answer(answer.map_err(|wrong| Box::new(invalid_answer(decision_id, wrong))))
        }
        (None, Some(entropy)) => ActStep::Reveal(revealed_entropy(&entropy, "reveal_entropy")?),
        (Some(_), Some(_)) => {
            return Err(InvalidField::at("reveal_entropy", "must not be set together with answer").into());
        }
        (None, None) => return Err(InvalidField::at("answer", "must be set, or reveal_entropy").into()),
    };
    Ok((token, step))
}

/// The outcome of an answer that does not decode: refused.
#[must_use]
pub fn invalid_answer(decision_id: u32, wrong: InvalidField) -> v1::Answered {
    build_message(refused(decision_id, wrong.into()))
}

/// The outcome of an answer.
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
        let decision_id = saturating_u32(decision.0);
        let decided = |status: v1::AnswerStatus, made: &Decided| encode::Answered {
            decision_id,
            status,
            action: Some(made.action),
            number: saturating_u32(made.number),
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

/// The refusal of an answer for a reason other than the rules of the game.
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
        None => reason.text().de.to_owned(),
    };
    v1::AnswerRefusal {
        reason: reason.into(),
        rule: String::new(),
        field: String::new(),
        text: Some(v1::Text { en: failure.message(), de }),
    }
}
