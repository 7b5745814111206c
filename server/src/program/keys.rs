//! API keys: generating one, and reloading them while the server runs. Signing keys: rotating them.

use std::process::ExitCode;

use anyhow::bail;

use parlor_store::SharedValues;

use super::{database, print};
use crate::{
    config::{Settings, Sources, Store},
    identity::{ApiKeys, KeyRotation, KeySet, NewKey, Owner, Quota, Scope, SharedKeys, SigningKeys},
};

/// Generates a key and prints it; it is not shown again.
pub(super) fn new(
    owner: Owner,
    scopes: Vec<Scope>,
    tables: Option<Quota>,
    requests_per_second: Option<Quota>,
) -> anyhow::Result<ExitCode> {
    let key = NewKey::generate(owner, scopes, tables, requests_per_second)?;
    let text = key.text.reveal();
    let lines = key.settings_lines();
    print(format_args!(
        "The API key for its owner, shown only once:\n\n  {text}\n\n\
         Lines for the settings file, which hold only its hash (then send the server SIGHUP):\n\n{}",
        lines.trim_end()
    ));
    Ok(ExitCode::SUCCESS)
}

/// Replaces the signing key of the data folder, and prints the ids of both.
pub(super) fn rotate_signing(settings: &Settings) -> anyhow::Result<ExitCode> {
    let KeyRotation { retired, current } = match &settings.store {
        Store::Memory => bail!("store = \"memory\" keeps no signing key: each start has a new one"),
        Store::Sqlite(_) => SigningKeys::rotate(&settings.data)?,
        Store::Postgres(url) => {
            let address = database::address(settings, url)?;
            database::block_on(async {
                Ok(SharedKeys::rotate_signing(&SharedValues::open(&address).await?).await?)
            })?
        }
    };
    let retired = match retired {
        Some(retired) => format!("\nretired {}, public key {retired}", retired.id()),
        None => String::new(),
    };
    print(format_args!(
        "new     {}, public key {current}{retired}\n\
         Records are signed with the new key once the server has been started again.",
        current.id()
    ));
    Ok(ExitCode::SUCCESS)
}

/// Replaces the keys by those of the settings file. An invalid file changes nothing.
pub(super) fn reload(sources: &Sources, keys: &ApiKeys) {
    let loaded = Settings::load(sources).map_err(anyhow::Error::from).and_then(|settings| {
        let count = settings.keys.len();
        keys.replace(KeySet::new(settings.keys)?)?;
        Ok(count)
    });
    match loaded {
        Ok(count) => tracing::info!(keys = count, "the API keys were read again"),
        Err(error) => {
            tracing::error!(error = format_args!("{error:#}"), "the API keys stay as they were");
        }
    }
}
