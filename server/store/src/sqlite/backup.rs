//! Online backup of a store, and restoring one.

use std::fs::{self, File};
use std::path::Path;

use super::check::check_unlocked;
use super::file_errors::io_error;
use super::schema::{self, StoreLock, with_suffix};
use crate::journal::errors::StoreErrors;
use crate::{LogError, StoreReport};

/// Copies a consistent snapshot of a store to a file that must not exist, and checks the copy. A server in
/// this or another process may be using the store.
pub fn backup(store: &Path, to: &Path) -> Result<StoreReport, LogError> {
    refuse_existing(to)?;
    let copy = with_suffix(to, ".partial");
    let report = copy_checked(store, &copy)?;
    // The file may have been created meanwhile.
    refuse_existing(to)?;
    put_in_place(&copy, to)?;
    Ok(report)
}

/// Replaces a store that no server uses by a backup. An existing store is lost, and only if `replace` is set.
///
/// The backup is checked first, and refused if damaged. The backup file itself is unchanged.
pub fn restore(backup: &Path, store: &Path, replace: bool) -> Result<StoreReport, LogError> {
    let _lock = StoreLock::acquire(store)?;
    if !replace {
        refuse_existing(store)?;
    }
    let copy = with_suffix(store, ".partial");
    let report = copy_checked(backup, &copy)?;
    // A stale WAL of the old store would be applied to the new one.
    for suffix in ["-wal", "-shm"] {
        remove(&with_suffix(store, suffix))?;
    }
    put_in_place(&copy, store)?;
    Ok(report)
}

pub(super) fn refuse_existing(file: &Path) -> Result<(), LogError> {
    if file.exists() {
        return Err(LogError::FileExists { file: file.into() });
    }
    Ok(())
}

/// Copies a store and checks the copy. Removes the copy on failure.
fn copy_checked(from: &Path, to: &Path) -> Result<StoreReport, LogError> {
    let copied = copy(from, to).and_then(|()| {
        let report = check_unlocked(to)?;
        match report.problems.first() {
            None => Ok(report),
            Some(problem) => Err(StoreErrors(from).damaged(None, None, problem)),
        }
    });
    if copied.is_err() {
        let _ = fs::remove_file(to);
    }
    copied
}

fn copy(from: &Path, to: &Path) -> Result<(), LogError> {
    remove(to)?;
    schema::copy(from, to)?;
    let file = File::open(to).map_err(|error| io_error(to, error))?;
    file.sync_all().map_err(|error| io_error(to, error))
}

pub(super) fn put_in_place(copy: &Path, to: &Path) -> Result<(), LogError> {
    fs::rename(copy, to).map_err(|error| io_error(to, error))?;
    // A rename is durable once the folder is synced.
    let folder = match to.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|error| io_error(to, error))
}

pub(super) fn remove(file: &Path) -> Result<(), LogError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io_error(file, error)),
        _ => Ok(()),
    }
}
