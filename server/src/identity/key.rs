//! One API key: its text, and what the settings file holds of it.

use std::{fmt, str::FromStr};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

use crate::{NoRandomness, Secret, config::Count, fresh_bytes};

/// What every API key begins with, so that people and secret scanners know one when they see it.
pub(super) const PREFIX: &str = "plr_";
/// The prefix, and 32 bytes in base64url.
const KEY_LENGTH: usize = PREFIX.len() + 43;

/// What a key allows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Scope {
    /// Create, list, follow and end the owner's tables; reissue their tokens.
    Tables,
    /// Join public tables and play.
    Play,
    /// Create tables with a given seed, for tests and training.
    SeededTables,
    /// Connect agents and register them for tournaments.
    Agents,
    /// Everything on every owner's tables.
    Admin,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Scope; 5] =
        [Scope::Tables, Scope::Play, Scope::SeededTables, Scope::Agents, Scope::Admin];

    /// The name in the settings file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Scope::Tables => "tables",
            Scope::Play => "play",
            Scope::SeededTables => "seeded_tables",
            Scope::Agents => "agents",
            Scope::Admin => "admin",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text names no scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected one of the scopes tables, play, seeded_tables, agents, admin")]
pub struct NotAScope;

impl FromStr for Scope {
    type Err = NotAScope;

    fn from_str(text: &str) -> Result<Scope, NotAScope> {
        Scope::ALL.into_iter().find(|scope| scope.name() == text).ok_or(NotAScope)
    }
}

impl TryFrom<String> for Scope {
    type Error = NotAScope;

    fn try_from(text: String) -> Result<Scope, NotAScope> {
        text.parse()
    }
}

impl From<Scope> for String {
    fn from(scope: Scope) -> String {
        scope.name().to_owned()
    }
}

/// Whose key it is: the name under which tables are owned. Several keys may have one owner, so that keys can be
/// exchanged one after the other.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Owner(String);

/// The text is no name for an owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected an owner of 1 to 64 of the characters a-z, A-Z, 0-9, '.', '-' and '_'")]
pub struct NotAnOwner;

impl Owner {
    /// The most characters of a name.
    pub const MAX_LENGTH: usize = 64;

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Who owns the tables of a server without keys.
    pub(super) fn local() -> Owner {
        Owner(String::from("local"))
    }
}

impl FromStr for Owner {
    type Err = NotAnOwner;

    fn from_str(text: &str) -> Result<Owner, NotAnOwner> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_');
        let fits = (1..=Owner::MAX_LENGTH).contains(&text.len()) && text.bytes().all(plain);
        // A key pasted into the wrong place would be shown in listings and logs.
        let is_key = text.starts_with(PREFIX);
        if fits && !is_key { Ok(Owner(text.to_owned())) } else { Err(NotAnOwner) }
    }
}

impl TryFrom<String> for Owner {
    type Error = NotAnOwner;

    fn try_from(text: String) -> Result<Owner, NotAnOwner> {
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

/// The SHA-256 of a key's text: all that the server keeps of it.
///
/// Passwords need a slow hash because people choose guessable ones. A key has 256 random bits: there is nothing to
/// guess, so a fast hash protects it as well, and every request can afford it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct KeyHash([u8; 32]);

/// The text is no hash of a key. It says nothing about the text, which may be the key itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "expected sha256: and 64 hexadecimal digits, as `parlor-server keys new` prints it (the key itself does not belong here)"
)]
pub struct NotAHash;

impl KeyHash {
    /// The hash of what a caller presents.
    pub(super) fn of(text: &str) -> KeyHash {
        KeyHash(Sha256::digest(text).into())
    }

    /// Whether they are equal, in constant time.
    pub(super) fn ct_eq(&self, other: &KeyHash) -> Choice {
        self.0.ct_eq(&other.0)
    }

    /// A short name of the key for logs and listings.
    #[must_use]
    pub const fn id(&self) -> KeyId {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        KeyId(u64::from_be_bytes([a, b, c, d, e, f, g, h]))
    }
}

impl fmt::Display for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyHash({})", self.id())
    }
}

impl TryFrom<String> for KeyHash {
    type Error = NotAHash;

    fn try_from(text: String) -> Result<KeyHash, NotAHash> {
        let digits = text.strip_prefix("sha256:").ok_or(NotAHash)?.as_bytes();
        if digits.len() != 64 {
            return Err(NotAHash);
        }
        let value = |digit: u8| char::from(digit).to_digit(16).ok_or(NotAHash);
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
            // Two digits make a byte.
            *byte = (value(pair[0])? << 4 | value(pair[1])?) as u8;
        }
        Ok(KeyHash(hash))
    }
}

impl From<KeyHash> for String {
    fn from(hash: KeyHash) -> String {
        hash.to_string()
    }
}

/// A short name of a key, from its hash: good for logs, of no use to anyone who wants to use the key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KeyId(u64);

impl KeyId {
    /// Callers of a server without keys.
    pub(crate) const NONE: KeyId = KeyId(0);
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// How much of something one key may have.
pub type Quota = Count<1, 1_000_000>;

/// What the settings file holds of one key.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyEntry {
    /// Whose key it is.
    pub owner: Owner,
    /// The SHA-256 of the key, as `parlor-server keys new` prints it.
    pub hash: KeyHash,
    /// What the key allows.
    pub scopes: Vec<Scope>,
    /// How many tables the key may hold at once; without it, as many as `limits.tables_per_key` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<Quota>,
    /// How many requests a second the key may send; without it, as many as `limits.requests_per_second` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests_per_second: Option<Quota>,
}

/// A key that was just made: the only time that its text exists.
#[derive(Debug)]
pub struct NewKey {
    /// What its owner is given, once.
    pub text: Secret<String>,
    /// What goes into the settings file.
    pub entry: KeyEntry,
}

impl NewKey {
    /// Makes a key.
    pub fn generate(
        owner: Owner,
        scopes: Vec<Scope>,
        tables: Option<Quota>,
        requests_per_second: Option<Quota>,
    ) -> Result<NewKey, NoRandomness> {
        let text = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(fresh_bytes::<32>()?));
        let entry = KeyEntry { owner, hash: KeyHash::of(&text), scopes, tables, requests_per_second };
        Ok(NewKey { text: Secret::new(text), entry })
    }

    /// The lines to put at the end of the settings file.
    #[must_use]
    pub fn settings_lines(&self) -> String {
        let fields = toml::to_string(&self.entry).expect("names, numbers and lists of names are TOML");
        format!("[[keys]]\n{fields}")
    }
}

/// Whether the text looks like an API key: a cheap look before it is hashed.
pub(super) fn looks_like_a_key(text: &str) -> bool {
    text.len() == KEY_LENGTH && text.starts_with(PREFIX)
}

#[cfg(test)]
mod tests;
