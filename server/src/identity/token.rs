//! Seat tokens and spectator tokens.
//!
//! A token names what it is for, and the server keeps none of them: it can always tell whether it made one.
//!
//! ```text
//! seat       "pls_" base64url( table id (16) || seat (1) || generation (4, big-endian) || mac (32) )
//! spectator  "plv_" base64url( table id (16) || generation (4, big-endian) || mac (32) )
//! mac        HMAC-SHA256( server key, domain || everything before the mac )
//! domain     "parlor seat token v1" or "parlor spectator token v1"
//! ```
//!
//! The base64url has no padding. A check has two steps, because the table has to be looked up in between:
//! [`ServerKey::open_seat`] says whether the token is ours, [`SeatPass::admit`] whether the table still takes it.

use std::cmp::Ordering;
use std::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use parlor_engine::Seat;
use sha2::Sha256;
use subtle::ConstantTimeEq;

use super::{key, server_key::ServerKey};
use crate::{Secret, TableId};

/// How often a token was reissued. Only the newest is good.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Generation(pub u32);

impl Generation {
    /// The first token of a seat or a table.
    pub const FIRST: Generation = Generation(0);

    /// The one after this, which ends it; none after four billion.
    #[must_use]
    pub fn next(self) -> Option<Generation> {
        self.0.checked_add(1).map(Generation)
    }
}

/// What a token is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenKind {
    /// Playing a seat.
    Seat,
    /// Watching a table.
    Spectator,
}

impl TokenKind {
    /// What every token of the kind begins with.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            TokenKind::Seat => "pls_",
            TokenKind::Spectator => "plv_",
        }
    }

    const fn domain(self) -> &'static [u8] {
        match self {
            TokenKind::Seat => b"parlor seat token v1",
            TokenKind::Spectator => b"parlor spectator token v1",
        }
    }

    /// The bytes before the mac.
    const fn claim_length(self) -> usize {
        match self {
            TokenKind::Seat => 21,
            TokenKind::Spectator => 20,
        }
    }
}

impl fmt::Display for TokenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TokenKind::Seat => "seat token",
            TokenKind::Spectator => "spectator token",
        })
    }
}

/// Why a token is refused. It never repeats the token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TokenRefused {
    /// It is not a token of this kind at all.
    #[error("that is no {kind}: send it exactly as it was given, from the prefix {prefix} on", kind = .0, prefix = .0.prefix())]
    Malformed(TokenKind),
    /// It is another credential.
    #[error("that is {got}, and a {wanted} is needed here: send the one that begins with {}", wanted.prefix())]
    OtherKind {
        /// What is needed.
        wanted: TokenKind,
        /// What was sent.
        got: &'static str,
    },
    /// This server did not make it.
    #[error("this {0} is wrong: this server never gave it, check that it is complete and for this server")]
    Wrong(TokenKind),
    /// A newer one was given.
    #[error("this {0} was reissued: ask the owner of the table for the new one")]
    Reissued(TokenKind),
}

/// A token that this server made, before its table was asked. It names the table to ask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatPass {
    table: TableId,
    seat: Seat,
    generation: Generation,
}

/// The right to play a seat.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct SeatClaim {
    /// The table.
    pub table: TableId,
    /// The seat.
    pub seat: Seat,
}

impl SeatPass {
    /// What a token of this generation would open. The server lets an agent in with it, to a seat that it gave the agent:
    /// no token travels.
    pub(crate) const fn given(table: TableId, seat: Seat, generation: Generation) -> SeatPass {
        SeatPass { table, seat, generation }
    }

    /// The table to ask.
    #[must_use]
    pub const fn table(&self) -> TableId {
        self.table
    }

    /// The seat whose generation to ask for.
    #[must_use]
    pub const fn seat(&self) -> Seat {
        self.seat
    }

    /// Lets the player in, if this is the newest generation, or says why not.
    pub fn admit(self, newest: Generation) -> Result<SeatClaim, TokenRefused> {
        admit(TokenKind::Seat, self.generation, newest)?;
        Ok(SeatClaim { table: self.table, seat: self.seat })
    }
}

/// A token that this server made, before its table was asked. It names the table to ask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpectatorPass {
    table: TableId,
    generation: Generation,
}

/// The right to watch a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct SpectatorClaim {
    /// The table.
    pub table: TableId,
}

impl SpectatorPass {
    /// The table to ask.
    #[must_use]
    pub const fn table(&self) -> TableId {
        self.table
    }

    /// Lets the spectator in, if this is the newest generation, or says why not.
    pub fn admit(self, newest: Generation) -> Result<SpectatorClaim, TokenRefused> {
        admit(TokenKind::Spectator, self.generation, newest)?;
        Ok(SpectatorClaim { table: self.table })
    }
}

