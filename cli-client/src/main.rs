//! `parlor`: terminal client to play, watch and replay card games, manage tables and run bots.

mod args;
mod command;
mod config;
mod conformance;
mod context;
mod data_folder;
mod display;
mod errors;
mod exit;
mod held_seats;
mod history;
mod mcp;
mod output;
mod pinned_keys;
mod session_bridge;
mod shown_commitments;
mod signal;

use std::io::{self, Write};
use std::process::ExitCode;

use parlor_engine::Lang;

use args::Cli;
use config::{Environment, Settings};
use context::Context;
use errors::{Failure, redact_secrets};
use exit::Exit;
use signal::StopSignal;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match args::parse() {
        Ok(cli) => cli,
        Err(error) => return print_clap_error(&error).into(),
    };
    let environment = Environment::from_process();
    // Language of errors that occur before the settings are loaded.
    let lang = environment.lang(&cli.connection);
    let as_json = cli.json;
    match run(cli, environment) {
        Ok(exit) => exit.into(),
        Err((failure, settings_lang)) => {
            report(&failure, settings_lang.unwrap_or(lang), as_json);
            failure.exit().into()
        }
    }
}

/// Runs the command. A failure carries the language of the settings, if they were loaded.
fn run(cli: Cli, environment: Environment) -> Result<Exit, (Failure, Option<Lang>)> {
    let settings = Settings::load(&cli.connection, &environment).map_err(|failure| (failure, None))?;
    let lang = settings.lang;
    let with_lang = |failure| (failure, Some(lang));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| with_lang(Failure::from(error)))?;
    let done = runtime.block_on(async {
        let context = Context::new(settings, environment, cli.json, StopSignal::listen()?);
        command::run(cli.command, &context).await
    });
    // Blocking threads, such as a key reader or a searching bot, must not delay the exit.
    runtime.shutdown_background();
    done.map_err(with_lang)
}

/// Prints the help, the version or a usage error.
fn print_clap_error(error: &clap::Error) -> Exit {
    let text = redact_secrets(&error.render().to_string());
    if error.use_stderr() {
        // Write errors are ignored.
        let _ = io::stderr().write_all(text.as_bytes());
        Exit::Usage
    } else {
        let _ = io::stdout().write_all(text.as_bytes());
        Exit::Ok
    }
}

fn report(failure: &Failure, lang: Lang, as_json: bool) {
    if let Some(line) = failure.line(lang, as_json) {
        let _ = writeln!(io::stderr(), "{line}");
    }
}
