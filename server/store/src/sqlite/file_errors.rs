//! Conversion of SQLite and I/O errors to [`LogError`].

use std::io::ErrorKind;
use std::path::Path;

use rusqlite::{ErrorCode, ffi};

use crate::LogError;
use crate::journal::errors::StoreErrors;

/// Conversion of errors of SQLite.
impl StoreErrors<'_> {
    pub(super) fn wrap<T>(self, result: rusqlite::Result<T>) -> Result<T, LogError> {
        result.map_err(|error| self.translate(&error))
    }

    fn translate(self, error: &rusqlite::Error) -> LogError {
        let file = self.0.to_owned();
        let why = error.to_string().into();
        let Some(sqlite) = error.sqlite_error() else {
            // A column whose type differs from the schema.
            return self.damaged(None, None, &format!("a row cannot be read ({error})"));
        };
        match (sqlite.code, sqlite.extended_code) {
            (ErrorCode::DiskFull, _) => LogError::NoSpace { file, why },
            (
                ErrorCode::SystemIoFailure,
                ffi::SQLITE_IOERR_WRITE
                | ffi::SQLITE_IOERR_FSYNC
                | ffi::SQLITE_IOERR_DIR_FSYNC
                | ffi::SQLITE_IOERR_TRUNCATE
                | ffi::SQLITE_IOERR_SHMSIZE
                | ffi::SQLITE_IOERR_SHMMAP
                | ffi::SQLITE_IOERR_SHMOPEN,
            ) => LogError::NoSpace { file, why },
            (
                ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::ConstraintViolation
                | ErrorCode::TypeMismatch,
                _,
            )
            | (ErrorCode::SystemIoFailure, ffi::SQLITE_IOERR_SHORT_READ | ffi::SQLITE_IOERR_CORRUPTFS)
            // A schema that does not parse or lacks tables.
            | (ErrorCode::Unknown, ffi::SQLITE_ERROR) => {
                self.damaged(None, None, &format!("SQLite cannot read it ({error})"))
            }
            _ => LogError::Io { file, why },
        }
    }
}

pub(super) fn io_error(file: &Path, error: std::io::Error) -> LogError {
    let (file, why) = (file.to_owned(), error.to_string().into());
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => LogError::NoSpace { file, why },
        _ => LogError::Io { file, why },
    }
}
