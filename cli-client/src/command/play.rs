//! `parlor play`: lets a person play.

mod program_seats;
mod sit_down;

use parlor_cli::seed::parse_seed;
use parlor_sdk::{Client, SeatToken, wire};
use program_seats::ProgramOpponent;
use sit_down::{SatDown, join_rematch, sit_down};

use super::clock::{ClockArgs, humane};
use super::program::{EXEC_PREFIX, short_name};
use super::{create, games, options};
use crate::config::Settings;
use crate::context::Context;
use crate::display::{DisplayArgs, DisplayOutcome, PaceArgs};
use crate::errors::Failure;
use crate::exit::Exit;
use crate::held_seats::{HeldSeat, HeldSeats};
use crate::history::seat_history;
use crate::session_bridge::{Attachment, DISPLAY_WANTS, spawn_bridge};

/// User id that the seat of a new table is reserved for, so that nobody else joins it between create and
/// join.
const OWN_USER_ID: &str = "parlor-cli";

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  parlor play gap --with greedy,search\n  parlor play gap --with exec:./bot.py\n  \
        parlor play --join TABLE\n  parlor play --invite LINK\n  parlor play --resume"
)]
pub(crate) struct Args {
    /// Game id, such as gap: creates a table with house bots
    #[arg(conflicts_with_all = ["join", "invite", "seat_token", "resume"])]
    game: Option<String>,
    /// Join a free seat of this table, or resume the seat that you hold there
    #[arg(long, value_name = "TABLE", conflicts_with_all = ["seat_token", "resume"])]
    join: Option<String>,
    /// Take a seat with an invite: its link or its secret
    #[arg(long, value_name = "INVITE", conflicts_with_all = ["join", "seat_token", "resume"])]
    invite: Option<String>,
    /// Resume the seat that you played last, or the one at this table. Seats are kept until their tables are over, in
    /// seats.json in the folder PARLOR_CLIENT_DATA [default: ~/.local/share/parlor]
    #[arg(long, value_name = "TABLE", num_args = 0..=1, default_missing_value = "", conflicts_with = "seat_token")]
    resume: Option<String>,
    /// Resume the seat of this token (or PARLOR_CLI_SEAT_TOKEN, if neither a game nor a table is given)
    #[arg(long, value_name = "TOKEN")]
    seat_token: Option<String>,
    /// Seat number, from 0 [default: 0 at a new table, the first free one otherwise]
    #[arg(long, conflicts_with_all = ["seat_token", "resume"])]
    seat: Option<u32>,
    /// Display name (or PARLOR_CLI_NAME)
    #[arg(long, conflicts_with_all = ["seat_token", "resume"])]
    name: Option<String>,
    #[command(flatten)]
    display: DisplayArgs,
    #[command(flatten)]
    pace: PaceArgs,
    #[command(flatten)]
    new: NewTableArgs,
}

