//! `completions` and `man`: what a package of the program installs beside it.

use std::{path::Path, process::ExitCode};

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use super::print;
use crate::config::Cli;

/// `completions`: prints the completions of a shell.
pub(super) fn completions(shell: Shell) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "parlor-server", &mut script);
    print(String::from_utf8_lossy(&script).trim_end());
    Ok(ExitCode::SUCCESS)
}

/// `man`: prints the manual page, or writes those of all commands to a folder.
pub(super) fn pages(to: Option<&Path>) -> anyhow::Result<ExitCode> {
    if let Some(folder) = to {
        let written = clap_mangen::generate_to(Cli::command(), folder);
        written.with_context(|| {
            format!("manual pages cannot be written to {}: name a folder that exists", folder.display())
        })?;
    } else {
        let mut page = Vec::new();
        Man::new(Cli::command()).render(&mut page)?;
        print(String::from_utf8_lossy(&page).trim_end());
    }
    Ok(ExitCode::SUCCESS)
}
