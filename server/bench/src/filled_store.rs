//! A store with a million finished games, created once and kept beside the binaries: one game of GAP is
//! played on a real server, and its log and record are copied under new ids.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use bytes::Bytes;
use parlor_server::TableId;
use parlor_store::{
    Append, Listing, Log, LogFilter, NewPlace, PageRequest, Place, SqliteLog, SqliteOptions, TableRow,
};

use crate::process::{Load, Server};

/// Tables written in one commit.
const TABLES_PER_COMMIT: u64 = 1000;

/// Folder of the store with this number of finished games. Creates the store if it does not exist.
pub(crate) fn open_or_create(games: u64) -> Result<PathBuf> {
    let programs = std::env::current_exe().context("the path of this program")?;
    let target = programs.parent().and_then(Path::parent).context("the folder of this program")?;
    let folder = target.join(format!("bench-store-{games}"));
    if folder.join("complete").exists() {
        return Ok(folder);
    }
    // An incomplete store is created again.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    eprintln!("bench: filling {} with {games} games, once ...", folder.display());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(fill(&folder, games))?;
    std::fs::write(folder.join("complete"), "")?;
    Ok(folder)
}

async fn fill(folder: &Path, games: u64) -> Result<()> {
    let game = FinishedGame::play().await?;
    let log = SqliteLog::open(&folder.join("parlor.db"), SqliteOptions::default())?;
    for first in (0..games).step_by(TABLES_PER_COMMIT as usize) {
        let appends = (first..games.min(first + TABLES_PER_COMMIT)).map(|number| game.copy(number)).collect();
        log.append_all(appends).await.into_iter().collect::<Result<Vec<_>, _>>()?;
    }
    log.close().await;
    Ok(())
}

/// A finished game in its stored form.
struct FinishedGame {
    row: TableRow,
    entries: Vec<Bytes>,
    record: Bytes,
}

impl FinishedGame {
    /// Plays until games are finished, and reads one of median length from the store.
    async fn play() -> Result<FinishedGame> {
        let data = tempfile::tempdir()?;
        let server = Server::hosted(data.path())?;
        let load =
            Load { tables: 50, connections: 1, stream_per_seat: false, seconds: 3, rate: None, options: &[] };
        load.on_hosted(&server)?;
        server.stop()?;
        let log = Arc::new(SqliteLog::open(&data.path().join("parlor.db"), SqliteOptions::default())?);
        let finished = LogFilter { state: Some(FINISHED), ..LogFilter::default() };
        let found = log.list_tables(finished, PageRequest { after: None, size: 1000 }).await?.tables;
        let mut games = Vec::new();
        for row in found.into_iter().filter(|row| row.place == Place::Finished) {
            let entries = log.read(row.id, 0).await?.into_iter().map(|entry| entry.payload).collect();
            let record = log.record(row.id).await?.context("a finished game has a record")?;
            games.push(FinishedGame { row, entries, record });
        }
        games.sort_by_key(|game| game.entries.len());
        let middle = games.len() / 2;
        games.into_iter().nth(middle).context("no game was played to its end")
    }

    /// A copy under a new id with an earlier creation time.
    fn copy(&self, number: u64) -> Append {
        let mut random = [0; 10];
        random[2..].copy_from_slice(&number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
        let table = TableId::new(self.row.created.0 - 1_000_000_000 + number, random);
        let listing: Listing = self.row.listing.clone();
        let mut append = Append::new(table, 0, self.row.updated, self.entries.clone());
        append.listing = Some(listing);
        append.place = Some(NewPlace::Finished { record: self.record.clone() });
        append
    }
}

/// Listing state of finished tables.
const FINISHED: u8 = 3;
