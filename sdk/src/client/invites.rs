//! Invites: [`NewInvite`], [`CreatedInvite`], and the calls about them.

use std::time::Duration;

use super::Client;
use super::call::call;
use crate::random::request_id;
use crate::{Error, InviteSecret, wire};

/// An invite to create: a secret with which somebody without an API key takes a seat.
///
/// ```
/// use parlor_sdk::NewInvite;
/// use std::time::Duration;
/// let invite = NewInvite::new("the id of the table").uses(3).valid_for(Duration::from_secs(3600));
/// ```
#[derive(Clone, PartialEq, Debug)]
#[must_use = "nothing is created before `Client::create_invite`"]
pub struct NewInvite {
    request: wire::CreateInviteRequest,
}

impl NewInvite {
    /// One use, for any open seat, for as long as the table waits for players.
    pub fn new(table_id: impl Into<String>) -> NewInvite {
        NewInvite { request: wire::CreateInviteRequest { table_id: table_id.into(), ..Default::default() } }
    }

    /// For this seat only, which may be reserved.
    pub fn seat(mut self, seat: u32) -> NewInvite {
        self.request.seat = Some(seat);
        self
    }

    /// Number of seats that the invite gives: 1 to 16.
    pub fn uses(mut self, uses: u32) -> NewInvite {
        self.request.uses = uses;
        self
    }

    /// Time that it is valid.
    pub fn valid_for(mut self, time: Duration) -> NewInvite {
        self.request.valid_ms = Some(u32::try_from(time.as_millis()).unwrap_or(u32::MAX));
        self
    }
}

/// A created invite.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct CreatedInvite {
    /// The secret to hand on: [`JoinTable::invited`](crate::JoinTable::invited) takes a seat with it.
    pub secret: InviteSecret,
    /// The invite, as the list of invites has it.
    pub invite: wire::Invite,
}

impl Client {
    /// Creates an invite. For the owner of the table.
    pub async fn create_invite(&self, new: NewInvite) -> Result<CreatedInvite, Error> {
        let request = wire::CreateInviteRequest { request_id: request_id()?, ..new.request };
        let reply = call!(self, tables.create_invite, request)?;
        let invite = reply.invite.ok_or_else(|| Error::missing_field("invite"))?;
        Ok(CreatedInvite { secret: InviteSecret::new(reply.secret), invite })
    }

    /// The invites of a table that has not started, in the order of their numbers. For the owner of the table.
    pub async fn list_invites(&self, table_id: impl Into<String>) -> Result<Vec<wire::Invite>, Error> {
        let request = wire::ListInvitesRequest { table_id: table_id.into() };
        Ok(call!(self, tables.list_invites, request)?.invites)
    }

    /// Revokes an invite. Seats that were taken with it stay taken. For the owner of the table.
    pub async fn revoke_invite(&self, table_id: impl Into<String>, number: u32) -> Result<(), Error> {
        let request = wire::RevokeInviteRequest { table_id: table_id.into(), number };
        call!(self, tables.revoke_invite, request).map(|_| ())
    }
}
