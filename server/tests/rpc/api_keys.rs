//! API keys: who calls, what their key allows, and how much of it.

use parlor_proto::v1::{self, ErrorReason as Reason};
use parlor_server::{
    config::Count,
    identity::{KeySet, Scope},
};

use crate::client::{Caller, why};
use crate::streams::{Line, index, rail};
use crate::table_requests::{
    act, cancel, delete, fresh, gap, get, house, join, no_table, private, reissue, rematch, replace,
    reserved, resign_at, spectators,
};
use crate::test_server::{Scene, key, ms, with_quotas};

const OWNER: &[Scope] = &[Scope::Tables, Scope::Play, Scope::SeededTables];

/// Everything that is for owners, done to this table by this caller; each with the reason for which it is refused.
async fn owners_calls(caller: &Caller, id: &str) -> Vec<(&'static str, Result<(), Reason>)> {
    fn told<T>(answer: Result<T, crate::client::Refused>) -> Result<(), Reason> {
        answer.map(|_| ()).map_err(|refused| refused.reason)
    }
    let user = v1::JoinTableRequest { user_id: "u1".to_owned(), ..join(id) };
    vec![
        ("reissue", told(caller.reissue_seat_token(reissue(id, 0)).await)),
        ("spectators", told(caller.create_spectator_token(spectators(id, false)).await)),
        ("join for a user", told(caller.join_table(user).await)),
        ("resign", told(caller.resign_seat(resign_at(id, 0)).await)),
        ("replace", told(caller.replace_seat(replace(id, 0, "random")).await)),
        ("rematch", told(caller.rematch(rematch(id)).await)),
        ("delete", told(caller.delete_table(delete(id)).await)),
        ("cancel", told(caller.cancel_table(cancel(id)).await)),
    ]
}

#[tokio::test]
async fn a_table_is_run_by_its_owner() {
    let (anna, ben) = (key("anna", OWNER), key("ben", OWNER));
    let weak = key("anna", &[Scope::Play]);
    let scene = Scene::with_keys([&anna, &ben, &weak]).await;
    let owner = scene.holder(&anna);
    let seats = vec![crate::table_requests::open(), reserved("u1", "")];
    let public = owner.make(v1::CreateTableRequest { seats: seats.clone(), ..gap(2) }).await;
    let hidden = owner.make(private(v1::CreateTableRequest { seats, ..gap(2) })).await;
    for (call, told) in owners_calls(&scene.holder(&ben), &public).await {
        assert_eq!(told, Err(Reason::NotOwner), "{call}");
    }
    for (call, told) in owners_calls(&scene.holder(&ben), &hidden).await {
        assert_eq!(told, Err(Reason::TableNotFound), "{call}: not even that it is there");
    }
    for (call, told) in owners_calls(&scene.anyone(), &public).await {
        assert_eq!(told, Err(Reason::CredentialsMissing), "{call}");
    }
    for (call, told) in owners_calls(&scene.holder(&weak), &public).await {
        let expected = if call == "join for a user" { Reason::NotOwner } else { Reason::ScopeMissing };
        assert_eq!(told, Err(expected), "{call}: a key without the scope");
    }
    for (call, told) in owners_calls(&scene.holder(&ben), &no_table()).await {
        assert_eq!(told, Err(Reason::TableNotFound), "{call}");
    }
    let own = owners_calls(&owner, &public).await;
    let refused: Vec<_> = own.iter().filter(|(_, told)| told.is_err()).collect();
    let expected = [
        ("reissue", Err(Reason::SeatVacant)),
        ("resign", Err(Reason::TableNotStarted)),
        ("rematch", Err(Reason::TableNotOver)),
        ("delete", Err(Reason::TableNotOver)),
    ];
    // Replacing seat 0 has begun the game after the user had joined, so what came before is not of that state.
    assert_eq!(refused, expected.iter().collect::<Vec<_>>());
}

