//! Invites: seats for players without an API key, as an attacker would try to take them, too.

use parlor_proto::v1::{self, ErrorReason as Reason};
use parlor_server::identity::Scope;

use crate::client::{Client, error_reason};
use crate::table_requests::{
    accept, cancel, fresh, gap, get, join, new_invite, open, private, reserved, revoke_invite,
};
use crate::test_server::{TestServer, api_key, ms};

const OWNER: &[Scope] = &[Scope::Tables, Scope::Play];
const REQUEST_ID: &str = "a random id, and kept secret";

/// A server with keys, a client of an owner, and the id of its private table with `players` open seats.
async fn private_table(players: usize) -> (TestServer, Client, String) {
    let anna = api_key("anna", OWNER);
    let server = TestServer::with_keys([&anna]).await;
    let owner = server.client_with_key(&anna);
    let id = owner.new_table(fresh(private(gap(players)))).await;
    (server, owner, id)
}

async fn secret(owner: &Client, request: v1::CreateInviteRequest) -> String {
    owner.create_invite(request).await.expect("an invite").secret
}

fn list(table_id: &str) -> v1::ListInvitesRequest {
    v1::ListInvitesRequest { table_id: table_id.to_owned() }
}

/// The table as the holder of an invite sees it.
async fn look(client: &Client, invite: &str) -> Result<v1::Table, Reason> {
    let request = v1::GetTableRequest { token: invite.to_owned(), ..v1::GetTableRequest::default() };
    let got = client.get_table(request).await.map_err(|error| error.reason)?;
    Ok(got.table.expect("a table"))
}

#[tokio::test]
async fn invite_gives_a_seat_of_a_private_table_without_a_key() {
    let (server, owner, id) = private_table(2).await;
    let invite = secret(&owner, new_invite(&id)).await;
    assert!(invite.starts_with("pli_"), "{invite}");
    let guest = server.client();
    assert_eq!(error_reason(guest.get_table(get(&id)).await), Reason::TableNotFound);
    let table = look(&guest, &invite).await.expect("a table");
    let shuffle = table.shuffle.expect("a shuffle");
    assert_eq!((table.table_id.as_str(), table.owned, shuffle.commitment.len()), (id.as_str(), false, 32));

    let named = v1::JoinTableRequest { display_name: "Gus".to_owned(), ..accept(&invite) };
    let joined = guest.join_table(named).await.expect("a seat");
    assert_eq!((joined.seat, joined.table.expect("a table").table_id), (0, id.clone()));
    owner.join_table(join(&id)).await.expect("a seat");
    let own = v1::GetTableRequest { token: joined.seat_token, ..get(&id) };
    let playing = guest.get_table(own).await.expect("a table").table.expect("a table");
    assert_eq!(playing.state(), v1::TableState::Playing);
    assert_eq!(look(&guest, &invite).await, Err(Reason::TableStarted));
    assert_eq!(error_reason(guest.join_table(accept(&invite)).await), Reason::TableStarted);
    assert_eq!(owner.list_invites(list(&id)).await.expect("a list").invites, [], "they end with the start");
}

#[tokio::test]
async fn repeated_join_spends_no_second_use_and_gives_the_same_seat() {
    let (server, owner, id) = private_table(3).await;
    let invite = secret(&owner, new_invite(&id)).await;
    let request = v1::JoinTableRequest { request_id: REQUEST_ID.to_owned(), ..accept(&invite) };
    let first = server.client().join_table(request.clone()).await.expect("a seat");
    let again = server.client_on_new_connection().await.join_table(request.clone()).await.expect("a seat");
    assert_eq!((again.seat, again.seat_token), (first.seat, first.seat_token.clone()));
    let listed = owner.list_invites(list(&id)).await.expect("a list").invites;
    assert_eq!((listed[0].uses, listed[0].used), (1, 1));
    assert_eq!(error_reason(server.client().join_table(accept(&invite)).await), Reason::InviteSpent);
    assert_eq!(look(&server.client(), &invite).await, Err(Reason::InviteSpent));
    // Also after the invite is revoked: the seat is taken, and its token must not be lost with a reply.
    owner.revoke_invite(revoke_invite(&id, 1)).await.expect("an accepted request");
    let late = server.client().join_table(request.clone()).await.expect("a seat");
    assert_eq!(late.seat_token, first.seat_token);
    // The id alone does not give the token to somebody with another invite.
    let other = secret(&owner, new_invite(&id)).await;
    let stolen = v1::JoinTableRequest { invite: other, ..request };
    assert_eq!(error_reason(server.client().join_table(stolen).await), Reason::RequestIdReused);
}

#[tokio::test]
async fn short_request_ids_are_refused_without_a_key() {
    let (server, owner, id) = private_table(3).await;
    let shared = v1::CreateInviteRequest { uses: 2, ..new_invite(&id) };
    let invite = secret(&owner, shared).await;
    let guessable = v1::JoinTableRequest { request_id: "1".to_owned(), ..accept(&invite) };
    let refused = server.client().join_table(guessable).await.expect_err("a guessable id");
    assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["request_id".to_owned()]));
}

