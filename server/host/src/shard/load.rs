//! Loading a table from the log.

use std::sync::Arc;

use crate::HostError;
use crate::TableId;
use crate::persistence::{self, PayloadCodec};
use crate::rematch_request_key;
use crate::shard::journal::Journal;
use crate::table::{Record, Table};
use parlor_store::{Log, LogError, LogKind, OwnerId, Place};

/// A table as stored in the log.
pub(crate) enum Loaded {
    /// The table is not finished.
    Live(Box<LoadedTable>),
    /// The table is finished.
    Finished(Arc<Record>),
    /// The table does not exist or cannot be read.
    Failed(HostError),
}

/// An unfinished table, replayed from the log.
pub(crate) struct LoadedTable {
    pub(crate) table: Table,
    pub(crate) journal: Journal,
    pub(crate) at_rest: bool,
}

/// Loads a table.
pub(crate) async fn load(log: &dyn Log, codec: &dyn PayloadCodec, table: TableId) -> Loaded {
    match try_load(log, codec, table).await {
        Ok(loaded) => loaded,
        Err(HostError::Log(LogError::NoSuchTable { table })) => Loaded::Failed(HostError::NotFound { table }),
        Err(error) => Loaded::Failed(error),
    }
}

async fn try_load(log: &dyn Log, codec: &dyn PayloadCodec, table: TableId) -> Result<Loaded, HostError> {
    let damaged = |what: String| HostError::Damaged { table, reason: what };
    let row = log.find(table).await?;
    // A tournament has a log like a table, but is not one.
    if row.listing.kind != LogKind::Table {
        return Err(HostError::NotFound { table });
    }
    if row.place == Place::Finished {
        let bytes = log.record(table).await?.ok_or_else(|| damaged("its record is missing".to_owned()))?;
        let mut record =
            persistence::decode_record(&bytes, codec).map_err(|error| damaged(error.to_string()))?;
        record.summary.rematch = rematch_of(log, &row.listing.owner, table).await?;
        return Ok(Loaded::Finished(Arc::new(record)));
    }
    let entries = log.read(table, 0).await?;
    let (_, first) = match entries.first() {
        Some(first) => {
            persistence::decode_entry(0, &first.payload, codec).map_err(|error| damaged(error.to_string()))?
        }
        None => return Err(damaged("its log is empty".to_owned())),
    };
    let opened = Table::from_first_entry(&first).map_err(|invalid| damaged(invalid.to_string()))?;
    let mut journal = Journal::default();
    entries.iter().for_each(|entry| journal.push(&entry.payload));
    journal.mark_durable();
    let folded = journal.fold(opened.setup(), codec).map_err(|error| damaged(error.to_string()))?;
    let at_rest = matches!(row.place, Place::AtRest { .. });
    Ok(Loaded::Live(Box::new(LoadedTable { table: folded, journal, at_rest })))
}

/// The rematch of a table, if there is one: it was created under the idempotency key derived from that table.
pub(crate) async fn rematch_of(
    log: &dyn Log,
    owner: &OwnerId,
    table: TableId,
) -> Result<Option<TableId>, LogError> {
    log.find_by_request(owner, &rematch_request_key(table)).await
}
