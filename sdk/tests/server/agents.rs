//! Agents on the real server: many tables over one stream, through cuts, restarts and crashes; replacement,
//! listing and rejection.

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::TryStreamExt;
use parlor_sdk::{
    AgentEvent, AgentFilter, AgentRunner, AgentSettings, Choice, Client, NewTable, Question, Reason, wire,
};
use tokio::sync::watch;
use wire::game_options::Game;

use super::restarts::OrderCheckingBot;
use super::test_server::TestServer;
use super::with_timeout;

const TABLES: usize = 150;

fn settings(name: &str) -> AgentSettings {
    AgentSettings::new(name).version("1").key("a key of the tests").games(["gap"]).max_tables(TABLES as u32)
}

/// One round of GAP.
fn short_game() -> NewTable {
    let length = Some(wire::gap_options::Length::Rounds(1));
    let options = wire::GameOptions { game: Some(Game::Gap(wire::GapOptions { length })) };
    NewTable::with_options(options).without_clock()
}

/// Runs the agent until it is connected.
async fn connected(agent: &mut AgentRunner) {
    loop {
        if let AgentEvent::Connected(_) = with_timeout(agent.next()).await.unwrap().unwrap() {
            return;
        }
    }
}

async fn find(client: &Client, name: &str) -> wire::Agent {
    let agents: Vec<wire::Agent> =
        with_timeout(client.agents(AgentFilter::new()).try_collect()).await.unwrap();
    agents.into_iter().find(|agent| agent.name == name).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agent_plays_all_tables_through_restarts() {
    let mut server = TestServer::start().await;
    let client = server.client().await;
    let decisions = Arc::new(watch::channel(0).0);
    let mut decided = decisions.subscribe();
    let mut agent = client.start_agent(settings("ada"), move |_| OrderCheckingBot::new(&decisions)).unwrap();
    connected(&mut agent).await;
    let serving = tokio::spawn(async move {
        let mut over = HashSet::new();
        while over.len() < TABLES {
            match agent.next().await.unwrap().unwrap() {
                AgentEvent::TableOver(finished) => {
                    assert_eq!(finished.result().unwrap().reason(), wire::EndReason::PlayedOut);
                    assert!(over.insert(finished.table.table_id.clone()), "each table is over once");
                }
                AgentEvent::BotFailed { given, error } => panic!("{given:?}: {error}"),
                _ => {}
            }
        }
        (agent, over)
    });
    let mut made = HashSet::new();
    for number in 0..TABLES {
        // Different seats and opponents.
        let table = match number % 3 {
            0 => short_game().agent("ada").house_bot("random"),
            1 => short_game().house_bot("random").house_bot("random").agent("ada"),
            _ => short_game().house_bot("greedy").agent("ada"),
        };
        made.insert(with_timeout(create_when_connected(&client, table)).await);
        match number {
            40 => with_timeout(server.restart()).await,
            80 => with_timeout(server.kill()).await,
            120 => server.proxy.cut(),
            _ => {}
        }
        if matches!(number, 40 | 80 | 120) {
            until_connected(&client, "ada").await;
        }
    }
    with_timeout(decided.wait_for(|decisions| *decisions >= TABLES)).await.unwrap();
    let (agent, over) = with_timeout(serving).await.unwrap();
    assert_eq!(over, made);
    let listed = find(&client, "ada").await;
    assert_eq!((listed.version.as_str(), listed.games.as_slice()), ("1", &["gap".to_owned()][..]));
    assert_eq!((listed.times.unwrap().refused, agent.active_tables()), (0, 0));
}

/// Creates a table. Tries again while the agent is not available: after a cut the server may list its old connection for a
/// moment, and then no connection until it is back.
async fn create_when_connected(client: &Client, table: NewTable) -> String {
    loop {
        match client.create_table(table.clone()).await {
            Ok(created) => return created.table_id,
            Err(error) => assert_eq!(error.reason(), Reason::AgentUnavailable, "{error}"),
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// Waits until the server lists the agent as connected.
async fn until_connected(client: &Client, name: &str) {
    with_timeout(async {
        while find(client, name).await.state() != wire::AgentState::Here {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn second_connection_of_an_agent_replaces_the_first() {
    let server = TestServer::start().await;
    let client = server.client().await;
    let first = |_: &wire::SeatGiven| |_: &Question| Choice::Index(0);
    let mut one = client.start_agent(settings("ada"), first).unwrap();
    connected(&mut one).await;
    let mut other = client.start_agent(settings("ada"), first).unwrap();
    connected(&mut other).await;
    let error = with_timeout(async {
        loop {
            match one.next().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("the agent was not stopped"),
                Err(error) => return error,
            }
        }
    });
    assert_eq!(error.await.reason(), Reason::AgentReplaced);
    let table =
        with_timeout(client.create_table(short_game().agent("ada").house_bot("random"))).await.unwrap();
    loop {
        if let AgentEvent::TableOver(finished) = with_timeout(other.next()).await.unwrap().unwrap() {
            assert_eq!(finished.table.table_id, table.table_id);
            break;
        }
    }
    // Another key cannot take the name, and a disconnected agent gets no seat.
    let thief = settings("ada").key("another key of 20 bytes");
    let error = with_timeout(client.serve_agent(thief, first)).await.unwrap_err();
    assert_eq!(error.reason(), Reason::AgentNameTaken);
    other.stop();
    assert!(with_timeout(other.next()).await.unwrap().is_none());
    drop(other);
    with_timeout(async {
        while find(&client, "ada").await.state() != wire::AgentState::Gone {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await;
    let refused = client.create_table(short_game().agent("ada").house_bot("random"));
    assert_eq!(with_timeout(refused).await.unwrap_err().reason(), Reason::AgentUnavailable);
    let refused = client.create_table(short_game().agent("nobody").house_bot("random"));
    assert_eq!(with_timeout(refused).await.unwrap_err().reason(), Reason::AgentNotFound);
}
