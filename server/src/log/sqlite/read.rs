//! Reading: a few connections of their own, which never wait for the writer.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params_from_iter};
use tokio::sync::Semaphore;

use super::Shared;
use super::failure::Failing;
use super::feed::{self, Numbers};
use super::index::InPlay;
use super::journal::Meta;
use super::row::{COLUMNS, Row};
use super::schema::open_to_read;
use super::tags;
use crate::log::{
    Entry, FeedItem, Filter, Kind, LogError, Millis, OwnerId, Page, Place, StartUp, TableId, TableRow, Tables,
};

/// How many tables are looked at for one page.
const SCAN: usize = 4096;

/// What comes after every name.
const BEYOND: [u8; 17] = [0xff; 17];

/// The connections that read.
pub(super) struct Readers {
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn new(count: usize) -> Readers {
        Readers { idle: Mutex::new(Vec::new()), permits: Arc::new(Semaphore::new(count.max(1))) }
    }

    fn take(&self) -> Option<Connection> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn put(&self, db: Connection) {
        if !self.permits.is_closed() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(db);
        }
    }

    /// Lets nobody read any more, and closes the connections that nobody uses.
    pub(super) fn close(&self) {
        self.permits.close();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Shared {
    /// Reads the store as it is at one moment, off the async threads.
    pub(super) async fn reading<T: Send + 'static>(
        self: &Arc<Shared>,
        read: impl FnOnce(&Shared, &Connection) -> Result<T, LogError> + Send + 'static,
    ) -> Result<T, LogError> {
        let permit = self.readers.permits.clone().acquire_owned().await;
        let permit = permit.map_err(|_| LogError::Closed)?;
        let shared = self.clone();
        let task = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let db = match shared.readers.take() {
                Some(db) => db,
                None => open_to_read(&shared.file)?,
            };
            // One transaction, so that all of it is of the same moment.
            let transaction = Failing(&shared.file).at(db.unchecked_transaction())?;
            let result = read(&shared, &transaction);
            let seq = Meta::load(&transaction, Failing(&shared.file)).map(|meta| meta.seq);
            drop(transaction);
            shared.readers.put(db);
            shared.wait_applied(seq?);
            result
        });
        task.await.unwrap_or(Err(LogError::Closed))
    }

    /// The entries of a table in play from an index on, if they are all in memory.
    pub(super) fn tail(&self, id: TableId, from: u64) -> Option<Result<Vec<Entry>, LogError>> {
        let table = {
            let index = self.index();
            let table = index.tables.get(&id)?;
            if from < table.stored.length {
                return None;
            }
            table.clone()
        };
        Some(entries_of_tail(id, table, from, Failing(&self.file)).and_then(|tail| tail.from(id, from)))
    }
}

/// A log from some index on, and how long it is.
struct Found {
    entries: Vec<Entry>,
    length: u64,
}

impl Found {
    fn from(self, table: TableId, from: u64) -> Result<Vec<Entry>, LogError> {
        if from > self.length {
            return Err(LogError::Ahead { table, length: self.length });
        }
        Ok(self.entries)
    }
}

fn entries_of_tail(id: TableId, table: InPlay, from: u64, failing: Failing<'_>) -> Result<Found, LogError> {
    let mut chain = table.stored;
    let mut entries = Vec::new();
    let read = chain.decode(&Bytes::from(table.tail), from, &mut entries);
    read.map_err(|broken| failing.damaged_entry(id, broken.index))?;
    Ok(Found { entries, length: chain.length })
}

/// The entries of a table from an index on, and whether it is finished.
pub(super) fn entries(
    shared: &Shared,
    db: &Connection,
    id: TableId,
    from: u64,
) -> Result<(Vec<Entry>, bool), LogError> {
    let failing = Failing(&shared.file);
    // First the memory, then the store, which can only be newer. If its row was written anew in between, then all
    // that was in the tail is in it.
    let in_play = shared.index().tables.get(&id).cloned();
    let row = Row::find(db, &id, failing)?.ok_or(LogError::NoSuchTable { table: id })?;
    let mut found = Found { entries: Vec::new(), length: row.stored.length };
    row.entries(db, from, &mut found.entries, failing)?;
    if let Some(table) = in_play.filter(|table| table.journal_from == row.journal_from) {
        if table.stored != row.stored {
            return Err(failing.damaged_table(id));
        }
        let tail = entries_of_tail(id, table, from, failing)?;
        found.entries.extend(tail.entries);
        found.length = tail.length;
    }
    Ok((found.from(id, from)?, row.place == Place::Finished))
}

/// The table that an owner's request made.
pub(super) fn requested(
    db: &Connection,
    owner: &OwnerId,
    request: &str,
    failing: Failing<'_>,
) -> Result<Option<TableId>, LogError> {
    let id: Option<[u8; 16]> = failing.at(db
        .prepare_cached("SELECT id FROM tables WHERE owner = ?1 AND request = ?2")
        .and_then(|mut select| select.query_row([owner.as_str(), request], |row| row.get(0)).optional()))?;
    let Some(id) = id.map(TableId::from_bytes) else {
        return Ok(None);
    };
    let row = Row::find(db, &id, failing)?;
    match row {
        Some(row) if row.listing.owner == *owner && row.request.as_deref() == Some(request) => Ok(Some(id)),
        _ => Err(failing.damaged_table(id)),
    }
}

