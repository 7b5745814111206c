//! Request ids: a repeated request gets the same response, and a different request with the same id is
//! refused.

use parlor_proto::v1::{self, ErrorReason as Reason};
use parlor_server::identity::Scope;

use crate::client::error_reason;
use crate::table_requests::{cancel, delete, fresh, gap, join, private, reissue, rematch, replace};
use crate::test_server::{TestServer, api_key};

fn id(text: &str) -> String {
    text.to_owned()
}

/// A request id that is long enough for a seat on a server without keys.
fn secret_id(text: &str) -> String {
    format!("{text} 6f1c0f64-21c5-44e4-9d5e")
}

#[tokio::test]
async fn create_table_is_idempotent_by_request_id() {
    let server = TestServer::new().await;
    let client = server.client();
    let request = v1::CreateTableRequest { request_id: id("make 1"), ..fresh(gap(2)) };
    let made = client.create_table(request.clone()).await.unwrap();
    let again = client.create_table(request.clone()).await.unwrap();
    assert_eq!(made, again, "the same table, down to its commitment");
    for different in [
        v1::CreateTableRequest { fill_ms: Some(5_000), ..request.clone() },
        v1::CreateTableRequest { request_id: id("make 1"), ..fresh(gap(3)) },
    ] {
        assert_eq!(error_reason(client.create_table(different).await), Reason::RequestIdReused);
    }
    let other = v1::CreateTableRequest { request_id: id("make 2"), ..request.clone() };
    assert_ne!(client.create_table(other).await.unwrap(), made);
    let one =
        client.create_table(v1::CreateTableRequest { request_id: id(""), ..request.clone() }).await.unwrap();
    let two =
        client.create_table(v1::CreateTableRequest { request_id: id(""), ..request.clone() }).await.unwrap();
    assert_ne!(one, two, "requests without an id are never repeats");

    // A repeat after the end returns the table as it is now. Deleting the table frees the id.
    let table = made.table.unwrap().table_id;
    client.cancel_table(cancel(&table)).await.unwrap();
    let again = client.create_table(request.clone()).await.unwrap().table.unwrap();
    assert_eq!((again.table_id.as_str(), again.state()), (table.as_str(), v1::TableState::Cancelled));
    client.delete_table(delete(&table)).await.unwrap();
    assert_ne!(client.create_table(request).await.unwrap().table.unwrap().table_id, table);
}

#[tokio::test]
async fn concurrent_requests_with_one_id_create_one_table() {
    let server = TestServer::new().await;
    let request = v1::CreateTableRequest { request_id: id("concurrent"), ..fresh(gap(2)) };
    let calls = (0..8).map(|_| {
        let (client, request) = (server.client(), request.clone());
        tokio::spawn(async move { client.new_table(request).await })
    });
    let mut made = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        made.push(call.await.unwrap());
    }
    made.dedup();
    assert_eq!(made.len(), 1, "{made:?}");
    let listed = server.client().list_tables(v1::ListTablesRequest::default()).await.unwrap();
    assert_eq!(listed.tables.len(), 1);
}

#[tokio::test]
async fn request_ids_are_per_owner() {
    let scopes = [Scope::Tables, Scope::Play, Scope::SeededTables];
    let (anna, ben) = (api_key("anna", &scopes), api_key("ben", &scopes));
    let server = TestServer::with_keys([&anna, &ben]).await;
    let request = v1::CreateTableRequest { request_id: id("mine"), ..gap(2) };
    let one = server.client_with_key(&anna).new_table(request.clone()).await;
    let two = server.client_with_key(&ben).new_table(request).await;
    assert_ne!(one, two);
}

