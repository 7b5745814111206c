//! Requests whose caller goes away before the response: nothing stays occupied that no table has.

use std::sync::Arc;

use parlor_proto::v1::{self, ErrorReason as Reason};
use parlor_server::identity::{NewKey, Scope};

use crate::agent_client::{AgentClient, agent_seat, find_agent, hello, with_seats};
use crate::client::{Client, error_reason};
use crate::faulty_log::{FaultyLog, io_error};
use crate::table_requests::{cancel, fresh, gap, open};
use crate::test_server::{TestServer, api_key, wait_until, with_quotas};

/// A server with a faulty log, a key for one table at a time, and a connected agent that takes one.
async fn server_with_agent() -> (Arc<FaultyLog>, TestServer, Client, AgentClient) {
    let log = FaultyLog::new();
    let key: NewKey = with_quotas(api_key("anna", &[Scope::Tables, Scope::Agents]), Some(1), None);
    let server = TestServer::with_log(log.clone(), |settings| settings.keys = vec![key.entry.clone()]).await;
    let client = server.client_with_key(&key);
    let ann = AgentClient::connect(&client, v1::AgentHello { max_tables: 1, ..hello("ann") }).await;
    (log, server, client, ann)
}

/// A table of the agent, which plays against itself.
fn table_for_agent() -> v1::CreateTableRequest {
    fresh(with_seats(vec![agent_seat("ann"), agent_seat("ann")], gap(2)))
}

/// Calls CreateTable, and drops the call once `held` returns.
async fn abandon_create_table(client: &Client, held: impl Future<Output = ()>) {
    let caller = client.clone();
    let call = tokio::spawn(async move { caller.create_table(table_for_agent()).await });
    held.await;
    call.abort();
    call.await.expect_err("an aborted call");
    // The server reads the end of the call before this request on the same connection.
    client.list_games(v1::ListGamesRequest::default()).await.expect("the games");
}

#[tokio::test]
async fn create_table_abandoned_while_tables_are_counted_releases_the_agent() {
    let (log, _server, client, _ann) = server_with_agent().await;
    log.hold_lists();
    abandon_create_table(&client, log.wait_for_held_list()).await;
    log.recover();
    wait_until("the agent to have room", async || find_agent(&client, "ann").await.playing == 0).await;
    client.create_table(table_for_agent()).await.expect("a table within the quota");
}

#[tokio::test]
async fn create_table_abandoned_before_its_append_fails_releases_agent_and_quota() {
    let (log, _server, client, _ann) = server_with_agent().await;
    log.hold_appends();
    abandon_create_table(&client, log.wait_for_held_append()).await;
    log.fail_appends(io_error());
    log.wait_for_failed_append().await;
    log.recover();
    wait_until("the agent to have room", async || find_agent(&client, "ann").await.playing == 0).await;
    client.create_table(table_for_agent()).await.expect("a table within the quota");
}

#[tokio::test]
async fn table_of_an_abandoned_create_table_is_counted_until_it_is_over() {
    let (log, _server, client, _ann) = server_with_agent().await;
    log.hold_appends();
    abandon_create_table(&client, log.wait_for_held_append()).await;
    log.recover();
    let owned = v1::ListTablesRequest { owned: true, ..v1::ListTablesRequest::default() };
    let list = async || client.list_tables(owned.clone()).await.expect("a list").tables;
    wait_until("the table", async || list().await.len() == 1).await;
    assert_eq!(find_agent(&client, "ann").await.playing, 1);
    let without_agent = with_seats(vec![open(), open()], fresh(gap(2)));
    assert_eq!(error_reason(client.create_table(without_agent).await), Reason::TooManyTables);
    client.cancel_table(cancel(&list().await[0].table_id)).await.expect("a cancelled table");
    wait_until("room", async || client.create_table(table_for_agent()).await.is_ok()).await;
}
