//! Reading a whole store to see whether all of it is what was written.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use rusqlite::Connection;

use super::failure::{Failing, io_error};
use super::feed;
use super::journal::{self, Meta};
use super::row::{COLUMNS, Row};
use super::schema::{Lock, open_to_read};
use super::tags;
use crate::log::chain::Chain;
use crate::log::{Kind, LogError, Place, TableId};

/// How many problems are told.
const PROBLEMS: usize = 100;

/// What is in a store, and what is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// How many tables there are.
    pub tables: u64,
    /// How many tournaments.
    pub tournaments: u64,
    /// How many agents.
    pub agents: u64,
    /// How many of all these are in play.
    pub in_play: u64,
    /// How many of them are finished.
    pub finished: u64,
    /// How many entries they have.
    pub entries: u64,
    /// How many rows the journal has.
    pub journal_rows: u64,
    /// How many items the feeds have.
    pub feed_items: u64,
    /// What is wrong, in words: the first hundred things.
    pub problems: Vec<String>,
}

impl Report {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }

    fn note<T>(&mut self, result: Result<T, LogError>) -> Option<T> {
        result.map_err(|error| self.problem(error.to_string())).ok()
    }

    fn problem(&mut self, problem: String) {
        if self.problems.len() < PROBLEMS && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} tables, {} tournaments, {} agents ({} in play, {} finished), {} entries, {} rows in the journal, \
             {} feed items",
            self.tables,
            self.tournaments,
            self.agents,
            self.in_play,
            self.finished,
            self.entries,
            self.journal_rows,
            self.feed_items
        )?;
        for problem in &self.problems {
            writeln!(f, "problem: {problem}")?;
        }
        match self.problems.len() {
            0 => write!(f, "sound"),
            count => write!(f, "{count} problems: restore the store from a backup"),
        }
    }
}

/// Reads the whole store that no server uses. An error says why it cannot be read at all; what is wrong in it is in
/// the report.
pub fn check(store: &Path) -> Result<Report, LogError> {
    // Without this the lock would leave its own file where no store is.
    if let Err(error) = std::fs::metadata(store) {
        return Err(io_error(store, error));
    }
    let _lock = Lock::take(store)?;
    check_copy(store)
}

/// As [`check`], for a file that nobody else knows of.
pub(super) fn check_copy(store: &Path) -> Result<Report, LogError> {
    let failing = Failing(store);
    let db = open_to_read(store)?;
    let db = failing.at(db.unchecked_transaction())?;
    let mut report = Report::default();
    check_pages(&db, failing, &mut report);
    let mut playing = HashMap::new();
    let rows = check_tables(&db, failing, &mut playing, &mut report);
    let rows = report.note(rows).unwrap_or_default();
    let journal = check_journal(&db, failing, &mut playing, &mut report);
    report.note(journal);
    let feeds = check_feeds(&db, failing, &mut report);
    report.note(feeds);
    if let Some(meta) = report.note(Meta::load(&db, failing)) {
        let found = (rows, report.in_play, report.journal_rows);
        if found != (meta.tables, meta.in_play, meta.journal_rows) {
            report.problem(format!(
                "there should be {} tables, tournaments and agents, {} of them in play, and {} rows in the journal",
                meta.tables, meta.in_play, meta.journal_rows
            ));
        }
    }
    Ok(report)
}

/// What SQLite itself can see.
fn check_pages(db: &Connection, failing: Failing<'_>, report: &mut Report) {
    let lines = db.prepare("PRAGMA integrity_check(100)").and_then(|mut check| {
        let lines = check.query_map([], |row| row.get::<_, String>(0))?;
        lines.collect::<rusqlite::Result<Vec<_>>>()
    });
    for line in report.note(failing.at(lines)).unwrap_or_default() {
        if line != "ok" {
            report.problem(format!("SQLite: {line}"));
        }
    }
}

/// A table in play, as far as its row says.
struct Playing {
    chain: Chain,
    journal_from: u64,
}

/// Gives how many rows there are, of all kinds.
fn check_tables(
    db: &Connection,
    failing: Failing<'_>,
    playing: &mut HashMap<TableId, Playing>,
    report: &mut Report,
) -> Result<u64, LogError> {
    let mut select = failing.at(db.prepare(&format!("SELECT {COLUMNS} FROM tables NOT INDEXED")))?;
    let mut rows = failing.at(select.query([]))?;
    let (mut count, mut tags) = (0, 0);
    while let Some(row) = failing.at(rows.next())? {
        count += 1;
        let Some(row) = report.note(Row::from_sql(row, failing)) else {
            continue;
        };
        match row.listing.kind {
            Kind::Table => report.tables += 1,
            Kind::Tournament => report.tournaments += 1,
            Kind::Agent => report.agents += 1,
        }
        tags += report.note(tags::check(db, &row, failing)).unwrap_or_default();
        match row.place {
            Place::InPlay => {
                report.in_play += 1;
                let table = Playing { chain: row.stored, journal_from: row.journal_from };
                playing.insert(row.id, table);
            }
            Place::Finished => report.finished += 1,
            Place::AtRest { .. } => {}
        }
        report.entries += row.stored.length;
        report.note(row.entries(db, u64::MAX, &mut Vec::new(), failing));
        report.note(row.record(db, failing));
    }
    let tag_rows: u64 = failing.at(db.query_row("SELECT count(*) FROM tags", [], |row| row.get(0)))?;
    if tag_rows != tags {
        report.problem(format!("there are {tag_rows} tags, and should be {tags}"));
    }
    Ok(count)
}

fn check_journal(
    db: &Connection,
    failing: Failing<'_>,
    playing: &mut HashMap<TableId, Playing>,
    report: &mut Report,
) -> Result<(), LogError> {
    journal::read(db, failing, |seq, _, frames| {
        report.journal_rows += 1;
        for frame in &frames {
            if let Some(table) = playing.get_mut(&frame.table)
                && seq >= table.journal_from
            {
                let before = table.chain.length;
                journal::follow(&mut table.chain, frame, failing)?;
                report.entries += table.chain.length - before;
            }
        }
        Ok(())
    })
}

fn check_feeds(db: &Connection, failing: Failing<'_>, report: &mut Report) -> Result<(), LogError> {
    for (owner, numbers) in feed::owners(db, failing)? {
        let mut next = numbers.first;
        while next <= numbers.last {
            let page = feed::items(db, &owner, next, numbers.last, failing)?;
            next += page.len() as u64;
            report.feed_items += page.len() as u64;
        }
    }
    let rows: u64 = failing.at(db.query_row("SELECT count(*) FROM feed", [], |row| row.get(0)))?;
    if rows != report.feed_items {
        report.problem(format!("there are {rows} feed items, and should be {}", report.feed_items));
    }
    Ok(())
}
