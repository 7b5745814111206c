//! Seat tokens, spectator tokens, invites and owner tokens.
//!
//! A token names its table and seat, and is verified by its MAC, so the server stores none.
//!
//! ```text
//! seat       "pls_" base64url( table id (16) || seat (1) || generation (4, big-endian) || mac (32) )
//! spectator  "plv_" base64url( table id (16) || generation (4, big-endian) || mac (32) )
//! invite     "pli_" base64url( table id (16) || number (4, big-endian) || mac (32) )
//! owner      "plo_" base64url( table id (16) || mac (32) )
//! mac        HMAC-SHA256( server key, domain || everything before the mac )
//! domain     "parlor seat token v1", "parlor spectator token v1", "parlor invite v1" or "parlor owner token v1"
//! ```
//!
//! The base64url has no padding. Verification has two steps, with a look-up of the table in between:
//! [`ServerKey::verify_seat_token`] verifies the MAC, [`VerifiedSeatToken::check_generation`] checks that the token is the newest.
//! An invite holds as long as the log of its table says so, an owner token as long as its table exists.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use parlor_engine::Seat;
use sha2::Sha256;
use subtle::ConstantTimeEq;

use super::server_key::ServerKey;
use super::{
    API_KEY_PREFIX, Generation, Owner, TokenError, TokenKind, VerifiedInvite, VerifiedSeatToken,
    VerifiedSpectatorToken,
};
use parlor_host::Secret;
use parlor_host::TableId;

/// The domain separator of a kind of token.
const fn domain(kind: TokenKind) -> &'static [u8] {
    match kind {
        TokenKind::Seat => b"parlor seat token v1",
        TokenKind::Spectator => b"parlor spectator token v1",
        TokenKind::Invite => b"parlor invite v1",
        TokenKind::Owner => b"parlor owner token v1",
    }
}

/// The number of bytes before the MAC.
const fn claim_length(kind: TokenKind) -> usize {
    match kind {
        TokenKind::Seat => 21,
        TokenKind::Spectator | TokenKind::Invite => 20,
        TokenKind::Owner => 16,
    }
}

impl ServerKey {
    /// The token of a seat. Deterministic, so a repeated JoinTable returns the same token.
    #[must_use]
    pub fn seat_token(&self, table: TableId, seat: Seat, generation: Generation) -> Secret<String> {
        let mut claim = Vec::with_capacity(claim_length(TokenKind::Seat));
        claim.extend_from_slice(table.as_bytes());
        // Seat numbers are below 6.
        claim.push(seat.index() as u8);
        claim.extend_from_slice(&generation.0.to_be_bytes());
        self.sign(TokenKind::Seat, claim)
    }

    /// The token for watching a private table.
    #[must_use]
    pub fn spectator_token(&self, table: TableId, generation: Generation) -> Secret<String> {
        let mut claim = Vec::with_capacity(claim_length(TokenKind::Spectator));
        claim.extend_from_slice(table.as_bytes());
        claim.extend_from_slice(&generation.0.to_be_bytes());
        self.sign(TokenKind::Spectator, claim)
    }

    /// Verifies the MAC of a seat token.
    pub fn verify_seat_token(&self, token: &str) -> Result<VerifiedSeatToken, TokenError> {
        let claim = self.verify(TokenKind::Seat, token)?;
        let seat = claim.get(16).copied().and_then(Seat::new);
        match (table(&claim), seat, generation(&claim)) {
            (Some(table), Some(seat), Some(generation)) => {
                Ok(VerifiedSeatToken::new(table, seat, generation))
            }
            _ => Err(TokenError::Wrong(TokenKind::Seat)),
        }
    }

    /// Verifies the MAC of a spectator token.
    pub fn verify_spectator_token(&self, token: &str) -> Result<VerifiedSpectatorToken, TokenError> {
        let claim = self.verify(TokenKind::Spectator, token)?;
        match (table(&claim), generation(&claim)) {
            (Some(table), Some(generation)) => Ok(VerifiedSpectatorToken::new(table, generation)),
            _ => Err(TokenError::Wrong(TokenKind::Spectator)),
        }
    }

    /// The secret of an invite. Deterministic, so a repeated CreateInvite returns the same one.
    #[must_use]
    pub fn invite(&self, table: TableId, number: u32) -> Secret<String> {
        let mut claim = Vec::with_capacity(claim_length(TokenKind::Invite));
        claim.extend_from_slice(table.as_bytes());
        claim.extend_from_slice(&number.to_be_bytes());
        self.sign(TokenKind::Invite, claim)
    }

