//! Decoding of requests about existing tables, and of ListTables.

use std::collections::BTreeMap;

use parlor_engine::{GameId, Lang};
use parlor_host::table::State;
use parlor_host::{TableFilter, ViewerCredential};
use parlor_proto::v1;
use parlor_proto::v1::resign_seat_request::Seat as Resigned;

use super::{OTHER, TABLE, caller, check_bound, key, seat, seat_token, spectator_token, text, wide, wrong};
use crate::config::Settings;
use crate::grpc::Failure;
use crate::grpc::convert::{
    ReissueSeatTokenParams, RematchParams, ReplaceSeatParams, ResignSeatParams, TableCredential, TablePage,
    cancel_table, create_spectator_token, delete_table, get_table, join_table, list_tables,
    reissue_seat_token, rematch, replace_seat, resign_seat,
};
use crate::identity::VerifiedInvite;

fn reason<T: std::fmt::Debug>(result: Result<T, Failure>) -> v1::ErrorReason {
    result.expect_err("a failure").reason()
}

fn join_request() -> v1::JoinTableRequest {
    v1::JoinTableRequest { table_id: TABLE.to_string(), ..Default::default() }
}

#[test]
fn join_table_request_is_decoded() {
    let (table, read) = join_table(join_request(), &key(), None).expect("a join");
    assert_eq!(
        (table, read.seat_request, read.by_owner, read.previous),
        (TABLE, Default::default(), false, None)
    );
    let wire = v1::JoinTableRequest {
        request_id: "r".to_owned(),
        seat: Some(4),
        user_id: "u".to_owned(),
        display_name: "Ann".to_owned(),
        entropy_commitment: vec![2; 32],
        previous_token: seat_token(OTHER),
        invite: key().invite(TABLE, 3).reveal().clone(),
        ..join_request()
    };
    let mut coverage = super::field_coverage::FieldCoverage::new();
    coverage.record("JoinTableRequest", &wire);
    coverage.assert_all_set("JoinTableRequest");
    let (_, read) = join_table(wire, &key(), None).expect("a join");
    let joining = read.seat_request;
    assert_eq!(
        (joining.seat, joining.user.as_deref(), joining.name.as_str()),
        (Some(seat(4)), Some("u"), "Ann")
    );
    assert_eq!(joining.commitment.map(|commitment| *commitment.as_bytes()), Some([2; 32]));
    assert_eq!(&*joining.request.expect("an idempotency key").id, "r");
    let previous = read.previous.expect("a token");
    assert_eq!((previous.table(), previous.seat()), (OTHER, seat(1)));
    assert_eq!(read.invite, Some(VerifiedInvite::new(TABLE, 3)));
}

#[test]
fn join_table_fields_have_bounds() {
    let check = |accepted: &[u64], refused: &[u64], field, set: &dyn Fn(&mut v1::JoinTableRequest, u64)| {
        check_bound(accepted, refused, field, |value| {
            let mut wire = join_request();
            set(&mut wire, value);
            join_table(wire, &key(), None)
        });
    };
    check(&[0, 5], &[6, 1 << 20], "seat", &|wire, number| wire.seat = Some(number as u32));
    check(&[0, 128], &[129], "user_id", &|wire, length| wire.user_id = text(length));
    check(&[0, 64], &[65], "display_name", &|wire, length| wire.display_name = wide(length));
    check(&[0, 32], &[31, 33, 64], "entropy_commitment", &|wire, length| {
        wire.entropy_commitment = vec![1; length as usize];
    });
    check(&[0, 64], &[65], "request_id", &|wire, length| wire.request_id = text(length));
    let bad = v1::JoinTableRequest { table_id: "x".to_owned(), ..join_request() };
    assert!(wrong(join_table(bad, &key(), None)).starts_with("table_id: a table id has 26 "));
    let bad = v1::JoinTableRequest { previous_token: spectator_token(OTHER), ..join_request() };
    assert_eq!(reason(join_table(bad, &key(), None)), v1::ErrorReason::TokenInvalid);
}

