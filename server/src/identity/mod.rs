//! Authentication: API keys for platforms and organisers, tokens for seats and spectators.
//!
//! | credential | prefix | issued by | grants |
//! |---|---|---|---|
//! | API key | `plr_` | `parlor-server keys new` | its scopes, on the tables of its owner |
//! | seat token | `pls_` | `JoinTable` | playing one seat of one table, until it is reissued or a house bot takes over |
//! | spectator token | `plv_` | the owner of a private table | watching that table |
//!
//! Secrets are compared in constant time and never printed: they live in [`Secret`](crate::Secret), and no
//! error contains the credential it refuses.

mod key;
mod keys;
mod server_key;
mod token;

pub use key::{KeyEntry, KeyHash, KeyId, NewKey, ParseKeyHashError, ParseScopeError, Quota, Scope};
pub use keys::{ApiKeyError, ApiKeys, Caller, KeySet, KeySetError, MAX_KEYS};
pub use server_key::{SERVER_KEY_FILE, ServerKey, ServerKeyError};

pub use parlor_host::identity::{
    API_KEY_PREFIX, Generation, Owner, ParseOwnerError, SeatClaim, SpectatorClaim, TokenError, TokenKind,
    VerifiedSeatToken, VerifiedSpectatorToken,
};
