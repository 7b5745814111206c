//! `parlor play`: lets a person play.

use parlor_sdk::{Client, JoinTable, JoinedSeat, SeatToken, wire};

use super::clock::ClockArgs;
use super::{create, games, options, seed};
use crate::config::Settings;
use crate::context::Context;
use crate::display::{DisplayArgs, DisplayOutcome};
use crate::errors::Failure;
use crate::exit::Exit;
use crate::session_bridge::{Attachment, DISPLAY_WANTS, spawn_bridge};

/// User id that the seat of a new table is reserved for, so that nobody else joins it between create and
/// join.
const OWN_USER_ID: &str = "parlor-cli";

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  parlor play gap --with greedy,search\n  parlor play --join TABLE\n  \
        parlor play --seat-token TOKEN")]
pub(crate) struct Args {
    /// Game id, such as gap: creates a table with house bots
    #[arg(conflicts_with_all = ["join", "seat_token"])]
    game: Option<String>,
    /// Join a free seat of this table
    #[arg(long, value_name = "TABLE", conflicts_with = "seat_token")]
    join: Option<String>,
    /// Resume the seat of this token (or PARLOR_CLI_SEAT_TOKEN, if neither a game nor a table is given)
    #[arg(long, value_name = "TOKEN")]
    seat_token: Option<String>,
    /// Seat number, from 0 [default: 0 at a new table, the first free one otherwise]
    #[arg(long, conflicts_with = "seat_token")]
    seat: Option<u32>,
    /// Display name (or PARLOR_CLI_NAME)
    #[arg(long, conflicts_with = "seat_token")]
    name: Option<String>,
    #[command(flatten)]
    display: DisplayArgs,
    #[command(flatten)]
    new: NewTableArgs,
}

/// Settings of a new table.
#[derive(clap::Args)]
#[command(next_help_heading = "New table")]
struct NewTableArgs {
    /// House bots to play against, separated by commas, in seat order after yours
    #[arg(long, value_name = "BOTS", value_delimiter = ',', default_value = "greedy", conflicts_with_all = ["join", "seat_token"])]
    with: Vec<String>,
    /// Number of players, you included [default: you and the bots, at least the game's minimum]
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["join", "seat_token"])]
    players: Option<u32>,
    /// Option of the game; repeatable. `parlor games GAME` lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = options::parse_option, conflicts_with_all = ["join", "seat_token"])]
    option: Vec<(String, String)>,
    /// Visible only to you
    #[arg(long, conflicts_with_all = ["join", "seat_token"])]
    private: bool,
    /// Shuffle seed, for tests: a number or 64 hexadecimal digits. The table is never rated
    #[arg(long, value_parser = seed::parse_seed, conflicts_with_all = ["join", "seat_token"])]
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
    let display = args.display;
    let (client, token) =
        match context.stop.unless_stopped(context.with_wait_notice(sit_down(args, context))).await {
            Ok(seat) => seat?,
            Err(exit) => return Ok(exit),
        };
    let resume = resume_command(&context.settings, &token);
    // Printed before the first move too: a closed terminal prints nothing afterwards.
    context.progress(&context.localise(|| format!("Your seat: {resume}"), || format!("Dein Sitz: {resume}")));
    let session = client.session();
    let seat = match context
        .stop
        .unless_stopped(context.with_wait_notice(session.seat(token).wants(DISPLAY_WANTS).into_future()))
        .await
    {
        Ok(seat) => seat?,
        Err(exit) => {
            print_resume_command(&resume, context);
            return Ok(exit);
        }
    };
    let (channels, bridge) = spawn_bridge(&session, Attachment::Seat(seat), context.lang);
    // An output error leaves the seat intact, too.
    let outcome =
        display.show(channels, context).await.inspect_err(|_| print_resume_command(&resume, context))?;
    let failure = bridge.into_failure();
    match outcome {
        DisplayOutcome::TableOver => failure.map_or(Ok(Exit::Ok), Err),
        DisplayOutcome::ViewerLeft => {
            print_resume_command(&resume, context);
            failure.map_or(Ok(Exit::Ok), Err)
        }
        DisplayOutcome::Stopped(exit) => {
            print_resume_command(&resume, context);
            Ok(exit)
        }
    }
}

/// Resumes or joins the requested seat: by its token, at a table, or at a new table.
async fn sit_down(args: Args, context: &Context) -> Result<(Client, SeatToken), Failure> {
    let held = match args.seat_token.clone() {
        None if args.game.is_none() && args.join.is_none() => Some(seat_token_from_environment(context)?),
        held => held,
    };
    let client = context.connect().await?;
    let token = match (held, &args.join, &args.game) {
        (Some(token), ..) => SeatToken::new(token),
        (None, Some(table), _) => {
            let mut join = JoinTable::new(table);
            if let Some(seat) = args.seat {
                join = join.seat(seat);
            }
            join_table(&client, join, &args, context).await?.token
        }
        (None, None, game) => {
            let table = create_table(&client, game.as_deref().unwrap_or_default(), &args, context).await?;
            join_table(&client, JoinTable::new(table.table_id).user_id(OWN_USER_ID), &args, context)
                .await?
                .token
        }
    };
    Ok((client, token))
}

fn seat_token_from_environment(context: &Context) -> Result<String, Failure> {
    context.environment.own_text("SEAT_TOKEN")?.ok_or_else(|| {
        Failure::usage(
            "no game given: try parlor play gap; parlor games lists the games, and --join TABLE joins a table",
            "Welches Spiel? Zum Beispiel parlor play gap; parlor games listet sie, und --join TISCH geht an einen Tisch",
        )
    })
}

async fn join_table(
    client: &Client,
    mut join: JoinTable,
    args: &Args,
    context: &Context,
) -> Result<JoinedSeat, Failure> {
    if let Some(name) = args.name.as_ref().or(context.settings.name.as_ref()) {
        join = join.display_name(name);
    }
    Ok(client.join_table(join).await?)
}

/// Creates a table with a seat reserved for the player and house bots on the others.
async fn create_table(
    client: &Client,
    id: &str,
    args: &Args,
    context: &Context,
) -> Result<wire::Table, Failure> {
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
    for seat in 0..players {
        new = match opponents.clone().next() {
            Some(bot) if seat != own => {
                opponents.next();
                new.house_bot(bot)
            }
            _ => new.reserved_seat(OWN_USER_ID, ""),
        };
    }
    // House bots wait for any length of time.
    new = match args.new.clock.settings() {
        Some(clock) => new.clock(clock),
        None => new.without_clock(),
    };
    if args.new.private {
        new = new.private();
    }
    if let Some(seed) = args.new.seed {
        new = new.seed(seed);
    }
    Ok(client.create_table(new).await?)
}

/// The command that resumes a seat.
pub(super) fn resume_command(settings: &Settings, token: &SeatToken) -> String {
    let server =
        if settings.server_is_default { String::new() } else { format!("--server {} ", settings.server) };
    format!("parlor play {server}--seat-token {}", token.reveal())
}

fn print_resume_command(resume: &str, context: &Context) {
    context.note(&context.localise(
        || format!("Your seat stays yours. Go on with: {resume}"),
        || format!("Dein Sitz bleibt deiner. Weiter geht es mit: {resume}"),
    ));
}
