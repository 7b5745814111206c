//! Exactly-once delivery of a subscription, without a stream: repeated, missing and late items.

use super::*;
use wire::ErrorReason;
use wire::stream_item::Item as ServerItem;

const CAPACITY: usize = 4;

fn subscription() -> Subscription {
    let viewer = wire::attach::Viewer::SeatToken("token".into());
    Subscription::new(ChannelOpener::Client { viewer }, None, None, CAPACITY)
}

/// An attached subscription that has read a snapshot with this number.
fn attached(number: u32) -> Subscription {
    let mut subscription = subscription();
    assert_eq!(send(&mut subscription, 1), ["1: attach after None"]);
    assert_eq!(subscription.receive(snapshot(number)), FollowUp::WakeReader);
    assert_eq!(read(&mut subscription), [format!("snapshot {number}")]);
    subscription
}

fn snapshot(number: u32) -> ServerItem {
    ServerItem::Snapshot(Box::new(wire::Snapshot { number, ..Default::default() }))
}

fn update(number: u32) -> ServerItem {
    ServerItem::Update(wire::Update { number, ..Default::default() })
}

fn decided(number: u32, decision_id: u32, index: u32) -> ServerItem {
    let decided = Some(wire::Decided { decision_id, index, ..Default::default() });
    ServerItem::Update(wire::Update { number, decided, ..Default::default() })
}

fn decision(id: u32) -> ServerItem {
    ServerItem::Decision(wire::Decision { id, ..Default::default() })
}

fn closed(reason: ErrorReason, retry: bool) -> ServerItem {
    ServerItem::Closed(wire::ChannelClosed { reason: reason.into(), retry, ..Default::default() })
}

fn answered(decision_id: u32, status: wire::AnswerStatus, reason: ErrorReason) -> ServerItem {
    let refusal = Some(wire::AnswerRefusal { reason: reason.into(), ..Default::default() });
    ServerItem::Answered(wire::Answered { decision_id, status: status.into(), refusal, ..Default::default() })
}

/// All items the subscription sends; a new attach uses this channel number.
fn send(subscription: &mut Subscription, channel: u32) -> Vec<String> {
    let mut items = Vec::new();
    if subscription.has_items_to_send() {
        subscription.collect_requests(|| channel, &mut items);
        assert!(!items.is_empty(), "there were items to send");
    }
    let item = |item: wire::PlayRequestItem| match item.item.unwrap() {
        RequestItem::Attach(attach) => format!("{}: attach after {:?}", item.channel, attach.after),
        RequestItem::Detach(_) => format!("{}: detach", item.channel),
        RequestItem::Answer(answer) => format!("{}: answer {}", item.channel, answer.decision_id),
        RequestItem::TournamentEntropy(_) => panic!("about no seat"),
        RequestItem::Reveal(_) => panic!("the client reveals with a call"),
    };
    items.into_iter().map(item).collect()
}

/// All readable items.
fn read(subscription: &mut Subscription) -> Vec<String> {
    let mut items = Vec::new();
    while subscription.peek().is_some() {
        items.push(read_one(subscription));
    }
    items
}

fn read_one(subscription: &mut Subscription) -> String {
    match subscription.read().unwrap().unwrap().unwrap() {
        InboxItem::Snapshot(snapshot) => format!("snapshot {}", snapshot.number),
        InboxItem::Update(update) => format!("update {}", update.number),
        InboxItem::Decision(decision) => format!("decision {}", decision.id),
        InboxItem::Presence(presence) => format!("presence {}", presence.seat),
        InboxItem::TimeLeft(_) => "time left".into(),
    }
}

fn answer(
    subscription: &mut Subscription,
    decision_id: u32,
    index: u32,
) -> oneshot::Receiver<Result<AcceptedAnswer, Error>> {
    let (reply, acknowledged) = oneshot::channel();
    let choice = Some(wire::answer::Choice::Index(index));
    subscription.queue_answer(wire::Answer { decision_id, choice, think_ms: None }, reply);
    acknowledged
}

