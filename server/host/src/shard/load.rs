//! Bringing a table into memory.

use std::sync::Arc;

use crate::HostError;
use crate::TableId;
use crate::persistence::{self, PayloadCodec};
use crate::rematch_request;
use crate::shard::journal::Journal;
use crate::table::{Record, Table};
use parlor_store::{Log, LogError, LogKind, OwnerId, Place};

/// A table as the log has it.
pub(crate) enum Loaded {
    /// It is not over.
    Live(Box<LoadedTable>),
    /// It is over.
    Over(Arc<Record>),
    /// It is not there, or cannot be read.
    Failed(HostError),
}

/// A table that is not over, as the log has it.
pub(crate) struct LoadedTable {
    pub(crate) table: Table,
    pub(crate) journal: Journal,
    pub(crate) at_rest: bool,
}

/// Reads a table.
pub(crate) async fn load(log: &dyn Log, codec: &dyn PayloadCodec, table: TableId) -> Loaded {
    match try_load(log, codec, table).await {
        Ok(loaded) => loaded,
        Err(HostError::Log(LogError::NoSuchTable { table })) => Loaded::Failed(HostError::NotFound { table }),
        Err(error) => Loaded::Failed(error),
    }
}

async fn try_load(log: &dyn Log, codec: &dyn PayloadCodec, table: TableId) -> Result<Loaded, HostError> {
    let damaged = |what: String| HostError::Damaged { table, what };
    let row = log.find(table).await?;
    // A tournament is no table, though it has a log like one.
    if row.listing.kind != LogKind::Table {
        return Err(HostError::NotFound { table });
    }
    if row.place == Place::Finished {
        let bytes = log.record(table).await?.ok_or_else(|| damaged("its record is missing".to_owned()))?;
        let mut record = persistence::decode_record(&bytes, codec).map_err(|bad| damaged(bad.to_string()))?;
        record.look.rematch = rematch_of(log, &row.listing.owner, table).await?;
        return Ok(Loaded::Over(Arc::new(record)));
    }
    let entries = log.read(table, 0).await?;
    let (_, first) = match entries.first() {
        Some(first) => {
            persistence::decode_entry(0, &first.payload, codec).map_err(|bad| damaged(bad.to_string()))?
        }
        None => return Err(damaged("its log is empty".to_owned())),
    };
    let opened = Table::open(&first).map_err(|misfit| damaged(misfit.to_string()))?;
    let mut journal = Journal::default();
    entries.iter().for_each(|entry| journal.push(&entry.payload));
    journal.keep();
    let folded = journal.fold(opened.setup(), codec).map_err(|bad| damaged(bad.to_string()))?;
    let at_rest = matches!(row.place, Place::AtRest { .. });
    Ok(Loaded::Live(Box::new(LoadedTable { table: folded, journal, at_rest })))
}

/// The table that is the rematch of another, if there is one: it was made by a request that names that one.
pub(crate) async fn rematch_of(
    log: &dyn Log,
    owner: &OwnerId,
    table: TableId,
) -> Result<Option<TableId>, LogError> {
    log.find_by_request(owner, &rematch_request(table)).await
}
