//! The real program on a real PostgreSQL: games through kills and restarts, and its commands.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::StreamExt as _;
use parlor_sdk::{Choice, Client, JoinTable, NewTable, Question, SeatToken, wire};
use parlor_testkit::{PostgresCluster, ServerProcess, wait_until, with_timeout_of};
use tokio::sync::watch;

use crate::support::Program;

/// Time for all games of a test, with kills between.
const GAMES_TIME: std::time::Duration = std::time::Duration::from_secs(240);

/// One round of GAP against a house bot, with a seat for a player and no clock.
fn short_game() -> NewTable {
    let length = Some(wire::gap_options::Length::Rounds(1));
    let game = wire::game_options::Game::Gap(wire::GapOptions { length });
    NewTable::with_options(wire::GameOptions { game: Some(game) })
        .house_bot("random")
        .open_seat()
        .without_clock()
}

/// Creates tables and takes their open seats.
async fn sit_down(client: &Client, tables: usize) -> Vec<SeatToken> {
    let mut tokens = Vec::new();
    for _ in 0..tables {
        let table = client.create_table(short_game()).await.expect("a table");
        tokens.push(client.join_table(JoinTable::new(&table.table_id)).await.expect("a seat").token);
    }
    tokens
}

async fn connect(address: std::net::SocketAddr) -> Client {
    Client::builder(format!("http://{address}")).connect().await.expect("a client")
}

/// The state and the points of every table.
async fn results(client: &Client) -> BTreeMap<String, (i32, Vec<i32>)> {
    let mut found = BTreeMap::new();
    let mut page_token = String::new();
    loop {
        let request = wire::ListTablesRequest { page_token, ..Default::default() };
        let page = client.list_tables(request).await.expect("a page");
        for table in page.tables {
            let result = table.result.unwrap_or_default();
            let points = result.seats.iter().map(|seat| seat.points).collect();
            found.insert(table.table_id, (table.state, points));
        }
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return found;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_games_survive_kills_and_database_restarts() {
    const TABLES: usize = 24;
    let cluster = PostgresCluster::start(&["fsync=off"]);
    let program = Program::new();
    let database = cluster.create_database();
    let start = |listen: &str| -> ServerProcess {
        let arguments = ["--store", &database, "--listen", listen, "--metrics", ""];
        ServerProcess::start(&mut program.command(&arguments))
    };
    let mut server = start("127.0.77.31:0");
    let address = server.address();
    let client = connect(address).await;
    let tokens = sit_down(&client, TABLES).await;

    let decisions = Arc::new(watch::Sender::new(0_usize));
    let play = {
        let (session, decisions) = (client.session(), decisions.clone());
        tokio::spawn(async move {
            let bot = || {
                let decisions = decisions.clone();
                move |question: &Question| {
                    decisions.send_modify(|count| *count += 1);
                    Choice::Index(question.id() as usize * 31 % question.legal_count())
                }
            };
            let played: Vec<_> = session.play_all(tokens, 8, bot).collect().await;
            played.into_iter().map(|played| played.outcome.map(drop)).collect::<Vec<_>>()
        })
    };
    let mut seen = decisions.subscribe();
    for round in 1..=4 {
        with_timeout_of(GAMES_TIME, seen.wait_for(|count| *count >= round * 20)).await.expect("decisions");
        match round {
            2 => cluster.restart("INT"),
            // A crash of the database: it recovers from its log.
            4 => cluster.restart("QUIT"),
            _ => {
                server.kill();
                server = start(&address.to_string());
            }
        }
    }
    let outcomes = with_timeout_of(GAMES_TIME, play).await.expect("the games end");
    assert_eq!(outcomes.len(), TABLES);
    for outcome in outcomes {
        outcome.expect("no answer is lost or counts twice");
    }
    let before = results(&client).await;
    assert_eq!(before.len(), TABLES);
    assert!(before.values().all(|(state, _)| *state == wire::TableState::Finished as i32), "{before:?}");

    // The commands of an operator.
    let run = |arguments: &[&str]| program.run(arguments);
    let (code, output, error) = run(&["check-store", "--store", &database]);
    assert_eq!(code, Some(0), "{output}{error}");
    assert!(output.contains(&format!("{TABLES} tables")) && output.contains("sound"), "{output}");
    for (arguments, hint) in [(&["backup", "x.db"][..], "pg_dump"), (&["restore", "x.db"], "pg_restore")] {
        let (code, _, error) = run(&[arguments, &["--store", &database]].concat());
        assert_eq!(code, Some(1));
        assert!(error.contains(hint) && error.trim_end().lines().count() == 1, "{error}");
    }
    server.signal("TERM");
    let (status, log) = tokio::task::spawn_blocking(|| server.wait()).await.expect("an exit");
    assert_eq!(status.code(), Some(0), "{log}");

    // To a file and back, each with the same tables and with tokens that stay valid.
    let other = cluster.create_database();
    for (from, to) in [(database.as_str(), "sqlite:copy.db"), ("sqlite:copy.db", other.as_str())] {
        let (code, output, error) = run(&["copy-store", from, to]);
        assert_eq!(code, Some(0), "{output}{error}");
        assert!(output.contains("counts and hashes agree"), "{output}");
        let copy = program.start(&["--store", to]);
        assert_eq!(results(&connect(copy.address()).await).await, before);
        copy.signal("TERM");
        let (status, log) = tokio::task::spawn_blocking(|| copy.wait()).await.expect("an exit");
        assert_eq!(status.code(), Some(0), "{log}");
        let (code, _, error) = run(&["copy-store", from, to]);
        assert_eq!(code, Some(1));
        assert!(error.contains("is not empty: name a new one"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_server_that_was_taken_over_stops() {
    let database = PostgresCluster::shared().create_database();
    let program = Program::new();
    let first = program.start(&["--store", &database]);
    let client = connect(first.address()).await;
    let table = client.create_table(short_game()).await.expect("a table");
    let second = program.start(&["--store", &database]);
    // Its next commit finds the fence closed.
    let address = first.address();
    let writing = tokio::spawn(async move {
        let client = connect(address).await;
        let _refused = client.create_table(short_game()).await;
    });
    let (status, log) = tokio::task::spawn_blocking(|| first.wait()).await.expect("an exit");
    assert_eq!(status.code(), Some(1), "{log}");
    assert!(log.contains("another parlor-server has taken over postgres://"), "{log}");
    writing.abort();
    let client = connect(second.address()).await;
    wait_until("the table is there", async || results(&client).await.contains_key(&table.table_id)).await;
}
