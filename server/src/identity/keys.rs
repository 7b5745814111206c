//! All API keys of the server, and who is calling.

use std::{
    collections::HashSet,
    sync::{Arc, PoisonError, RwLock},
};

use subtle::{ConditionallySelectable, ConstantTimeEq};

use super::key::{KeyEntry, KeyHash, KeyId, Owner, Quota, Scope, looks_like_a_key};

/// The most keys a server has. Every request is compared with all of them, so that the time tells nothing.
pub const MAX_KEYS: usize = 1024;

/// The keys of one settings file.
#[derive(Debug, Default)]
pub struct KeySet(Vec<Arc<KeyEntry>>);

/// These keys cannot be used together.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum KeySetError {
    /// There are too many.
    #[error("{0} keys are more than {MAX_KEYS}: remove those that are no longer used")]
    TooMany(usize),
    /// Two entries have the same hash.
    #[error("the key {id} of {owner} is there twice: remove one of the two entries")]
    Twice {
        /// Which key.
        id: KeyId,
        /// Whose the second entry is.
        owner: Owner,
    },
    /// A key allows nothing.
    #[error("the key {id} of {owner} has no scopes: give it at least one, or remove it")]
    NoScopes {
        /// Which key.
        id: KeyId,
        /// Whose it is.
        owner: Owner,
    },
    /// A reload would open the server to everyone.
    #[error("the new settings have no keys, and would let everyone in: keep one, or restart the server")]
    WouldOpen,
}

impl KeySet {
    /// The keys of a settings file, which must all be different.
    pub fn new(entries: Vec<KeyEntry>) -> Result<KeySet, KeySetError> {
        if entries.len() > MAX_KEYS {
            return Err(KeySetError::TooMany(entries.len()));
        }
        let mut seen = HashSet::new();
        for KeyEntry { owner, hash, scopes, .. } in &entries {
            let (id, owner) = (hash.id(), owner.clone());
            if !seen.insert(*hash) {
                return Err(KeySetError::Twice { id, owner });
            }
            if scopes.is_empty() {
                return Err(KeySetError::NoScopes { id, owner });
            }
        }
        Ok(KeySet(entries.into_iter().map(Arc::new).collect()))
    }

    /// Whether there is no key, so that everyone who can connect may do everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entry of a key, found in a time that depends on the number of keys alone.
    fn find(&self, text: &str) -> Option<&Arc<KeyEntry>> {
        let hash = KeyHash::of(text);
        let mut found = u32::MAX;
        for (index, entry) in (0..).zip(&self.0) {
            found.conditional_assign(&index, entry.hash.ct_eq(&hash));
        }
        let known = !found.ct_eq(&u32::MAX);
        if bool::from(known) { self.0.get(usize::try_from(found).ok()?) } else { None }
    }
}

/// Who is calling.
#[derive(Clone, Debug)]
pub struct Caller(Kind);

#[derive(Clone, Debug)]
enum Kind {
    /// Somebody with a key.
    Key(Arc<KeyEntry>),
    /// Anybody, on a server without keys.
    Local(Owner),
}

impl Caller {
    /// The name under which the caller owns tables.
    #[must_use]
    pub fn owner(&self) -> &Owner {
        match &self.0 {
            Kind::Key(entry) => &entry.owner,
            Kind::Local(owner) => owner,
        }
    }

    /// Which key it is, for logs and limits.
    #[must_use]
    pub fn key(&self) -> KeyId {
        match &self.0 {
            Kind::Key(entry) => entry.hash.id(),
            Kind::Local(_) => KeyId::NONE,
        }
    }

    /// Whether the caller has a key of its own; nobody has, on a server without keys.
    #[must_use]
    pub const fn has_key(&self) -> bool {
        matches!(self.0, Kind::Key(_))
    }

    /// Whether the caller may do this: its key has the scope, or is an administrator's, or there are no keys.
    #[must_use]
    pub fn may(&self, scope: Scope) -> bool {
        match &self.0 {
            Kind::Key(entry) => entry.scopes.contains(&scope) || entry.scopes.contains(&Scope::Admin),
            Kind::Local(_) => true,
        }
    }

    /// How many tables the key may hold, if it has a quota of its own.
    #[must_use]
    pub fn tables(&self) -> Option<Quota> {
        match &self.0 {
            Kind::Key(entry) => entry.tables,
            Kind::Local(_) => None,
        }
    }

    /// How many requests a second the key may send, if it has a quota of its own.
    #[must_use]
    pub fn requests_per_second(&self) -> Option<Quota> {
        match &self.0 {
            Kind::Key(entry) => entry.requests_per_second,
            Kind::Local(_) => None,
        }
    }
}

/// Why a caller is not known. It never repeats what the caller sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum KeyRefused {
    /// The server has keys, and the caller gave none.
    #[error("this server needs an API key: send it as `authorization: Bearer plr_...`")]
    Missing,
    /// What was sent cannot be a key.
    #[error("that is no API key: one begins with plr_ and has 47 characters")]
    Malformed,
    /// No key of the server is this one.
    #[error("the server does not know this API key: it may have been removed, ask who runs the server")]
    Unknown,
}

/// The keys in force. They are exchanged as a whole while the server runs.
#[derive(Debug)]
pub struct Keys(RwLock<Arc<KeySet>>);

impl Keys {
    /// The keys that the server starts with.
    #[must_use]
    pub fn new(set: KeySet) -> Keys {
        Keys(RwLock::new(Arc::new(set)))
    }

    /// Exchanges all keys at once: a call sees the old ones or the new ones, never some of each. A caller whose key
    /// is gone is refused from the next call on.
    ///
    /// The last key does not go this way: a slip in an edited file must not open a server to everyone.
    pub fn replace(&self, set: KeySet) -> Result<(), KeySetError> {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if set.is_empty() && !current.is_empty() {
            return Err(KeySetError::WouldOpen);
        }
        *current = Arc::new(set);
        Ok(())
    }

    /// Who sends this key, or none.
    pub fn identify(&self, key: Option<&str>) -> Result<Caller, KeyRefused> {
        let keys = self.0.read().unwrap_or_else(PoisonError::into_inner).clone();
        match key {
            // A key that is not needed is not looked at: a client may send it to every server it knows.
            _ if keys.is_empty() => Ok(Caller(Kind::Local(Owner::local()))),
            None => Err(KeyRefused::Missing),
            Some(text) if !looks_like_a_key(text) => Err(KeyRefused::Malformed),
            Some(text) => {
                keys.find(text).map(|entry| Caller(Kind::Key(entry.clone()))).ok_or(KeyRefused::Unknown)
            }
        }
    }
}

#[cfg(test)]
mod tests;