#[tokio::test]
async fn an_administrator_runs_every_table() {
    let (anna, root) = (key("anna", OWNER), key("root", &[Scope::Admin]));
    let scene = Scene::with_keys([&anna, &root]).await;
    let (owner, admin) = (scene.holder(&anna), scene.holder(&root));
    let id = owner.make(private(gap(2))).await;
    admin.replace_seat(replace(&id, 0, "random")).await.unwrap();
    let joined = admin.join_table(join(&id)).await.unwrap();
    assert_eq!(joined.seat, 1);
    let table = admin.cancel_table(cancel(&id)).await.unwrap().table.unwrap();
    assert!(!table.owned, "running a table is not owning it");
    admin.delete_table(delete(&id)).await.unwrap();
    assert_eq!(why(owner.get_table(get(&id)).await), Reason::TableNotFound);
}

#[tokio::test]
async fn a_call_needs_the_scope_of_its_key() {
    let play = key("pia", &[Scope::Play]);
    let tables = key("tom", &[Scope::Tables]);
    let agents = key("ada", &[Scope::Agents]);
    let scene = Scene::with_keys([&play, &tables, &agents]).await;
    let (pia, tom, ada) = (scene.holder(&play), scene.holder(&tables), scene.holder(&agents));
    for (caller, request, scope) in [
        (&pia, fresh(gap(2)), Some("tables")),
        (&ada, fresh(gap(2)), Some("tables")),
        (&tom, gap(2), Some("seeded_tables")),
        (&tom, fresh(gap(2)), None),
    ] {
        let made = caller.create_table(request).await;
        let missing = made.err().map(|refused| {
            assert_eq!(refused.reason, Reason::ScopeMissing);
            refused.metadata["scope"].clone()
        });
        assert_eq!(missing.as_deref(), scope);
    }
    let id = tom.make(fresh(gap(3))).await;
    let refused = ada.join_table(join(&id)).await.expect_err("no scope to play");
    assert_eq!((refused.reason, refused.metadata["scope"].as_str()), (Reason::ScopeMissing, "play"));
    assert_eq!(why(scene.anyone().join_table(join(&id)).await), Reason::CredentialsMissing);
    assert_eq!(pia.join_table(join(&id)).await.unwrap().seat, 0);
    assert_eq!(tom.join_table(join(&id)).await.unwrap().seat, 1, "an owner fills its own tables");
    assert_eq!(why(pia.follow_tables(None).await), Reason::ScopeMissing);
    assert_eq!(why(scene.anyone().follow_tables(None).await), Reason::CredentialsMissing);
}

#[tokio::test]
async fn whoever_asks_for_a_seat_does_not_learn_of_private_tables() {
    let (anna, pia) = (key("anna", OWNER), key("pia", &[Scope::Play]));
    let tom = key("tom", &[Scope::Tables]);
    let scene = Scene::with_keys([&anna, &pia, &tom]).await;
    let hidden = scene.holder(&anna).make(private(gap(2))).await;
    for stranger in [scene.anyone(), scene.holder(&pia), scene.holder(&tom)] {
        for request in [join(&hidden), v1::JoinTableRequest { user_id: "u".to_owned(), ..join(&hidden) }] {
            let of_hidden = why(stranger.join_table(request.clone()).await);
            let of_none = v1::JoinTableRequest { table_id: no_table(), ..request };
            assert_eq!(of_hidden, why(stranger.join_table(of_none).await), "it is as if it were not there");
        }
    }
}

#[tokio::test]
async fn a_key_that_is_not_known_opens_nothing() {
    let (anna, gone) = (key("anna", OWNER), key("gone", OWNER));
    let scene = Scene::with_keys([&anna]).await;
    for wrong in [gone.text.reveal().as_str(), "", "plr_", "Bearer", &anna.text.reveal()[..20]] {
        let caller = scene.claiming(wrong);
        assert_eq!(why(caller.create_table(gap(2)).await), Reason::KeyInvalid, "{wrong:?}");
        assert_eq!(why(caller.list_games(v1::ListGamesRequest {}).await), Reason::KeyInvalid);
        let stream = Line::try_open(&caller).await;
        assert_eq!(why(stream), Reason::KeyInvalid);
    }
    // A key that is taken away is gone from the next call on.
    let caller = scene.holder(&anna);
    caller.make(gap(2)).await;
    scene.keys.replace(KeySet::new(vec![gone.entry.clone()]).unwrap()).unwrap();
    assert_eq!(why(caller.create_table(gap(2)).await), Reason::KeyInvalid);
    assert!(scene.holder(&gone).create_table(gap(2)).await.is_ok());
}

