//! Results of tournaments: sequential tests, rating history, Swiss points, table quotas, and seeds in
//! records.

use parlor_engine::{GameId, Viewer};
use parlor_proto::v1::{
    self, ErrorReason as Reason, SequentialDecision as Decision, TournamentState as State,
};
use parlor_server::config::Count;
use parlor_server::identity::Scope;

use crate::agent_client::{AgentClient, hello};
use crate::client::{Client, error_reason};
use crate::list_records::export;
use crate::records::{for_viewer, get as get_record};
use crate::table_requests::gap;
use crate::test_server::{TestServer, api_key, ms, wait_until, with_quotas};
use crate::tournament_requests::{agent_paced, pause, resume, round_robin, setup, start, swiss, void};

/// A long match of two house bots with a sequential test that ends it early.
fn sequential_test(entrant: u32, lower: f64, upper: f64, max_tables: u32) -> v1::TournamentSetup {
    let test = v1::SequentialTest { entrant, lower, upper, min_groups: 5, ..v1::SequentialTest::default() };
    let long = setup(GameId::HabeFertig, &["greedy", "random"], round_robin(5_000));
    v1::TournamentSetup { test: Some(test), max_tables, ..long }
}

#[tokio::test]
async fn sequential_test_ends_the_tournament_when_decided() {
    let server = TestServer::new().await;
    let client = server.client();
    let cases = [
        (sequential_test(0, 0.0, 4.0, 0), Decision::Upper, "of greedy: its mean group score is at least 4"),
        (sequential_test(1, -4.0, 0.0, 0), Decision::Lower, "of random: its mean group score is at most -4"),
    ];
    for (setup, decision, note) in cases {
        let id = client.start_new_tournament(setup).await;
        let (tournament, standings) = client.follow_to_end(&id).await;
        let test = standings.test.expect("a test");
        let decided = (tournament.state(), test.decision());
        assert_eq!(decided, (State::Finished, decision), "{test:?}, {:?}", standings.rows);
        assert!(test.groups >= 5 && test.groups < 5_000, "{test:?}");
        assert_eq!((standings.groups_counted, standings.tables_running), (test.groups, 0));
        match decision {
            Decision::Upper => assert!(test.llr >= test.accept_upper, "{test:?}"),
            _ => assert!(test.llr <= test.accept_lower, "{test:?}"),
        }
        assert_eq!(tournament.note, format!("decided after {} groups {note}", test.groups));
        // Running tables were ended without counting, and most first tables were never started.
        let tables = client.tournament_tables(&id).await;
        assert!(tables.len() < 1_000, "{} tables", tables.len());
        assert!(tables.iter().all(|table| table.over));
        assert!(standings.rows.iter().all(|row| row.games == 2 * test.groups));
        assert_eq!((client.tournament(&id).await, client.standings(&id).await), (tournament, standings));
    }
}

/// Neither the number of concurrent tables nor a restart changes the decision.
#[tokio::test]
async fn sequential_test_does_not_depend_on_concurrency_or_restarts() {
    let outcome = async |max_tables: u32, restart: bool| {
        let mut server = TestServer::new().await;
        let id = server.client().start_new_tournament(sequential_test(0, 0.0, 4.0, max_tables)).await;
        if restart {
            let client = server.client();
            wait_until("a group", async || client.standings(&id).await.tables_over > 4).await;
            server = server.restart(ms(10), async |log| log).await;
        }
        let (tournament, standings) = server.client().follow_to_end(&id).await;
        let means: Vec<f64> = standings.rows.iter().map(|row| row.mean).collect();
        (tournament.note, standings.test, means)
    };
    let expected = outcome(1, false).await;
    assert_eq!(outcome(40, false).await, expected);
    assert_eq!(outcome(3, true).await, expected);
}

async fn standings_with_history(client: &Client, id: &str) -> v1::Standings {
    let request = v1::GetStandingsRequest { tournament_id: id.to_owned(), history: true };
    client.get_standings(request).await.expect("standings").standings.expect("standings")
}

/// Checks the rating history: increasing groups, ratings with sum 0, and the current ratings as its last
/// point.
fn check_rating_history(standings: &v1::Standings) {
    let history = &standings.history;
    assert!(!history.is_empty() && history.len() <= 50, "{} points", history.len());
    assert!(history.windows(2).all(|pair| pair[0].groups < pair[1].groups));
    for point in history {
        assert_eq!(point.ratings.len(), standings.rows.len());
        assert!(point.ratings.iter().sum::<f64>().abs() < 1e-6, "{point:?}");
    }
    let last = history.last().expect("a point");
    assert_eq!(last.groups, standings.groups_counted);
    for row in &standings.rows {
        let rating = last.ratings[row.entrant as usize];
        assert!((rating - row.rating).abs() < 0.01, "{rating} and {row:?}");
    }
}

