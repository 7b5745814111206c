//! Handwritten traces: one in the correct order, and each way to acknowledge too early.

use super::*;

const CONNECTION: &str = "127.0.0.1:1->127.0.0.1:2";
const WAL: &str = "/data/parlor.db-wal";

fn message(message: &impl Message) -> Vec<u8> {
    let body = message.encode_to_vec();
    let mut data = vec![0];
    data.extend((body.len() as u32).to_be_bytes());
    data.extend(body);
    let mut frame = (data.len() as u32).to_be_bytes()[1..].to_vec();
    frame.extend([0, 0, 0, 0, 0, 1]);
    frame.extend(data);
    frame
}

fn call(name: &str, target: &str, bytes: Vec<u8>) -> Syscall {
    Syscall { name: name.into(), target: target.into(), bytes }
}

fn asked() -> TraceEvent {
    let answer = wire::Answer { decision_id: 5, ..wire::Answer::default() };
    let item = Some(wire::play_request_item::Item::Answer(answer));
    let request = wire::PlayRequest { items: vec![wire::PlayRequestItem { channel: 3, item }] };
    TraceEvent::Completed(call("recvfrom", CONNECTION, message(&request)))
}

fn acknowledged() -> TraceEvent {
    let status = wire::AnswerStatus::Accepted.into();
    let answered = wire::Answered { decision_id: 5, status, ..wire::Answered::default() };
    let item = Some(wire::stream_item::Item::Answered(answered));
    let items = vec![wire::StreamItem { channel: 3, item }];
    let response = wire::PlayResponse { items, ending: None };
    TraceEvent::Started(call("writev", CONNECTION, message(&response)))
}

fn written() -> TraceEvent {
    TraceEvent::Completed(call("pwrite64", WAL, vec![1]))
}

fn syncing() -> TraceEvent {
    TraceEvent::Started(call("fdatasync", WAL, vec![]))
}

fn synced() -> TraceEvent {
    TraceEvent::Completed(call("fdatasync", WAL, vec![]))
}

fn too_early(events: &[TraceEvent]) -> u64 {
    let shown = check_order(events);
    assert_eq!(shown.acknowledgements, 1);
    shown.before_sync
}

#[test]
fn acknowledgement_after_the_sync_is_correct() {
    assert_eq!(too_early(&[asked(), written(), syncing(), synced(), acknowledged()]), 0);
}

#[test]
fn acknowledgement_before_write_or_sync_is_too_early() {
    assert_eq!(too_early(&[asked(), acknowledged(), written(), syncing(), synced()]), 1);
    assert_eq!(too_early(&[asked(), written(), acknowledged(), syncing(), synced()]), 1);
    assert_eq!(too_early(&[asked(), written(), syncing(), acknowledged(), synced()]), 1);
}

#[test]
fn unrelated_sync_does_not_count() {
    assert_eq!(too_early(&[written(), syncing(), synced(), asked(), acknowledged()]), 1);
    // The sync started before the store was written.
    assert_eq!(too_early(&[asked(), syncing(), written(), synced(), acknowledged()]), 1);
    let elsewhere = TraceEvent::Completed(call("fdatasync", "/data/other", vec![]));
    assert_eq!(too_early(&[asked(), written(), syncing(), elsewhere, acknowledged()]), 1);
}
