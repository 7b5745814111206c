//! `TestCluster`: nodes in this process that share a log, each behind real sockets, with links through proxies. A test says
//! which node owns which tables.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use parlor_host::clock::ManualClock;
use parlor_host::placement::{NodeId, NodePlacement, Partition, Placement};
use parlor_proto::v1;
use parlor_server::TableId;
use parlor_server::cluster::{ClusterNode, LinkTls, agent_partition};
use parlor_server::config::Settings;
use parlor_server::identity::{ApiKeys, KeySet, NewKey, ServerKey, SigningKeys};
use parlor_server::transport::{RunningServer, Server, ServerDependencies};
use parlor_store::{Log, MemoryLog};
use parlor_testkit::Proxy;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tonic::transport::Channel;

use crate::client::Client;
use crate::table_requests::{SeatedTable, join};
use crate::test_server::{connect, ms, settings, with_timeout};

/// Owners of partitions, and addresses, on which all nodes agree.
#[derive(Debug)]
struct Assignment {
    owners: Mutex<HashMap<Partition, Option<NodeId>>>,
    addresses: Mutex<HashMap<NodeId, Arc<str>>>,
    changes: watch::Sender<u64>,
}

/// The view of one node. Partitions without an owner in the assignment are its own: new tables are made anywhere.
#[derive(Debug)]
struct NodeView {
    me: NodeId,
    all: Arc<Assignment>,
}

impl NodePlacement for NodeView {
    fn placement(&self, partition: Partition) -> Placement {
        match self.all.owners.lock().expect("an unpoisoned lock").get(&partition) {
            Some(Some(owner)) if *owner == self.me => Placement::Local,
            Some(Some(owner)) => Placement::Remote(owner.clone()),
            Some(None) => Placement::Unowned,
            None => Placement::Local,
        }
    }

    fn link_address(&self, node: &NodeId) -> Option<Arc<str>> {
        self.all.addresses.lock().expect("an unpoisoned lock").get(node).cloned()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.all.changes.subscribe()
    }
}

/// A running node.
pub(crate) struct TestNode {
    pub(crate) id: NodeId,
    running: RunningServer,
    channel: Channel,
    /// In front of the port for links.
    pub(crate) links: Proxy,
    pub(crate) link_address: SocketAddr,
}

/// A task that advances the clock, aborted on drop.
pub(crate) struct PassingTime(tokio::task::JoinHandle<()>);

impl Drop for PassingTime {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Nodes that share a log and a clock.
pub(crate) struct TestCluster {
    pub(crate) clock: ManualClock,
    log: Arc<dyn Log>,
    settings: Settings,
    assignment: Arc<Assignment>,
    pub(crate) tls: Option<LinkTls>,
}

impl TestCluster {
    /// A cluster without nodes, whose nodes have changed settings.
    pub(crate) fn new(change: impl FnOnce(&mut Settings)) -> TestCluster {
        let mut settings = settings();
        change(&mut settings);
        let assignment = Assignment {
            owners: Mutex::default(),
            addresses: Mutex::default(),
            changes: watch::Sender::new(0),
        };
        TestCluster {
            clock: ManualClock::new(),
            log: Arc::new(MemoryLog::new()),
            settings,
            assignment: Arc::new(assignment),
            tls: None,
        }
    }

    /// Starts a node. It loads the tables that are in play.
    pub(crate) async fn start(&self, name: &str) -> TestNode {
        self.start_with_key(name, ServerKey::from_bytes([7; 32])).await
    }

    /// Starts a node with this server key.
    pub(crate) async fn start_with_key(&self, name: &str, server_key: ServerKey) -> TestNode {
        let id: NodeId = name.parse().expect("a node name");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let link_address = listener.local_addr().expect("an address");
        let links = Proxy::start(link_address);
        // By name, as certificates have it.
        let address = links.url().replace("http://127.0.0.1", "localhost");
        self.assignment.addresses.lock().expect("an unpoisoned lock").insert(id.clone(), address.into());
        let placement = Arc::new(NodeView { me: id.clone(), all: self.assignment.clone() });
        let parts = ServerDependencies {
            clock: Arc::new(self.clock.clone()),
            log: self.log.clone(),
            keys: Arc::new(ApiKeys::new(KeySet::new(self.settings.keys.clone()).expect("valid keys"))),
            server_key,
            signing_keys: Arc::new(SigningKeys::from_bytes([8; 32])),
        };
        let node = ClusterNode { node: id.clone(), placement, listener, tls: self.tls.clone() };
        let running = with_timeout(Server::start_node(&self.settings, parts, node)).await.expect("a node");
        let channel = connect(&format!("http://{}", running.address().expect("an address"))).await;
        TestNode { id, running, channel, links, link_address }
    }