#[test]
fn get_table_accepts_a_seat_token_a_spectator_token_or_none() {
    let get = |token: String| {
        let wire = v1::GetTableRequest { table_id: TABLE.to_string(), token, texts: 0 };
        get_table(&wire, &key(), Some(&caller())).map(|(credential, _)| credential)
    };
    let owner = caller().owner().clone();
    let rail = ViewerCredential::NoToken { table: TABLE, caller: Some(owner), admin: true };
    assert_eq!(get(String::new()), Ok(TableCredential::Viewer(rail)));
    let wire = v1::GetTableRequest { table_id: TABLE.to_string(), ..Default::default() };
    let stranger = ViewerCredential::NoToken { table: TABLE, caller: None, admin: false };
    assert_eq!(get_table(&wire, &key(), None), Ok((TableCredential::Viewer(stranger), None)));
    let german = v1::GetTableRequest { texts: v1::Language::German.into(), ..wire.clone() };
    assert_eq!(get_table(&german, &key(), None).expect("a request").1, Some(Lang::De));
    let wire = v1::GetTableRequest { texts: 3, ..wire };
    assert_eq!(wrong(get_table(&wire, &key(), None)), "texts: has no value 3");
    use TableCredential::Viewer;
    assert!(
        matches!(get(seat_token(TABLE)), Ok(Viewer(ViewerCredential::Seat(token))) if token.seat() == seat(1))
    );
    assert!(matches!(get(spectator_token(TABLE)), Ok(Viewer(ViewerCredential::Spectator(_)))));
    let invite = VerifiedInvite::new(TABLE, 3);
    assert_eq!(get(key().invite(TABLE, 3).reveal().clone()), Ok(TableCredential::Invite(invite)));
    for token in [seat_token(OTHER), spectator_token(OTHER), key().invite(OTHER, 1).reveal().clone()] {
        assert_eq!(wrong(get(token)), "token: must be one of the table in table_id");
    }
    assert_eq!(reason(get("plv_x".to_owned())), v1::ErrorReason::TokenInvalid);
    assert_eq!(reason(get("hello".to_owned())), v1::ErrorReason::TokenInvalid);
    let bad = v1::GetTableRequest::default();
    assert!(wrong(get_table(&bad, &key(), None)).starts_with("table_id: "));
}

#[test]
fn list_tables_request_is_decoded() {
    let all = list_tables(v1::ListTablesRequest::default(), None).expect("a listing");
    assert_eq!(all, TablePage { filter: TableFilter::default(), after: None, size: 20 });
    let metadata = BTreeMap::from([("k".to_owned(), "v".to_owned())]);
    let wire = v1::ListTablesRequest {
        game: "no_dice".to_owned(),
        states: vec![2, 1, 2],
        owned: true,
        open_seat: true,
        user_id: "u".to_owned(),
        metadata: metadata.clone(),
        page_size: 7,
        page_token: TABLE.to_string(),
    };
    let mut coverage = super::field_coverage::FieldCoverage::new();
    coverage.record("ListTablesRequest", &wire);
    coverage.assert_all_set("ListTablesRequest");
    let filter = TableFilter {
        game: Some(GameId::NoDice),
        states: vec![State::Playing, State::Open],
        caller: Some(caller().owner().clone()),
        owned: true,
        open_seat: true,
        user: Some("u".to_owned()),
        metadata,
        ..TableFilter::default()
    };
    let listing = list_tables(wire.clone(), Some(&caller())).expect("a listing");
    assert_eq!(listing, TablePage { filter, after: Some(TABLE), size: 7 });
    let every = v1::ListTablesRequest { states: (1..=7).collect(), ..Default::default() };
    assert_eq!(list_tables(every, None).expect("a listing").filter.states, State::ALL);
}

#[test]
fn list_tables_fields_have_bounds() {
    let check = |accepted: &[u64], refused: &[u64], field, set: &dyn Fn(&mut v1::ListTablesRequest, u64)| {
        check_bound(accepted, refused, field, |value| {
            let mut wire = v1::ListTablesRequest::default();
            set(&mut wire, value);
            list_tables(wire, Some(&caller()))
        });
    };
    check(&[0, 1, 100], &[101, 1 << 30], "page_size", &|wire, size| wire.page_size = size as u32);
    check(&[1, 7], &[0, 8], "states[1]", &|wire, state| wire.states = vec![1, state as i32]);
    check(&[0, 128], &[129], "user_id", &|wire, length| wire.user_id = text(length));
    check(&[0, 256], &[257], "metadata", &|wire, length| {
        wire.metadata = BTreeMap::from([("k".to_owned(), text(length))]);
    });
    let bad = v1::ListTablesRequest { page_token: "x".to_owned(), ..Default::default() };
    assert_eq!(wrong(list_tables(bad, None)), "page_token: must be next_page_token of the page before");
    let other = v1::ListTablesRequest { game: "chess".to_owned(), ..Default::default() };
    assert_eq!(reason(list_tables(other, None)), v1::ErrorReason::GameNotFound);
}

