//! The Connect handshake: validation and timeout of the hello, and ownership and limits of agent names.

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason};
use parlor_server::config::Count;
use parlor_server::identity::Scope;

use crate::agent_client::{AgentClient, bookmark, find_agent, hello};
use crate::client::{RpcError, error_reason};
use crate::table_requests::unknown_table_id;
use crate::test_server::{TestServer, api_key, ms};

/// The error reason of a hello, and its invalid field.
async fn hello_error(server: &TestServer, change: impl FnOnce(&mut v1::AgentHello)) -> (Reason, String) {
    let mut hello = hello("ann");
    change(&mut hello);
    let error: RpcError = match AgentClient::try_connect(&server.client(), hello).await {
        Ok(_) => panic!("the hello should have been refused"),
        Err(error) => error,
    };
    (error.reason, error.fields.first().cloned().unwrap_or_default())
}

#[tokio::test]
async fn invalid_hello_names_the_field() {
    let server = TestServer::new().await;
    let long = "a".repeat(65);
    let wrong = |field: &str| (Reason::InvalidField, format!("hello.{field}"));
    for name in ["", "-a", "a b", "ä", &long] {
        assert_eq!(hello_error(&server, |hello| hello.name = name.to_owned()).await, wrong("name"), "{name}");
    }
    for version in ["ä", "1\n", &long] {
        assert_eq!(hello_error(&server, |hello| hello.version = version.to_owned()).await, wrong("version"));
    }
    for length in [0, 15, 65] {
        assert_eq!(hello_error(&server, |hello| hello.agent_key = vec![1; length]).await, wrong("agent_key"));
    }
    assert_eq!(hello_error(&server, |hello| hello.games.clear()).await, wrong("games"));
    assert_eq!(
        hello_error(&server, |hello| hello.games.push("gap".into())).await,
        wrong(&format!("games[{}]", GameId::ALL.len()))
    );
    let no_game = hello_error(&server, |hello| hello.games.push("chess".into())).await;
    assert_eq!(no_game, (Reason::GameNotFound, String::new()));
    for tables in [0, 10_001] {
        assert_eq!(hello_error(&server, |hello| hello.max_tables = tables).await, wrong("max_tables"));
    }
    let marks = |marks: Vec<v1::AgentBookmark>| move |hello: &mut v1::AgentHello| hello.bookmarks = marks;
    let id = unknown_table_id();
    assert_eq!(hello_error(&server, marks(vec![bookmark("x", 0, 1)])).await, wrong("bookmarks[0].table_id"));
    assert_eq!(hello_error(&server, marks(vec![bookmark(&id, 9, 1)])).await, wrong("bookmarks[0].seat"));
    let twice = marks(vec![bookmark(&id, 0, 1), bookmark(&id, 0, 2)]);
    assert_eq!(hello_error(&server, twice).await, wrong("bookmarks[1]"));
    let none = AgentClient::connect_with(&server.client(), v1::ConnectRequest::default()).await;
    assert_eq!(none.err().expect("an error").fields, ["hello"]);
    let mut ann = AgentClient::connect(&server.client(), hello("ann")).await;
    ann.send_message(v1::ConnectRequest { hello: Some(hello("ann")), items: Vec::new() }).await;
    assert_eq!(ann.reader.ending().await.expect_err("a second hello").fields, ["hello"]);
}

#[tokio::test]
async fn hello_timeout_closes_the_stream() {
    let server = TestServer::new().await;
    let (requests, receiver) = tokio::sync::mpsc::channel::<v1::ConnectRequest>(1);
    let stream = tokio_stream::wrappers::ReceiverStream::new(receiver);
    let mut answers = server.client().agents().connect(stream).await.expect("a response").into_inner();
    let end = tokio::spawn(async move { answers.message().await });
    server.advance_to_deadline(ms(10_000)).await;
    server.advance_to(ms(10_000));
    let status =
        crate::test_server::with_timeout(end).await.expect("a cancelled table").expect_err("an error");
    assert_eq!(RpcError::from_status(&status).fields, ["hello"]);
    drop(requests);
}

#[tokio::test]
async fn agent_name_belongs_to_its_first_owner_or_agent_key() {
    let server = TestServer::new().await;
    drop(AgentClient::connect(&server.client(), hello("ann")).await);
    let other = v1::AgentHello { agent_key: vec![8; 32], ..hello("ann") };
    assert_eq!(
        error_reason(AgentClient::try_connect(&server.client(), other).await.map(drop)),
        Reason::AgentNameTaken
    );
    AgentClient::connect(&server.client(), hello("ann")).await;

    let (club, team) = (api_key("club", &[Scope::Agents]), api_key("team", &[Scope::Agents, Scope::Tables]));
    let pia = api_key("pia", &[Scope::Play]);
    let server = TestServer::with_keys([&club, &team, &pia]).await;
    let keyless = |name: &str| v1::AgentHello { agent_key: Vec::new(), ..hello(name) };
    let connect = async |client, hello| AgentClient::try_connect(&client, hello).await.map(drop);
    connect(server.client_with_key(&club), keyless("ann")).await.expect("a new name");
    connect(server.client_with_key(&club), keyless("ann")).await.expect("the same owner again");
    assert_eq!(
        error_reason(connect(server.client_with_key(&team), keyless("ann")).await),
        Reason::AgentNameTaken
    );
    assert_eq!(
        error_reason(connect(server.client_with_key(&team), hello("ann")).await),
        Reason::AgentNameTaken
    );
    connect(server.client_with_key(&team), hello("ben")).await.expect("a new name");
    assert_eq!(
        error_reason(connect(server.client_with_key(&team), keyless("ben")).await),
        Reason::AgentNameTaken
    );
    connect(server.client_with_key(&club), hello("ben")).await.expect("the same agent key");
    assert_eq!(error_reason(connect(server.client(), hello("cyd")).await), Reason::CredentialsMissing);
    assert_eq!(error_reason(connect(server.client_with_key(&pia), hello("cyd")).await), Reason::ScopeMissing);
    let owned = |agent: v1::Agent| agent.owned;
    assert!(owned(find_agent(&server.client_with_key(&club), "ann").await));
    assert!(!owned(find_agent(&server.client_with_key(&team), "ann").await));
    assert!(!owned(find_agent(&server.client(), "ann").await));
}

#[tokio::test]
async fn agent_names_are_limited_per_server_and_per_key() {
    let server = TestServer::with_settings(|settings| settings.agents.known = Count::new(2)).await;
    for name in ["ann", "ben"] {
        AgentClient::connect(&server.client(), hello(name)).await;
    }
    let third = AgentClient::try_connect(&server.client(), hello("cyd")).await.map(drop);
    assert_eq!(error_reason(third), Reason::TooManyStreams);
    AgentClient::connect(&server.client(), hello("ann")).await;
    let (club, team) = (api_key("club", &[Scope::Agents]), api_key("team", &[Scope::Agents]));
    let entries = vec![club.entry.clone(), team.entry.clone()];
    let server = TestServer::with_settings(|settings| {
        settings.keys = entries;
        settings.agents.known_per_key = Count::new(1);
    })
    .await;
    AgentClient::connect(&server.client_with_key(&club), hello("ann")).await;
    let second = AgentClient::try_connect(&server.client_with_key(&club), hello("ben")).await.map(drop);
    assert_eq!(error_reason(second), Reason::TooManyStreams);
    AgentClient::connect(&server.client_with_key(&team), hello("ben")).await;
}