fn admit(kind: TokenKind, generation: Generation, newest: Generation) -> Result<(), TokenRefused> {
    match generation.cmp(&newest) {
        Ordering::Less => Err(TokenRefused::Reissued(kind)),
        // From a log that this one does not go on from, such as one before a restored backup.
        Ordering::Greater => Err(TokenRefused::Wrong(kind)),
        Ordering::Equal => Ok(()),
    }
}

impl ServerKey {
    /// The token of a seat. The same question always has the same answer, so a repeated JoinTable gives it again.
    #[must_use]
    pub fn seat_token(&self, table: TableId, seat: Seat, generation: Generation) -> Secret<String> {
        let mut claim = Vec::with_capacity(TokenKind::Seat.claim_length());
        claim.extend_from_slice(table.as_bytes());
        // A seat's number is below 6.
        claim.push(seat.index() as u8);
        claim.extend_from_slice(&generation.0.to_be_bytes());
        self.write(TokenKind::Seat, claim)
    }

    /// The token that lets somebody watch a private table.
    #[must_use]
    pub fn spectator_token(&self, table: TableId, generation: Generation) -> Secret<String> {
        let mut claim = Vec::with_capacity(TokenKind::Spectator.claim_length());
        claim.extend_from_slice(table.as_bytes());
        claim.extend_from_slice(&generation.0.to_be_bytes());
        self.write(TokenKind::Spectator, claim)
    }

    /// Reads a seat token, if this server made it.
    pub fn open_seat(&self, token: &str) -> Result<SeatPass, TokenRefused> {
        let claim = self.read(TokenKind::Seat, token)?;
        let seat = claim.get(16).copied().and_then(Seat::new);
        match (table(&claim), seat, generation(&claim)) {
            (Some(table), Some(seat), Some(generation)) => Ok(SeatPass { table, seat, generation }),
            _ => Err(TokenRefused::Wrong(TokenKind::Seat)),
        }
    }

    /// Reads a spectator token, if this server made it.
    pub fn open_spectator(&self, token: &str) -> Result<SpectatorPass, TokenRefused> {
        let claim = self.read(TokenKind::Spectator, token)?;
        match (table(&claim), generation(&claim)) {
            (Some(table), Some(generation)) => Ok(SpectatorPass { table, generation }),
            _ => Err(TokenRefused::Wrong(TokenKind::Spectator)),
        }
    }

    fn write(&self, kind: TokenKind, mut claim: Vec<u8>) -> Secret<String> {
        let mac = self.mac(kind, &claim);
        claim.extend_from_slice(&mac);
        Secret::new(format!("{}{}", kind.prefix(), URL_SAFE_NO_PAD.encode(claim)))
    }

    /// The bytes before the mac, if the mac is right.
    fn read(&self, kind: TokenKind, token: &str) -> Result<Vec<u8>, TokenRefused> {
        let length = kind.claim_length() + 32;
        let Some(text) = token.strip_prefix(kind.prefix()) else {
            return Err(other_kind(kind, token));
        };
        // Looked at before it is decoded: nobody makes the server chew on megabytes.
        if text.len() != (length * 4).div_ceil(3) {
            return Err(TokenRefused::Malformed(kind));
        }
        let malformed = |_| TokenRefused::Malformed(kind);
        let mut claim = URL_SAFE_NO_PAD.decode(text).map_err(malformed)?;
        let mac = claim.split_off(kind.claim_length());
        if bool::from(self.mac(kind, &claim).ct_eq(mac.as_slice())) {
            Ok(claim)
        } else {
            Err(TokenRefused::Wrong(kind))
        }
    }

    fn mac(&self, kind: TokenKind, claim: &[u8]) -> [u8; 32] {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.reveal()).expect("HMAC takes keys of any length");
        mac.update(kind.domain());
        mac.update(claim);
        mac.finalize().into_bytes().into()
    }
}

fn table(claim: &[u8]) -> Option<TableId> {
    claim.first_chunk().copied().map(TableId::from_bytes)
}

fn generation(claim: &[u8]) -> Option<Generation> {
    claim.last_chunk().map(|bytes| Generation(u32::from_be_bytes(*bytes)))
}

fn other_kind(wanted: TokenKind, token: &str) -> TokenRefused {
    let known = [
        (key::PREFIX, "an API key"),
        (TokenKind::Seat.prefix(), "a seat token"),
        (TokenKind::Spectator.prefix(), "a spectator token"),
    ];
    match known.into_iter().find(|(prefix, _)| token.starts_with(prefix)) {
        Some((_, got)) => TokenRefused::OtherKind { wanted, got },
        None => TokenRefused::Malformed(wanted),
    }
}

#[cfg(test)]
mod tests;
