//! Planted losses and duplicates are detected, and a correct run is clean.

use super::*;

const TABLE: usize = 4;

fn ledger() -> (SeatLedger, Counts) {
    (SeatLedger::new(TABLE, "seat".into()), Counts::default())
}

fn action(kind: u32) -> Option<wire::GameAction> {
    // Two different actions.
    let gap = wire::GapAction::decode(&[0x18, kind as u8][..]).unwrap_or_default();
    let other = wire::game_action::Game::FiveThreeFive(wire::FiveThreeFiveAction::default());
    let game = if kind == 0 { wire::game_action::Game::Gap(gap) } else { other };
    Some(wire::GameAction { game: Some(game) })
}

fn plain(number: u32) -> wire::Update {
    wire::Update { number, ..wire::Update::default() }
}

/// An update that decides a decision by the seat's answer, index 1.
fn decided(number: u32, decision_id: u32) -> wire::Update {
    let by = wire::DecidedBy::Player.into();
    let decided = wire::Decided { decision_id, index: 1, by, action: action(0), ..wire::Decided::default() };
    wire::Update { number, decided: Some(decided), ..wire::Update::default() }
}

fn asked(id: u32) -> wire::Decision {
    wire::Decision { id, legal_count: 3, ..wire::Decision::default() }
}

fn answered(decision_id: u32, number: u32, status: AnswerStatus) -> wire::Answered {
    wire::Answered { decision_id, number, status: status.into(), action: action(0), refusal: None }
}

fn refused(decision_id: u32, reason: ErrorReason) -> wire::Answered {
    let refusal = wire::AnswerRefusal { reason: reason.into(), ..wire::AnswerRefusal::default() };
    let status = AnswerStatus::Refused.into();
    wire::Answered { decision_id, status, refusal: Some(refusal), ..wire::Answered::default() }
}

fn closed(reason: ErrorReason) -> wire::ChannelClosed {
    wire::ChannelClosed { reason: reason.into(), ..wire::ChannelClosed::default() }
}

/// A seat that received update 1 and decision 1, answered, and got the acknowledgement with update 2.
fn acknowledged() -> (SeatLedger, Counts) {
    let (mut ledger, mut counts) = ledger();
    ledger.update(&plain(1), &mut counts);
    let next = ledger.decision(&asked(1), &mut counts, |_| 1);
    assert_eq!(next, Next::Answer { decision: 1, index: 1 });
    ledger.sent(1);
    assert_eq!(ledger.in_flight(), Some(1));
    ledger.answered(&answered(1, 2, AnswerStatus::Accepted), &mut counts);
    assert_eq!(ledger.in_flight(), None);
    assert_eq!((counts.acknowledged, counts.lost, counts.doubled), (1, 0, 0));
    (ledger, counts)
}

#[test]
fn correct_game_has_no_violations() {
    let (mut ledger, mut counts) = acknowledged();
    ledger.update(&decided(2, 1), &mut counts);
    // The stream breaks and resumes: the acknowledged answer is resent, and reported as decided.
    assert_eq!(ledger.answers_to_resend(&mut counts), [(1, 1)]);
    ledger.answered(&answered(1, 2, AnswerStatus::Repeated), &mut counts);
    ledger.decision(&asked(2), &mut counts, |_| 1);
    ledger.sent(2);
    assert_eq!(ledger.answers_to_resend(&mut counts), [(1, 1), (2, 1)]);
    // It was decided, but the acknowledgement was lost.
    ledger.update(&decided(3, 2), &mut counts);
    ledger.answered(&answered(2, 3, AnswerStatus::Repeated), &mut counts);
    assert_eq!(ledger.closed(&closed(ErrorReason::Unspecified), &mut counts), Next::Leave);
    ledger.audit(&[plain(1), decided(2, 1), decided(3, 2)], &mut counts);
    assert!(ledger.over && counts.is_clean(), "{:?}", counts.violations);
    assert_eq!((counts.acknowledged, counts.resent, counts.resent_after_commit), (2, 1, 1));
}

#[test]
fn repeated_prompt_of_an_acknowledged_answer_is_a_loss() {
    let (mut ledger, mut counts) = acknowledged();
    assert_eq!(ledger.decision(&asked(1), &mut counts, |_| 1), Next::Leave);
    assert_eq!((counts.lost, ledger.failed), (1, true));
}

#[test]
fn unknown_acknowledged_answer_is_a_loss() {
    let (mut ledger, mut counts) = acknowledged();
    ledger.answered(&refused(1, ErrorReason::DecisionNotFound), &mut counts);
    assert_eq!(counts.lost, 1);
}

