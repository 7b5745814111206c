//! Files of secret keys in the data folder: 32 bytes each, readable by the server's user alone.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use parlor_host::{RandomnessError, Secret, random_bytes};

/// The file of one kind of key.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyFile {
    /// Name of the file.
    pub(super) name: &'static str,
    /// Name of the key in error messages.
    pub(super) key: &'static str,
    /// Damage that others could do with the key.
    pub(super) risk: &'static str,
    /// How to get a new key, and the consequence.
    pub(super) remedy: &'static str,
}

/// A secret key of the server cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// Other users can read the file.
    #[error("{} can be read by others (mode {mode:o}), so {risk}: chmod 600 it, or {remedy}", path.display())]
    ReadableByOthers {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
        /// Damage that others could do with the key.
        risk: &'static str,
        /// How to get a new key.
        remedy: &'static str,
    },
    /// The file does not contain a key.
    #[error("{} is not a {key}: restore it from a backup, or {remedy}", path.display())]
    NotAKey {
        /// The file.
        path: PathBuf,
        /// Name of the key.
        key: &'static str,
        /// How to get a new key.
        remedy: &'static str,
    },
    /// The file could not be read or created.
    #[error("{} cannot be used as the {key} ({why}): check the data folder and who owns it", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Name of the key.
        key: &'static str,
        /// The operating system's error.
        why: io::Error,
    },
    /// No random bytes to generate a key from.
    #[error(transparent)]
    RandomnessError(#[from] RandomnessError),
}

impl KeyFile {
    /// Path of the file in a data folder.
    pub(super) fn path(self, folder: &Path) -> PathBuf {
        folder.join(self.name)
    }

    /// Reads the key of a data folder. The first start creates the folder and the key, readable by this user
    /// only.
    pub(super) fn load_or_create(self, folder: &Path) -> Result<Secret<[u8; 32]>, KeyFileError> {
        match self.load(folder)? {
            Some(key) => Ok(key),
            None => self.create(folder),
        }
    }

    /// Reads the key of a data folder, if it has one.
    pub(super) fn load(self, folder: &Path) -> Result<Option<Secret<[u8; 32]>>, KeyFileError> {
        let path = self.path(folder);
        match File::open(&path) {
            Ok(file) => self.read(file, path).map(Some),
            Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(why) => Err(self.io(path, why)),
        }
    }

    /// Removes the key of a data folder, if it has one.
    pub(super) fn remove(self, folder: &Path) -> Result<(), KeyFileError> {
        let path = self.path(folder);
        let removed = fs::remove_file(&path).and_then(|()| File::open(folder)?.sync_all());
        match removed {
            Err(why) if why.kind() != io::ErrorKind::NotFound => Err(self.io(path, why)),
            _ => Ok(()),
        }
    }

    /// Replaces the file in a data folder atomically.
    pub(super) fn replace(self, folder: &Path, content: &[u8]) -> Result<(), KeyFileError> {
        let path = self.path(folder);
        let draft = self.draft(folder)?;
        let replaced = write_draft(folder, &draft, content).and_then(|()| {
            fs::rename(&draft, &path)?;
            File::open(folder)?.sync_all()
        });
        replaced.map_err(|why| self.io(path, why))
    }

    /// An error of the operating system at a path.
    pub(super) fn io(self, path: PathBuf, why: io::Error) -> KeyFileError {
        KeyFileError::Io { path, key: self.key, why }
    }

    /// An error about a file without a key in it.
    pub(super) fn not_a_key(self, path: PathBuf) -> KeyFileError {
        KeyFileError::NotAKey { path, key: self.key, remedy: self.remedy }
    }

    /// Reads the key from its file, and refuses one that others can read or that has the wrong length.
    fn read(self, file: File, path: PathBuf) -> Result<Secret<[u8; 32]>, KeyFileError> {
        // Checked on the open file, so that it cannot be swapped in between.
        let mode = match file.metadata() {
            Ok(metadata) if !metadata.is_file() => return Err(self.not_a_key(path)),
            Ok(metadata) => metadata.permissions().mode() & 0o7777,
            Err(why) => return Err(self.io(path, why)),
        };
        if mode & 0o077 != 0 {
            let KeyFile { risk, remedy, .. } = self;
            return Err(KeyFileError::ReadableByOthers { path, mode, risk, remedy });
        }
        let mut bytes = Vec::with_capacity(33);
        if let Err(why) = file.take(33).read_to_end(&mut bytes) {
            return Err(self.io(path, why));
        }
        bytes.try_into().map(Secret::new).map_err(|_| self.not_a_key(path))
    }

    /// Creates the key's file atomically: written under another name, synced and then linked.
    fn create(self, folder: &Path) -> Result<Secret<[u8; 32]>, KeyFileError> {
        let path = self.path(folder);
        let key = Secret::new(random_bytes()?);
        let draft = self.draft(folder)?;
        let made = write_draft(folder, &draft, key.reveal()).and_then(|()| {
            // Unlike a rename, a link never replaces a key that another process has just created.
            fs::hard_link(&draft, &path)?;
            File::open(folder)?.sync_all()
        });
        // May not exist; if it cannot be removed, it is as well protected as the key.
        let _removed = fs::remove_file(&draft);
        match made {
            Ok(()) => Ok(key),
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => match File::open(&path) {
                Ok(file) => self.read(file, path),
                Err(why) => Err(self.io(path, why)),
            },
            Err(why) => Err(self.io(path, why)),
        }
    }

    /// A new name for a file that becomes the key's.
    fn draft(self, folder: &Path) -> Result<PathBuf, RandomnessError> {
        let unique = u64::from_be_bytes(random_bytes()?);
        Ok(folder.join(format!("{}.{unique:016x}", self.name)))
    }
}

/// Writes a private file in a folder, which is created if it is missing.
fn write_draft(folder: &Path, draft: &Path, content: &[u8]) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(draft)?;
    file.write_all(content)?;
    file.sync_all()
}
