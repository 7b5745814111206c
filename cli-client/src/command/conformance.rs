//! `parlor conformance`: checks an agent's protocol conformance.

mod agent_command;

use std::net::SocketAddr;
use std::time::Duration;

use parlor_cli::line_protocol::{ProcessModel, ProgramSettings};
use parlor_engine::{GameId, Lang};
use parlor_sdk::{AgentKey, AgentSettings, Client, options};
use serde_json::json;

use parlor_cli::lang::BilingualText;

use self::agent_command::AgentCommand;
use super::agent::program_agent::ProgramAgent;
use super::program::{ErrorOutput, notices, short_name};
use crate::conformance::{Check, ExamServer, ExamSettings, Verdict, run_checks};
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
#[command(
    after_help = "This command acts as the server; no other one is needed. Connect your agent to the printed address, or give the \
        command that starts it, which gets the address as HOST:PORT in PARLOR_ADDRESS.\n\n\
        Exit codes: 0 if all checks passed, 1 if not, 3 if no agent connected.\n\n\
        Examples:\n  parlor conformance\n  parlor conformance --games gap -- python agent.py\n  \
        parlor conformance --exec ./bot.py"
)]
pub(crate) struct Args {
    /// Address to listen on; port 0 chooses a free port
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7768")]
    listen: SocketAddr,
    /// Required name of the agent [default: any]
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Games to check, separated by commas [default: all games of the agent]
    #[arg(long, value_name = "GAMES", value_delimiter = ',', value_parser = parse_game)]
    games: Vec<GameId>,
    /// Run only checks with this prefix, such as game or reconnect:asked; repeatable
    #[arg(long, value_name = "CHECK")]
    check: Vec<String>,
    /// Number of tables for the check `many`
    #[arg(long, value_name = "COUNT", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10000))]
    tables: u32,
    /// Maximum time to wait for the agent to connect
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = humantime::parse_duration)]
    wait: Duration,
    /// Maximum time for an answer
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = humantime::parse_duration)]
    patience: Duration,
    /// Check a program that reads and writes lines (docs/line-protocol.md): the command that starts it, for a shell
    #[arg(long, value_name = "COMMAND", conflicts_with = "command")]
    exec: Option<String>,
    /// Command that starts the agent, and runs as long as the agent does
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

fn parse_game(id: &str) -> Result<GameId, String> {
    GameId::from_id(id).ok_or_else(|| {
        let known: Vec<&str> = GameId::published().map(|game| game.info().id).collect();
        format!("known games are {}", known.join(", "))
    })
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let mut server = ExamServer::bind(args.listen).await.map_err(|error| {
        let listen = args.listen;
        Failure::usage(
            format!("cannot listen on {listen} ({error}): choose another address with --listen"),
            format!("Auf {listen} lässt sich nicht hören ({error}): Nimm eine andere Adresse mit --listen"),
        )
    })?;
    let address = server.address();
    let agent = AgentCommand::start(&args.command, address)?.map(|(agent, ended)| {
        server.expect_end(ended);
        agent
    });
    let exam = run_exam(&mut server, args, agent.as_ref(), context).await;
    if let Some(agent) = agent {
        agent.stop().await;
    }
    exam
}

