//! Owners of tables, and verified claims of seat and spectator tokens. Issuing and verifying tokens is the server's part.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use parlor_engine::Seat;
use parlor_fair::TableId;
use serde::{Deserialize, Serialize};

/// The prefix of every API key, so that people and secret scanners recognise one.
pub const API_KEY_PREFIX: &str = "plr_";

/// The prefix of the owners of guests' tables.
const GUEST_PREFIX: &str = "guest-";

/// True if the name is that of an owner of guests' tables.
#[must_use]
pub fn is_guest_owner(owner: &str) -> bool {
    owner.starts_with(GUEST_PREFIX)
}

/// The owner of tables, as the settings name the holder of an API key: letters, digits, `.`, `-` and `_`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Owner(String);

/// The text is not the name of an owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected an owner of 1 to 64 of the characters a-z, A-Z, 0-9, '.', '-' and '_'")]
pub struct ParseOwnerError;

impl Owner {
    /// The maximum length of a name, in characters.
    pub const MAX_LENGTH: usize = 64;

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The owner of the tables that guests from one network address make. Nobody calls as this owner: a guest acts on each
    /// table with its owner token.
    #[must_use]
    pub fn guest(digest: [u8; 8]) -> Owner {
        Owner(format!("{GUEST_PREFIX}{:016x}", u64::from_be_bytes(digest)))
    }

    /// True if this is the owner of guests' tables.
    #[must_use]
    pub fn is_guest(&self) -> bool {
        is_guest_owner(&self.0)
    }

    /// The owner of all tables on a server without API keys.
    #[must_use]
    pub fn local() -> Owner {
        Owner(String::from("local"))
    }
}

impl FromStr for Owner {
    type Err = ParseOwnerError;

    fn from_str(text: &str) -> Result<Owner, ParseOwnerError> {
        let is_allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_');
        let is_name = (1..=Owner::MAX_LENGTH).contains(&text.len()) && text.bytes().all(is_allowed);
        // A key pasted into the wrong place would show in listings and logs.
        let is_key = text.starts_with(API_KEY_PREFIX);
        if is_name && !is_key { Ok(Owner(text.to_owned())) } else { Err(ParseOwnerError) }
    }
}

impl TryFrom<String> for Owner {
    type Error = ParseOwnerError;

    fn try_from(text: String) -> Result<Owner, ParseOwnerError> {
        text.parse()
    }
}

impl From<Owner> for String {
    fn from(owner: Owner) -> String {
        owner.0
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Generation of a token: the number of times it was reissued. Only the newest one is valid.
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

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenKind {
    /// Plays a seat.
    Seat,
    /// Watches a table.
    Spectator,
    /// Takes a seat of a table.
    Invite,
    /// Stands for the owner of a table that a guest made.
    Owner,
}

impl TokenKind {
    /// The prefix of every token of the kind.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            TokenKind::Seat => "pls_",
            TokenKind::Spectator => "plv_",
            TokenKind::Invite => "pli_",
            TokenKind::Owner => "plo_",
        }
    }
}

impl fmt::Display for TokenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TokenKind::Seat => "seat token",
            TokenKind::Spectator => "spectator token",
            TokenKind::Invite => "invite",
            TokenKind::Owner => "owner token",
        })
    }
}

/// The reason why a token is refused. It never repeats the token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TokenError {
    /// It is not a token of this kind at all.
    #[error("this is not a {kind}: send it exactly as issued, including the prefix {prefix}", kind = .0, prefix = .0.prefix())]
    Malformed(TokenKind),
    /// It is another credential.
    #[error("this is {got}, but a {wanted} is required: send the one that starts with {}", wanted.prefix())]
    OtherKind {
        /// The kind that is needed.
        wanted: TokenKind,
        /// The credential that was sent.
        got: &'static str,
    },
    /// This server did not issue it.
    #[error(
        "this {0} is invalid: this server did not issue it; check that it is complete and for this server"
    )]
    Wrong(TokenKind),
    /// A newer one was issued.
    #[error("this {0} was reissued: ask the owner of the table for the new one")]
    Reissued(TokenKind),
}

/// A verified seat token, before its generation is compared with the table's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VerifiedSeatToken {
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

impl VerifiedSeatToken {
    /// A token for a seat. The caller has verified the token, or assigned the seat to an agent itself.
    #[must_use]
    pub const fn new(table: TableId, seat: Seat, generation: Generation) -> VerifiedSeatToken {
        VerifiedSeatToken { table, seat, generation }
    }

    /// The table.
    #[must_use]
    pub const fn table(&self) -> TableId {
        self.table
    }

    /// The seat.
    #[must_use]
    pub const fn seat(&self) -> Seat {
        self.seat
    }

    /// Returns the claim if the token is of the newest generation.
    pub fn check_generation(self, newest: Generation) -> Result<SeatClaim, TokenError> {
        check_generation(TokenKind::Seat, self.generation, newest)?;
        Ok(SeatClaim { table: self.table, seat: self.seat })
    }
}

/// A verified spectator token, before its generation is compared with the table's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VerifiedSpectatorToken {
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

impl VerifiedSpectatorToken {
    /// A token for spectators of a table. The caller has verified the token.
    #[must_use]
    pub const fn new(table: TableId, generation: Generation) -> VerifiedSpectatorToken {
        VerifiedSpectatorToken { table, generation }
    }

    /// The table.
    #[must_use]
    pub const fn table(&self) -> TableId {
        self.table
    }

    /// Returns the claim if the token is of the newest generation.
    pub fn check_generation(self, newest: Generation) -> Result<SpectatorClaim, TokenError> {
        check_generation(TokenKind::Spectator, self.generation, newest)?;
        Ok(SpectatorClaim { table: self.table })
    }
}

/// A verified invite, before its table says whether it still holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VerifiedInvite {
    table: TableId,
    number: u32,
}

impl VerifiedInvite {
    /// An invite of a table. The caller has verified its secret.
    #[must_use]
    pub const fn new(table: TableId, number: u32) -> VerifiedInvite {
        VerifiedInvite { table, number }
    }

    /// The table.
    #[must_use]
    pub const fn table(&self) -> TableId {
        self.table
    }

    /// The number of the invite.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }
}

fn check_generation(kind: TokenKind, generation: Generation, newest: Generation) -> Result<(), TokenError> {
    match generation.cmp(&newest) {
        Ordering::Less => Err(TokenError::Reissued(kind)),
        // Issued by a log that this one does not continue, such as the one before a restored backup.
        Ordering::Greater => Err(TokenError::Wrong(kind)),
        Ordering::Equal => Ok(()),
    }
}
