//! Several nodes on one database: leases, seals, takeover and hand-over of partitions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use parlor_fair::Partition;

use super::*;
use crate::Append;
use crate::postgres::membership::{ClusterView, Duties, Membership, NewNode};

/// A clock that a test moves.
#[derive(Clone, Default)]
struct TestClock(Arc<AtomicU64>);

impl TestClock {
    fn clock(&self) -> MonotonicClock {
        let now = self.0.clone();
        MonotonicClock::new(move || Duration::from_millis(now.load(Ordering::Relaxed)))
    }

    fn advance(&self, time: Duration) {
        self.0.fetch_add(time.as_millis() as u64, Ordering::Relaxed);
    }
}

/// A node whose membership the test drives.
struct Node {
    log: PgLog,
    membership: Membership,
    clock: TestClock,
}

fn new_node(name: &str) -> NewNode {
    NewNode {
        name: name.to_owned(),
        address: format!("{name}.test:1"),
        version: "1".to_owned(),
        shared_settings: BTreeMap::from([("server key".to_owned(), "k1".to_owned())]),
        lease: LEASE,
    }
}

/// So long that no lease runs out by itself, however slow the machine is: tests end them.
const LEASE: Duration = Duration::from_secs(3600);

impl Node {
    async fn join(database: &Database, name: &str) -> Node {
        let clock = TestClock::default();
        let joined =
            PgLog::join(database.address.clone(), new_node(name), clock.clock(), PgOptions::default()).await;
        let (log, membership) = joined.unwrap();
        Node { log, membership, clock }
    }

    /// Renews the lease, and adopts what is to be adopted.
    async fn turn(&mut self) -> (ClusterView, Duties) {
        let (view, duties) = self.membership.renew().await.unwrap();
        if !duties.adopt.is_empty() {
            self.log.adopt(duties.adopt.clone()).await.unwrap();
        }
        (view, duties)
    }

    fn owned(&self) -> BTreeSet<u8> {
        Partition::all().filter(|partition| self.log.owns(*partition)).map(Partition::number).collect()
    }
}

/// Gives every partition to the node that it falls to.
async fn settle(nodes: &mut [&mut Node]) {
    for _ in 0..3 {
        for node in nodes.iter_mut() {
            let (_, duties) = node.turn().await;
            for (partition, to) in duties.release {
                assert!(node.log.release(partition, to).await.unwrap());
            }
        }
    }
}

/// A table in a partition.
fn placed(number: u64, partition: u8) -> TableId {
    table(number).in_partition(Partition::new(partition))
}

fn first_of(node: &Node) -> u8 {
    *node.owned().first().expect("a partition")
}

/// Ends the lease of a node by the clock of the database.
async fn expire(database: &Database, node: &Node) {
    let operator = database.operator().await;
    let expire = "UPDATE nodes SET lease_until = now() - INTERVAL '10 seconds' WHERE id = $1";
    assert_eq!(operator.execute(expire, &[&node.membership.id()]).await.unwrap(), 1);
}

#[tokio::test]
async fn partitions_are_divided_and_handed_over_as_nodes_come() {
    let database = Database::new();
    let mut a = Node::join(&database, "a").await;
    assert!(matches!(a.log.append(create(table(1), &["a"])).await, Err(LogError::NotOwner { .. })));
    a.turn().await;
    assert_eq!(a.owned().len(), Partition::COUNT, "a node that is alone has all of them");
    let ids: Vec<TableId> = (0..=255).map(|number| placed(1000 + u64::from(number), number)).collect();
    for id in &ids {
        a.log.append(create(*id, &["a"])).await.unwrap();
        a.log.append(add(*id, 1, &["b"])).await.unwrap();
    }
    let mut b = Node::join(&database, "b").await;
    settle(&mut [&mut a, &mut b]).await;
    assert!(a.owned().is_disjoint(&b.owned()) && a.owned().len() + b.owned().len() == Partition::COUNT);
    let mut c = Node::join(&database, "c").await;
    settle(&mut [&mut a, &mut b, &mut c]).await;
    let nodes = [&a, &b, &c];
    assert_eq!(nodes.iter().map(|node| node.owned().len()).sum::<usize>(), Partition::COUNT);
    for id in &ids {
        let number = id.partition().number();
        for node in nodes {
            if node.owned().contains(&number) {
                assert_log(&node.log, *id, &["a", "b"]).await;
                node.log.append(add(*id, 2, &["c"])).await.unwrap();
            } else {
                assert_eq!(node.log.read(*id, 0).await, Err(LogError::NotOwner { table: *id }));
                assert_eq!(
                    node.log.append(add(*id, 2, &["no"])).await,
                    Err(LogError::NotOwner { table: *id })
                );
                // The listing is answered everywhere.
                assert_eq!(node.log.find(*id).await.unwrap().id, *id);
            }
        }
    }
    let (view, duties) = a.turn().await;
    assert_eq!(
        view.nodes.iter().map(|node| node.address.as_str()).collect::<Vec<_>>(),
        ["a.test:1", "b.test:1", "c.test:1"]
    );
    assert!(view.owners.iter().all(Option::is_some) && duties == Duties::default());
    // Each starts with its own tables alone.
    let state = a.log.load_startup_state().await.unwrap();
    assert_eq!(state.in_play.len(), a.owned().len());

    // A node that leaves in order is replaced at once.
    let (left, gone) = (c.owned(), c.log);
    c.membership.leave().await.unwrap();
    settle(&mut [&mut a, &mut b]).await;
    assert_eq!(a.owned().len() + b.owned().len(), Partition::COUNT);
    for id in ids.iter().filter(|id| left.contains(&id.partition().number())) {
        let owner = if a.owned().contains(&id.partition().number()) { &a } else { &b };
        assert_log(&owner.log, *id, &["a", "b", "c"]).await;
        assert_eq!(gone.read(*id, 0).await, Err(LogError::Fenced));
    }
    let writers = "SELECT count(*) FROM writers";
    let count: i64 = database.operator().await.query_one(writers, &[]).await.unwrap().get(0);
    assert_eq!(count, 2, "the writer of a node that is gone is removed");
}

