//! Round trips: logs, records and owner feed items of whole tables.

use std::sync::Arc;

use bytes::Bytes;
use parlor_engine::{Seat, Viewer};
use parlor_host::TableId;
use parlor_host::persistence::{
    EntryReader, decode_entry, decode_feed_item, decode_record, encode_entry, encode_feed_item, encode_record,
};
use parlor_host::table::{Entry, Record, SeatFinish, Table, TableSummary};
use parlor_host::{OwnerEvent, OwnerFeedItem};
use parlor_store::{FeedItem, Millis};

use super::games::{NOW, Played, play_all};
use super::test_rng;
use crate::grpc::convert::ApiCodec;

/// The encoded entries of a log.
fn encode_log(log: &[(u64, Entry)]) -> Vec<Bytes> {
    log.iter().map(|(at, entry)| encode_entry(NOW, *at, entry, &ApiCodec)).collect()
}

/// The entries as slices.
fn slices(stored: &[Bytes]) -> impl Iterator<Item = &[u8]> {
    stored.iter().map(Bytes::as_ref)
}

#[test]
fn logs_and_records_round_trip() {
    let mut rng = test_rng("whole_tables_read_back");
    let (mut tables, mut actions, mut action_bytes) = (0, 0, 0);
    play_all(&mut rng, |Played { log, table }| {
        tables += 1;
        let stored = encode_log(&log);
        assert_eq!(EntryReader::new().read_all(slices(&stored), &ApiCodec).as_ref(), Ok(&log));
        assert_eq!(
            EntryReader::after_creation(NOW).read_all(slices(&stored[1..]), &ApiCodec).expect("the rest"),
            log[1..]
        );
        for ((_, entry), stored) in log.iter().zip(&stored) {
            if matches!(entry, Entry::Acted { .. }) {
                actions += 1;
                action_bytes += stored.len();
            }
        }

        let record = Record::from_log(&log).expect("a log");
        let bytes = encode_record(&record, &ApiCodec);
        let read = decode_record(&bytes, &ApiCodec).expect("a record");
        assert_eq!(read, record);
        assert_eq!(read.summary, table.summary());
        for viewer in Viewer::all(table.players()) {
            assert_eq!(read.last_view(viewer), table.view(viewer), "{viewer:?}");
        }
        // A step is some dozens of bytes, stored once for all viewers. The defaults of forfeited seats are steps, too.
        let steps = record.steps.len();
        assert!(bytes.len() < 6_000 + 150 * steps, "{} bytes for {steps} steps", bytes.len());
    });
    assert!(tables > 20 && actions > 2_000, "{tables} tables, {actions} actions");
    assert!(action_bytes < actions * 18, "{action_bytes} bytes for {actions} actions");
}

/// Times round-trip exactly, including those before the creation of the table.
#[test]
fn entry_times_round_trip() {
    for (created, at) in [(NOW, NOW - 5_000), (NOW, 0), (0, u64::MAX), (u64::MAX, 0), (NOW, NOW)] {
        let bytes = encode_entry(created, at, &Entry::Started, &ApiCodec);
        assert_eq!(decode_entry(created, &bytes, &ApiCodec), Ok((at, Entry::Started)));
    }
}

#[test]
fn news_round_trip() {
    let mut rng = test_rng("news_read_back");
    let check = |table: TableId, news: OwnerEvent| {
        let payload: Bytes = encode_feed_item(table, &news, &ApiCodec);
        let item = FeedItem { number: 7, at: Millis(NOW), payload };
        assert_eq!(
            decode_feed_item(&item, &ApiCodec),
            Ok(OwnerFeedItem { number: 7, table, at: NOW, event: news })
        );
    };
    play_all(&mut rng, |Played { log, table }| {
        let id = table.setup().table;
        let first = Table::from_first_entry(&log[0].1).expect("a first entry");
        check(id, OwnerEvent::Created(Arc::new(first.summary())));
        let over = TableSummary { rematch: Some(TableId::from_bytes([9; 16])), ..table.summary() };
        check(id, OwnerEvent::Over(Arc::new(over)));
        check(id, OwnerEvent::Over(Arc::new(table.summary())));
    });
    let (id, seat) = (TableId::from_bytes([3; 16]), Seat::new(5).expect("a seat"));
    for user in [None, Some(String::new()), Some("ann".to_owned())] {
        check(id, OwnerEvent::Joined { seat, user, name: "Änne".to_owned() });
    }
    check(id, OwnerEvent::Started);
    for finish in [SeatFinish::TimedOut, SeatFinish::Resigned, SeatFinish::Disconnected, SeatFinish::SetAside]
    {
        check(id, OwnerEvent::Forfeited { seat, finish });
    }
    check(id, OwnerEvent::Replaced { seat, bot: "greedy".to_owned() });
    check(id, OwnerEvent::Deleted);
}

/// Only the first entry of a log is a creation.
#[test]
fn created_entry_is_only_valid_at_the_start_of_a_log() {
    let mut rng = test_rng("a_log_begins_with_its_table");
    let log = super::games::play(parlor_engine::GameId::Gap.default_options(), 2, &mut rng).log;
    let stored = encode_log(&log);
    let error =
        EntryReader::new().read_all(slices(&stored[1..]), &ApiCodec).expect_err("no first entry").to_string();
    assert_eq!(error, "a stored entry cannot be read: created: must stand before all other entries");
    let twice = [stored[0].clone(), stored[0].clone()];
    let error =
        EntryReader::new().read_all(slices(&twice), &ApiCodec).expect_err("two first entries").to_string();
    assert_eq!(error, "a stored entry cannot be read: created: must stand at the beginning of the log");
}
