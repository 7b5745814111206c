//! ListTables: filters, pages, and visibility.

use std::collections::BTreeSet;

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason, TableState as State};
use parlor_server::identity::Scope;

use crate::client::Client;
use crate::table_requests::{cancel, gap, join, open, private, reserved, table};
use crate::test_server::{TestServer, api_key, ms};

const OWNER: &[Scope] = &[Scope::Tables, Scope::Play, Scope::SeededTables];

/// Metadata key of the name that a test gives to its table.
const NAME: &str = "name";

fn named(name: &str, request: v1::CreateTableRequest) -> v1::CreateTableRequest {
    let metadata = [(NAME.to_owned(), name.to_owned()), ("kind".to_owned(), "test".to_owned())];
    v1::CreateTableRequest { metadata: metadata.into(), ..request }
}

/// All pages of a listing.
async fn list(client: &Client, mut request: v1::ListTablesRequest) -> Vec<v1::Table> {
    let mut all = Vec::new();
    loop {
        let page = client.list_tables(request.clone()).await.expect("a page");
        let max = if request.page_size == 0 { 20 } else { request.page_size };
        assert!(page.tables.len() <= max as usize);
        all.extend(page.tables);
        if page.next_page_token.is_empty() {
            return all;
        }
        request.page_token = page.next_page_token;
    }
}

/// Creates tables of two owners in every state that requests can reach: their names and ids.
async fn create_tables(server: &TestServer, anna: &Client, ben: &Client) -> Vec<(&'static str, String)> {
    let mut ids = Vec::new();
    let mut note = |name, id: &str| ids.push((name, id.to_owned()));
    note("open", &anna.new_table(named("open", gap(2))).await);
    let seats = vec![reserved("u1", "Una"), reserved("u2", "")];
    let kept = anna.new_table(named("kept", v1::CreateTableRequest { seats: seats.clone(), ..gap(2) })).await;
    note("kept", &kept);
    note("hidden", &anna.new_table(named("hidden", private(gap(2)))).await);
    note("playing", &anna.new_seated_table(named("playing", gap(2))).await.id);
    let over = anna.new_seated_table(named("finished", gap(2))).await;
    server.play_seats(&over).await;
    note("finished", &over.id);
    let cancelled = anna.new_table(named("cancelled", table(GameId::FiveThreeFive, 2))).await;
    anna.cancel_table(cancel(&cancelled)).await.expect("an accepted request");
    note("cancelled", &cancelled);
    let expired =
        anna.new_table(v1::CreateTableRequest { fill_ms: Some(1_000), ..named("expired", gap(2)) }).await;
    note("expired", &expired);
    server.advance(ms(1_000));
    crate::test_server::wait_until("expired", async || anna.table(&expired).await.state() == State::Expired)
        .await;
    note("other", &ben.new_table(named("other", table(GameId::NoDice, 4))).await);
    note("other hidden", &ben.new_table(private(gap(2))).await);
    let filled = v1::CreateTableRequest { seats: vec![open(), reserved("u9", "")], ..gap(2) };
    let filled = anna.new_table(named("one left", filled)).await;
    anna.join_table(join(&filled)).await.expect("an accepted request");
    note("one left", &filled);
    ids
}

fn everything() -> v1::ListTablesRequest {
    v1::ListTablesRequest::default()
}

#[tokio::test]
async fn filters_select_by_state_game_owner_user_and_metadata() {
    let (anna, ben) = (api_key("anna", OWNER), api_key("ben", OWNER));
    let server = TestServer::with_keys([&anna, &ben]).await;
    let (owner, other, anonymous) =
        (server.client_with_key(&anna), server.client_with_key(&ben), server.client());
    let ids = create_tables(&server, &owner, &other).await;
    let states = |states: &[State]| v1::ListTablesRequest {
        states: states.iter().map(|state| (*state).into()).collect(),
        ..everything()
    };
    let game = |game: &str| v1::ListTablesRequest { game: game.to_owned(), ..everything() };
    let user = |user: &str| v1::ListTablesRequest { user_id: user.to_owned(), ..everything() };
    let metadata = |metadata: &[(&str, &str)]| v1::ListTablesRequest {
        metadata: metadata.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        ..everything()
    };
    let owned = v1::ListTablesRequest { owned: true, ..everything() };
    let open_seat = v1::ListTablesRequest { open_seat: true, ..everything() };
    let public = ["open", "kept", "playing", "finished", "cancelled", "expired", "other", "one left"];
    let of_anna = ["open", "kept", "hidden", "playing", "finished", "cancelled", "expired", "one left"];
    let cases: Vec<(&Client, v1::ListTablesRequest, Vec<&str>)> = vec![
        (&anonymous, everything(), public.to_vec()),
        (&owner, everything(), [&public[..], &["hidden"]].concat()),
        (&other, everything(), [&public[..], &["other hidden"]].concat()),
        (&owner, owned.clone(), of_anna.to_vec()),
        (&other, owned.clone(), vec!["other", "other hidden"]),
        (&anonymous, states(&[State::Open]), vec!["open", "kept", "other", "one left"]),
        (&anonymous, states(&[State::Playing, State::Finished]), vec!["playing", "finished"]),
        (&anonymous, states(&[State::Expired, State::Expired]), vec!["expired"]),
        (&anonymous, states(&[State::Faulted]), vec![]),
        (&anonymous, game("five_three_five"), vec!["cancelled"]),
        (&anonymous, game("no_dice"), vec!["other"]),
        (&anonymous, game("habe_fertig"), vec![]),
        (&anonymous, open_seat.clone(), vec!["open", "other"]),
        (&owner, open_seat, vec!["open", "other", "hidden"]),
        (&owner, user("u1"), vec!["kept"]),
        (&owner, user("u9"), vec!["one left"]),
        (&owner, user("u3"), vec![]),
        (&other, user("u1"), vec![]),
        (&owner, metadata(&[(NAME, "playing")]), vec!["playing"]),
        (&owner, metadata(&[("kind", "test")]), of_anna.to_vec()),
        (&owner, metadata(&[(NAME, "open"), ("kind", "test")]), vec!["open"]),
        (&owner, metadata(&[(NAME, "open"), ("kind", "other")]), vec![]),
        (&other, metadata(&[(NAME, "open")]), vec![]),
        (&owner, v1::ListTablesRequest { game: "gap".to_owned(), ..states(&[State::Cancelled]) }, vec![]),
    ];
    for (client, request, names) in cases {
        let found = list(client, request.clone()).await;
        let found: BTreeSet<&str> = found.iter().map(|table| table.table_id.as_str()).collect();
        let wanted = ids.iter().filter(|(name, _)| names.contains(name)).map(|(_, id)| id.as_str());
        assert_eq!(found, wanted.collect(), "{names:?} by {request:?}");
    }
    for client in [&owner, &other, &anonymous] {
        for table in list(client, everything()).await {
            assert_eq!(client.table(&table.table_id).await, table, "listed as GetTable shows it");
        }
    }
}