/// Settings of a new table.
#[derive(clap::Args)]
#[command(next_help_heading = "New table")]
struct NewTableArgs {
    /// House bots to play against, separated by commas, in seat order after yours; exec:COMMAND is a program that reads
    /// and writes lines (docs/line-protocol.md)
    #[arg(long, value_name = "BOTS", value_delimiter = ',', default_value = "greedy", conflicts_with_all = ["join", "invite", "seat_token", "resume"])]
    with: Vec<String>,
    /// Number of players, you included [default: you and the bots, at least the game's minimum]
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["join", "invite", "seat_token", "resume"])]
    players: Option<u32>,
    /// Option of the game; repeatable. `parlor games GAME` lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = options::parse_option, conflicts_with_all = ["join", "invite", "seat_token", "resume"])]
    option: Vec<(String, String)>,
    /// Visible only to you
    #[arg(long, conflicts_with_all = ["join", "invite", "seat_token", "resume"])]
    private: bool,
    /// Shuffle seed, for tests: a number or 64 hexadecimal digits. The table is never rated
    #[arg(long, value_parser = parse_seed, conflicts_with_all = ["join", "invite", "seat_token", "resume"])]
    seed: Option<[u8; 32]>,
    #[command(flatten)]
    clock: ClockArgs,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    if context.json {
        return Err(Failure::usage(
            "play is interactive and has no --json: programs use the SDK, parlor bot, or parlor watch --json",
            "play ist für Menschen und hat kein --json: Programme nehmen das SDK, parlor bot oder parlor watch --json",
        ));
    }
    let display = (args.display, args.pace);
    let sitting_down = context.stop.unless_stopped(context.with_wait_notice(sit_down(args, context))).await;
    let SatDown { client, mut token, mut programs } = match sitting_down {
        Ok(seat) => seat?,
        Err(exit) => return Ok(exit),
    };
    loop {
        let played = play_seat(&client, &token, display, context).await;
        let is_over =
            matches!(played, Ok(PlayedSeat::Left { is_over: true, .. } | PlayedSeat::Rematch { .. }));
        let opponents = programs.leave(is_over, context).await;
        let table = match played? {
            PlayedSeat::Left { exit, .. } => return Ok(exit),
            PlayedSeat::Rematch { table } => table,
        };
        let next = join_rematch(&client, &table, &token, opponents, context);
        (token, programs) = match context.stop.unless_stopped(context.with_wait_notice(next)).await {
            Ok(seat) => seat?,
            Err(exit) => return Ok(exit),
        };
    }
}

/// End of a game for its player.
enum PlayedSeat {
    /// The player left, or the table is over.
    Left {
        /// Exit code of the command.
        exit: Exit,
        /// True if the table is over.
        is_over: bool,
    },
    /// The player wants to play again.
    Rematch {
        /// Id of the table that is over.
        table: String,
    },
}

/// Plays a seat until its table is over or the player leaves.
async fn play_seat(
    client: &Client,
    token: &SeatToken,
    (display, pace): (DisplayArgs, PaceArgs),
    context: &Context,
) -> Result<PlayedSeat, Failure> {
    let resume = resume_command(&context.settings, token);
    // Printed before the first move too: a closed terminal prints nothing afterwards.
    context.progress(&context.localise(|| format!("Your seat: {resume}"), || format!("Dein Sitz: {resume}")));
    let session = client.session();
    let attaching = session.seat(token.clone()).wants(DISPLAY_WANTS).into_future();
    let seat = match context.stop.unless_stopped(context.with_wait_notice(attaching)).await {
        Ok(seat) => seat?,
        Err(exit) => {
            print_resume_command(&resume, false, context);
            return Ok(PlayedSeat::Left { exit, is_over: false });
        }
    };
    let table = seat.table_id().to_owned();
    let is_kept = keep_seat(&seat, token, context);
    let history = seat_history(client, token, &seat);
    let (channels, bridge) = spawn_bridge(&session, Attachment::Seat(seat), Some(history), context.lang);
    // An output error leaves the seat intact, too.
    let outcome = display
        .show(pace, channels, context)
        .await
        .inspect_err(|_| print_resume_command(&resume, is_kept, context))?;
    let failure = bridge.into_failure();
    let is_over = matches!(outcome, DisplayOutcome::TableOver | DisplayOutcome::Rematch);
    let exit = match outcome {
        DisplayOutcome::TableOver | DisplayOutcome::Rematch if failure.is_none() => {
            forget_seat(&table, context);
            if matches!(outcome, DisplayOutcome::Rematch) {
                return Ok(PlayedSeat::Rematch { table });
            }
            Exit::Ok
        }
        DisplayOutcome::TableOver | DisplayOutcome::Rematch => Exit::Ok,
        DisplayOutcome::ViewerLeft => {
            print_resume_command(&resume, is_kept, context);
            Exit::Ok
        }
        DisplayOutcome::Stopped(exit) => {
            print_resume_command(&resume, is_kept, context);
            return Ok(PlayedSeat::Left { exit, is_over: false });
        }
    };
    failure.map_or(Ok(PlayedSeat::Left { exit, is_over }), Err)
}