fn reason(reply: &mut oneshot::Receiver<Result<AcceptedAnswer, Error>>) -> Result<u32, Reason> {
    let reply = reply.try_recv().expect("an acknowledgement");
    reply.map(|answered| answered.decision_id).map_err(|error| error.reason())
}

#[test]
fn duplicate_updates_and_decisions_are_dropped() {
    let mut subscription = attached(5);
    for item in [update(4), update(5), update(6), update(6), decision(1), decision(1), update(7), update(5)] {
        subscription.receive(item);
    }
    assert_eq!(read(&mut subscription), ["update 6", "decision 1", "update 7"]);
    // A new stream repeats items, from the last number on.
    subscription.reset_for_new_stream();
    assert_eq!(send(&mut subscription, 2), ["2: attach after Some(7)"]);
    for item in [decision(1), update(8), decision(2)] {
        subscription.receive(item);
    }
    assert_eq!(read(&mut subscription), ["update 8", "decision 2"]);
}

#[test]
fn reconnect_before_the_snapshot_requests_it_again() {
    let mut subscription = subscription();
    assert_eq!(send(&mut subscription, 1), ["1: attach after None"]);
    assert_eq!(send(&mut subscription, 2), [""; 0]);
    subscription.reset_for_new_stream();
    assert_eq!(send(&mut subscription, 2), ["2: attach after None"]);
}

#[test]
fn inbox_overflow_is_refetched_when_there_is_room() {
    let mut subscription = attached(0);
    for number in 1..=6 {
        subscription.receive(update(number));
    }
    subscription.receive(decision(1));
    subscription.receive(ServerItem::Presence(wire::Presence::default()));
    assert_eq!(send(&mut subscription, 2), [""; 0], "the inbox is still full");
    assert_eq!((read_one(&mut subscription), send(&mut subscription, 2)), ("update 1".into(), vec![]));
    assert_eq!(read_one(&mut subscription), "update 2");
    assert_eq!(send(&mut subscription, 2), ["1: detach", "2: attach after Some(4)"]);
    for item in [update(5), update(6), decision(1)] {
        subscription.receive(item);
    }
    assert_eq!(
        read(&mut subscription),
        ["update 3", "update 4", "update 5", "update 6"],
        "the decision did not fit"
    );
    assert_eq!(send(&mut subscription, 3), ["2: detach", "3: attach after Some(6)"]);
    subscription.receive(decision(1));
    assert_eq!(read(&mut subscription), ["decision 1"]);
}

#[test]
fn table_end_waits_for_overflowed_items() {
    let mut subscription = attached(0);
    for number in 1..=5 {
        subscription.receive(update(number));
    }
    subscription.receive(closed(ErrorReason::Unspecified, false));
    assert_eq!(read(&mut subscription).len(), CAPACITY);
    assert!(subscription.read().is_none(), "the subscription is not over yet");
    assert_eq!(send(&mut subscription, 2), ["2: attach after Some(4)"]);
    subscription.receive(update(5));
    subscription.receive(closed(ErrorReason::Unspecified, false));
    assert_eq!(read(&mut subscription), ["update 5"]);
    assert!(matches!(subscription.read(), Some(Ok(None))));
    assert!(matches!(subscription.read(), Some(Ok(None))), "the end stays");
    assert_eq!(send(&mut subscription, 3), [""; 0]);
}

#[test]
fn skipped_update_is_refetched_after_a_wait() {
    let mut subscription = attached(1);
    assert_eq!(subscription.receive(update(3)), FollowUp::RetryLater);
    assert_eq!(subscription.receive(update(4)), FollowUp::None);
    assert_eq!(send(&mut subscription, 2), [""; 0]);
    subscription.retry();
    assert_eq!(send(&mut subscription, 2), ["1: detach", "2: attach after Some(1)"]);
    for number in 2..=4 {
        subscription.receive(update(number));
    }
    assert_eq!(read(&mut subscription), ["update 2", "update 3", "update 4"]);
}

