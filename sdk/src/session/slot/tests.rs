//! Exactly once, without any stream: what the server says and repeats, and what a slot makes of it.

use super::*;
use wire::ErrorReason;

const ROOM: usize = 4;

fn slot() -> Slot {
    let viewer = wire::attach::Viewer::SeatToken("token".into());
    Slot::new(Opening::Attach { viewer, wants: None }, None, ROOM)
}

/// A slot that is attached, with a snapshot at this number read.
fn attached(number: u32) -> Slot {
    let mut slot = slot();
    assert_eq!(say(&mut slot, 1), ["1: attach after None"]);
    assert_eq!(slot.hear(snapshot(number)), Then::Read);
    assert_eq!(read(&mut slot), [format!("snapshot {number}")]);
    slot
}

fn snapshot(number: u32) -> Hear {
    Hear::Snapshot(Box::new(wire::Snapshot { number, ..Default::default() }))
}

fn update(number: u32) -> Hear {
    Hear::Update(wire::Update { number, ..Default::default() })
}

fn decided(number: u32, decision_id: u32, index: u32) -> Hear {
    let decided = Some(wire::Decided { decision_id, index, ..Default::default() });
    Hear::Update(wire::Update { number, decided, ..Default::default() })
}

fn decision(id: u32) -> Hear {
    Hear::Decision(wire::Decision { id, ..Default::default() })
}

fn closed(reason: ErrorReason, retry: bool) -> Hear {
    Hear::Closed(wire::ChannelClosed { reason: reason.into(), retry, ..Default::default() })
}

fn answered(decision_id: u32, status: wire::AnswerStatus, reason: ErrorReason) -> Hear {
    let refusal = Some(wire::AnswerRefusal { reason: reason.into(), ..Default::default() });
    Hear::Answered(wire::Answered { decision_id, status: status.into(), refusal, ..Default::default() })
}

/// All that the slot has to say, the next channel being this one.
fn say(slot: &mut Slot, channel: u32) -> Vec<String> {
    let mut items = Vec::new();
    if slot.has_something_to_say() {
        slot.say(|| channel, &mut items);
        assert!(!items.is_empty(), "it had something to say");
    }
    let item = |item: wire::PlayRequestItem| match item.item.unwrap() {
        Say::Attach(attach) => format!("{}: attach after {:?}", item.channel, attach.after),
        Say::Detach(_) => format!("{}: detach", item.channel),
        Say::Answer(answer) => format!("{}: answer {}", item.channel, answer.decision_id),
    };
    items.into_iter().map(item).collect()
}

/// All that there is to read.
fn read(slot: &mut Slot) -> Vec<String> {
    let mut told = Vec::new();
    while slot.peek().is_some() {
        told.push(read_one(slot));
    }
    told
}

fn read_one(slot: &mut Slot) -> String {
    match slot.read().unwrap().unwrap().unwrap() {
        Told::Snapshot(snapshot) => format!("snapshot {}", snapshot.number),
        Told::Update(update) => format!("update {}", update.number),
        Told::Decision(decision) => format!("decision {}", decision.id),
        Told::Presence(presence) => format!("presence {}", presence.seat),
        Told::TimeLeft(_) => "time left".into(),
    }
}

fn answer(slot: &mut Slot, decision_id: u32, index: u32) -> oneshot::Receiver<Result<Answered, Error>> {
    let (reply, acknowledged) = oneshot::channel();
    let choice = Some(wire::answer::Choice::Index(index));
    slot.answer(wire::Answer { decision_id, choice, think_ms: None }, reply);
    acknowledged
}

fn reason(reply: &mut oneshot::Receiver<Result<Answered, Error>>) -> Result<u32, Reason> {
    let reply = reply.try_recv().expect("an acknowledgement");
    reply.map(|answered| answered.decision_id).map_err(|error| error.reason())
}

#[test]
fn what_comes_twice_is_told_once() {
    let mut slot = attached(5);
    for item in [update(4), update(5), update(6), update(6), decision(1), decision(1), update(7), update(5)] {
        slot.hear(item);
    }
    assert_eq!(read(&mut slot), ["update 6", "decision 1", "update 7"]);
    // A new stream says it all again, from the last number on.
    slot.start_over();
    assert_eq!(say(&mut slot, 2), ["2: attach after Some(7)"]);
    for item in [decision(1), update(8), decision(2)] {
        slot.hear(item);
    }
    assert_eq!(read(&mut slot), ["update 8", "decision 2"]);
}

