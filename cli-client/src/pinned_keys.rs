//! Pinned signing keys: the keys that a server showed when a record was first fetched from it.

use std::collections::BTreeMap;

use parlor_sdk::record::{KeyId, PublicKey};

use crate::data_folder::DataFolder;
use crate::errors::Failure;

/// The file: public keys in hexadecimal, by the address of their server.
const FILE: &str = "server-keys.json";

/// Content of the file.
type PinFile = BTreeMap<String, Vec<String>>;

/// A pinned key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PinnedKey {
    /// Address of the server.
    pub(crate) server: String,
    /// The key.
    pub(crate) key: PublicKey,
}

/// Result of comparing the keys that a server shows with the pinned ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PinCheck {
    /// The key in use is pinned, from now on or from before.
    Known,
    /// The key in use is not among the pinned ones, which stay as they are.
    Changed {
        /// Ids of the pinned keys.
        pinned: Vec<KeyId>,
        /// Id of the key in use.
        shown: KeyId,
    },
}

/// The pinned keys of all servers.
#[derive(Clone, Debug)]
pub(crate) struct PinnedKeys(DataFolder);

impl PinnedKeys {
    /// The pinned keys of a data folder.
    pub(crate) fn new(folder: DataFolder) -> PinnedKeys {
        PinnedKeys(folder)
    }

    /// All pinned keys of all servers.
    pub(crate) fn all(&self) -> Result<Vec<PinnedKey>, Failure> {
        let file: PinFile = self.0.read(FILE)?.unwrap_or_default();
        let of_server = |(server, keys): (String, Vec<String>)| {
            // A key that cannot be read checks nothing.
            let keys = keys.into_iter().filter_map(|key| key.parse().ok());
            keys.map(|key| PinnedKey { server: server.clone(), key }).collect::<Vec<_>>()
        };
        Ok(file.into_iter().flat_map(of_server).collect())
    }

    /// The pinned keys of a server.
    pub(crate) fn of(&self, server: &str) -> Result<Vec<PinnedKey>, Failure> {
        let mut all = self.all()?;
        all.retain(|pin| pin.server == normalised(server));
        Ok(all)
    }

    /// Compares the keys that a server shows, the one in use first, with the pinned ones. Pins them if none are.
    pub(crate) fn check(&self, server: &str, shown: &[PublicKey]) -> Result<PinCheck, Failure> {
        let Some(in_use) = shown.first() else { return Ok(PinCheck::Known) };
        let pinned = self.of(server)?;
        if pinned.is_empty() {
            self.pin(server, shown)?;
        } else if pinned.iter().all(|pin| pin.key != *in_use) {
            let pinned = pinned.iter().map(|pin| pin.key.id()).collect();
            return Ok(PinCheck::Changed { pinned, shown: in_use.id() });
        }
        Ok(PinCheck::Known)
    }

    /// Pins keys of a server, beside those that are pinned.
    pub(crate) fn pin(&self, server: &str, keys: &[PublicKey]) -> Result<(), Failure> {
        self.0.update(FILE, |file: &mut PinFile| {
            let pinned = file.entry(normalised(server)).or_default();
            for key in keys.iter().map(PublicKey::to_string) {
                if !pinned.contains(&key) {
                    pinned.push(key);
                }
            }
        })
    }
}

/// The address of a server as the file has it.
fn normalised(server: &str) -> String {
    server.trim_end_matches('/').to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Environment;

    fn pins(folder: &tempfile::TempDir) -> PinnedKeys {
        let variable = ("PARLOR_CLIENT_DATA".into(), folder.path().into());
        PinnedKeys::new(DataFolder::locate(&Environment::from_variables([variable])).unwrap())
    }

    const A: PublicKey = PublicKey::from_bytes([1; 32]);
    const B: PublicKey = PublicKey::from_bytes([2; 32]);
    const C: PublicKey = PublicKey::from_bytes([3; 32]);

    #[test]
    fn first_keys_are_pinned_and_a_changed_key_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let pins = pins(&folder);
        assert!(pins.all().unwrap().is_empty());
        assert_eq!(pins.check("http://one", &[]).unwrap(), PinCheck::Known, "a server without keys");
        assert_eq!(pins.check("http://one", &[B, A]).unwrap(), PinCheck::Known);
        assert_eq!(pins.check("HTTP://one/", &[B]).unwrap(), PinCheck::Known);
        let changed = PinCheck::Changed { pinned: vec![B.id(), A.id()], shown: C.id() };
        assert_eq!(pins.check("http://one", &[C, B, A]).unwrap(), changed);
        assert_eq!(pins.check("http://one", &[C, B, A]).unwrap(), changed, "it stays unpinned");
        assert_eq!(pins.check("http://two", &[C]).unwrap(), PinCheck::Known, "another server");
        pins.pin("http://one", &[C, B]).unwrap();
        assert_eq!(pins.check("http://one", &[C]).unwrap(), PinCheck::Known);
        let of_one: Vec<PublicKey> = pins.of("http://one").unwrap().into_iter().map(|pin| pin.key).collect();
        assert_eq!(of_one, [B, A, C]);
        assert_eq!(pins.all().unwrap().len(), 4);
    }

    #[test]
    fn key_that_cannot_be_read_checks_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let pins = pins(&folder);
        let damaged = PinFile::from([("http://one".to_owned(), vec!["12".to_owned(), A.to_string()])]);
        pins.0.update(FILE, |file: &mut PinFile| *file = damaged).unwrap();
        assert_eq!(pins.all().unwrap(), [PinnedKey { server: "http://one".to_owned(), key: A }]);
    }
}
