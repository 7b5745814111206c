//! An API key: its text, its hash, and its entry in the settings file.

use std::{fmt, str::FromStr};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

use super::{API_KEY_PREFIX, Owner};
use crate::config::Count;
use parlor_host::RandomnessError;
use parlor_host::Secret;
use parlor_host::random_bytes;

/// Length of a key: the prefix and 32 bytes in base64url.
const KEY_LENGTH: usize = API_KEY_PREFIX.len() + 43;

/// Permission of a key.
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
    /// Everything, on the tables of every owner.
    Admin,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Scope; 5] =
        [Scope::Tables, Scope::Play, Scope::SeededTables, Scope::Agents, Scope::Admin];

    /// Name in the settings file.
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

/// The text is not a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected one of the scopes tables, play, seeded_tables, agents, admin")]
pub struct ParseScopeError;

impl FromStr for Scope {
    type Err = ParseScopeError;

    fn from_str(text: &str) -> Result<Scope, ParseScopeError> {
        Scope::ALL.into_iter().find(|scope| scope.name() == text).ok_or(ParseScopeError)
    }
}

impl TryFrom<String> for Scope {
    type Error = ParseScopeError;

    fn try_from(text: String) -> Result<Scope, ParseScopeError> {
        text.parse()
    }
}

impl From<Scope> for String {
    fn from(scope: Scope) -> String {
        scope.name().to_owned()
    }
}

/// SHA-256 of a key's text: the only form in which the server stores it.
///
/// Passwords need a slow hash because people choose guessable ones. A key has 256 random bits and cannot be
/// guessed, so a fast hash protects it as well, and is cheap enough for every request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct KeyHash([u8; 32]);

/// The text is not a key hash. The message does not contain the text, which may be the key itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "expected sha256: and 64 hexadecimal digits, as `parlor-server keys new` prints it (the key itself does not belong here)"
)]
pub struct ParseKeyHashError;

impl KeyHash {
    /// Hashes the text that a caller presents.
    pub(super) fn from_key(text: &str) -> KeyHash {
        KeyHash(Sha256::digest(text).into())
    }

    /// Compares in constant time.
    pub(super) fn ct_eq(&self, other: &KeyHash) -> Choice {
        self.0.ct_eq(&other.0)
    }

    /// Short id of the key, for logs and listings.
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
    type Error = ParseKeyHashError;

    fn try_from(text: String) -> Result<KeyHash, ParseKeyHashError> {
        let digits = text.strip_prefix("sha256:").ok_or(ParseKeyHashError)?.as_bytes();
        if digits.len() != 64 {
            return Err(ParseKeyHashError);
        }
        let value = |digit: u8| char::from(digit).to_digit(16).ok_or(ParseKeyHashError);
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
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

/// Short id of a key, from its hash: safe to log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KeyId(u64);

impl KeyId {
    /// The id as a number.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }

    /// Id of callers on a server without keys.
    pub(crate) const NONE: KeyId = KeyId(0);
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Maximum count or rate of one key.
pub type Quota = Count<1, 1_000_000>;

/// Entry of a key in the settings file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyEntry {
    /// The owner of the key.
    pub owner: Owner,
    /// The SHA-256 of the key, as `parlor-server keys new` prints it.
    pub hash: KeyHash,
    /// The permissions of the key.
    pub scopes: Vec<Scope>,
    /// Maximum number of open tables; defaults to `limits.tables_per_key`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<Quota>,
    /// Maximum requests per second; defaults to `limits.requests_per_second`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests_per_second: Option<Quota>,
}

/// A newly generated key: the only time that its text exists.
#[derive(Debug)]
pub struct NewKey {
    /// The key for its owner, shown once.
    pub text: Secret<String>,
    /// The entry for the settings file.
    pub entry: KeyEntry,
}

impl NewKey {
    /// Generates a key.
    pub fn generate(
        owner: Owner,
        scopes: Vec<Scope>,
        tables: Option<Quota>,
        requests_per_second: Option<Quota>,
    ) -> Result<NewKey, RandomnessError> {
        let text = format!("{API_KEY_PREFIX}{}", URL_SAFE_NO_PAD.encode(random_bytes::<32>()?));
        let entry = KeyEntry { owner, hash: KeyHash::from_key(&text), scopes, tables, requests_per_second };
        Ok(NewKey { text: Secret::new(text), entry })
    }

    /// Lines to append to the settings file.
    #[must_use]
    pub fn settings_lines(&self) -> String {
        let fields = toml::to_string(&self.entry).expect("a key entry serialises to TOML");
        format!("[[keys]]\n{fields}")
    }
}

/// Reports whether the text has the format of an API key, a cheap check before hashing.
pub(super) fn has_key_format(text: &str) -> bool {
    text.len() == KEY_LENGTH && text.starts_with(API_KEY_PREFIX)
}

#[cfg(test)]
mod tests;
