//! Unary calls: retries with the same request id, with_timeout the deadline.

use std::collections::HashMap;

use futures_util::TryStreamExt;
use parlor_sdk::{JoinTable, NewTable, Reason, ResignTarget, SeatToken, TableFilter, wire};
use parlor_testkit::with_timeout;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use super::fake_server::{CallFault, FakeServer};

/// A status with an error reason, as the server sends it.
pub(crate) fn status_with_reason(code: Code, reason: &str) -> Status {
    let details = ErrorDetails::with_error_info(reason, "parlor.v1", HashMap::new());
    Status::with_error_details(code, "a sentence", details)
}

fn gap() -> NewTable {
    NewTable::new("gap").open_seats(2)
}

#[tokio::test]
async fn writes_are_retried_with_the_same_request_id() {
    let fake = FakeServer::start().await;
    fake.tables.state().call_faults.extend([
        CallFault::BeforeExecution(status_with_reason(Code::Unavailable, "SERVER_STOPPING")),
        CallFault::AfterExecution(Status::unavailable("something on the way")),
        CallFault::BeforeExecution(status_with_reason(Code::Unavailable, "STORE_UNAVAILABLE")),
    ]);
    let table = with_timeout(fake.client().await.create_table(gap())).await.unwrap();
    let ids = fake.tables.state().request_ids.clone();
    assert_eq!(ids.len(), 4);
    assert!(ids.iter().all(|id| *id == ids[0] && id.len() == 32), "{ids:?}");
    assert_eq!(table.table_id, ids[0]);
    with_timeout(fake.client().await.create_table(gap().request_id("mine"))).await.unwrap();
    assert_eq!(fake.tables.state().request_ids.last().unwrap(), "mine");
}

#[tokio::test]
async fn every_write_gets_a_fresh_request_id() {
    let fake = FakeServer::start().await;
    let client = fake.client().await;
    for _ in 0..2 {
        client.replace_seat("t", 0, "greedy").await.unwrap();
        client.rematch("t", Some(&SeatToken::new("old")), true).await.unwrap();
        client.reissue_seat_token("t", 0).await.unwrap();
    }
    let mut ids = fake.tables.state().request_ids.clone();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 6);
}

#[tokio::test]
async fn permanent_errors_are_not_retried() {
    let fake = FakeServer::start().await;
    let client = fake.client().await;
    for (code, name, reason) in [
        (Code::FailedPrecondition, "NO_SEAT_FREE", Reason::NoSeatFree),
        (Code::NotFound, "TABLE_NOT_FOUND", Reason::TableNotFound),
        (Code::Internal, "SERVER_FAULT", Reason::ServerFault),
        (Code::Internal, "A_REASON_OF_THE_FUTURE", Reason::Other),
    ] {
        fake.tables.state().call_faults.push_back(CallFault::BeforeExecution(status_with_reason(code, name)));
        let error = with_timeout(client.join_table("t")).await.unwrap_err();
        assert_eq!((error.reason(), error.message()), (reason, "a sentence"));
    }
    assert_eq!(fake.tables.state().joins.len(), 4);
}

#[tokio::test]
async fn join_retries_send_the_same_entropy() {
    let fake = FakeServer::start().await;
    fake.tables.state().call_faults.push_back(CallFault::AfterExecution(Status::unavailable("lost")));
    let id = "01hf7yat000w3ge1r70w3ge1r7";
    let joined = with_timeout(fake.client().await.join_table(JoinTable::new(id).seat(1))).await.unwrap();
    let joins = fake.tables.state().joins.clone();
    assert_eq!(joins[0], joins[1]);
    assert_eq!((joins[0].entropy_commitment.len(), joins[0].seat), (32, Some(1)));
    let table = id.parse().unwrap();
    let commitment = parlor_fair::Entropy::new(&joined.entropy).unwrap().commitment(table);
    assert_eq!(joins[0].entropy_commitment, commitment.as_bytes(), "to the entropy that the caller is given");
    assert!(!format!("{joined:?}").contains("sword"), "{joined:?}");
    let plain = JoinTable::new(id).without_entropy();
    with_timeout(fake.client().await.join_table(plain)).await.unwrap();
    assert!(fake.tables.state().joins.last().unwrap().entropy_commitment.is_empty());
    let short = JoinTable::new(id).entropy([1; 15]);
    let error = with_timeout(fake.client().await.join_table(short)).await.unwrap_err();
    assert_eq!(error.reason(), Reason::Settings);
}

