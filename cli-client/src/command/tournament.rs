//! `parlor tournament`: creates, runs, follows and reports tournaments.

mod follow;
mod list;
mod plan;
mod programs;
mod render;
mod report;
mod setup;

use std::path::PathBuf;

use parlor_sdk::{Client, wire};

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::shown_commitments;
use programs::ConnectedPrograms;
use setup::NamedFile;

#[derive(clap::Args)]
#[command(after_help = parlor_cli::tournament_file::SETUP_FILE_HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: TournamentCommand,
}

#[derive(clap::Subcommand)]
enum TournamentCommand {
    /// Create a tournament from a file, start it, and follow it to the end
    Run(FileArgs),
    /// Create a tournament from a file, and print its id
    Create(FileArgs),
    /// Start a created tournament
    Start(IdArgs),
    /// List tournaments, newest first
    List(list::Args),
    /// Show a tournament
    Show(IdArgs),
    /// Print the current standings
    Standings(IdArgs),
    /// Follow a tournament to the end
    Follow(IdArgs),
    /// List the tables of a tournament with their results
    Tables(IdArgs),
    /// Pause a tournament: no new tables start
    Pause(IdArgs),
    /// Resume a paused tournament
    Resume(IdArgs),
    /// Cancel a tournament
    Cancel(CancelArgs),
    /// Withdraw an entrant
    Withdraw(WithdrawArgs),
    /// Void a deal group; a fresh deal replaces it
    Void(VoidArgs),
    /// Say how many deals a difference needs before it means anything
    Plan(plan::Args),
    /// Write a report as one self-contained HTML page
    Report(report::Args),
}

#[derive(clap::Args)]
struct FileArgs {
    /// Setup file in TOML; - is standard input
    file: PathBuf,
    /// Idempotency key: the same id returns the same tournament
    #[arg(long, value_name = "ID")]
    request_id: Option<String>,
}

#[derive(clap::Args)]
struct IdArgs {
    /// Id of the tournament
    tournament: String,
}

#[derive(clap::Args)]
struct CancelArgs {
    /// Id of the tournament, which must be yours
    tournament: String,
    /// Reason, shown to everyone
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    reason: String,
}

#[derive(clap::Args)]
struct WithdrawArgs {
    /// Id of the tournament, which must be yours
    tournament: String,
    /// Name of the entrant as in the standings, or its number, from 0
    entrant: String,
}

#[derive(clap::Args)]
struct VoidArgs {
    /// Id of the tournament, which must be yours
    tournament: String,
    /// Number of the deal group, as in `parlor tournament tables`
    group: u32,
    /// Reason, shown to everyone
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    match args.command {
        // These clean up on a stop signal.
        TournamentCommand::Run(args) => {
            let client = context.with_wait_notice(context.connect()).await?;
            run_to_the_end(&args, &client, context).await
        }
        TournamentCommand::Plan(args) => plan::run(args, context).await,
        TournamentCommand::Follow(IdArgs { tournament }) => {
            let client = context.with_wait_notice(context.connect()).await?;
            follow::run(&client, &tournament, false, context).await
        }
        command => super::unary(run_unary(command, context), context).await,
    }
}

/// Creates a tournament, with the programs among its entrants connected, and follows it to its end.
async fn run_to_the_end(args: &FileArgs, client: &Client, context: &Context) -> Result<Exit, Failure> {
    let mut file = setup::read(&args.file)?;
    let entrants = file.take_programs();
    let connecting = async {
        let game = file.game().to_owned();
        let programs = ConnectedPrograms::connect(entrants, &game, client, context).await?;
        Ok::<_, Failure>((create(file, args, client, context).await?, programs))
    };
    let (tournament, mut programs) = match context.stop.unless_stopped(connecting).await {
        Ok(created) => created?,
        Err(exit) => return Ok(exit),
    };
    let id = tournament.tournament_id;
    match context.with_wait_notice(client.start_tournament(&id)).await {
        Ok(started) => shown_commitments::keep_shown(context, &started),
        Err(error) => {
            // A tournament that cannot start is cancelled, unless the caller can retry it by its request id.
            if args.request_id.is_none() {
                let _ = client.cancel_tournament(&id, "").await;
            }
            return Err(error.into());
        }
    }
    let outcome = tokio::select! {
        outcome = follow::run(client, &id, true, context) => outcome,
        failure = programs.failed() => {
            let _ = client.cancel_tournament(&id, "an entrant has failed").await;
            Err(failure)
        }
    };
    if matches!(outcome, Ok(Exit::Interrupted | Exit::Terminated)) {
        programs.print_resume_commands(context);
    }
    programs.close().await;
    outcome
}

