//! Authentication: API keys for platforms and organisers, tokens for seats and spectators, the keys that sign records.
//!
//! | credential | prefix | issued by | grants |
//! |---|---|---|---|
//! | API key | `plr_` | `parlor-server keys new` | its scopes, on the tables of its owner |
//! | seat token | `pls_` | `JoinTable` | playing one seat of one table, until it is reissued or a house bot takes over |
//! | spectator token | `plv_` | the owner of a private table | watching that table |
//! | invite | `pli_` | the owner of a table | taking a seat of that table, until it is spent, revoked or expired |
//! | owner token | `plo_` | `CreateTable`, to a guest | all that the owner of that table may do |
//!
//! Secrets are compared in constant time and never printed: they live in [`Secret`](crate::Secret), and no
//! error contains the credential it refuses.

mod key;
mod key_file;
mod keys;
mod server_key;
mod shared_keys;
mod signing_keys;
mod token;

pub use key::{KeyEntry, KeyHash, KeyId, NewKey, ParseKeyHashError, ParseScopeError, Quota, Scope};
pub use key_file::KeyFileError;
pub use keys::{ApiKeyError, ApiKeys, Caller, KeySet, KeySetError, MAX_KEYS, TableOwner};
pub use server_key::ServerKey;
pub use shared_keys::{SharedKeyError, SharedKeys};
pub use signing_keys::{KeyRotation, SigningKeys};
pub(crate) use token::unverified_table;

pub use parlor_host::identity::{
    API_KEY_PREFIX, Generation, Owner, ParseOwnerError, SeatClaim, SpectatorClaim, TokenError, TokenKind,
    VerifiedInvite, VerifiedSeatToken, VerifiedSpectatorToken, is_guest_owner,
};
