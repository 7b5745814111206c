//! Errors of the settings, with their origin.

use std::{io, path::PathBuf};

/// The settings are invalid. Each error names the origin of the mistake and the allowed values.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file cannot be read.
    #[error("the settings file {} cannot be read ({why}): give its path with --config or PARLOR_CONFIG", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        why: io::Error,
    },
    /// The file is not TOML.
    #[error("the settings file {} is not TOML: {why}", path.display())]
    NotToml {
        /// The file.
        path: PathBuf,
        /// Position and reason.
        why: String,
    },
    /// The key does not exist.
    #[error("{key} in {origin}: there is no such key; {allowed}")]
    UnknownKey {
        /// The unknown key.
        key: String,
        /// The file or the flag.
        origin: String,
        /// The existing keys.
        allowed: String,
    },
    /// The environment variable has the server's prefix but sets no key.
    #[error(
        "the environment variable {name} sets nothing: unset it, or see `parlor-server --help` for those that do"
    )]
    UnknownVariable {
        /// The variable.
        name: String,
    },
    /// The value is not allowed.
    #[error("{key} in {origin}: {why}")]
    InvalidValue {
        /// The key.
        key: String,
        /// The file, variable or flag.
        origin: String,
        /// The allowed values, and the value found.
        why: String,
    },
}

impl SettingsError {
    pub(super) fn unknown_key(key: String, origin: &str, allowed: String) -> SettingsError {
        SettingsError::UnknownKey { key, origin: origin.to_owned(), allowed }
    }

    pub(super) fn invalid_value(key: String, origin: &str, why: String) -> SettingsError {
        SettingsError::InvalidValue { key, origin: origin.to_owned(), why }
    }
}
