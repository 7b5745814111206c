//! `parlor bot`: plays a house strategy as a remote player.

mod agent;
mod open_seats;
mod player;
mod strategy;

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::{Stream, StreamExt, stream};
use parlor_cli::line_protocol::{ProcessModel, ProgramSettings, Programs};
use parlor_sdk::{BlockingBot, Client, Error, FinishedTable, JoinTable, SeatToken, Session, options, wire};
use serde_json::json;

use super::agent::connection;
use super::program::{self, ErrorOutput, notices};
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::output::to_json;
use crate::shown_commitments;
use player::Player;
use strategy::Strategy;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  parlor bot greedy --table TABLE\n  parlor bot search:2000 --game gap --at-once 8\n  \
        parlor bot greedy --agent my-bot --games gap,five_three_five"
)]
pub(crate) struct Args {
    /// Strategy: random, greedy, search, or search:N for N playouts per decision; or exec:COMMAND for a program that
    /// reads and writes lines (docs/line-protocol.md)
    #[arg(value_name = "NAME")]
    bot: Player,
    #[command(flatten)]
    seats: SeatsArgs,
    /// Display name [default: the name of the strategy]
    #[arg(long)]
    name: Option<String>,
    /// Number of tables to play at the same time [default: 1; with --agent, 16]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=10000))]
    at_once: Option<u16>,
    /// Stop after this many tables [default: all named tables; with --game and --agent, never]
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["table", "seat_token"])]
    tables: Option<u64>,
    #[command(flatten)]
    agent: agent::AgentArgs,
}

/// The seats to play.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct SeatsArgs {
    /// Join this table; repeatable
    #[arg(long, value_name = "TABLE")]
    table: Vec<String>,
    /// Play the seat of this token; repeatable
    #[arg(long, value_name = "TOKEN")]
    seat_token: Vec<String>,
    /// Join tables of this game with a free seat, one after another
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Connect as the agent of this name, and play the seats it is assigned: in tournaments, and by `--seat
    /// agent:NAME`
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

/// Tokens of the seats in play, printed on interrupt so that they can be resumed.
#[derive(Clone, Default)]
struct HeldSeats(Arc<Mutex<Vec<SeatToken>>>);

impl HeldSeats {
    fn add(&self, token: &SeatToken) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(token.clone());
    }

    fn remove(&self, token: &SeatToken) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|held| held != token);
    }

    fn all(&self) -> Vec<SeatToken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    if let Some(name) = &args.seats.agent {
        return agent::run(name, &args, context).await;
    }
    let program = args.bot.command().map(|command| start_program(command, context)).transpose()?;
    let held = HeldSeats::default();
    let done = tokio::select! {
        biased;
        exit = context.stop.received() => {
            print_resume_command(&held.all(), &args, context);
            Ok(exit)
        }
        done = play(&args, program.as_ref(), &held, context) => done,
    };
    if let Some(program) = program {
        program.close().await;
    }
    done
}

fn start_program(command: &str, context: &Context) -> Result<Programs, Failure> {
    Ok(Programs::start(ProgramSettings {
        command: command.to_owned(),
        model: ProcessModel::Shared,
        games: options::game_ids(),
        lang: context.lang,
        patience: program::DEFAULT_PATIENCE_TIME,
        notices: notices(&program::short_name(command), ErrorOutput::Shown, context)?,
    }))
}

async fn play(
    args: &Args,
    program: Option<&Programs>,
    held: &HeldSeats,
    context: &Context,
) -> Result<Exit, Failure> {
    let client = context.with_wait_notice(context.connect()).await?;
    shown_commitments::keep(&client, context);
    let session = client.session();
    let seats = seats(args, &client, context);
    let mut played = std::pin::pin!(
        seats
            .map(|seat| async {
                let token = seat.map_err(SeatFailure::NoSeat)?;
                let played = play_one(token, &args.bot, program, &session, held).await;
                played.map_err(|error| SeatFailure::AtTable(error.into()))
            })
            .buffer_unordered(args.at_once.unwrap_or(1).into())
    );
    let one = args.seats.table.len() + args.seats.seat_token.len() == 1;
    let mut exit = Exit::Ok;
    while let Some(outcome) = played.next().await {
        let failure = match outcome {
            Ok(finished) => {
                print(&finished, context)?;
                continue;
            }
            // The search for open seats has ended.
            Err(SeatFailure::NoSeat(failure)) if args.seats.game.is_some() => return Err(failure),
            Err(SeatFailure::NoSeat(failure) | SeatFailure::AtTable(failure)) => failure,
        };
        if one {
            return Err(failure);
        }
        // One of several tables failed: the others continue.
        if let Some(line) = failure.line(context.lang, context.json) {
            context.note(&line);
        }
        exit = failure.exit();
    }
    Ok(exit)
}

/// A failure while seats are played.
enum SeatFailure {
    /// No seat could be joined.
    NoSeat(Failure),
    /// A seat failed during play.
    AtTable(Failure),
}

/// Stream of the seats to play. Each is joined when it is polled.
fn seats<'a>(
    args: &'a Args,
    client: &'a Client,
    context: &'a Context,
) -> impl Stream<Item = Result<SeatToken, Failure>> + 'a {
    let name = args.name.clone().unwrap_or_else(|| args.bot.name());
    let given = stream::iter(args.seats.seat_token.iter().map(|token| Ok(SeatToken::new(token))));
    let joining = name.clone();
    let joined = stream::iter(&args.seats.table).then(move |table| {
        let join = JoinTable::new(table).display_name(&joining);
        async move {
            let joined = client.join_table(join).await?;
            if joined.table.state() == wire::TableState::Open {
                let id = &joined.table.table_id;
                context.progress(&context.localise(
                    || format!("Waiting for the other players at table {id} ..."),
                    || format!("Warte auf die anderen an Tisch {id} ..."),
                ));
            }
            Ok(joined.token)
        }
    });
    let found = stream::iter(args.seats.game.as_deref())
        .flat_map(move |game| open_seats::join_open_seats(game.to_owned(), name.clone(), client, context))
        .take(args.tables.and_then(|tables| usize::try_from(tables).ok()).unwrap_or(usize::MAX));
    given.chain(joined).chain(found)
}

async fn play_one(
    token: SeatToken,
    player: &Player,
    program: Option<&Programs>,
    session: &Session,
    held: &HeldSeats,
) -> Result<FinishedTable, Error> {
    held.add(&token);
    let outcome = match (player, program) {
        (Player::House(bot), _) => {
            let mut thinker = BlockingBot::new(Strategy::new(*bot, token.reveal()));
            session.play(token.clone(), &mut thinker).await
        }
        (Player::Program(_), program) => {
            let mut bot = program.map(Programs::bot).expect("a player with a command has a program");
            session.play(token.clone(), &mut bot).await
        }
    };
    if outcome.is_ok() {
        held.remove(&token);
    }
    outcome
}

fn print(finished: &FinishedTable, context: &Context) -> Result<(), Failure> {
    let (id, seat) = (&finished.table.table_id, finished.seat);
    if context.json {
        let result = finished.result().map(to_json);
        return context.out.json_line(&json!({ "table_id": id, "seat": seat, "result": result }));
    }
    context.out.line(connection::result_line(finished, context))
}

fn print_resume_command(held: &[SeatToken], args: &Args, context: &Context) {
    if held.is_empty() {
        return;
    }
    let command = program::resume_command(&args.bot.argument(), held, context);
    context.note(&context.localise(
        || format!("The seats stay the bot's. Go on with: {command}"),
        || format!("Die Sitze bleiben beim Bot. Weiter geht es mit: {command}"),
    ));
}
