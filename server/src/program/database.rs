//! The PostgreSQL database of the settings.

use std::fs;

use anyhow::{Context, bail};
use parlor_store::{PgAddress, PgUrl};

use crate::config::Settings;

/// Longest password file that is read.
const MAX_PASSWORD_BYTES: u64 = 4096;

/// A database with the password and the certificates of the settings.
pub(super) fn address(settings: &Settings, url: &PgUrl) -> anyhow::Result<PgAddress> {
    let postgres = &settings.postgres;
    let password = match (&postgres.password, &postgres.password_file) {
        (Some(password), _) => Some(password.reveal().to_owned()),
        (None, Some(file)) => {
            let unreadable = || format!("postgres.password_file = {} cannot be read", file.display());
            let size = fs::metadata(file).with_context(unreadable)?.len();
            let text = fs::read_to_string(file).with_context(unreadable)?;
            let password = text.trim_end_matches(['\r', '\n']);
            if password.is_empty() || size > MAX_PASSWORD_BYTES {
                bail!(
                    "postgres.password_file = {} must contain a password, and nothing else",
                    file.display()
                );
            }
            Some(password.to_owned())
        }
        (None, None) => None,
    };
    let authorities = match &postgres.root_certificates {
        Some(file) => fs::read(file)
            .with_context(|| format!("postgres.root_certificates = {} cannot be read", file.display()))?,
        None => Vec::new(),
    };
    Ok(PgAddress::new(url, password.as_deref(), &authorities)?)
}

/// Runs a command that uses a database.
pub(super) fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("the runtime cannot be started")?.block_on(work)
}
