//! The agent hub as tournaments use it: availability, entropy and versions, and seats for disconnected
//! agents.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use parlor_engine::{GameId, Seat};

use super::{AgentError, AgentIdentity, AgentProfile, AgentRequirement, Availability, SuspensionReason};
use crate::clock::ManualClock;
use crate::identity::Owner;
use crate::persistence::codec::test_codec::TEST_CODEC;
use crate::stream::item_batch::test_encoder::TestEncoder;
use crate::table::{SeatFinish, SeatSetup, TableSummary, TimeControl, Visibility};
use crate::{
    AgentArrival, AgentStream, Codecs, Host, HostError, HostSettings, NewChance, NewTable, StreamReceiver,
    Wants,
};
use parlor_fair::Entropy;
use parlor_store::MemoryLog;

struct Scene {
    host: Host,
    clock: ManualClock,
}

impl Scene {
    async fn new() -> Scene {
        let clock = ManualClock::new();
        let codecs = Codecs { items: &TestEncoder, payloads: &TEST_CODEC };
        let (log, settings) = (Arc::new(MemoryLog::new()), HostSettings::default());
        let host = Host::start(log, Arc::new(clock.clone()), &settings, codecs).await.expect("a host");
        Scene { host, clock }
    }

    async fn connect(&self, name: &str, version: &str) -> (AgentStream, StreamReceiver) {
        let arrival = AgentArrival {
            who: AgentIdentity { name: name.to_owned(), owner: "club".to_owned(), key: None },
            says: AgentProfile { version: version.to_owned(), games: vec![GameId::Gap], max_tables: 2 },
            wants: Wants::default(),
            entropy: Entropy::new(name.as_bytes()).expect("few bytes"),
            bookmarks: HashMap::new(),
        };
        self.host.connect(arrival).await.expect("a connection")
    }

    async fn make(&self, names: [&str; 2], agents: AgentRequirement) -> Result<TableSummary, HostError> {
        let seat = |name: &str| SeatSetup::Agent { name: name.to_owned(), version: "1".to_owned() };
        let new = NewTable {
            options: GameId::Gap.default_options(),
            seats: names.map(seat).to_vec(),
            time: TimeControl {
                decision: 1_000,
                bank: 0,
                grace: 0,
                forfeit_after: 1,
                secret: 100,
                constant_secret: false,
            },
            visibility: Visibility::Public,
            chance: NewChance::Fresh,
            metadata: BTreeMap::new(),
            fill: 60_000,
            agents,
            request: None,
        };
        let owner: Owner = "club".parse().expect("an owner");
        self.host.create(&owner, 100, new).await
    }
}

#[tokio::test]
async fn hub_reports_availability_and_notifies_changes() {
    let scene = Scene::new().await;
    let hub = scene.host.agents().clone();
    let mut changed = hub.changed();
    assert_eq!(hub.availability("ann", "1"), Availability::Unknown);
    assert_eq!((hub.entropy("ann"), hub.version("ann")), (None, None));
    let (ann, _outbox) = scene.connect("ann", "1").await;
    assert!(changed.has_changed().expect("a hub"), "a connect notifies");
    assert_eq!(hub.availability("ann", "1"), Availability::Here { room: 2 });
    assert!(matches!(hub.availability("ann", "2"), Availability::Gone { .. }));
    assert_eq!(hub.entropy("ann").expect("a registered agent").as_bytes(), b"ann");
    assert_eq!(hub.version("ann").as_deref(), Some("1"));
    for room in [1, 0] {
        scene.make(["ann", "ann"], AgentRequirement::Here).await.expect("a table");
        assert_eq!(hub.availability("ann", "1"), Availability::Here { room });
    }
    let full = scene.make(["ann", "ann"], AgentRequirement::Here).await;
    assert_eq!(full, Err(AgentError::Full { name: "ann".to_owned(), tables: 2 }.into()));
    changed.mark_unchanged();
    drop(ann);
    assert!(changed.has_changed().expect("a hub"), "a disconnect notifies");
    assert!(matches!(hub.availability("ann", "1"), Availability::Gone { .. }));
    let known = hub.find("ann").expect("a registered agent");
    for _ in 0..20 {
        hub.refused(&known);
    }
    let aside = match hub.availability("ann", "1") {
        Availability::SetAside(aside) => aside,
        other => panic!("{other:?}"),
    };
    assert_eq!((aside.why, aside.until - aside.since), (SuspensionReason::BrokeRules, 10_000));
    let tables = hub.list(&super::AgentFilter::default(), None, 10).0[0].playing;
    assert_eq!(tables, 2);
    changed.mark_unchanged();
    while scene.clock.next_deadline().is_none() {
        tokio::task::yield_now().await;
    }
    scene.clock.advance(Duration::from_secs(10));
    changed.changed().await.expect("the end of the set-aside notifies");
    assert!(matches!(hub.availability("ann", "1"), Availability::Gone { .. }));
}

#[tokio::test]
async fn tables_can_be_created_for_disconnected_agents() {
    let scene = Scene::new().await;
    drop(scene.connect("ann", "1").await);
    let (_ben, _outbox) = scene.connect("ben", "1").await;
    let gone = scene.make(["ann", "ben"], AgentRequirement::Here).await;
    assert_eq!(gone, Err(AgentError::Gone { name: "ann".to_owned() }.into()));
    assert_eq!(
        scene.host.agents().availability("ben", "1"),
        Availability::Here { room: 2 },
        "a failed creation reserves nothing"
    );
    let unknown = scene.make(["cyd", "ben"], AgentRequirement::Registered).await;
    assert_eq!(unknown, Err(AgentError::Unknown { name: "cyd".to_owned() }.into()));
    let look = scene.make(["ann", "ben"], AgentRequirement::Registered).await.expect("a table");
    assert_eq!(scene.host.agents().availability("ben", "1"), Availability::Here { room: 1 });
    for _ in 0..2 {
        let aside =
            scene.host.suspend_agent_seat(look.setup.table, Seat::FIRST).await.expect("an agent's seat");
        assert_eq!(aside.seats[0].finish, SeatFinish::SetAside);
    }
    let (ann, _outbox) = scene.connect("ann", "1").await;
    assert_eq!(ann.seats(), 0, "a forfeited seat is not assigned");
}
