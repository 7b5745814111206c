//! Request ids: a request that comes again gets the answer that it got, and no other request can have its id.

use parlor_proto::v1::{self, ErrorReason as Reason};
use parlor_server::identity::Scope;

use crate::client::why;
use crate::table_requests::{cancel, delete, fresh, gap, join, reissue, rematch, replace};
use crate::test_server::{Scene, key};

fn id(text: &str) -> String {
    text.to_owned()
}

#[tokio::test]
async fn a_table_is_made_once() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let request = v1::CreateTableRequest { request_id: id("make 1"), ..fresh(gap(2)) };
    let made = caller.create_table(request.clone()).await.unwrap();
    let again = caller.create_table(request.clone()).await.unwrap();
    assert_eq!(made, again, "the same table, down to its commitment");
    for different in [
        v1::CreateTableRequest { fill_ms: Some(5_000), ..request.clone() },
        v1::CreateTableRequest { request_id: id("make 1"), ..fresh(gap(3)) },
    ] {
        assert_eq!(why(caller.create_table(different).await), Reason::RequestIdReused);
    }
    let other = v1::CreateTableRequest { request_id: id("make 2"), ..request.clone() };
    assert_ne!(caller.create_table(other).await.unwrap(), made);
    let one =
        caller.create_table(v1::CreateTableRequest { request_id: id(""), ..request.clone() }).await.unwrap();
    let two =
        caller.create_table(v1::CreateTableRequest { request_id: id(""), ..request.clone() }).await.unwrap();
    assert_ne!(one, two, "without an id, a repeat is a new request");

    // Also when the table is over: it gets the table as it is then. When it is deleted, the id is free again.
    let table = made.table.unwrap().table_id;
    caller.cancel_table(cancel(&table)).await.unwrap();
    let again = caller.create_table(request.clone()).await.unwrap().table.unwrap();
    assert_eq!((again.table_id.as_str(), again.state()), (table.as_str(), v1::TableState::Cancelled));
    caller.delete_table(delete(&table)).await.unwrap();
    assert_ne!(caller.create_table(request).await.unwrap().table.unwrap().table_id, table);
}

#[tokio::test]
async fn requests_that_come_at_the_same_time_make_one_table() {
    let scene = Scene::new().await;
    let request = v1::CreateTableRequest { request_id: id("twins"), ..fresh(gap(2)) };
    let calls = (0..8).map(|_| {
        let (caller, request) = (scene.anyone(), request.clone());
        tokio::spawn(async move { caller.make(request).await })
    });
    let mut made = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        made.push(call.await.unwrap());
    }
    made.dedup();
    assert_eq!(made.len(), 1, "{made:?}");
    let listed = scene.anyone().list_tables(v1::ListTablesRequest::default()).await.unwrap();
    assert_eq!(listed.tables.len(), 1);
}

#[tokio::test]
async fn ids_of_two_owners_have_nothing_to_do_with_each_other() {
    let scopes = [Scope::Tables, Scope::Play, Scope::SeededTables];
    let (anna, ben) = (key("anna", &scopes), key("ben", &scopes));
    let scene = Scene::with_keys([&anna, &ben]).await;
    let request = v1::CreateTableRequest { request_id: id("mine"), ..gap(2) };
    let one = scene.holder(&anna).make(request.clone()).await;
    let two = scene.holder(&ben).make(request).await;
    assert_ne!(one, two);
}

#[tokio::test]
async fn a_seat_is_taken_once() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let table = caller.make(gap(3)).await;
    let request = v1::JoinTableRequest { request_id: id("sit"), display_name: id("Una"), ..join(&table) };
    let joined = caller.join_table(request.clone()).await.unwrap();
    let again = caller.join_table(request.clone()).await.unwrap();
    assert_eq!((joined.seat, &joined.seat_token), (again.seat, &again.seat_token));
    let different = v1::JoinTableRequest { display_name: id("Ugo"), ..request.clone() };
    assert_eq!(why(caller.join_table(different).await), Reason::RequestIdReused);
    let other = v1::JoinTableRequest { request_id: id("sit too"), ..request.clone() };
    assert_eq!(caller.join_table(other).await.unwrap().seat, 1);
    // Also when the game has begun.
    caller.join_table(join(&table)).await.unwrap();
    let late = caller.join_table(request).await.unwrap();
    assert_eq!((late.seat, late.seat_token), (joined.seat, joined.seat_token));
    assert_eq!(late.table.unwrap().state(), v1::TableState::Playing);
}

#[tokio::test]
async fn a_token_is_reissued_once() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let seated = scene.seat_all(gap(2)).await;
    let request = v1::ReissueSeatTokenRequest { request_id: id("lost"), ..reissue(&seated.id, 0) };
    let token = caller.reissue_seat_token(request.clone()).await.unwrap();
    assert_eq!(caller.reissue_seat_token(request.clone()).await.unwrap(), token);
    let next = v1::ReissueSeatTokenRequest { request_id: id("lost again"), ..request };
    assert_ne!(caller.reissue_seat_token(next.clone()).await.unwrap(), token);
    assert_ne!(caller.reissue_seat_token(reissue(&seated.id, 0)).await.unwrap(), token);
}

#[tokio::test]
async fn a_seat_is_replaced_once() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let seated = scene.seat_all(gap(3)).await;
    let request = v1::ReplaceSeatRequest { request_id: id("bot"), ..replace(&seated.id, 0, "random") };
    caller.replace_seat(request.clone()).await.unwrap();
    assert!(caller.replace_seat(request.clone()).await.is_ok());
    let different =
        v1::ReplaceSeatRequest { house_bot: Some(crate::table_requests::bot("greedy")), ..request.clone() };
    assert_eq!(why(caller.replace_seat(different).await), Reason::RequestIdReused);
    let other = v1::ReplaceSeatRequest { request_id: id("bot 2"), ..request };
    assert_eq!(why(caller.replace_seat(other).await), Reason::SeatTaken);
}

#[tokio::test]
async fn a_table_has_one_rematch_whoever_asks() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let seated = scene.seat_all(gap(2)).await;
    caller.cancel_table(cancel(&seated.id)).await.unwrap();
    let request = v1::RematchRequest { request_id: id("again"), ..rematch(&seated.id) };
    let made = caller.rematch(request.clone()).await.unwrap();
    assert_eq!(caller.rematch(request.clone()).await.unwrap(), made);
    let other = v1::RematchRequest { request_id: id("another id"), ..request };
    assert_eq!(caller.rematch(other).await.unwrap().table.unwrap().table_id, made.table.unwrap().table_id);
}

#[tokio::test]
async fn an_id_is_printable_and_not_too_long() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    for wrong in ["x".repeat(65), id("tab\there"), id("ümlaut"), id("\u{0}")] {
        let request = v1::CreateTableRequest { request_id: wrong.clone(), ..gap(2) };
        let refused = caller.create_table(request).await.expect_err("no such id");
        assert_eq!(
            (refused.reason, refused.fields),
            (Reason::InvalidField, vec![id("request_id")]),
            "{wrong:?}"
        );
    }
    let longest = v1::CreateTableRequest { request_id: "~".repeat(64), ..gap(2) };
    assert!(caller.create_table(longest).await.is_ok());
}
