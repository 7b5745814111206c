//! Full integrity check of a store.

use std::collections::HashMap;
use std::path::Path;

use rusqlite::Connection;

use super::feed;
use super::file_errors::io_error;
use super::journal::{self, StoreMeta};
use super::schema::{StoreLock, open_reader};
use super::stored_row::COLUMNS;
use super::tags;
use crate::chain::HashChain;
use crate::journal::errors::StoreErrors;
use crate::journal::frame::{apply_frame, decode_frames, row_checksum};
use crate::journal::row::StoredRow;
use crate::{LogError, Place, StoreReport, TableId};

/// Checks a whole store that no server uses. Damage goes into the report; an error means that the store
/// cannot be read at all.
pub fn check(store: &Path) -> Result<StoreReport, LogError> {
    // Taking the lock would create its file even where there is no store.
    if let Err(error) = std::fs::metadata(store) {
        return Err(io_error(store, error));
    }
    let _lock = StoreLock::acquire(store)?;
    check_unlocked(store)
}

/// Like [`check`], for a file that no other process uses.
pub(super) fn check_unlocked(store: &Path) -> Result<StoreReport, LogError> {
    let errors = StoreErrors(store);
    let db = open_reader(store)?;
    let db = errors.wrap(db.unchecked_transaction())?;
    Ok(check_snapshot(&db, errors))
}

/// Checks the snapshot that an open transaction sees.
pub(super) fn check_snapshot(db: &Connection, errors: StoreErrors<'_>) -> StoreReport {
    let mut report = StoreReport::default();
    check_pages(db, errors, &mut report);
    let mut cursors = HashMap::new();
    let rows = check_tables(db, errors, &mut cursors, &mut report);
    let rows = report.note(rows).unwrap_or_default();
    let journal = check_journal(db, errors, &mut cursors, &mut report);
    report.note(journal);
    let feeds = check_feeds(db, errors, &mut report);
    report.note(feeds);
    if let Some(meta) = report.note(StoreMeta::load(db, errors)) {
        let found = (rows, report.in_play, report.journal_rows);
        if found != (meta.tables, meta.in_play, meta.journal_rows) {
            report.problem(format!(
                "there should be {} tables, tournaments and agents, {} of them in play, and {} rows in the journal",
                meta.tables, meta.in_play, meta.journal_rows
            ));
        }
    }
    report
}

/// SQLite's own integrity check.
fn check_pages(db: &Connection, errors: StoreErrors<'_>, report: &mut StoreReport) {
    let lines = db.prepare("PRAGMA integrity_check(100)").and_then(|mut check| {
        let lines = check.query_map([], |row| row.get::<_, String>(0))?;
        lines.collect::<rusqlite::Result<Vec<_>>>()
    });
    for line in report.note(errors.wrap(lines)).unwrap_or_default() {
        if line != "ok" {
            report.problem(format!("SQLite: {line}"));
        }
    }
}

/// Journal position of a table in play, from its row.
struct JournalCursor {
    chain: HashChain,
    journal_from: u64,
}

/// Returns the number of rows of all kinds.
fn check_tables(
    db: &Connection,
    errors: StoreErrors<'_>,
    cursors: &mut HashMap<TableId, JournalCursor>,
    report: &mut StoreReport,
) -> Result<u64, LogError> {
    let mut select = errors.wrap(db.prepare(&format!("SELECT {COLUMNS} FROM tables NOT INDEXED")))?;
    let mut rows = errors.wrap(select.query([]))?;
    let (mut count, mut tags) = (0, 0);
    while let Some(row) = errors.wrap(rows.next())? {
        count += 1;
        let Some(row) = report.note(StoredRow::from_sql(row, errors)) else {
            continue;
        };
        report.count(&row);
        tags += report.note(tags::check(db, &row, errors)).unwrap_or_default();
        if row.place == Place::InPlay {
            let table = JournalCursor { chain: row.stored, journal_from: row.journal_from };
            cursors.insert(row.id, table);
        }
        report.note(row.entries(db, u64::MAX, &mut Vec::new(), errors));
        report.note(row.record(db, errors));
    }
    let tag_rows: u64 = errors.wrap(db.query_row("SELECT count(*) FROM tags", [], |row| row.get(0)))?;
    if tag_rows != tags {
        report.problem(format!("there are {tag_rows} tags, and should be {tags}"));
    }
    Ok(count)
}

fn check_journal(
    db: &Connection,
    errors: StoreErrors<'_>,
    cursors: &mut HashMap<TableId, JournalCursor>,
    report: &mut StoreReport,
) -> Result<(), LogError> {
    journal::read(db, errors, |seq, sum, body| {
        report.journal_rows += 1;
        let damaged = || errors.damaged(None, None, &format!("row {seq} of the journal is corrupted"));
        for frame in &decode_frames(body).ok_or_else(damaged)? {
            if let Some(table) = cursors.get_mut(&frame.table)
                && seq >= table.journal_from
            {
                let before = table.chain.length;
                apply_frame(&mut table.chain, frame, errors)?;
                report.entries += table.chain.length - before;
            }
        }
        if row_checksum(seq, body) == *sum { Ok(()) } else { Err(damaged()) }
    })
}

fn check_feeds(db: &Connection, errors: StoreErrors<'_>, report: &mut StoreReport) -> Result<(), LogError> {
    for (owner, range) in feed::owners(db, errors)? {
        let mut next = range.first;
        while next <= range.last {
            let page = feed::items(db, &owner, next, range, errors)?;
            next += page.len() as u64;
            report.feed_items += page.len() as u64;
        }
    }
    let rows: u64 = errors.wrap(db.query_row("SELECT count(*) FROM feed", [], |row| row.get(0)))?;
    if rows != report.feed_items {
        report.problem(format!("there are {rows} feed items, and should be {}", report.feed_items));
    }
    Ok(())
}
