//! Readers: a pool of connections that never wait for the writer.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params_from_iter};
use tokio::sync::Semaphore;

use super::Shared;
use super::feed;
use super::journal::StoreMeta;
use super::schema::open_reader;
use super::stored_row::COLUMNS;
use super::tags;
use crate::journal::errors::StoreErrors;
use crate::journal::feed::FeedRange;
use crate::journal::index::{JournalIndex, LogSlice};
use crate::journal::row::StoredRow;
use crate::journal::tags::kind_tag;
use crate::limits::MAX_SCANNED_ROWS;
use crate::{
    Entry, FeedItem, LogError, LogFilter, LogKind, Millis, OwnerId, PageRequest, Place, StartupState,
    TableId, TablePage, TableRow,
};

/// Upper bound that sorts after every table id.
const AFTER_ALL_IDS: [u8; 17] = [0xff; 17];

/// Pool of reader connections.
pub(super) struct ReaderPool {
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

impl ReaderPool {
    pub(super) fn new(count: usize) -> ReaderPool {
        ReaderPool { idle: Mutex::new(Vec::new()), permits: Arc::new(Semaphore::new(count.max(1))) }
    }

    fn take(&self) -> Option<Connection> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn put(&self, db: Connection) {
        if !self.permits.is_closed() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(db);
        }
    }

    /// Refuses further reads and closes idle connections.
    pub(super) fn close(&self) {
        self.permits.close();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Shared {
    /// Runs a read on a consistent snapshot, on a blocking thread.
    pub(super) async fn with_reader<T: Send + 'static>(
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
                None => open_reader(&shared.file)?,
            };
            // One transaction, so that all reads see the same snapshot.
            let transaction = StoreErrors(&shared.file).wrap(db.unchecked_transaction())?;
            let result = read(&shared, &transaction);
            let seq = StoreMeta::load(&transaction, StoreErrors(&shared.file)).map(|meta| meta.seq);
            drop(transaction);
            shared.readers.put(db);
            shared.wait_applied(seq?);
            result
        });
        task.await.unwrap_or(Err(LogError::Closed))
    }

    /// The entries of a table in play from an index on, if all of them are in memory.
    pub(super) fn read_tail(&self, id: TableId, from: u64) -> Option<Result<Vec<Entry>, LogError>> {
        let table = self.index().tables.get(&id).filter(|table| from >= table.stored.length)?.clone();
        Some(
            table.decode_tail(id, from, StoreErrors(&self.file)).and_then(|tail| tail.entries_from(id, from)),
        )
    }
}

/// Reads the entries of a table from an index on, and whether it is finished.
pub(super) fn entries(
    shared: &Shared,
    db: &Connection,
    id: TableId,
    from: u64,
) -> Result<(Vec<Entry>, bool), LogError> {
    let errors = StoreErrors(&shared.file);
    // The index is read before the row, so the row can only be newer. If it was rewritten in between, it
    // contains the whole tail.
    let in_play = shared.index().tables.get(&id).cloned();
    let row = StoredRow::find(db, &id, errors)?.ok_or(LogError::NoSuchTable { table: id })?;
    let mut found = LogSlice { entries: Vec::new(), length: row.stored.length };
    row.entries(db, from, &mut found.entries, errors)?;
    if let Some(table) = in_play.filter(|table| table.journal_from == row.journal_from) {
        if table.stored != row.stored {
            return Err(errors.damaged_table(id));
        }
        let tail = table.decode_tail(id, from, errors)?;
        found.entries.extend(tail.entries);
        found.length = tail.length;
    }
    Ok((found.entries_from(id, from)?, row.place == Place::Finished))
}

/// The table that an owner's request id created.
pub(super) fn find_by_request(
    db: &Connection,
    owner: &OwnerId,
    request: &str,
    errors: StoreErrors<'_>,
) -> Result<Option<TableId>, LogError> {
    let id: Option<[u8; 16]> = errors
        .wrap(db.prepare_cached("SELECT id FROM tables WHERE owner = ?1 AND request = ?2").and_then(
            |mut select| select.query_row([owner.as_str(), request], |row| row.get(0)).optional(),
        ))?;
    let Some(id) = id.map(TableId::from_bytes) else {
        return Ok(None);
    };
    let row = StoredRow::find(db, &id, errors)?;
    match row {
        Some(row) if row.listing.owner == *owner && row.request.as_deref() == Some(request) => Ok(Some(id)),
        _ => Err(errors.damaged_table(id)),
    }
}

/// One page of tables. SQLite applies the filters that an index covers; the others are applied here, to a
/// bounded number of rows.
pub(super) fn tables(
    db: &Connection,
    filter: &LogFilter,
    page: PageRequest,
    errors: StoreErrors<'_>,
) -> Result<TablePage, LogError> {
    let (sql, values) = page_query(filter, page.after);
    let mut select = errors.wrap(db.prepare_cached(&sql))?;
    let mut rows = errors.wrap(select.query(params_from_iter(values)))?;
    let size = page.bounded_size();
    let mut found = TablePage { tables: Vec::new(), next: None };
    let mut scanned = 0;
    let mut last = None;
    while let Some(row) = errors.wrap(rows.next())? {
        if found.tables.len() == size {
            found.next = last;
            return Ok(found);
        }
        let row = TableRow::from(StoredRow::from_sql(row, errors)?);
        scanned += 1;
        last = Some(row.id);
        if filter.passes(&row) {
            found.tables.push(row);
        }
    }
    if scanned == MAX_SCANNED_ROWS {
        found.next = last;
    }
    Ok(found)
}

