//! `parlor create`: makes a table.

use parlor_sdk::{NewTable, wire::GameInfo};

use super::clock::{ClockArgs, Millis, parse_time};
use super::seats::SeatArg;
use super::{games, options, seed, show};
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
#[command(
    after_help = "Example: parlor create gap --option target=15 --seat open --seat bot:greedy --clock 30s"
)]
pub(crate) struct Args {
    /// The game, such as gap
    game: String,
    /// An option of the game; may be given several times. `parlor games GAME` lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = options::parse)]
    option: Vec<(String, String)>,
    /// A seat: open, bot:NAME, agent:NAME, user:ID or user:ID=NAME; once for each, in order
    #[arg(long, value_name = "SEAT", conflicts_with = "players")]
    seat: Vec<SeatArg>,
    /// So many open seats [default: as few as the game allows]
    #[arg(long, value_name = "COUNT")]
    players: Option<u32>,
    /// Only you, the players, and those with a spectator token can see it
    #[arg(long)]
    private: bool,
    /// A note of yours; may be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_metadata)]
    metadata: Vec<(String, String)>,
    /// The seed of the shuffle, for tests: a number or 64 hexadecimal digits. Never rated
    #[arg(long, value_parser = seed::parse)]
    seed: Option<[u8; 32]>,
    /// Makes a repeat harmless: the same id gives the same table
    #[arg(long, value_name = "ID")]
    request_id: Option<String>,
    #[command(flatten)]
    clock: ClockArgs,
    /// How long the table waits for players before it expires
    #[arg(long, value_name = "TIME", value_parser = parse_time, help_heading = "Time")]
    fill_within: Option<Millis>,
}

/// A note such as `round=3`.
pub(super) fn parse_metadata(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("metadata is such as round=3")?;
    if key.is_empty() { Err("the key is empty".to_owned()) } else { Ok((key.to_owned(), value.to_owned())) }
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let client = context.client().await?;
    let game = games::find(client.games().await?, &args.game)?;
    let mut new = NewTable::with_options(options::make(&game, &args.option, context)?);
    new = if args.seat.is_empty() {
        new.open_seats(players(args.players, &game)? as usize)
    } else {
        args.seat.iter().fold(new, |new, seat| seat.add_to(new))
    };
    if args.private {
        new = new.private();
    }
    for (key, value) in args.metadata {
        new = new.metadata(key, value);
    }
    if let Some(seed) = args.seed {
        new = new.seed(seed);
    }
    if let Some(id) = args.request_id {
        new = new.request_id(id);
    }
    if let Some(clock) = args.clock.settings() {
        new = new.clock(clock);
    }
    if let Some(Millis(fill)) = args.fill_within {
        new = new.fill_ms(fill);
    }
    let table = client.create_table(new).await?;
    show::print(&table, context)?;
    Ok(Exit::Ok)
}

/// How many play: as many as asked for, or as few as the game allows.
pub(super) fn players(asked: Option<u32>, game: &GameInfo) -> Result<u32, Failure> {
    let (min, max, game) = (game.min_players, game.max_players, &game.game);
    let players = asked.unwrap_or(min);
    if (min..=max).contains(&players) {
        return Ok(players);
    }
    Err(Failure::usage(
        format!("{game} is for {min} to {max} players, not {players}"),
        format!("{game} ist für {min} bis {max} Spieler, nicht {players}"),
    ))
}