#[test]
fn snapshot_after_a_reconnect_is_delivered() {
    let mut subscription = attached(3);
    subscription.reset_for_new_stream();
    assert_eq!(send(&mut subscription, 2), ["2: attach after Some(3)"]);
    subscription.receive(snapshot(90));
    subscription.receive(update(91));
    assert_eq!(read(&mut subscription), ["snapshot 90", "update 91"]);
}

#[test]
fn temporarily_closed_channel_is_reattached_after_a_wait() {
    for (reason, retry) in [
        (ErrorReason::TooSlow, false),
        (ErrorReason::StoreUnavailable, false),
        (ErrorReason::ServerStopping, false),
        (ErrorReason::TooManyStreams, true),
    ] {
        let mut subscription = attached(3);
        assert_eq!(subscription.receive(closed(reason, retry)), FollowUp::RetryLater);
        assert_eq!(send(&mut subscription, 2), [""; 0]);
        subscription.retry();
        assert_eq!(send(&mut subscription, 2), ["2: attach after Some(3)"]);
    }
}

#[test]
fn permanently_closed_channel_reports_its_error_once() {
    let mut subscription = attached(3);
    let mut waiting = answer(&mut subscription, 1, 0);
    subscription.receive(update(4));
    assert_eq!(subscription.receive(closed(ErrorReason::TokenExpired, false)), FollowUp::WakeReader);
    assert_eq!(reason(&mut waiting), Err(Reason::TokenExpired));
    assert_eq!(read(&mut subscription), ["update 4"], "earlier items are delivered first");
    assert_eq!(subscription.read().unwrap().unwrap_err().reason(), Reason::TokenExpired);
    assert!(matches!(subscription.read(), Some(Ok(None))));
    assert_eq!(reason(&mut answer(&mut subscription, 1, 0)), Err(Reason::TableOver));
    subscription.retry();
    assert_eq!(send(&mut subscription, 2), [""; 0]);
}

#[test]
fn answer_is_resent_until_acknowledged() {
    let mut subscription = attached(1);
    subscription.receive(decision(1));
    let mut reply = answer(&mut subscription, 1, 2);
    assert_eq!(send(&mut subscription, 2), ["1: answer 1"]);
    assert_eq!(send(&mut subscription, 2), [""; 0]);
    subscription.reset_for_new_stream();
    assert_eq!(send(&mut subscription, 2), ["2: attach after Some(1)", "2: answer 1"]);
    subscription.receive(answered(9, wire::AnswerStatus::Accepted, ErrorReason::Unspecified));
    assert!(reply.try_recv().is_err(), "the acknowledgement is for another decision");
    subscription.receive(answered(1, wire::AnswerStatus::Repeated, ErrorReason::Unspecified));
    assert_eq!(reason(&mut reply), Ok(1));
    subscription.reset_for_new_stream();
    assert_eq!(send(&mut subscription, 3), ["3: attach after Some(1)"]);
}

#[test]
fn temporarily_refused_answer_is_retried_after_a_wait() {
    let mut subscription = attached(1);
    let mut reply = answer(&mut subscription, 1, 2);
    send(&mut subscription, 2);
    let refused = || answered(1, wire::AnswerStatus::Refused, ErrorReason::StoreUnavailable);
    assert_eq!(subscription.receive(refused()), FollowUp::RetryLater);
    assert_eq!(send(&mut subscription, 2), [""; 0]);
    subscription.retry();
    assert_eq!(send(&mut subscription, 2), ["1: answer 1"]);
    subscription.receive(answered(1, wire::AnswerStatus::Accepted, ErrorReason::Unspecified));
    assert_eq!(reason(&mut reply), Ok(1));
}

#[test]
fn acknowledgement_matches_only_sent_answers() {
    let mut subscription = attached(1);
    let mut waiting = answer(&mut subscription, 1, 9);
    send(&mut subscription, 2);
    subscription.receive(answered(1, wire::AnswerStatus::Refused, ErrorReason::StoreUnavailable));
    let mut other = answer(&mut subscription, 1, 0);
    assert_eq!(send(&mut subscription, 2), ["1: answer 1"]);
    subscription.receive(answered(1, wire::AnswerStatus::Accepted, ErrorReason::Unspecified));
    assert_eq!(reason(&mut other), Ok(1));
    assert!(waiting.try_recv().is_err(), "it waits to be sent again");
}

