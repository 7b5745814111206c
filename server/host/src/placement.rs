//! Placement of tables on the nodes of a cluster.
//!
//! Every table, tournament and agent belongs to a [`Partition`], which follows from its id, and a partition belongs to at
//! most one node at a time. A [`NodePlacement`] says to which one. It is a hint for forwarding: only the node that owns a
//! partition can commit to its tables, and one that does not own it says so.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub use parlor_fair::Partition;
use tokio::sync::watch;

/// Name of a node: unique in its cluster, and new at every start of the node's process.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(Arc<str>);

impl NodeId {
    /// Maximum length in bytes.
    pub const MAX_BYTES: usize = 96;

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The text is not the name of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the name of a node has 1 to 96 letters, digits, dots, hyphens, underscores and slashes")]
pub struct InvalidNodeId;

impl FromStr for NodeId {
    type Err = InvalidNodeId;

    fn from_str(text: &str) -> Result<NodeId, InvalidNodeId> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-_/".contains(&byte);
        let fits = (1..=NodeId::MAX_BYTES).contains(&text.len()) && text.bytes().all(allowed);
        if fits { Ok(NodeId(text.into())) } else { Err(InvalidNodeId) }
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NodeId({})", self.0)
    }
}

/// Owner of a partition, as this node knows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Placement {
    /// This node.
    Local,
    /// Another node.
    Remote(NodeId),
    /// No node at the moment: its node is gone, or this node has lost its lease and knows nothing. Requests wait for a
    /// change, or are refused as transient.
    Unowned,
}

/// Source of placements. Cheap to ask: it answers from memory.
pub trait NodePlacement: Send + Sync + fmt::Debug + 'static {
    /// The owner of a partition.
    fn placement(&self, partition: Partition) -> Placement;

    /// Address on which a node accepts links of other nodes: a host and a port. `None` for a node that is gone.
    fn link_address(&self, node: &NodeId) -> Option<Arc<str>>;

    /// Counts the changes of placements and addresses. Waiting for a change is `changed()` on the receiver.
    fn changes(&self) -> watch::Receiver<u64>;
}

/// Placement of a server that is alone: everything is local, for ever.
#[derive(Debug)]
pub struct SingleNode(watch::Sender<u64>);

impl Default for SingleNode {
    fn default() -> SingleNode {
        SingleNode(watch::Sender::new(0))
    }
}

impl NodePlacement for SingleNode {
    fn placement(&self, _: Partition) -> Placement {
        Placement::Local
    }

    fn link_address(&self, _: &NodeId) -> Option<Arc<str>> {
        None
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.0.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_names_are_bounded() {
        for good in ["a", "node-1.example/3f9a", &"x".repeat(96)] {
            assert_eq!(good.parse::<NodeId>().map(|node| node.to_string()), Ok(good.to_owned()));
        }
        for bad in ["", "a b", "a:b", "\u{e9}", &"x".repeat(97)] {
            assert_eq!(bad.parse::<NodeId>(), Err(InvalidNodeId), "{bad}");
        }
    }

    #[test]
    fn single_node_owns_every_partition() {
        let node = SingleNode::default();
        assert!(Partition::all().all(|partition| node.placement(partition) == Placement::Local));
        assert_eq!(*node.changes().borrow(), 0);
    }
}
