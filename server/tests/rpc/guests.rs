//! Guests: callers without a key on a server with keys, their quota, and the owner token of a table.

use parlor_proto::v1::{self, ErrorReason as Reason};
use parlor_server::config::{Count, Settings};
use parlor_server::identity::{NewKey, Scope};

use crate::client::{Client, error_reason};
use crate::table_requests::{
    accept, cancel, clock, delete, fresh, gap, get, house, join, new_invite, open, private, reissue, rematch,
    replace, reserved, resign, resign_by_owner, spectator_token, timed,
};
use crate::test_server::{TestServer, api_key, ms, wait_until};

const OWNER: &[Scope] = &[Scope::Tables, Scope::Play, Scope::SeededTables];

async fn server_with_guests(anna: &NewKey, change: impl FnOnce(&mut Settings)) -> TestServer {
    TestServer::with_settings(|settings| {
        settings.keys = vec![anna.entry.clone()];
        settings.web.guests = true;
        change(settings);
    })
    .await
}

/// A guest's table: its id, and a client with its owner token.
async fn guest_table(server: &TestServer, request: v1::CreateTableRequest) -> (String, Client) {
    let made = server.client().create_table(fresh(request)).await.expect("a table");
    assert!(made.owner_token.starts_with("plo_"));
    (made.table.expect("a table").table_id, server.client_with_key_text(&made.owner_token))
}

#[tokio::test]
async fn guests_are_refused_unless_the_setting_admits_them() {
    let anna = api_key("anna", OWNER);
    let server = TestServer::with_keys([&anna]).await;
    assert_eq!(error_reason(server.client().create_table(fresh(gap(2))).await), Reason::CredentialsMissing);
    let open_server = TestServer::new().await;
    let made = open_server.client().create_table(fresh(gap(2))).await.expect("a table");
    assert_eq!(made.owner_token, "", "on a server without keys everyone is the owner");
    let server = server_with_guests(&anna, |_| {}).await;
    let made = server.client_with_key(&anna).create_table(fresh(gap(2))).await.expect("a table");
    assert_eq!(made.owner_token, "", "a key is enough");
}

#[tokio::test]
async fn owner_token_does_what_the_key_of_the_owner_would() {
    let anna = api_key("anna", OWNER);
    let server = server_with_guests(&anna, |_| {}).await;
    let (id, owner) = guest_table(&server, private(gap(3))).await;
    assert!(owner.table(&id).await.owned);
    let own = owner.join_table(join(&id)).await.expect("a seat").seat_token;
    let invite = owner.create_invite(new_invite(&id)).await.expect("an invite").secret;
    let friend = server.client().join_table(accept(&invite)).await.expect("a seat");
    owner.create_spectator_token(spectator_token(&id, false)).await.expect("a token");
    owner.reissue_seat_token(reissue(&id, friend.seat)).await.expect("a token");
    let table = owner.replace_seat(replace(&id, 2, "random")).await.expect("an accepted request").table;
    assert!(table.expect("a table").owned);
    owner.resign_seat(resign_by_owner(&id, friend.seat)).await.expect("an accepted request");
    server.client().resign_seat(resign(&own)).await.expect("an accepted request");
    wait_until("the end", async || owner.table(&id).await.result.is_some()).await;

    let again = owner.rematch(rematch(&id)).await.expect("a rematch");
    let next = again.table.expect("a table");
    assert!(next.owned);
    let next_owner = server.client_with_key_text(&again.owner_token);
    next_owner.cancel_table(cancel(&next.table_id)).await.expect("an accepted request");
    assert_eq!(error_reason(owner.cancel_table(cancel(&next.table_id)).await), Reason::TableNotFound);
    owner.delete_table(delete(&id)).await.expect("an accepted request");
    assert_eq!(error_reason(owner.get_table(get(&id)).await), Reason::TableNotFound);
}

