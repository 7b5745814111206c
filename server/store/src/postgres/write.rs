//! Writing the plan of a commit: a few statements with arrays, sent without waiting for each other.

use futures_util::future::try_join_all;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error, Statement};

use super::rows::{bigint, parts};
use crate::journal::feed::item_checksum;
use crate::journal::frame::row_checksum;
use crate::journal::plan::CommitPlan;
use crate::journal::row::StoredRow;
use crate::journal::table_change::RowWrite;
use crate::journal::tags::{all_tags, kind_column};
use crate::{OwnerId, Place, TableId};

/// Prepared statements of a writer's connection.
pub(super) struct WriteStatements {
    delete_tables: Statement,
    delete_log: Statement,
    delete_record: Statement,
    delete_tags: Statement,
    insert_tables: Statement,
    update_tables: Statement,
    insert_log: Statement,
    insert_record: Statement,
    insert_tags: Statement,
    finish_tags: Statement,
    insert_journal: Statement,
    truncate_journal: Statement,
    insert_feed: Statement,
    put_owners: Statement,
}

const INSERT_TABLES: &str = "INSERT INTO tables (id, owner, game, state, visibility, created, updated, request, place, \
     wakes_at, journal_from, length, head, record_hash, sum, kind, tags, writer, log_bytes, part) \
     SELECT id, owner, game, state, visibility, created, updated, request, place, wakes_at, journal_from, length, head, \
     record_hash, sum, kind, tags, $19::BIGINT, log_bytes, part \
     FROM UNNEST($1::BYTEA[], $2::TEXT[], $3::TEXT[], $4::SMALLINT[], $5::SMALLINT[], $6::BIGINT[], $7::BIGINT[], \
     $8::TEXT[], $9::SMALLINT[], $10::BIGINT[], $11::BIGINT[], $12::BIGINT[], $13::BYTEA[], $14::BYTEA[], $15::BYTEA[], \
     $16::SMALLINT[], $17::TEXT[], $18::BIGINT[], $20::SMALLINT[]) \
     AS new (id, owner, game, state, visibility, created, updated, request, place, wakes_at, journal_from, length, head, \
     record_hash, sum, kind, tags, log_bytes, part) \
     ON CONFLICT DO NOTHING";

const UPDATE_TABLES: &str = "UPDATE tables SET game = new.game, state = new.state, visibility = new.visibility, \
     updated = new.updated, place = new.place, wakes_at = new.wakes_at, journal_from = new.journal_from, \
     length = new.length, head = new.head, record_hash = new.record_hash, sum = new.sum, writer = $14::BIGINT, \
     log_bytes = new.log_bytes \
     FROM UNNEST($1::BYTEA[], $2::TEXT[], $3::SMALLINT[], $4::SMALLINT[], $5::BIGINT[], $6::SMALLINT[], $7::BIGINT[], \
     $8::BIGINT[], $9::BIGINT[], $10::BYTEA[], $11::BYTEA[], $12::BYTEA[], $13::BIGINT[]) \
     AS new (id, game, state, visibility, updated, place, wakes_at, journal_from, length, head, record_hash, sum, log_bytes) \
     WHERE tables.id = new.id";