#[tokio::test]
async fn node_whose_lease_ran_out_is_taken_over_and_answers_nothing() {
    let database = Database::new();
    let mut a = Node::join(&database, "a").await;
    let mut b = Node::join(&database, "b").await;
    settle(&mut [&mut a, &mut b]).await;
    let id = placed(1, first_of(&a));
    a.log.append(create(id, &["a", "b"])).await.unwrap();
    a.log.append(add(id, 2, &["c"])).await.unwrap();
    let rest = placed(2, first_of(&a));
    a.log
        .append(Append {
            place: Some(crate::NewPlace::AtRest { wakes_at: Some(Millis(7)) }),
            ..create(rest, &["x"])
        })
        .await
        .unwrap();

    // A lease that holds is never taken.
    b.turn().await;
    assert!(!b.log.owns(id.partition()));

    // The process of A stands still: its clock goes on, it renews nothing.
    a.clock.advance(LEASE);
    expire(&database, &a).await;
    assert_eq!(a.log.read(id, 0).await, Err(LogError::NotOwner { table: id }), "not even a read");
    assert_eq!(a.log.append(add(id, 3, &["late"])).await, Err(LogError::NotOwner { table: id }));
    let (_, duties) = b.turn().await;
    assert!(duties.adopt.contains(&id.partition()));
    assert_eq!(b.owned().len(), Partition::COUNT);
    assert_log(&b.log, id, &["a", "b", "c"]).await;
    let state = b.log.load_startup_state().await.unwrap();
    assert_eq!((state.in_play, state.waking), (vec![id], vec![(Millis(7), rest)]));
    b.log.append(add(id, 3, &["d"])).await.unwrap();
    // A goes on: it hears that it was retired, and would have been fenced.
    assert_eq!(a.membership.renew().await.map(drop), Err(LogError::Fenced));
    assert_eq!(a.log.append(add(id, 3, &["late"])).await, Err(LogError::Fenced));
    assert_eq!(a.log.read(id, 0).await, Err(LogError::Fenced));
    tokio::time::timeout(Duration::from_secs(60), a.log.fenced()).await.unwrap();
    assert_log(&b.log, id, &["a", "b", "c", "d"]).await;
}

#[tokio::test]
async fn seal_fences_a_node_that_believes_in_its_lease() {
    let database = Database::new();
    let mut a = Node::join(&database, "a").await;
    let mut b = Node::join(&database, "b").await;
    settle(&mut [&mut a, &mut b]).await;
    let id = placed(1, first_of(&a));
    a.log.append(create(id, &["a"])).await.unwrap();
    // The clocks disagree: for A its lease holds still.
    expire(&database, &a).await;
    b.turn().await;
    assert_eq!(a.log.append(add(id, 1, &["late"])).await, Err(LogError::Fenced));
    assert_eq!(a.log.read(id, 0).await, Err(LogError::Fenced), "the fence ends reads, too");
    assert_log(&b.log, id, &["a"]).await;
}

