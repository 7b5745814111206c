//! Rows of a store made from arbitrary bytes, and everything that reads them.
//!
//! The bytes describe rows one after another, as [`dump_rows`] writes them. Their checksums and hash chains are made
//! here, so that a reader gets past them to the values; a last kind of row then spoils a column.

use std::collections::HashMap;
use std::path::Path;

use bytes::Bytes;
use rusqlite::types::Value;
use rusqlite::{Connection, params};

use super::check::check_snapshot;
use super::feed;
use super::journal::{self, StoreMeta};
use super::stored_row::{COLUMNS, log_bytes};
use super::{reader, schema};
use crate::chain::{ByteReader, HashChain, put_varint};
use crate::journal::errors::StoreErrors;
use crate::journal::feed::FeedRange;
use crate::journal::frame::{decode_frames, put_frame};
use crate::journal::row::{StoredRow, record_hash};
use crate::journal::tags::{kind_column, kind_from_column};
use crate::{FeedItem, Listing, LogError, LogFilter, LogKind, Millis, OwnerId, PageRequest, Place, TableId};

/// Name of the store in errors.
const NAME: &str = "fuzzed";

/// Kinds of described rows: the first byte of each.
mod kind {
    pub(super) const TABLE: u8 = 0;
    pub(super) const JOURNAL: u8 = 1;
    pub(super) const FEED_ITEM: u8 = 2;
    pub(super) const FEED_RANGE: u8 = 3;
    pub(super) const META: u8 = 4;
    pub(super) const SPOILED: u8 = 5;
    pub(super) const COUNT: u8 = SPOILED + 1;
}

/// Columns that a row of kind [`kind::SPOILED`] can overwrite, with their tables.
const SPOILED_COLUMNS: [(&str, &str); 25] = [
    ("tables", "owner"),
    ("tables", "game"),
    ("tables", "state"),
    ("tables", "created"),
    ("tables", "request"),
    ("tables", "place"),
    ("tables", "wakes_at"),
    ("tables", "journal_from"),
    ("tables", "length"),
    ("tables", "head"),
    ("tables", "record_hash"),
    ("tables", "log"),
    ("tables", "record"),
    ("tables", "kind"),
    ("tables", "tags"),
    ("journal", "sum"),
    ("journal", "body"),
    ("feed", "number"),
    ("feed", "at"),
    ("feed", "sum"),
    ("owners", "first"),
    ("owners", "last"),
    ("meta", "in_play"),
    ("meta", "sum"),
    ("tags", "id"),
];

thread_local! {
    /// A store in memory that stays empty: each input is rolled back.
    static STORE: Connection = empty_store().expect("a store in memory");
}

fn empty_store() -> rusqlite::Result<Connection> {
    let db = Connection::open_in_memory()?;
    schema::MIGRATIONS.iter().try_for_each(|step| db.execute_batch(step))?;
    Ok(db)
}

/// Fills an empty store with the described rows and reads everything in it. Returns the number of rows.
///
/// # Panics
/// If no store can be made in memory.
pub fn read_rows(description: &[u8]) -> usize {
    STORE.with(|db| {
        let transaction = db.unchecked_transaction().expect("a transaction");
        let rows = write_rows(&transaction, description);
        read_everything(&transaction);
        rows
    })
}

/// Writes the described rows. SQLite refuses some, such as a second row of one table.
fn write_rows(db: &Connection, description: &[u8]) -> usize {
    let mut reader = ByteReader::new(description);
    let mut chains = HashMap::new();
    let mut rows = 0;
    while !reader.is_empty() && write_row(db, &mut reader, &mut chains).is_some() {
        rows += 1;
    }
    rows
}

/// Reads the description of a row and writes it; `None` at the end of the bytes. Rows that SQLite refuses are left out.
fn write_row(
    db: &Connection,
    reader: &mut ByteReader<'_>,
    chains: &mut HashMap<TableId, HashChain>,
) -> Option<()> {
    let _refused = match take_byte(reader)? % kind::COUNT {
        kind::TABLE => {
            let (row, log, record) = take_table(reader)?;
            chains.insert(row.id, row.stored);
            row.insert(db, &log, record.as_deref())
        }
        kind::JOURNAL => {
            let seq = reader.varint()?;
            let mut body = Vec::new();
            for _ in 0..reader.varint()? {
                let table = TableId::from_bytes(reader.array()?);
                let first = reader.varint()?;
                let chain = chains.entry(table).or_insert_with(|| HashChain::new(&table));
                let entries = take_log(reader, chain)?;
                put_frame(&mut body, &table, first, &entries, &chain.head);
            }
            journal::insert(db, seq, &body)
        }
        kind::FEED_ITEM => {
            let owner = take_owner(reader)?;
            let (number, at) = (reader.varint()?, Millis(reader.varint()?));
            let payload = Bytes::copy_from_slice(take_bytes(reader)?);
            feed::insert(db, &owner, &FeedItem { number, at, payload })
        }
        kind::FEED_RANGE => {
            let owner = take_owner(reader)?;
            FeedRange { first: reader.varint()?, last: reader.varint()? }.store(db, &owner)
        }
        kind::META => StoreMeta {
            seq: reader.varint()?,
            journal_rows: reader.varint()?,
            tables: reader.varint()?,
            in_play: reader.varint()?,
        }
        .store(db),
        kind::SPOILED.. => {
            let (table, column) = SPOILED_COLUMNS[usize::from(take_byte(reader)?) % SPOILED_COLUMNS.len()];
            let value = take_value(reader)?;
            db.execute(&format!("UPDATE OR IGNORE {table} SET {column} = ?1"), params![value]).map(drop)
        }
    };
    Some(())
}