impl WriteStatements {
    pub(super) async fn prepare(client: &Client) -> Result<WriteStatements, Error> {
        let insert_part = |table: &str| {
            format!(
                "INSERT INTO {table} (id, at, body) SELECT * FROM UNNEST($1::BYTEA[], $2::BIGINT[], $3::BYTEA[])"
            )
        };
        let delete_from = |table: &str| format!("DELETE FROM {table} WHERE id = ANY($1)");
        let ids = [Type::BYTEA_ARRAY];
        Ok(WriteStatements {
            delete_tables: client.prepare_typed(&delete_from("tables"), &ids).await?,
            delete_log: client.prepare_typed(&delete_from("log_parts"), &ids).await?,
            delete_record: client.prepare_typed(&delete_from("record_parts"), &ids).await?,
            delete_tags: client.prepare_typed(&delete_from("tags"), &ids).await?,
            insert_tables: client.prepare(INSERT_TABLES).await?,
            update_tables: client.prepare(UPDATE_TABLES).await?,
            insert_log: client.prepare(&insert_part("log_parts")).await?,
            insert_record: client.prepare(&insert_part("record_parts")).await?,
            insert_tags: client
                .prepare(
                    "INSERT INTO tags (tag, id, finished) SELECT * FROM UNNEST($1::TEXT[], $2::BYTEA[], $3::BOOLEAN[])",
                )
                .await?,
            finish_tags: client.prepare_typed("UPDATE tags SET finished = TRUE WHERE id = ANY($1)", &ids).await?,
            insert_journal: client
                .prepare(
                    "INSERT INTO journal (writer, seq, part, sum, body) \
                     SELECT $1::BIGINT, $2::BIGINT, part, $3::BYTEA, body FROM UNNEST($4::BIGINT[], $5::BYTEA[]) AS new (part, body)",
                )
                .await?,
            truncate_journal: client.prepare("DELETE FROM journal WHERE writer = $1 AND seq < $2").await?,
            insert_feed: client
                .prepare(
                    "INSERT INTO feed (owner, number, at, sum, payload) \
                     SELECT * FROM UNNEST($1::TEXT[], $2::BIGINT[], $3::BIGINT[], $4::BYTEA[], $5::BYTEA[])",
                )
                .await?,
            put_owners: client
                .prepare(
                    "INSERT INTO owners (owner, first, last, sum) \
                     SELECT * FROM UNNEST($1::TEXT[], $2::BIGINT[], $3::BIGINT[], $4::BYTEA[]) \
                     ON CONFLICT (owner) DO UPDATE SET first = excluded.first, last = excluded.last, sum = excluded.sum",
                )
                .await?,
        })
    }
}

/// Rows that a commit inserts or updates.
#[derive(Default)]
struct RowColumns<'a> {
    rows: Vec<&'a StoredRow>,
    log_bytes: Vec<i64>,
}

impl<'a> RowColumns<'a> {
    fn push(&mut self, row: &'a StoredRow, log_bytes: u64) {
        self.rows.push(row);
        self.log_bytes.push(bigint(log_bytes));
    }

    fn column<T>(&self, column: impl Fn(&'a StoredRow) -> T) -> Vec<T> {
        self.rows.iter().map(|row| column(row)).collect()
    }
}

/// Parts of large values that a commit inserts.
#[derive(Default)]
struct PartColumns<'a> {
    ids: Vec<&'a [u8]>,
    at: Vec<i64>,
    bodies: Vec<&'a [u8]>,
}

impl<'a> PartColumns<'a> {
    fn push(&mut self, id: &'a TableId, from: u64, bytes: &'a [u8]) {
        for (at, body) in parts(from, bytes) {
            self.ids.push(id.as_bytes());
            self.at.push(at);
            self.bodies.push(body);
        }
    }
}

/// Result of writing a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Written {
    /// Every row is written.
    All,
    /// Some rows were not: another node has changed them, or has used the same request id.
    Partly,
}

/// Parameters of a statement.
type Values<'a> = Vec<Box<dyn ToSql + Sync + Send + 'a>>;

/// A statement to send.
struct Call<'a> {
    statement: &'a Statement,
    values: Values<'a>,
    /// Number of rows that it must change, if that tells whether another node was first.
    rows: Option<usize>,
}

impl<'a> Call<'a> {
    fn new(statement: &'a Statement, values: Values<'a>) -> Call<'a> {
        Call { statement, values, rows: None }
    }

    fn changing(self, rows: usize) -> Call<'a> {
        Call { rows: Some(rows), ..self }
    }

    /// Sends the statement. Returns whether it changed as many rows as it must.
    async fn send(self, client: &Client) -> Result<bool, Error> {
        let values: Vec<&(dyn ToSql + Sync)> =
            self.values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect();
        let changed = client.execute(self.statement, &values).await?;
        Ok(self.rows.is_none_or(|rows| changed == rows as u64))
    }
}

/// Writes everything; the caller then commits.
pub(super) async fn write(
    plan: &CommitPlan,
    writer: i64,
    truncates: bool,
    client: &Client,
    statements: &WriteStatements,
) -> Result<Written, Error> {
    let mut calls = Vec::new();
    // Deleted rows go first, because new ones may reuse their ids.
    add_deletions(plan, statements, &mut calls);
    add_rows(plan, writer, statements, &mut calls);
    add_journal(plan, writer, truncates, statements, &mut calls);
    add_feeds(plan, statements, &mut calls);
    let sent = calls.into_iter().map(|call| call.send(client));
    let complete = try_join_all(sent).await?;
    Ok(if complete.into_iter().all(|complete| complete) { Written::All } else { Written::Partly })
}

