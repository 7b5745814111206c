//! Permissions of the store's files: access for the server's user alone.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use super::file_errors::io_error;
use super::schema::with_suffix;
use crate::LogError;

/// Permissions of a file that only its owner can read and write.
pub(super) const PRIVATE: u32 = 0o600;
/// Permission bits of the group and of all others.
const OF_OTHERS: u32 = 0o077;

/// Creates an empty private file, unless the file exists. SQLite fills an empty file, and gives its WAL and its shared
/// memory the permissions of the file.
pub(super) fn create(file: &Path) -> Result<(), LogError> {
    match OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(file) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(io_error(file, error)),
        _ => Ok(()),
    }
}

/// Takes the access of others away from an existing store, which an older version may have created under the
/// permissions of the process.
pub(super) fn restrict_store(store: &Path) -> Result<(), LogError> {
    for suffix in ["", "-wal", "-shm"] {
        let file = with_suffix(store, suffix);
        restrict(&file).map_err(|error| io_error(&file, error))?;
    }
    Ok(())
}

/// Takes the access of others away from a file, if it exists.
pub(super) fn restrict(file: &Path) -> io::Result<()> {
    let mode = match fs::metadata(file) {
        Ok(metadata) => metadata.permissions().mode(),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if mode & OF_OTHERS == 0 {
        return Ok(());
    }
    fs::set_permissions(file, Permissions::from_mode(mode & !OF_OTHERS))
}