#[tokio::test]
async fn invite_with_several_uses_ends_with_the_last() {
    let (server, owner, id) = private_table(4).await;
    let invite = secret(&owner, v1::CreateInviteRequest { uses: 2, ..new_invite(&id) }).await;
    for seat in 0..2 {
        assert_eq!(server.client().join_table(accept(&invite)).await.expect("a seat").seat, seat);
    }
    assert_eq!(error_reason(server.client().join_table(accept(&invite)).await), Reason::InviteSpent);
}

#[tokio::test]
async fn concurrent_joins_share_one_use() {
    let (server, owner, id) = private_table(4).await;
    let invite = secret(&owner, new_invite(&id)).await;
    let joins = (0..8).map(|_| {
        let (client, invite) = (server.client(), invite.clone());
        tokio::spawn(async move { client.join_table(accept(&invite)).await.map_err(|error| error.reason) })
    });
    let mut outcomes = Vec::new();
    for join in joins.collect::<Vec<_>>() {
        outcomes.push(join.await.expect("no panic").map(|joined| joined.seat));
    }
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{outcomes:?}");
    assert!(
        outcomes.iter().flat_map(|outcome| outcome.as_ref().err()).all(|why| *why == Reason::InviteSpent)
    );
}

#[tokio::test]
async fn invite_for_a_seat_takes_that_seat_alone() {
    let (server, owner, _) = private_table(2).await;
    let seats = vec![open(), reserved("u1", "Una"), open()];
    let id = owner.new_table(fresh(private(v1::CreateTableRequest { seats, ..gap(3) }))).await;
    let any = secret(&owner, v1::CreateInviteRequest { uses: 3, ..new_invite(&id) }).await;
    let only = secret(&owner, v1::CreateInviteRequest { seat: Some(1), ..new_invite(&id) }).await;
    let guest = server.client();
    let wanted = v1::JoinTableRequest { seat: Some(1), ..accept(&any) };
    assert_eq!(error_reason(guest.join_table(wanted).await), Reason::SeatTaken, "it is reserved");
    let other = v1::JoinTableRequest { seat: Some(2), ..accept(&only) };
    assert_eq!(error_reason(guest.join_table(other).await), Reason::SeatTaken, "the invite is for seat 1");
    let joined = guest.join_table(accept(&only)).await.expect("a seat");
    let seat = joined.table.expect("a table").seats[1].clone();
    let Some(v1::table_seat::Occupant::Player(player)) = seat.occupant else { panic!("{seat:?}") };
    assert_eq!((joined.seat, player.display_name.as_str(), player.user_id.as_str()), (1, "Una", ""));
    let taken = v1::CreateInviteRequest { seat: Some(1), ..new_invite(&id) };
    assert_eq!(error_reason(owner.create_invite(taken).await), Reason::SeatTaken);
    let beyond = v1::CreateInviteRequest { seat: Some(3), ..new_invite(&id) };
    assert_eq!(error_reason(owner.create_invite(beyond).await), Reason::SeatNotFound);
    let twice = v1::CreateInviteRequest { seat: Some(2), uses: 2, ..new_invite(&id) };
    assert_eq!(error_reason(owner.create_invite(twice).await), Reason::InvalidField);
}

#[tokio::test]
async fn forged_foreign_and_wrong_invites_are_refused() {
    let (server, owner, id) = private_table(2).await;
    let other = owner.new_table(fresh(private(gap(2)))).await;
    let invite = secret(&owner, new_invite(&id)).await;
    let guest = server.client();
    let foreign = v1::JoinTableRequest { table_id: other.clone(), ..accept(&invite) };
    let refused = guest.join_table(foreign).await.expect_err("an invite for another table");
    assert_eq!((refused.reason, refused.fields), (Reason::InvalidField, vec!["invite".to_owned()]));
    let foreign = v1::GetTableRequest { token: invite.clone(), ..get(&other) };
    assert_eq!(error_reason(guest.get_table(foreign).await), Reason::InvalidField);

    let mut forged = invite.clone().into_bytes();
    let last = forged.len() - 5;
    forged[last] = if forged[last] == b'A' { b'B' } else { b'A' };
    let forged = String::from_utf8(forged).expect("ASCII");
    let seat_token = guest.join_table(accept(&invite)).await.expect("a seat").seat_token;
    for wrong in [forged.as_str(), "pli_", "nonsense", &seat_token, &invite[..20]] {
        assert_eq!(error_reason(guest.join_table(accept(wrong)).await), Reason::TokenInvalid, "{wrong}");
    }
    // An invite is neither a seat token nor an API key.
    let watch = v1::GetTableRequest { token: "pli_x".to_owned(), ..get(&id) };
    assert_eq!(error_reason(guest.get_table(watch).await), Reason::TokenInvalid);
    assert_eq!(
        error_reason(server.client_with_key_text(&invite).get_table(get(&id)).await),
        Reason::KeyInvalid
    );
    // Without the owner's rights it names no user.
    let second = secret(&owner, new_invite(&id)).await;
    let user = v1::JoinTableRequest { user_id: "u1".to_owned(), ..accept(&second) };
    assert_eq!(error_reason(guest.join_table(user).await), Reason::NotOwner);
}

