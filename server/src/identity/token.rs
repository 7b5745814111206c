//! Seat tokens and spectator tokens.
//!
//! A token names its table and seat, and is verified by its MAC, so the server stores none.
//!
//! ```text
//! seat       "pls_" base64url( table id (16) || seat (1) || generation (4, big-endian) || mac (32) )
//! spectator  "plv_" base64url( table id (16) || generation (4, big-endian) || mac (32) )
//! mac        HMAC-SHA256( server key, domain || everything before the mac )
//! domain     "parlor seat token v1" or "parlor spectator token v1"
//! ```
//!
//! The base64url has no padding. Verification has two steps, with a look-up of the table in between:
//! [`ServerKey::open_seat`] verifies the MAC, [`SeatPass::admit`] checks that the token is the newest.

use std::cmp::Ordering;
use std::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use parlor_engine::Seat;
use sha2::Sha256;
use subtle::ConstantTimeEq;

use super::{key, server_key::ServerKey};
use crate::{Secret, TableId};

/// Number of times that a token was reissued. Only the newest generation is valid.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Generation(pub u32);

impl Generation {
    /// The first token of a seat or a table.
    pub const FIRST: Generation = Generation(0);

    /// The next generation, which invalidates this one; `None` after four billion.
    #[must_use]
    pub fn next(self) -> Option<Generation> {
        self.0.checked_add(1).map(Generation)
    }
}

/// Kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenKind {
    /// For playing a seat.
    Seat,
    /// For watching a table.
    Spectator,
}

impl TokenKind {
    /// Prefix of the tokens of this kind.
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

    /// Number of bytes before the MAC.
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

/// Reason why a token is refused. The message never contains the token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TokenRefused {
    /// The text does not have the format of this kind of token.
    #[error("this is not a {kind}: send it exactly as issued, including the prefix {prefix}", kind = .0, prefix = .0.prefix())]
    Malformed(TokenKind),
    /// The text is another kind of credential.
    #[error("this is {got}, but a {wanted} is required: send the one that starts with {}", wanted.prefix())]
    OtherKind {
        /// The required kind.
        wanted: TokenKind,
        /// The kind that was sent.
        got: &'static str,
    },
    /// The MAC or the generation is wrong: this server did not issue the token.
    #[error(
        "this {0} is invalid: this server did not issue it; check that it is complete and for this server"
    )]
    Wrong(TokenKind),
    /// A newer generation was issued.
    #[error("this {0} was reissued: ask the owner of the table for the new one")]
    Reissued(TokenKind),
}

/// A token with a valid MAC, whose generation has not been checked against its table.
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
    /// The pass that a token of this generation would give. The server uses it to seat an agent without
    /// sending a token.
    pub(crate) const fn given(table: TableId, seat: Seat, generation: Generation) -> SeatPass {
        SeatPass { table, seat, generation }
    }

    /// The table to look up.
    #[must_use]
    pub const fn table(&self) -> TableId {
        self.table
    }

    /// The seat whose generation to look up.
    #[must_use]
    pub const fn seat(&self) -> Seat {
        self.seat
    }

    /// Grants the seat, if this is the newest generation.
    pub fn admit(self, newest: Generation) -> Result<SeatClaim, TokenRefused> {
        check_generation(TokenKind::Seat, self.generation, newest)?;
        Ok(SeatClaim { table: self.table, seat: self.seat })
    }
}

/// A token with a valid MAC, whose generation has not been checked against its table.
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
    /// The table to look up.
    #[must_use]
    pub const fn table(&self) -> TableId {
        self.table
    }

    /// Grants watching, if this is the newest generation.
    pub fn admit(self, newest: Generation) -> Result<SpectatorClaim, TokenRefused> {
        check_generation(TokenKind::Spectator, self.generation, newest)?;
        Ok(SpectatorClaim { table: self.table })
    }
}

fn check_generation(kind: TokenKind, generation: Generation, newest: Generation) -> Result<(), TokenRefused> {
    match generation.cmp(&newest) {
        Ordering::Less => Err(TokenRefused::Reissued(kind)),
        // Issued from a log that is lost, such as before a restored backup.
        Ordering::Greater => Err(TokenRefused::Wrong(kind)),
        Ordering::Equal => Ok(()),
    }
}

impl ServerKey {
    /// The token of a seat. Deterministic, so a repeated JoinTable returns the same token.
    #[must_use]
    pub fn seat_token(&self, table: TableId, seat: Seat, generation: Generation) -> Secret<String> {
        let mut claim = Vec::with_capacity(TokenKind::Seat.claim_length());
        claim.extend_from_slice(table.as_bytes());
        // Seat numbers are below 6.
        claim.push(seat.index() as u8);
        claim.extend_from_slice(&generation.0.to_be_bytes());
        self.sign(TokenKind::Seat, claim)
    }

    /// The token for watching a private table.
    #[must_use]
    pub fn spectator_token(&self, table: TableId, generation: Generation) -> Secret<String> {
        let mut claim = Vec::with_capacity(TokenKind::Spectator.claim_length());
        claim.extend_from_slice(table.as_bytes());
        claim.extend_from_slice(&generation.0.to_be_bytes());
        self.sign(TokenKind::Spectator, claim)
    }

    /// Verifies the MAC of a seat token.
    pub fn open_seat(&self, token: &str) -> Result<SeatPass, TokenRefused> {
        let claim = self.verify(TokenKind::Seat, token)?;
        let seat = claim.get(16).copied().and_then(Seat::new);
        match (table(&claim), seat, generation(&claim)) {
            (Some(table), Some(seat), Some(generation)) => Ok(SeatPass { table, seat, generation }),
            _ => Err(TokenRefused::Wrong(TokenKind::Seat)),
        }
    }

    /// Verifies the MAC of a spectator token.
    pub fn open_spectator(&self, token: &str) -> Result<SpectatorPass, TokenRefused> {
        let claim = self.verify(TokenKind::Spectator, token)?;
        match (table(&claim), generation(&claim)) {
            (Some(table), Some(generation)) => Ok(SpectatorPass { table, generation }),
            _ => Err(TokenRefused::Wrong(TokenKind::Spectator)),
        }
    }

    fn sign(&self, kind: TokenKind, mut claim: Vec<u8>) -> Secret<String> {
        let mac = self.mac(kind, &claim);
        claim.extend_from_slice(&mac);
        Secret::new(format!("{}{}", kind.prefix(), URL_SAFE_NO_PAD.encode(claim)))
    }

    /// Verifies the MAC and returns the bytes before it.
    fn verify(&self, kind: TokenKind, token: &str) -> Result<Vec<u8>, TokenRefused> {
        let length = kind.claim_length() + 32;
        let Some(text) = token.strip_prefix(kind.prefix()) else {
            return Err(wrong_credential(kind, token));
        };
        // The length is checked before decoding, so that a huge text costs nothing.
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
        let mut mac = Hmac::<Sha256>::new_from_slice(self.reveal()).expect("HMAC accepts keys of any length");
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

fn wrong_credential(wanted: TokenKind, token: &str) -> TokenRefused {
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
