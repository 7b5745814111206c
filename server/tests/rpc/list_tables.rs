//! Listing tables: filters, pages, and what is nobody else's business.

use std::collections::BTreeSet;

use parlor_engine::GameId;
use parlor_proto::v1::{self, ErrorReason as Reason, TableState as State};
use parlor_server::identity::Scope;

use crate::client::Caller;
use crate::table_requests::{cancel, gap, join, open, private, reserved, table};
use crate::test_server::{Scene, key, ms};

const OWNER: &[Scope] = &[Scope::Tables, Scope::Play, Scope::SeededTables];

/// The names that the tests give to tables, in the owner's notes.
const NAME: &str = "name";

fn named(name: &str, request: v1::CreateTableRequest) -> v1::CreateTableRequest {
    let metadata = [(NAME.to_owned(), name.to_owned()), ("kind".to_owned(), "test".to_owned())];
    v1::CreateTableRequest { metadata: metadata.into(), ..request }
}

/// All pages of a listing, put together.
async fn list(caller: &Caller, mut request: v1::ListTablesRequest) -> Vec<v1::Table> {
    let mut all = Vec::new();
    loop {
        let page = caller.list_tables(request.clone()).await.expect("a page");
        let most = if request.page_size == 0 { 20 } else { request.page_size };
        assert!(page.tables.len() <= most as usize);
        all.extend(page.tables);
        if page.next_page_token.is_empty() {
            return all;
        }
        request.page_token = page.next_page_token;
    }
}

/// Tables of two owners, in every state that can be brought about by asking; the ids by their names.
async fn some_tables(scene: &Scene, anna: &Caller, ben: &Caller) -> Vec<(&'static str, String)> {
    let mut ids = Vec::new();
    let mut note = |name, id: &str| ids.push((name, id.to_owned()));
    note("open", &anna.make(named("open", gap(2))).await);
    let seats = vec![reserved("u1", "Una"), reserved("u2", "")];
    let kept = anna.make(named("kept", v1::CreateTableRequest { seats: seats.clone(), ..gap(2) })).await;
    note("kept", &kept);
    note("hidden", &anna.make(named("hidden", private(gap(2)))).await);
    note("playing", &anna.seat_all(named("playing", gap(2))).await.id);
    let over = anna.seat_all(named("finished", gap(2))).await;
    scene.play_seats(&over).await;
    note("finished", &over.id);
    let cancelled = anna.make(named("cancelled", table(GameId::Flush, 2))).await;
    anna.cancel_table(cancel(&cancelled)).await.expect("it can be done");
    note("cancelled", &cancelled);
    let expired =
        anna.make(v1::CreateTableRequest { fill_ms: Some(1_000), ..named("expired", gap(2)) }).await;
    note("expired", &expired);
    scene.advance(ms(1_000));
    crate::test_server::until("expired", async || anna.look(&expired).await.state() == State::Expired).await;
    note("other", &ben.make(named("other", table(GameId::NoDice, 4))).await);
    note("other hidden", &ben.make(private(gap(2))).await);
    let filled = v1::CreateTableRequest { seats: vec![open(), reserved("u9", "")], ..gap(2) };
    let filled = anna.make(named("one left", filled)).await;
    anna.join_table(join(&filled)).await.expect("it can be done");
    note("one left", &filled);
    ids
}

fn everything() -> v1::ListTablesRequest {
    v1::ListTablesRequest::default()
}

#[tokio::test]
async fn filters_find_what_they_say() {
    let (anna, ben) = (key("anna", OWNER), key("ben", OWNER));
    let scene = Scene::with_keys([&anna, &ben]).await;
    let (owner, other, nobody) = (scene.holder(&anna), scene.holder(&ben), scene.anyone());
    let ids = some_tables(&scene, &owner, &other).await;
    let states = |states: &[State]| v1::ListTablesRequest {
        states: states.iter().map(|state| (*state).into()).collect(),
        ..everything()
    };
    let game = |game: &str| v1::ListTablesRequest { game: game.to_owned(), ..everything() };
    let user = |user: &str| v1::ListTablesRequest { user_id: user.to_owned(), ..everything() };
    let notes = |notes: &[(&str, &str)]| v1::ListTablesRequest {
        metadata: notes.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        ..everything()
    };
    let owned = v1::ListTablesRequest { owned: true, ..everything() };
    let open_seat = v1::ListTablesRequest { open_seat: true, ..everything() };
    let public = ["open", "kept", "playing", "finished", "cancelled", "expired", "other", "one left"];
    let of_anna = ["open", "kept", "hidden", "playing", "finished", "cancelled", "expired", "one left"];
    let cases: Vec<(&Caller, v1::ListTablesRequest, Vec<&str>)> = vec![
        (&nobody, everything(), public.to_vec()),
        (&owner, everything(), [&public[..], &["hidden"]].concat()),
        (&other, everything(), [&public[..], &["other hidden"]].concat()),
        (&owner, owned.clone(), of_anna.to_vec()),
        (&other, owned.clone(), vec!["other", "other hidden"]),
        (&nobody, states(&[State::Open]), vec!["open", "kept", "other", "one left"]),
        (&nobody, states(&[State::Playing, State::Finished]), vec!["playing", "finished"]),
        (&nobody, states(&[State::Expired, State::Expired]), vec!["expired"]),
        (&nobody, states(&[State::Faulted]), vec![]),
        (&nobody, game("flush"), vec!["cancelled"]),
        (&nobody, game("no_dice"), vec!["other"]),
        (&nobody, game("habe_fertig"), vec![]),
        (&nobody, open_seat.clone(), vec!["open", "other"]),
        (&owner, open_seat, vec!["open", "other", "hidden"]),
        (&owner, user("u1"), vec!["kept"]),
        (&owner, user("u9"), vec!["one left"]),
        (&owner, user("u3"), vec![]),
        (&other, user("u1"), vec![]),
        (&owner, notes(&[(NAME, "playing")]), vec!["playing"]),
        (&owner, notes(&[("kind", "test")]), of_anna.to_vec()),
        (&owner, notes(&[(NAME, "open"), ("kind", "test")]), vec!["open"]),
        (&owner, notes(&[(NAME, "open"), ("kind", "other")]), vec![]),
        (&other, notes(&[(NAME, "open")]), vec![]),
        (&owner, v1::ListTablesRequest { game: "gap".to_owned(), ..states(&[State::Cancelled]) }, vec![]),
    ];
    for (caller, request, names) in cases {
        let found = list(caller, request.clone()).await;
        let found: BTreeSet<&str> = found.iter().map(|table| table.table_id.as_str()).collect();
        let wanted = ids.iter().filter(|(name, _)| names.contains(name)).map(|(_, id)| id.as_str());
        assert_eq!(found, wanted.collect(), "{names:?} by {request:?}");
    }
    for caller in [&owner, &other, &nobody] {
        for table in list(caller, everything()).await {
            assert_eq!(caller.look(&table.table_id).await, table, "listed as it is shown");
        }
    }
}

