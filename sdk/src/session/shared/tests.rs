//! Dispatch between subscriptions and streams, without a network.

use super::*;
use wire::play_request_item::Item as RequestItem;
use wire::stream_item::Item as ServerItem;

fn shared() -> SharedSession {
    SharedSession::new(8)
}

fn seat(shared: &SharedSession, token: &str) -> SubscriptionId {
    shared.subscribe(wire::attach::Viewer::SeatToken(token.into()), None, None).unwrap()
}

/// Everything the stream sends now; `None` if it has ended.
fn send(shared: &SharedSession, stream: u64, max_items: usize) -> Option<Vec<wire::PlayRequestItem>> {
    match shared.poll_send(stream, max_items, &Context::from_waker(Waker::noop())) {
        Poll::Ready(items) => items,
        Poll::Pending => Some(Vec::new()),
    }
}

/// Channels attached by these items, with their tokens.
fn attached(items: &[wire::PlayRequestItem]) -> Vec<(String, u32)> {
    let attach = |item: &wire::PlayRequestItem| match &item.item {
        Some(RequestItem::Attach(wire::Attach {
            viewer: Some(wire::attach::Viewer::SeatToken(token)),
            ..
        })) => Some((token.clone(), item.channel)),
        _ => None,
    };
    items.iter().filter_map(attach).collect()
}

fn update(channel: u32, number: u32) -> wire::StreamItem {
    let update = wire::Update { number, ..Default::default() };
    wire::StreamItem { channel, item: Some(ServerItem::Update(update)) }
}

fn closed(channel: u32, reason: wire::ErrorReason) -> wire::StreamItem {
    let closed = wire::ChannelClosed { reason: reason.into(), ..Default::default() };
    wire::StreamItem { channel, item: Some(ServerItem::Closed(closed)) }
}

/// Numbers of all readable updates.
fn read(shared: &SharedSession, id: SubscriptionId) -> Vec<u32> {
    let context = Context::from_waker(Waker::noop());
    let mut numbers = Vec::new();
    while let Poll::Ready(Ok(Some(item))) = shared.poll_read(id, &context) {
        let InboxItem::Update(update) = item else { panic!("only updates were sent: {item:?}") };
        numbers.push(update.number);
    }
    numbers
}

#[test]
fn pending_items_are_batched_up_to_the_limit() {
    let shared = shared();
    let stream = shared.begin_stream();
    let ids: Vec<SubscriptionId> = (0..100).map(|number| seat(&shared, &number.to_string())).collect();
    let max_items = 50;
    let mut sent = Vec::new();
    loop {
        let items = send(&shared, stream, max_items).unwrap();
        assert!(items.len() <= max_items);
        if items.is_empty() {
            break;
        }
        sent.extend(attached(&items));
    }
    assert_eq!(sent.len(), 100, "each once");
    // Detaches are batched too.
    ids.into_iter().take(30).for_each(|id| shared.unsubscribe(id));
    let items = send(&shared, stream, max_items).unwrap();
    assert!(items.len() == 30 && items.iter().all(|item| matches!(item.item, Some(RequestItem::Detach(_)))));
}

#[test]
fn outbox_of_a_replaced_stream_ends() {
    let shared = shared();
    seat(&shared, "a");
    let old = shared.begin_stream();
    assert_eq!(attached(&send(&shared, old, 100).unwrap()).len(), 1);
    let new = shared.begin_stream();
    assert_eq!(send(&shared, old, 100), None);
    assert_eq!(attached(&send(&shared, new, 100).unwrap()).len(), 1, "every subscription attaches again");
    shared.end(&closed_error());
    assert_eq!(send(&shared, new, 100), None);
}

#[test]
fn late_items_of_a_detached_channel_are_dropped() {
    let shared = shared();
    let (a, b) = (seat(&shared, "a"), seat(&shared, "b"));
    let stream = shared.begin_stream();
    let channels: HashMap<String, u32> = attached(&send(&shared, stream, 100).unwrap()).into_iter().collect();
    let later = shared.receive(vec![
        update(channels["a"], 1),
        update(channels["b"], 7),
        closed(channels["a"], wire::ErrorReason::TooSlow),
        update(channels["a"], 2),
        update(99, 1),
    ]);
    assert_eq!(later.into_iter().map(|(id, _)| id).collect::<Vec<_>>(), [a]);
    assert_eq!((read(&shared, a), read(&shared, b)), (vec![1], vec![7]));
    shared.retry(a);
    let again = attached(&send(&shared, stream, 100).unwrap());
    assert!(again.len() == 1 && again[0].1 != channels["a"], "a new channel number: {again:?}");
    shared.receive(vec![update(channels["a"], 2), update(again[0].1, 2)]);
    assert_eq!(read(&shared, a), [2]);
}

#[test]
fn ended_session_rejects_new_subscriptions() {
    let shared = shared();
    let a = seat(&shared, "a");
    shared.end(&Error::new(Reason::KeyInvalid, "no"));
    let context = Context::from_waker(Waker::noop());
    let Poll::Ready(Err(error)) = shared.poll_read(a, &context) else { panic!("the error is returned") };
    assert_eq!(error.reason(), Reason::KeyInvalid);
    assert!(matches!(shared.poll_read(a, &context), Poll::Ready(Ok(None))));
    let error = shared.subscribe(wire::attach::Viewer::TableId("t".into()), None, None).unwrap_err();
    assert_eq!(error.reason(), Reason::KeyInvalid);
    shared.unsubscribe(a);
    assert!(matches!(shared.poll_read(a, &context), Poll::Ready(Err(_))));
}
