//! Index of tables by tag, and by tag among the unfinished ones.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use crate::journal::errors::StoreErrors;
use crate::journal::row::StoredRow;
use crate::journal::tags::{all_tags, kind_tag};
use crate::{LogError, LogKind, Place, TableId};

/// Inserts the tags of a new row.
pub(super) fn insert(db: &Connection, row: &StoredRow) -> rusqlite::Result<()> {
    for tag in all_tags(row) {
        db.prepare_cached("INSERT INTO tags (tag, id, finished) VALUES (?1, ?2, ?3)")?.execute(params![
            tag,
            row.id.as_bytes(),
            row.place == Place::Finished
        ])?;
    }
    Ok(())
}

/// Marks a row as finished.
pub(super) fn finish(db: &Connection, row: &StoredRow) -> rusqlite::Result<()> {
    for tag in all_tags(row) {
        db.prepare_cached("UPDATE tags SET finished = 1 WHERE tag = ?1 AND id = ?2")?
            .execute(params![tag, row.id.as_bytes()])?;
    }
    Ok(())
}

/// Deletes the tags of a row.
pub(super) fn delete(db: &Connection, row: &StoredRow) -> rusqlite::Result<()> {
    for tag in all_tags(row) {
        db.prepare_cached("DELETE FROM tags WHERE tag = ?1 AND id = ?2")?
            .execute(params![tag, row.id.as_bytes()])?;
    }
    Ok(())
}

/// Verifies that a row is found by all of its tags, with the right finished flag. Returns the number of tags.
pub(super) fn check(db: &Connection, row: &StoredRow, errors: StoreErrors<'_>) -> Result<u64, LogError> {
    let mut count = 0;
    for tag in all_tags(row) {
        let found: bool = errors.wrap(
            db.prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM tags WHERE tag = ?1 AND id = ?2 AND finished = ?3)",
            )
            .and_then(|mut select| {
                let values = params![tag, row.id.as_bytes(), row.place == Place::Finished];
                select.query_row(values, |row| row.get(0))
            }),
        )?;
        if !found {
            let what = format!("table {} is not found by its tag {tag:?}", row.id);
            return Err(errors.damaged(Some(row.id), None, &what));
        }
        count += 1;
    }
    Ok(count)
}

/// Unfinished logs that are not tables.
pub(super) fn unfinished_non_tables(
    db: &Connection,
    errors: StoreErrors<'_>,
) -> Result<HashMap<TableId, LogKind>, LogError> {
    let mut others = HashMap::new();
    for kind in [LogKind::Tournament, LogKind::Agent] {
        let sql = "SELECT id FROM tags WHERE tag = ?1 AND finished = 0";
        let ids: Vec<[u8; 16]> =
            errors
                .wrap(db.prepare_cached(sql).and_then(|mut select| {
                    select.query_map([kind_tag(kind)], |row| row.get(0))?.collect()
                }))?;
        others.extend(ids.into_iter().map(|id| (TableId::from_bytes(id), kind)));
    }
    Ok(others)
}
