//! The keys that sign records: the one in use, and the public keys of those before.

use std::{fs, io, path::Path};

use parlor_fair::{PublicKey, SigningKey};
use parlor_host::{RandomnessError, Secret, random_bytes};

use super::key_file::{KeyFile, KeyFileError};

/// The file of the key in use.
pub(super) const FILE: KeyFile = KeyFile {
    name: "signing.key",
    key: "signing key",
    risk: "records can be signed in the name of this server",
    remedy: "replace it with `parlor-server keys rotate-signing`",
};

/// The file of the retired public keys: one a line, newest last.
const RETIRED_FILE: KeyFile = KeyFile {
    name: "signing-keys-retired",
    key: "list of retired signing keys",
    risk: "it may not be what the server wrote",
    remedy: "delete it: records that these keys signed can then only be checked by those who have kept them",
};

/// The keys of a server that sign its records.
#[derive(Debug)]
pub struct SigningKeys {
    current: SigningKey,
    /// Newest first.
    retired: Vec<PublicKey>,
}

/// The secret bytes of the key in use, and the public keys of before, newest first.
pub(super) type SigningKeyParts = (Secret<[u8; 32]>, Vec<PublicKey>);

/// A replaced signing key and the new one.
#[derive(Clone, Copy, Debug)]
pub struct KeyRotation {
    /// The key that signs no more; `None` if there was none or it could not be read.
    pub retired: Option<PublicKey>,
    /// The key in use.
    pub current: PublicKey,
}

impl SigningKeys {
    /// Generates a key, for a server that stores nothing.
    pub fn generate() -> Result<SigningKeys, RandomnessError> {
        random_bytes().map(SigningKeys::from_bytes)
    }

    /// The key with these secret bytes alone.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> SigningKeys {
        SigningKeys { current: SigningKey::from_bytes(bytes), retired: Vec::new() }
    }

    /// The key with these secret bytes, and public keys of before, newest first.
    pub(super) fn with_retired(bytes: [u8; 32], retired: Vec<PublicKey>) -> SigningKeys {
        SigningKeys { retired, ..SigningKeys::from_bytes(bytes) }
    }

    /// The keys of a data folder, if it has them.
    pub(super) fn load_parts(folder: &Path) -> Result<Option<SigningKeyParts>, KeyFileError> {
        let Some(secret) = FILE.load(folder)? else { return Ok(None) };
        let SigningKeys { retired, .. } = SigningKeys::load_or_create(folder)?;
        Ok(Some((secret, retired)))
    }

    /// Writes keys to a data folder.
    pub(super) fn write_parts(
        folder: &Path,
        secret: &[u8; 32],
        retired: &[PublicKey],
    ) -> Result<(), KeyFileError> {
        if !retired.is_empty() {
            let oldest_first: Vec<PublicKey> = retired.iter().rev().copied().collect();
            write_retired(folder, &oldest_first)?;
        }
        FILE.replace(folder, secret)
    }

    /// Reads the keys of a data folder. The first start creates the folder and a key, readable by this user only.
    pub fn load_or_create(folder: &Path) -> Result<SigningKeys, KeyFileError> {
        let current = SigningKey::from_bytes(*FILE.load_or_create(folder)?.reveal());
        let mut retired = read_retired(folder)?;
        // Listed early by a rotation that was broken off.
        retired.retain(|key| *key != current.public_key());
        retired.reverse();
        Ok(SigningKeys { current, retired })
    }

    /// Replaces the key of a data folder by a new one, and keeps its public key. A server that runs signs with the
    /// new one from its next start on.
    pub fn rotate(folder: &Path) -> Result<KeyRotation, KeyFileError> {
        let secret = Secret::new(random_bytes()?);
        // A key that others could read, or that is damaged, can be replaced too.
        let old = fs::read(FILE.path(folder)).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        let old = old.map(|bytes| SigningKey::from_bytes(bytes).public_key());
        if let Some(old) = old {
            let mut keys = read_retired(folder)?;
            if !keys.contains(&old) {
                keys.push(old);
                write_retired(folder, &keys)?;
            }
        }
        FILE.replace(folder, secret.reveal())?;
        Ok(KeyRotation { retired: old, current: SigningKey::from_bytes(*secret.reveal()).public_key() })
    }

    /// The public key in use.
    #[must_use]
    pub fn current(&self) -> PublicKey {
        self.current.public_key()
    }

    /// The public keys of before, newest first.
    #[must_use]
    pub fn retired(&self) -> &[PublicKey] {
        &self.retired
    }

    /// Signs a message with the key in use.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> [u8; parlor_fair::SIGNATURE_BYTES] {
        self.current.sign(message)
    }
}

