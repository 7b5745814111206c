//! Costs of calls that could look at every table: their bound is independent of the number of tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use parlor_engine::GameId;
use parlor_proto::v1;
use parlor_server::TableId;
use parlor_store::{SqliteLog, SqliteOptions};
use tempfile::TempDir;

use crate::agent_client::{AgentClient, bookmark, hello};
use crate::client::Client;
use crate::faulty_log::FaultyLog;
use crate::table_requests::{gap, reserved};
use crate::test_server::{TestServer, ms, with_timeout};
use crate::tournament_requests::{cancel, round_robin, setup, start};

/// Creates as many tables of this request.
async fn create(client: &Client, request: &v1::CreateTableRequest, count: usize) -> Vec<String> {
    stream::iter(0..count).map(|_| client.new_table(request.clone())).buffer_unordered(32).collect().await
}

/// Reads all pages: the number of pages, and the ids of the tables.
async fn pages(client: &Client, mut request: v1::ListTablesRequest) -> (usize, Vec<String>) {
    let mut tables = Vec::new();
    for page_number in 1.. {
        let page = client.list_tables(request.clone()).await.expect("a page");
        tables.extend(page.tables.into_iter().map(|table| table.table_id));
        if page.next_page_token.is_empty() {
            return (page_number, tables);
        }
        request.page_token = page.next_page_token;
    }
    unreachable!("the list ends")
}

#[tokio::test]
async fn list_of_a_filter_that_no_table_passes_loads_a_bounded_number_of_tables() {
    let server = TestServer::new().await;
    let client = server.client();
    let metadata: BTreeMap<_, _> = [("kind".to_owned(), "rare".to_owned())].into();
    let rare = v1::CreateTableRequest { metadata: metadata.clone(), ..gap(2) };
    let wanted = create(&client, &rare, 1).await;
    server.advance(ms(1));
    // Reserved seats are not open ones, and only a loaded table shows its seats.
    let full = v1::CreateTableRequest { seats: vec![reserved("u", ""), reserved("v", "")], ..gap(2) };
    create(&client, &full, 450).await;
    for request in [
        v1::ListTablesRequest { metadata, ..v1::ListTablesRequest::default() },
        v1::ListTablesRequest { open_seat: true, ..v1::ListTablesRequest::default() },
    ] {
        let first = client.list_tables(request.clone()).await.expect("a page");
        assert!(first.tables.is_empty() && !first.next_page_token.is_empty(), "a page of 200 loaded tables");
        assert_eq!(pages(&client, request).await, (3, wanted.clone()));
    }
}

#[tokio::test]
async fn list_of_a_rare_game_scans_a_bounded_number_of_rows() {
    let folder = TempDir::new().expect("a folder");
    let log = SqliteLog::open(&folder.path().join("parlor.db"), SqliteOptions::default()).expect("a store");
    let server = TestServer::with_log(Arc::new(log), |_| {}).await;
    let client = server.client();
    create(&client, &gap(2), 1_100).await;
    let rare = v1::ListTablesRequest { game: "no_dice".to_owned(), ..v1::ListTablesRequest::default() };
    let first = client.list_tables(rare.clone()).await.expect("a page");
    assert!(first.tables.is_empty() && !first.next_page_token.is_empty(), "a page of 1024 scanned rows");
    assert_eq!(pages(&client, rare).await, (2, Vec::new()));
    // A state has an index: tables in other states cost nothing.
    let over = v1::ListTablesRequest {
        states: vec![v1::TableState::Finished.into()],
        ..v1::ListTablesRequest::default()
    };
    assert_eq!(pages(&client, over).await, (1, Vec::new()));
}

#[tokio::test]
async fn bookmarks_of_foreign_tables_are_not_loaded() {
    let log = FaultyLog::new();
    let server = TestServer::with_log(log.clone(), |_| {}).await;
    let client = server.client();
    let unknown = |number| bookmark(&TableId::new(number, [7; 10]).to_string(), 0, 1);
    let mut bookmarks: Vec<_> = (0..5_000).map(unknown).collect();
    let seated = client.new_seated_table(gap(2)).await;
    server.play_seats(&seated).await;
    bookmarks.push(bookmark(&seated.id, 0, 1));
    let before = log.lookup_count();
    let agent = v1::AgentHello { bookmarks, max_tables: 1_000, ..hello("ann") };
    let connected = AgentClient::connect(&client, agent).await;
    assert_eq!(connected.welcome.seats, 0);
    assert_eq!(log.lookup_count() - before, 1_000, "the newest, each of them by its row alone");
}

/// The standings of a tournament that has not started are computed once, however many ask for them, and its followers do
/// not bring it into memory.
#[tokio::test]
async fn unstarted_tournament_is_folded_once_for_all_callers() {
    const CALLS: usize = 25;
    let log = FaultyLog::new();
    let server = TestServer::with_log(log.clone(), |_| {}).await;
    let client = server.client();
    let bots = ["random", "greedy"];
    let id = client.new_tournament(setup(GameId::Gap, &bots, round_robin(100))).await;
    let before = log.lookup_count();
    let standings = join_all((0..CALLS).map(|_| client.standings(&id))).await;
    assert!(standings.iter().all(|one| *one == standings[0] && one.rows.len() == bots.len()));
    // Each call finds the row and the setup; one of them reads the log once more, to fold it.
    assert_eq!(log.lookup_count() - before, 2 * CALLS + 1);
    let before = log.lookup_count();
    let mut followers = Vec::new();
    for _ in 0..CALLS {
        let mut follower = client.follow_tournament(&id).await;
        let first = with_timeout(follower.message()).await.expect("an open stream").expect("a message");
        assert_eq!(first.standings.as_ref(), Some(&standings[0]));
        assert_eq!(first.tournament.expect("a tournament").state(), v1::TournamentState::Created);
        followers.push(follower);
    }
    assert_eq!(log.lookup_count() - before, 4 * CALLS, "row and setup, to authorise and to follow");
    client.start_tournament(start(&id)).await.expect("a start");
    for mut follower in followers {
        let next = with_timeout(follower.message()).await.expect("an open stream").expect("a message");
        assert_eq!(next.tournament.expect("a tournament").state(), v1::TournamentState::Running);
    }
    client.cancel_tournament(cancel(&id, "")).await.expect("cancelled");
}
