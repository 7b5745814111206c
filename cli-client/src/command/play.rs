//! `parlor play`: sits a person down.

use parlor_sdk::{Client, JoinTable, Joined, NewTable, SeatToken, wire};

use super::clock::ClockArgs;
use super::{create, games, options, seed};
use crate::config::Settings;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::front::{FrontArgs, Left};
use crate::link::{self, Place, WANTS};

/// The user whom the seat of a new table is kept for, so that nobody else takes it between two calls.
const SELF: &str = "parlor-cli";

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  parlor play gap --with greedy,search\n  parlor play --join TABLE\n  \
        parlor play --seat-token TOKEN")]
pub(crate) struct Args {
    /// The game, such as gap: makes a table of it with bots of the house
    #[arg(conflicts_with_all = ["join", "seat_token"])]
    game: Option<String>,
    /// Go to this table, by its id, and take a free seat
    #[arg(long, value_name = "TABLE", conflicts_with = "seat_token")]
    join: Option<String>,
    /// Go on with a seat that you have (or PARLOR_CLI_SEAT_TOKEN, where neither a game nor a table is named)
    #[arg(long, value_name = "TOKEN")]
    seat_token: Option<String>,
    /// The seat, from 0 [default: 0 at a new table, the first free one at another]
    #[arg(long, conflicts_with = "seat_token")]
    seat: Option<u32>,
    /// The name that others see (or PARLOR_CLI_NAME)
    #[arg(long, conflicts_with = "seat_token")]
    name: Option<String>,
    #[command(flatten)]
    front: FrontArgs,
    #[command(flatten)]
    new: NewArgs,
}

/// What a new table is like.
#[derive(clap::Args)]
#[command(next_help_heading = "New table")]
struct NewArgs {
    /// The bots to play against, separated by commas, in the order of the seats after yours
    #[arg(long, value_name = "BOTS", value_delimiter = ',', default_value = "greedy", conflicts_with_all = ["join", "seat_token"])]
    with: Vec<String>,
    /// How many play, you included [default: you and the bots, and as many as the game needs]
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["join", "seat_token"])]
    players: Option<u32>,
    /// An option of the game; may be given several times. `parlor games GAME` lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = options::parse, conflicts_with_all = ["join", "seat_token"])]
    option: Vec<(String, String)>,
    /// Only you can see the table
    #[arg(long, conflicts_with_all = ["join", "seat_token"])]
    private: bool,
    /// The seed of the shuffle, for tests: a number or 64 hexadecimal digits. Never rated
    #[arg(long, value_parser = seed::parse, conflicts_with_all = ["join", "seat_token"])]
    seed: Option<[u8; 32]>,
    #[command(flatten)]
    clock: ClockArgs,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    if context.json {
        return Err(Failure::usage(
            "play is for people and has no --json: programs use the SDK, parlor bot, or parlor watch --json",
            "play ist für Menschen und hat kein --json: Programme nehmen das SDK, parlor bot oder parlor watch --json",
        ));
    }
    let front = args.front;
    let (client, token) = match context.stop.unless(context.waiting(sit_down(args, context))).await {
        Ok(seat) => seat?,
        Err(exit) => return Ok(exit),
    };
    let resume = resume_command(&context.settings, &token);
    // Said before the first move too: a terminal that is closed says nothing afterwards.
    context.progress(&context.say(|| format!("Your seat: {resume}"), || format!("Dein Sitz: {resume}")));
    let session = client.session();
    let seat =
        match context.stop.unless(context.waiting(session.seat(token).wants(WANTS).into_future())).await {
            Ok(seat) => seat?,
            Err(exit) => {
                tell_how_to_go_on(&resume, context);
                return Ok(exit);
            }
        };
    let (link, ending) = link::open(&session, Place::Seat(seat), context.lang);
    // Also if the output broke off: the seat is there all the same.
    let left = front.show(link, context).await.inspect_err(|_| tell_how_to_go_on(&resume, context))?;
    let failure = ending.failure();
    match left {
        Left::Over => failure.map_or(Ok(Exit::Ok), Err),
        Left::Gone => {
            tell_how_to_go_on(&resume, context);
            failure.map_or(Ok(Exit::Ok), Err)
        }
        Left::Stopped(exit) => {
            tell_how_to_go_on(&resume, context);
            Ok(exit)
        }
    }
}

/// Takes the seat that was asked for: one that is held already, one of a table, or one of a new table.
async fn sit_down(args: Args, context: &Context) -> Result<(Client, SeatToken), Failure> {
    let held = match args.seat_token.clone() {
        None if args.game.is_none() && args.join.is_none() => Some(seat_of_environment(context)?),
        held => held,
    };
    let client = context.client().await?;
    let token = match (held, &args.join, &args.game) {
        (Some(token), ..) => SeatToken::new(token),
        (None, Some(table), _) => {
            let mut join = JoinTable::new(table);
            if let Some(seat) = args.seat {
                join = join.seat(seat);
            }
            take(&client, join, &args, context).await?.token
        }
        (None, None, game) => {
            let table = make(&client, game.as_deref().unwrap_or_default(), &args, context).await?;
            take(&client, JoinTable::new(table.table_id).user_id(SELF), &args, context).await?.token
        }
    };
    Ok((client, token))
}

fn seat_of_environment(context: &Context) -> Result<String, Failure> {
    context.environment.text("SEAT_TOKEN")?.ok_or_else(|| {
        Failure::usage(
            "which game? Try parlor play gap; parlor games lists them, and --join TABLE goes to a table",
            "Welches Spiel? Zum Beispiel parlor play gap; parlor games listet sie, und --join TISCH geht an einen Tisch",
        )
    })
}

async fn take(
    client: &Client,
    mut join: JoinTable,
    args: &Args,
    context: &Context,
) -> Result<Joined, Failure> {
    if let Some(name) = args.name.as_ref().or(context.settings.name.as_ref()) {
        join = join.display_name(name);
    }
    Ok(client.join_table(join).await?)
}

/// Makes a table with a seat kept for the player, and bots on the others.
async fn make(client: &Client, id: &str, args: &Args, context: &Context) -> Result<wire::Table, Failure> {
    let game = games::find(client.games().await?, id)?;
    let asked = args.new.players.or_else(|| {
        let with_all = u32::try_from(args.new.with.len()).ok()? + 1;
        Some(with_all.max(game.min_players))
    });
    let players = create::players(asked, &game)?;
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
    let mut new = NewTable::with_options(options::make(&game, &args.new.option, context)?);
    let mut opponents = args.new.with.iter().cycle();
    for seat in 0..players {
        new = match opponents.clone().next() {
            Some(bot) if seat != own => {
                opponents.next();
                new.house_bot(bot)
            }
            _ => new.reserved_seat(SELF, ""),
        };
    }
    // Bots do not mind how long a person thinks.
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

/// The command that goes on with a seat.
pub(super) fn resume_command(settings: &Settings, token: &SeatToken) -> String {
    let server =
        if settings.server_is_default { String::new() } else { format!("--server {} ", settings.server) };
    format!("parlor play {server}--seat-token {}", token.reveal())
}

fn tell_how_to_go_on(resume: &str, context: &Context) {
    context.note(&context.say(
        || format!("Your seat stays yours. Go on with: {resume}"),
        || format!("Dein Sitz bleibt deiner. Weiter geht es mit: {resume}"),
    ));
}