/// A caller without a key owns no tables.
#[test]
fn owner_filters_of_list_tables_need_a_key() {
    let own = [
        v1::ListTablesRequest { owned: true, ..Default::default() },
        v1::ListTablesRequest { user_id: "u".to_owned(), ..Default::default() },
        v1::ListTablesRequest {
            metadata: BTreeMap::from([("k".to_owned(), String::new())]),
            ..Default::default()
        },
    ];
    for wire in own {
        assert!(list_tables(wire.clone(), Some(&caller())).is_ok());
        assert_eq!(reason(list_tables(wire, None)), v1::ErrorReason::CredentialsMissing);
    }
}

#[test]
fn replace_seat_request_is_decoded() {
    let settings = Settings::default();
    let wire = v1::ReplaceSeatRequest {
        request_id: "r".to_owned(),
        table_id: TABLE.to_string(),
        seat: 5,
        house_bot: Some(v1::HouseBotSeat { name: "search".to_owned() }),
    };
    let replace = |wire| replace_seat(wire, &settings.bots, Some(&caller()));
    let ReplaceSeatParams { table, seat: at, bot, request } = replace(wire.clone()).expect("a request");
    assert_eq!((table, at, bot.as_str()), (TABLE, seat(5), "search:1000"));
    assert_eq!(&*request.expect("an idempotency key").id, "r");
    let bad = v1::ReplaceSeatRequest { seat: 6, ..wire.clone() };
    assert_eq!(wrong(replace(bad)), "seat: must be 0 to 5, not 6");
    let bad = v1::ReplaceSeatRequest { house_bot: None, ..wire.clone() };
    assert_eq!(wrong(replace(bad)), "house_bot: must be set");
    let bad = v1::ReplaceSeatRequest { table_id: String::new(), ..wire.clone() };
    assert!(wrong(replace(bad)).starts_with("table_id: "));
    let bad = v1::ReplaceSeatRequest { request_id: text(65), ..wire.clone() };
    assert!(wrong(replace(bad)).starts_with("request_id: "));
    let named = |name: &str| {
        let house_bot = Some(v1::HouseBotSeat { name: name.to_owned() });
        replace(v1::ReplaceSeatRequest { house_bot, ..wire.clone() })
    };
    assert!(wrong(named("search:1001")).starts_with("house_bot.name: "));
    assert_eq!(reason(named("hal")), v1::ErrorReason::HouseBotNotFound);
}

#[test]
fn rematch_request_is_decoded_for_owner_and_player() {
    let wire = v1::RematchRequest {
        request_id: "r".to_owned(),
        table_id: TABLE.to_string(),
        seat_token: String::new(),
        rotate_seats: true,
    };
    let params = rematch(&wire, &key()).expect("a request");
    assert_eq!(params, RematchParams { table: TABLE, token: None, rotate: true });
    let player = v1::RematchRequest { seat_token: seat_token(TABLE), rotate_seats: false, ..wire.clone() };
    let params = rematch(&player, &key()).expect("a request");
    assert_eq!((params.token.map(|token| token.seat()), params.rotate), (Some(seat(1)), false));
    let other = v1::RematchRequest { seat_token: seat_token(OTHER), ..wire.clone() };
    assert_eq!(wrong(rematch(&other, &key())), "seat_token: must be one of the table in table_id");
    let bad = v1::RematchRequest { seat_token: "x".to_owned(), ..wire.clone() };
    assert_eq!(reason(rematch(&bad, &key())), v1::ErrorReason::TokenInvalid);
    let bad = v1::RematchRequest { request_id: text(65), ..wire };
    assert!(wrong(rematch(&bad, &key())).starts_with("request_id: "));
}