#[test]
fn acknowledged_answer_decided_differently_is_a_loss() {
    for spoil in [
        |update: &mut wire::Update| update.decided.as_mut().expect("decided").action = action(1),
        |update: &mut wire::Update| update.number = 3,
    ] {
        let (mut ledger, mut counts) = acknowledged();
        let mut update = decided(2, 1);
        spoil(&mut update);
        if update.number == 3 {
            ledger.update(&plain(2), &mut counts);
        }
        ledger.update(&update, &mut counts);
        assert_eq!((counts.lost, counts.doubled), (1, 0));
    }
}

#[test]
fn server_behind_the_cursor_is_a_loss() {
    let (mut ledger, mut counts) = acknowledged();
    ledger.update(&decided(2, 1), &mut counts);
    assert_eq!(ledger.closed(&closed(ErrorReason::CursorAhead), &mut counts), Next::AttachAnew);
    assert_eq!(ledger.snapshot(1, &mut counts), Next::Leave);
    assert_eq!(counts.lost, 1);
}

#[test]
fn missing_table_loses_all_its_answers() {
    let (mut ledger, mut counts) = acknowledged();
    ledger.closed(&closed(ErrorReason::TableNotFound), &mut counts);
    assert_eq!((counts.lost, ledger.failed), (1, true));
}

#[test]
fn repeated_or_skipped_update_is_a_duplicate() {
    for number in [1, 3] {
        let (mut ledger, mut counts) = ledger();
        ledger.update(&plain(1), &mut counts);
        ledger.update(&plain(number), &mut counts);
        assert_eq!((counts.doubled, counts.lost), (1, 0), "{number}");
    }
}

#[test]
fn decision_decided_twice_is_a_duplicate() {
    let (mut ledger, mut counts) = acknowledged();
    ledger.answered(&answered(1, 2, AnswerStatus::Accepted), &mut counts);
    assert_eq!(counts.doubled, 1);
    let (mut ledger, mut counts) = shown_as_decided();
    ledger.update(&decided(3, 1), &mut counts);
    assert_eq!(counts.doubled, 1);
}

fn shown_as_decided() -> (SeatLedger, Counts) {
    let (mut ledger, mut counts) = ledger();
    ledger.update(&plain(1), &mut counts);
    ledger.decision(&asked(1), &mut counts, |_| 1);
    ledger.update(&decided(2, 1), &mut counts);
    (ledger, counts)
}

#[test]
fn decision_decided_by_no_answer_is_a_duplicate() {
    let (mut ledger, mut counts) = acknowledged();
    let mut update = decided(2, 1);
    update.decided.as_mut().expect("decided").by = wire::DecidedBy::Clock.into();
    ledger.update(&update, &mut counts);
    assert_eq!(counts.doubled, 1);
    let (mut ledger, mut counts) = acknowledged();
    ledger.answered(&answered(1, 2, AnswerStatus::Conflict), &mut counts);
    assert_eq!(counts.doubled, 1);
}

#[test]
fn audit_detects_losses_and_duplicates() {
    let (mut ledger, mut counts) = acknowledged();
    ledger.update(&decided(2, 1), &mut counts);
    let count = |history: &[wire::Update]| {
        let mut counts = Counts::default();
        ledger.audit(history, &mut counts);
        (counts.lost, counts.doubled)
    };
    assert_eq!(count(&[plain(1), decided(2, 1)]), (0, 0));
    assert_eq!(count(&[plain(1), decided(2, 1), plain(3)]), (0, 0));
    // The acknowledged answer, and a received update.
    assert_eq!(count(&[plain(1)]), (2, 0));
    assert_eq!(count(&[]), (2, 0));
    assert_eq!(count(&[plain(1), plain(2)]), (2, 0));
    assert_eq!(count(&[plain(1), decided(2, 1), plain(2)]), (0, 1));
    // The later decision is compared with the acknowledgement.
    assert_eq!(count(&[plain(1), decided(2, 1), decided(3, 1)]), (1, 1));
}

#[test]
fn table_pauses_while_the_store_is_unavailable_and_resumes() {
    let (mut ledger, mut counts) = acknowledged();
    ledger.update(&decided(2, 1), &mut counts);
    ledger.decision(&asked(2), &mut counts, |_| 1);
    let next = ledger.answered(&refused(2, ErrorReason::StoreUnavailable), &mut counts);
    assert_eq!(next, Next::AnswerLater { decision: 2, index: 1 });
    assert!(counts.paused.contains(&TABLE) && counts.resumed.is_empty());
    ledger.answered(&answered(2, 3, AnswerStatus::Accepted), &mut counts);
    assert!(counts.resumed.contains(&TABLE) && counts.is_clean());
}
