//! `parlor bot --agent`: connects a house strategy as an agent, which is assigned seats.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use parlor_cli::duration::{Millis, parse_time};
use parlor_sdk::{AgentKey, AgentSettings, BlockingBot, wire};

use super::super::agent::{connection, credentials};
use super::player::Player;
use super::strategy::Strategy;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

/// Flags for `--agent` only.
#[derive(clap::Args)]
#[command(next_help_heading = "As an agent")]
pub(super) struct AgentArgs {
    /// Games to play, separated by commas [default: all]
    #[arg(long, value_name = "GAMES", value_delimiter = ',', conflicts_with_all = ["table", "seat_token", "game"])]
    games: Vec<String>,
    /// Version of the agent: ratings belong to a name and a version [default: the strategy]
    #[arg(long, value_name = "VERSION", conflicts_with_all = ["table", "seat_token", "game"])]
    agent_version: Option<String>,
    /// File with the secret key of the agent's name; created if missing [default: agents/AGENT.key in the
    /// settings folder; none with an API key]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["table", "seat_token", "game"])]
    agent_key_file: Option<PathBuf>,
    /// Those who may give the agent seats [default: anyone]
    #[arg(long, value_name = "WHO", conflicts_with_all = ["table", "seat_token", "game"])]
    seated_by: Option<SeatedBy>,
    /// Shortest time for a decision at which the agent plays, such as 500ms [default: any]
    #[arg(long, value_name = "TIME", value_parser = parse_time, conflicts_with_all = ["table", "seat_token", "game"])]
    min_clock: Option<Millis>,
}

/// Those who may give an agent seats.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SeatedBy {
    /// Anyone
    Anyone,
    /// The owner of the agent's name alone
    Owner,
    /// Tournaments alone
    Tournaments,
}

impl From<SeatedBy> for wire::SeatedBy {
    fn from(seated_by: SeatedBy) -> wire::SeatedBy {
        match seated_by {
            SeatedBy::Anyone => wire::SeatedBy::Anyone,
            SeatedBy::Owner => wire::SeatedBy::Owner,
            SeatedBy::Tournaments => wire::SeatedBy::Tournaments,
        }
    }
}

pub(super) async fn run(name: &str, args: &super::Args, context: &Context) -> Result<Exit, Failure> {
    let Player::House(bot) = args.bot else {
        return Err(Failure::usage(
            "a program is connected as an agent by: parlor agent NAME --exec COMMAND",
            "Ein Programm wird Agent mit: parlor agent NAME --exec BEFEHL",
        ));
    };
    let key = credentials::agent_key(name, args.agent.agent_key_file.as_deref(), context)?;
    let settings = settings(name, key.as_ref(), args)?;
    let client = tokio::select! {
        exit = context.stop.received() => return Ok(exit),
        client = context.with_wait_notice(context.connect()) => client?,
    };
    // Without a key of its own, the agent has no stable secret: decision seeds then use a fresh one.
    let secret = key.map_or_else(AgentKey::generate, Ok)?;
    let mut agent = client.start_agent(settings, move |given| {
        let seat = format!("{} {} {}", secret.reveal(), given.table_id, given.seat);
        BlockingBot::new(Strategy::new(bot, seat))
    })?;
    connection::run_agent(&mut agent, name, args.tables, context).await
}

fn settings(name: &str, key: Option<&AgentKey>, args: &super::Args) -> Result<AgentSettings, Failure> {
    let version = args.agent.agent_version.clone().unwrap_or_else(|| args.bot.name());
    let mut settings = AgentSettings::new(name)
        .version(version)
        .games(connection::known_games(&args.agent.games)?)
        .max_tables(args.at_once.unwrap_or(16).into());
    if let Some(seated_by) = args.agent.seated_by {
        settings = settings.seated_by(seated_by.into());
    }
    if let Some(Millis(time)) = args.agent.min_clock {
        settings = settings.min_decision(Duration::from_millis(time.into()));
    }
    Ok(match key {
        Some(key) => settings.key(key.clone()),
        None => settings,
    })
}
