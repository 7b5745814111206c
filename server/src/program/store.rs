//! Store maintenance commands: check, backup and restore.

use std::{
    fs::DirBuilder,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail};
use parlor_engine::GameId;
use parlor_host::agents::LISTED_GAME;

use super::{database, print};
use crate::{
    config::{Settings, Store},
    identity::ServerKey,
};
use parlor_store::StoreReport;

/// File of the store. `instead` says what to do with a database.
fn store_file(settings: &Settings, instead: &str) -> anyhow::Result<PathBuf> {
    match (&settings.store, settings.store_file()) {
        (Store::Postgres(url), _) => bail!("{} is a PostgreSQL database: {instead}", url.name()),
        (Store::Sqlite(_), Some(file)) => Ok(file),
        (Store::Memory | Store::Sqlite(_), _) => bail!(
            "store = \"memory\" keeps nothing: set store to \"sqlite:\" and a file, or name it with --store"
        ),
    }
}

/// Name of the store, for messages.
pub(super) fn store_name(settings: &Settings) -> String {
    match (&settings.store, settings.store_file()) {
        (Store::Postgres(url), _) => url.name(),
        (_, Some(file)) => file.display().to_string(),
        (_, None) => String::from("the store"),
    }
}

/// Refuses a store that has tables of a game that this program does not have: they could be neither played on nor
/// shown.
pub(super) fn ensure_known_games(
    settings: &Settings,
    listed: impl IntoIterator<Item = String>,
) -> anyhow::Result<()> {
    let is_known = |game: &String| game == LISTED_GAME || GameId::from_id(game).is_some();
    let unknown: Vec<String> = listed.into_iter().filter(|game| !is_known(game)).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    bail!(
        "{} has tables of {}, which this parlor-server does not have: run the version that made these tables, or name \
         another store with --store",
        store_name(settings),
        unknown.join(", ")
    )
}

/// `check-store`: checks the whole store.
pub(super) fn check(settings: &Settings) -> anyhow::Result<ExitCode> {
    let report = match &settings.store {
        Store::Postgres(url) => {
            let address = database::address(settings, url)?;
            database::block_on(async { Ok(parlor_store::check_postgres(&address).await?) })?
        }
        Store::Sqlite(_) | Store::Memory => parlor_store::check(&store_file(settings, "")?)?,
    };
    print(&report);
    ensure_known_games(settings, report.games.iter().cloned())?;
    Ok(if report.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// `backup`: copies the store to a new file.
pub(super) fn backup(settings: &Settings, to: &Path) -> anyhow::Result<ExitCode> {
    let instead = "back it up with pg_dump or by the means of the service that runs it, or copy it to a file with \
         parlor-server copy-store (docs/scaling.md)";
    let from = store_file(settings, instead)?;
    // Opening would create an empty store.
    if !from.exists() {
        bail!("{} is not there: name the data folder with --data, or the store with --store", from.display());
    }
    print_report(
        &parlor_store::backup(&from, to)?,
        &format!("{} is a copy of {}", to.display(), from.display()),
    )
}

/// `restore`: replaces the store by a backup.
///
/// The store holds the generations of all tokens, so tokens that were revoked after the backup would be valid again.
/// Without the server key no token is: the next start creates a new key.
pub(super) fn restore(
    settings: &Settings,
    from: &Path,
    replace: bool,
    keep_tokens: bool,
) -> anyhow::Result<ExitCode> {
    let instead = "restore a dump with pg_restore, or copy a backup of a SQLite store to an empty database with \
         parlor-server copy-store (docs/scaling.md)";
    let to = store_file(settings, instead)?;
    if let Some(folder) = to.parent() {
        let created = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        created.with_context(|| format!("{} cannot be created", folder.display()))?;
    }
    let report = parlor_store::restore(from, &to, replace)?;
    let tokens = if keep_tokens {
        "tokens stay valid, also those that were revoked since the backup"
    } else {
        ServerKey::remove(&settings.data).context("the store is restored, but its tokens are still valid")?;
        "all seat and spectator tokens have ended: owners can reissue those of their tables"
    };
    print_report(&report, &format!("{} is a copy of {}; {tokens}", to.display(), from.display()))
}

fn print_report(report: &StoreReport, what: &str) -> anyhow::Result<ExitCode> {
    print(format_args!("{report}\n{what}"));
    Ok(ExitCode::SUCCESS)
}
