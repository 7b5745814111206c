//! `parlor`: play, watch and replay card games in a terminal, look after tables, run bots.

mod args;
mod command;
mod config;
mod conformance;
mod context;
mod errors;
mod exit;
mod front;
mod link;
mod output;
mod signal;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use parlor_engine::Lang;

use args::Cli;
use config::{Environment, Settings};
use context::Context;
use errors::{Failure, without_secrets};
use exit::Exit;
use signal::Stop;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return explain(&error).into(),
    };
    let environment = Environment::of_process();
    // Whatever goes wrong while reading the settings is said in the language that is known by then.
    let lang = environment.lang(&cli.connection);
    let as_json = cli.json;
    match run(cli, environment) {
        Ok(exit) => exit.into(),
        Err((failure, known)) => {
            tell(&failure, known.unwrap_or(lang), as_json);
            failure.exit().into()
        }
    }
}

/// Does what the command line says. A failure comes with the language of the settings, if they could be read.
fn run(cli: Cli, environment: Environment) -> Result<Exit, (Failure, Option<Lang>)> {
    let settings = Settings::load(&cli.connection, &environment).map_err(|failure| (failure, None))?;
    let lang = settings.lang;
    let told = |failure| (failure, Some(lang));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| told(Failure::from(error)))?;
    let done = runtime.block_on(async {
        let context = Context::new(settings, environment, cli.json, Stop::listen()?);
        command::run(cli.command, &context).await
    });
    // A thread that waits for a key, or thinks about a move, must not keep the program.
    runtime.shutdown_background();
    done.map_err(told)
}

/// The help, the version, or what is wrong with the command line.
fn explain(error: &clap::Error) -> Exit {
    let text = without_secrets(&error.render().to_string());
    if error.use_stderr() {
        // Nobody may be there to read it.
        let _ = io::stderr().write_all(text.as_bytes());
        Exit::Usage
    } else {
        let _ = io::stdout().write_all(text.as_bytes());
        Exit::Ok
    }
}

fn tell(failure: &Failure, lang: Lang, as_json: bool) {
    if let Some(line) = failure.line(lang, as_json) {
        let _ = writeln!(io::stderr(), "{line}");
    }
}
