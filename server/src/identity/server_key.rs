//! The server key, which authenticates seat tokens and spectator tokens.

use std::{fmt, path::Path};

use parlor_host::{RandomnessError, Secret, random_bytes};

use super::key_file::{KeyFile, KeyFileError};

/// The key's file in the data folder.
pub(super) const FILE: KeyFile = KeyFile {
    name: "server.key",
    key: "server key",
    risk: "every seat token can be forged",
    remedy: "delete it to get a new one and end all tokens",
};

/// 32 secret bytes that authenticate tokens. Their holder can play every seat.
#[derive(Clone)]
pub struct ServerKey(Secret<[u8; 32]>);

impl ServerKey {
    /// Generates a key, for a server that stores nothing: its tokens end with the process.
    pub fn generate() -> Result<ServerKey, RandomnessError> {
        random_bytes().map(ServerKey::from_bytes)
    }

    /// The key with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> ServerKey {
        ServerKey(Secret::new(bytes))
    }

    pub(super) const fn reveal(&self) -> &[u8; 32] {
        self.0.reveal()
    }

    /// Reads the key of a data folder. The first start creates the folder and the key, readable by this user
    /// only.
    pub fn load_or_create(folder: &Path) -> Result<ServerKey, KeyFileError> {
        FILE.load_or_create(folder).map(ServerKey)
    }

    /// Removes the key of a data folder, if it has one: all its tokens end, and the next start creates a new key.
    pub fn remove(folder: &Path) -> Result<(), KeyFileError> {
        FILE.remove(folder)
    }
}

impl fmt::Debug for ServerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn first_start_creates_the_key_and_the_second_reads_it() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("data/parlor");
        let first = ServerKey::load_or_create(&folder).unwrap();
        let second = ServerKey::load_or_create(&folder).unwrap();
        assert_eq!(first.reveal(), second.reveal());
        assert_eq!((mode(&folder), mode(&folder.join(FILE.name))), (0o700, 0o600));
        let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(files, [FILE.name], "no draft is left");
        assert_ne!(ServerKey::load_or_create(parent.path()).unwrap().reveal(), first.reveal());
    }

    #[test]
    fn concurrent_starts_agree_on_one_key() {
        let folder = tempfile::tempdir().unwrap();
        let keys: Vec<_> = std::thread::scope(|scope| {
            let starts: Vec<_> =
                (0..8).map(|_| scope.spawn(|| ServerKey::load_or_create(folder.path()).unwrap())).collect();
            starts.into_iter().map(|start| start.join().unwrap()).collect()
        });
        assert!(keys.iter().all(|key| key.reveal() == keys[0].reveal()));
    }

    #[test]
    fn key_readable_by_others_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        ServerKey::load_or_create(folder.path()).unwrap();
        let path = folder.path().join(FILE.name);
        for open in [0o644, 0o640, 0o602, 0o610] {
            set_mode(&path, open);
            let refused = ServerKey::load_or_create(folder.path()).unwrap_err();
            assert!(
                matches!(refused, KeyFileError::ReadableByOthers { mode, .. } if mode == open),
                "{refused}"
            );
            assert!(refused.to_string().contains("chmod 600"), "{refused}");
        }
        set_mode(&path, 0o400);
        ServerKey::load_or_create(folder.path()).unwrap();
    }

    #[test]
    fn malformed_key_file_is_refused_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE.name);
        for content in [&b""[..], &[7; 31], &[7; 33]] {
            fs::write(&path, content).unwrap();
            set_mode(&path, 0o600);
            let refused = ServerKey::load_or_create(folder.path()).unwrap_err();
            assert!(matches!(refused, KeyFileError::NotAKey { .. }), "{refused}");
            assert_eq!(fs::read(&path).unwrap(), content);
        }
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        let refused = ServerKey::load_or_create(folder.path()).unwrap_err();
        assert!(matches!(refused, KeyFileError::NotAKey { .. }), "{refused}");
    }

    #[test]
    fn unwritable_folder_error_names_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let in_the_way = folder.path().join("file");
        fs::write(&in_the_way, b"").unwrap();
        let refused = ServerKey::load_or_create(&in_the_way.join("data")).unwrap_err();
        assert!(refused.to_string().contains("file/data/server.key"), "{refused}");
    }

    #[test]
    fn debug_output_does_not_contain_the_key() {
        let key = ServerKey::from_bytes([0xab; 32]);
        assert_eq!(format!("{key:?}"), "ServerKey(..)");
    }
}
