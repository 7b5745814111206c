//! Invites: requests of TableService about them, and their message.

use parlor_host::TableId;
use parlor_host::table::{Invite, NewInvite};
use parlor_proto::convert::field::{InvalidField, number};
use parlor_proto::convert::{seat, seat_number};
use parlor_proto::v1;

use super::create_table::MAX_TIME_MS;
use super::id::table_id;
use super::table::timestamp;
use super::validate::owned_idempotency_key;
use crate::identity::Caller;

/// Maximum number of seats that one invite gives.
const MAX_USES: u32 = 16;

/// Decodes CreateInvite.
pub fn create_invite(
    wire: &v1::CreateInviteRequest,
    caller: Option<&Caller>,
) -> Result<(TableId, NewInvite), InvalidField> {
    let v1::CreateInviteRequest { request_id, table_id: id, seat: seat_number, uses, valid_ms } = wire;
    let seat = seat_number.map(|number| seat(number, "seat")).transpose()?;
    let max_uses = if seat.is_some() { 1 } else { MAX_USES };
    let uses = number(*uses, 0..=max_uses, "uses")?;
    let new = NewInvite {
        seat,
        uses: u32::max(uses, 1),
        valid: valid_ms.map(|valid| number(valid, 1000..=MAX_TIME_MS, "valid_ms")).transpose()?,
        request: owned_idempotency_key("CreateInvite", caller, request_id, wire)?,
    };
    Ok((table_id(id, "table_id")?, new))
}

/// Decodes ListInvites.
pub fn list_invites(wire: &v1::ListInvitesRequest) -> Result<TableId, InvalidField> {
    let v1::ListInvitesRequest { table_id: id } = wire;
    table_id(id, "table_id")
}

/// Decodes RevokeInvite: the table and the number of the invite.
pub fn revoke_invite(wire: &v1::RevokeInviteRequest) -> Result<(TableId, u32), InvalidField> {
    let v1::RevokeInviteRequest { table_id: id, number } = wire;
    Ok((table_id(id, "table_id")?, *number))
}

/// The message of an invite.
#[must_use]
pub fn invite(invite: &Invite) -> v1::Invite {
    let Invite { number, seat, uses, used, created, expires, revoked, request: _ } = invite;
    v1::Invite {
        number: *number,
        seat: seat.map(seat_number),
        uses: *uses,
        used: *used,
        create_time: Some(timestamp(*created)),
        expire_time: expires.map(timestamp),
        revoked: *revoked,
    }
}