#[tokio::test]
async fn players_and_spectators_need_no_key() {
    let anna = key("anna", OWNER);
    let scene = Scene::with_keys([&anna]).await;
    let seated = scene.holder(&anna).seat_all(gap(2)).await;
    let anyone = scene.anyone();
    let mut line = Line::attached(&anyone, 1, crate::streams::seat(&seated.tokens[0])).await;
    let decision = line.heard.decision(1).await;
    assert!(anyone.act(act(&seated.tokens[0], index(decision.id, 0))).await.is_ok());
    assert!(anyone.resign_seat(crate::table_requests::resign(&seated.tokens[1])).await.is_ok());
    assert!(anyone.get_table(get(&seated.id)).await.is_ok());
    let mut guest = Line::attached(&anyone, 1, rail(&seated.id)).await;
    guest.heard.snapshot(1).await;
}

#[tokio::test]
async fn a_key_holds_so_many_open_tables() {
    let anna = with_quotas(key("anna", OWNER), Some(2), None);
    let ben = key("ben", OWNER);
    let scene = Scene::with(|settings| {
        settings.keys = vec![anna.entry.clone(), ben.entry.clone()];
        settings.limits.tables_per_key = Count::of(1);
    })
    .await;
    let (owner, other) = (scene.holder(&anna), scene.holder(&ben));
    let first = owner.make(gap(2)).await;
    let second = owner.seat_all(gap(2)).await;
    let refused = owner.create_table(gap(2)).await.expect_err("two are enough");
    assert_eq!((refused.reason, refused.metadata["most"].as_str()), (Reason::TooManyTables, "2"));
    assert_eq!(refused.retry, None, "waiting does not help");
    // Others have a quota of their own, and that of the settings if their key says nothing.
    other.make(gap(2)).await;
    assert_eq!(why(other.create_table(gap(2)).await), Reason::TooManyTables);
    // What is over is not held: whether it was called off, or played to its end.
    owner.cancel_table(cancel(&first)).await.unwrap();
    let third = owner.make(gap(2)).await;
    assert_eq!(why(owner.create_table(gap(2)).await), Reason::TooManyTables);
    scene.play_seats(&second).await;
    // A rematch is a table like any other.
    let again = owner.rematch(rematch(&second.id)).await.unwrap().table.unwrap().table_id;
    assert_eq!(why(owner.create_table(gap(2)).await), Reason::TooManyTables);
    owner.cancel_table(cancel(&third)).await.unwrap();
    owner.cancel_table(cancel(&again)).await.unwrap();
    let bots = v1::CreateTableRequest { seats: vec![house("random"), house("random")], ..gap(2) };
    let mut watching = Line::attached(&owner, 1, rail(&owner.make(bots).await)).await;
    watching.heard.snapshot(1).await;
}

#[tokio::test]
async fn a_key_asks_so_often() {
    let slow = with_quotas(key("slow", OWNER), None, Some(2));
    let anna = key("anna", OWNER);
    let scene = Scene::with(|settings| {
        settings.keys = vec![slow.entry.clone(), anna.entry.clone()];
        settings.limits.requests_per_second = Count::of(100);
        settings.limits.request_burst = Count::of(150);
    })
    .await;
    let caller = scene.holder(&slow);
    // Two a second, and as much more at once as the settings have it for everyone.
    for _ in 0..3 {
        caller.list_games(v1::ListGamesRequest {}).await.unwrap();
    }
    let refused = caller.list_games(v1::ListGamesRequest {}).await.expect_err("too fast");
    assert_eq!((refused.reason, refused.retry), (Reason::RateLimited, Some(ms(500))));
    assert_eq!(why(Line::try_open(&caller).await), Reason::RateLimited, "a stream is a call");
    assert!(
        scene.holder(&anna).list_games(v1::ListGamesRequest {}).await.is_ok(),
        "others are not concerned"
    );
    scene.advance(ms(500));
    assert!(caller.list_games(v1::ListGamesRequest {}).await.is_ok());
    assert_eq!(why(caller.list_games(v1::ListGamesRequest {}).await), Reason::RateLimited);
}