    /// Lets time pass, quickly, until the result is dropped.
    pub(crate) fn let_time_pass(&self) -> PassingTime {
        let clock = self.clock.clone();
        PassingTime(tokio::spawn(async move {
            loop {
                clock.advance(ms(1_000));
                tokio::time::sleep(ms(5)).await;
            }
        }))
    }

    /// Two nodes.
    pub(crate) async fn two() -> (TestCluster, TestNode, TestNode) {
        let cluster = TestCluster::new(|_| {});
        let (one, other) = (cluster.start("a").await, cluster.start("b").await);
        (cluster, one, other)
    }

    /// Gives a table to a node. Returns false if its partition belongs to another one.
    pub(crate) fn assign(&self, table: &str, node: &TestNode) -> bool {
        let partition = partition(table);
        let mut owners = self.assignment.owners.lock().expect("an unpoisoned lock");
        let owner = owners.entry(partition).or_insert_with(|| Some(node.id.clone()));
        let is_owner = owner.as_ref() == Some(&node.id);
        drop(owners);
        self.assignment.changes.send_modify(|count| *count += 1);
        is_owner
    }

    /// Moves a table to another node, or to none.
    pub(crate) fn move_table(&self, table: &str, to: Option<&TestNode>) {
        self.move_partition(partition(table), to);
    }

    /// The partition of an agent's name.
    pub(crate) fn agent_home(name: &str) -> Partition {
        agent_partition(name)
    }

    /// Gives a partition to a node, or to none.
    pub(crate) fn move_partition(&self, partition: Partition, to: Option<&TestNode>) {
        let to = to.map(|node| node.id.clone());
        self.assignment.owners.lock().expect("an unpoisoned lock").insert(partition, to);
        self.assignment.changes.send_modify(|count| *count += 1);
    }

    /// A new table of a node, made there.
    pub(crate) async fn new_table(
        &self,
        node: &TestNode,
        client: &Client,
        request: v1::CreateTableRequest,
    ) -> String {
        loop {
            let table = client.new_table(request.clone()).await;
            if self.assign(&table, node) {
                return table;
            }
        }
    }

    /// A new table of a node, whose seats are taken through that node.
    pub(crate) async fn new_seated_table(
        &self,
        node: &TestNode,
        request: v1::CreateTableRequest,
    ) -> SeatedTable {
        let (client, seats) = (node.client(), request.seats.len());
        let id = self.new_table(node, &client, request).await;
        let mut tokens = Vec::new();
        for _ in 0..seats {
            tokens.push(client.join_table(join(&id)).await.expect("a seat").seat_token);
        }
        SeatedTable { id, tokens }
    }
}

fn partition(table: &str) -> Partition {
    table.parse::<TableId>().expect("a table id").partition()
}

impl TestNode {
    /// A client of this node, without an API key.
    pub(crate) fn client(&self) -> Client {
        Client::new(self.channel.clone(), None)
    }

    /// A client of this node with an API key.
    pub(crate) fn client_with_key(&self, key: &NewKey) -> Client {
        Client::new(self.channel.clone(), Some(key.text.reveal()))
    }

    /// A client with the smallest HTTP/2 flow-control windows, on a connection of its own.
    pub(crate) async fn client_with_small_windows(&self) -> Client {
        let url = format!("http://{}", self.running.address().expect("an address"));
        let endpoint = tonic::transport::Endpoint::from_shared(url).expect("a URL");
        let endpoint = endpoint.initial_stream_window_size(65_535).initial_connection_window_size(65_535);
        Client::new(with_timeout(endpoint.connect()).await.expect("a connection"), None)
    }

    pub(crate) fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// Stops the node.
    pub(crate) async fn stop(self) {
        drop(self.channel);
        with_timeout(self.running.stop()).await;
    }
}
