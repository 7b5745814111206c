//! Invites: facts about who may take a seat without being its owner's user. Their secrets are the server's part.
//!
//! Invites live until the game begins. Until then a table keeps all of them, so that a spent, expired or revoked one is
//! refused with its reason.

use parlor_engine::Seat;

use super::state::Table;
use super::{CommandError, Entry, Holder, IdempotencyKey};

/// Maximum number of invites that a table may ever have.
pub const MAX_INVITES: usize = 64;

/// An invite to a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invite {
    /// Number, counted from 1.
    pub number: u32,
    /// The seat that it is for; `None` for any open one.
    pub seat: Option<Seat>,
    /// Number of seats that it gives.
    pub uses: u32,
    /// Number of seats taken with it.
    pub used: u32,
    /// Creation time in milliseconds since 1970.
    pub created: u64,
    /// Time at which it expires, in milliseconds since 1970; `None` if it does so with the table.
    pub expires: Option<u64>,
    /// True once it is revoked.
    pub revoked: bool,
    /// Idempotency key of the request that created it.
    pub request: Option<IdempotencyKey>,
}

/// An invite to create.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewInvite {
    /// The seat that it is for; `None` for any open one.
    pub seat: Option<Seat>,
    /// Number of seats that it gives.
    pub uses: u32,
    /// Time that it is valid, in milliseconds; `None` for as long as the table is open.
    pub valid: Option<u32>,
    /// Idempotency key.
    pub request: Option<IdempotencyKey>,
}

/// The reason why an invite of a table is not accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum InviteError {
    /// The table has no such invite.
    #[error("this table has no invite {number}")]
    NotFound {
        /// The number.
        number: u32,
    },
    /// It was revoked.
    #[error("this invite was revoked: ask for a new one")]
    Revoked,
    /// It has expired.
    #[error("this invite has expired: ask for a new one")]
    Expired,
    /// All its seats are taken.
    #[error("this invite was used up: ask for a new one")]
    Spent,
    /// The request names a seat that the invite is not for.
    #[error("this invite is for seat {seat}: name that one, or none")]
    OtherSeat {
        /// The seat of the invite.
        seat: Seat,
    },
    /// The table has as many invites as it may have.
    #[error("a table has up to {MAX_INVITES} invites: make a new table")]
    TooMany,
}

impl Invite {
    /// Checks that the invite gives a seat at this time.
    pub fn check(&self, now_ms: u64) -> Result<(), InviteError> {
        match self {
            Invite { revoked: true, .. } => Err(InviteError::Revoked),
            Invite { used, uses, .. } if used >= uses => Err(InviteError::Spent),
            Invite { expires: Some(expires), .. } if *expires <= now_ms => Err(InviteError::Expired),
            _ => Ok(()),
        }
    }
}

/// Finds an invite by its number.
pub(crate) fn find_invite(invites: &[Invite], number: u32) -> Result<&Invite, InviteError> {
    invites.iter().find(|invite| invite.number == number).ok_or(InviteError::NotFound { number })
}

impl Table {
    /// All invites, in the order of their numbers. Empty once the game has begun.
    #[must_use]
    pub fn invites(&self) -> &[Invite] {
        &self.invites
    }

    /// Checks that an invite gives a seat at this time.
    pub fn check_invite(&self, number: u32, now_ms: u64) -> Result<(), CommandError> {
        self.check_not_started()?;
        Ok(find_invite(&self.invites, number)?.check(now_ms)?)
    }

    /// Creates an invite. Returns no entries if the same request created one before.
    pub fn create_invite(&self, new: NewInvite) -> Result<Vec<Entry>, CommandError> {
        self.check_not_started()?;
        if self.find_repeated_invite(new.request.as_ref())?.is_some() {
            return Ok(Vec::new());
        }
        if let Some(seat) = new.seat {
            self.check_seat_exists(seat)?;
            if self.seat(seat).holder != Holder::Vacant {
                return Err(CommandError::SeatTaken { seat });
            }
        }
        if self.invites.len() >= MAX_INVITES {
            return Err(InviteError::TooMany.into());
        }
        Ok(vec![Entry::InviteCreated(new)])
    }

    /// The invite that the same request created before, if any.
    ///
    /// # Errors
    /// The request id was used for a different invite.
    fn find_repeated_invite(
        &self,
        request: Option<&IdempotencyKey>,
    ) -> Result<Option<&Invite>, CommandError> {
        let Some(request) = request else { return Ok(None) };
        let is_named = |invite: &&Invite| invite.request.as_ref().is_some_and(|key| key.id == request.id);
        match self.invites.iter().find(is_named) {
            Some(invite) if invite.request.as_ref() == Some(request) => Ok(Some(invite)),
            Some(_) => Err(CommandError::RequestReused),
            None => Ok(None),
        }
    }

    /// Revokes an invite. Returns no entries if it was revoked before.
    pub fn revoke_invite(&self, number: u32) -> Result<Vec<Entry>, CommandError> {
        self.check_not_started()?;
        let is_revoked = find_invite(&self.invites, number)?.revoked;
        Ok(if is_revoked { Vec::new() } else { vec![Entry::InviteRevoked { number }] })
    }

    /// Adds an invite that was created at this time, in milliseconds since 1970.
    pub(super) fn add_invite(&mut self, at: u64, new: &NewInvite) {
        let NewInvite { seat, uses, valid, request } = new.clone();
        let number = self.invites.len() as u32 + 1;
        let expires = valid.map(|valid| at.saturating_add(valid.into()));
        self.invites.push(Invite {
            number,
            seat,
            uses,
            used: 0,
            created: at,
            expires,
            revoked: false,
            request,
        });
    }

    /// The invite that an entry is about.
    pub(super) fn invite_mut(&mut self, number: u32) -> Result<&mut Invite, String> {
        let mut invites = self.invites.iter_mut();
        invites.find(|invite| invite.number == number).ok_or_else(|| format!("there is no invite {number}"))
    }
}
