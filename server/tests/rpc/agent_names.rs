//! Names of agents that are not used expire, so that no key exhausts registration for good.

use std::sync::Arc;
use std::time::Duration;

use parlor_proto::v1::{self, AgentState, ErrorReason as Reason};
use parlor_server::{
    config::{Count, RetentionPeriod, Settings, Span},
    identity::Scope,
};
use parlor_store::{Log, MemoryLog};

use crate::agent_client::{AgentClient, find_agent, hello};
use crate::agents::for_agents;
use crate::client::{Client, error_reason};
use crate::test_server::{TestServer, api_key, ms, wait_until};

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn two_names_for_three_days(settings: &mut Settings) {
    settings.agents.known = Count::new(2);
    settings.agents.names_expire = RetentionPeriod::For(const { Span::from_ms(3 * 24 * 60 * 60 * 1000) });
}

/// Connects an agent and disconnects it again.
async fn visit(client: &Client, name: &str) {
    drop(AgentClient::connect(client, hello(name)).await);
    wait_until_disconnected(client, name).await;
}

async fn wait_until_disconnected(client: &Client, name: &str) {
    let is_disconnected = async || find_agent(client, name).await.state() == AgentState::Gone;
    wait_until("the end of a connection", is_disconnected).await;
}

/// The reason for which a new name is refused; `None` if it is registered.
async fn refusal(client: &Client, name: &str) -> Option<Reason> {
    let connected = AgentClient::try_connect(client, hello(name)).await;
    connected.err().map(|error| error.reason)
}

async fn names(client: &Client) -> Vec<String> {
    let listed = client.list_agents(v1::ListAgentsRequest::default()).await.expect("a list");
    listed.agents.into_iter().map(|agent| agent.name).collect()
}

#[tokio::test]
async fn longest_unused_name_makes_room_for_a_new_one() {
    let log: Arc<dyn Log> = Arc::new(MemoryLog::new());
    let server = TestServer::with_log(log, two_names_for_three_days).await;
    let client = server.client();
    visit(&client, "ann").await;
    server.advance(ms(1));
    visit(&client, "ben").await;
    server.advance(2 * DAY);
    assert_eq!(refusal(&client, "cyd").await, Some(Reason::TooManyStreams), "both names are in use");
    visit(&client, "ann").await;
    server.advance(DAY + HOUR);
    let cyd = AgentClient::connect(&client, hello("cyd")).await;
    assert_eq!(names(&client).await, ["ann", "cyd"], "ben was not seen for three days");
    assert_eq!(refusal(&client, "ben").await, Some(Reason::TooManyStreams));

    // A start of the server forgets neither the names nor when they were used.
    drop(cyd);
    let server = server.restart(2 * DAY - HOUR, async |log| log).await;
    let client = server.client();
    assert_eq!(names(&client).await, ["ann", "cyd"]);
    assert_eq!(refusal(&client, "dan").await, Some(Reason::TooManyStreams), "ann may still reconnect");
    server.advance(HOUR + HOUR);
    let dan = AgentClient::connect(&client, hello("dan")).await;
    assert_eq!(names(&client).await, ["cyd", "dan"]);
    drop(dan);
}

#[tokio::test]
async fn connected_agents_and_those_with_seats_keep_their_names() {
    let server = TestServer::with_settings(|settings| {
        two_names_for_three_days(settings);
        settings.table.idle = Span::from_ms(1_000);
    })
    .await;
    let client = server.client();
    let connected = AgentClient::connect(&client, hello("ann")).await;
    let seated = AgentClient::connect(&client, hello("ben")).await;
    client.new_table(for_agents(&["ben", "ben"])).await;
    drop(seated);
    wait_until_disconnected(&client, "ben").await;
    server.advance(30 * DAY);
    assert_eq!(refusal(&client, "cyd").await, Some(Reason::TooManyStreams));
    assert_eq!(names(&client).await, ["ann", "ben"]);
    drop(connected);
}

#[tokio::test]
async fn expired_names_of_a_key_make_room_for_its_own() {
    let (club, team) = (api_key("club", &[Scope::Agents]), api_key("team", &[Scope::Agents]));
    let entries = vec![club.entry.clone(), team.entry.clone()];
    let server = TestServer::with_settings(|settings| {
        two_names_for_three_days(settings);
        settings.keys = entries;
        settings.agents.known_per_key = Count::new(1);
    })
    .await;
    let (club, team) = (server.client_with_key(&club), server.client_with_key(&team));
    visit(&club, "ann").await;
    visit(&team, "ben").await;
    let second = AgentClient::try_connect(&club, hello("cyd")).await.map(drop);
    assert_eq!(error_reason(second), Reason::TooManyStreams);
    server.advance(4 * DAY);
    visit(&club, "cyd").await;
    assert_eq!(names(&club).await, ["ben", "cyd"], "the other key keeps its name");
    // The name is free for everyone, and with it nothing of the agent before.
    server.advance(4 * DAY);
    visit(&team, "ann").await;
    assert_eq!(names(&club).await, ["ann", "cyd"]);
}