#[tokio::test]
async fn guests_of_one_address_neither_see_nor_rule_each_others_tables() {
    let anna = api_key("anna", OWNER);
    let server = server_with_guests(&anna, |_| {}).await;
    let (hidden, _) = guest_table(&server, private(gap(2))).await;
    let (public, _) = guest_table(&server, gap(2)).await;
    let keyed = server.client_with_key(&anna).new_table(fresh(gap(2))).await;
    let (own, stranger) = guest_table(&server, gap(2)).await;
    for client in [&stranger, &server.client()] {
        assert_eq!(error_reason(client.get_table(get(&hidden)).await), Reason::TableNotFound);
        assert_eq!(error_reason(client.join_table(join(&hidden)).await), Reason::TableNotFound);
        assert!(!client.table(&public).await.owned);
        let listed = client.list_tables(v1::ListTablesRequest::default()).await.expect("a list").tables;
        assert!(listed.iter().all(|table| table.table_id != hidden));
        assert!(listed.iter().all(|table| !table.owned || table.table_id == own));
    }
    assert_eq!(error_reason(stranger.cancel_table(cancel(&hidden)).await), Reason::TableNotFound);
    assert_eq!(error_reason(stranger.create_invite(new_invite(&hidden)).await), Reason::TableNotFound);
    assert_eq!(error_reason(stranger.create_invite(new_invite(&public)).await), Reason::NotOwner);
    assert_eq!(error_reason(stranger.replace_seat(replace(&public, 0, "random")).await), Reason::NotOwner);
    assert_eq!(error_reason(stranger.cancel_table(cancel(&keyed)).await), Reason::NotOwner);
    // Nothing that is about all tables of an owner.
    assert_eq!(error_reason(stranger.follow_tables(None).await), Reason::CredentialsMissing);
    let owned = v1::ListTablesRequest { owned: true, ..v1::ListTablesRequest::default() };
    assert_eq!(error_reason(stranger.list_tables(owned).await), Reason::CredentialsMissing);
    let user = v1::JoinTableRequest { user_id: "u1".to_owned(), ..join(&public) };
    assert_eq!(error_reason(stranger.join_table(user).await), Reason::NotOwner);
}

#[tokio::test]
async fn forged_owner_tokens_are_refused() {
    let anna = api_key("anna", OWNER);
    let server = server_with_guests(&anna, |_| {}).await;
    let made = server.client().create_table(fresh(gap(2))).await.expect("a table");
    let id = made.table.expect("a table").table_id;
    let mut forged = made.owner_token.into_bytes();
    let last = forged.len() - 3;
    forged[last] = if forged[last] == b'A' { b'B' } else { b'A' };
    let forged = String::from_utf8(forged).expect("ASCII");
    for wrong in [forged.as_str(), "plo_", "plo_AAAA"] {
        let client = server.client_with_key_text(wrong);
        assert_eq!(error_reason(client.cancel_table(cancel(&id)).await), Reason::TokenInvalid, "{wrong}");
        assert_eq!(error_reason(client.get_table(get(&id)).await), Reason::TokenInvalid, "{wrong}");
    }
}

#[tokio::test]
async fn guests_take_seats_at_public_tables_of_guests_alone() {
    let anna = api_key("anna", OWNER);
    let server = server_with_guests(&anna, |_| {}).await;
    let keyed = server.client_with_key(&anna).new_table(fresh(gap(2))).await;
    let (of_guest, _) = guest_table(&server, gap(2)).await;
    let guest = server.client();
    assert_eq!(error_reason(guest.join_table(join(&keyed)).await), Reason::CredentialsMissing);
    assert_eq!(guest.join_table(join(&of_guest)).await.expect("a seat").seat, 0);
    let guessable = v1::JoinTableRequest { request_id: "1".to_owned(), ..join(&of_guest) };
    assert_eq!(error_reason(guest.join_table(guessable).await), Reason::InvalidField);
}

