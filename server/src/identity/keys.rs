//! The API keys of the server, and identification of callers.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, PoisonError, RwLock},
};

use tokio_util::sync::CancellationToken;

use subtle::{ConditionallySelectable, ConstantTimeEq};

use parlor_host::TableId;

use super::Owner;
use super::key::{KeyEntry, KeyHash, KeyId, Quota, Scope, has_key_format};

/// Maximum number of keys. Every request is compared with all of them, so that timing reveals nothing.
pub const MAX_KEYS: usize = 1024;

/// Keys of one settings file.
#[derive(Debug, Default)]
pub struct KeySet {
    keys: Vec<Arc<ActiveKey>>,
    /// Cancelled when a server that had no keys gets some.
    keyless_ended: CancellationToken,
}

/// A key in force.
#[derive(Debug)]
struct ActiveKey {
    entry: KeyEntry,
    /// Cancelled when the key is removed, or loses rights that it had.
    revoked: CancellationToken,
}

/// The keys are not valid together.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum KeySetError {
    /// Too many keys.
    #[error("{0} keys are more than {MAX_KEYS}: remove those that are no longer used")]
    TooMany(usize),
    /// Two entries have the same hash.
    #[error("the key {id} of {owner} appears twice: remove one of the two entries")]
    Duplicate {
        /// The key.
        id: KeyId,
        /// Owner of the second entry.
        owner: Owner,
    },
    /// A key without permissions.
    #[error("the key {id} of {owner} has no scopes: give it at least one, or remove it")]
    NoScopes {
        /// The key.
        id: KeyId,
        /// Its owner.
        owner: Owner,
    },
    /// The owner of a key has the name of an owner of guests' tables.
    #[error("the owner {owner} of the key {id} has a name that is kept for guests: choose another one")]
    GuestOwner {
        /// The key.
        id: KeyId,
        /// Its owner.
        owner: Owner,
    },
    /// A reload without keys would open the server to everyone.
    #[error("the new settings have no keys, and would let everyone in: keep one, or restart the server")]
    LastKeyRemoved,
}

impl KeySet {
    /// Validates the keys of a settings file, which must be distinct.
    pub fn new(entries: Vec<KeyEntry>) -> Result<KeySet, KeySetError> {
        if entries.len() > MAX_KEYS {
            return Err(KeySetError::TooMany(entries.len()));
        }
        let mut seen = HashSet::new();
        for KeyEntry { owner, hash, scopes, .. } in &entries {
            let (id, owner) = (hash.id(), owner.clone());
            if !seen.insert(*hash) {
                return Err(KeySetError::Duplicate { id, owner });
            }
            if owner.is_guest() {
                return Err(KeySetError::GuestOwner { id, owner });
            }
            if scopes.is_empty() {
                return Err(KeySetError::NoScopes { id, owner });
            }
        }
        let active = |entry| Arc::new(ActiveKey { entry, revoked: CancellationToken::new() });
        Ok(KeySet { keys: entries.into_iter().map(active).collect(), ..KeySet::default() })
    }

    /// Reports whether there are no keys, so that everyone who can connect may do everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Takes over from the keys before: a key that keeps its owner and its scopes stays the same, so that its streams
    /// stay open. Returns what is revoked.
    fn replace(&mut self, before: &KeySet) -> Vec<CancellationToken> {
        let mut kept: HashMap<KeyHash, &Arc<ActiveKey>> =
            before.keys.iter().map(|key| (key.entry.hash, key)).collect();
        for key in &mut self.keys {
            let has_rights_of = |old: &&Arc<ActiveKey>| {
                let scopes = &key.entry.scopes;
                old.entry.owner == key.entry.owner
                    && old.entry.scopes.iter().all(|scope| scopes.contains(scope))
            };
            if let Some(old) = kept.get(&key.entry.hash).copied().filter(has_rights_of) {
                let entry = key.entry.clone();
                *key = Arc::new(ActiveKey { entry, revoked: old.revoked.clone() });
                kept.remove(&key.entry.hash);
            }
        }
        let mut revoked: Vec<_> = kept.into_values().map(|key| key.revoked.clone()).collect();
        if before.is_empty() && !self.is_empty() {
            revoked.push(before.keyless_ended.clone());
        } else {
            self.keyless_ended = before.keyless_ended.clone();
        }
        revoked
    }

    /// Finds the entry of a key, in a time that depends only on the number of keys.
    fn find(&self, text: &str) -> Option<&Arc<ActiveKey>> {
        let hash = KeyHash::from_key(text);
        let mut found = u32::MAX;
        for (index, key) in (0..).zip(&self.keys) {
            found.conditional_assign(&index, key.entry.hash.ct_eq(&hash));
        }
        let known = !found.ct_eq(&u32::MAX);
        if bool::from(known) { self.keys.get(usize::try_from(found).ok()?) } else { None }
    }
}

/// Identity of a caller.
#[derive(Clone, Debug)]
pub struct Caller(CallerKind);

#[derive(Clone, Debug)]
enum CallerKind {
    /// A caller with a key.
    Key(Arc<ActiveKey>),
    /// Any caller on a server without keys, until it gets some.
    Local { owner: Owner, ended: CancellationToken },
}

impl Caller {
    /// A caller with this key, which another node of the cluster has verified. That node watches for its removal, too.
    pub(crate) fn forwarded(entry: KeyEntry) -> Caller {
        Caller(CallerKind::Key(Arc::new(ActiveKey { entry, revoked: CancellationToken::new() })))
    }