#[tokio::test]
async fn invites_are_made_listed_and_revoked_by_the_owner_alone() {
    let (anna, ben, pia) = (api_key("anna", OWNER), api_key("ben", OWNER), api_key("anna", &[Scope::Play]));
    let server = TestServer::with_keys([&anna, &ben, &pia]).await;
    let owner = server.client_with_key(&anna);
    let hidden = owner.new_table(fresh(private(gap(2)))).await;
    let public = owner.new_table(fresh(gap(2))).await;
    for (client, id, expected) in [
        (server.client_with_key(&ben), &hidden, Reason::TableNotFound),
        (server.client_with_key(&ben), &public, Reason::NotOwner),
        (server.client_with_key(&pia), &public, Reason::ScopeMissing),
        (server.client(), &public, Reason::CredentialsMissing),
    ] {
        assert_eq!(error_reason(client.create_invite(new_invite(id)).await), expected);
        assert_eq!(error_reason(client.list_invites(list(id)).await), expected);
        assert_eq!(error_reason(client.revoke_invite(revoke_invite(id, 1)).await), expected);
    }
    let timed = v1::CreateInviteRequest { valid_ms: Some(60_000), uses: 2, ..new_invite(&hidden) };
    let invite = secret(&owner, timed).await;
    owner.revoke_invite(revoke_invite(&hidden, 1)).await.expect("an accepted request");
    owner.revoke_invite(revoke_invite(&hidden, 1)).await.expect("a repeated request");
    assert_eq!(error_reason(owner.revoke_invite(revoke_invite(&hidden, 2)).await), Reason::InviteNotFound);
    let listed = owner.list_invites(list(&hidden)).await.expect("a list").invites;
    assert_eq!(listed.len(), 1);
    let seconds = |time: &Option<prost_types::Timestamp>| time.as_ref().expect("a time").seconds;
    assert_eq!(seconds(&listed[0].expire_time) - seconds(&listed[0].create_time), 60);
    assert_eq!((listed[0].number, listed[0].uses, listed[0].used, listed[0].revoked), (1, 2, 0, true));
    assert_eq!(error_reason(server.client().join_table(accept(&invite)).await), Reason::InviteRevoked);
    owner.cancel_table(cancel(&public)).await.expect("an accepted request");
    assert_eq!(error_reason(owner.create_invite(new_invite(&public)).await), Reason::TableOver);
}

#[tokio::test]
async fn repeated_create_invite_gives_the_same_invite() {
    let (_server, owner, id) = private_table(2).await;
    let request = v1::CreateInviteRequest { request_id: "one".to_owned(), ..new_invite(&id) };
    let first = owner.create_invite(request.clone()).await.expect("an invite");
    owner.create_invite(new_invite(&id)).await.expect("another invite");
    assert_eq!(owner.create_invite(request.clone()).await.expect("an invite"), first);
    let different = v1::CreateInviteRequest { uses: 3, ..request };
    assert_eq!(error_reason(owner.create_invite(different).await), Reason::RequestIdReused);
}

#[tokio::test]
async fn invites_and_their_uses_survive_a_restart() {
    let (server, owner, id) = private_table(4).await;
    let spent = secret(&owner, new_invite(&id)).await;
    let revoked = secret(&owner, new_invite(&id)).await;
    let timed = secret(&owner, v1::CreateInviteRequest { valid_ms: Some(60_000), ..new_invite(&id) }).await;
    let good = secret(&owner, v1::CreateInviteRequest { uses: 2, ..new_invite(&id) }).await;
    let request = v1::JoinTableRequest { request_id: REQUEST_ID.to_owned(), ..accept(&spent) };
    let first = server.client().join_table(request.clone()).await.expect("a seat");
    owner.revoke_invite(revoke_invite(&id, 2)).await.expect("an accepted request");
    drop(owner);
    let server = server.restart(ms(60_000), async |log| log).await;
    let guest = server.client();
    let again = guest.join_table(request).await.expect("a seat");
    assert_eq!(again.seat_token, first.seat_token);
    for (invite, expected) in
        [(&spent, Reason::InviteSpent), (&revoked, Reason::InviteRevoked), (&timed, Reason::InviteExpired)]
    {
        assert_eq!(error_reason(guest.join_table(accept(invite)).await), expected);
        assert_eq!(look(&guest, invite).await, Err(expected));
    }
    assert_eq!(guest.join_table(accept(&good)).await.expect("a seat").seat, 1);
}
