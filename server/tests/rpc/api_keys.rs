//! API keys: authentication, scopes, ownership, and quotas.

use parlor_proto::v1::{self, ErrorReason as Reason};
use parlor_server::{
    config::Count,
    identity::{KeySet, Scope},
};

use crate::client::{Client, error_reason};
use crate::streams::{PlayStream, answer_index, spectate};
use crate::table_requests::{
    act, cancel, delete, fresh, gap, get, house, join, private, reissue, rematch, replace, reserved,
    resign_by_owner, spectator_token, unknown_table_id,
};
use crate::test_server::{TestServer, api_key, ms, with_quotas};

const OWNER: &[Scope] = &[Scope::Tables, Scope::Play, Scope::SeededTables];

/// Makes every call that is reserved for owners on this table: the name of each, and its result.
async fn owner_calls(client: &Client, id: &str) -> Vec<(&'static str, Result<(), Reason>)> {
    fn result<T>(result: Result<T, crate::client::RpcError>) -> Result<(), Reason> {
        result.map(|_| ()).map_err(|error| error.reason)
    }
    let user = v1::JoinTableRequest { user_id: "u1".to_owned(), ..join(id) };
    vec![
        ("reissue", result(client.reissue_seat_token(reissue(id, 0)).await)),
        ("spectators", result(client.create_spectator_token(spectator_token(id, false)).await)),
        ("join for a user", result(client.join_table(user).await)),
        ("resign", result(client.resign_seat(resign_by_owner(id, 0)).await)),
        ("replace", result(client.replace_seat(replace(id, 0, "random")).await)),
        ("rematch", result(client.rematch(rematch(id)).await)),
        ("delete", result(client.delete_table(delete(id)).await)),
        ("cancel", result(client.cancel_table(cancel(id)).await)),
    ]
}

#[tokio::test]
async fn owner_calls_are_refused_to_everyone_else() {
    let (anna, ben) = (api_key("anna", OWNER), api_key("ben", OWNER));
    let weak = api_key("anna", &[Scope::Play]);
    let server = TestServer::with_keys([&anna, &ben, &weak]).await;
    let owner = server.client_with_key(&anna);
    let seats = vec![crate::table_requests::open(), reserved("u1", "")];
    let public = owner.new_table(v1::CreateTableRequest { seats: seats.clone(), ..gap(2) }).await;
    let hidden = owner.new_table(private(v1::CreateTableRequest { seats, ..gap(2) })).await;
    for (call, result) in owner_calls(&server.client_with_key(&ben), &public).await {
        assert_eq!(result, Err(Reason::NotOwner), "{call}");
    }
    for (call, result) in owner_calls(&server.client_with_key(&ben), &hidden).await {
        assert_eq!(result, Err(Reason::TableNotFound), "{call}: a private table looks like an unknown one");
    }
    for (call, result) in owner_calls(&server.client(), &public).await {
        assert_eq!(result, Err(Reason::CredentialsMissing), "{call}");
    }
    for (call, result) in owner_calls(&server.client_with_key(&weak), &public).await {
        let expected = if call == "join for a user" { Reason::NotOwner } else { Reason::ScopeMissing };
        assert_eq!(result, Err(expected), "{call}: a key without the scope");
    }
    for (call, result) in owner_calls(&server.client_with_key(&ben), &unknown_table_id()).await {
        assert_eq!(result, Err(Reason::TableNotFound), "{call}");
    }
    let own = owner_calls(&owner, &public).await;
    let refused: Vec<_> = own.iter().filter(|(_, result)| result.is_err()).collect();
    let expected = [
        ("reissue", Err(Reason::SeatVacant)),
        ("resign", Err(Reason::TableNotStarted)),
        ("rematch", Err(Reason::TableNotOver)),
        ("delete", Err(Reason::TableNotOver)),
    ];
    // The game starts with the replacement of seat 0, so the calls before it were made on an open table.
    assert_eq!(refused, expected.iter().collect::<Vec<_>>());
}