#[tokio::test]
async fn rating_history_follows_counted_and_void_groups() {
    let server = TestServer::new().await;
    let client = server.client();
    // The agent plays one table at a time, so the tournament can be paused halfway.
    let mut ann = AgentClient::connect(&client, v1::AgentHello { max_tables: 1, ..hello("ann") }).await;
    let id = client.new_tournament(agent_paced(&["greedy", "random"], 20)).await;
    assert_eq!(standings_with_history(&client, &id).await.history, [], "no counted groups yet");
    client.start_tournament(start(&id)).await.expect("a start");
    ann.play(10).await;
    client.pause_tournament(pause(&id)).await.expect("a pause");
    ann.play(1).await;
    wait_until("the running tables to end", async || client.standings(&id).await.tables_running == 0).await;
    let half = standings_with_history(&client, &id).await;
    check_rating_history(&half);
    assert_eq!(v1::Standings { history: Vec::new(), ..half.clone() }, client.standings(&id).await);
    // A void group is removed from the history, too.
    client.void_group(void(&id, 0, "a torn card")).await.expect("void");
    let less = standings_with_history(&client, &id).await;
    assert_eq!(less.groups_counted, half.groups_counted - 1);
    check_rating_history(&less);
    client.resume_tournament(resume(&id)).await.expect("a resumed tournament");
    let playing = tokio::spawn(async move { ann.play(usize::MAX).await });
    let (_, standings) = client.follow_to_end(&id).await;
    playing.abort();
    assert_eq!((standings.history.len(), standings.groups_counted), (0, 60));
    let whole = standings_with_history(&client, &id).await;
    check_rating_history(&whole);
    assert_eq!(v1::Standings { history: Vec::new(), ..whole }, standings);
}

#[tokio::test]
async fn swiss_ranks_by_match_points() {
    let server = TestServer::new().await;
    let client = server.client();
    let bots = ["greedy", "random", "search:2", "search:3", "search:4"];
    let id = client.start_new_tournament(setup(GameId::Gap, &bots, swiss(3, 1))).await;
    let (_, standings) = client.follow_to_end(&id).await;
    let points: Vec<f64> = standings.rows.iter().map(|row| row.match_points).collect();
    assert!(points.windows(2).all(|pair| pair[0] >= pair[1]), "{points:?}");
    // Each of 3 rounds has two pairs with a point each, and a bye with a point.
    assert_eq!(points.iter().sum::<f64>(), 9.0);
    assert_eq!(standings.rows.iter().map(|row| row.byes).sum::<u32>(), 3);
    let id = client.start_new_tournament(setup(GameId::Gap, &bots, round_robin(1))).await;
    let (_, standings) = client.follow_to_end(&id).await;
    assert!(standings.rows.iter().all(|row| row.match_points == 0.0));
}

/// Tournament tables do not count against the table quota of the key; the concurrent tables of all
/// tournaments of an organiser have a limit of their own.
#[tokio::test]
async fn tournament_tables_are_limited_apart_from_the_key_quota() {
    let scopes = [Scope::Tables, Scope::Play, Scope::Agents, Scope::SeededTables];
    let anna = with_quotas(api_key("anna", &scopes), Some(2), None);
    let entry = anna.entry.clone();
    let server = TestServer::with_settings(|settings| {
        settings.keys = vec![entry];
        settings.limits.tables_per_key = Count::new(3);
    })
    .await;
    let client = server.client_with_key(&anna);
    let tournament = || setup(GameId::Gap, &["greedy", "random"], round_robin(75));
    let (one, other) =
        (client.start_new_tournament(tournament()).await, client.start_new_tournament(tournament()).await);
    for _ in 0..2 {
        client.create_table(gap(2)).await.expect("a table within the key's quota");
    }
    assert_eq!(error_reason(client.create_table(gap(2)).await), Reason::TooManyTables);
    let mut max_running = 0;
    wait_until("both to end", async || {
        let (one, other) = (client.standings(&one).await, client.standings(&other).await);
        max_running = max_running.max(one.tables_running).max(other.tables_running);
        // A tournament without room retries after a second.
        server.advance(ms(1000));
        one.state() == State::Finished && other.state() == State::Finished
    })
    .await;
    assert!((1..=3).contains(&max_running), "{max_running} at once");
    for id in [&one, &other] {
        assert_eq!(client.standings(id).await.tables_over, 150);
    }
    assert_eq!(
        error_reason(client.create_table(gap(2)).await),
        Reason::TooManyTables,
        "the key's quota is still used up"
    );
}

/// A record proves the origin of its deal only when the tournament is over.
#[tokio::test]
async fn records_have_the_tournament_seed_only_after_its_end() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut ann = AgentClient::connect(&client, v1::AgentHello { max_tables: 1, ..hello("ann") }).await;
    let setup = v1::TournamentSetup { given_seed: Vec::new(), ..agent_paced(&["random"], 4) };
    let id = client.start_new_tournament(setup).await;
    ann.play(1).await;
    wait_until("the deal to be over", async || client.tournament_tables(&id).await[0].has_record).await;
    let table = client.tournament_tables(&id).await.remove(0).table_id;
    let group = |record: &v1::Record| {
        let shuffle = record.shuffle.clone().expect("a shuffle");
        shuffle.deal_group.expect("a deal")
    };
    let before = group(&client.record(get_record(&table)).await);
    assert!(before.tournament_commitment.is_empty() && before.tournament_seed.is_empty());
    ann.play(3).await;
    let (tournament, _) = client.follow_to_end(&id).await;
    let shuffle = tournament.shuffle.expect("a shuffle");
    let exported = export(&client, &id, None).await.expect("an export");
    let mut records: Vec<v1::Record> = exported.into_iter().flat_map(|message| message.records).collect();
    assert_eq!(records.len(), 4);
    records.push(client.record(get_record(&table)).await);
    records.push(client.record(for_viewer(Viewer::Spectator, get_record(&table))).await);
    for record in &records {
        let group = group(record);
        assert_eq!(group.tournament_commitment, shuffle.commitment);
        assert_eq!(group.tournament_seed, shuffle.server_seed);
    }
}