/// Everything that a server and `check-store` read from a store. Damage is no matter here, a panic is.
fn read_everything(db: &Connection) {
    let errors = StoreErrors(Path::new(NAME));
    let _report = check_snapshot(db, errors);
    let index = StoreMeta::load(db, errors).and_then(|meta| journal::load_index(db, &meta, errors));
    let _state = index.and_then(|index| reader::startup_state(db, &index, errors));
    let _games = reader::listed_games(db, errors);
    let (mut owners, mut after) = (Vec::new(), None);
    // As a client pages through all tables. Every page ends further on.
    while let Ok(page) = reader::tables(db, &LogFilter::default(), PageRequest { after, size: 2 }, errors) {
        for row in page.tables {
            read_table(db, &row.id, errors);
            owners.push(row.listing.owner);
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let ranges = feed::owners(db, errors).unwrap_or_default();
    owners.extend(ranges.into_iter().map(|(owner, _)| owner));
    for owner in owners {
        let filter = LogFilter { owner: Some(owner.clone()), finished: Some(false), ..LogFilter::default() };
        let _page = reader::tables(db, &filter, PageRequest { after: None, size: 100 }, errors);
        for after in [0, 1, u64::MAX] {
            let _items = reader::read_owner_feed(db, &owner, after, errors);
        }
    }
    for kind in [LogKind::Tournament, LogKind::Agent] {
        let filter = LogFilter { kind, ..LogFilter::default() };
        let _page = reader::tables(db, &filter, PageRequest { after: None, size: 100 }, errors);
    }
}

fn read_table(db: &Connection, id: &TableId, errors: StoreErrors<'_>) {
    let Ok(Some(row)) = StoredRow::find(db, id, errors) else { return };
    let _log = row.entries(db, 0, &mut Vec::new(), errors);
    let _record = row.record(db, errors);
    if let Some(request) = &row.request {
        let _found = reader::find_by_request(db, &row.listing.owner, request, errors);
    }
}

fn take_byte(reader: &mut ByteReader<'_>) -> Option<u8> {
    reader.array().map(|[byte]| byte)
}

fn take_bytes<'a>(reader: &mut ByteReader<'a>) -> Option<&'a [u8]> {
    let length = reader.varint_length()?;
    reader.take(length)
}