#[test]
fn a_break_before_the_snapshot_asks_for_it_again() {
    let mut slot = slot();
    assert_eq!(say(&mut slot, 1), ["1: attach after None"]);
    assert_eq!(say(&mut slot, 2), [""; 0]);
    slot.start_over();
    assert_eq!(say(&mut slot, 2), ["2: attach after None"]);
}

#[test]
fn what_does_not_fit_is_fetched_when_there_is_room() {
    let mut slot = attached(0);
    for number in 1..=6 {
        slot.hear(update(number));
    }
    slot.hear(decision(1));
    slot.hear(Hear::Presence(wire::Presence::default()));
    assert_eq!(say(&mut slot, 2), [""; 0], "there is no room yet");
    assert_eq!((read_one(&mut slot), say(&mut slot, 2)), ("update 1".into(), vec![]));
    assert_eq!(read_one(&mut slot), "update 2");
    assert_eq!(say(&mut slot, 2), ["1: detach", "2: attach after Some(4)"]);
    for item in [update(5), update(6), decision(1)] {
        slot.hear(item);
    }
    assert_eq!(read(&mut slot), ["update 3", "update 4", "update 5", "update 6"], "the decision did not fit");
    assert_eq!(say(&mut slot, 3), ["2: detach", "3: attach after Some(6)"]);
    slot.hear(decision(1));
    assert_eq!(read(&mut slot), ["decision 1"]);
}

#[test]
fn the_end_of_a_table_waits_for_what_did_not_fit() {
    let mut slot = attached(0);
    for number in 1..=5 {
        slot.hear(update(number));
    }
    slot.hear(closed(ErrorReason::Unspecified, false));
    assert_eq!(read(&mut slot).len(), ROOM);
    assert!(slot.read().is_none(), "it is not over yet");
    assert_eq!(say(&mut slot, 2), ["2: attach after Some(4)"]);
    slot.hear(update(5));
    slot.hear(closed(ErrorReason::Unspecified, false));
    assert_eq!(read(&mut slot), ["update 5"]);
    assert!(matches!(slot.read(), Some(Ok(None))));
    assert!(matches!(slot.read(), Some(Ok(None))), "the end stays");
    assert_eq!(say(&mut slot, 3), [""; 0]);
}

#[test]
fn a_number_left_out_is_asked_for_after_a_wait() {
    let mut slot = attached(1);
    assert_eq!(slot.hear(update(3)), Then::SayLater);
    assert_eq!(slot.hear(update(4)), Then::Nothing);
    assert_eq!(say(&mut slot, 2), [""; 0]);
    slot.stop_waiting();
    assert_eq!(say(&mut slot, 2), ["1: detach", "2: attach after Some(1)"]);
    for number in 2..=4 {
        slot.hear(update(number));
    }
    assert_eq!(read(&mut slot), ["update 2", "update 3", "update 4"]);
}

#[test]
fn a_snapshot_in_the_middle_is_told() {
    let mut slot = attached(3);
    slot.start_over();
    assert_eq!(say(&mut slot, 2), ["2: attach after Some(3)"]);
    slot.hear(snapshot(90));
    slot.hear(update(91));
    assert_eq!(read(&mut slot), ["snapshot 90", "update 91"]);
}

#[test]
fn a_channel_that_closes_for_a_moment_is_attached_after_a_wait() {
    for (reason, retry) in [
        (ErrorReason::TooSlow, false),
        (ErrorReason::StoreUnavailable, false),
        (ErrorReason::ServerStopping, false),
        (ErrorReason::TooManyStreams, true),
    ] {
        let mut slot = attached(3);
        assert_eq!(slot.hear(closed(reason, retry)), Then::SayLater);
        assert_eq!(say(&mut slot, 2), [""; 0]);
        slot.stop_waiting();
        assert_eq!(say(&mut slot, 2), ["2: attach after Some(3)"]);
    }
}