/// Runs the checks against the agent, and prints their results.
async fn run_exam(
    server: &mut ExamServer,
    args: Args,
    agent: Option<&AgentCommand>,
    context: &Context,
) -> Result<Exit, Failure> {
    let address = server.address();
    let program = match args.exec.clone() {
        Some(command) => Some(connect_program(command, &args, address, context).await?),
        None => None,
    };
    context.note(&context.localise(
        || format!("Waiting for an agent on {address} ..."),
        || format!("Warte auf einen Agenten auf {address} ..."),
    ));
    let settings = ExamSettings {
        agent: args.agent,
        games: args.games,
        checks: args.check,
        tables: args.tables,
        wait: args.wait,
        patience: args.patience,
    };
    let checks = tokio::select! {
        checks = run_checks(server, &settings, |check| print(check, context)) => checks?,
        failure = unusable(program.as_ref()) => return Err(failure),
    };
    let end = agent.and_then(AgentCommand::end_text);
    let Some(checks) = checks else {
        if let Some(end) = end {
            context.note(end.get(context.lang));
            return Err(Failure::new(
                Exit::Unavailable,
                "NO_AGENT",
                format!("no agent connected to {address}, and its command has ended"),
                format!("Kein Agent hat sich mit {address} verbunden, und sein Befehl hat sich beendet"),
            ));
        }
        let wait = humantime::format_duration(args.wait);
        return Err(Failure::new(
            Exit::Unavailable,
            "NO_AGENT",
            format!("no agent connected to {address} within {wait}: start it, or give its command after --"),
            format!(
                "Kein Agent hat sich in {wait} mit {address} verbunden: Starte ihn, oder gib seinen Befehl nach -- an"
            ),
        ));
    };
    let count = |verdict| checks.iter().filter(|check| check.verdict == verdict).count();
    let (passed, failed, skipped) = (count(Verdict::Pass), count(Verdict::Fail), count(Verdict::Skipped));
    if context.json {
        context.out.json_line(&json!({ "passed": passed, "failed": failed, "skipped": skipped }))?;
    } else {
        context.out.line(context.localise(
            || format!("{passed} passed, {failed} failed, {skipped} skipped"),
            || format!("{passed} bestanden, {failed} zu richten, {skipped} nicht versucht"),
        ))?;
    }
    if let Some(end) = end.filter(|_| failed + skipped > 0) {
        context.note(end.get(context.lang));
    }
    Ok(if failed + skipped == 0 { Exit::Ok } else { Exit::Failure })
}

/// Connects a program that reads and writes lines, as an agent of this process.
async fn connect_program(
    command: String,
    args: &Args,
    address: SocketAddr,
    context: &Context,
) -> Result<ProgramAgent, Failure> {
    let name = args.agent.clone().unwrap_or_else(|| short_name(&command));
    let client = Client::connect(format!("http://{address}")).await?;
    let key = AgentKey::generate()?;
    let settings = AgentSettings::new(&name).version("lines").key(key).max_tables(args.tables);
    let program = ProgramSettings {
        command,
        model: ProcessModel::Shared,
        games: options::game_ids(),
        lang: context.lang,
        patience: args.patience,
        notices: notices(&name, ErrorOutput::Shown, context)?,
    };
    ProgramAgent::start(&client, &name, settings, program)
}

/// Waits until the program turns out to be unusable.
async fn unusable(program: Option<&ProgramAgent>) -> Failure {
    match program {
        Some(program) => program.unusable().await,
        None => std::future::pending().await,
    }
}

fn print(check: &Check, context: &Context) -> Result<(), Failure> {
    let lang = context.lang;
    let texts = |texts: &[BilingualText]| -> Vec<String> {
        texts.iter().map(|text| text.get(lang).to_owned()).collect()
    };
    let (faults, notes) = (texts(&check.faults), texts(&check.notes));
    if context.json {
        return context.out.json_line(&json!({
            "check": check.name,
            "verdict": check.verdict.name(),
            "title": check.title.get(lang),
            "mend": faults,
            "notes": notes,
        }));
    }
    let verdict = match (check.verdict, lang) {
        (Verdict::Pass, _) => "ok  ",
        (Verdict::Fail, Lang::En) => "FAIL",
        (Verdict::Fail, Lang::De) => "FEHL",
        (Verdict::Skipped, _) => "-   ",
    };
    let mut lines = vec![format!("{verdict}  {:18} {}", check.name, check.title.get(lang))];
    lines.extend(faults.into_iter().map(|fault| format!("      ! {fault}")));
    lines.extend(notes.into_iter().map(|note| format!("      - {note}")));
    context.out.lines(lines)
}
