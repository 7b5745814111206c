//! One step of retention: finished tables, and the oldest items of each feed.

use tokio_postgres::Error;

use super::prefetch::FetchedRows;
use super::rows::{bigint, decode_range};
use super::writer_connection::WriterConnection;
use crate::append::limits;
use crate::journal::errors::StoreErrors;
use crate::{Millis, RetentionCounts, TableId};

/// Tables that retention removes in one commit.
const RETAIN_STEP: usize = 256;

/// Rows that one step removes.
pub(super) struct Retained {
    pub(super) tables: Vec<TableId>,
    pub(super) counts: RetentionCounts,
    pub(super) complete: bool,
}

/// Trims the feeds, finds the tables to remove, and adds their rows to those that were read.
pub(super) async fn apply(
    connection: &WriterConnection,
    since: Millis,
    partitions: &[i16],
    fetched: &mut FetchedRows,
    errors: StoreErrors<'_>,
) -> Result<Retained, Error> {
    let client = &connection.db.client;
    let before = bigint(since.0);
    let old = client
        .query(
            "SELECT id FROM tables WHERE place = 2 AND updated < $1 AND part = ANY($3::SMALLINT[]) \
             ORDER BY updated LIMIT $2",
            &[&before, &(RETAIN_STEP as i64), &partitions],
        )
        .await?;
    let ids: Vec<&[u8]> = old.iter().map(|row| row.get(0)).collect();
    let mut retained = Retained {
        tables: ids.iter().filter_map(|id| <[u8; 16]>::try_from(*id).ok()).map(TableId::from_bytes).collect(),
        counts: RetentionCounts::default(),
        complete: old.len() < RETAIN_STEP,
    };
    retained.counts.tables = retained.tables.len() as u64;
    fetched.asked.extend(retained.tables.iter().copied());
    fetched.rows = connection.more_rows(&ids).await?;

    // The items are in the order of their times but for appends that waited, so the first one that stays ends the trim.
    let ranges = client
        .query(
            "SELECT owner, first, last, sum, (SELECT min(number) FROM feed WHERE feed.owner = owners.owner AND at >= $1) \
             FROM owners ORDER BY owner FOR UPDATE",
            &[&before],
        )
        .await?;
    for row in &ranges {
        let Ok((owner, mut range)) = decode_range(row, errors) else {
            // Damage is reported to whoever reads the feed.
            continue;
        };
        let kept = row.get::<_, Option<i64>>(4).map_or(range.last + 1, i64::unsigned_abs);
        let count = kept.saturating_sub(range.first).min(limits::MAX_FEED_PAGE_ITEMS as u64);
        if count == 0 {
            continue;
        }
        range.first += count;
        retained.counts.feed_items += count;
        retained.complete &= count < limits::MAX_FEED_PAGE_ITEMS as u64;
        let (owner, first) = (owner.as_str(), bigint(range.first));
        client.execute("DELETE FROM feed WHERE owner = $1 AND number < $2", &[&owner, &first]).await?;
        let sum = range.checksum(owner).to_vec();
        client
            .execute("UPDATE owners SET first = $2, sum = $3 WHERE owner = $1", &[&owner, &first, &sum])
            .await?;
    }
    Ok(retained)
}
