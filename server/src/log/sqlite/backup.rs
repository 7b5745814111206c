//! A copy of the store while it is used, and putting one back in its place.

use std::fs::{self, File};
use std::path::Path;

use super::check::{Report, check_copy};
use super::failure::{Failing, io_error};
use super::schema::{self, Lock, beside};
use crate::log::LogError;

/// Copies a store, as it is at one moment, to a file that is not there yet, and checks the copy. A server may be using
/// the store meanwhile, in this process or another.
pub fn backup(store: &Path, to: &Path) -> Result<Report, LogError> {
    refuse_existing(to)?;
    let copy = beside(to, ".partial");
    let report = copy_checked(store, &copy)?;
    // Nobody may have come first.
    refuse_existing(to)?;
    put_in_place(&copy, to)?;
    Ok(report)
}

/// Puts a backup in the place of a store that no server uses. What is there is lost, and only if `replace` says so.
///
/// The backup is checked first; one that is damaged is refused. The backup itself stays as it is.
pub fn restore(backup: &Path, store: &Path, replace: bool) -> Result<Report, LogError> {
    let _lock = Lock::take(store)?;
    if !replace {
        refuse_existing(store)?;
    }
    let copy = beside(store, ".partial");
    let report = copy_checked(backup, &copy)?;
    // The old store's latest commits would be taken for the new one's.
    for suffix in ["-wal", "-shm"] {
        remove(&beside(store, suffix))?;
    }
    put_in_place(&copy, store)?;
    Ok(report)
}

fn refuse_existing(file: &Path) -> Result<(), LogError> {
    if file.exists() {
        return Err(LogError::Exists { file: file.into() });
    }
    Ok(())
}

/// Copies a store and checks the copy. Nothing is left behind when that fails.
fn copy_checked(from: &Path, to: &Path) -> Result<Report, LogError> {
    let copied = copy(from, to).and_then(|()| {
        let report = check_copy(to)?;
        match report.problems.first() {
            None => Ok(report),
            Some(problem) => Err(Failing(from).damaged(None, None, problem)),
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

fn put_in_place(copy: &Path, to: &Path) -> Result<(), LogError> {
    fs::rename(copy, to).map_err(|error| io_error(to, error))?;
    // The name is durable when the folder is.
    let folder = match to.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|error| io_error(to, error))
}

fn remove(file: &Path) -> Result<(), LogError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io_error(file, error)),
        _ => Ok(()),
    }
}
