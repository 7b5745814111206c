//! What goes between slots and streams, without a network.

use super::*;
use wire::play_request_item::Item as Say;
use wire::stream_item::Item as Hear;

fn shared() -> Shared {
    Shared::new(8, None)
}

fn seat(shared: &Shared, token: &str) -> SlotId {
    shared.add(wire::attach::Viewer::SeatToken(token.into()), None, None).unwrap()
}

/// All that a stream sends now; none if it is over.
fn send(shared: &Shared, stream: u64, most: usize) -> Option<Vec<wire::PlayRequestItem>> {
    match shared.poll_send(stream, most, &Context::from_waker(Waker::noop())) {
        Poll::Ready(items) => items,
        Poll::Pending => Some(Vec::new()),
    }
}

/// The channels that attach, by their tokens.
fn attached(items: &[wire::PlayRequestItem]) -> Vec<(String, u32)> {
    let attach = |item: &wire::PlayRequestItem| match &item.item {
        Some(Say::Attach(wire::Attach { viewer: Some(wire::attach::Viewer::SeatToken(token)), .. })) => {
            Some((token.clone(), item.channel))
        }
        _ => None,
    };
    items.iter().filter_map(attach).collect()
}

fn update(channel: u32, number: u32) -> wire::StreamItem {
    let update = wire::Update { number, ..Default::default() };
    wire::StreamItem { channel, item: Some(Hear::Update(update)) }
}

fn closed(channel: u32, reason: wire::ErrorReason) -> wire::StreamItem {
    let closed = wire::ChannelClosed { reason: reason.into(), ..Default::default() };
    wire::StreamItem { channel, item: Some(Hear::Closed(closed)) }
}

/// The numbers of the updates that there are to read.
fn read(shared: &Shared, id: SlotId) -> Vec<u32> {
    let context = Context::from_waker(Waker::noop());
    let mut numbers = Vec::new();
    while let Poll::Ready(Ok(Some(told))) = shared.poll_read(id, &context) {
        let Told::Update(update) = told else { panic!("only updates were sent: {told:?}") };
        numbers.push(update.number);
    }
    numbers
}

#[test]
fn all_that_is_ready_goes_out_at_once_up_to_the_bound() {
    let shared = shared();
    let stream = shared.new_stream();
    let ids: Vec<SlotId> = (0..100).map(|number| seat(&shared, &number.to_string())).collect();
    let most = 50;
    let mut sent = Vec::new();
    loop {
        let items = send(&shared, stream, most).unwrap();
        assert!(items.len() <= most);
        if items.is_empty() {
            break;
        }
        sent.extend(attached(&items));
    }
    assert_eq!(sent.len(), 100, "each once");
    // Those that go are said goodbye to in one message too.
    ids.into_iter().take(30).for_each(|id| shared.remove(id));
    let items = send(&shared, stream, most).unwrap();
    assert!(items.len() == 30 && items.iter().all(|item| matches!(item.item, Some(Say::Detach(_)))));
}

#[test]
fn a_stream_that_is_no_longer_open_says_nothing() {
    let shared = shared();
    seat(&shared, "a");
    let old = shared.new_stream();
    assert_eq!(attached(&send(&shared, old, 100).unwrap()).len(), 1);
    let new = shared.new_stream();
    assert_eq!(send(&shared, old, 100), None);
    assert_eq!(attached(&send(&shared, new, 100).unwrap()).len(), 1, "everyone attaches again");
    shared.end(&gone());
    assert_eq!(send(&shared, new, 100), None);
}

#[test]
fn what_comes_late_for_a_channel_is_for_nobody() {
    let shared = shared();
    let (a, b) = (seat(&shared, "a"), seat(&shared, "b"));
    let stream = shared.new_stream();
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
    shared.stop_waiting(a);
    let again = attached(&send(&shared, stream, 100).unwrap());
    assert!(again.len() == 1 && again[0].1 != channels["a"], "under a new number: {again:?}");
    shared.receive(vec![update(channels["a"], 2), update(again[0].1, 2)]);
    assert_eq!(read(&shared, a), [2]);
}

#[test]
fn a_session_that_ended_takes_nobody_in() {
    let shared = shared();
    let a = seat(&shared, "a");
    shared.end(&Error::new(Reason::KeyInvalid, "no"));
    let context = Context::from_waker(Waker::noop());
    let Poll::Ready(Err(error)) = shared.poll_read(a, &context) else { panic!("it says why") };
    assert_eq!(error.reason(), Reason::KeyInvalid);
    assert!(matches!(shared.poll_read(a, &context), Poll::Ready(Ok(None))));
    let error = shared.add(wire::attach::Viewer::TableId("t".into()), None, None).unwrap_err();
    assert_eq!(error.reason(), Reason::KeyInvalid);
    shared.remove(a);
    assert!(matches!(shared.poll_read(a, &context), Poll::Ready(Err(_))));
}