#[tokio::test]
async fn join_table_is_idempotent_by_request_id() {
    let server = TestServer::new().await;
    let client = server.client();
    let table = client.new_table(gap(3)).await;
    let request =
        v1::JoinTableRequest { request_id: secret_id("sit"), display_name: id("Una"), ..join(&table) };
    let joined = client.join_table(request.clone()).await.unwrap();
    let again = client.join_table(request.clone()).await.unwrap();
    assert_eq!((joined.seat, &joined.seat_token), (again.seat, &again.seat_token));
    let different = v1::JoinTableRequest { display_name: id("Ugo"), ..request.clone() };
    assert_eq!(error_reason(client.join_table(different).await), Reason::RequestIdReused);
    let other = v1::JoinTableRequest { request_id: secret_id("sit too"), ..request.clone() };
    assert_eq!(client.join_table(other).await.unwrap().seat, 1);
    // After the start of the game, too.
    client.join_table(join(&table)).await.unwrap();
    let late = client.join_table(request).await.unwrap();
    assert_eq!((late.seat, late.seat_token), (joined.seat, joined.seat_token));
    assert_eq!(late.table.unwrap().state(), v1::TableState::Playing);
}

/// The table, the name and the entropy of a player are public, and a request id may be guessed or overheard.
#[tokio::test]
async fn join_table_replayed_by_a_stranger_does_not_give_the_seat_token() {
    let (anna, pia, mallory) = (
        api_key("anna", &[Scope::Tables]),
        api_key("pia", &[Scope::Play]),
        api_key("mallory", &[Scope::Play, Scope::Tables]),
    );
    let pia_later = api_key("pia", &[Scope::Play]);
    let server = TestServer::with_keys([&anna, &pia, &pia_later, &mallory]).await;
    let table = server.client_with_key(&anna).new_table(fresh(gap(3))).await;
    let request = v1::JoinTableRequest {
        request_id: id("sit"),
        display_name: id("Pia"),
        entropy_commitment: vec![5; 32],
        ..join(&table)
    };
    let joined = server.client_with_key(&pia).join_table(request.clone()).await.unwrap();
    let replayed = server.client_with_key(&mallory).join_table(request.clone()).await;
    assert_eq!(error_reason(replayed), Reason::RequestIdReused);
    let by_the_owner = server.client_with_key(&anna).join_table(request.clone()).await;
    assert_eq!(error_reason(by_the_owner), Reason::RequestIdReused, "bound to the owner of the player's key");
    // The player's own repeat, over a new connection and with a key that has replaced the first one.
    let again = server.client_with_key(&pia_later).join_table(request).await.unwrap();
    assert_eq!((again.seat, again.seat_token), (joined.seat, joined.seat_token));
}

/// A player without a key joins a rematch with the token of the seat before, which a stranger does not have.
#[tokio::test]
async fn join_of_a_rematch_is_idempotent_without_a_key() {
    let anna = api_key("anna", &[Scope::Tables]);
    let server = TestServer::with_keys([&anna]).await;
    let (owner, anyone) = (server.client_with_key(&anna), server.client());
    let seated = owner.new_seated_table(private(fresh(gap(2)))).await;
    owner.cancel_table(cancel(&seated.id)).await.unwrap();
    let new = owner.rematch(rematch(&seated.id)).await.unwrap().table.unwrap().table_id;
    let request = v1::JoinTableRequest {
        request_id: id("back"),
        previous_token: seated.tokens[1].clone(),
        ..join(&new)
    };
    let joined = anyone.join_table(request.clone()).await.unwrap();
    assert_eq!(anyone.join_table(request.clone()).await.unwrap().seat_token, joined.seat_token);
    let stranger = v1::JoinTableRequest { previous_token: String::new(), ..request };
    assert_eq!(error_reason(anyone.join_table(stranger).await), Reason::CredentialsMissing);
}

