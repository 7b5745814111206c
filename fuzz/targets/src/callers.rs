//! The server's secrets and callers that the targets use, the same in every run.

use std::sync::LazyLock;

use parlor_server::config::Settings;
use parlor_server::identity::{ApiKeys, Caller, KeyEntry, KeyHash, KeySet, Scope, ServerKey};

/// The server key, which signed the tokens in the corpus.
pub(crate) fn server_key() -> ServerKey {
    ServerKey::from_bytes([7; 32])
}

/// The default settings.
pub(crate) static SETTINGS: LazyLock<Settings> = LazyLock::new(Settings::default);

/// An API key of 47 characters, as a corpus file holds it.
const API_KEY: &str = "plr_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
/// Its SHA-256, as a settings file holds it.
const API_KEY_HASH: &str = "sha256:008ef622ea50e1e747a995fa61704514381123146e32f6147e92b3593b8dad08";

/// API keys with one in force, which has all scopes.
pub(crate) static API_KEYS: LazyLock<ApiKeys> = LazyLock::new(|| {
    let entry = KeyEntry {
        owner: "club".parse().expect("an owner"),
        hash: KeyHash::try_from(API_KEY_HASH.to_owned()).expect("a hash"),
        scopes: Scope::ALL.to_vec(),
        tables: None,
        requests_per_second: None,
    };
    ApiKeys::new(KeySet::new(vec![entry]).expect("one key"))
});

/// Everybody who calls: somebody without a key on a server without keys, and the owner of an API key.
pub(crate) static CALLERS: LazyLock<[Caller; 2]> = LazyLock::new(|| {
    let local = ApiKeys::new(KeySet::default()).identify(None).expect("a server without keys");
    [local, API_KEYS.identify(Some(API_KEY)).expect("the key in force")]
});
