//! What is planted in the accounts is found, and what is as it should be is not.

use super::*;

const TABLE: usize = 4;

fn book() -> (Book, Tally) {
    (Book::new(TABLE, "seat".into()), Tally::default())
}

fn action(kind: u32) -> Option<wire::GameAction> {
    // Any two that differ will do.
    let gap = wire::GapAction::decode(&[0x18, kind as u8][..]).unwrap_or_default();
    let other = wire::game_action::Game::Flush(wire::FlushAction::default());
    let game = if kind == 0 { wire::game_action::Game::Gap(gap) } else { other };
    Some(wire::GameAction { game: Some(game) })
}

fn plain(number: u32) -> wire::Update {
    wire::Update { number, ..wire::Update::default() }
}

/// An update in which a decision is decided as the seat answered: with index 1.
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

/// A seat that was shown update 1, was asked 1, answered, and heard that its answer is in update 2.
fn acknowledged() -> (Book, Tally) {
    let (mut book, mut tally) = book();
    book.update(&plain(1), &mut tally);
    let next = book.decision(&asked(1), &mut tally, |_| 1);
    assert_eq!(next, Next::Answer { decision: 1, index: 1 });
    book.sent(1);
    assert_eq!(book.in_flight(), Some(1));
    book.answered(&answered(1, 2, AnswerStatus::Accepted), &mut tally);
    assert_eq!(book.in_flight(), None);
    assert_eq!((tally.acknowledged, tally.lost, tally.doubled), (1, 0, 0));
    (book, tally)
}

#[test]
fn a_game_as_it_should_be_has_nothing_wrong() {
    let (mut book, mut tally) = acknowledged();
    book.update(&decided(2, 1), &mut tally);
    // The stream breaks and comes back: what was acknowledged is said again, and found decided.
    assert_eq!(book.again(&mut tally), [(1, 1)]);
    book.answered(&answered(1, 2, AnswerStatus::Repeated), &mut tally);
    book.decision(&asked(2), &mut tally, |_| 1);
    book.sent(2);
    assert_eq!(book.again(&mut tally), [(1, 1), (2, 1)]);
    // It had been decided, and the acknowledgement had not come.
    book.update(&decided(3, 2), &mut tally);
    book.answered(&answered(2, 3, AnswerStatus::Repeated), &mut tally);
    assert_eq!(book.closed(&closed(ErrorReason::Unspecified), &mut tally), Next::Leave);
    book.audit(&[plain(1), decided(2, 1), decided(3, 2)], &mut tally);
    assert!(book.over && tally.is_clean(), "{:?}", tally.sentences);
    assert_eq!((tally.acknowledged, tally.resent, tally.decided_unheard), (2, 1, 1));
}

#[test]
fn an_acknowledged_answer_that_is_asked_for_again_is_lost() {
    let (mut book, mut tally) = acknowledged();
    assert_eq!(book.decision(&asked(1), &mut tally, |_| 1), Next::Leave);
    assert_eq!((tally.lost, book.spoilt), (1, true));
}

#[test]
fn an_acknowledged_answer_that_the_server_does_not_know_is_lost() {
    let (mut book, mut tally) = acknowledged();
    book.answered(&refused(1, ErrorReason::DecisionNotFound), &mut tally);
    assert_eq!(tally.lost, 1);
}

#[test]
fn an_acknowledged_answer_that_is_decided_otherwise_is_lost() {
    for spoil in [
        |update: &mut wire::Update| update.decided.as_mut().expect("decided").action = action(1),
        |update: &mut wire::Update| update.number = 3,
    ] {
        let (mut book, mut tally) = acknowledged();
        let mut update = decided(2, 1);
        spoil(&mut update);
        if update.number == 3 {
            book.update(&plain(2), &mut tally);
        }
        book.update(&update, &mut tally);
        assert_eq!((tally.lost, tally.doubled), (1, 0));
    }
}

