//! Tags: which tables are found by which, and whether they are finished.
//!
//! Tournaments and agents have a tag more, which says what they are, so that they are found among millions of tables.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::failure::Failing;
use super::row::Row;
use crate::log::{Kind, LogError, Place, TableId};

/// The number of a kind in a row. They never change.
pub(super) fn kind_column(kind: Kind) -> u8 {
    match kind {
        Kind::Table => 0,
        Kind::Tournament => 1,
        Kind::Agent => 2,
    }
}

/// The kind of a number in a row.
pub(super) fn kind(column: u8) -> rusqlite::Result<Kind> {
    [Kind::Table, Kind::Tournament, Kind::Agent]
        .into_iter()
        .find(|kind| kind_column(*kind) == column)
        .ok_or(rusqlite::Error::IntegralValueOutOfRange(15, column.into()))
}

/// The tag that all of this kind have. A dot begins no other tag.
pub(super) fn tag_of_kind(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Table => None,
        Kind::Tournament => Some(".tournament"),
        Kind::Agent => Some(".agent"),
    }
}

/// All that a row is found by.
fn tags(row: &Row) -> impl Iterator<Item = &str> {
    let listing = &row.listing;
    listing.tags.iter().map(String::as_str).chain(tag_of_kind(listing.kind))
}

/// Writes the tags of a new row.
pub(super) fn insert(db: &Connection, row: &Row) -> rusqlite::Result<()> {
    for tag in tags(row) {
        db.prepare_cached("INSERT INTO tags (tag, id, finished) VALUES (?1, ?2, ?3)")?.execute(params![
            tag,
            row.id.as_bytes(),
            row.place == Place::Finished
        ])?;
    }
    Ok(())
}

/// Notes that a row is finished.
pub(super) fn finish(db: &Connection, row: &Row) -> rusqlite::Result<()> {
    for tag in tags(row) {
        db.prepare_cached("UPDATE tags SET finished = 1 WHERE tag = ?1 AND id = ?2")?
            .execute(params![tag, row.id.as_bytes()])?;
    }
    Ok(())
}

/// Removes the tags of a row.
pub(super) fn delete(db: &Connection, row: &Row) -> rusqlite::Result<()> {
    for tag in tags(row) {
        db.prepare_cached("DELETE FROM tags WHERE tag = ?1 AND id = ?2")?
            .execute(params![tag, row.id.as_bytes()])?;
    }
    Ok(())
}

/// How many tags a row has, if it is found by all of them and with the right word on whether it is finished.
pub(super) fn check(db: &Connection, row: &Row, failing: Failing<'_>) -> Result<u64, LogError> {
    let mut count = 0;
    for tag in tags(row) {
        let found: bool = failing.at(db
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM tags WHERE tag = ?1 AND id = ?2 AND finished = ?3)")
            .and_then(|mut select| {
                let values = params![tag, row.id.as_bytes(), row.place == Place::Finished];
                select.query_row(values, |row| row.get(0))
            }))?;
        if !found {
            let what = format!("table {} is not found by its tag {tag:?}", row.id);
            return Err(failing.damaged(Some(row.id), None, &what));
        }
        count += 1;
    }
    Ok(count)
}

/// All that are not finished and are no tables.
pub(super) fn unfinished_others(
    db: &Connection,
    failing: Failing<'_>,
) -> Result<HashMap<TableId, Kind>, LogError> {
    let mut others = HashMap::new();
    for kind in [Kind::Tournament, Kind::Agent] {
        let sql = "SELECT id FROM tags WHERE tag = ?1 AND finished = 0";
        let ids: Vec<[u8; 16]> = failing.at(db
            .prepare_cached(sql)
            .and_then(|mut select| select.query_map([tag_of_kind(kind)], |row| row.get(0))?.collect()))?;
        others.extend(ids.into_iter().map(|id| (TableId::from_bytes(id), kind)));
    }
    Ok(others)
}
