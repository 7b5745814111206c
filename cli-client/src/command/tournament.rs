//! `parlor tournament`: makes, runs, follows and reports tournaments.

mod board;
mod file;
mod follow;
mod list;
mod report;

use std::path::PathBuf;

use parlor_sdk::{Client, wire};

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
#[command(after_help = file::HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Make a tournament from a file, start it, and follow it to its end
    Run(FromFile),
    /// Make a tournament from a file, and print its id
    Create(FromFile),
    /// Start a tournament that was made
    Start(One),
    /// List tournaments, newest first
    List(list::Args),
    /// Show a tournament
    Show(One),
    /// Print the standings as they are now
    Standings(One),
    /// Follow a tournament to its end
    Follow(One),
    /// List the tables of a tournament with their results
    Tables(One),
    /// Begin no new tables until it is resumed
    Pause(One),
    /// Go on after a pause
    Resume(One),
    /// End a tournament before its time
    Cancel(Cancel),
    /// Take an entrant out
    Withdraw(Withdraw),
    /// Void a group; a fresh deal replaces it
    Void(Void),
    /// Write a report: one page for a browser, with everything in it
    Report(report::Args),
}

#[derive(clap::Args)]
struct FromFile {
    /// The file, in TOML; - for standard input
    file: PathBuf,
    /// Makes a repeat harmless: the same id gives the same tournament. Nothing is added to its shuffles from here
    #[arg(long, value_name = "ID")]
    request_id: Option<String>,
}

#[derive(clap::Args)]
struct One {
    /// The id of the tournament
    tournament: String,
}

#[derive(clap::Args)]
struct Cancel {
    /// The id of the tournament, which must be yours
    tournament: String,
    /// Why, for everyone
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    reason: String,
}

#[derive(clap::Args)]
struct Withdraw {
    /// The id of the tournament, which must be yours
    tournament: String,
    /// The name of the entrant, as the standings have it, or its number, the first being 0
    entrant: String,
}

#[derive(clap::Args)]
struct Void {
    /// The id of the tournament, which must be yours
    tournament: String,
    /// The number of the group, as `parlor tournament tables` has it
    group: u32,
    /// Why, for everyone
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    match args.what {
        // These tidy up when they are told to stop.
        What::Run(args) => {
            let client = context.waiting(context.client()).await?;
            let made = context.stop.unless(create(&args, &client, context)).await;
            let tournament = match made {
                Ok(made) => made?,
                Err(exit) => return Ok(exit),
            };
            let id = tournament.tournament_id;
            if let Err(error) = context.waiting(client.start_tournament(&id)).await {
                // One that cannot be started would be in the way, unless whoever named the request comes back to it.
                if args.request_id.is_none() {
                    let _ = client.cancel_tournament(&id, "").await;
                }
                return Err(error.into());
            }
            follow::run(&client, &id, true, context).await
        }
        What::Follow(One { tournament }) => {
            let client = context.waiting(context.client()).await?;
            follow::run(&client, &tournament, false, context).await
        }
        what => super::call(ask(what, context), context).await,
    }
}

/// Asks the server something, and prints the answer. It can be given up at any moment.
async fn ask(what: What, context: &Context) -> Result<Exit, Failure> {
    let client = context.client().await?;
    match what {
        What::Run(_) | What::Follow(_) => {}
        What::Create(args) => {
            let made = create(&args, &client, context).await?;
            show(&made, context)?;
        }
        What::Start(One { tournament }) => show(&client.start_tournament(tournament).await?, context)?,
        What::Show(One { tournament }) => show(&client.tournament(tournament).await?, context)?,
        What::Pause(One { tournament }) => show(&client.pause_tournament(tournament).await?, context)?,
        What::Resume(One { tournament }) => show(&client.resume_tournament(tournament).await?, context)?,
        What::Cancel(Cancel { tournament, reason }) => {
            show(&client.cancel_tournament(tournament, reason).await?, context)?;
        }
        What::Standings(One { tournament }) => {
            let standings = client.standings(tournament, false).await?;
            print_standings(&standings, context)?;
        }
        What::Withdraw(Withdraw { tournament, entrant }) => {
            let before = client.standings(&tournament, false).await?;
            let entrant = find(&before, &entrant)?;
            let standings = client.withdraw_entrant(tournament, entrant).await?;
            print_standings(&standings, context)?;
        }
        What::Void(Void { tournament, group, reason }) => {
            let standings = client.void_group(tournament, group, reason).await?;
            print_standings(&standings, context)?;
        }
        What::List(args) => list::tournaments(args, &client, context).await?,
        What::Tables(One { tournament }) => list::tables(&tournament, &client, context).await?,
        What::Report(args) => report::run(args, &client, context).await?,
    }
    Ok(Exit::Ok)
}

async fn create(args: &FromFile, client: &Client, context: &Context) -> Result<wire::Tournament, Failure> {
    let file = file::read(&args.file)?;
    let games = client.games().await?;
    let setup = file.setup(games, context)?;
    Ok(match args.request_id.clone() {
        // A repeat is the same request only if it adds the same, which is nothing.
        Some(request_id) => {
            let request =
                wire::CreateTournamentRequest { request_id, setup: Some(setup), entropy: Vec::new() };
            client.create_tournament_with(request).await?
        }
        None => client.create_tournament(setup).await?,
    })
}

fn show(tournament: &wire::Tournament, context: &Context) -> Result<(), Failure> {
    if context.json {
        context.out.document(tournament)
    } else {
        context.out.lines(board::tournament(tournament, context))
    }
}

fn print_standings(standings: &wire::Standings, context: &Context) -> Result<(), Failure> {
    if context.json {
        context.out.document(standings)
    } else {
        context.out.lines(board::standings(standings, context.lang))
    }
}

/// The entrant with this name or number.
fn find(standings: &wire::Standings, text: &str) -> Result<u32, Failure> {
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
