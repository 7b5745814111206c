//! `parlor bot --agent`: connects a house strategy as an agent, which is assigned seats.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use parlor_sdk::{AgentEvent, AgentKey, AgentSettings, BlockingBot, options, wire};
use serde_json::json;

use super::strategy::Strategy;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::output::to_json;

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
}

pub(super) async fn run(name: &str, args: &super::Args, context: &Context) -> Result<Exit, Failure> {
    let key = agent_key(name, &args.agent, context)?;
    let settings = settings(name, key.as_ref(), args)?;
    let client = tokio::select! {
        exit = context.stop.received() => return Ok(exit),
        client = context.with_wait_notice(context.connect()) => client?,
    };
    // Without a key of its own, the agent has no stable secret: decision seeds then use a fresh one.
    let secret = key.map_or_else(AgentKey::generate, Ok)?;
    let bot = args.bot;
    let mut agent = client.start_agent(settings, move |given| {
        let seat = format!("{} {} {}", secret.reveal(), given.table_id, given.seat);
        BlockingBot::new(Strategy::new(bot, seat))
    })?;
    let (mut over, mut exit) = (0, Exit::Ok);
    let mut stopping = false;
    loop {
        let event = tokio::select! {
            event = agent.next() => event?,
            signal = context.stop.received(), if !stopping => {
                (exit, stopping) = (signal, true);
                agent.stop();
                continue;
            }
        };
        let Some(event) = event else { return Ok(exit) };
        over += u64::from(matches!(event, AgentEvent::TableOver(_)));
        print(name, &event, context)?;
        if args.tables.is_some_and(|tables| over >= tables) {
            agent.stop();
        }
    }
}

fn settings(name: &str, key: Option<&AgentKey>, args: &super::Args) -> Result<AgentSettings, Failure> {
    if let Some(unknown) = args.agent.games.iter().find(|game| options::default_for(game).is_err()) {
        let known = options::game_ids().join(", ");
        return Err(Failure::usage(
            format!("there is no game {unknown:?}: there are {known}"),
            format!("Ein Spiel {unknown:?} gibt es nicht: Es gibt {known}"),
        ));
    }
    let version = args.agent.agent_version.clone().unwrap_or_else(|| args.bot.to_string());
    let mut settings =
        AgentSettings::new(name).version(version).max_tables(args.at_once.unwrap_or(16).into());
    if !args.agent.games.is_empty() {
        settings = settings.games(&args.agent.games);
    }
    Ok(match key {
        Some(key) => settings.key(key.clone()),
        None => settings,
    })
}

/// Key of the agent's name: read from the file, which is created if missing. `None` if an API key identifies
/// the owner.
fn agent_key(name: &str, args: &AgentArgs, context: &Context) -> Result<Option<AgentKey>, Failure> {
    let path = match &args.agent_key_file {
        Some(path) => path.clone(),
        None if context.settings.has_key() => return Ok(None),
        None => {
            let plain =
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
            let folder = context.environment.config_folder().filter(|_| plain).ok_or_else(|| {
                Failure::usage(
                    "name the file with the key of the agent: --agent-key-file FILE",
                    "Sag mit --agent-key-file, wo das Geheimnis des Agenten liegt",
                )
            })?;
            folder.join("agents").join(format!("{name}.key"))
        }
    };
    let read = match fs::read_to_string(&path) {
        Ok(text) => Ok(AgentKey::new(text.trim())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => create_key(&path),
        Err(error) => Err(error.into()),
    };
    read.map(Some).map_err(|error| {
        let path = path.display();
        Failure::usage(
            format!("cannot use the agent key in {path} ({error})"),
            format!("Das Geheimnis des Agenten in {path} ist nicht zu gebrauchen ({error})"),
        )
    })
}

/// Creates a key, and stores it in a file that only its owner can read.
fn create_key(path: &Path) -> Result<AgentKey, Box<dyn std::error::Error>> {
    let key = AgentKey::generate()?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    writeln!(options.open(path)?, "{}", key.reveal())?;
    Ok(key)
}

fn print(name: &str, event: &AgentEvent, context: &Context) -> Result<(), Failure> {
    if context.json {
        return context.out.json_line(&match event {
            AgentEvent::Connected(welcome) => json!({ "event": "connected", "welcome": to_json(welcome) }),
            AgentEvent::SetAside(aside) => json!({ "event": "set_aside", "set_aside": to_json(aside) }),
            AgentEvent::Disconnected { why } => json!({ "event": "disconnected", "why": why }),
            AgentEvent::SeatGiven(given) => json!({ "event": "seat_given", "seat_given": to_json(given) }),
            AgentEvent::TableOver(finished) => json!({
                "event": "table_over",
                "table_id": finished.table.table_id,
                "seat": finished.seat,
                "result": finished.result().map(to_json),
            }),
            AgentEvent::BotFailed { given, error } => json!({
                "event": "bot_failed",
                "seat_given": to_json(given),
                "why": error.to_string(),
            }),
            _ => return Ok(()),
        });
    }
    context.out.line(match event {
        AgentEvent::Connected(welcome) => connected_line(name, welcome, context),
        AgentEvent::SetAside(aside) => {
            let why = crate::command::agents::suspension(aside, context.lang);
            format!("{name}: {why}")
        }
        AgentEvent::Disconnected { why } => context.localise(
            || format!("Connection lost ({why}); reconnecting ..."),
            || format!("Die Verbindung ist abgebrochen ({why}); sie kommt wieder ..."),
        ),
        AgentEvent::SeatGiven(wire::SeatGiven { table_id, seat, game, .. }) => context.localise(
            || format!("Table {table_id}: seat {seat} of {game}"),
            || format!("Tisch {table_id}: Sitz {seat}, {game}"),
        ),
        AgentEvent::TableOver(finished) => super::result_line(finished, context),
        AgentEvent::BotFailed { given, error } => {
            let id = &given.table_id;
            context.localise(
                || format!("Table {id}: the bot failed, so its clock will expire ({error})"),
                || format!("Tisch {id}: Der Bot ist gescheitert, seine Uhr spielt für ihn ({error})"),
            )
        }
        _ => return Ok(()),
    })
}

fn connected_line(name: &str, welcome: &wire::AgentWelcome, context: &Context) -> String {
    let (max_tables, seats) = (welcome.max_tables, welcome.seats);
    let mut line = context.localise(
        || format!("{name} is connected: up to {max_tables} tables at once, {seats} of them now"),
        || format!("{name} ist verbunden: bis zu {max_tables} Tische zugleich, davon jetzt {seats}"),
    );
    if let Some(aside) = &welcome.set_aside {
        line.push_str("; ");
        line.push_str(&crate::command::agents::suspension(aside, context.lang));
    }
    line
}
