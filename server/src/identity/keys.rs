//! The API keys of the server, and identification of callers.

use std::{
    collections::HashSet,
    sync::{Arc, PoisonError, RwLock},
};

use subtle::{ConditionallySelectable, ConstantTimeEq};

use super::Owner;
use super::key::{KeyEntry, KeyHash, KeyId, Quota, Scope, has_key_format};

/// Maximum number of keys. Every request is compared with all of them, so that timing reveals nothing.
pub const MAX_KEYS: usize = 1024;

/// Keys of one settings file.
#[derive(Debug, Default)]
pub struct KeySet(Vec<Arc<KeyEntry>>);

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
            if scopes.is_empty() {
                return Err(KeySetError::NoScopes { id, owner });
            }
        }
        Ok(KeySet(entries.into_iter().map(Arc::new).collect()))
    }

    /// Reports whether there are no keys, so that everyone who can connect may do everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Finds the entry of a key, in a time that depends only on the number of keys.
    fn find(&self, text: &str) -> Option<&Arc<KeyEntry>> {
        let hash = KeyHash::from_key(text);
        let mut found = u32::MAX;
        for (index, entry) in (0..).zip(&self.0) {
            found.conditional_assign(&index, entry.hash.ct_eq(&hash));
        }
        let known = !found.ct_eq(&u32::MAX);
        if bool::from(known) { self.0.get(usize::try_from(found).ok()?) } else { None }
    }
}

/// Identity of a caller.
#[derive(Clone, Debug)]
pub struct Caller(CallerKind);

#[derive(Clone, Debug)]
enum CallerKind {
    /// A caller with a key.
    Key(Arc<KeyEntry>),
    /// Any caller on a server without keys.
    Local(Owner),
}

impl Caller {
    /// The owner of the caller's tables.
    #[must_use]
    pub fn owner(&self) -> &Owner {
        match &self.0 {
            CallerKind::Key(entry) => &entry.owner,
            CallerKind::Local(owner) => owner,
        }
    }

    /// Id of the key, for logs and limits.
    #[must_use]
    pub fn key(&self) -> KeyId {
        match &self.0 {
            CallerKind::Key(entry) => entry.hash.id(),
            CallerKind::Local(_) => KeyId::NONE,
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
            CallerKind::Key(entry) => entry.scopes.contains(&scope) || entry.scopes.contains(&Scope::Admin),
            CallerKind::Local(_) => true,
        }
    }

    /// The key's own limit of open tables, if any.
    #[must_use]
    pub fn tables(&self) -> Option<Quota> {
        match &self.0 {
            CallerKind::Key(entry) => entry.tables,
            CallerKind::Local(_) => None,
        }
    }

    /// The key's own request rate, if any.
    #[must_use]
    pub fn requests_per_second(&self) -> Option<Quota> {
        match &self.0 {
            CallerKind::Key(entry) => entry.requests_per_second,
            CallerKind::Local(_) => None,
        }
    }
}

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

    /// Replaces all keys atomically: a call sees either the old or the new set. A caller whose key was
    /// removed is refused from the next call on.
    ///
    /// The last key cannot be removed this way: a mistake in an edited file must not open a server to
    /// everyone.
    pub fn replace(&self, set: KeySet) -> Result<(), KeySetError> {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if set.is_empty() && !current.is_empty() {
            return Err(KeySetError::LastKeyRemoved);
        }
        *current = Arc::new(set);
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
            _ if keys.is_empty() => Ok(Caller(CallerKind::Local(Owner::local()))),
            None => Err(ApiKeyError::Missing),
            Some(text) if !has_key_format(text) => Err(ApiKeyError::Malformed),
            Some(text) => keys
                .find(text)
                .map(|entry| Caller(CallerKind::Key(entry.clone())))
                .ok_or(ApiKeyError::Unknown),
        }
    }
}

#[cfg(test)]
mod tests;
