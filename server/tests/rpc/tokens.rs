//! Who may see and play: seat tokens, spectators of public and private tables, and tokens that have ended.

use parlor_proto::v1::{self, ErrorReason as Reason};
use parlor_server::identity::Scope;

use crate::client::{Caller, why};
use crate::streams::{Line, attaching, follow, guest, index, rail, seat};
use crate::table_requests::{act, gap, get, join, no_table, private, reissue, replace, spectators};
use crate::test_server::{Scene, key};

const OWNER: &[Scope] = &[Scope::Tables, Scope::Play, Scope::SeededTables];

/// What becomes of attaching: nothing, if it is fine, or the reason for which the channel is closed.
async fn attached(caller: &Caller, attach: v1::Attach) -> Result<v1::Snapshot, Reason> {
    let mut line = Line::attached(caller, 1, attach.clone()).await;
    let mut heard = follow(caller, vec![(1, attach)]).await.expect("a stream");
    let over_play = outcome(line.heard.on(1).await);
    let over_follow = outcome(heard.on(1).await);
    assert_eq!(over_play.is_ok(), over_follow.is_ok());
    over_play
}

fn outcome(item: v1::stream_item::Item) -> Result<v1::Snapshot, Reason> {
    match item {
        v1::stream_item::Item::Snapshot(snapshot) => Ok(*snapshot),
        v1::stream_item::Item::Closed(closed) => {
            assert!(!closed.message.is_empty() && !closed.retry, "{closed:?}");
            Err(closed.reason())
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn anyone_watches_a_public_table_and_sees_no_hand() {
    let anna = key("anna", OWNER);
    let scene = Scene::with_keys([&anna]).await;
    let seated = scene.holder(&anna).seat_all(gap(2)).await;
    let rail_seen = attached(&scene.anyone(), rail(&seated.id)).await.unwrap();
    let owner_seen = attached(&scene.holder(&anna), rail(&seated.id)).await.unwrap();
    assert_eq!(rail_seen.view, owner_seen.view, "also the owner is a spectator, and nothing more");
    let players_seen = attached(&scene.anyone(), seat(&seated.tokens[0])).await.unwrap();
    assert_ne!(rail_seen.view, players_seen.view);
    for seen in [&rail_seen, &owner_seen, &players_seen] {
        assert!(!seen.table.as_ref().expect("a table").owned, "never in what a stream sends");
    }
    assert_eq!(attached(&scene.anyone(), rail(&no_table())).await, Err(Reason::TableNotFound));
    assert_eq!(attached(&scene.anyone(), rail("?")).await, Err(Reason::InvalidField));
    let nobody = v1::Attach { viewer: None, after: None, wants: None };
    assert_eq!(attached(&scene.anyone(), nobody).await, Err(Reason::InvalidField));
}

#[tokio::test]
async fn a_private_table_is_for_those_who_are_let_in() {
    let (anna, ben) = (key("anna", OWNER), key("ben", OWNER));
    let root = key("root", &[Scope::Admin]);
    let scene = Scene::with_keys([&anna, &ben, &root]).await;
    let (owner, other, admin) = (scene.holder(&anna), scene.holder(&ben), scene.holder(&root));
    let seated = owner.seat_all(private(gap(2))).await;
    let id = &seated.id;
    for stranger in [&other, &scene.anyone()] {
        assert_eq!(attached(stranger, rail(id)).await, Err(Reason::TableNotFound));
        assert_eq!(why(stranger.get_table(get(id)).await), Reason::TableNotFound);
    }
    assert_eq!(why(other.create_spectator_token(spectators(id, false)).await), Reason::TableNotFound);
    for insider in [&owner, &admin] {
        assert!(attached(insider, rail(id)).await.is_ok());
        assert!(insider.get_table(get(id)).await.is_ok());
    }
    for token in &seated.tokens {
        assert!(attached(&scene.anyone(), seat(token)).await.is_ok(), "a token is all that a player needs");
        let asked = v1::GetTableRequest { token: token.clone(), ..get(id) };
        assert_eq!(scene.anyone().get_table(asked).await.unwrap().table.unwrap().table_id, *id);
    }

    let token = owner.create_spectator_token(spectators(id, false)).await.unwrap().spectator_token;
    let again = owner.create_spectator_token(spectators(id, false)).await.unwrap().spectator_token;
    assert_eq!(token, again, "any number of people may have it");
    assert!(attached(&scene.anyone(), guest(&token)).await.is_ok());
    let asked = v1::GetTableRequest { token: token.clone(), ..get(id) };
    assert!(scene.anyone().get_table(asked.clone()).await.is_ok());

    // Those who watch are cut off when their tokens end; players and the owner are not.
    let mut watching = Line::open(&scene.anyone()).await;
    let two = vec![attaching(1, guest(&token)), attaching(2, seat(&seated.tokens[0]))];
    watching.say(two).await;
    let number = watching.heard.snapshot(1).await.number;
    watching.heard.snapshot(2).await;
    let newer = owner.create_spectator_token(spectators(id, true)).await.unwrap().spectator_token;
    assert_ne!(newer, token);
    let closed = watching.heard.closed(1).await;
    assert_eq!((closed.reason(), closed.number, closed.retry), (Reason::TokenExpired, number, false));
    assert_eq!(attached(&scene.anyone(), guest(&token)).await, Err(Reason::TokenExpired));
    assert_eq!(why(scene.anyone().get_table(asked).await), Reason::TokenExpired);
    assert!(attached(&scene.anyone(), guest(&newer)).await.is_ok());
    assert_eq!(watching.heard.decision(2).await.id, 1);
}

#[tokio::test]
async fn a_token_that_was_reissued_has_ended_everywhere() {
    let anna = key("anna", OWNER);
    let scene = Scene::with_keys([&anna]).await;
    let owner = scene.holder(&anna);
    let seated = owner.seat_all(private(gap(2))).await;
    let (id, old) = (&seated.id, &seated.tokens[0]);
    let mut line = Line::attached(&scene.anyone(), 1, seat(old)).await;
    let decision = line.heard.decision(1).await;
    let new = owner.reissue_seat_token(reissue(id, 0)).await.unwrap().seat_token;
    assert_ne!(new, *old);
    let closed = line.heard.closed(1).await;
    assert_eq!((closed.reason(), closed.retry), (Reason::TokenExpired, false));

    let anyone = scene.anyone();
    assert_eq!(attached(&anyone, seat(old)).await, Err(Reason::TokenExpired));
    assert_eq!(why(anyone.act(act(old, index(decision.id, 0))).await), Reason::TokenExpired);
    assert_eq!(why(anyone.resign_seat(crate::table_requests::resign(old)).await), Reason::TokenExpired);
    let asked = v1::GetTableRequest { token: old.clone(), ..get(id) };
    assert_eq!(why(anyone.get_table(asked).await), Reason::TokenExpired);
    let rematch = v1::RematchRequest { seat_token: old.clone(), ..crate::table_requests::rematch(id) };
    assert_eq!(why(anyone.rematch(rematch).await), Reason::TokenExpired);

    line.say(vec![attaching(1, seat(&new))]).await;
    assert_eq!(line.heard.decision(1).await.id, decision.id, "the new one goes on where the old one was");
    assert!(attached(&anyone, seat(&seated.tokens[1])).await.is_ok(), "the other seat is not concerned");
}

#[tokio::test]
async fn a_bot_that_takes_over_ends_the_token() {
    let scene = Scene::new().await;
    let seated = scene.seat_all(gap(2)).await;
    let mut line = Line::attached(&scene.anyone(), 1, seat(&seated.tokens[0])).await;
    line.heard.decision(1).await;
    scene.anyone().replace_seat(replace(&seated.id, 0, "greedy")).await.unwrap();
    // The update that says so is the last thing that the player is told.
    let update = line.heard.update(1).await;
    let replaced = update.table_events.first().and_then(|event| event.event.clone());
    assert!(matches!(replaced, Some(v1::table_event::Event::SeatReplaced(_))), "{replaced:?}");
    let closed = line.heard.closed(1).await;
    assert_eq!((closed.reason(), closed.number), (Reason::TokenExpired, update.number));
    assert_eq!(attached(&scene.anyone(), seat(&seated.tokens[0])).await, Err(Reason::TokenExpired));
}

#[tokio::test]
async fn a_token_is_for_one_thing_and_one_table() {
    let scene = Scene::new().await;
    let anyone = scene.anyone();
    let (one, other) = (scene.seat_all(gap(2)).await, scene.seat_all(gap(2)).await);
    let watching = anyone.create_spectator_token(spectators(&one.id, false)).await.unwrap().spectator_token;
    for wrong in ["", "pls_", "plv_x", "\u{1f0cf}", &one.id] {
        assert_eq!(attached(&anyone, seat(wrong)).await, Err(Reason::TokenInvalid), "{wrong:?}");
        assert_eq!(attached(&anyone, guest(wrong)).await, Err(Reason::TokenInvalid), "{wrong:?}");
    }
    assert_eq!(attached(&anyone, seat(&watching)).await, Err(Reason::TokenInvalid));
    assert_eq!(attached(&anyone, guest(&one.tokens[0])).await, Err(Reason::TokenInvalid));
    let of_other = v1::GetTableRequest { token: other.tokens[0].clone(), ..get(&one.id) };
    let refused = anyone.get_table(of_other).await.expect_err("it is of another table");
    assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["token".to_owned()]));
    let of_other =
        v1::RematchRequest { seat_token: other.tokens[0].clone(), ..crate::table_requests::rematch(&one.id) };
    assert_eq!(why(anyone.rematch(of_other).await), Reason::InvalidField);
    let of_other = v1::JoinTableRequest { previous_token: other.tokens[0].clone(), ..join(&one.id) };
    assert_eq!(why(anyone.join_table(of_other).await), Reason::TableNotFound);
}

#[tokio::test]
async fn what_is_the_owners_is_shown_to_the_owner_alone() {
    let (anna, ben) = (key("anna", OWNER), key("ben", OWNER));
    let scene = Scene::with_keys([&anna, &ben]).await;
    let (owner, other) = (scene.holder(&anna), scene.holder(&ben));
    let metadata = [("room".to_owned(), "7".to_owned())];
    let request = v1::CreateTableRequest {
        metadata: metadata.clone().into(),
        seats: vec![
            crate::table_requests::reserved("u1", "Una"),
            crate::table_requests::reserved("u2", "Ugo"),
            crate::table_requests::open(),
        ],
        ..gap(3)
    };
    let id = owner.make(request).await;
    let joining = v1::JoinTableRequest { user_id: "u1".to_owned(), ..join(&id) };
    owner.join_table(joining).await.unwrap();
    let users = |table: &v1::Table| -> Vec<(String, String)> {
        use v1::table_seat::Occupant;
        let user = |seat: &v1::TableSeat| match seat.occupant.clone().expect("an occupant") {
            Occupant::Player(player) => (player.user_id, player.display_name),
            Occupant::Reserved(kept) => (kept.user_id, kept.display_name),
            Occupant::Open(_) | Occupant::HouseBot(_) | Occupant::Agent(_) => Default::default(),
        };
        table.seats.iter().map(user).collect()
    };
    let own = owner.look(&id).await;
    assert!(own.owned && own.metadata == metadata.clone().into());
    let named = |user: &str, name: &str| (user.to_owned(), name.to_owned());
    assert_eq!(users(&own), [named("u1", "Una"), named("u2", "Ugo"), named("", "")]);
    for stranger in [&other, &scene.anyone()] {
        let table = stranger.look(&id).await;
        assert!(!table.owned && table.metadata.is_empty());
        assert_eq!(users(&table), [named("", "Una"), named("", "Ugo"), named("", "")]);
        let seen = attached(stranger, rail(&id)).await.unwrap().table.unwrap();
        assert_eq!((users(&seen), seen.metadata.len()), (users(&table), 0));
    }
    let seen = attached(&owner, rail(&id)).await.unwrap().table.unwrap();
    assert!(!seen.owned && seen.metadata.is_empty(), "a stream has nothing of the owner's");
}
