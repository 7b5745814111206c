//! Tests of the outbound queue: order, size limits, slow readers and the end of a stream.

use std::future::poll_fn;

use futures_util::{FutureExt, poll};

use super::*;
use crate::TableId;
use crate::limits::ByteBudget;
use crate::stream::item_batch::test_encoder::{TestEncoder, texts};

const TABLE: TableId = TableId::from_bytes([7; 16]);
const FIRST: Attachment = Attachment(1);
const CHANNEL: Channel = Channel(3);

fn queue(max_items: usize, max_batch_bytes: usize) -> Arc<StreamQueue> {
    queue_of(max_items, 1_000_000, max_batch_bytes, ByteReservation::default())
}

fn queue_of(
    max_items: usize,
    max_bytes: usize,
    max_batch_bytes: usize,
    reservation: ByteReservation,
) -> Arc<StreamQueue> {
    let limits = QueueLimits {
        max_items,
        max_bytes,
        max_batch_bytes,
        kind: StreamKind::Client,
        encoder: &TestEncoder,
    };
    let queue = StreamQueue::new(limits, reservation);
    let attached =
        AttachedChannel { attachment: FIRST, target: AttachmentTarget::Spectator(TABLE), assignment: None };
    assert!(matches!(queue.attach(CHANNEL, attached, 1), Ok(None)));
    queue
}

/// An item that is identified by its number.
fn item(number: u64) -> StreamItem<'static> {
    StreamItem::Closed(channel_closed(None, number))
}

fn items(numbers: impl IntoIterator<Item = u64>) -> ItemBatch {
    let mut items = ItemBatch::default();
    for number in numbers {
        items.push(&TestEncoder, StreamKind::Client, CHANNEL, &item(number));
    }
    items
}

fn take(queue: &StreamQueue) -> Option<Option<OutboundBatch>> {
    poll_fn(|context| queue.poll_next(context)).now_or_never()
}

fn numbers(batch: &OutboundBatch) -> Vec<u32> {
    let number = |text: String| {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().expect("a number")
    };
    texts(&batch.items).into_iter().map(number).collect()
}

#[test]
fn items_stay_in_order_and_batches_within_the_size_limit() {
    let queue = queue(1000, 64);
    let receive_all = || {
        let mut received = Vec::new();
        while let Some(Some(batch)) = take(&queue) {
            assert!(batch.items.len() <= 64 && batch.end_reason.is_none(), "{batch:?}");
            received.extend(numbers(&batch));
        }
        received
    };
    for number in 1..=100 {
        queue.push(FIRST, CHANNEL, &item(number));
    }
    assert_eq!(receive_all(), (1..=100).collect::<Vec<_>>());
    // The same with one batch after another item.
    queue.push(FIRST, CHANNEL, &item(0));
    queue.push_batch(FIRST, CHANNEL, items(1..=100));
    assert_eq!(receive_all(), (0..=100).collect::<Vec<_>>());
    // An item larger than a message is sent alone.
    let large = StreamItem::Closed(channel_closed(Some(HostError::Fault { reason: "x".repeat(100) }), 1));
    for next in [&item(2), &large, &item(3)] {
        queue.push(FIRST, CHANNEL, next);
    }
    let received: Vec<_> =
        std::iter::from_fn(|| take(&queue).flatten()).map(|batch| numbers(&batch)).collect();
    assert_eq!(received, [[2], [1], [3]]);
    // The queue is empty.
    let state = queue.state();
    assert_eq!((state.items, state.catch_up_items), (0, 0));
    assert!(
        state.last.items.is_empty() && state.cold.as_ref().is_some_and(|cold| cold.full_batches.is_empty())
    );
}

#[test]
fn items_for_an_earlier_attachment_are_dropped() {
    let queue = queue(1000, 1000);
    queue.push(Attachment(2), CHANNEL, &item(1));
    queue.push(FIRST, Channel(4), &item(2));
    assert!(take(&queue).is_none());
    queue.close(FIRST, CHANNEL, channel_closed(None, 9));
    queue.push(FIRST, CHANNEL, &item(3));
    queue.push_catch_up(FIRST, CHANNEL, &item(4));
    assert_eq!(numbers(&take(&queue).flatten().expect("an item")), [9]);
    assert!(take(&queue).is_none());
    // No channel is attached any more.
    queue.finish();
    assert!(take(&queue).expect("the end").is_none());
}

#[tokio::test]
async fn slow_reader_is_cut_off_but_not_for_catch_up_items() {
    let queue = queue(20, 64);
    for number in 1..=100 {
        queue.push_catch_up(FIRST, CHANNEL, &item(number));
    }
    let mut registered = None;
    let mut ended = poll_fn(|cx| queue.poll_ended(&mut registered, cx));
    for number in 0..20 {
        queue.push(FIRST, CHANNEL, &item(number));
    }
    assert!(poll!(&mut ended).is_pending() && !queue.has_room());
    queue.push_batch(FIRST, CHANNEL, items([20, 21]));
    assert!(poll!(&mut ended).is_ready() && queue.has_room());
    let batch = take(&queue).flatten().expect("the end");
    assert!(batch.items.is_empty() && batch.end_reason == Some(HostError::TooSlow), "{batch:?}");
    assert_eq!(queue.end_reason(), Some(HostError::TooSlow));
}

