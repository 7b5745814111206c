//! What is asked of a table that is there: taking seats, handing them on, ending.

use parlor_engine::Seat;
use parlor_proto::convert::field::InvalidField;
use parlor_proto::convert::seat;
use parlor_proto::v1;
use parlor_proto::v1::resign_seat_request::Seat as Resigned;

use super::attach::rail;
use super::house_bot::house_bot;
use super::id::table_id;
use super::shuffle::entropy;
use super::validate::{name, note, request_mark, user_id};
use crate::config::Bots;
use crate::grpc::Failure;
use crate::identity::{Caller, ServerKey, TokenKind, VerifiedSeatToken};
use parlor_host::TableId;
use parlor_host::table::{IdempotencyKey, SeatRequest};
use parlor_host::{JoinRequest, ViewerCredential};

/// Taking a seat: the table, and who wants which seat. Whether it is the owner who asks is for the caller to fill in.
pub fn join_table(wire: v1::JoinTableRequest, key: &ServerKey) -> Result<(TableId, JoinRequest), Failure> {
    let request = request_mark("JoinTable", &wire.request_id, &wire)?;
    let table = table_id(&wire.table_id, "table_id")?;
    let seat_request = SeatRequest {
        seat: wire.seat.map(|number| seat(number, "seat")).transpose()?,
        user: user_id(wire.user_id, "user_id")?,
        previous: None,
        name: name(wire.display_name, "display_name")?,
        entropy: entropy(&wire.entropy)?,
        request,
    };
    let previous = match wire.previous_token.as_str() {
        "" => None,
        token => Some(key.verify_seat_token(token)?),
    };
    Ok((table, JoinRequest { seat_request, by_owner: false, previous }))
}

/// Looking at a table: who looks, by a token or without one.
pub fn get_table(
    wire: &v1::GetTableRequest,
    key: &ServerKey,
    caller: Option<&Caller>,
) -> Result<ViewerCredential, Failure> {
    looking(&wire.table_id, &wire.token, key, caller)
}

/// ViewerCredential looks at a table, by a token or without one.
pub(super) fn looking(
    table: &str,
    token: &str,
    key: &ServerKey,
    caller: Option<&Caller>,
) -> Result<ViewerCredential, Failure> {
    let table = table_id(table, "table_id")?;
    let who = match token {
        "" => rail(table, caller),
        token if token.starts_with(TokenKind::Spectator.prefix()) => {
            ViewerCredential::Spectator(key.verify_spectator_token(token)?)
        }
        token => ViewerCredential::Seat(key.verify_seat_token(token)?),
    };
    same_table(table, who.table(), "token")?;
    Ok(who)
}

fn same_table(table: TableId, of_token: TableId, field: &str) -> Result<(), InvalidField> {
    if table == of_token {
        Ok(())
    } else {
        Err(InvalidField::at(field, "must be one of the table in table_id"))
    }
}

/// A house bot is to take over a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replacing {
    /// The table.
    pub table: TableId,
    /// The seat.
    pub seat: Seat,
    /// The whole name of the bot.
    pub bot: String,
    /// What makes a repeat harmless.
    pub request: Option<IdempotencyKey>,
}

/// Letting a house bot take over.
pub fn replace_seat(wire: v1::ReplaceSeatRequest, bots: &Bots) -> Result<Replacing, Failure> {
    let request = request_mark("ReplaceSeat", &wire.request_id, &wire)?;
    let Some(bot) = &wire.house_bot else {
        return Err(InvalidField::at("house_bot", "must be set").into());
    };
    let bot = house_bot(bot, bots).map_err(|failure| failure.within("house_bot"))?;
    let (table, seat) = (table_id(&wire.table_id, "table_id")?, seat(wire.seat, "seat")?);
    Ok(Replacing { table, seat, bot, request })
}

/// A new table like one that is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rematching {
    /// The table that is over.
    pub table: TableId,
    /// The token of the player who asks; none if it is the owner.
    pub pass: Option<VerifiedSeatToken>,
    /// Whether everyone moves one seat to the left.
    pub rotate: bool,
}

/// Making a rematch. A table has one whatever the id of the request, so the id is only looked at.
pub fn rematch(wire: &v1::RematchRequest, key: &ServerKey) -> Result<Rematching, Failure> {
    request_mark("Rematch", &wire.request_id, wire)?;
    let table = table_id(&wire.table_id, "table_id")?;
    let pass = match wire.seat_token.as_str() {
        "" => None,
        token => Some(key.verify_seat_token(token)?),
    };
    same_table(table, pass.map_or(table, |pass| pass.table()), "seat_token")?;
    Ok(Rematching { table, pass, rotate: wire.rotate_seats })
}

/// A seat that is given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resigning {
    /// The table.
    pub table: TableId,
    /// The seat.
    pub seat: Seat,
    /// The token of the player who asks; none if it is the owner.
    pub pass: Option<VerifiedSeatToken>,
}

/// Giving a seat up.
pub fn resign_seat(wire: v1::ResignSeatRequest, key: &ServerKey) -> Result<Resigning, Failure> {
    match wire.seat {
        Some(Resigned::SeatToken(token)) => {
            let pass = key.verify_seat_token(&token)?;
            Ok(Resigning { table: pass.table(), seat: pass.seat(), pass: Some(pass) })
        }
        Some(Resigned::SeatAtTable(at)) => Ok(Resigning {
            table: table_id(&at.table_id, "seat_at_table.table_id")?,
            seat: seat(at.seat, "seat_at_table.seat")?,
            pass: None,
        }),
        None => Err(InvalidField::new("must have a seat_token or a seat_at_table").into()),
    }
}

/// Calling a table off: the table, and why.
pub fn cancel_table(wire: v1::CancelTableRequest) -> Result<(TableId, String), InvalidField> {
    Ok((table_id(&wire.table_id, "table_id")?, note(wire.note, "note")?))
}

/// Deleting a table.
pub fn delete_table(wire: &v1::DeleteTableRequest) -> Result<TableId, InvalidField> {
    table_id(&wire.table_id, "table_id")
}

/// A token for spectators: of which table, and whether those given before end.
pub fn create_spectator_token(
    wire: &v1::CreateSpectatorTokenRequest,
) -> Result<(TableId, bool), InvalidField> {
    Ok((table_id(&wire.table_id, "table_id")?, wire.revoke_earlier))
}

/// A token of a seat that is to be made anew.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reissuing {
    /// The table.
    pub table: TableId,
    /// The seat.
    pub seat: Seat,
    /// What makes a repeat harmless.
    pub request: Option<IdempotencyKey>,
}

/// Making the token of a seat anew.
pub fn reissue_seat_token(wire: &v1::ReissueSeatTokenRequest) -> Result<Reissuing, InvalidField> {
    Ok(Reissuing {
        table: table_id(&wire.table_id, "table_id")?,
        seat: seat(wire.seat, "seat")?,
        request: request_mark("ReissueSeatToken", &wire.request_id, wire)?,
    })
}
