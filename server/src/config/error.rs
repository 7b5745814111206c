//! What is wrong with the settings, and where.

use std::{io, path::PathBuf};

/// The settings cannot be used. Each says where the mistake is and what would be right.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file cannot be read.
    #[error("the settings file {} cannot be read ({why}): give its path with --config or PARLOR_CONFIG", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// The file is not TOML.
    #[error("the settings file {} is not TOML: {why}", path.display())]
    NotToml {
        /// Which file.
        path: PathBuf,
        /// Where in it, and why.
        why: String,
    },
    /// There is no such key.
    #[error("{key} in {place}: there is no such key; {allowed}")]
    UnknownKey {
        /// The key.
        key: String,
        /// The file or the flag.
        place: String,
        /// What there is.
        allowed: String,
    },
    /// The variable belongs to no key.
    #[error(
        "the environment variable {name} sets nothing: unset it, or see `parlor-server --help` for those that do"
    )]
    UnknownVariable {
        /// The variable.
        name: String,
    },
    /// The value is not allowed.
    #[error("{key} in {place}: {why}")]
    Wrong {
        /// The key.
        key: String,
        /// The file, variable or flag.
        place: String,
        /// What is allowed, and what there is.
        why: String,
    },
}

impl SettingsError {
    pub(super) fn unknown_key(key: String, place: &str, allowed: String) -> SettingsError {
        SettingsError::UnknownKey { key, place: place.to_owned(), allowed }
    }

    pub(super) fn wrong(key: String, place: &str, why: String) -> SettingsError {
        SettingsError::Wrong { key, place: place.to_owned(), why }
    }
}
