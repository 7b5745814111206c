//! Links between the nodes of a cluster: calls and channels that concern a table of another node are carried there.
//!
//! A client may connect to any node, and its node forwards: a client is never redirected, and one stream may have tables on
//! all nodes. [`NodePlacement`] says which node owns which partition; what it says is a hint, and the node that is
//! asked refuses what it does not own.
//!
//! | module | part |
//! |---|---|
//! | `link` | connections to other nodes: one HTTP/2 connection a node, kept open, opened with a handshake |
//! | `link_server` | the port on which a node accepts links, and the checks of every call that comes over one |
//! | `link_headers` | what a forwarded call says of itself: version, nodes, and what is known of the caller |
//! | `method_home` | which field of a request says where it belongs |
//! | `forward` | forwarding of unary calls, server streams and Connect |
//! | `remote_channels` | channels of Play and Follow whose tables are on other nodes |
//! | `remote_deals` | which deals of tournaments of other nodes may be shown: those that are known to be over |
//!
//! Rates and limits count at the node that the client reached, and only there.

mod carried_channels;
pub(crate) mod first_message;
pub(crate) mod forward;
pub(crate) mod forwarded_body;
pub(crate) mod link;
pub(crate) mod link_headers;
pub(crate) mod link_server;
mod link_tls;
pub(crate) mod method_home;
pub(crate) mod remote_channels;
pub(crate) mod remote_deals;
mod remote_stream;
mod stream_events;
mod stream_item;

/// Generated messages of package `parlor.node.v1`, which nodes alone exchange.
#[allow(clippy::all, missing_docs, unreachable_pub, unused_qualifications, reason = "generated code")]
mod wire {
    include!(concat!(env!("OUT_DIR"), "/parlor.node.v1.rs"));
}

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parlor_host::clock::Clock;
use parlor_host::placement::{NodeId, NodePlacement, Partition, Placement};
use tokio::net::TcpListener;
use tokio::sync::watch;

pub use link_tls::LinkTls;
pub use method_home::agent_partition;

use crate::grpc::routes::{Routes, WeakRoutes};
use crate::identity::ServerKey;
use link::{LinkSender, Links};

/// Version of the link. Nodes of different versions do not talk to each other.
pub const LINK_VERSION: u32 = 1;

/// Time for which a call or a channel waits for a node that can serve it: longer than the adoption of the tables of a
/// node that was lost.
const PATIENCE: Duration = Duration::from_secs(15);
/// Pauses between attempts while nothing changes: the first, and the longest.
const RETRY_PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(1)];

/// The part of one node in a cluster.
#[derive(Debug)]
pub struct ClusterNode {
    /// The name of this node.
    pub node: NodeId,
    /// The owners of partitions, and the addresses of nodes.
    pub placement: Arc<dyn NodePlacement>,
    /// Accepts links from other nodes.
    pub listener: TcpListener,
    /// Certificates of links. Without them a link is neither encrypted nor bound to a certificate, and whoever can read its
    /// packets can take over its rights: for trusted networks alone.
    pub tls: Option<LinkTls>,
}

/// A node's view of its cluster, shared by everything that forwards.
#[derive(Debug)]
pub(crate) struct Cluster {
    placement: Arc<dyn NodePlacement>,
    clock: Arc<dyn Clock>,
    links: Links,
    /// The node's own services, for channels whose table has come to this node while they were carried elsewhere.
    local: OnceLock<WeakRoutes>,
}

impl Cluster {
    pub(crate) fn new(
        node: NodeId,
        placement: Arc<dyn NodePlacement>,
        clock: Arc<dyn Clock>,
        key: &ServerKey,
        tls: Option<&LinkTls>,
    ) -> Arc<Cluster> {
        let links = Links::new(node, placement.clone(), key, tls);
        Arc::new(Cluster { placement, clock, links, local: OnceLock::new() })
    }

    /// Sets the node's own services, which serve what comes over links. Called once, before the first call.
    pub(crate) fn set_local(&self, routes: &Routes) {
        // A second call would set the same.
        let _ = self.local.set(routes.downgrade());
    }

    /// The node's own services, for what comes over links; `None` while the server stops.
    fn local(&self) -> Option<Routes> {
        self.local.get().and_then(WeakRoutes::upgrade)
    }

    /// The owner of a partition.
    pub(crate) fn placement(&self, partition: Partition) -> Placement {
        self.placement.placement(partition)
    }

    /// True if this node owns the partition.
    pub(crate) fn is_local(&self, partition: Partition) -> bool {
        self.placement(partition) == Placement::Local
    }

    /// The link to a node, if it is up. The first request for a node starts its link.
    fn link(&self, node: &NodeId) -> Option<LinkSender> {
        self.links.sender(node)
    }

    /// Changes of placements and links.
    fn changes(&self) -> watch::Receiver<u64> {
        self.links.changes()
    }

    fn headers(&self, to: &NodeId) -> link_headers::LinkHeaders {
        self.links.headers(to)
    }
}

/// The pause before an attempt, after so many in vain.
fn retry_pause(failures: u32) -> Duration {
    let [first, longest] = RETRY_PAUSES;
    first.saturating_mul(1 << failures.min(10)).min(longest)
}