#[test]
fn a_server_that_is_behind_what_it_showed_has_lost_what_it_acknowledged() {
    let (mut book, mut tally) = acknowledged();
    book.update(&decided(2, 1), &mut tally);
    assert_eq!(book.closed(&closed(ErrorReason::CursorAhead), &mut tally), Next::AttachAnew);
    assert_eq!(book.snapshot(1, &mut tally), Next::Leave);
    assert_eq!(tally.lost, 1);
}

#[test]
fn a_table_that_is_gone_takes_all_its_answers_with_it() {
    let (mut book, mut tally) = acknowledged();
    book.closed(&closed(ErrorReason::TableNotFound), &mut tally);
    assert_eq!((tally.lost, book.spoilt), (1, true));
}

#[test]
fn updates_that_come_twice_or_never_are_doubled() {
    for number in [1, 3] {
        let (mut book, mut tally) = book();
        book.update(&plain(1), &mut tally);
        book.update(&plain(number), &mut tally);
        assert_eq!((tally.doubled, tally.lost), (1, 0), "{number}");
    }
}

#[test]
fn a_decision_that_is_decided_twice_is_doubled() {
    let (mut book, mut tally) = acknowledged();
    book.answered(&answered(1, 2, AnswerStatus::Accepted), &mut tally);
    assert_eq!(tally.doubled, 1);
    let (mut book, mut tally) = shown_as_decided();
    book.update(&decided(3, 1), &mut tally);
    assert_eq!(tally.doubled, 1);
}

fn shown_as_decided() -> (Book, Tally) {
    let (mut book, mut tally) = book();
    book.update(&plain(1), &mut tally);
    book.decision(&asked(1), &mut tally, |_| 1);
    book.update(&decided(2, 1), &mut tally);
    (book, tally)
}

#[test]
fn a_decision_that_no_answer_decided_is_doubled() {
    let (mut book, mut tally) = acknowledged();
    let mut update = decided(2, 1);
    update.decided.as_mut().expect("decided").by = wire::DecidedBy::Clock.into();
    book.update(&update, &mut tally);
    assert_eq!(tally.doubled, 1);
    let (mut book, mut tally) = acknowledged();
    book.answered(&answered(1, 2, AnswerStatus::Conflict), &mut tally);
    assert_eq!(tally.doubled, 1);
}

#[test]
fn the_audit_finds_what_is_missing_and_what_is_twice() {
    let (mut book, mut tally) = acknowledged();
    book.update(&decided(2, 1), &mut tally);
    let count = |history: &[wire::Update]| {
        let mut tally = Tally::default();
        book.audit(history, &mut tally);
        (tally.lost, tally.doubled)
    };
    assert_eq!(count(&[plain(1), decided(2, 1)]), (0, 0));
    assert_eq!(count(&[plain(1), decided(2, 1), plain(3)]), (0, 0));
    // The acknowledged answer, and an update that was shown.
    assert_eq!(count(&[plain(1)]), (2, 0));
    assert_eq!(count(&[]), (2, 0));
    assert_eq!(count(&[plain(1), plain(2)]), (2, 0));
    assert_eq!(count(&[plain(1), decided(2, 1), plain(2)]), (0, 1));
    // The later one counts for the acknowledgement.
    assert_eq!(count(&[plain(1), decided(2, 1), decided(3, 1)]), (1, 1));
}

#[test]
fn a_table_that_cannot_store_pauses_and_goes_on() {
    let (mut book, mut tally) = acknowledged();
    book.update(&decided(2, 1), &mut tally);
    book.decision(&asked(2), &mut tally, |_| 1);
    let next = book.answered(&refused(2, ErrorReason::StoreUnavailable), &mut tally);
    assert_eq!(next, Next::AnswerLater { decision: 2, index: 1 });
    assert!(tally.paused.contains(&TABLE) && tally.went_on.is_empty());
    book.answered(&answered(2, 3, AnswerStatus::Accepted), &mut tally);
    assert!(tally.went_on.contains(&TABLE) && tally.is_clean());
}