fn add_deletions<'a>(plan: &'a CommitPlan, statements: &'a WriteStatements, calls: &mut Vec<Call<'a>>) {
    let deleted: Vec<&[u8]> = plan
        .tables
        .iter()
        .filter(|(_, change)| change.deleted && change.stored)
        .map(|(id, _)| id.as_bytes().as_slice())
        .collect();
    if deleted.is_empty() {
        return;
    }
    for statement in [&statements.delete_log, &statements.delete_record, &statements.delete_tags] {
        calls.push(Call::new(statement, vec![Box::new(deleted.clone())]));
    }
    let count = deleted.len();
    calls.push(Call::new(&statements.delete_tables, vec![Box::new(deleted)]).changing(count));
}

fn add_rows<'a>(
    plan: &'a CommitPlan,
    writer: i64,
    statements: &'a WriteStatements,
    calls: &mut Vec<Call<'a>>,
) {
    let (mut new, mut changed) = (RowColumns::default(), RowColumns::default());
    let (mut log, mut record) = (PartColumns::default(), PartColumns::default());
    let (mut tags, mut tagged, mut tag_finished) = (Vec::new(), Vec::new(), Vec::new());
    let mut finished: Vec<&[u8]> = Vec::new();
    for (id, change) in &plan.tables {
        let Some(pending) = &change.pending else { continue };
        let Some(row) = &pending.row else { continue };
        let is_new = matches!(pending.row_write, RowWrite::Insert | RowWrite::InsertLog(_));
        match &pending.row_write {
            RowWrite::Unchanged => continue,
            RowWrite::Insert => new.push(row, 0),
            RowWrite::Update => changed.push(row, pending.stored_bytes),
            RowWrite::InsertLog(bytes) => {
                new.push(row, bytes.len() as u64);
                log.push(id, 0, bytes);
            }
            RowWrite::ExtendLog(bytes) => {
                changed.push(row, pending.bytes);
                log.push(id, pending.stored_bytes, bytes);
            }
        }
        if let Some(bytes) = &pending.record {
            record.push(id, 0, bytes);
        }
        let is_finished = row.place == Place::Finished;
        if is_new {
            for tag in all_tags(row) {
                tags.push(tag);
                tagged.push(id.as_bytes().as_slice());
                tag_finished.push(is_finished);
            }
        } else if is_finished && all_tags(row).next().is_some() {
            finished.push(id.as_bytes());
        }
    }
    if !new.rows.is_empty() {
        let count = new.rows.len();
        calls.push(Call::new(&statements.insert_tables, insert_columns(new, writer)).changing(count));
    }
    if !changed.rows.is_empty() {
        let count = changed.rows.len();
        calls.push(Call::new(&statements.update_tables, update_columns(changed, writer)).changing(count));
    }
    for (statement, part) in [(&statements.insert_log, log), (&statements.insert_record, record)] {
        if !part.ids.is_empty() {
            let values: Values<'a> = vec![Box::new(part.ids), Box::new(part.at), Box::new(part.bodies)];
            calls.push(Call::new(statement, values));
        }
    }
    if !tags.is_empty() {
        let values: Values<'a> = vec![Box::new(tags), Box::new(tagged), Box::new(tag_finished)];
        calls.push(Call::new(&statements.insert_tags, values));
    }
    if !finished.is_empty() {
        calls.push(Call::new(&statements.finish_tags, vec![Box::new(finished)]));
    }
}

fn add_journal<'a>(
    plan: &'a CommitPlan,
    writer: i64,
    truncates: bool,
    statements: &'a WriteStatements,
    calls: &mut Vec<Call<'a>>,
) {
    if !plan.body.is_empty() {
        let sum = row_checksum(plan.seq, &plan.body).to_vec();
        let (at, bodies): (Vec<i64>, Vec<&[u8]>) = parts(0, &plan.body).unzip();
        let values: Values<'a> =
            vec![Box::new(writer), Box::new(bigint(plan.seq)), Box::new(sum), Box::new(at), Box::new(bodies)];
        calls.push(Call::new(&statements.insert_journal, values));
    }
    if truncates {
        let values: Values<'a> = vec![Box::new(writer), Box::new(bigint(plan.keep_from))];
        calls.push(Call::new(&statements.truncate_journal, values));
    }
}

