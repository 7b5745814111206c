//! Commands of `parlor-server`: running, and one file for each other command.

mod check_config;
mod copy_store;
mod database;
mod keys;
mod manual;
mod run;
mod signals;
mod startup_message;
mod store;
mod systemd;

use std::{
    fmt,
    io::{self, Write},
    process::ExitCode,
};

use crate::config::{Cli, Command, KeysCommand, Settings, SettingsError, Sources};

/// Exit code for invalid settings, with which a restart does not help.
const EXIT_INVALID_SETTINGS: u8 = 2;

/// Runs the command of the command line. Errors are printed in one line on standard error.
pub fn main(cli: &Cli) -> ExitCode {
    match dispatch(cli) {
        Ok(code) => code,
        Err(error) => {
            // A closed standard error cannot be reported.
            let _written = writeln!(io::stderr(), "parlor-server: {error:#}");
            match error.downcast_ref::<SettingsError>() {
                Some(_) => ExitCode::from(EXIT_INVALID_SETTINGS),
                None => ExitCode::FAILURE,
            }
        }
    }
}

fn dispatch(cli: &Cli) -> anyhow::Result<ExitCode> {
    let sources = Sources::from_process(cli.flags.clone());
    let settings = || Settings::load(&sources);
    match cli.command_or_run() {
        Command::Run => run::run(&sources),
        Command::CheckConfig { example: true } => check_config::example(),
        Command::CheckConfig { example: false } => check_config::settings(&settings()?),
        Command::Keys { command: KeysCommand::New { owner, scopes, tables, requests_per_second } } => {
            keys::new(owner, scopes, tables, requests_per_second)
        }
        Command::Keys { command: KeysCommand::RotateSigning } => keys::rotate_signing(&settings()?),
        Command::CheckStore => store::check(&settings()?),
        Command::CopyStore { from, to } => copy_store::run(&settings()?, &from, &to),
        Command::Backup { to } => store::backup(&settings()?, &to),
        Command::Restore { from, replace, keep_tokens } => {
            store::restore(&settings()?, &from, replace, keep_tokens)
        }
        Command::Completions { shell } => manual::completions(shell),
        Command::Man { to } => manual::pages(to.as_deref()),
    }
}

/// Prints to standard output, ignoring a closed one.
fn print(text: impl fmt::Display) {
    let mut output = io::stdout().lock();
    let _printed = writeln!(output, "{text}").and_then(|()| output.flush());
}
