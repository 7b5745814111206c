//! Publication of commits to followers.

use std::sync::Arc;

use bytes::Bytes;

use super::plan::CommitPlan;
use super::table_change::PendingTable;
use crate::follow::TopicHub;
use crate::{Entry, FeedItem, LogError, OwnerId, Place, TableId};

/// Decodes the new entries of a table from what was written; only needed when it has followers.
fn decode_new_entries(pending: &PendingTable) -> Vec<Entry> {
    let (mut chain, mut entries) = (pending.before, Vec::new());
    let read = chain.decode(&Bytes::copy_from_slice(&pending.new_entries), 0, &mut entries);
    debug_assert!(read.is_ok() && chain == pending.chain, "written entries must decode to the same chain");
    entries
}

/// Followers of the logs and feeds of a store.
pub(crate) struct Followers {
    pub(crate) tables: Arc<TopicHub<TableId, Entry>>,
    pub(crate) owners: Arc<TopicHub<OwnerId, FeedItem>>,
}

impl Followers {
    pub(crate) fn new() -> Followers {
        Followers { tables: TopicHub::new(), owners: TopicHub::new() }
    }

    /// Ends all follows.
    pub(crate) fn close(&self) {
        self.tables.close();
        self.owners.close();
    }

    /// Publishes a commit. Only after it is durable.
    pub(crate) fn publish(&self, plan: &CommitPlan) {
        // Usually no table has followers.
        if !self.tables.is_idle() {
            for (id, change) in &plan.tables {
                if change.deleted {
                    self.tables.end_topic(id, Some(LogError::NoSuchTable { table: *id }));
                }
                if let Some(pending) = &change.pending {
                    self.tables.publish(id, &decode_new_entries(pending));
                    if pending.place == Place::Finished {
                        self.tables.end_topic(id, None);
                    }
                }
            }
        }
        for posts in plan.posted.chunk_by(|a, b| a.0 == b.0) {
            let items: Vec<FeedItem> = posts.iter().map(|(_, item)| item.clone()).collect();
            if let Some((owner, _)) = posts.first() {
                self.owners.publish(owner, &items);
            }
        }
    }
}