#[tokio::test]
async fn pages_have_every_table_once_newest_first() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut made = Vec::new();
    for count in 0..23_u64 {
        // Several tables share a creation time.
        server.advance(ms(count % 3));
        made.push(client.new_table(gap(2)).await);
    }
    for page_size in [0, 1, 2, 7, 22, 23, 24, 100] {
        let found = list(&client, v1::ListTablesRequest { page_size, ..everything() }).await;
        let ids: BTreeSet<&str> = found.iter().map(|table| table.table_id.as_str()).collect();
        assert_eq!((found.len(), ids), (23, made.iter().map(String::as_str).collect()), "{page_size}");
        let time = |table: &v1::Table| table.create_time.map(|time| (time.seconds, time.nanos));
        assert!(found.is_sorted_by(|newer, older| time(newer) >= time(older)), "{page_size}");
    }
    // A table created between two pages is in neither, and shifts nothing.
    let two = v1::ListTablesRequest { page_size: 2, ..everything() };
    let first = client.list_tables(two.clone()).await.unwrap();
    server.advance(ms(1));
    client.new_table(gap(2)).await;
    let rest = v1::ListTablesRequest { page_token: first.next_page_token, page_size: 100, ..two };
    assert_eq!(first.tables.len() + list(&client, rest).await.len(), 23);
}

#[tokio::test]
async fn sparse_filter_finds_every_match() {
    let server = TestServer::new().await;
    let client = server.client();
    let mut wanted = BTreeSet::new();
    for count in 0..30 {
        let id = client.new_table(named(if count % 10 == 0 { "rare" } else { "usual" }, gap(2))).await;
        if count % 10 == 0 {
            wanted.insert(id);
        }
    }
    for page_size in [1, 2, 3, 20] {
        let metadata = [(NAME.to_owned(), "rare".to_owned())].into();
        let found = list(&client, v1::ListTablesRequest { metadata, page_size, ..everything() }).await;
        assert_eq!(found.into_iter().map(|table| table.table_id).collect::<BTreeSet<_>>(), wanted);
    }
}

#[tokio::test]
async fn invalid_list_requests_are_refused() {
    let anna = api_key("anna", OWNER);
    let server = TestServer::with_keys([&anna]).await;
    let owner = server.client_with_key(&anna);
    let invalid = |field: &str| (Reason::InvalidField, vec![field.to_owned()]);
    let other = |reason| (reason, Vec::new());
    let metadata = (0..17).map(|number| (number.to_string(), String::new())).collect();
    let cases = [
        (v1::ListTablesRequest { page_size: 101, ..everything() }, invalid("page_size")),
        (v1::ListTablesRequest { page_token: "x".to_owned(), ..everything() }, invalid("page_token")),
        (v1::ListTablesRequest { states: vec![0], ..everything() }, invalid("states[0]")),
        (v1::ListTablesRequest { states: vec![1, 99], ..everything() }, invalid("states[1]")),
        (v1::ListTablesRequest { user_id: "u".repeat(129), ..everything() }, invalid("user_id")),
        (v1::ListTablesRequest { metadata, ..everything() }, invalid("metadata")),
        (v1::ListTablesRequest { game: "chess".to_owned(), ..everything() }, other(Reason::GameNotFound)),
    ];
    for (request, expected) in cases {
        let refused = owner.list_tables(request.clone()).await.expect_err("an invalid request");
        assert_eq!((refused.reason, refused.fields), expected, "{request:?}");
    }
    let about_own = [
        v1::ListTablesRequest { owned: true, ..everything() },
        v1::ListTablesRequest { user_id: "u1".to_owned(), ..everything() },
        v1::ListTablesRequest { metadata: [(NAME.to_owned(), String::new())].into(), ..everything() },
    ];
    for request in about_own {
        let refused = server.client().list_tables(request).await.expect_err("a filter that needs an owner");
        assert_eq!(refused.reason, Reason::CredentialsMissing);
    }
}
