//! The store while nobody plays: reading all of it, copying it, putting a copy in its place.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail};

use super::print;
use crate::{
    config::Settings,
    log::{self, Report},
};

fn file(settings: &Settings) -> anyhow::Result<PathBuf> {
    let file = settings.store_file();
    file.context(
        "store = \"memory\" keeps nothing: set store to \"sqlite:\" and a file, or name it with --store",
    )
}

/// Reads the whole store.
pub(super) fn check(settings: &Settings) -> anyhow::Result<ExitCode> {
    let report = log::check(&file(settings)?)?;
    print(&report);
    Ok(if report.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Copies the store to a new file.
pub(super) fn backup(settings: &Settings, to: &Path) -> anyhow::Result<ExitCode> {
    let from = file(settings)?;
    // Opening would make an empty store where there is none.
    if !from.exists() {
        bail!("{} is not there: name the data folder with --data, or the store with --store", from.display());
    }
    said(&log::backup(&from, to)?, &format!("{} is a copy of {}", to.display(), from.display()))
}

/// Puts a copy in the place of the store.
pub(super) fn restore(settings: &Settings, from: &Path, replace: bool) -> anyhow::Result<ExitCode> {
    let to = file(settings)?;
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    }
    said(&log::restore(from, &to, replace)?, &format!("{} is a copy of {}", to.display(), from.display()))
}

fn said(report: &Report, what: &str) -> anyhow::Result<ExitCode> {
    print(format_args!("{report}\n{what}"));
    Ok(ExitCode::SUCCESS)
}
