//! `check-config`: validation of the settings without starting the server.

use std::process::ExitCode;

use super::print;
use crate::{
    config::{EXAMPLE, Settings},
    transport::check_tls,
};

/// Prints the example settings file.
pub(super) fn example() -> anyhow::Result<ExitCode> {
    print(EXAMPLE.trim_end());
    Ok(ExitCode::SUCCESS)
}

/// Checks everything that does not require starting the server.
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
