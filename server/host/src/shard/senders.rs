//! Senders to the inboxes of all shards, and the assignment of tables to shards.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use crate::shard::ShardMessage;
use crate::shard::table_message::TableMessage;
use crate::{HostError, TableId};

/// Senders to all shards. A shard stops when the last sender is dropped, so shards hold none themselves.
#[derive(Clone)]
pub(crate) struct ShardSenders(Arc<[ShardSender]>);

impl ShardSenders {
    pub(crate) fn new(senders: Vec<ShardSender>) -> ShardSenders {
        ShardSenders(senders.into())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &ShardSender> {
        self.0.iter()
    }

    /// Index of the shard that owns the table.
    pub(crate) fn shard_of(&self, table: TableId) -> usize {
        shard_index(table, self.0.len())
    }

    /// Sends a message to the shard of a table. Waits while its inbox is full.
    pub(crate) async fn send(&self, table: TableId, message: ShardMessage) -> Result<(), HostError> {
        self.0[self.shard_of(table)].send(message).await.map_err(|_| HostError::Stopping)
    }

    /// Sends messages to tables in this order. Waits while the inboxes of their shards are full.
    pub(crate) async fn send_all(&self, messages: Vec<(TableId, TableMessage)>) {
        for (table, message) in messages {
            // The shard has stopped with the host; no reply is awaited.
            let _ = self.send(table, ShardMessage::Table(table, message)).await;
        }
    }

    /// Sends a message to a table; returns it if the inbox of its shard is full.
    pub(crate) fn try_send(
        &self,
        table: TableId,
        message: TableMessage,
    ) -> Result<(), (TableId, TableMessage)> {
        match self.0[self.shard_of(table)].try_send(ShardMessage::Table(table, message)) {
            Err(TrySendError::Full(ShardMessage::Table(table, message))) => Err((table, message)),
            // The shard has stopped with the host; no reply is awaited.
            _ => Ok(()),
        }
    }
}

/// Sender to the inbox of one shard.
pub(crate) type ShardSender = mpsc::Sender<ShardMessage>;

/// Index of the shard that owns the table, of this many shards.
pub(crate) fn shard_index(table: TableId, shards: usize) -> usize {
    // The last byte of a table id is random.
    usize::from(table.as_bytes()[15]) % shards
}
