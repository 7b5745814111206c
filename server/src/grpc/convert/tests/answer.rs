//! Decoding of answers, and encoding of their outcomes.

use parlor_engine::{GameId, Lang, Localise, Refusal};
use parlor_host::table::{Answer, CommandError, Decided, DecidedBy, DecisionAnswer, DecisionId, Record};
use parlor_host::{AnswerOutcome, AnswerRefused, Answered, HostError};
use parlor_proto::convert::InvalidField;
use parlor_proto::v1;
use parlor_proto::v1::answer::Choice;
use parlor_store::LogError;

use super::{TABLE, key, seat, seat_token, wrong};
use crate::grpc::convert::persistence_tests::games::play_out;
use crate::grpc::convert::persistence_tests::test_rng;
use crate::grpc::convert::{ActStep, act, answer, answered, invalid_answer};

/// A decided decision of a random game.
fn decided() -> Decided {
    let mut rng = test_rng("decided");
    let record = Record::from_log(&play_out(GameId::Gap.default_options(), 2, &mut rng).log).expect("a log");
    let made = record.steps.iter().find_map(|step| step.decided[0]).expect("a decision");
    Decided { id: DecisionId(4), number: 17, by: DecidedBy::Player, ..made }
}

/// An accepted answer.
pub(super) fn accepted() -> Answered {
    Answered { decision: DecisionId(4), outcome: AnswerOutcome::Accepted(decided()) }
}

fn encode(outcome: AnswerOutcome) -> v1::Answered {
    let message = answered(&Answered { decision: DecisionId(4), outcome });
    assert_eq!(message.decision_id, 4);
    message
}

#[test]
fn decided_answers_have_the_decided_action() {
    let made = decided();
    let status = |outcome| {
        let message = encode(outcome);
        assert_eq!(message.action, Some(made.action.into()));
        assert_eq!(message.number, 17);
        (message.status(), message.refusal)
    };
    assert_eq!(status(AnswerOutcome::Accepted(made)), (v1::AnswerStatus::Accepted, None));
    assert_eq!(status(AnswerOutcome::Repeated(made)), (v1::AnswerStatus::Repeated, None));
    let (conflict, refusal) = status(AnswerOutcome::Conflict(made));
    assert_eq!(conflict, v1::AnswerStatus::Conflict);
    let refusal = refusal.expect("a refusal");
    assert_eq!(refusal.reason(), v1::ErrorReason::DecidedOtherwise);
    let text = refusal.text.expect("a text");
    assert!(text.en.contains(&made.action.in_lang(Lang::En).to_string()), "{text:?}");
    assert!(text.de.contains(&made.action.in_lang(Lang::De).to_string()), "{text:?}");
}

/// The reason, rule, field and English text of a refusal; checks that nothing was decided and that there is a
/// German text.
fn refused(why: AnswerRefused) -> (v1::ErrorReason, String, String, String) {
    let message = encode(AnswerOutcome::Refused(why));
    assert_eq!((message.status(), message.action, message.number), (v1::AnswerStatus::Refused, None, 0));
    let refusal = message.refusal.expect("a refusal");
    let reason = refusal.reason();
    let text = refusal.text.expect("a text");
    assert!(!text.de.is_empty() && text.de != text.en, "{text:?}");
    (reason, refusal.rule, refusal.field, text.en)
}

#[test]
fn refused_answer_has_reason_rule_field_and_text() {
    let rule = Refusal::NOT_IN_HAND;
    let illegal = (
        v1::ErrorReason::IllegalAction,
        rule.code.to_owned(),
        String::new(),
        rule.text.get(Lang::En).to_owned(),
    );
    assert_eq!(refused(AnswerRefused::Illegal(rule)), illegal);
    assert_eq!(refused(AnswerRefused::Command(CommandError::Illegal(rule))), illegal);
    assert_eq!(refused(AnswerRefused::Host(CommandError::Illegal(rule).into())), illegal);

    let index = CommandError::NoSuchIndex { index: 9, count: 3 };
    let (reason, rule, field, text) = refused(AnswerRefused::Command(index.clone()));
    assert_eq!((reason, rule.as_str(), field.as_str()), (v1::ErrorReason::IllegalAction, "", "index"));
    assert_eq!(text, index.to_string());

    let over = refused(AnswerRefused::Command(CommandError::Over));
    assert_eq!(over.0, v1::ErrorReason::TableOver);
    let decision = DecisionId(4);
    let early = refused(AnswerRefused::Command(CommandError::NotAsked { seat: seat(1), decision }));
    assert_eq!(early.0, v1::ErrorReason::DecisionNotFound);
    assert_eq!(
        refused(AnswerRefused::Host(HostError::TableBusy { table: TABLE })).0,
        v1::ErrorReason::RateLimited
    );

    let file = std::path::PathBuf::from("/srv/secret/parlor.db");
    let full = HostError::Log(LogError::NoSpace { file, why: "full".into() });
    let (reason, _, _, text) = refused(AnswerRefused::Host(full));
    assert_eq!(reason, v1::ErrorReason::StoreUnavailable);
    assert!(!text.contains("secret"), "{text}");
}

