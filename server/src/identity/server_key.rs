//! The server key, which signs seat tokens and spectator tokens.

use std::{
    fmt,
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use parlor_host::RandomnessError;
use parlor_host::Secret;
use parlor_host::random_bytes;

/// Name of the key's file in the data folder.
pub const SERVER_KEY_FILE: &str = "server.key";

/// 32 secret bytes that sign tokens. Their holder can play every seat.
#[derive(Clone)]
pub struct ServerKey(Secret<[u8; 32]>);

/// The server key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ServerKeyError {
    /// Other users can read the file.
    #[error("{} can be read by others (mode {mode:o}), so every seat token can be forged: chmod 600 it, or delete it to get a new one and end all tokens", path.display())]
    ReadableByOthers {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// The file does not contain a key.
    #[error("{} is not a server key of 32 bytes: restore it from a backup, or delete it to get a new one and end all tokens", path.display())]
    NotAKey {
        /// The file.
        path: PathBuf,
    },
    /// The file could not be read or created.
    #[error("{} cannot be used as the server key ({why}): check the data folder and who owns it", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's error.
        why: io::Error,
    },
    /// No random bytes to generate a key from.
    #[error(transparent)]
    RandomnessError(#[from] RandomnessError),
}

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
    pub fn load_or_create(folder: &Path) -> Result<ServerKey, ServerKeyError> {
        let path = folder.join(SERVER_KEY_FILE);
        match File::open(&path) {
            Ok(file) => read(file, path),
            Err(why) if why.kind() == io::ErrorKind::NotFound => create(folder, path),
            Err(why) => Err(ServerKeyError::Io { path, why }),
        }
    }
}

impl ServerKey {
    /// Removes the key of a data folder, if it has one: all its tokens end, and the next start creates a new key.
    pub fn remove(folder: &Path) -> Result<(), ServerKeyError> {
        let path = folder.join(SERVER_KEY_FILE);
        let removed = fs::remove_file(&path).and_then(|()| File::open(folder)?.sync_all());
        match removed {
            Err(why) if why.kind() != io::ErrorKind::NotFound => Err(ServerKeyError::Io { path, why }),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for ServerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerKey(..)")
    }
}

/// Reads the key from its file, and refuses one that others can read or that has the wrong length.
fn read(file: File, path: PathBuf) -> Result<ServerKey, ServerKeyError> {
    // Checked on the open file, so that it cannot be swapped in between.
    let mode = match file.metadata() {
        Ok(metadata) if !metadata.is_file() => return Err(ServerKeyError::NotAKey { path }),
        Ok(metadata) => metadata.permissions().mode() & 0o7777,
        Err(why) => return Err(ServerKeyError::Io { path, why }),
    };
    if mode & 0o077 != 0 {
        return Err(ServerKeyError::ReadableByOthers { path, mode });
    }
    let mut bytes = Vec::with_capacity(33);
    if let Err(why) = file.take(33).read_to_end(&mut bytes) {
        return Err(ServerKeyError::Io { path, why });
    }
    match bytes.try_into() {
        Ok(bytes) => Ok(ServerKey::from_bytes(bytes)),
        Err(_) => Err(ServerKeyError::NotAKey { path }),
    }
}

/// Creates the key's file atomically: written under another name, synced and then linked.
fn create(folder: &Path, path: PathBuf) -> Result<ServerKey, ServerKeyError> {
    let key = ServerKey::generate()?;
    let unique = u64::from_be_bytes(random_bytes()?);
    let draft = folder.join(format!("{SERVER_KEY_FILE}.{unique:016x}"));
    let made = write_draft(folder, &draft, &key).and_then(|()| {
        // Unlike a rename, a link never replaces a key that another process has just created.
        fs::hard_link(&draft, &path)?;
        File::open(folder)?.sync_all()
    });
    // May not exist; if it cannot be removed, it is as well protected as the key.
    let _removed = fs::remove_file(&draft);
    match made {
        Ok(()) => Ok(key),
        Err(why) if why.kind() == io::ErrorKind::AlreadyExists => match File::open(&path) {
            Ok(file) => read(file, path),
            Err(why) => Err(ServerKeyError::Io { path, why }),
        },
        Err(why) => Err(ServerKeyError::Io { path, why }),
    }
}

fn write_draft(folder: &Path, draft: &Path, key: &ServerKey) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(draft)?;
    file.write_all(key.reveal())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
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
        assert_eq!((mode(&folder), mode(&folder.join(SERVER_KEY_FILE))), (0o700, 0o600));
        let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(files, [SERVER_KEY_FILE], "no draft is left");
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
        let path = folder.path().join(SERVER_KEY_FILE);
        for open in [0o644, 0o640, 0o602, 0o610] {
            set_mode(&path, open);
            let refused = ServerKey::load_or_create(folder.path()).unwrap_err();
            assert!(
                matches!(refused, ServerKeyError::ReadableByOthers { mode, .. } if mode == open),
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
        let path = folder.path().join(SERVER_KEY_FILE);
        for content in [&b""[..], &[7; 31], &[7; 33]] {
            fs::write(&path, content).unwrap();
            set_mode(&path, 0o600);
            let refused = ServerKey::load_or_create(folder.path()).unwrap_err();
            assert!(matches!(refused, ServerKeyError::NotAKey { .. }), "{refused}");
            assert_eq!(fs::read(&path).unwrap(), content);
        }
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        let refused = ServerKey::load_or_create(folder.path()).unwrap_err();
        assert!(matches!(refused, ServerKeyError::NotAKey { .. }), "{refused}");
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
