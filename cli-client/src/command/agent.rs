//! `parlor agent`: connects a program that reads and writes lines as an agent, which is assigned seats.

pub(crate) mod connection;
pub(crate) mod credentials;
pub(crate) mod program_agent;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parlor_cli::line_protocol::{self, ProcessModel, ProgramSettings, Programs};
use parlor_sdk::AgentSettings;

use super::program::{self, ErrorOutput, notices};
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
#[command(
    after_help = "The program reads JSON lines and writes JSON lines: docs/line-protocol.md. Ctrl-C leaves the tables; the \
        seats stay the agent's, and the same command goes on with them.\n\n\
        Examples:\n  parlor agent ada --exec ./bot.py\n  parlor agent ada --exec 'python3 bot.py' --per-table --tables 4 --games gap"
)]
pub(crate) struct Args {
    /// Name of the agent
    name: String,
    /// Command that starts the program, for a shell
    #[arg(long, value_name = "COMMAND")]
    exec: String,
    /// Start a process for each table, instead of one for all
    #[arg(long)]
    per_table: bool,
    /// Maximum number of tables at once
    #[arg(long, value_name = "COUNT", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=10000))]
    tables: u16,
    /// Games to play, separated by commas [default: all]
    #[arg(long, value_name = "GAMES", value_delimiter = ',')]
    games: Vec<String>,
    /// Time after which a program that does not answer is restarted
    #[arg(long, value_name = "TIME", default_value = program::DEFAULT_PATIENCE, value_parser = humantime::parse_duration)]
    patience: Duration,
    /// File for the program's standard error, which is otherwise shown
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Stop after this many tables [default: never]
    #[arg(long, value_name = "COUNT")]
    stop_after: Option<u64>,
    /// Version of the agent: ratings belong to a name and a version
    #[arg(long, value_name = "VERSION", default_value = "", hide_default_value = true)]
    agent_version: String,
    /// File with the secret key of the agent's name; created if missing [default: agents/NAME.key in the settings
    /// folder; none with an API key]
    #[arg(long, value_name = "FILE")]
    agent_key_file: Option<PathBuf>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let games = connection::known_games(&args.games)?;
    let key = credentials::agent_key(&args.name, args.agent_key_file.as_deref(), context)?;
    let mut settings = AgentSettings::new(&args.name)
        .version(args.agent_version)
        .games(&games)
        .max_tables(args.tables.into())
        .wants(line_protocol::wants(context.lang));
    if let Some(key) = key {
        settings = settings.key(key);
    }
    let notices = notices(&args.name, ErrorOutput::new(args.log.as_deref()), context)?;
    let client = tokio::select! {
        exit = context.stop.received() => return Ok(exit),
        client = context.with_wait_notice(context.connect()) => client?,
    };
    let programs = Arc::new(Programs::start(ProgramSettings {
        command: args.exec,
        model: if args.per_table { ProcessModel::PerTable } else { ProcessModel::Shared },
        games,
        lang: context.lang,
        patience: args.patience,
        notices,
    }));
    let makes_bots = Arc::clone(&programs);
    let mut agent = client.start_agent(settings, move |_| makes_bots.bot())?;
    let outcome = tokio::select! {
        outcome = connection::run_agent(&mut agent, &args.name, args.stop_after, context) => outcome,
        fault = programs.unusable() => Err(program::unusable(&args.name, &fault)),
    };
    drop(agent);
    programs.close().await;
    outcome
}
