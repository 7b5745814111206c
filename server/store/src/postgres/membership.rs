//! Nodes of a database: their leases, and the partitions that each of them owns.
//!
//! A node has a row with a lease by the clock of the database, which it renews all the time. One whose lease has run out
//! may be retired by any other: its row is deleted, which ends its renewals, and its writer is sealed in the same
//! transaction, which ends its commits. Only then its partitions are claimed. The lease says when others may try, the
//! seal that it is safe.
//!
//! A node counts its own lease from before it sent the renewal, on its own clock, so that it stops answering before
//! anybody may retire it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use parlor_fair::Partition;
use tokio_postgres::Client;

use super::connect::{PgAddress, PgConnection};
use super::ownership::Ownership;
use super::rendezvous::preferred_node;
use super::schema;
use crate::LogError;
use crate::journal::errors::StoreErrors;

/// Time beyond the end of a lease after which its node may be retired: room for the clocks of a primary and its standby to
/// differ.
const RETIRE_AFTER: Duration = Duration::from_secs(1);
/// Nodes that a database may have.
const MAX_NODES: usize = 64;

/// A node that joins.
#[derive(Clone, Debug)]
pub struct NewNode {
    /// Name of the machine or the container, for people. A node of the same name may be started again at once.
    pub name: String,
    /// Address at which other nodes reach it.
    pub address: String,
    /// Version of the program.
    pub version: String,
    /// Settings that must be the same on all nodes: a name, and a fingerprint of the value.
    pub shared_settings: BTreeMap<String, String>,
    /// Time for which a renewal holds.
    pub lease: Duration,
}

/// A node of the database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeRow {
    /// Its id: the name, a slash, and a number that no other node ever had.
    pub id: String,
    /// Address at which other nodes reach it.
    pub address: String,
    /// Version of its program.
    pub version: String,
    /// Time left of its lease, by the clock of the database.
    pub lease: Duration,
    /// Partitions that it owns.
    pub partitions: usize,
    /// Id of its writer.
    pub(super) writer: i64,
}

/// Nodes and partitions as a node last saw them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClusterView {
    /// The nodes whose lease holds, in the order of their ids.
    pub nodes: Vec<NodeRow>,
    /// The owner of each partition, an index of `nodes`; `None` without one.
    pub owners: Vec<Option<usize>>,
}

/// Partitions to adopt and to release, as a look at the nodes found them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Duties {
    /// Partitions that are assigned to this node and that it has not adopted yet.
    pub adopt: Vec<Partition>,
    /// Partitions of this node that belong to another one, with the id of that node's writer.
    pub release: Vec<(Partition, WriterId)>,
}

/// Id of the writer of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WriterId(pub(super) i64);

/// Membership of one node.
pub struct Membership {
    address: PgAddress,
    node: NewNode,
    id: String,
    writer: i64,
    ownership: Arc<Ownership>,
    connection: Option<PgConnection>,
}

impl Membership {
    /// Adds a node and its writer, and seals the writers that have no node.
    ///
    /// # Errors
    /// There are too many nodes, or one that lives has other settings, which is named.
    pub(super) async fn join(
        address: &PgAddress,
        node: NewNode,
        ownership: Arc<Ownership>,
    ) -> Result<Membership, LogError> {
        let errors = StoreErrors(address.name());
        let mut connection = address.connect().await?;
        schema::migrate(&mut connection.client, errors).await?;
        let client = &connection.client;
        let sent = ownership.now();
        errors.pg(client.batch_execute("BEGIN").await)?;
        // Holds the lock that all who join take, until the commit.
        let writer = super::adopt::create_writer(client, &node.name, errors).await?;
        let id = format!("{}/{writer}", node.name);
        let insert = "INSERT INTO nodes (id, writer, address, version, settings, lease_until) \
             VALUES ($1, $2, $3, $4, $5, now() + CAST($6 AS DOUBLE PRECISION) * INTERVAL '1 second')";
        let settings = encode_settings(&node.shared_settings);
        let seconds = node.lease.as_secs_f64();
        errors.pg(client
            .execute(insert, &[&id, &writer, &node.address, &node.version, &settings, &seconds])
            .await)?;
        let numbers: Vec<i16> = Partition::all().map(|partition| i16::from(partition.number())).collect();
        let all = "INSERT INTO partitions (number, writer) SELECT number, 0 FROM UNNEST($1::SMALLINT[]) AS new (number) \
             ON CONFLICT DO NOTHING";
        errors.pg(client.execute(all, &[&numbers]).await)?;
        // Left by a server that used the database alone.
        let seal =
            "UPDATE writers SET sealed = TRUE WHERE NOT sealed AND id NOT IN (SELECT writer FROM nodes)";
        errors.pg(client.execute(seal, &[]).await)?;
        ensure_alike(client, &id, &node, errors).await?;
        errors.pg(client.batch_execute("COMMIT").await)?;
        ownership.renewed(sent, node.lease);
        Ok(Membership { address: address.clone(), node, id, writer, ownership, connection: Some(connection) })
    }