/// Without keys everyone is the same owner: the id is all that a stranger does not know.
#[tokio::test]
async fn request_id_of_a_seat_has_128_bits_on_a_server_without_keys() {
    let server = TestServer::new().await;
    let client = server.client();
    let table = client.new_table(gap(3)).await;
    for guessable in ["1", "Una", "seat 1 of the table 7"] {
        let request = v1::JoinTableRequest { request_id: id(guessable), ..join(&table) };
        let refused = client.join_table(request).await.expect_err("a request id that can be guessed");
        assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec![id("request_id")]));
        let request = v1::ReissueSeatTokenRequest { request_id: id(guessable), ..reissue(&table, 0) };
        let refused = client.reissue_seat_token(request).await.expect_err("a request id that can be guessed");
        assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec![id("request_id")]));
    }
    for random in ["6f1c0f64-21c5-44e4-9d5e-0d9a4c1f7b3e", "bxwPZCHFROSdXg2aTB97Pg"] {
        let request = v1::JoinTableRequest { request_id: id(random), ..join(&table) };
        client.join_table(request).await.expect("a UUID, and 128 bits in base64");
    }
}

#[tokio::test]
async fn reissue_seat_token_is_idempotent_by_request_id() {
    let server = TestServer::new().await;
    let client = server.client();
    let seated = server.new_seated_table(gap(2)).await;
    let request = v1::ReissueSeatTokenRequest { request_id: secret_id("lost"), ..reissue(&seated.id, 0) };
    let token = client.reissue_seat_token(request.clone()).await.unwrap();
    assert_eq!(client.reissue_seat_token(request.clone()).await.unwrap(), token);
    let next = v1::ReissueSeatTokenRequest { request_id: secret_id("lost again"), ..request };
    assert_ne!(client.reissue_seat_token(next.clone()).await.unwrap(), token);
    assert_ne!(client.reissue_seat_token(reissue(&seated.id, 0)).await.unwrap(), token);
}

#[tokio::test]
async fn replace_seat_is_idempotent_by_request_id() {
    let server = TestServer::new().await;
    let client = server.client();
    let seated = server.new_seated_table(gap(3)).await;
    let request = v1::ReplaceSeatRequest { request_id: id("bot"), ..replace(&seated.id, 0, "random") };
    client.replace_seat(request.clone()).await.unwrap();
    assert!(client.replace_seat(request.clone()).await.is_ok());
    let different =
        v1::ReplaceSeatRequest { house_bot: Some(crate::table_requests::bot("greedy")), ..request.clone() };
    assert_eq!(error_reason(client.replace_seat(different).await), Reason::RequestIdReused);
    let other = v1::ReplaceSeatRequest { request_id: id("bot 2"), ..request };
    assert_eq!(error_reason(client.replace_seat(other).await), Reason::SeatTaken);
}

#[tokio::test]
async fn table_has_one_rematch_for_all_request_ids() {
    let server = TestServer::new().await;
    let client = server.client();
    let seated = server.new_seated_table(gap(2)).await;
    client.cancel_table(cancel(&seated.id)).await.unwrap();
    let request = v1::RematchRequest { request_id: id("again"), ..rematch(&seated.id) };
    let made = client.rematch(request.clone()).await.unwrap();
    assert_eq!(client.rematch(request.clone()).await.unwrap(), made);
    let other = v1::RematchRequest { request_id: id("another id"), ..request };
    assert_eq!(client.rematch(other).await.unwrap().table.unwrap().table_id, made.table.unwrap().table_id);
}

#[tokio::test]
async fn request_id_has_up_to_64_printable_ascii_characters() {
    let server = TestServer::new().await;
    let client = server.client();
    for wrong in ["x".repeat(65), id("tab\there"), id("ümlaut"), id("\u{0}")] {
        let request = v1::CreateTableRequest { request_id: wrong.clone(), ..gap(2) };
        let refused = client.create_table(request).await.expect_err("an invalid request id");
        assert_eq!(
            (refused.reason, refused.fields),
            (Reason::InvalidField, vec![id("request_id")]),
            "{wrong:?}"
        );
    }
    let longest = v1::CreateTableRequest { request_id: "~".repeat(64), ..gap(2) };
    assert!(client.create_table(longest).await.is_ok());
}
