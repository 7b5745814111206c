//! Messages in a shard's inbox.

use tokio::sync::oneshot;

use crate::TableId;
use crate::reservation::Reservation;
use crate::shard::house_bots::BotMove;
use crate::shard::table_message::{ReplyTo, TableMessage};
use crate::table::{Entry, TableSummary};

/// A message in a shard's inbox.
pub(crate) enum ShardMessage {
    /// A request to one table.
    Table(TableId, TableMessage),
    /// Create a table from its first entries.
    Create { new_table: Box<NewTableLog>, to: ReplyTo<TableSummary> },
    /// A house bot has made its decision.
    BotMove(BotMove),
    /// A finished table has a rematch.
    Rematch { of: TableId, table: TableId },
    /// A table was deleted.
    Deleted(TableId),
    /// Refuse new requests, and reply once everything accepted is durable.
    Stop(oneshot::Sender<()>),
}

/// The log of a table to be created.
pub(crate) struct NewTableLog {
    /// The first entries: the table is created and, if house bots hold all seats, started.
    pub(crate) entries: Vec<Entry>,
    /// Idempotency key of the request in the log.
    pub(crate) request: Option<String>,
    /// Seats and quota of the table, released if it is not created.
    pub(crate) reservation: Reservation,
}
