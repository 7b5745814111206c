//! The agent registry as tournaments use it: availability, entropy and versions, and seats for disconnected
//! agents.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use parlor_engine::{GameId, Seat};

use super::{
    AgentError, AgentIdentity, AgentProfile, AgentRequirement, Availability, SuspensionReason,
    SuspensionScope,
};
use crate::clock::ManualClock;
use crate::identity::Owner;
use crate::limits::StreamAllowance;
use crate::persistence::codec::test_codec::TEST_CODEC;
use crate::stream::item_batch::test_encoder::TestEncoder;
use crate::table::{SeatFinish, SeatSetup, TableSummary, TimeControl, Visibility};
use crate::{
    AgentArrival, AgentStream, Codecs, Host, HostError, HostSettings, NewChance, NewTable, StreamReceiver,
    Wants,
};
use parlor_store::MemoryLog;

struct TestHost {
    host: Host,
    clock: ManualClock,
}

impl TestHost {
    async fn new() -> TestHost {
        let clock = ManualClock::new();
        let codecs = Codecs { items: &TestEncoder, payloads: &TEST_CODEC };
        let (log, settings) = (Arc::new(MemoryLog::new()), HostSettings::default());
        let host = Host::start(log, Arc::new(clock.clone()), &settings, codecs).await.expect("a host");
        TestHost { host, clock }
    }

    async fn connect(&self, name: &str, version: &str) -> (AgentStream, StreamReceiver) {
        let arrival = AgentArrival {
            identity: AgentIdentity { name: name.to_owned(), owner: "club".to_owned(), key: None },
            profile: AgentProfile {
                version: version.to_owned(),
                games: vec![GameId::Gap],
                max_tables: 2,
                ..AgentProfile::default()
            },
            wants: Wants::default(),
            adds_entropy: name == "ann",
            bookmarks: HashMap::new(),
        };
        self.host.connect(arrival, StreamAllowance::default()).await.expect("a connection")
    }

    async fn create_table(
        &self,
        names: [&str; 2],
        agents: AgentRequirement,
    ) -> Result<TableSummary, HostError> {
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

/// An agent that takes this many further tables of an organiser without tournaments.
fn free(free_tables: u32) -> Availability {
    Availability::Connected { free_tables, tournament_tables: 0 }
}

#[tokio::test]
async fn registry_reports_availability_and_notifies_changes() {
    let test = TestHost::new().await;
    let registry = test.host.agents().clone();
    let mut changed = registry.changed();
    let scope = SuspensionScope::of_tables("club");
    let ann_availability = |version: &str| registry.availability("ann", version, &scope);
    assert_eq!(ann_availability("1"), Availability::Unknown);
    assert_eq!((registry.adds_entropy("ann"), registry.version("ann")), (false, None));
    let (ann, _outbox) = test.connect("ann", "1").await;
    assert!(changed.has_changed().expect("a registry"), "a connect notifies");
    assert_eq!(ann_availability("1"), free(2));
    assert!(matches!(ann_availability("2"), Availability::Disconnected { .. }));
    assert!(registry.adds_entropy("ann"));
    assert_eq!(registry.version("ann").as_deref(), Some("1"));
    for free_tables in [1, 0] {
        test.create_table(["ann", "ann"], AgentRequirement::Connected).await.expect("a table");
        assert_eq!(ann_availability("1"), free(free_tables));
    }
    let full = test.create_table(["ann", "ann"], AgentRequirement::Connected).await;
    assert_eq!(full, Err(AgentError::NoFreeTable { name: "ann".to_owned(), tables: 2 }.into()));
    changed.mark_unchanged();
    drop(ann);
    assert!(changed.has_changed().expect("a registry"), "a disconnect notifies");
    assert!(matches!(ann_availability("1"), Availability::Disconnected { .. }));
    let agent = registry.find("ann").expect("a registered agent");
    for _ in 0..20 {
        registry.record_stray_answer(&agent);
    }
    let suspension = match ann_availability("1") {
        Availability::Suspended(suspension) => suspension,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        (suspension.reason, suspension.until - suspension.since),
        (SuspensionReason::BrokeRules, 10_000)
    );
    let tables = registry.list(&super::AgentFilter::default(), None, None, 10).0[0].tables;
    assert_eq!(tables, 2);
    changed.mark_unchanged();
    while test.clock.next_deadline().is_none() {
        tokio::task::yield_now().await;
    }
    test.clock.advance(Duration::from_secs(10));
    changed.changed().await.expect("the end of the suspension notifies");
    assert!(matches!(ann_availability("1"), Availability::Disconnected { .. }));
}

#[tokio::test]
async fn tables_can_be_created_for_disconnected_agents() {
    let test = TestHost::new().await;
    drop(test.connect("ann", "1").await);
    let (_ben, _outbox) = test.connect("ben", "1").await;
    let gone = test.create_table(["ann", "ben"], AgentRequirement::Connected).await;
    assert_eq!(gone, Err(AgentError::NotConnected { name: "ann".to_owned() }.into()));
    assert_eq!(
        test.host.agents().availability("ben", "1", &SuspensionScope::of_tables("club")),
        free(2),
        "a failed creation reserves nothing"
    );
    let unknown = test.create_table(["cyd", "ben"], AgentRequirement::Registered).await;
    assert_eq!(unknown, Err(AgentError::Unknown { name: "cyd".to_owned() }.into()));
    let table = test.create_table(["ann", "ben"], AgentRequirement::Registered).await.expect("a table");
    assert_eq!(test.host.agents().availability("ben", "1", &SuspensionScope::of_tables("club")), free(1));
    for _ in 0..2 {
        let suspended =
            test.host.suspend_agent_seat(table.setup.table, Seat::FIRST).await.expect("an agent's seat");
        assert_eq!(suspended.seats[0].finish, SeatFinish::SetAside);
    }
    let (ann, _outbox) = test.connect("ann", "1").await;
    assert_eq!(ann.resumed_seats(), 0, "a forfeited seat is not assigned");
}