#[test]
fn answers_to_one_decision_are_acknowledged_in_order() {
    let mut subscription = attached(1);
    let (mut one, mut other) = (answer(&mut subscription, 1, 9), answer(&mut subscription, 1, 0));
    send(&mut subscription, 2);
    subscription.receive(answered(1, wire::AnswerStatus::Refused, ErrorReason::IllegalAction));
    assert_eq!(reason(&mut one), Err(Reason::IllegalAction));
    subscription.receive(answered(1, wire::AnswerStatus::Accepted, ErrorReason::Unspecified));
    assert_eq!(reason(&mut other), Ok(1));
}

#[test]
fn table_end_resolves_unacknowledged_answers_from_updates() {
    for (decided_index, expected) in [(2, Ok(1)), (0, Err(Reason::DecidedOtherwise))] {
        let mut subscription = attached(1);
        let mut reply = answer(&mut subscription, 1, 2);
        send(&mut subscription, 2);
        subscription.reset_for_new_stream();
        send(&mut subscription, 2);
        subscription.receive(decided(2, 1, decided_index));
        subscription.receive(closed(ErrorReason::Unspecified, false));
        assert_eq!(reason(&mut reply), expected);
    }
    let mut subscription = attached(1);
    let mut reply = answer(&mut subscription, 1, 2);
    send(&mut subscription, 2);
    subscription.receive(closed(ErrorReason::Unspecified, false));
    assert_eq!(reason(&mut reply), Err(Reason::TableOver));
}

#[test]
fn answer_is_sent_while_the_inbox_is_full() {
    let mut subscription = attached(0);
    for number in 1..=9 {
        subscription.receive(update(number));
    }
    let mut reply = answer(&mut subscription, 1, 0);
    assert_eq!(send(&mut subscription, 2), ["1: answer 1"]);
    subscription.receive(answered(1, wire::AnswerStatus::Accepted, ErrorReason::Unspecified));
    assert_eq!(reason(&mut reply), Ok(1));
}

#[test]
fn too_many_unacknowledged_answers_are_rejected() {
    let mut subscription = attached(0);
    let replies: Vec<_> = (0..MAX_UNACKED_ANSWERS).map(|_| answer(&mut subscription, 1, 0)).collect();
    assert_eq!(reason(&mut answer(&mut subscription, 1, 0)), Err(Reason::TooManyAnswers));
    assert_eq!(send(&mut subscription, 2).len(), replies.len());
}

/// A seat that the server assigned on the first stream, with a snapshot of this number read.
fn assigned(number: u32) -> Subscription {
    let mut subscription =
        Subscription::new(ChannelOpener::Server { table_id: "t".into(), seat: 1 }, None, None, CAPACITY);
    subscription.assign(7, 1);
    subscription.receive(snapshot(number));
    assert_eq!(read(&mut subscription), [format!("snapshot {number}")]);
    subscription
}

fn bookmark(subscription: &Subscription) -> Option<u32> {
    subscription.bookmark().map(|bookmark| bookmark.after)
}

#[test]
fn server_assigned_seat_never_attaches() {
    let mut subscription = assigned(3);
    assert_eq!(send(&mut subscription, 1), [""; 0]);
    subscription.receive(decision(1));
    let mut reply = answer(&mut subscription, 1, 2);
    assert_eq!(send(&mut subscription, 1), ["7: answer 1"]);
    subscription.reset_for_new_stream();
    assert_eq!(bookmark(&subscription), Some(3));
    assert_eq!(send(&mut subscription, 1), [""; 0], "answers wait until the seat is reassigned");
    subscription.assign(9, 2);
    assert_eq!(send(&mut subscription, 1), ["9: answer 1"]);
    subscription.receive(answered(1, wire::AnswerStatus::Repeated, ErrorReason::Unspecified));
    assert_eq!(reason(&mut reply), Ok(1));
    assert!(!subscription.needs_new_stream());
}

