//! What `parlor-server` does when it is started: one file for running, one for each other thing it can be asked.

mod check;
mod greeting;
mod keys;
mod notify;
mod run;
mod signals;
mod store;

use std::{
    fmt,
    io::{self, Write},
    process::ExitCode,
};

use crate::config::{Cli, Command, KeysCommand, Settings, SettingsError, Sources};

/// Ended because of the settings: starting again will not help.
const WRONG_SETTINGS: u8 = 2;

/// Does what the command line asks. What goes wrong is said in one line on standard error.
pub fn main(cli: &Cli) -> ExitCode {
    match dispatch(cli) {
        Ok(code) => code,
        Err(error) => {
            // Nothing can be done about a standard error that is closed.
            let _told = writeln!(io::stderr(), "parlor-server: {error:#}");
            match error.downcast_ref::<SettingsError>() {
                Some(_) => ExitCode::from(WRONG_SETTINGS),
                None => ExitCode::FAILURE,
            }
        }
    }
}

fn dispatch(cli: &Cli) -> anyhow::Result<ExitCode> {
    let sources = Sources::of_process(cli.flags.clone());
    let settings = || Settings::load(&sources);
    match cli.asked() {
        Command::Run => run::run(&sources),
        Command::CheckConfig { example: true } => check::example(),
        Command::CheckConfig { example: false } => check::settings(&settings()?),
        Command::Keys { command: KeysCommand::New { owner, scopes, tables, requests_per_second } } => {
            keys::new(owner, scopes, tables, requests_per_second)
        }
        Command::CheckStore => store::check(&settings()?),
        Command::Backup { to } => store::backup(&settings()?, &to),
        Command::Restore { from, replace } => store::restore(&settings()?, &from, replace),
    }
}

/// Prints to standard output. Whoever closed it does not want to know.
fn print(text: impl fmt::Display) {
    let mut output = io::stdout().lock();
    let _printed = writeln!(output, "{text}").and_then(|()| output.flush());
}