fn take_text(reader: &mut ByteReader<'_>) -> Option<String> {
    take_bytes(reader).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// A value that may be missing, after a byte that says so.
fn take_optional<'a, T>(
    reader: &mut ByteReader<'a>,
    take: impl FnOnce(&mut ByteReader<'a>) -> Option<T>,
) -> Option<Option<T>> {
    match take_byte(reader)? {
        0 => Some(None),
        _ => take(reader).map(Some),
    }
}

fn take_owner(reader: &mut ByteReader<'_>) -> Option<OwnerId> {
    take_text(reader).and_then(|name| OwnerId::new(&name).ok())
}

/// Encodes a list of payloads as entries that continue a chain.
fn take_log(reader: &mut ByteReader<'_>, chain: &mut HashChain) -> Option<Vec<u8>> {
    let mut log = Vec::new();
    for _ in 0..reader.varint()? {
        chain.append_encoded(take_bytes(reader)?, &mut log);
    }
    Some(log)
}

fn take_value(reader: &mut ByteReader<'_>) -> Option<Value> {
    Some(match take_byte(reader)? % 4 {
        0 => Value::Null,
        1 => Value::Integer(i64::from_be_bytes(reader.array()?)),
        2 => Value::Text(take_text(reader)?),
        _ => Value::Blob(take_bytes(reader)?.to_vec()),
    })
}

fn take_table(reader: &mut ByteReader<'_>) -> Option<(StoredRow, Vec<u8>, Option<Vec<u8>>)> {
    let id = TableId::from_bytes(reader.array()?);
    let mut stored = HashChain::new(&id);
    let listing = Listing {
        owner: take_owner(reader)?,
        game: take_text(reader)?,
        state: take_byte(reader)?,
        visibility: take_byte(reader)?,
        kind: kind_from_column(take_byte(reader)? % 3)?,
        tags: take_text(reader)?.split(' ').filter(|tag| !tag.is_empty()).map(str::to_owned).collect(),
    };
    let (created, updated) = (Millis(reader.varint()?), Millis(reader.varint()?));
    let request = take_optional(reader, take_text)?;
    let place = match take_byte(reader)? % 3 {
        0 => Place::InPlay,
        1 => Place::AtRest { wakes_at: take_optional(reader, |reader| reader.varint().map(Millis))? },
        _ => Place::Finished,
    };
    let journal_from = reader.varint()?;
    let log = take_log(reader, &mut stored)?;
    let record = take_optional(reader, |reader| take_bytes(reader).map(<[u8]>::to_vec))?;
    let record_hash = record.as_deref().map(record_hash);
    let row = StoredRow { id, listing, created, updated, request, place, journal_from, stored, record_hash };
    Some((row, log, record))
}

/// Describes the rows of a store, so that [`read_rows`] makes a copy of it.
///
/// # Errors
/// The store cannot be read, or is damaged.
pub fn dump_rows(store: &Path) -> Result<Vec<u8>, LogError> {
    let errors = StoreErrors(store);
    let db = schema::open_reader(store)?;
    let mut out = Vec::new();
    let mut chains = HashMap::new();
    let mut select = errors.wrap(db.prepare(&format!("SELECT {COLUMNS} FROM tables ORDER BY id")))?;
    let mut rows = errors.wrap(select.query([]))?;
    while let Some(row) = errors.wrap(rows.next())? {
        let row = StoredRow::from_sql(row, errors)?;
        put_table(&db, &row, errors, &mut out)?;
        chains.insert(row.id, row.stored);
    }
    journal::read(&db, errors, |seq, _, body| {
        let frames = decode_frames(body).unwrap_or_default();
        out.push(kind::JOURNAL);
        put_varint(seq, &mut out);
        put_varint(frames.len() as u64, &mut out);
        for frame in frames {
            out.extend_from_slice(frame.table.as_bytes());
            put_varint(frame.first, &mut out);
            let chain = chains.entry(frame.table).or_insert_with(|| HashChain::new(&frame.table));
            put_log(chain, &frame.entries, &mut out);
        }
        Ok(())
    })?;
    for (owner, range) in feed::owners(&db, errors)? {
        for item in feed::items(&db, &owner, range.first, range, errors)? {
            out.push(kind::FEED_ITEM);
            put_bytes(owner.as_str().as_bytes(), &mut out);
            put_varint(item.number, &mut out);
            put_varint(item.at.0, &mut out);
            put_bytes(&item.payload, &mut out);
        }
        out.push(kind::FEED_RANGE);
        put_bytes(owner.as_str().as_bytes(), &mut out);
        put_varint(range.first, &mut out);
        put_varint(range.last, &mut out);
    }
    let meta = StoreMeta::load(&db, errors)?;
    out.push(kind::META);
    for number in [meta.seq, meta.journal_rows, meta.tables, meta.in_play] {
        put_varint(number, &mut out);
    }
    Ok(out)
}

fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    put_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

fn put_optional<T>(value: Option<T>, out: &mut Vec<u8>, put: impl FnOnce(T, &mut Vec<u8>)) {
    out.push(value.is_some().into());
    if let Some(value) = value {
        put(value, out);
    }
}

/// Describes entries by their payloads. What is damaged or does not continue the chain is left out.
fn put_log(chain: &mut HashChain, log: &Bytes, out: &mut Vec<u8>) {
    let mut entries = Vec::new();
    let _damaged = chain.decode(log, 0, &mut entries);
    put_varint(entries.len() as u64, out);
    entries.iter().for_each(|entry| put_bytes(&entry.payload, out));
}

fn put_table(
    db: &Connection,
    row: &StoredRow,
    errors: StoreErrors<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LogError> {
    out.push(kind::TABLE);
    out.extend_from_slice(row.id.as_bytes());
    let Listing { kind, owner, game, state, visibility, tags } = &row.listing;
    put_bytes(owner.as_str().as_bytes(), out);
    put_bytes(game.as_bytes(), out);
    out.extend([*state, *visibility, kind_column(*kind)]);
    put_bytes(tags.join(" ").as_bytes(), out);
    put_varint(row.created.0, out);
    put_varint(row.updated.0, out);
    put_optional(row.request.as_ref(), out, |request, out| put_bytes(request.as_bytes(), out));
    match row.place {
        Place::InPlay => out.push(0),
        Place::AtRest { wakes_at } => {
            out.push(1);
            put_optional(wakes_at, out, |time, out| put_varint(time.0, out));
        }
        Place::Finished => out.push(2),
    }
    put_varint(row.journal_from, out);
    let log = errors.wrap(log_bytes(db, &row.id))?.unwrap_or_default();
    put_log(&mut HashChain::new(&row.id), &Bytes::from(log), out);
    put_optional(row.record(db, errors)?, out, |record, out| put_bytes(&record, out));
    Ok(())
}
