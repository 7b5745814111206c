//! Reads: a pool of connections, each read one consistent snapshot in one round trip.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use futures_util::future::{try_join_all, try_join4};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row, Statement};

use super::Shared;
use super::connect::PgConnection;
use super::rows::{COLUMNS, PgRow, bigint, decode_range};
use crate::journal::errors::StoreErrors;
use crate::journal::feed::{FeedRange, verify_item};
use crate::journal::index::LogSlice;
use crate::journal::tags::kind_tag;
use crate::limits::MAX_SCANNED_ROWS;
use crate::{
    Entry, FeedItem, Hash, LogError, LogFilter, LogKind, Millis, OwnerId, PageRequest, Place, StartupState,
    TableId, TablePage, TableRow,
};

/// Upper bound that sorts after every table id.
const AFTER_ALL_IDS: [u8; 17] = [0xff; 17];
/// Rows that the first query of a page reads beyond the size of the page.
const FILTERED_ROWS: usize = 32;

/// A query and its parameters.
pub(super) struct Query<'a>(&'a str, Vec<&'a (dyn ToSql + Sync)>);

/// Pool of connections for reads.
pub(super) struct ReaderPool {
    idle: Mutex<Vec<ReaderConnection>>,
    permits: Semaphore,
}

/// A connection with the statements that it has prepared.
struct ReaderConnection {
    db: PgConnection,
    statements: HashMap<String, Statement>,
}

impl ReaderPool {
    pub(super) fn new(count: usize) -> ReaderPool {
        ReaderPool { idle: Mutex::new(Vec::new()), permits: Semaphore::new(count.max(1)) }
    }

