//! `check-config`: whether a server could run with these settings.

use std::process::ExitCode;

use super::print;
use crate::{
    config::{EXAMPLE, Settings},
    serve::check_tls,
};

/// Prints the settings file with every key.
pub(super) fn example() -> anyhow::Result<ExitCode> {
    print(EXAMPLE.trim_end());
    Ok(ExitCode::SUCCESS)
}

/// Checks what can be known without starting.
pub(super) fn settings(settings: &Settings) -> anyhow::Result<ExitCode> {
    if let Some(files) = settings.tls.files() {
        check_tls(files)?;
    }
    for warning in settings.warnings() {
        print(format_args!("note: {warning}"));
    }
    print("the settings are right");
    Ok(ExitCode::SUCCESS)
}
