//! Seat and spectator tokens: access to public and private tables, and revoked tokens.

use parlor_proto::v1::{self, ErrorReason as Reason};
use parlor_server::identity::Scope;

use crate::client::{Client, error_reason};
use crate::streams::{
    PlayStream, answer_index, attach_item, open_follow, play_seat, spectate, spectate_with_token,
};
use crate::table_requests::{
    act, gap, get, join, private, reissue, replace, spectator_token, unknown_table_id,
};
use crate::test_server::{TestServer, api_key};

const OWNER: &[Scope] = &[Scope::Tables, Scope::Play, Scope::SeededTables];

/// Attaches over Play and over Follow: the snapshot, or the reason for which the channel is closed.
async fn try_attach(client: &Client, attach: v1::Attach) -> Result<v1::Snapshot, Reason> {
    let mut stream = PlayStream::open_attached(client, 1, attach.clone()).await;
    let mut reader = open_follow(client, vec![(1, attach)]).await.expect("a stream");
    let over_play = outcome(stream.reader.next_on(1).await);
    let over_follow = outcome(reader.next_on(1).await);
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
async fn public_table_is_visible_to_spectators_without_hands() {
    let anna = api_key("anna", OWNER);
    let server = TestServer::with_keys([&anna]).await;
    let seated = server.client_with_key(&anna).new_seated_table(gap(2)).await;
    let spectator_seen = try_attach(&server.client(), spectate(&seated.id)).await.unwrap();
    let owner_seen = try_attach(&server.client_with_key(&anna), spectate(&seated.id)).await.unwrap();
    assert_eq!(spectator_seen.view, owner_seen.view, "the owner sees what any spectator sees");
    let players_seen = try_attach(&server.client(), play_seat(&seated.tokens[0])).await.unwrap();
    assert_ne!(spectator_seen.view, players_seen.view);
    for seen in [&spectator_seen, &owner_seen, &players_seen] {
        assert!(!seen.table.as_ref().expect("a table").owned, "streams never mark tables as owned");
    }
    assert_eq!(try_attach(&server.client(), spectate(&unknown_table_id())).await, Err(Reason::TableNotFound));
    assert_eq!(try_attach(&server.client(), spectate("?")).await, Err(Reason::InvalidField));
    let no_viewer = v1::Attach { viewer: None, after: None, wants: None };
    assert_eq!(try_attach(&server.client(), no_viewer).await, Err(Reason::InvalidField));
}

#[tokio::test]
async fn private_table_is_visible_only_to_owner_admin_and_token_holders() {
    let (anna, ben) = (api_key("anna", OWNER), api_key("ben", OWNER));
    let root = api_key("root", &[Scope::Admin]);
    let server = TestServer::with_keys([&anna, &ben, &root]).await;
    let (owner, other, admin) =
        (server.client_with_key(&anna), server.client_with_key(&ben), server.client_with_key(&root));
    let seated = owner.new_seated_table(private(gap(2))).await;
    let id = &seated.id;
    for stranger in [&other, &server.client()] {
        assert_eq!(try_attach(stranger, spectate(id)).await, Err(Reason::TableNotFound));
        assert_eq!(error_reason(stranger.get_table(get(id)).await), Reason::TableNotFound);
    }
    assert_eq!(
        error_reason(other.create_spectator_token(spectator_token(id, false)).await),
        Reason::TableNotFound
    );
    for insider in [&owner, &admin] {
        assert!(try_attach(insider, spectate(id)).await.is_ok());
        assert!(insider.get_table(get(id)).await.is_ok());
    }
    for token in &seated.tokens {
        assert!(try_attach(&server.client(), play_seat(token)).await.is_ok(), "a seat token suffices");
        let asked = v1::GetTableRequest { token: token.clone(), ..get(id) };
        assert_eq!(server.client().get_table(asked).await.unwrap().table.unwrap().table_id, *id);
    }

    let token = owner.create_spectator_token(spectator_token(id, false)).await.unwrap().spectator_token;
    let again = owner.create_spectator_token(spectator_token(id, false)).await.unwrap().spectator_token;
    assert_eq!(token, again, "the token is stable until it is revoked");
    assert!(try_attach(&server.client(), spectate_with_token(&token)).await.is_ok());
    let asked = v1::GetTableRequest { token: token.clone(), ..get(id) };
    assert!(server.client().get_table(asked.clone()).await.is_ok());

    // Revoking spectator tokens closes their channels, but not those of players.
    let mut watcher = PlayStream::open(&server.client()).await;
    let two = vec![attach_item(1, spectate_with_token(&token)), attach_item(2, play_seat(&seated.tokens[0]))];
    watcher.send(two).await;
    let number = watcher.reader.snapshot(1).await.number;
    watcher.reader.snapshot(2).await;
    let newer = owner.create_spectator_token(spectator_token(id, true)).await.unwrap().spectator_token;
    assert_ne!(newer, token);
    let closed = watcher.reader.closed(1).await;
    assert_eq!((closed.reason(), closed.number, closed.retry), (Reason::TokenExpired, number, false));
    assert_eq!(try_attach(&server.client(), spectate_with_token(&token)).await, Err(Reason::TokenExpired));
    assert_eq!(error_reason(server.client().get_table(asked).await), Reason::TokenExpired);
    assert!(try_attach(&server.client(), spectate_with_token(&newer)).await.is_ok());
    assert_eq!(watcher.reader.decision(2).await.id, 1);
}

#[tokio::test]
async fn reissued_seat_token_is_refused_everywhere() {
    let anna = api_key("anna", OWNER);
    let server = TestServer::with_keys([&anna]).await;
    let owner = server.client_with_key(&anna);
    let seated = owner.new_seated_table(private(gap(2))).await;
    let (id, old) = (&seated.id, &seated.tokens[0]);
    let mut stream = PlayStream::open_attached(&server.client(), 1, play_seat(old)).await;
    let decision = stream.reader.decision(1).await;
    let new = owner.reissue_seat_token(reissue(id, 0)).await.unwrap().seat_token;
    assert_ne!(new, *old);
    let closed = stream.reader.closed(1).await;
    assert_eq!((closed.reason(), closed.retry), (Reason::TokenExpired, false));

    let anyone = server.client();
    assert_eq!(try_attach(&anyone, play_seat(old)).await, Err(Reason::TokenExpired));
    assert_eq!(error_reason(anyone.act(act(old, answer_index(decision.id, 0))).await), Reason::TokenExpired);
    assert_eq!(
        error_reason(anyone.resign_seat(crate::table_requests::resign(old)).await),
        Reason::TokenExpired
    );
    let asked = v1::GetTableRequest { token: old.clone(), ..get(id) };
    assert_eq!(error_reason(anyone.get_table(asked).await), Reason::TokenExpired);
    let rematch = v1::RematchRequest { seat_token: old.clone(), ..crate::table_requests::rematch(id) };
    assert_eq!(error_reason(anyone.rematch(rematch).await), Reason::TokenExpired);

    stream.send(vec![attach_item(1, play_seat(&new))]).await;
    assert_eq!(stream.reader.decision(1).await.id, decision.id, "the new token continues the same decision");
    assert!(try_attach(&anyone, play_seat(&seated.tokens[1])).await.is_ok(), "the other seat is unaffected");
}

#[tokio::test]
async fn replacement_by_a_bot_revokes_the_seat_token() {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(gap(2)).await;
    let mut stream = PlayStream::open_attached(&server.client(), 1, play_seat(&seated.tokens[0])).await;
    stream.reader.decision(1).await;
    server.client().replace_seat(replace(&seated.id, 0, "greedy")).await.unwrap();
    // The update of the replacement is the last item before the channel closes.
    let update = stream.reader.update(1).await;
    let replaced = update.table_events.first().and_then(|event| event.event.clone());
    assert!(matches!(replaced, Some(v1::table_event::Event::SeatReplaced(_))), "{replaced:?}");
    let closed = stream.reader.closed(1).await;
    assert_eq!((closed.reason(), closed.number), (Reason::TokenExpired, update.number));
    assert_eq!(try_attach(&server.client(), play_seat(&seated.tokens[0])).await, Err(Reason::TokenExpired));
}

#[tokio::test]
async fn tokens_are_bound_to_a_kind_and_a_table() {
    let server = TestServer::new().await;
    let anyone = server.client();
    let (one, other) = (server.new_seated_table(gap(2)).await, server.new_seated_table(gap(2)).await);
    let watcher =
        anyone.create_spectator_token(spectator_token(&one.id, false)).await.unwrap().spectator_token;
    for wrong in ["", "pls_", "plv_x", "\u{1f0cf}", &one.id] {
        assert_eq!(try_attach(&anyone, play_seat(wrong)).await, Err(Reason::TokenInvalid), "{wrong:?}");
        assert_eq!(
            try_attach(&anyone, spectate_with_token(wrong)).await,
            Err(Reason::TokenInvalid),
            "{wrong:?}"
        );
    }
    assert_eq!(try_attach(&anyone, play_seat(&watcher)).await, Err(Reason::TokenInvalid));
    assert_eq!(try_attach(&anyone, spectate_with_token(&one.tokens[0])).await, Err(Reason::TokenInvalid));
    let of_other = v1::GetTableRequest { token: other.tokens[0].clone(), ..get(&one.id) };
    let refused = anyone.get_table(of_other).await.expect_err("a token of another table");
    assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["token".to_owned()]));
    let of_other =
        v1::RematchRequest { seat_token: other.tokens[0].clone(), ..crate::table_requests::rematch(&one.id) };
    assert_eq!(error_reason(anyone.rematch(of_other).await), Reason::InvalidField);
    let of_other = v1::JoinTableRequest { previous_token: other.tokens[0].clone(), ..join(&one.id) };
    assert_eq!(error_reason(anyone.join_table(of_other).await), Reason::TableNotFound);
}