#[tokio::test]
async fn pages_have_every_table_once_and_the_newest_first() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut made = Vec::new();
    for count in 0..23_u64 {
        // Some in the same millisecond, some not.
        scene.advance(ms(count % 3));
        made.push(caller.make(gap(2)).await);
    }
    for page_size in [0, 1, 2, 7, 22, 23, 24, 100] {
        let found = list(&caller, v1::ListTablesRequest { page_size, ..everything() }).await;
        let ids: BTreeSet<&str> = found.iter().map(|table| table.table_id.as_str()).collect();
        assert_eq!((found.len(), ids), (23, made.iter().map(String::as_str).collect()), "{page_size}");
        let time = |table: &v1::Table| table.create_time.map(|time| (time.seconds, time.nanos));
        assert!(found.is_sorted_by(|newer, older| time(newer) >= time(older)), "{page_size}");
    }
    // A table that is made between two pages is in neither, and moves nothing.
    let two = v1::ListTablesRequest { page_size: 2, ..everything() };
    let first = caller.list_tables(two.clone()).await.unwrap();
    scene.advance(ms(1));
    caller.make(gap(2)).await;
    let rest = v1::ListTablesRequest { page_token: first.next_page_token, page_size: 100, ..two };
    assert_eq!(first.tables.len() + list(&caller, rest).await.len(), 23);
}

#[tokio::test]
async fn a_filter_that_finds_little_still_finds_all_of_it() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let mut wanted = BTreeSet::new();
    for count in 0..30 {
        let id = caller.make(named(if count % 10 == 0 { "rare" } else { "usual" }, gap(2))).await;
        if count % 10 == 0 {
            wanted.insert(id);
        }
    }
    for page_size in [1, 2, 3, 20] {
        let metadata = [(NAME.to_owned(), "rare".to_owned())].into();
        let found = list(&caller, v1::ListTablesRequest { metadata, page_size, ..everything() }).await;
        assert_eq!(found.into_iter().map(|table| table.table_id).collect::<BTreeSet<_>>(), wanted);
    }
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused() {
    let anna = key("anna", OWNER);
    let scene = Scene::with_keys([&anna]).await;
    let owner = scene.holder(&anna);
    let wrong = |field: &str| (Reason::InvalidField, vec![field.to_owned()]);
    let other = |reason| (reason, Vec::new());
    let notes = (0..17).map(|number| (number.to_string(), String::new())).collect();
    let cases = [
        (v1::ListTablesRequest { page_size: 101, ..everything() }, wrong("page_size")),
        (v1::ListTablesRequest { page_token: "x".to_owned(), ..everything() }, wrong("page_token")),
        (v1::ListTablesRequest { states: vec![0], ..everything() }, wrong("states[0]")),
        (v1::ListTablesRequest { states: vec![1, 99], ..everything() }, wrong("states[1]")),
        (v1::ListTablesRequest { user_id: "u".repeat(129), ..everything() }, wrong("user_id")),
        (v1::ListTablesRequest { metadata: notes, ..everything() }, wrong("metadata")),
        (v1::ListTablesRequest { game: "chess".to_owned(), ..everything() }, other(Reason::GameNotFound)),
    ];
    for (request, expected) in cases {
        let refused = owner.list_tables(request.clone()).await.expect_err("not like that");
        assert_eq!((refused.reason, refused.fields), expected, "{request:?}");
    }
    let about_own = [
        v1::ListTablesRequest { owned: true, ..everything() },
        v1::ListTablesRequest { user_id: "u1".to_owned(), ..everything() },
        v1::ListTablesRequest { metadata: [(NAME.to_owned(), String::new())].into(), ..everything() },
    ];
    for request in about_own {
        let refused = scene.anyone().list_tables(request).await.expect_err("whose own?");
        assert_eq!(refused.reason, Reason::CredentialsMissing);
    }
}