    /// Verifies the MAC of an invite.
    pub fn verify_invite(&self, secret: &str) -> Result<VerifiedInvite, TokenError> {
        let claim = self.verify(TokenKind::Invite, secret)?;
        match (table(&claim), generation(&claim)) {
            (Some(table), Some(Generation(number))) => Ok(VerifiedInvite::new(table, number)),
            _ => Err(TokenError::Wrong(TokenKind::Invite)),
        }
    }

    /// The token that stands for the owner of a table that a guest made.
    #[must_use]
    pub fn owner_token(&self, table: TableId) -> Secret<String> {
        self.sign(TokenKind::Owner, table.as_bytes().to_vec())
    }

    /// Verifies the MAC of an owner token, and returns its table.
    pub fn verify_owner_token(&self, token: &str) -> Result<TableId, TokenError> {
        let claim = self.verify(TokenKind::Owner, token)?;
        table(&claim).ok_or(TokenError::Wrong(TokenKind::Owner))
    }

    /// The owner of the tables that guests from a network address make. The store does not tell the address.
    #[must_use]
    pub fn guest_owner(&self, address: &str) -> Owner {
        let digest = self.hmac(b"parlor guest v1", address.as_bytes());
        let [a, b, c, d, e, f, g, h, ..] = digest;
        Owner::guest([a, b, c, d, e, f, g, h])
    }

    /// The text by which the nodes of a cluster, which share the server key, recognise each other.
    pub(crate) fn link_token(&self) -> Secret<String> {
        Secret::new(URL_SAFE_NO_PAD.encode(self.hmac(b"parlor node link v1", b"")))
    }

    fn sign(&self, kind: TokenKind, mut claim: Vec<u8>) -> Secret<String> {
        let mac = self.mac(kind, &claim);
        claim.extend_from_slice(&mac);
        Secret::new(format!("{}{}", kind.prefix(), URL_SAFE_NO_PAD.encode(claim)))
    }

    /// Verifies the MAC and returns the bytes before it.
    fn verify(&self, kind: TokenKind, token: &str) -> Result<Vec<u8>, TokenError> {
        let length = claim_length(kind) + 32;
        let Some(text) = token.strip_prefix(kind.prefix()) else {
            return Err(wrong_credential(kind, token));
        };
        // The length is checked before decoding, so that a huge text costs nothing.
        if text.len() != (length * 4).div_ceil(3) {
            return Err(TokenError::Malformed(kind));
        }
        let malformed = |_| TokenError::Malformed(kind);
        let mut claim = URL_SAFE_NO_PAD.decode(text).map_err(malformed)?;
        let mac = claim.split_off(claim_length(kind));
        if bool::from(self.mac(kind, &claim).ct_eq(mac.as_slice())) {
            Ok(claim)
        } else {
            Err(TokenError::Wrong(kind))
        }
    }

    fn mac(&self, kind: TokenKind, claim: &[u8]) -> [u8; 32] {
        self.hmac(domain(kind), claim)
    }

    fn hmac(&self, domain: &[u8], claim: &[u8]) -> [u8; 32] {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.reveal()).expect("HMAC accepts keys of any length");
        mac.update(domain);
        mac.update(claim);
        mac.finalize().into_bytes().into()
    }
}

/// The table that a token of any kind names, without verifying the token: to find the node that verifies it.
pub(crate) fn unverified_table(token: &str) -> Option<TableId> {
    let kinds = [TokenKind::Seat, TokenKind::Spectator, TokenKind::Invite, TokenKind::Owner];
    let text = kinds.into_iter().find_map(|kind| token.strip_prefix(kind.prefix()))?;
    // 24 characters of base64 are 18 bytes, which begin with the 16 of the table.
    table(&URL_SAFE_NO_PAD.decode(text.get(..24)?).ok()?)
}

fn table(claim: &[u8]) -> Option<TableId> {
    claim.first_chunk().copied().map(TableId::from_bytes)
}

fn generation(claim: &[u8]) -> Option<Generation> {
    claim.last_chunk().map(|bytes| Generation(u32::from_be_bytes(*bytes)))
}

fn wrong_credential(wanted: TokenKind, token: &str) -> TokenError {
    let known = [
        (API_KEY_PREFIX, "an API key"),
        (TokenKind::Seat.prefix(), "a seat token"),
        (TokenKind::Spectator.prefix(), "a spectator token"),
        (TokenKind::Invite.prefix(), "an invite"),
        (TokenKind::Owner.prefix(), "an owner token"),
    ];
    match known.into_iter().find(|(prefix, _)| token.starts_with(prefix)) {
        Some((_, got)) => TokenError::OtherKind { wanted, got },
        None => TokenError::Malformed(wanted),
    }
}

#[cfg(test)]
mod tests;