    /// A caller without a key, whom another node of the cluster has admitted as this owner.
    pub(crate) fn forwarded_local(owner: Owner) -> Caller {
        Caller(CallerKind::Local { owner, ended: CancellationToken::new() })
    }

    /// The entry of the caller's key, if it has one.
    pub(crate) fn key_entry(&self) -> Option<&KeyEntry> {
        match &self.0 {
            CallerKind::Key(key) => Some(&key.entry),
            CallerKind::Local { .. } => None,
        }
    }

    /// The owner of the caller's tables.
    #[must_use]
    pub fn owner(&self) -> &Owner {
        match &self.0 {
            CallerKind::Key(key) => &key.entry.owner,
            CallerKind::Local { owner, .. } => owner,
        }
    }

    /// Id of the key, for logs and limits.
    #[must_use]
    pub fn key(&self) -> KeyId {
        match &self.0 {
            CallerKind::Key(key) => key.entry.hash.id(),
            CallerKind::Local { .. } => KeyId::NONE,
        }
    }

    /// Reports whether the caller has a key; false on a server without keys.
    #[must_use]
    pub const fn has_key(&self) -> bool {
        matches!(self.0, CallerKind::Key(_))
    }

    /// Reports whether the caller has a scope: its key has it or `admin`, or the server has no keys.
    #[must_use]
    pub fn has_scope(&self, scope: Scope) -> bool {
        match &self.0 {
            CallerKind::Key(key) => {
                [scope, Scope::Admin].iter().any(|scope| key.entry.scopes.contains(scope))
            }
            CallerKind::Local { .. } => true,
        }
    }

    /// The key's own limit of open tables, if any.
    #[must_use]
    pub fn tables(&self) -> Option<Quota> {
        match &self.0 {
            CallerKind::Key(key) => key.entry.tables,
            CallerKind::Local { .. } => None,
        }
    }

    /// The key's own request rate, if any.
    #[must_use]
    pub fn requests_per_second(&self) -> Option<Quota> {
        match &self.0 {
            CallerKind::Key(key) => key.entry.requests_per_second,
            CallerKind::Local { .. } => None,
        }
    }

    /// Waits until the caller loses the rights that it has, and returns the reason. It may then call again with another
    /// key.
    pub async fn revoked(self) -> ApiKeyError {
        match self.0 {
            CallerKind::Key(key) => {
                key.revoked.cancelled().await;
                ApiKeyError::Revoked
            }
            CallerKind::Local { ended, .. } => {
                ended.cancelled().await;
                ApiKeyError::Missing
            }
        }
    }
}

/// Holder of the owner token of a table, in the extensions of its requests. It is no [`Caller`]: it has no scopes, and owns
/// nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableOwner(pub TableId);

/// Reason why an API key is refused. The message never contains what the caller sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ApiKeyError {
    /// The server has keys, and the caller sent none.
    #[error("this server needs an API key: send it as `authorization: Bearer plr_...`")]
    Missing,
    /// The text does not have the format of a key.
    #[error("malformed API key: a key starts with plr_ and has 47 characters")]
    Malformed,
    /// The key is not among the server's keys.
    #[error("unknown API key: it may have been removed; ask the operator of the server")]
    Unknown,
    /// The key was removed, or lost rights, while a stream that it opened was running.
    #[error(
        "the API key that opened this stream was removed or has fewer rights now: ask the operator of the server"
    )]
    Revoked,
}

/// The current keys, replaceable while the server runs.
#[derive(Debug)]
pub struct ApiKeys(RwLock<Arc<KeySet>>);

impl ApiKeys {
    /// The keys at start-up.
    #[must_use]
    pub fn new(set: KeySet) -> ApiKeys {
        ApiKeys(RwLock::new(Arc::new(set)))
    }

    /// Replaces all keys atomically: a call sees either the old or the new set. A caller whose key was removed is
    /// refused from the next call on, and its open streams end.
    ///
    /// The last key cannot be removed this way: a mistake in an edited file must not open a server to
    /// everyone.
    pub fn replace(&self, mut set: KeySet) -> Result<(), KeySetError> {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if set.is_empty() && !current.is_empty() {
            return Err(KeySetError::LastKeyRemoved);
        }
        let revoked = set.replace(&current);
        *current = Arc::new(set);
        drop(current);
        revoked.iter().for_each(CancellationToken::cancel);
        Ok(())
    }

    /// Reports whether there are no keys now, so that everyone who can connect may do everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Identifies the caller that sends this key, or none.
    pub fn identify(&self, key: Option<&str>) -> Result<Caller, ApiKeyError> {
        let keys = self.0.read().unwrap_or_else(PoisonError::into_inner).clone();
        match key {
            // A server without keys ignores the key: a client may send it to every server it knows.
            _ if keys.is_empty() => {
                Ok(Caller(CallerKind::Local { owner: Owner::local(), ended: keys.keyless_ended.clone() }))
            }
            None => Err(ApiKeyError::Missing),
            Some(text) if !has_key_format(text) => Err(ApiKeyError::Malformed),
            Some(text) => {
                keys.find(text).map(|key| Caller(CallerKind::Key(key.clone()))).ok_or(ApiKeyError::Unknown)
            }
        }
    }
}

#[cfg(test)]
mod tests;