    /// Id of this node.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn writer(&self) -> i64 {
        self.writer
    }

    /// Renews the lease, retires nodes whose lease has run out, and claims the partitions that fall to this node. To be
    /// called every second.
    ///
    /// # Errors
    /// The database cannot be reached: the lease runs on. [`LogError::Fenced`]: this node was retired, and must stop.
    pub async fn renew(&mut self) -> Result<(ClusterView, Duties), LogError> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.address.connect().await?,
        };
        let done = self.renew_on(&connection.client).await;
        match &done {
            // A broken connection is opened anew the next time.
            Err(LogError::Unreachable { .. } | LogError::Io { .. }) => {}
            _ => self.connection = Some(connection),
        }
        done
    }

    async fn renew_on(&self, client: &Client) -> Result<(ClusterView, Duties), LogError> {
        let errors = StoreErrors(self.address.name());
        let sent = self.ownership.now();
        let renew = "UPDATE nodes SET lease_until = now() + CAST($2 AS DOUBLE PRECISION) * INTERVAL '1 second' \
             WHERE id = $1";
        let seconds = self.node.lease.as_secs_f64();
        if errors.pg(client.execute(renew, &[&self.id, &seconds]).await)? == 0 {
            self.ownership.retire();
            return Err(LogError::Fenced);
        }
        self.ownership.renewed(sent, self.node.lease);
        let mut state = ClusterState::read(client, errors).await?;
        if self.retire_dead(client, &state, errors).await? {
            state = ClusterState::read(client, errors).await?;
        }
        if self.claim(client, &state, errors).await? {
            state = ClusterState::read(client, errors).await?;
        }
        let duties = self.duties(&state);
        Ok((state.view(), duties))
    }

    /// Retires the nodes whose lease has run out. Returns whether there was one.
    async fn retire_dead(
        &self,
        client: &Client,
        state: &ClusterState,
        errors: StoreErrors<'_>,
    ) -> Result<bool, LogError> {
        let dead = state.nodes.iter().filter(|(node, lives)| !lives && node.id != self.id);
        let mut retired = false;
        for (node, _) in dead {
            retired |= retire(client, node, errors).await?;
        }
        Ok(retired)
    }

    /// Claims the partitions of sealed writers that fall to this node. Returns whether there was one.
    async fn claim(
        &self,
        client: &Client,
        state: &ClusterState,
        errors: StoreErrors<'_>,
    ) -> Result<bool, LogError> {
        let ids = state.live_ids();
        let mut wanted: HashMap<i64, Vec<i16>> = HashMap::new();
        for (partition, writer) in &state.partitions {
            if !state.open_writers.contains(writer)
                && preferred_node(*partition, &ids) == Some(self.id.as_str())
            {
                wanted.entry(*writer).or_default().push(i16::from(partition.number()));
            }
        }
        // The old writer is compared: of two nodes that claim at once, one gets the partition.
        let claim = "UPDATE partitions SET writer = $1 WHERE number = ANY($2::SMALLINT[]) AND writer = $3";
        let mut claimed = false;
        for (old, numbers) in wanted {
            claimed |= errors.pg(client.execute(claim, &[&self.writer, &numbers, &old]).await)? > 0;
        }
        Ok(claimed)
    }

    fn duties(&self, state: &ClusterState) -> Duties {
        let ids = state.live_ids();
        let mut duties = Duties::default();
        for (partition, writer) in &state.partitions {
            if *writer != self.writer {
                continue;
            }
            if !self.ownership.has(*partition) {
                duties.adopt.push(*partition);
                continue;
            }
            if let Some(other) = preferred_node(*partition, &ids).filter(|id| *id != self.id)
                && let Some((node, _)) = state.nodes.iter().find(|(node, _)| node.id == other)
            {
                duties.release.push((*partition, WriterId(node.writer)));
            }
        }
        duties
    }

    /// Ends the membership in order: others may claim the partitions at once.
    ///
    /// # Errors
    /// The database cannot be reached: others wait for the end of the lease.
    pub async fn leave(mut self) -> Result<(), LogError> {
        self.ownership.retire();
        let errors = StoreErrors(self.address.name());
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.address.connect().await?,
        };
        let leave = "WITH gone AS (DELETE FROM nodes WHERE id = $1 RETURNING writer) \
             UPDATE writers SET sealed = TRUE WHERE id IN (SELECT writer FROM gone)";
        errors.pg(connection.client.execute(leave, &[&self.id]).await).map(drop)
    }
}

