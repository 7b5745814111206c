//! Who may do what: API keys for platforms and organisers, tokens for seats and spectators.
//!
//! | credential | begins with | given by | good for |
//! |---|---|---|---|
//! | API key | `plr_` | `parlor-server keys new` | what its scopes say, on the tables of its owner |
//! | seat token | `pls_` | `JoinTable` | playing one seat of one table, until the owner reissues it or a house bot takes over |
//! | spectator token | `plv_` | the owner of a private table | watching that table |
//!
//! Secrets are compared in constant time and printed by nothing: they live in [`Secret`](crate::Secret), and no error
//! repeats what it was given.

mod key;
mod keys;
mod server_key;
mod token;

pub use key::{KeyEntry, KeyHash, KeyId, NewKey, NotAHash, NotAScope, NotAnOwner, Owner, Quota, Scope};
pub use keys::{Caller, KeyRefused, KeySet, KeySetError, Keys, MAX_KEYS};
pub use server_key::{SERVER_KEY_FILE, ServerKey, ServerKeyError};
pub use token::{Generation, SeatClaim, SeatPass, SpectatorClaim, SpectatorPass, TokenKind, TokenRefused};
