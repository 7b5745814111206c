//! Requests about existing tables: seat_request, reading, replacing and resigning seats, rematches, tokens,
//! ending.

use parlor_engine::{Lang, Seat};
use parlor_host::TableId;
use parlor_host::table::{IdempotencyKey, SeatRequest};
use parlor_host::{JoinRequest, ViewerCredential};
use parlor_proto::convert::field::InvalidField;
use parlor_proto::convert::seat;
use parlor_proto::v1;
use parlor_proto::v1::resign_seat_request::Seat as Resigned;

use super::attach::rail_credential;
use super::house_bot::house_bot;
use super::id::table_id;
use super::shuffle::entropy_commitment;
use super::texts::wanted_language;
use super::validate::{
    display_name, guest_idempotency_key, idempotency_key, note, owned_idempotency_key, seat_idempotency_key,
    user_id,
};
use crate::config::Bots;
use crate::grpc::Failure;
use crate::identity::{Caller, ServerKey, TokenKind, VerifiedInvite, VerifiedSeatToken};

/// Decodes JoinTable. The handler sets `by_owner`.
pub fn join_table(
    wire: v1::JoinTableRequest,
    key: &ServerKey,
    caller: Option<&Caller>,
) -> Result<(TableId, JoinRequest), Failure> {
    let request = match caller {
        // The token of the seat before is a secret of its own.
        None if wire.previous_token.is_empty() => {
            guest_idempotency_key("JoinTable", &wire.request_id, &wire)?
        }
        caller => seat_idempotency_key("JoinTable", caller, &wire.request_id, &wire)?,
    };
    let v1::JoinTableRequest {
        request_id: _,
        table_id: id,
        seat: number,
        user_id: user,
        display_name: name,
        previous_token,
        entropy_commitment: commitment,
        invite,
    } = wire;
    let invite = optional_invite(&invite, key)?;
    let table = named_table(&id, invite, "invite")?;
    let seat_request = SeatRequest {
        seat: number.map(|number| seat(number, "seat")).transpose()?,
        user: user_id(user, "user_id")?,
        previous: None,
        name: display_name(name, "display_name")?,
        commitment: entropy_commitment(&commitment, "entropy_commitment")?,
        request,
        invite: None,
    };
    let previous = optional_seat_token(&previous_token, key)?;
    Ok((table, JoinRequest { seat_request, by_owner: false, previous, invite }))
}

/// Credential for GetTable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableCredential {
    /// A viewer's.
    Viewer(ViewerCredential),
    /// An invite to the table.
    Invite(VerifiedInvite),
}

/// Decodes GetTable: the credential, and the wanted language of texts.
pub fn get_table(
    wire: &v1::GetTableRequest,
    key: &ServerKey,
    caller: Option<&Caller>,
) -> Result<(TableCredential, Option<Lang>), Failure> {
    let v1::GetTableRequest { table_id, token, texts } = wire;
    let texts = wanted_language(*texts, "texts")?;
    if token.starts_with(TokenKind::Invite.prefix()) {
        let invite = key.verify_invite(token)?;
        named_table(table_id, Some(invite), "token")?;
        return Ok((TableCredential::Invite(invite), texts));
    }
    Ok((TableCredential::Viewer(viewer_credential(table_id, token, key, caller)?), texts))
}

/// The table of a request with an invite, which may leave out the id of the table.
fn named_table(id: &str, invite: Option<VerifiedInvite>, field: &str) -> Result<TableId, InvalidField> {
    match invite {
        Some(invite) if id.is_empty() => Ok(invite.table()),
        Some(invite) => {
            let table = table_id(id, "table_id")?;
            check_same_table(table, invite.table(), field)?;
            Ok(table)
        }
        None => table_id(id, "table_id"),
    }
}

/// Verifies an invite; empty means none.
fn optional_invite(secret: &str, key: &ServerKey) -> Result<Option<VerifiedInvite>, Failure> {
    match secret {
        "" => Ok(None),
        secret => Ok(Some(key.verify_invite(secret)?)),
    }
}

/// The credential for reading a table: a seat token, a spectator token, or the caller without a token.
pub(super) fn viewer_credential(
    table: &str,
    token: &str,
    key: &ServerKey,
    caller: Option<&Caller>,
) -> Result<ViewerCredential, Failure> {
    let table = table_id(table, "table_id")?;
    let credential = match token {
        "" => rail_credential(table, caller),
        token if token.starts_with(TokenKind::Spectator.prefix()) => {
            ViewerCredential::Spectator(key.verify_spectator_token(token)?)
        }
        token => ViewerCredential::Seat(key.verify_seat_token(token)?),
    };
    check_same_table(table, credential.table(), "token")?;
    Ok(credential)
}

/// Verifies a seat token; empty means none.
fn optional_seat_token(token: &str, key: &ServerKey) -> Result<Option<VerifiedSeatToken>, Failure> {
    match token {
        "" => Ok(None),
        token => Ok(Some(key.verify_seat_token(token)?)),
    }
}