fn add_feeds<'a>(plan: &'a CommitPlan, statements: &'a WriteStatements, calls: &mut Vec<Call<'a>>) {
    if !plan.posted.is_empty() {
        let posted = plan.posted.iter();
        let owners: Vec<&str> = posted.clone().map(|(owner, _)| owner.as_str()).collect();
        let numbers: Vec<i64> = posted.clone().map(|(_, item)| bigint(item.number)).collect();
        let times: Vec<i64> = posted.clone().map(|(_, item)| bigint(item.at.0)).collect();
        let sums: Vec<Vec<u8>> =
            posted.clone().map(|(owner, item)| item_checksum(owner, item).to_vec()).collect();
        let payloads: Vec<&[u8]> = posted.map(|(_, item)| &item.payload[..]).collect();
        let values: Values<'a> =
            vec![Box::new(owners), Box::new(numbers), Box::new(times), Box::new(sums), Box::new(payloads)];
        calls.push(Call::new(&statements.insert_feed, values));
    }
    if !plan.owners.is_empty() {
        let owners: Vec<&str> = plan.owners.keys().map(OwnerId::as_str).collect();
        let first: Vec<i64> = plan.owners.values().map(|range| bigint(range.first)).collect();
        let last: Vec<i64> = plan.owners.values().map(|range| bigint(range.last)).collect();
        let sums: Vec<Vec<u8>> =
            plan.owners.iter().map(|(owner, range)| range.checksum(owner.as_str()).to_vec()).collect();
        let values: Values<'a> = vec![Box::new(owners), Box::new(first), Box::new(last), Box::new(sums)];
        calls.push(Call::new(&statements.put_owners, values));
    }
}

fn insert_columns<'a>(new: RowColumns<'a>, writer: i64) -> Values<'a> {
    let partitions = new.column(|row| i16::from(row.id.partition().number()));
    vec![
        Box::new(new.column(|row| row.id.as_bytes().as_slice())),
        Box::new(new.column(|row| row.listing.owner.as_str())),
        Box::new(new.column(|row| row.listing.game.as_str())),
        Box::new(new.column(|row| i16::from(row.listing.state))),
        Box::new(new.column(|row| i16::from(row.listing.visibility))),
        Box::new(new.column(|row| bigint(row.created.0))),
        Box::new(new.column(|row| bigint(row.updated.0))),
        Box::new(new.column(|row| row.request.as_deref())),
        Box::new(new.column(|row| i16::from(row.place_columns().0))),
        Box::new(new.column(|row| row.place_columns().1.map(bigint))),
        Box::new(new.column(|row| bigint(row.journal_from))),
        Box::new(new.column(|row| bigint(row.stored.length))),
        Box::new(new.column(|row| row.stored.head.as_slice())),
        Box::new(new.column(|row| row.record_hash.as_ref().map(<[u8; 32]>::as_slice))),
        Box::new(new.column(|row| row.checksum().to_vec())),
        Box::new(new.column(|row| i16::from(kind_column(row.listing.kind)))),
        Box::new(new.column(StoredRow::tags_column)),
        Box::new(new.log_bytes),
        Box::new(writer),
        Box::new(partitions),
    ]
}

fn update_columns<'a>(changed: RowColumns<'a>, writer: i64) -> Values<'a> {
    vec![
        Box::new(changed.column(|row| row.id.as_bytes().as_slice())),
        Box::new(changed.column(|row| row.listing.game.as_str())),
        Box::new(changed.column(|row| i16::from(row.listing.state))),
        Box::new(changed.column(|row| i16::from(row.listing.visibility))),
        Box::new(changed.column(|row| bigint(row.updated.0))),
        Box::new(changed.column(|row| i16::from(row.place_columns().0))),
        Box::new(changed.column(|row| row.place_columns().1.map(bigint))),
        Box::new(changed.column(|row| bigint(row.journal_from))),
        Box::new(changed.column(|row| bigint(row.stored.length))),
        Box::new(changed.column(|row| row.stored.head.as_slice())),
        Box::new(changed.column(|row| row.record_hash.as_ref().map(<[u8; 32]>::as_slice))),
        Box::new(changed.column(|row| row.checksum().to_vec())),
        Box::new(changed.log_bytes),
        Box::new(writer),
    ]
}