#[tokio::test]
async fn retried_delete_with_a_lost_reply_succeeds() {
    let fake = FakeServer::start().await;
    let client = fake.client().await;
    fake.tables.state().call_faults.push_back(CallFault::AfterExecution(Status::unavailable("lost")));
    with_timeout(client.delete_table("t")).await.unwrap();
    let error = with_timeout(client.delete_table("t")).await.unwrap_err();
    assert_eq!(error.reason(), Reason::TableNotFound);
}

#[tokio::test]
async fn broken_connection_is_reestablished() {
    let fake = FakeServer::start().await;
    let client = fake.client().await;
    for _ in 0..5 {
        fake.proxy.cut();
        with_timeout(client.table("t")).await.unwrap();
    }
}

#[tokio::test]
async fn api_key_is_sent_with_every_call() {
    let fake = FakeServer::start().await;
    let client = fake.builder().api_key("swordfish").connect().await.unwrap();
    client.create_table(gap()).await.unwrap();
    fake.client().await.create_table(gap()).await.unwrap();
    assert_eq!(fake.tables.state().authorizations, [Some("Bearer swordfish".into()), None]);
}

#[tokio::test]
async fn table_listing_fetches_all_pages() {
    let fake = FakeServer::start().await;
    let client = fake.client().await;
    for (listed, page) in [(0, 3), (3, 3), (10, 3), (7, 100)] {
        fake.tables.state().listed = listed;
        fake.tables.state().call_faults.push_back(CallFault::BeforeExecution(Status::unavailable("once")));
        let tables = client.tables(TableFilter::new().page_size(page));
        let ids: Vec<String> =
            with_timeout(tables.map_ok(|table| table.table_id).try_collect()).await.unwrap();
        let expected: Vec<String> = (0..listed).map(|number| number.to_string()).collect();
        assert_eq!(ids, expected);
    }
}

#[tokio::test]
async fn remaining_calls_send_their_arguments() {
    let fake = FakeServer::start().await;
    let client = fake.client().await;
    let token = SeatToken::new("old");
    assert_eq!(client.rematch("t", Some(&token), false).await.unwrap().table_id, "old");
    assert_eq!(client.rematch("t", None, false).await.unwrap().table_id, "");
    client.resign_seat(&token).await.unwrap();
    client.resign_seat(ResignTarget::Owner { table_id: "t".into(), seat: 1 }).await.unwrap();
    assert_eq!(client.cancel_table("t", "rain").await.unwrap().table_id, "rain");
    assert_eq!(client.create_spectator_token("t", false).await.unwrap().reveal(), "swordfish");
    assert_eq!(client.reissue_seat_token("t", 1).await.unwrap().reveal(), "swordfish");
    assert_eq!(client.table_with_token("t", "token").await.unwrap().table_id, "t");
    // A service that the server lacks.
    assert_eq!(client.games().await.unwrap_err().reason(), Reason::Unsupported);
}

#[tokio::test]
async fn act_is_retried_and_follow_streams() {
    let fake = FakeServer::start().await;
    fake.host.change(|state| {
        state.seats.insert("a".into(), super::fake_host::Seat::new(2));
        state.refuse.push_back(Status::unavailable("once"));
    });
    let client = fake.client().await;
    let token = SeatToken::new("a");
    let answered = with_timeout(client.act(&token, 1, 2)).await.unwrap();
    assert!(!answered.repeated);
    assert!(with_timeout(client.act(&token, 1, 2)).await.unwrap().repeated);
    let error = with_timeout(client.act(&token, 1, 0)).await.unwrap_err();
    assert_eq!(error.reason(), Reason::DecidedOtherwise);

    let attach =
        wire::Attach { viewer: Some(wire::attach::Viewer::TableId("t".into())), ..Default::default() };
    let channels = vec![wire::FollowChannel { channel: 7, attach: Some(attach) }];
    let mut followed = std::pin::pin!(with_timeout(client.follow(channels)).await.unwrap());
    let response = with_timeout(followed.try_next()).await.unwrap().unwrap();
    assert_eq!(response.items[0].channel, 7);
}