/// Keeps the seat for `parlor play --resume`. A failure is only reported: the game can be played without.
fn keep_seat(seat: &parlor_sdk::Seat, token: &SeatToken, context: &Context) -> bool {
    let table = seat.table();
    if table.result.is_some() {
        return false;
    }
    let held = HeldSeat::new(&table.table_id, &table.game, seat.number(), token, context);
    reported(HeldSeats::locate(context).and_then(|seats| seats.keep(held)), context)
}

fn forget_seat(table: &str, context: &Context) {
    reported(HeldSeats::locate(context).and_then(|seats| seats.forget(table)), context);
}

/// Reports a failure of the data folder on standard error; returns `false` if there was one.
fn reported(done: Result<(), Failure>, context: &Context) -> bool {
    if let Err(failure) = &done
        && let Some(message) = failure.message(context.lang)
    {
        context.note(&format!("parlor: {message}"));
    }
    done.is_ok()
}

/// Creates a table with a seat reserved for the player, and house bots and programs on the others.
async fn create_table(
    client: &Client,
    id: &str,
    args: &Args,
    context: &Context,
) -> Result<(wire::Table, Vec<ProgramOpponent>), Failure> {
    let game = games::find_game(client.games().await?, id)?;
    let asked = args.new.players.or_else(|| {
        let with_all = u32::try_from(args.new.with.len()).ok()? + 1;
        Some(with_all.max(game.min_players))
    });
    let players = create::player_count(asked, &game)?;
    let own = args.seat.unwrap_or(0);
    let bots = players - 1;
    if args.new.with.len() as u32 > bots {
        let named = args.new.with.join(", ");
        return Err(Failure::usage(
            format!("with {players} players there is room for {bots} bots, not for {named}"),
            format!("Bei {players} Spielern ist Platz für {bots} Bots, nicht für {named}"),
        ));
    }
    if own >= players {
        return Err(Failure::usage(
            format!("there is no seat {own}: with {players} players they are 0 to {bots}"),
            format!("Sitz {own} gibt es nicht: Bei {players} Spielern sind es 0 bis {bots}"),
        ));
    }
    let mut new = options::new_table(&game, &args.new.option, context)?;
    let mut opponents = args.new.with.iter().cycle();
    let mut programs = Vec::new();
    for seat in 0..players {
        new = match opponents.clone().next() {
            Some(bot) if seat != own => {
                opponents.next();
                match bot.strip_prefix(EXEC_PREFIX) {
                    Some(command) => {
                        let program = ProgramOpponent { seat, command: command.to_owned() };
                        let new = new.reserved_seat(program.user_id(), short_name(command));
                        programs.push(program);
                        new
                    }
                    None => new.house_bot(bot),
                }
            }
            _ => new.reserved_seat(OWN_USER_ID, ""),
        };
    }
    // House bots wait for any length of time.
    new = match args.new.clock.settings() {
        Some(clock) => new.clock(humane(clock)),
        None => new.clock(humane(wire::ClockSettings { decision_ms: Some(0), ..Default::default() })),
    };
    if args.new.private {
        new = new.private();
    }
    if let Some(seed) = args.new.seed {
        new = new.seed(seed);
    }
    Ok((client.create_table(new).await?, programs))
}

/// The command that resumes a seat.
pub(super) fn resume_command(settings: &Settings, token: &SeatToken) -> String {
    let server = settings.server_flag();
    format!("parlor play {server}--seat-token {}", token.reveal())
}

fn print_resume_command(resume: &str, is_kept: bool, context: &Context) {
    let server = context.settings.server_flag();
    let short =
        if is_kept { format!("parlor play {server}--resume, or from anywhere: ") } else { String::new() };
    let kurz =
        if is_kept { format!("parlor play {server}--resume, oder von überall: ") } else { String::new() };
    context.note(&context.localise(
        || format!("Your seat stays yours. Go on with: {short}{resume}"),
        || format!("Dein Sitz bleibt deiner. Weiter geht es mit: {kurz}{resume}"),
    ));
}