#[tokio::test]
async fn guests_have_a_quota_of_open_tables_and_an_hourly_rate() {
    let anna = api_key("anna", OWNER);
    let server = server_with_guests(&anna, |settings| {
        settings.web.guest_tables = Count::new(3);
        settings.web.guest_tables_per_hour = Count::new(6);
    })
    .await;
    let guest = server.client();
    let mut owners = Vec::new();
    for _ in 0..3 {
        owners.push(guest_table(&server, gap(2)).await);
    }
    let refused = guest.create_table(fresh(gap(2))).await.expect_err("too many tables in a short time");
    assert_eq!((refused.reason, refused.retry), (Reason::RateLimited, Some(ms(600_000))));
    server.advance(ms(600_000));
    assert_eq!(error_reason(guest.create_table(fresh(gap(2))).await), Reason::TooManyTables);
    let (first, owner) = owners.remove(0);
    owner.cancel_table(cancel(&first)).await.expect("an accepted request");
    server.advance(ms(600_000));
    let (last, last_owner) = guest_table(&server, gap(2)).await;
    // A rematch takes from the same quota and rate.
    last_owner.cancel_table(cancel(&last)).await.expect("an accepted request");
    assert_eq!(error_reason(last_owner.rematch(rematch(&last)).await), Reason::RateLimited);
    server.client_with_key(&anna).new_table(fresh(gap(2))).await;
}

#[tokio::test]
async fn quota_of_guests_survives_a_restart() {
    let anna = api_key("anna", OWNER);
    let server = server_with_guests(&anna, |settings| settings.web.guest_tables = Count::new(2)).await;
    guest_table(&server, gap(2)).await;
    guest_table(&server, gap(2)).await;
    let server = server.restart(ms(0), async |log| log).await;
    assert_eq!(error_reason(server.client().create_table(fresh(gap(2))).await), Reason::TooManyTables);
}

#[tokio::test]
async fn table_of_a_guest_has_a_clock_and_neither_agents_nor_users() {
    let anna = api_key("anna", OWNER);
    let server = server_with_guests(&anna, |_| {}).await;
    let guest = server.client();
    let endless = v1::CreateTableRequest { fill_ms: Some(2_592_000_000), ..fresh(gap(2)) };
    let table = guest.create_table(endless).await.expect("a table").table.expect("a table");
    assert_eq!(table.clock.expect("a clock").decision_ms, Some(600_000));
    let seconds = |time: Option<prost_types::Timestamp>| time.expect("a time").seconds;
    assert_eq!(seconds(table.expire_time) - seconds(table.create_time), 3_600);
    let slow = timed(clock(2_592_000_000, 2_592_000_000, 2_592_000_000, 1_000), fresh(gap(2)));
    let lowered =
        guest.create_table(slow).await.expect("a table").table.expect("a table").clock.expect("a clock");
    let times = (lowered.decision_ms, lowered.bank_ms, lowered.grace_ms, lowered.forfeit_after);
    assert_eq!(times, (Some(600_000), Some(600_000), Some(600_000), Some(3)));

    let agent = v1::AgentSeat { name: "ada".to_owned(), version: String::new() };
    let agent = v1::SeatSetup { occupant: Some(v1::seat_setup::Occupant::Agent(agent)) };
    for seat in [reserved("u1", ""), agent] {
        let request = v1::CreateTableRequest { seats: vec![open(), seat], ..fresh(gap(2)) };
        let refused = guest.create_table(request).await.expect_err("a seat that guests cannot give");
        assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["seats[1]".to_owned()]));
    }
    let noted = [("note".to_owned(), "x".to_owned())].into();
    let noted = v1::CreateTableRequest { metadata: noted, ..fresh(gap(2)) };
    assert_eq!(error_reason(guest.create_table(noted).await), Reason::InvalidField);
    assert_eq!(error_reason(guest.create_table(gap(2)).await), Reason::ScopeMissing, "a given seed");
    let guessable = v1::CreateTableRequest { request_id: "1".to_owned(), ..fresh(gap(2)) };
    assert_eq!(error_reason(guest.create_table(guessable).await), Reason::InvalidField);
}

#[tokio::test]
async fn repeated_create_table_of_a_guest_gives_the_same_table_and_token() {
    let anna = api_key("anna", OWNER);
    let server = server_with_guests(&anna, |_| {}).await;
    let seats = vec![open(), house("random")];
    let request = v1::CreateTableRequest {
        request_id: "a random id, and kept secret".to_owned(),
        seats,
        ..fresh(gap(2))
    };
    let first = server.client().create_table(request.clone()).await.expect("a table");
    let again = server.client_on_new_connection().await.create_table(request).await.expect("a table");
    assert_eq!(again.owner_token, first.owner_token);
    assert_eq!(again.table.expect("a table").table_id, first.table.expect("a table").table_id);
}