/// SQL and parameters of a page.
pub(super) fn page_query(filter: &LogFilter, after: Option<TableId>) -> (String, Vec<Value>) {
    let tag = filter.tag.as_deref().or(kind_tag(filter.kind));
    let owner = filter.owner.as_ref().map(|owner| ("owner", owner.as_str().to_owned().into()));
    let state = filter.state.map(|state| ("state", state.into()));
    let visibility = filter.visibility.map(|visibility| ("visibility", visibility.into()));
    // The index is chosen here: tags joined with their tables, otherwise the most specific index. SQLite has
    // no statistics and would scan all tables of an owner to find the few open ones.
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
        (None, None, Some(state), None) => ("tables INDEXED BY tables_in_state", vec![state]),
        _ => ("tables", Vec::new()),
    };
    let id = if tag.is_some() { "tags.id" } else { "id" };
    let columns = COLUMNS.replacen("id", "tables.id", 1);
    let mut sql = format!("SELECT {columns} FROM {from} WHERE {id} < ?1 AND {id} >= ?2");
    let bounds = after.map(|id| id.as_bytes().to_vec()).into_iter().chain(filter.before.map(first_id_at));
    let before = bounds.min().unwrap_or_else(|| AFTER_ALL_IDS.to_vec());
    let since = filter.since.map_or_else(Vec::new, first_id_at);
    let mut values: Vec<Value> = vec![before.into(), since.into()];
    for (column, value) in equal {
        values.push(value);
        sql.push_str(&format!(" AND {column} = ?{}", values.len()));
    }
    if tag.is_some() && filter.finished == Some(false) {
        // Must repeat the condition of the partial index, or SQLite does not use it.
        sql.push_str(" AND finished = 0");
    }
    sql.push_str(&format!(" ORDER BY {id} DESC LIMIT {MAX_SCANNED_ROWS}"));
    (sql, values)
}

/// Smallest table id that can be made at this time.
fn first_id_at(time: Millis) -> Vec<u8> {
    if time.0 < 1 << 48 { TableId::new(time.0, [0; 10]).as_bytes().to_vec() } else { AFTER_ALL_IDS.to_vec() }
}

/// One page of an owner's feed.
pub(super) fn read_owner_feed(
    db: &Connection,
    owner: &OwnerId,
    after: u64,
    errors: StoreErrors<'_>,
) -> Result<Vec<FeedItem>, LogError> {
    let range = FeedRange::load(db, owner, errors)?;
    range.check_cursor(owner, after)?;
    feed::items(db, owner, after + 1, range, errors)
}

/// Tables and tournaments in play, and those that their clock will wake.
pub(super) fn load_startup_state(shared: &Shared, db: &Connection) -> Result<StartupState, LogError> {
    startup_state(db, &shared.index(), StoreErrors(&shared.file))
}

/// The same, with the index of the tables in play.
pub(super) fn startup_state(
    db: &Connection,
    index: &JournalIndex,
    errors: StoreErrors<'_>,
) -> Result<StartupState, LogError> {
    let mut start = StartupState::default();
    let others = tags::unfinished_non_tables(db, errors)?;
    for id in index.tables.keys() {
        match others.get(id) {
            None => start.in_play.push(*id),
            Some(LogKind::Tournament) => start.tournaments.push(*id),
            Some(_) => {}
        }
    }
    let sql = format!("SELECT {COLUMNS} FROM tables WHERE wakes_at IS NOT NULL ORDER BY wakes_at, id");
    let mut select = errors.wrap(db.prepare(&sql))?;
    let mut rows = errors.wrap(select.query([]))?;
    while let Some(row) = errors.wrap(rows.next())? {
        let row = StoredRow::from_sql(row, errors)?;
        match (row.listing.kind, row.place) {
            (LogKind::Table, Place::AtRest { wakes_at: Some(time) }) => start.waking.push((time, row.id)),
            (LogKind::Tournament, Place::AtRest { wakes_at: Some(_) }) => start.tournaments.push(row.id),
            _ => {}
        }
    }
    start.in_play.sort();
    start.tournaments.sort();
    Ok(start)
}

/// The games of all tables: one search of the index for each game.
pub(super) fn listed_games(db: &Connection, errors: StoreErrors<'_>) -> Result<Vec<String>, LogError> {
    let sql = "SELECT min(game) FROM tables INDEXED BY tables_by_game WHERE game > ?1";
    let mut select = errors.wrap(db.prepare_cached(sql))?;
    let mut games: Vec<String> = Vec::new();
    loop {
        let last = games.last().map_or("", String::as_str);
        let next: Option<String> = errors.wrap(select.query_row([last], |row| row.get(0)))?;
        match next {
            Some(game) => games.push(game),
            None => return Ok(games),
        }
    }
}