#[tokio::test]
async fn admin_scope_manages_every_table() {
    let (anna, root) = (api_key("anna", OWNER), api_key("root", &[Scope::Admin]));
    let server = TestServer::with_keys([&anna, &root]).await;
    let (owner, admin) = (server.client_with_key(&anna), server.client_with_key(&root));
    let id = owner.new_table(private(gap(2))).await;
    admin.replace_seat(replace(&id, 0, "random")).await.unwrap();
    let joined = admin.join_table(join(&id)).await.unwrap();
    assert_eq!(joined.seat, 1);
    let table = admin.cancel_table(cancel(&id)).await.unwrap().table.unwrap();
    assert!(!table.owned, "an admin does not own the table");
    admin.delete_table(delete(&id)).await.unwrap();
    assert_eq!(error_reason(owner.get_table(get(&id)).await), Reason::TableNotFound);
}

#[tokio::test]
async fn calls_without_the_scope_are_refused() {
    let play = api_key("pia", &[Scope::Play]);
    let tables = api_key("tom", &[Scope::Tables]);
    let agents = api_key("ada", &[Scope::Agents]);
    let server = TestServer::with_keys([&play, &tables, &agents]).await;
    let (pia, tom, ada) =
        (server.client_with_key(&play), server.client_with_key(&tables), server.client_with_key(&agents));
    for (client, request, scope) in [
        (&pia, fresh(gap(2)), Some("tables")),
        (&ada, fresh(gap(2)), Some("tables")),
        (&tom, gap(2), Some("seeded_tables")),
        (&tom, fresh(gap(2)), None),
    ] {
        let made = client.create_table(request).await;
        let missing = made.err().map(|refused| {
            assert_eq!(refused.reason, Reason::ScopeMissing);
            refused.metadata["scope"].clone()
        });
        assert_eq!(missing.as_deref(), scope);
    }
    let id = tom.new_table(fresh(gap(3))).await;
    let refused = ada.join_table(join(&id)).await.expect_err("a missing scope");
    assert_eq!((refused.reason, refused.metadata["scope"].as_str()), (Reason::ScopeMissing, "play"));
    assert_eq!(error_reason(server.client().join_table(join(&id)).await), Reason::CredentialsMissing);
    assert_eq!(pia.join_table(join(&id)).await.unwrap().seat, 0);
    assert_eq!(tom.join_table(join(&id)).await.unwrap().seat, 1, "an owner joins its own tables");
    assert_eq!(error_reason(pia.follow_tables(None).await), Reason::ScopeMissing);
    assert_eq!(error_reason(server.client().follow_tables(None).await), Reason::CredentialsMissing);
}

#[tokio::test]
async fn join_table_does_not_reveal_private_tables() {
    let (anna, pia) = (api_key("anna", OWNER), api_key("pia", &[Scope::Play]));
    let tom = api_key("tom", &[Scope::Tables]);
    let server = TestServer::with_keys([&anna, &pia, &tom]).await;
    let hidden = server.client_with_key(&anna).new_table(private(gap(2))).await;
    for stranger in [server.client(), server.client_with_key(&pia), server.client_with_key(&tom)] {
        for request in [join(&hidden), v1::JoinTableRequest { user_id: "u".to_owned(), ..join(&hidden) }] {
            let of_hidden = error_reason(stranger.join_table(request.clone()).await);
            let of_none = v1::JoinTableRequest { table_id: unknown_table_id(), ..request };
            assert_eq!(
                of_hidden,
                error_reason(stranger.join_table(of_none).await),
                "the same reason as for an unknown table"
            );
        }
    }
}

#[tokio::test]
async fn unknown_or_removed_key_is_refused() {
    let (anna, gone) = (api_key("anna", OWNER), api_key("gone", OWNER));
    let server = TestServer::with_keys([&anna]).await;
    for wrong in [gone.text.reveal().as_str(), "", "plr_", "Bearer", &anna.text.reveal()[..20]] {
        let client = server.client_with_key_text(wrong);
        assert_eq!(error_reason(client.create_table(gap(2)).await), Reason::KeyInvalid, "{wrong:?}");
        assert_eq!(error_reason(client.list_games(v1::ListGamesRequest {}).await), Reason::KeyInvalid);
        let stream = PlayStream::try_open(&client).await;
        assert_eq!(error_reason(stream), Reason::KeyInvalid);
    }
    // A removed key is refused from the next call on.
    let client = server.client_with_key(&anna);
    client.new_table(gap(2)).await;
    server.keys.replace(KeySet::new(vec![gone.entry.clone()]).unwrap()).unwrap();
    assert_eq!(error_reason(client.create_table(gap(2)).await), Reason::KeyInvalid);
    assert!(server.client_with_key(&gone).create_table(gap(2)).await.is_ok());
}

