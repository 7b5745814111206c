//! `parlor create`: creates a table.

use parlor_cli::duration::{Millis, parse_time};
use parlor_cli::seed::parse_seed;
use parlor_sdk::wire::GameInfo;

use super::clock::ClockArgs;
use super::seats::SeatArg;
use super::{games, options, show};
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
#[command(
    after_help = "Example: parlor create gap --option target=15 --seat open --seat bot:greedy --clock 30s"
)]
pub(crate) struct Args {
    /// Game id, such as gap
    game: String,
    /// Option of the game; repeatable. `parlor games GAME` lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = options::parse_option)]
    option: Vec<(String, String)>,
    /// Seat: open, bot:NAME, agent:NAME, user:ID or user:ID=NAME; repeat for each seat, in order
    #[arg(long, value_name = "SEAT", conflicts_with = "players")]
    seat: Vec<SeatArg>,
    /// Number of open seats [default: the game's minimum]
    #[arg(long, value_name = "COUNT")]
    players: Option<u32>,
    /// Visible only to you, the players, and holders of a spectator token
    #[arg(long)]
    private: bool,
    /// Metadata of the table; repeatable
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_metadata)]
    metadata: Vec<(String, String)>,
    /// Shuffle seed, for tests: a number or 64 hexadecimal digits. The table is never rated
    #[arg(long, value_parser = parse_seed)]
    seed: Option<[u8; 32]>,
    /// Idempotency key: the same id returns the same table
    #[arg(long, value_name = "ID")]
    request_id: Option<String>,
    #[command(flatten)]
    clock: ClockArgs,
    /// Maximum time to wait for players before the table expires
    #[arg(long, value_name = "TIME", value_parser = parse_time, help_heading = "Time")]
    fill_within: Option<Millis>,
}

/// Parses metadata such as `round=3`.
pub(super) fn parse_metadata(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("metadata is written as KEY=VALUE, such as round=3")?;
    if key.is_empty() { Err("the key is empty".to_owned()) } else { Ok((key.to_owned(), value.to_owned())) }
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let client = context.connect().await?;
    let game = games::find_game(client.games().await?, &args.game)?;
    let mut new = options::new_table(&game, &args.option, context)?;
    new = if args.seat.is_empty() {
        new.open_seats(player_count(args.players, &game)? as usize)
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

/// The number of players: the given one if the game allows it, or the game's minimum.
pub(crate) fn player_count(asked: Option<u32>, game: &GameInfo) -> Result<u32, Failure> {
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