    async fn permit(&self) -> Result<SemaphorePermit<'_>, LogError> {
        self.permits.acquire().await.map_err(|_| LogError::Closed)
    }

    fn take(&self) -> Option<ReaderConnection> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn put(&self, connection: ReaderConnection) {
        if !self.permits.is_closed() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
    }

    /// Refuses further reads and closes idle connections.
    pub(super) fn close(&self) {
        self.permits.close();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl ReaderConnection {
    async fn statement(&mut self, sql: &str) -> Result<Statement, Error> {
        if let Some(known) = self.statements.get(sql) {
            return Ok(known.clone());
        }
        let prepared = self.db.client.prepare(sql).await?;
        self.statements.insert(sql.to_owned(), prepared.clone());
        Ok(prepared)
    }

    /// Runs queries on one snapshot. Also returns the last commit of the writer that the snapshot has.
    async fn snapshot(&mut self, writer: i64, queries: &[Query<'_>]) -> Result<(u64, Vec<Vec<Row>>), Error> {
        let last = self.statement("SELECT seq FROM writers WHERE id = $1").await?;
        let mut prepared = Vec::with_capacity(queries.len());
        for Query(sql, _) in queries {
            prepared.push(self.statement(sql).await?);
        }
        let client = &self.db.client;
        let rows =
            prepared.iter().zip(queries).map(|(statement, Query(_, values))| client.query(statement, values));
        // The first poll of each future sends its statement, in this order.
        let ((), last, rows, ()) = try_join4(
            client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
            client.query_opt(&last, &[&writer]),
            try_join_all(rows),
            client.batch_execute("COMMIT"),
        )
        .await?;
        let seq = last.map_or(0, |row| row.get::<_, i64>(0).unsigned_abs());
        Ok((seq, rows))
    }
}

impl Shared {
    /// Runs queries on one snapshot, which memory has caught up with when this returns.
    async fn read(&self, queries: &[Query<'_>]) -> Result<Vec<Vec<Row>>, LogError> {
        let errors = StoreErrors(self.address.name());
        let _permit = self.readers.permit().await?;
        // An idle connection may be broken without anybody having noticed: a new one gets a second try.
        let mut idle = self.readers.take();
        loop {
            let was_idle = idle.is_some();
            let mut connection = match idle.take() {
                Some(connection) => connection,
                None => ReaderConnection { db: self.address.connect().await?, statements: HashMap::new() },
            };
            match connection.snapshot(self.writer(), queries).await {
                Ok((seq, rows)) => {
                    self.readers.put(connection);
                    self.wait_applied(seq).await;
                    return Ok(rows);
                }
                Err(_) if was_idle => {}
                Err(error) => return errors.pg(Err(error)),
            }
        }
    }

    async fn read_one(&self, query: Query<'_>) -> Result<Vec<Row>, LogError> {
        Ok(self.read(&[query]).await?.pop().unwrap_or_default())
    }

    /// The entries of a table in play from an index on, if all of them are in memory.
    pub(super) fn read_tail(&self, id: TableId, from: u64) -> Option<Result<Vec<Entry>, LogError>> {
        let table = self.index().tables.get(&id).filter(|table| from >= table.stored.length)?.clone();
        let errors = StoreErrors(self.address.name());
        let read = table.decode_tail(id, from, errors).and_then(|tail| tail.entries_from(id, from));
        // After the read: what was read while the lease held was the newest.
        Some(self.ownership.check(id).and(read))
    }

    /// The row of a table.
    pub(super) async fn row(&self, id: TableId) -> Result<PgRow, LogError> {
        let select = format!("SELECT {COLUMNS} FROM tables WHERE id = $1");
        let rows = self.read_one(Query(&select, vec![&id.as_bytes().as_slice()])).await?;
        let row = rows.first().ok_or(LogError::NoSuchTable { table: id })?;
        PgRow::decode(row, StoreErrors(self.address.name()))
    }

    /// Reads the entries of a table from an index on, and whether it is finished.
    pub(super) async fn entries(&self, id: TableId, from: u64) -> Result<(Vec<Entry>, bool), LogError> {
        let errors = StoreErrors(self.address.name());
        // The index is read before the row, so the row can only be newer. If it was rewritten in between, it
        // contains the whole tail.
        let in_play = self.index().tables.get(&id).cloned();
        let select = format!("SELECT {COLUMNS} FROM tables WHERE id = $1");
        let key = id.as_bytes().as_slice();
        let mut read = self
            .read(&[
                Query(&select, vec![&key]),
                Query("SELECT at, body FROM log_parts WHERE id = $1 ORDER BY at", vec![&key]),
            ])
            .await?;
        let (parts, rows) = (read.pop().unwrap_or_default(), read.pop().unwrap_or_default());
        let row = rows.first().ok_or(LogError::NoSuchTable { table: id })?;
        let PgRow { row, log_bytes, .. } = PgRow::decode(row, errors)?;
        if row.place != Place::Finished {
            self.ownership.check(id)?;
        }
        let mut found = LogSlice { entries: Vec::new(), length: row.stored.length };
        let log = join_parts(&parts).filter(|log| log.len() as u64 == log_bytes);
        let log = log.ok_or_else(|| errors.damaged_table(id))?;
        row.decode_log(log, from, &mut found.entries, errors)?;
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

    /// The record of a finished table.
    pub(super) async fn record(&self, id: TableId) -> Result<Option<bytes::Bytes>, LogError> {
        let errors = StoreErrors(self.address.name());
        let select = format!("SELECT {COLUMNS} FROM tables WHERE id = $1");
        let key = id.as_bytes().as_slice();
        let mut read = self
            .read(&[
                Query(&select, vec![&key]),
                Query("SELECT at, body FROM record_parts WHERE id = $1 ORDER BY at", vec![&key]),
            ])
            .await?;
        let (parts, rows) = (read.pop().unwrap_or_default(), read.pop().unwrap_or_default());
        let row = rows.first().ok_or(LogError::NoSuchTable { table: id })?;
        let row = PgRow::decode(row, errors)?.row;
        // An empty record has no part.
        let record = if parts.is_empty() { row.record_hash.map(|_| Vec::new()) } else { join_parts(&parts) };
        row.verify_record(record, errors)
    }

    /// The table that an owner's request id created.
    pub(super) async fn find_by_request(
        &self,
        owner: &OwnerId,
        request: &str,
    ) -> Result<Option<TableId>, LogError> {
        let select = format!("SELECT {COLUMNS} FROM tables WHERE owner = $1 AND request = $2");
        let rows = self.read_one(Query(&select, vec![&owner.as_str(), &request])).await?;
        let row = rows.first().map(|row| PgRow::decode(row, StoreErrors(self.address.name()))).transpose()?;
        Ok(row.map(|row| row.row.id))
    }

    /// One page of tables. The database applies the filters that an index covers; the others are applied here, to a
    /// bounded number of rows.
    pub(super) async fn tables(&self, filter: &LogFilter, page: PageRequest) -> Result<TablePage, LogError> {
        let errors = StoreErrors(self.address.name());
        let size = page.bounded_size();
        let mut found = TablePage { tables: Vec::new(), next: None };
        let (mut last, mut scanned) = (page.after, 0);
        let mut step = (size + FILTERED_ROWS).min(MAX_SCANNED_ROWS);
        loop {
            let rows = self.page(filter, last, step).await?;
            let complete = rows.len() < step;
            for row in &rows {
                if found.tables.len() == size {
                    found.next = last;
                    return Ok(found);
                }
                let row = TableRow::from(PgRow::decode(row, errors)?.row);
                scanned += 1;
                last = Some(row.id);
                if filter.passes(&row) {
                    found.tables.push(row);
                }
            }
            if complete {
                return Ok(found);
            }
            if scanned >= MAX_SCANNED_ROWS {
                found.next = last;
                return Ok(found);
            }
            step = MAX_SCANNED_ROWS - scanned;
        }
    }

    async fn page(
        &self,
        filter: &LogFilter,
        after: Option<TableId>,
        rows: usize,
    ) -> Result<Vec<Row>, LogError> {
        let bounds = after.map(|id| id.as_bytes().to_vec()).into_iter().chain(filter.before.map(first_id_at));
        let before = bounds.min().unwrap_or_else(|| AFTER_ALL_IDS.to_vec());
        let since = filter.since.map_or_else(Vec::new, first_id_at);
        let tag = filter.tag.as_deref().or(kind_tag(filter.kind));
        let owner = filter.owner.as_ref().map(OwnerId::as_str);
        let (state, visibility) = (filter.state.map(i16::from), filter.visibility.map(i16::from));
        let mut values: Vec<&(dyn ToSql + Sync)> = vec![&before, &since];
        let from = if tag.is_some() { "tags JOIN tables ON tables.id = tags.id" } else { "tables" };
        let id = if tag.is_some() { "tags.id" } else { "tables.id" };
        let mut sql = format!("SELECT {COLUMNS} FROM {from} WHERE {id} < $1 AND {id} >= $2");
        let mut equal = |column: &str, value| {
            values.push(value);
            sql.push_str(&format!(" AND {column} = ${}", values.len()));
        };
        match (&tag, &owner, &state, &visibility) {
            (Some(tag), ..) => equal("tag", tag),
            (None, owner, state, visibility) => {
                owner.iter().for_each(|owner| equal("owner", owner));
                state.iter().for_each(|state| equal("state", state));
                visibility.iter().for_each(|visibility| equal("visibility", visibility));
            }
        }
        if tag.is_some() && filter.finished == Some(false) {
            sql.push_str(" AND NOT finished");
        }
        let limit = rows as i64;
        values.push(&limit);
        sql.push_str(&format!(" ORDER BY {id} DESC LIMIT ${}", values.len()));
        self.read_one(Query(&sql, values)).await
    }

    /// One page of an owner's feed.
    pub(super) async fn read_owner_feed(
        &self,
        owner: &OwnerId,
        after: u64,
    ) -> Result<Vec<FeedItem>, LogError> {
        let errors = StoreErrors(self.address.name());
        let name = owner.as_str();
        let last = bigint(after.saturating_add(crate::limits::MAX_FEED_PAGE_ITEMS as u64));
        let first = bigint(after);
        let mut read = self
            .read(&[
                Query("SELECT owner, first, last, sum FROM owners WHERE owner = $1", vec![&name]),
                Query(
                    "SELECT number, at, sum, payload FROM feed WHERE owner = $1 AND number > $2 AND number <= $3 \
                     ORDER BY number",
                    vec![&name, &first, &last],
                ),
            ])
            .await?;
        let (items, ranges) = (read.pop().unwrap_or_default(), read.pop().unwrap_or_default());
        let range = match ranges.first() {
            Some(row) => decode_range(row, errors)?.1,
            None => FeedRange::EMPTY,
        };
        range.check_cursor(owner, after)?;
        let mut items = items.iter();
        (after + 1..=range.page_end(after + 1))
            .map(|number| verify_item(owner, number, items.next().and_then(decode_item), errors))
            .collect()
    }

    /// Tables and tournaments in play, and those that their clock will wake, in the partitions of this node.
    pub(super) async fn load_startup_state(&self) -> Result<StartupState, LogError> {
        self.startup_state_of(&self.ownership.numbers()).await
    }

    /// The same for some partitions.
    pub(super) async fn startup_state_of(&self, partitions: &[i16]) -> Result<StartupState, LogError> {
        let errors = StoreErrors(self.address.name());
        let select = format!(
            "SELECT {COLUMNS} FROM tables WHERE (place = 0 OR wakes_at IS NOT NULL) AND part = ANY($1::SMALLINT[])"
        );
        let mut start = StartupState::default();
        for row in &self.read_one(Query(&select, vec![&partitions])).await? {
            let row = PgRow::decode(row, errors)?.row;
            match (row.listing.kind, row.place) {
                (LogKind::Agent, _) | (_, Place::Finished | Place::AtRest { wakes_at: None }) => {}
                (LogKind::Tournament, _) => start.tournaments.push(row.id),
                (LogKind::Table, Place::InPlay) => start.in_play.push(row.id),
                (LogKind::Table, Place::AtRest { wakes_at: Some(time) }) => start.waking.push((time, row.id)),
            }
        }
        start.in_play.sort();
        start.waking.sort();
        start.tournaments.sort();
        Ok(start)
    }

    /// The games of all tables: one search of the index for each game.
    pub(super) async fn listed_games(&self) -> Result<Vec<String>, LogError> {
        let mut games: Vec<String> = Vec::new();
        loop {
            let last = games.last().map_or("", String::as_str);
            let query = Query("SELECT min(game) FROM tables WHERE game > $1", vec![&last]);
            let rows = self.read_one(query).await?;
            match rows.first().and_then(|row| row.get::<_, Option<String>>(0)) {
                Some(game) => games.push(game),
                None => return Ok(games),
            }
        }
    }
}

/// A value from its parts, which must follow each other.
fn join_parts(parts: &[Row]) -> Option<Vec<u8>> {
    let mut joined = Vec::new();
    for part in parts {
        if part.get::<_, i64>(0) != bigint(joined.len() as u64) {
            return None;
        }
        joined.extend_from_slice(part.get(1));
    }
    Some(joined)
}

fn decode_item(row: &Row) -> Option<(FeedItem, Hash)> {
    let item = FeedItem {
        number: row.get::<_, i64>(0).unsigned_abs(),
        at: Millis(row.get::<_, i64>(1).unsigned_abs()),
        payload: bytes::Bytes::from(row.get::<_, Vec<u8>>(3)),
    };
    Some((item, Hash::try_from(row.get::<_, &[u8]>(2)).ok()?))
}

/// Smallest table id that can be made at this time.
fn first_id_at(time: Millis) -> Vec<u8> {
    if time.0 < 1 << 48 { TableId::new(time.0, [0; 10]).as_bytes().to_vec() } else { AFTER_ALL_IDS.to_vec() }
}