/// An answer to an old decision conflicts; the table may no longer know the decided action.
#[test]
fn answer_to_an_old_decision_is_a_conflict() {
    let made = decided();
    for played in [None, Some(made.action)] {
        let error = CommandError::AlreadyDecided { decision: DecisionId(4), played };
        let message = encode(AnswerOutcome::Refused(AnswerRefused::Command(error)));
        assert_eq!((message.status(), message.number), (v1::AnswerStatus::Conflict, 0));
        assert_eq!(message.action, played.map(Into::into));
        assert_eq!(message.refusal.expect("a refusal").reason(), v1::ErrorReason::DecidedOtherwise);
    }
}

/// The texts of error reasons are sentences. That they are distinct is tested with those of all enums.
#[test]
fn every_error_reason_has_a_sentence() {
    let known = (0..).map_while(|value| v1::ErrorReason::try_from(value).ok());
    for text in known.map(v1::ErrorReason::text) {
        assert!(
            [text.en, text.de].iter().all(|text| text.ends_with('.') && !text.contains('\n')),
            "{text:?}"
        );
    }
}

/// A refusal for a wrong field names it in both languages.
#[test]
fn wrong_field_is_named_in_both_languages() {
    let refusal = invalid_answer(3, InvalidField::at("action.gap.card.number", "must be 0 to 9, not 12"));
    let refusal = refusal.refusal.expect("a refusal");
    assert_eq!(
        (refusal.reason(), refusal.field.as_str()),
        (v1::ErrorReason::InvalidField, "action.gap.card.number")
    );
    let text = refusal.text.expect("a text");
    assert_eq!(text.en, "action.gap.card.number: must be 0 to 9, not 12");
    assert_eq!(
        text.de,
        "Das Feld action.gap.card.number der Antwort hat einen Wert, den es nicht haben kann."
    );
}

#[test]
fn answers_are_decoded() {
    let wire = v1::Answer { decision_id: 3, choice: Some(Choice::Index(2)), think_ms: Some(50) };
    let expected = DecisionAnswer { decision: DecisionId(3), answer: Answer::Index(2), reported: Some(50) };
    assert_eq!(answer(wire.clone()), Ok(expected));
    let action = decided().action;
    let wire = v1::Answer { choice: Some(Choice::Action(action.into())), think_ms: None, ..wire };
    let expected = DecisionAnswer { answer: Answer::Action(action), reported: None, ..expected };
    assert_eq!(answer(wire.clone()), Ok(expected));

    let zero = v1::Answer { decision_id: 0, ..wire.clone() };
    assert_eq!(wrong(answer(zero)), "decision_id: must be the id of a decision: the first is 1");
    let nothing = v1::Answer { choice: None, ..wire };
    assert_eq!(wrong(answer(nothing)), "must have an index or an action");
}

/// An answer with an invalid card.
fn invalid_card() -> v1::Answer {
    let card = v1::GapCard { colour: v1::GapColour::Pink.into(), number: 12 };
    let action = v1::GapAction { card: Some(card), ..Default::default() };
    let action = v1::GameAction { game: Some(v1::game_action::Game::Gap(action)) };
    v1::Answer { decision_id: 3, choice: Some(Choice::Action(action)), think_ms: None }
}

#[test]
fn undecodable_answer_is_refused_with_its_field() {
    let message = invalid_answer(3, answer(invalid_card()).expect_err("an invalid card"));
    assert_eq!((message.decision_id, message.status()), (3, v1::AnswerStatus::Refused));
    let refusal = message.refusal.expect("a refusal");
    assert_eq!(refusal.reason(), v1::ErrorReason::InvalidField);
    assert_eq!(refusal.field, "action.gap.card.number");
    let text = refusal.text.expect("a text");
    assert!(!text.en.is_empty() && !text.de.is_empty());
}

#[test]
fn act_request_is_decoded() {
    let wire = v1::Answer { decision_id: 3, choice: Some(Choice::Index(2)), think_ms: None };
    let decode = |answer, entropy: Option<&[u8]>| {
        let reveal_entropy = entropy.map(<[u8]>::to_vec);
        act(v1::ActRequest { seat_token: seat_token(TABLE), answer, reveal_entropy }, &key())
    };
    let (token, decoded) = decode(Some(wire.clone()), None).expect("a valid token");
    assert_eq!((token.table(), token.seat()), (TABLE, seat(1)));
    let ActStep::Answer(Ok(decoded)) = decoded else { panic!("{decoded:?}") };
    assert_eq!(decoded.decision, DecisionId(3));
    let (_, refused) = decode(Some(invalid_card()), None).expect("a valid token");
    let ActStep::Answer(Err(refused)) = refused else { panic!("{refused:?}") };
    assert_eq!(refused.status(), v1::AnswerStatus::Refused);
    let (_, reveal) = decode(None, Some(&[7; 16])).expect("a reveal");
    assert_eq!(reveal, ActStep::Reveal(parlor_fair::Entropy::new(&[7; 16]).expect("entropy")));
    assert_eq!(wrong(decode(None, Some(&[7; 15]))), "reveal_entropy: must have 16 to 64 bytes, not 15");
    assert_eq!(
        wrong(decode(Some(wire.clone()), Some(&[7; 16]))),
        "reveal_entropy: must not be set together with answer"
    );
    assert_eq!(wrong(decode(None, None)), "answer: must be set, or reveal_entropy");
    let request = v1::ActRequest { seat_token: "pls_x".to_owned(), answer: Some(wire), reveal_entropy: None };
    let bad = act(request, &key());
    assert_eq!(bad.expect_err("an invalid token").reason(), v1::ErrorReason::TokenInvalid);
}