/// One page of tables. Those filters that an index knows are left to SQLite, the others are applied here, to a
/// bounded number of tables.
pub(super) fn tables(
    db: &Connection,
    filter: &Filter,
    page: Page,
    failing: Failing<'_>,
) -> Result<Tables, LogError> {
    let (sql, values) = page_query(filter, page.after);
    let mut select = failing.at(db.prepare_cached(&sql))?;
    let mut rows = failing.at(select.query(params_from_iter(values)))?;
    let size = page.bounded_size();
    let mut found = Tables { tables: Vec::new(), next: None };
    let mut scanned = 0;
    let mut last = None;
    while let Some(row) = failing.at(rows.next())? {
        if found.tables.len() == size {
            found.next = last;
            return Ok(found);
        }
        let row = TableRow::from(Row::from_sql(row, failing)?);
        scanned += 1;
        last = Some(row.id);
        if filter.passes(&row) {
            found.tables.push(row);
        }
    }
    if scanned == SCAN {
        found.next = last;
    }
    Ok(found)
}

/// What is asked of SQLite for a page, and the values in it.
pub(super) fn page_query(filter: &Filter, after: Option<TableId>) -> (String, Vec<Value>) {
    let tag = filter.tag.as_deref().or(tags::tag_of_kind(filter.kind));
    let owner = filter.owner.as_ref().map(|owner| ("owner", owner.as_str().to_owned().into()));
    let state = filter.state.map(|state| ("state", state.into()));
    let visibility = filter.visibility.map(|visibility| ("visibility", visibility.into()));
    // Tags first and then their tables, and otherwise by the index that knows all of it: SQLite knows nothing of how many
    // tables there are of what, and would look at all those of an owner to find the few that are open.
    let (from, equal): (_, Vec<(_, Value)>) = match (tag, owner, state, visibility) {
        (Some(tag), ..) => {
            ("tags CROSS JOIN tables ON tables.id = tags.id", vec![("tag", tag.to_owned().into())])
        }
        (None, Some(owner), Some(state), _) => {
            ("tables INDEXED BY tables_of_owner_by_state", vec![owner, state])
        }
        (None, Some(owner), None, _) => ("tables INDEXED BY tables_of_owner", vec![owner]),
        (None, None, Some(state), Some(visibility)) => {
            ("tables INDEXED BY tables_by_state", vec![visibility, state])
        }
        _ => ("tables", Vec::new()),
    };
    let id = if tag.is_some() { "tags.id" } else { "id" };
    let columns = COLUMNS.replacen("id", "tables.id", 1);
    let mut sql = format!("SELECT {columns} FROM {from} WHERE {id} < ?1 AND {id} >= ?2");
    let bounds = after.map(|id| id.as_bytes().to_vec()).into_iter().chain(filter.before.map(first_made_at));
    let before = bounds.min().unwrap_or_else(|| BEYOND.to_vec());
    let since = filter.since.map_or_else(Vec::new, first_made_at);
    let mut values: Vec<Value> = vec![before.into(), since.into()];
    for (column, value) in equal {
        values.push(value);
        sql.push_str(&format!(" AND {column} = ?{}", values.len()));
    }
    if tag.is_some() && filter.finished == Some(false) {
        // In the words of the index of the unfinished, which is not used otherwise.
        sql.push_str(" AND finished = 0");
    }
    sql.push_str(&format!(" ORDER BY {id} DESC LIMIT {SCAN}"));
    (sql, values)
}

/// The first name that can be made at this time.
fn first_made_at(time: Millis) -> Vec<u8> {
    if time.0 < 1 << 48 { TableId::new(time.0, [0; 10]).as_bytes().to_vec() } else { BEYOND.to_vec() }
}

/// A page of an owner's feed.
pub(super) fn owner_feed(
    db: &Connection,
    owner: &OwnerId,
    after: u64,
    failing: Failing<'_>,
) -> Result<Vec<FeedItem>, LogError> {
    let Numbers { first, last } = Numbers::load(db, owner, failing)?;
    let owner = owner.clone();
    if after > last {
        return Err(LogError::FeedAhead { owner, last });
    }
    if after + 1 < first {
        return Err(LogError::FeedTrimmed { owner, first });
    }
    feed::items(db, &owner, after + 1, last, failing)
}

/// The tables and tournaments in play and those that their clock will wake.
pub(super) fn start_up(shared: &Shared, db: &Connection) -> Result<StartUp, LogError> {
    let failing = Failing(&shared.file);
    let mut start = StartUp::default();
    let others = tags::unfinished_others(db, failing)?;
    for id in shared.index().tables.keys() {
        match others.get(id) {
            None => start.in_play.push(*id),
            Some(Kind::Tournament) => start.tournaments.push(*id),
            Some(_) => {}
        }
    }
    let sql = format!("SELECT {COLUMNS} FROM tables WHERE wakes_at IS NOT NULL ORDER BY wakes_at, id");
    let mut select = failing.at(db.prepare(&sql))?;
    let mut rows = failing.at(select.query([]))?;
    while let Some(row) = failing.at(rows.next())? {
        let row = Row::from_sql(row, failing)?;
        match (row.listing.kind, row.place) {
            (Kind::Table, Place::AtRest { wakes_at: Some(time) }) => start.waking.push((time, row.id)),
            (Kind::Tournament, Place::AtRest { wakes_at: Some(_) }) => start.tournaments.push(row.id),
            _ => {}
        }
    }
    start.in_play.sort();
    start.tournaments.sort();
    Ok(start)
}