#[test]
fn resign_seat_request_is_decoded_for_owner_and_player() {
    let resign = |seat| resign_seat(v1::ResignSeatRequest { seat }, &key());
    let params = resign(Some(Resigned::SeatToken(seat_token(TABLE)))).expect("a request");
    assert_eq!((params.table, params.seat, params.token.is_some()), (TABLE, seat(1), true));
    let at = |table_id: String, seat| resign(Some(Resigned::SeatAtTable(v1::SeatAtTable { table_id, seat })));
    let params = at(TABLE.to_string(), 3).expect("a request");
    assert_eq!(params, ResignSeatParams { table: TABLE, seat: seat(3), token: None });
    assert_eq!(wrong(at(TABLE.to_string(), 6)), "seat_at_table.seat: must be 0 to 5, not 6");
    assert!(wrong(at(String::new(), 0)).starts_with("seat_at_table.table_id: "));
    assert_eq!(wrong(resign(None)), "must have a seat_token or a seat_at_table");
    let bad = resign(Some(Resigned::SeatToken(spectator_token(TABLE))));
    assert_eq!(reason(bad), v1::ErrorReason::TokenInvalid);
}

#[test]
fn cancel_table_request_is_decoded() {
    let cancel = |note: String| cancel_table(v1::CancelTableRequest { table_id: TABLE.to_string(), note });
    assert_eq!(cancel("zu spät".to_owned()), Ok((TABLE, "zu spät".to_owned())));
    check_bound(&[0, 256], &[257], "note", |length| Ok(cancel(wide(length))?));
    assert_eq!(wrong(cancel("a\nb".to_owned())), "note: must have no control characters");
    let bad = v1::CancelTableRequest { table_id: "x".to_owned(), note: String::new() };
    assert!(wrong(cancel_table(bad)).starts_with("table_id: "));
}

#[test]
fn delete_spectator_token_and_reissue_requests_are_decoded() {
    let (id, none) = (TABLE.to_string(), String::new());
    assert_eq!(delete_table(&v1::DeleteTableRequest { table_id: id.clone() }), Ok(TABLE));
    assert!(
        wrong(delete_table(&v1::DeleteTableRequest { table_id: none.clone() })).starts_with("table_id: ")
    );
    for revoke_earlier in [false, true] {
        let wire = v1::CreateSpectatorTokenRequest { table_id: id.clone(), revoke_earlier };
        assert_eq!(create_spectator_token(&wire), Ok((TABLE, revoke_earlier)));
    }
    let bad = v1::CreateSpectatorTokenRequest { table_id: none, revoke_earlier: false };
    assert!(wrong(create_spectator_token(&bad)).starts_with("table_id: "));
    let wire = v1::ReissueSeatTokenRequest { request_id: text(22), table_id: id, seat: 2 };
    let ReissueSeatTokenParams { table, seat: at, request } =
        reissue_seat_token(&wire, Some(&caller())).expect("a request");
    assert_eq!((table, at, request.map(|key| key.id)), (TABLE, seat(2), Some(text(22).into())));
    let bad = v1::ReissueSeatTokenRequest { seat: 6, ..wire.clone() };
    assert_eq!(wrong(reissue_seat_token(&bad, Some(&caller()))), "seat: must be 0 to 5, not 6");
    let bad = v1::ReissueSeatTokenRequest { request_id: text(65), ..wire };
    assert!(wrong(reissue_seat_token(&bad, Some(&caller()))).starts_with("request_id: "));
}

/// Requests of two methods with identical bytes are not repeats of each other.
#[test]
fn idempotency_keys_differ_by_method() {
    let (request_id, table_id) = (text(22), TABLE.to_string());
    let join =
        v1::JoinTableRequest { request_id: request_id.clone(), table_id: table_id.clone(), ..join_request() };
    let reissue = v1::ReissueSeatTokenRequest { request_id, table_id, seat: 0 };
    assert_eq!(prost::Message::encode_to_vec(&join), prost::Message::encode_to_vec(&reissue));
    let (_, join) = join_table(join, &key(), Some(&caller())).expect("a join");
    let reissue = reissue_seat_token(&reissue, Some(&caller())).expect("a request").request;
    assert_ne!(join.seat_request.request, reissue);
}

/// The length of a request id that everyone who knows it could use to get the seat.
#[test]
fn request_ids_of_seats_are_long_on_a_server_without_keys() {
    let join = |length| {
        let wire = v1::JoinTableRequest { request_id: text(length), ..join_request() };
        join_table(wire, &key(), Some(&caller()))
    };
    check_bound(&[0, 22, 64], &[1, 21, 65], "request_id", join);
    let reissue = |length| {
        let (request_id, table_id) = (text(length), TABLE.to_string());
        Ok(reissue_seat_token(
            &v1::ReissueSeatTokenRequest { request_id, table_id, seat: 0 },
            Some(&caller()),
        )?)
    };
    check_bound(&[0, 22, 64], &[1, 21, 65], "request_id", reissue);
}