#[test]
fn server_assigned_seat_requests_a_new_stream_for_missing_items() {
    let mut full = assigned(0);
    for number in 1..=CAPACITY as u32 + 1 {
        full.receive(update(number));
    }
    assert!(!full.needs_new_stream(), "the inbox is still full");
    assert_eq!(read(&mut full).len(), CAPACITY);
    let mut closed_channel = assigned(0);
    assert_eq!(closed_channel.receive(closed(ErrorReason::TooSlow, true)), FollowUp::RetryLater);
    closed_channel.retry();
    let mut skipped = assigned(1);
    assert_eq!(skipped.receive(update(3)), FollowUp::RetryLater);
    skipped.retry();
    for (mut subscription, after) in [(full, CAPACITY as u32), (closed_channel, 0), (skipped, 1)] {
        assert!(subscription.needs_new_stream());
        subscription.reset_for_new_stream();
        assert!(!subscription.needs_new_stream());
        assert_eq!(bookmark(&subscription), Some(after));
        subscription.assign(1, 2);
        subscription.receive(update(after + 1));
        assert_eq!(read(&mut subscription), [format!("update {}", after + 1)]);
    }
}

#[test]
fn seat_not_reassigned_on_a_new_stream_is_over() {
    let mut subscription = assigned(3);
    let mut reply = answer(&mut subscription, 1, 0);
    subscription.end_unless_assigned_on(1);
    assert!(subscription.read().is_none(), "the seat was assigned on this stream");
    subscription.reset_for_new_stream();
    subscription.end_unless_assigned_on(2);
    assert!(matches!(subscription.read(), Some(Ok(None))));
    assert_eq!(reason(&mut reply), Err(Reason::TableOver));
    assert_eq!(bookmark(&subscription), None);
}

#[test]
fn a_view_left_out_of_a_decision_is_restored_from_its_update_or_snapshot() {
    let wants =
        |update_views, decision_views| wire::Wants { update_views, decision_views, ..Default::default() };
    // Told apart by the only field outside the games.
    let view = |seed_given| Some(Box::new(wire::GameView { seed_given, ..Default::default() }));
    let snapshot =
        |number, view| ServerItem::Snapshot(Box::new(wire::Snapshot { number, view, ..Default::default() }));
    let update = |number, view| ServerItem::Update(wire::Update { number, view, ..Default::default() });
    let decision =
        |id, after, view| ServerItem::Decision(wire::Decision { id, after, view, ..Default::default() });
    let decisions = |wants: wire::Wants| {
        let viewer = wire::attach::Viewer::SeatToken("token".into());
        let opener = ChannelOpener::Client { viewer };
        let mut subscription = Subscription::new(opener, Some(wants), None, 20);
        let items = [
            snapshot(3, view(true)),
            decision(1, 3, None),
            update(4, view(false)),
            update(5, view(true)),
            decision(2, 5, None),
            decision(3, 5, view(false)),
            // Its update had no view.
            update(6, None),
            decision(4, 6, None),
        ];
        for item in items {
            let _follow_up = subscription.receive(item);
        }
        let items = std::iter::from_fn(|| subscription.read().map(|item| item.unwrap().unwrap()));
        let views = items.filter_map(|item| match item {
            InboxItem::Decision(decision) => Some(decision.view.map(|view| view.seed_given)),
            _ => None,
        });
        views.collect::<Vec<_>>()
    };
    assert_eq!(decisions(wants(Some(true), None)), [Some(true), Some(true), Some(false), None]);
    assert_eq!(decisions(wants(Some(true), Some(true))), decisions(wants(Some(true), None)));
    assert_eq!(decisions(wants(Some(true), Some(false))), [None, None, Some(false), None]);
    assert_eq!(decisions(wants(None, None)), [None, None, Some(false), None]);
}