#[test]
fn a_channel_that_closes_for_good_says_why_once() {
    let mut slot = attached(3);
    let mut waiting = answer(&mut slot, 1, 0);
    slot.hear(update(4));
    assert_eq!(slot.hear(closed(ErrorReason::TokenExpired, false)), Then::Read);
    assert_eq!(reason(&mut waiting), Err(Reason::TokenExpired));
    assert_eq!(read(&mut slot), ["update 4"], "what came before is told first");
    assert_eq!(slot.read().unwrap().unwrap_err().reason(), Reason::TokenExpired);
    assert!(matches!(slot.read(), Some(Ok(None))));
    assert_eq!(reason(&mut answer(&mut slot, 1, 0)), Err(Reason::TableOver));
    slot.stop_waiting();
    assert_eq!(say(&mut slot, 2), [""; 0]);
}

#[test]
fn an_answer_is_said_until_it_is_acknowledged() {
    let mut slot = attached(1);
    slot.hear(decision(1));
    let mut reply = answer(&mut slot, 1, 2);
    assert_eq!(say(&mut slot, 2), ["1: answer 1"]);
    assert_eq!(say(&mut slot, 2), [""; 0]);
    slot.start_over();
    assert_eq!(say(&mut slot, 2), ["2: attach after Some(1)", "2: answer 1"]);
    slot.hear(answered(9, wire::AnswerStatus::Accepted, ErrorReason::Unspecified));
    assert!(reply.try_recv().is_err(), "that was about another one");
    slot.hear(answered(1, wire::AnswerStatus::Repeated, ErrorReason::Unspecified));
    assert_eq!(reason(&mut reply), Ok(1));
    slot.start_over();
    assert_eq!(say(&mut slot, 3), ["3: attach after Some(1)"]);
}

#[test]
fn an_answer_that_cannot_be_taken_just_then_waits() {
    let mut slot = attached(1);
    let mut reply = answer(&mut slot, 1, 2);
    say(&mut slot, 2);
    let refused = || answered(1, wire::AnswerStatus::Refused, ErrorReason::StoreUnavailable);
    assert_eq!(slot.hear(refused()), Then::SayLater);
    assert_eq!(say(&mut slot, 2), [""; 0]);
    slot.stop_waiting();
    assert_eq!(say(&mut slot, 2), ["1: answer 1"]);
    slot.hear(answered(1, wire::AnswerStatus::Accepted, ErrorReason::Unspecified));
    assert_eq!(reason(&mut reply), Ok(1));
}

#[test]
fn an_acknowledgement_is_for_an_answer_that_was_sent() {
    let mut slot = attached(1);
    let mut waiting = answer(&mut slot, 1, 9);
    say(&mut slot, 2);
    slot.hear(answered(1, wire::AnswerStatus::Refused, ErrorReason::StoreUnavailable));
    let mut other = answer(&mut slot, 1, 0);
    assert_eq!(say(&mut slot, 2), ["1: answer 1"]);
    slot.hear(answered(1, wire::AnswerStatus::Accepted, ErrorReason::Unspecified));
    assert_eq!(reason(&mut other), Ok(1));
    assert!(waiting.try_recv().is_err(), "it waits to be sent again");
}

#[test]
fn answers_to_one_decision_are_acknowledged_in_order() {
    let mut slot = attached(1);
    let (mut one, mut other) = (answer(&mut slot, 1, 9), answer(&mut slot, 1, 0));
    say(&mut slot, 2);
    slot.hear(answered(1, wire::AnswerStatus::Refused, ErrorReason::IllegalAction));
    assert_eq!(reason(&mut one), Err(Reason::IllegalAction));
    slot.hear(answered(1, wire::AnswerStatus::Accepted, ErrorReason::Unspecified));
    assert_eq!(reason(&mut other), Ok(1));
}

#[test]
fn at_the_end_an_update_acknowledges_what_nothing_else_did() {
    for (decided_index, expected) in [(2, Ok(1)), (0, Err(Reason::DecidedOtherwise))] {
        let mut slot = attached(1);
        let mut reply = answer(&mut slot, 1, 2);
        say(&mut slot, 2);
        slot.start_over();
        say(&mut slot, 2);
        slot.hear(decided(2, 1, decided_index));
        slot.hear(closed(ErrorReason::Unspecified, false));
        assert_eq!(reason(&mut reply), expected);
    }
    let mut slot = attached(1);
    let mut reply = answer(&mut slot, 1, 2);
    say(&mut slot, 2);
    slot.hear(closed(ErrorReason::Unspecified, false));
    assert_eq!(reason(&mut reply), Err(Reason::TableOver));
}

