//! Blocks of tournaments: groups count from the start, those beyond the prefix are provisional, and a tournament
//! of the old plan goes on as it began.

use std::sync::Arc;

use bytes::Bytes;
use parlor_engine::GameId;
use parlor_proto::v1::{self, TournamentState as State};
use parlor_store::v1 as store;
use parlor_store::{Append, Log, MemoryLog, Millis, NewPlace};
use prost::Message;

use crate::agent_client::{AgentClient, hello};
use crate::client::Client;
use crate::test_server::{TestServer, ms, wait_until};
use crate::tournament_requests::{agent, cancel, house, round_robin, setup, start};

/// A tournament of the agent `ann` and a house bot, with duplicate deals.
fn duplicates(groups: u32) -> v1::TournamentSetup {
    let entrants = vec![agent("ann"), house("random")];
    v1::TournamentSetup { entrants, ..setup(GameId::HighCard, &[], round_robin(groups)) }
}

async fn connect(client: &Client, max_tables: u32) -> AgentClient {
    AgentClient::connect(client, v1::AgentHello { max_tables, ..hello("ann") }).await
}

/// Number of tables by rotation.
async fn tables_by_rotation(client: &Client, id: &str) -> [usize; 2] {
    let tables = client.tournament_tables(id).await;
    [0, 1].map(|rotation| tables.iter().filter(|table| table.rotation == rotation).count())
}

#[tokio::test]
async fn groups_count_from_the_start_and_also_after_a_cancellation() {
    let server = TestServer::with_settings(|settings| settings.testing.games = true).await;
    let client = server.client();
    let mut ann = connect(&client, 1).await;
    let id = client.start_new_tournament(duplicates(100)).await;
    // The first block has 25 groups, the second is played in part.
    ann.play(75 + 3).await;
    wait_until("25 groups", async || client.standings(&id).await.groups_complete >= 28).await;
    let live = client.standings(&id).await;
    assert!((25..28).contains(&live.groups_counted), "{live:?}");
    assert_eq!((live.groups_expected, live.tables_expected), (100, 200));
    client.cancel_tournament(cancel(&id, "rain")).await.expect("an end");
    let (tournament, standings) = client.follow_to_end(&id).await;
    assert_eq!((tournament.state(), tournament.note.as_str()), (State::Cancelled, "rain"));
    assert_eq!(standings.groups_counted, live.groups_counted);
    let provisional = standings.groups_complete - standings.groups_counted;
    assert!(provisional > 0, "{standings:?}");
    for row in &standings.rows {
        assert_eq!((row.groups, row.provisional_groups), (standings.groups_counted, provisional));
        assert!(row.interval.is_some() && row.rating_interval.is_some(), "{row:?}");
    }
    assert!((standings.rows[0].provisional_mean + standings.rows[1].provisional_mean).abs() < 1e-9);
    let tables = client.tournament_tables(&id).await;
    let counting = tables.iter().filter(|table| table.counts).count() as u32;
    assert_eq!(counting, 2 * standings.groups_counted);
    assert!(tables.iter().all(|table| table.counts == (table.group < standings.groups_counted)));
    drop(ann);
}

/// Copies the log of a tournament that has not started as the version before blocks wrote it.
async fn copy_as_old_version(from: &Arc<dyn Log>, id: &str) -> Arc<dyn Log> {
    let log_id = id.parse().expect("an id");
    let entries = from.read(log_id, 0).await.expect("a log");
    assert_eq!(entries.len(), 1, "only its creation");
    let mut entry = store::TournamentEntry::decode(entries[0].payload.clone()).expect("an entry");
    let Some(store::tournament_entry::Event::Created(created)) = &mut entry.event else {
        panic!("{entry:?}");
    };
    assert_eq!(created.plan_version.take(), Some(2), "new tournaments have the latest plan");
    let old: Arc<dyn Log> = Arc::new(MemoryLog::new());
    let mut append =
        Append::new(log_id, 0, Millis(created.created_ms), vec![Bytes::from(entry.encode_to_vec())]);
    append.listing = Some(from.find(log_id).await.expect("a row").listing);
    append.place = Some(NewPlace::AtRest { wakes_at: None });
    old.append(append).await.expect("a log");
    old
}

#[tokio::test]
async fn tournament_of_the_old_plan_goes_on_as_it_began() {
    let server = TestServer::with_settings(|settings| settings.testing.games = true).await;
    let made = server.client().new_tournament(duplicates(60)).await;
    let old = copy_as_old_version(&server.log, &made).await;
    let old = TestServer::with_log(old, |settings| settings.testing.games = true).await;
    for (server, is_old) in [(server, false), (old, true)] {
        let mut ann = connect(&server.client(), 1).await;
        server.client().start_tournament(start(&made)).await.expect("a start");
        ann.play(20).await;
        drop(ann);
        // Folded anew by a server that starts, it goes on alike.
        let server = server.restart(ms(10), async |log| log).await;
        let client = server.client();
        let mut ann = connect(&client, 1).await;
        ann.play(20).await;
        wait_until("40 tables", async || client.standings(&made).await.tables_over >= 40).await;
        let [first, second] = tables_by_rotation(&client, &made).await;
        if is_old {
            assert!(first >= 40 && second == 0, "all first rotations are played first: {first} {second}");
        } else {
            assert!(first == 30 && second >= 10, "the first block has 30 groups: {first} {second}");
        }
        drop(ann);
    }
}