#[tokio::test]
async fn players_and_spectators_need_no_key() {
    let anna = api_key("anna", OWNER);
    let server = TestServer::with_keys([&anna]).await;
    let seated = server.client_with_key(&anna).new_seated_table(gap(2)).await;
    let anyone = server.client();
    let mut stream =
        PlayStream::open_attached(&anyone, 1, crate::streams::play_seat(&seated.tokens[0])).await;
    let decision = stream.reader.decision(1).await;
    assert!(anyone.act(act(&seated.tokens[0], answer_index(decision.id, 0))).await.is_ok());
    assert!(anyone.resign_seat(crate::table_requests::resign(&seated.tokens[1])).await.is_ok());
    assert!(anyone.get_table(get(&seated.id)).await.is_ok());
    let mut spectator = PlayStream::open_attached(&anyone, 1, spectate(&seated.id)).await;
    spectator.reader.snapshot(1).await;
}

#[tokio::test]
async fn open_tables_per_key_are_limited() {
    let anna = with_quotas(api_key("anna", OWNER), Some(2), None);
    let ben = api_key("ben", OWNER);
    let server = TestServer::with_settings(|settings| {
        settings.keys = vec![anna.entry.clone(), ben.entry.clone()];
        settings.limits.tables_per_key = Count::new(1);
    })
    .await;
    let (owner, other) = (server.client_with_key(&anna), server.client_with_key(&ben));
    let first = owner.new_table(gap(2)).await;
    let second = owner.new_seated_table(gap(2)).await;
    let refused = owner.create_table(gap(2)).await.expect_err("a quota of two tables");
    assert_eq!((refused.reason, refused.metadata["most"].as_str()), (Reason::TooManyTables, "2"));
    assert_eq!(refused.retry, None, "no retry delay: waiting does not help");
    // Quotas are per key; a key without one has that of the settings.
    other.new_table(gap(2)).await;
    assert_eq!(error_reason(other.create_table(gap(2)).await), Reason::TooManyTables);
    // Cancelled and finished tables do not count.
    owner.cancel_table(cancel(&first)).await.unwrap();
    let third = owner.new_table(gap(2)).await;
    assert_eq!(error_reason(owner.create_table(gap(2)).await), Reason::TooManyTables);
    server.play_seats(&second).await;
    // A rematch counts like any table.
    let again = owner.rematch(rematch(&second.id)).await.unwrap().table.unwrap().table_id;
    assert_eq!(error_reason(owner.create_table(gap(2)).await), Reason::TooManyTables);
    owner.cancel_table(cancel(&third)).await.unwrap();
    owner.cancel_table(cancel(&again)).await.unwrap();
    let bots = v1::CreateTableRequest { seats: vec![house("random"), house("random")], ..gap(2) };
    let mut watching = PlayStream::open_attached(&owner, 1, spectate(&owner.new_table(bots).await)).await;
    watching.reader.snapshot(1).await;
}

#[tokio::test]
async fn requests_per_key_are_rate_limited() {
    let slow = with_quotas(api_key("slow", OWNER), None, Some(2));
    let anna = api_key("anna", OWNER);
    let server = TestServer::with_settings(|settings| {
        settings.keys = vec![slow.entry.clone(), anna.entry.clone()];
        settings.limits.requests_per_second = Count::new(100);
        settings.limits.request_burst = Count::new(150);
    })
    .await;
    let client = server.client_with_key(&slow);
    // Two a second, with the burst in proportion to the settings: 3.
    for _ in 0..3 {
        client.list_games(v1::ListGamesRequest {}).await.unwrap();
    }
    let refused = client.list_games(v1::ListGamesRequest {}).await.expect_err("a rate limit");
    assert_eq!((refused.reason, refused.retry), (Reason::RateLimited, Some(ms(500))));
    assert_eq!(
        error_reason(PlayStream::try_open(&client).await),
        Reason::RateLimited,
        "opening a stream counts as a request"
    );
    assert!(
        server.client_with_key(&anna).list_games(v1::ListGamesRequest {}).await.is_ok(),
        "other keys are unaffected"
    );
    server.advance(ms(500));
    assert!(client.list_games(v1::ListGamesRequest {}).await.is_ok());
    assert_eq!(error_reason(client.list_games(v1::ListGamesRequest {}).await), Reason::RateLimited);
}