#[tokio::test]
async fn metadata_and_user_ids_are_shown_only_to_the_owner() {
    let (anna, ben) = (api_key("anna", OWNER), api_key("ben", OWNER));
    let server = TestServer::with_keys([&anna, &ben]).await;
    let (owner, other) = (server.client_with_key(&anna), server.client_with_key(&ben));
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
    let id = owner.new_table(request).await;
    let joining = v1::JoinTableRequest { user_id: "u1".to_owned(), ..join(&id) };
    owner.join_table(joining).await.unwrap();
    let users = |table: &v1::Table| -> Vec<(String, String)> {
        use v1::table_seat::Occupant;
        let user = |seat: &v1::TableSeat| match seat.occupant.clone().expect("an occupant") {
            Occupant::Player(player) => (player.user_id, player.display_name),
            Occupant::Reserved(seat) => (seat.user_id, seat.display_name),
            Occupant::Open(_) | Occupant::HouseBot(_) | Occupant::Agent(_) => Default::default(),
        };
        table.seats.iter().map(user).collect()
    };
    let own = owner.table(&id).await;
    assert!(own.owned && own.metadata == metadata.clone().into());
    let named = |user: &str, name: &str| (user.to_owned(), name.to_owned());
    assert_eq!(users(&own), [named("u1", "Una"), named("u2", "Ugo"), named("", "")]);
    for stranger in [&other, &server.client()] {
        let table = stranger.table(&id).await;
        assert!(!table.owned && table.metadata.is_empty());
        assert_eq!(users(&table), [named("", "Una"), named("", "Ugo"), named("", "")]);
        let seen = try_attach(stranger, spectate(&id)).await.unwrap().table.unwrap();
        assert_eq!((users(&seen), seen.metadata.len()), (users(&table), 0));
    }
    let seen = try_attach(&owner, spectate(&id)).await.unwrap().table.unwrap();
    assert!(!seen.owned && seen.metadata.is_empty(), "streams carry no owner data");
}
