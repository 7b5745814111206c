//! The contents of the store: entries, logs, records, feed items and rows.

use std::sync::Arc;

use bytes::Bytes;
use parlor_engine::GameId;
use parlor_fair::TableId;
use parlor_store::test_hooks::{dump_rows, encode_log};
use parlor_store::{Log, LogFilter, LogKind, OwnerId, SqliteLog, SqliteOptions};
use prost::encoding::encode_varint;

use crate::Corpus;
use crate::club::{Club, PlayedTable};

/// The table that the target `journal` decodes logs of.
const TABLE: TableId = TableId::from_bytes([3; 16]);

/// Selectors of the target `stored_messages`.
mod kind {
    pub(super) const ENTRY: u8 = 0;
    pub(super) const LOG: u8 = 1;
    pub(super) const RECORD: u8 = 2;
    pub(super) const FEED_ITEM: u8 = 3;
    pub(super) const AGENT_ENTRY: u8 = 4;
    pub(super) const TOURNAMENT_LOG: u8 = 5;
    pub(super) const TOURNAMENT_RECORD: u8 = 6;
}

pub(crate) async fn add(corpus: &Corpus, club: &Club, games: &[PlayedTable]) {
    let add = |name: &str, selector, bytes: &[u8]| {
        corpus.add_selected("stored_messages", name, selector, bytes);
    };
    for table in games {
        let log = payloads(&club.log, table.id).await;
        add(&format!("log_{}", table.name), kind::LOG, &delimited(&log));
        corpus.add("journal", &table.name, &encode_log(TABLE, &log));
        if table.game == GameId::HighCard {
            for (number, entry) in log.iter().enumerate() {
                add(&format!("entry_{}_{number:02}", table.name), kind::ENTRY, entry);
            }
        }
        let record = club.log.record(table.id).await.expect("a finished table").expect("a record");
        add(&format!("record_{}", table.name), kind::RECORD, &record);
    }
    let owner = OwnerId::new("local").expect("an owner");
    let feed = club.log.read_owner_feed(&owner, 0).await.expect("a feed");
    for item in feed.iter().take(16) {
        add(&format!("feed_item_{:02}", item.number), kind::FEED_ITEM, &item.payload);
    }
    let logs = async |kind| club.list(LogFilter { kind, ..LogFilter::default() }).await;
    for id in logs(LogKind::Agent).await {
        for (number, entry) in payloads(&club.log, id).await.iter().enumerate() {
            add(&format!("agent_entry_{number}"), kind::AGENT_ENTRY, entry);
        }
    }
    for id in logs(LogKind::Tournament).await {
        add("tournament_log", kind::TOURNAMENT_LOG, &delimited(&payloads(&club.log, id).await));
        let record = club.log.record(id).await.expect("a tournament").expect("a record");
        add("tournament_record", kind::TOURNAMENT_RECORD, &record);
    }
    add_rows(corpus, club).await;
}

async fn payloads(log: &Arc<SqliteLog>, id: TableId) -> Vec<Bytes> {
    log.read(id, 0).await.expect("a log").into_iter().map(|entry| entry.payload).collect()
}

/// The messages of a log, each after its length.
fn delimited(log: &[Bytes]) -> Vec<u8> {
    let mut out = Vec::new();
    for payload in log {
        encode_varint(payload.len() as u64, &mut out);
        out.extend_from_slice(payload);
    }
    out
}

/// The rows of small stores: of one table each, copied from the store.
async fn add_rows(corpus: &Corpus, club: &Club) {
    let folder = tempfile::tempdir().expect("a folder");
    let all = club.list(LogFilter::default()).await;
    for (number, id) in all.into_iter().enumerate() {
        let file = folder.path().join(format!("{number}.db"));
        let row = club.log.find(id).await.expect("a row");
        let entries = payloads(&club.log, id).await;
        let copy = SqliteLog::open(&file, SqliteOptions::default()).expect("a store");
        let record = club.log.record(id).await.expect("a log");
        // Half of it as it was, half still in play.
        let place = match record.filter(|_| number % 2 == 0) {
            Some(record) => parlor_store::NewPlace::Finished { record },
            None => parlor_store::NewPlace::InPlay,
        };
        let append = parlor_store::Append {
            table: id,
            expected: 0,
            entries,
            at: row.created,
            listing: Some(row.listing),
            place: Some(place),
            request: Some("c:request".to_owned()),
            feed: Vec::new(),
        };
        copy.append(append).await.expect("an append");
        copy.close().await;
        drop(copy);
        corpus.add(
            "sqlite_rows",
            &format!("one_table_{number:02}"),
            &dump_rows(&file).expect("a sound store"),
        );
    }
    match dump_rows(&club.store()) {
        Ok(rows) => corpus.add("sqlite_rows", "whole_store", &rows),
        Err(error) => panic!("{error}"),
    }
}