/// Retires a node if its lease has run out: deletes its row and seals its writer.
async fn retire(client: &Client, node: &NodeRow, errors: StoreErrors<'_>) -> Result<bool, LogError> {
    errors.pg(client.batch_execute("BEGIN").await)?;
    let delete = "DELETE FROM nodes WHERE id = $1 \
         AND lease_until < now() - CAST($2 AS DOUBLE PRECISION) * INTERVAL '1 second'";
    let retired = async {
        // A renewal at the same time is waited for, and counts.
        if client.execute(delete, &[&node.id, &RETIRE_AFTER.as_secs_f64()]).await? == 0 {
            return Ok(false);
        }
        client.execute("UPDATE writers SET sealed = TRUE WHERE id = $1", &[&node.writer]).await?;
        Ok(true)
    };
    match retired.await {
        Ok(retired) => {
            errors.pg(client.batch_execute("COMMIT").await)?;
            if retired {
                tracing::warn!(node = node.id, "the lease of a node has run out: its tables are taken over");
            }
            Ok(retired)
        }
        Err(error) => {
            // If that fails, too, the connection is broken, and the next use finds it.
            let _ = client.batch_execute("ROLLBACK").await;
            Err(errors.translate_pg(&error))
        }
    }
}

/// Refuses to join nodes that have other settings.
async fn ensure_alike(
    client: &Client,
    id: &str,
    node: &NewNode,
    errors: StoreErrors<'_>,
) -> Result<(), LogError> {
    let others = "SELECT id, settings FROM nodes WHERE id <> $1 AND lease_until > now() ORDER BY id";
    let others = errors.pg(client.query(others, &[&id]).await)?;
    if others.len() >= MAX_NODES {
        return Err(LogError::Invalid { what: "the number of nodes of a database", allowed: "at most 64" });
    }
    for row in others {
        let settings = decode_settings(row.get(1));
        let names: BTreeSet<&String> = settings.keys().chain(node.shared_settings.keys()).collect();
        let differing: Vec<&str> = names
            .into_iter()
            .filter(|name| settings.get(*name) != node.shared_settings.get(*name))
            .map(String::as_str)
            .collect();
        if !differing.is_empty() {
            let what = differing.join(", ").into();
            return Err(LogError::NodeDiffers { node: row.get::<_, String>(0).into(), what });
        }
    }
    Ok(())
}

/// One line for each setting: the name, a blank, the fingerprint.
fn encode_settings(settings: &BTreeMap<String, String>) -> String {
    settings.iter().map(|(name, value)| format!("{name} {value}\n")).collect()
}

fn decode_settings(text: &str) -> BTreeMap<String, String> {
    let line = |line: &str| line.rsplit_once(' ').map(|(name, value)| (name.to_owned(), value.to_owned()));
    text.lines().filter_map(line).collect()
}

/// Nodes, partitions and writers as the database has them.
struct ClusterState {
    /// All nodes that are not retired, and whether the lease of each holds or has just run out.
    nodes: Vec<(NodeRow, bool)>,
    partitions: Vec<(Partition, i64)>,
    /// Writers that are not sealed.
    open_writers: BTreeSet<i64>,
}

impl ClusterState {
    async fn read(client: &Client, errors: StoreErrors<'_>) -> Result<ClusterState, LogError> {
        let nodes = "SELECT id, writer, address, version, \
             CAST(EXTRACT(EPOCH FROM lease_until - now()) AS DOUBLE PRECISION) FROM nodes ORDER BY id";
        let nodes = errors.pg(client.query(nodes, &[]).await)?;
        let partitions = "SELECT number, writer FROM partitions ORDER BY number";
        let partitions: Vec<(Partition, i64)> = errors
            .pg(client.query(partitions, &[]).await)?
            .iter()
            .filter_map(|row| Some((Partition::new(u8::try_from(row.get::<_, i16>(0)).ok()?), row.get(1))))
            .collect();
        // Read last: a writer that is missing here is sealed for good.
        let writers = errors.pg(client.query("SELECT id FROM writers WHERE NOT sealed", &[]).await)?;
        let node = |row: &tokio_postgres::Row| {
            let writer: i64 = row.get(1);
            let left: f64 = row.get(4);
            let node = NodeRow {
                id: row.get(0),
                address: row.get(2),
                version: row.get(3),
                lease: Duration::try_from_secs_f64(left).unwrap_or_default(),
                partitions: partitions.iter().filter(|(_, owner)| *owner == writer).count(),
                writer,
            };
            (node, left > -RETIRE_AFTER.as_secs_f64())
        };
        Ok(ClusterState {
            nodes: nodes.iter().map(node).collect(),
            open_writers: writers.iter().map(|row| row.get(0)).collect(),
            partitions,
        })
    }

    fn live_ids(&self) -> Vec<&str> {
        self.nodes.iter().filter(|(_, lives)| *lives).map(|(node, _)| node.id.as_str()).collect()
    }

    fn view(&self) -> ClusterView {
        let nodes: Vec<NodeRow> =
            self.nodes.iter().filter(|(_, lives)| *lives).map(|(node, _)| node.clone()).collect();
        let owner = |writer: i64| nodes.iter().position(|node| node.writer == writer);
        let owners = self.partitions.iter().map(|(_, writer)| owner(*writer)).collect();
        ClusterView { nodes, owners }
    }
}
