//! `copy-store`: copies a whole store, and the keys of its server.

use std::process::ExitCode;

use anyhow::{Context, bail};
use parlor_store::{CopyStore, SharedValues, copy_store};

use super::{database, print};
use crate::{
    config::{Settings, Store},
    identity::SharedKeys,
};

/// Copies a store to an empty one.
pub(super) fn run(settings: &Settings, from: &str, to: &str) -> anyhow::Result<ExitCode> {
    let from = store(settings, "FROM", from)?;
    let to = store(settings, "TO", to)?;
    let report = database::block_on(async {
        // The keys come first: a copy without them would end all tokens without saying so.
        copy_keys(settings, &from, &to).await?;
        Ok(copy_store(&from, &to).await?)
    })?;
    print(format_args!("{report}\n{} is a copy of {}: counts and hashes agree", name(&to), name(&from)));
    Ok(ExitCode::SUCCESS)
}

/// The store that an argument names. The argument may have a password, so no message shows it.
fn store(settings: &Settings, argument: &str, text: &str) -> anyhow::Result<CopyStore> {
    match Store::parse(text) {
        Some(Store::Sqlite(file)) => Ok(CopyStore::Sqlite(settings.data.join(file))),
        Some(Store::Postgres(url)) => Ok(CopyStore::Postgres(Box::new(database::address(settings, &url)?))),
        Some(Store::Memory) => bail!("{argument} = memory keeps nothing that could be copied"),
        None => bail!("{argument} must be {}", Store::allowed()),
    }
}

fn name(store: &CopyStore) -> String {
    match store {
        CopyStore::Sqlite(file) => file.display().to_string(),
        CopyStore::Postgres(address) => address.name().display().to_string(),
    }
}

/// Copies the server key and the signing keys: those of a file are in the data folder, those of a database in it.
async fn copy_keys(settings: &Settings, from: &CopyStore, to: &CopyStore) -> anyhow::Result<()> {
    let folder = &settings.data;
    match (from, to) {
        (CopyStore::Sqlite(_), CopyStore::Sqlite(_)) => {}
        (CopyStore::Sqlite(file), CopyStore::Postgres(to)) => {
            if !file.exists() {
                bail!("{} is not there: name the data folder with --data", file.display());
            }
            SharedKeys::load(&SharedValues::open(to).await?, folder).await?;
        }
        (CopyStore::Postgres(from), CopyStore::Sqlite(_)) => {
            SharedKeys::copy_to_folder(&SharedValues::open(from).await?, folder)
                .await
                .context("the keys of the server cannot be copied to the data folder")?;
        }
        (CopyStore::Postgres(from), CopyStore::Postgres(to)) => {
            let (from, to) = (SharedValues::open(from).await?, SharedValues::open(to).await?);
            SharedKeys::copy_to_database(&from, &to).await?;
        }
    }
    Ok(())
}