/// Reads the retired public keys, oldest first.
fn read_retired(folder: &Path) -> Result<Vec<PublicKey>, KeyFileError> {
    let path = RETIRED_FILE.path(folder);
    match fs::read_to_string(&path) {
        Ok(text) => {
            let keys: Result<Vec<PublicKey>, _> = text.lines().map(str::parse).collect();
            keys.map_err(|_| RETIRED_FILE.not_a_key(path))
        }
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(why) => Err(RETIRED_FILE.io(path, why)),
    }
}

/// Replaces the list of retired public keys atomically.
fn write_retired(folder: &Path, keys: &[PublicKey]) -> Result<(), KeyFileError> {
    let text: String = keys.iter().map(|key| format!("{key}\n")).collect();
    RETIRED_FILE.replace(folder, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn first_start_creates_the_key_and_the_second_reads_it() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("data");
        let first = SigningKeys::load_or_create(&folder).unwrap();
        let second = SigningKeys::load_or_create(&folder).unwrap();
        assert_eq!(first.current(), second.current());
        assert!(second.retired().is_empty());
        let mode = fs::metadata(FILE.path(&folder)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn key_readable_by_others_is_refused_until_it_is_rotated() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let old = SigningKeys::load_or_create(folder).unwrap().current();
        fs::set_permissions(FILE.path(folder), fs::Permissions::from_mode(0o640)).unwrap();
        let refused = SigningKeys::load_or_create(folder).unwrap_err();
        assert!(matches!(refused, KeyFileError::ReadableByOthers { mode: 0o640, .. }), "{refused}");
        assert!(refused.to_string().contains("keys rotate-signing"), "{refused}");
        SigningKeys::rotate(folder).unwrap();
        assert_eq!(SigningKeys::load_or_create(folder).unwrap().retired(), [old]);
    }

    #[test]
    fn rotation_keeps_the_public_keys_newest_first() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let first = SigningKeys::load_or_create(folder).unwrap();
        let signature = first.sign(b"record");
        let mut retired = Vec::new();
        for _ in 0..3 {
            let before = SigningKeys::load_or_create(folder).unwrap().current();
            let rotation = SigningKeys::rotate(folder).unwrap();
            assert_eq!(rotation.retired, Some(before));
            retired.insert(0, before);
            let keys = SigningKeys::load_or_create(folder).unwrap();
            assert_eq!((keys.current(), keys.retired()), (rotation.current, &retired[..]));
        }
        assert!(retired[2].verify(b"record", &signature), "the first key still checks what it signed");
        let mut files: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        assert_eq!(files, [RETIRED_FILE.name, FILE.name], "no draft is left");
    }

    #[test]
    fn rotation_that_was_broken_off_retires_no_key() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let current = SigningKeys::load_or_create(folder).unwrap().current();
        fs::write(RETIRED_FILE.path(folder), format!("{current}\n")).unwrap();
        let keys = SigningKeys::load_or_create(folder).unwrap();
        assert_eq!((keys.current(), keys.retired()), (current, &[][..]));
        SigningKeys::rotate(folder).unwrap();
        assert_eq!(SigningKeys::load_or_create(folder).unwrap().retired(), [current]);
    }

    #[test]
    fn damaged_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        SigningKeys::load_or_create(folder).unwrap();
        fs::write(RETIRED_FILE.path(folder), "not a key\n").unwrap();
        let refused = SigningKeys::load_or_create(folder).unwrap_err();
        assert!(matches!(refused, KeyFileError::NotAKey { .. }), "{refused}");
        fs::remove_file(RETIRED_FILE.path(folder)).unwrap();
        fs::write(FILE.path(folder), [7; 31]).unwrap();
        let refused = SigningKeys::load_or_create(folder).unwrap_err();
        assert!(matches!(refused, KeyFileError::NotAKey { .. }), "{refused}");
    }
}