/// Runs a command that makes a few calls and prints the result.
async fn run_unary(command: TournamentCommand, context: &Context) -> Result<Exit, Failure> {
    let client = context.connect().await?;
    match command {
        TournamentCommand::Run(_) | TournamentCommand::Follow(_) | TournamentCommand::Plan(_) => {}
        TournamentCommand::Create(args) => {
            let mut file = setup::read(&args.file)?;
            if let Some(program) = file.take_programs().first() {
                let command = &program.command;
                return Err(Failure::usage(
                    format!(
                        "exec:{command} plays only while parlor tournament run is running: use run instead of create"
                    ),
                    format!(
                        "exec:{command} spielt nur, solange parlor tournament run läuft: Nimm run statt create"
                    ),
                ));
            }
            let created = create(file, &args, &client, context).await?;
            show(&created, context)?;
        }
        TournamentCommand::Start(IdArgs { tournament }) => {
            let started = client.start_tournament(tournament).await?;
            shown_commitments::keep_shown(context, &started);
            show(&started, context)?;
        }
        TournamentCommand::Show(IdArgs { tournament }) => {
            let found = client.tournament(&tournament).await?;
            let standings =
                if context.json { None } else { Some(client.standings(tournament, false).await?) };
            show_with(&found, standings.as_ref(), context)?;
        }
        TournamentCommand::Pause(IdArgs { tournament }) => {
            show(&client.pause_tournament(tournament).await?, context)?;
        }
        TournamentCommand::Resume(IdArgs { tournament }) => {
            show(&client.resume_tournament(tournament).await?, context)?;
        }
        TournamentCommand::Cancel(CancelArgs { tournament, reason }) => {
            show(&client.cancel_tournament(tournament, reason).await?, context)?;
        }
        TournamentCommand::Standings(IdArgs { tournament }) => {
            let standings = client.standings(tournament, false).await?;
            print_standings(&standings, context)?;
        }
        TournamentCommand::Withdraw(WithdrawArgs { tournament, entrant }) => {
            let before = client.standings(&tournament, false).await?;
            let entrant = find_entrant(&before, &entrant)?;
            let standings = client.withdraw_entrant(tournament, entrant).await?;
            print_standings(&standings, context)?;
        }
        TournamentCommand::Void(VoidArgs { tournament, group, reason }) => {
            let standings = client.void_group(tournament, group, reason).await?;
            print_standings(&standings, context)?;
        }
        TournamentCommand::List(args) => list::tournaments(args, &client, context).await?,
        TournamentCommand::Tables(IdArgs { tournament }) => {
            list::tables(&tournament, &client, context).await?;
        }
        TournamentCommand::Report(args) => report::run(args, &client, context).await?,
    }
    Ok(Exit::Ok)
}

async fn create(
    file: NamedFile,
    args: &FileArgs,
    client: &Client,
    context: &Context,
) -> Result<wire::Tournament, Failure> {
    let games = client.games().await?;
    let setup = file.setup(games, context)?;
    let created = match args.request_id.clone() {
        Some(request_id) => {
            let request = wire::CreateTournamentRequest { request_id, setup: Some(setup) };
            client.create_tournament_with(request).await?
        }
        None => client.create_tournament(setup).await?,
    };
    shown_commitments::keep_shown(context, &created);
    Ok(created)
}

fn show(tournament: &wire::Tournament, context: &Context) -> Result<(), Failure> {
    show_with(tournament, None, context)
}

/// Shows a tournament with its progress.
fn show_with(
    tournament: &wire::Tournament,
    standings: Option<&wire::Standings>,
    context: &Context,
) -> Result<(), Failure> {
    if context.json {
        context.out.document(tournament)
    } else {
        context.out.lines(render::tournament_lines(tournament, standings, context.lang))
    }
}

fn print_standings(standings: &wire::Standings, context: &Context) -> Result<(), Failure> {
    if context.json {
        context.out.document(standings)
    } else {
        context.out.lines(render::standings_lines(standings, context.lang))
    }
}

/// Finds an entrant by name or number.
fn find_entrant(standings: &wire::Standings, text: &str) -> Result<u32, Failure> {
    let named =
        |row: &&wire::StandingsRow| row.name == text || format!("{} {}", row.name, row.version) == text;
    let mut found = standings.rows.iter().filter(named).map(|row| row.entrant);
    let number =
        || text.parse().ok().filter(|number| standings.rows.iter().any(|row| row.entrant == *number));
    match (found.next().or_else(number), found.next()) {
        (Some(entrant), None) => Ok(entrant),
        (Some(_), Some(_)) => Err(Failure::usage(
            format!("several entrants are called {text:?}: give the name with its version, or the number"),
            format!("Mehrere Teilnehmer heißen {text:?}: Gib den Namen mit der Version an, oder die Nummer"),
        )),
        (None, _) => {
            let names: Vec<&str> = standings.rows.iter().map(|row| row.name.as_str()).collect();
            let names = names.join(", ");
            Err(Failure::new(
                Exit::NotFound,
                "ENTRANT_NOT_FOUND",
                format!("no entrant is called {text:?}: there are {names}"),
                format!("Kein Teilnehmer heißt {text:?}: Es gibt {names}"),
            ))
        }
    }
}