fn check_same_table(table: TableId, of_token: TableId, field: &str) -> Result<(), InvalidField> {
    if table == of_token {
        Ok(())
    } else {
        Err(InvalidField::at(field, "must be one of the table in table_id"))
    }
}

/// A decoded ReplaceSeat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplaceSeatParams {
    /// The table.
    pub table: TableId,
    /// The seat.
    pub seat: Seat,
    /// The full name of the house bot.
    pub bot: String,
    /// Makes the request idempotent.
    pub request: Option<IdempotencyKey>,
}

/// Decodes ReplaceSeat.
pub fn replace_seat(
    wire: v1::ReplaceSeatRequest,
    bots: &Bots,
    caller: Option<&Caller>,
) -> Result<ReplaceSeatParams, Failure> {
    let request = owned_idempotency_key("ReplaceSeat", caller, &wire.request_id, &wire)?;
    let v1::ReplaceSeatRequest { request_id: _, table_id: id, seat: number, house_bot: bot } = wire;
    let Some(bot) = &bot else {
        return Err(InvalidField::at("house_bot", "must be set").into());
    };
    let bot = house_bot(bot, bots).map_err(|failure| failure.within("house_bot"))?;
    let (table, seat) = (table_id(&id, "table_id")?, seat(number, "seat")?);
    Ok(ReplaceSeatParams { table, seat, bot, request })
}

/// A decoded Rematch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RematchParams {
    /// The finished table.
    pub table: TableId,
    /// The seat token of the player; `None` if the owner calls.
    pub token: Option<VerifiedSeatToken>,
    /// True to move every player one seat to the left.
    pub rotate: bool,
}

/// Decodes Rematch. A table has at most one rematch, which makes the call idempotent, so `request_id` is only
/// validated.
pub fn rematch(wire: &v1::RematchRequest, key: &ServerKey) -> Result<RematchParams, Failure> {
    let v1::RematchRequest { request_id, table_id: id, seat_token, rotate_seats } = wire;
    idempotency_key("Rematch", request_id, wire)?;
    let table = table_id(id, "table_id")?;
    let token = optional_seat_token(seat_token, key)?;
    check_same_table(table, token.map_or(table, |token| token.table()), "seat_token")?;
    Ok(RematchParams { table, token, rotate: *rotate_seats })
}

/// A decoded ResignSeat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResignSeatParams {
    /// The table.
    pub table: TableId,
    /// The seat.
    pub seat: Seat,
    /// The seat token of the player; `None` if the owner calls.
    pub token: Option<VerifiedSeatToken>,
}

/// Decodes ResignSeat.
pub fn resign_seat(wire: v1::ResignSeatRequest, key: &ServerKey) -> Result<ResignSeatParams, Failure> {
    let v1::ResignSeatRequest { seat: resigned } = wire;
    match resigned {
        Some(Resigned::SeatToken(token)) => {
            let token = key.verify_seat_token(&token)?;
            Ok(ResignSeatParams { table: token.table(), seat: token.seat(), token: Some(token) })
        }
        Some(Resigned::SeatAtTable(v1::SeatAtTable { table_id: id, seat: number })) => Ok(ResignSeatParams {
            table: table_id(&id, "seat_at_table.table_id")?,
            seat: seat(number, "seat_at_table.seat")?,
            token: None,
        }),
        None => Err(InvalidField::new("must have a seat_token or a seat_at_table").into()),
    }
}

/// Decodes CancelTable: the table and the note.
pub fn cancel_table(wire: v1::CancelTableRequest) -> Result<(TableId, String), InvalidField> {
    let v1::CancelTableRequest { table_id: id, note } = wire;
    Ok((table_id(&id, "table_id")?, self::note(note, "note")?))
}

/// Decodes DeleteTable.
pub fn delete_table(wire: &v1::DeleteTableRequest) -> Result<TableId, InvalidField> {
    let v1::DeleteTableRequest { table_id: id } = wire;
    table_id(id, "table_id")
}

/// Decodes CreateSpectatorToken: the table, and true to revoke earlier tokens.
pub fn create_spectator_token(
    wire: &v1::CreateSpectatorTokenRequest,
) -> Result<(TableId, bool), InvalidField> {
    let v1::CreateSpectatorTokenRequest { table_id: id, revoke_earlier } = wire;
    Ok((table_id(id, "table_id")?, *revoke_earlier))
}

/// A decoded ReissueSeatToken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReissueSeatTokenParams {
    /// The table.
    pub table: TableId,
    /// The seat.
    pub seat: Seat,
    /// Makes the request idempotent.
    pub request: Option<IdempotencyKey>,
}

/// Decodes ReissueSeatToken.
pub fn reissue_seat_token(
    wire: &v1::ReissueSeatTokenRequest,
    caller: Option<&Caller>,
) -> Result<ReissueSeatTokenParams, InvalidField> {
    let v1::ReissueSeatTokenRequest { request_id, table_id: id, seat: number } = wire;
    Ok(ReissueSeatTokenParams {
        table: table_id(id, "table_id")?,
        seat: seat(*number, "seat")?,
        request: seat_idempotency_key("ReissueSeatToken", caller, request_id, wire)?,
    })
}