#[test]
fn an_answer_goes_out_although_the_inbox_is_full() {
    let mut slot = attached(0);
    for number in 1..=9 {
        slot.hear(update(number));
    }
    let mut reply = answer(&mut slot, 1, 0);
    assert_eq!(say(&mut slot, 2), ["1: answer 1"]);
    slot.hear(answered(1, wire::AnswerStatus::Accepted, ErrorReason::Unspecified));
    assert_eq!(reason(&mut reply), Ok(1));
}

#[test]
fn more_answers_than_fit_are_refused_here() {
    let mut slot = attached(0);
    let replies: Vec<_> = (0..MOST_ANSWERS).map(|_| answer(&mut slot, 1, 0)).collect();
    assert_eq!(reason(&mut answer(&mut slot, 1, 0)), Err(Reason::TooManyAnswers));
    assert_eq!(say(&mut slot, 2).len(), replies.len());
}

/// A seat that the server gave on the first stream, with a snapshot at this number read.
fn given(number: u32) -> Slot {
    let mut slot = Slot::new(Opening::Given { table_id: "t".into(), seat: 1 }, None, ROOM);
    slot.give(7, 1);
    slot.hear(snapshot(number));
    assert_eq!(read(&mut slot), [format!("snapshot {number}")]);
    slot
}

fn bookmark(slot: &Slot) -> Option<u32> {
    slot.bookmark().map(|bookmark| bookmark.after)
}

#[test]
fn a_seat_that_was_given_never_attaches() {
    let mut slot = given(3);
    assert_eq!(say(&mut slot, 1), [""; 0]);
    slot.hear(decision(1));
    let mut reply = answer(&mut slot, 1, 2);
    assert_eq!(say(&mut slot, 1), ["7: answer 1"]);
    slot.start_over();
    assert_eq!(bookmark(&slot), Some(3));
    assert_eq!(say(&mut slot, 1), [""; 0], "it waits until the seat is given again");
    slot.give(9, 2);
    assert_eq!(say(&mut slot, 1), ["9: answer 1"]);
    slot.hear(answered(1, wire::AnswerStatus::Repeated, ErrorReason::Unspecified));
    assert_eq!(reason(&mut reply), Ok(1));
    assert!(!slot.needs_another_stream());
}

#[test]
fn what_a_given_seat_lacks_comes_with_another_stream() {
    let mut full = given(0);
    for number in 1..=ROOM as u32 + 1 {
        full.hear(update(number));
    }
    assert!(!full.needs_another_stream(), "there is no room yet");
    assert_eq!(read(&mut full).len(), ROOM);
    let mut shut = given(0);
    assert_eq!(shut.hear(closed(ErrorReason::TooSlow, true)), Then::SayLater);
    shut.stop_waiting();
    let mut hole = given(1);
    assert_eq!(hole.hear(update(3)), Then::SayLater);
    hole.stop_waiting();
    for (mut slot, after) in [(full, ROOM as u32), (shut, 0), (hole, 1)] {
        assert!(slot.needs_another_stream());
        slot.start_over();
        assert!(!slot.needs_another_stream());
        assert_eq!(bookmark(&slot), Some(after));
        slot.give(1, 2);
        slot.hear(update(after + 1));
        assert_eq!(read(&mut slot), [format!("update {}", after + 1)]);
    }
}

#[test]
fn a_seat_that_is_not_given_again_is_over() {
    let mut slot = given(3);
    let mut reply = answer(&mut slot, 1, 0);
    slot.miss(1);
    assert!(slot.read().is_none(), "it was given on this stream");
    slot.start_over();
    slot.miss(2);
    assert!(matches!(slot.read(), Some(Ok(None))));
    assert_eq!(reason(&mut reply), Err(Reason::TableOver));
    assert_eq!(bookmark(&slot), None);
}