#[tokio::test]
async fn renewal_keeps_the_lease_and_a_short_outage_does_no_harm() {
    let database = Database::new();
    let mut a = Node::join(&database, "a").await;
    a.turn().await;
    let id = placed(1, 9);
    a.log.append(create(id, &["a"])).await.unwrap();
    for _ in 0..5 {
        a.clock.advance(LEASE - Duration::from_millis(1));
        assert_log(&a.log, id, &["a"]).await;
        a.turn().await;
    }
    a.clock.advance(LEASE);
    assert_eq!(a.log.read(id, 0).await, Err(LogError::NotOwner { table: id }));
    // Nobody has retired it: it goes on with what it had.
    let (_, duties) = a.turn().await;
    assert_eq!(duties, Duties::default());
    a.log.append(add(id, 1, &["b"])).await.unwrap();
    assert_log(&a.log, id, &["a", "b"]).await;
}

#[tokio::test]
async fn partition_released_to_a_node_that_dies_comes_back() {
    let database = Database::new();
    let mut a = Node::join(&database, "a").await;
    a.turn().await;
    let ids: Vec<TableId> = (0..=255).map(|number| placed(5000 + u64::from(number), number)).collect();
    for id in &ids {
        a.log.append(create(*id, &["a"])).await.unwrap();
    }
    let b = Node::join(&database, "b").await;
    let (_, duties) = a.turn().await;
    assert!(!duties.release.is_empty());
    for (partition, to) in &duties.release {
        assert!(a.log.release(*partition, *to).await.unwrap());
        assert!(a.log.release(*partition, *to).await.unwrap(), "a repeat is harmless");
    }
    // B dies before it adopts anything.
    expire(&database, &b).await;
    a.turn().await;
    a.turn().await;
    assert_eq!(a.owned().len(), Partition::COUNT);
    for id in &ids {
        assert_log(&a.log, *id, &["a"]).await;
        a.log.append(add(*id, 1, &["b"])).await.unwrap();
    }
    // A node that is gone gets nothing.
    let (partition, to) = duties.release[0];
    assert!(!a.log.release(partition, to).await.unwrap());
    assert!(a.log.owns(partition));
    // And everything is in the database, for the next one.
    expire(&database, &a).await;
    let mut c = Node::join(&database, "c").await;
    c.turn().await;
    c.turn().await;
    for id in &ids {
        assert_log(&c.log, *id, &["a", "b"]).await;
    }
}

#[tokio::test]
async fn node_with_other_settings_is_refused_with_the_difference() {
    let database = Database::new();
    let a = Node::join(&database, "a").await;
    let mut other = new_node("b");
    other.shared_settings.insert("server key".to_owned(), "k2".to_owned());
    other.shared_settings.insert("limits".to_owned(), "l".to_owned());
    let refused = PgLog::join(
        database.address.clone(),
        other.clone(),
        TestClock::default().clock(),
        PgOptions::default(),
    )
    .await
    .map(drop);
    let expected =
        LogError::NodeDiffers { node: a.membership.id().into(), what: "limits, server key".into() };
    assert_eq!(refused, Err(expected));
    // Nothing of it is left, and once the other one is gone it may be different.
    expire(&database, &a).await;
    let joined =
        PgLog::join(database.address.clone(), other, TestClock::default().clock(), PgOptions::default())
            .await;
    let (view, _) = joined.unwrap().1.renew().await.unwrap();
    assert_eq!(view.nodes.len(), 1);
}

#[tokio::test]
async fn request_ids_are_unique_across_nodes() {
    let database = Database::new();
    let mut a = Node::join(&database, "a").await;
    let mut b = Node::join(&database, "b").await;
    settle(&mut [&mut a, &mut b]).await;
    let (of_a, of_b) = (placed(1, first_of(&a)), placed(2, first_of(&b)));
    let request = |id| Append { request: Some("r".into()), ..create(id, &["a"]) };
    let (one, other) = tokio::join!(a.log.append(request(of_a)), b.log.append(request(of_b)));
    let made = a.log.find_by_request(&owner("ann"), "r").await.unwrap().unwrap();
    let refused = if made == of_a { other } else { one };
    assert_eq!(refused, Err(LogError::DuplicateRequest { table: made }));
    // One owner's feed is gapless, whoever posts.
    for number in 0..20_u64 {
        let (node, id) = if number % 2 == 0 { (&a, of_a) } else { (&b, of_b) };
        let fresh = id.in_partition(id.partition());
        let new = TableId::new(100 + number, [3; 10]).in_partition(fresh.partition());
        let posted = Append { feed: posts("ann", &["x"]), ..create(new, &["a"]) };
        assert_eq!(node.log.append(posted).await.unwrap().feed, [number + 1]);
    }
    assert_eq!(b.log.read_owner_feed(&owner("ann"), 0).await.unwrap().len(), 20);
}