#[test]
fn stream_ends_after_its_queued_items() {
    let queue = queue(1000, 64);
    for number in 1..=20 {
        queue.push(FIRST, CHANNEL, &item(number));
    }
    queue.end(HostError::Stopping);
    let batches: Vec<_> =
        std::iter::from_fn(|| take(&queue).flatten().filter(|batch| !batch.items.is_empty())).collect();
    assert_eq!(batches.iter().flat_map(numbers).collect::<Vec<_>>(), (1..=20).collect::<Vec<_>>());
    let (last, others) = batches.split_last().expect("messages");
    assert!(
        last.end_reason == Some(HostError::Stopping) && others.iter().all(|batch| batch.end_reason.is_none())
    );

    let queue = self::queue(1000, 64);
    queue.push(FIRST, CHANNEL, &item(1));
    queue.abort();
    assert_eq!(numbers(&take(&queue).flatten().expect("an item")), [1]);
    assert!(take(&queue).expect("the end").is_none() && queue.is_broken());
}

/// A text of this many bytes.
fn large(bytes: usize) -> StreamItem<'static> {
    StreamItem::Closed(channel_closed(Some(HostError::Fault { reason: "x".repeat(bytes) }), 1))
}

#[test]
fn reader_is_cut_off_at_the_bytes_of_its_stream() {
    let queue = queue_of(1_000, 4_000, 500, ByteReservation::default());
    for _ in 0..3 {
        queue.push(FIRST, CHANNEL, &large(1_000));
    }
    assert!(queue.end_reason().is_none());
    queue.push(FIRST, CHANNEL, &large(1_000));
    let exceeded = LimitExceeded::UnreadBytes { of: LimitedBytes::Stream, max: 4_000 };
    assert_eq!(queue.end_reason(), Some(exceeded.into()));
    assert!(take(&queue).flatten().expect("the end").items.is_empty());
}

#[test]
fn bytes_are_reserved_while_a_batch_is_unread_or_not_sent() {
    let budget = Arc::new(ByteBudget::new(3 * RESERVED_STREAM_BYTES, LimitedBytes::Connection));
    let open = || ByteReservation::new(vec![budget.clone()]).expect("room for another stream");
    let (queue, other) =
        (queue_of(1_000, 1_000_000, 1_000, open()), queue_of(1_000, 1_000_000, 1_000, open()));
    queue.push(FIRST, CHANNEL, &large(RESERVED_STREAM_BYTES));
    assert!(queue.end_reason().is_none() && ByteReservation::new(vec![budget.clone()]).is_err());
    let batch = take(&queue).flatten().expect("a batch");
    assert!(ByteReservation::new(vec![budget.clone()]).is_err(), "{} bytes are not sent", batch.items.len());
    assert!(take(&queue).is_none(), "nothing more");
    drop(ByteReservation::new(vec![budget.clone()]).expect("they are sent"));
    // The other stream takes what is left.
    other.push(FIRST, CHANNEL, &large(RESERVED_STREAM_BYTES));
    queue.push(FIRST, CHANNEL, &large(RESERVED_STREAM_BYTES - 1_000));
    assert!(queue.end_reason().is_none(), "its share is left to each stream");
    queue.push(FIRST, CHANNEL, &large(1_000));
    let exceeded =
        LimitExceeded::UnreadBytes { of: LimitedBytes::Connection, max: 3 * RESERVED_STREAM_BYTES };
    assert_eq!(queue.end_reason(), Some(exceeded.into()));
    assert!(other.end_reason().is_none());
}

#[tokio::test]
async fn catching_up_pauses_until_the_client_has_read() {
    let queue = queue_of(1_000, 4_000, 500, ByteReservation::default());
    let _catching_up = CatchUpGuard::new(&queue);
    assert!(queue.push_catch_up(FIRST, CHANNEL, &large(100)));
    assert!(!queue.push_catch_up(FIRST, CHANNEL, &large(900)) && !queue.has_room());
    let mut paused = std::pin::pin!(queue.wait_to_catch_up(FIRST, CHANNEL));
    assert!(poll!(&mut paused).is_pending());
    while take(&queue).is_some() {}
    assert_eq!(poll!(&mut paused), Poll::Ready(true));
    assert_eq!([1_000, 1_000, 1].map(|unit| queue.take_uncharged_bytes(unit) >= 1), [true, false, true]);
    queue.push_catch_up(FIRST, CHANNEL, &large(1_000));
    let mut paused = std::pin::pin!(queue.wait_to_catch_up(FIRST, CHANNEL));
    assert!(poll!(&mut paused).is_pending());
    queue.detach(CHANNEL);
    assert_eq!(poll!(&mut paused), Poll::Ready(false));
}
