//! A random bot: joins a table with an open seat, or creates one with a house bot, plays it to the end, and
//! prints the result.
//!
//! `cargo run -p parlor-sdk --example random_bot -- [GAME] [ADDRESS]`
//!
//! The environment can give the address in PARLOR_ADDRESS, and an API key, if needed, in PARLOR_KEY.

use std::env;
use std::hash::{BuildHasher, RandomState};
use std::pin::pin;

use futures_util::TryStreamExt;
use parlor_sdk::{
    Bot, BotError, Choice, Client, Error, GameEnd, GameStart, JoinedSeat, NewTable, Question, Reason,
    TableFilter, wire,
};

/// Plays uniformly at random.
struct RandomBot(RandomState);

impl Bot for RandomBot {
    fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        // A randomly keyed hash is random enough here.
        Ok(Choice::Index(self.0.hash_one(question.id()) as usize % question.legal_count()))
    }

    fn start(&mut self, start: &GameStart<'_>) {
        println!("seat {} of {} at table {} of {}", start.seat, start.players, start.table_id, start.game);
    }

    fn end(&mut self, end: &GameEnd<'_>) {
        match (end.result, end.own_result()) {
            (Some(result), Some(own)) => {
                let points = |seat: &wire::SeatResult| format!("seat {}: {} points", seat.seat, seat.points);
                println!("{}", result.seats.iter().map(points).collect::<Vec<_>>().join(", "));
                println!("place {} of {}", own.place, result.seats.len());
            }
            (Some(result), None) => println!("no result: {}", result.reason().as_str_name()),
            (None, _) => println!("the table ended without a result"),
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut args = env::args().skip(1);
    let game = args.next().unwrap_or_else(|| "gap".into());
    let address = args.next().or_else(|| env::var("PARLOR_ADDRESS").ok());
    let mut builder = Client::builder(address.unwrap_or_else(|| "http://127.0.0.1:7766".into()));
    if let Ok(key) = env::var("PARLOR_KEY") {
        builder = builder.api_key(key);
    }
    let client = builder.connect().await?;
    let joined = join_or_create(&client, &game).await?;
    client.session().play(joined.token, &mut RandomBot(RandomState::new())).await?;
    Ok(())
}

/// Joins the first table with an open seat, or a new one.
async fn join_or_create(client: &Client, game: &str) -> Result<JoinedSeat, Error> {
    let joinable = TableFilter::new().game(game).open_seat().state(wire::TableState::Open);
    let mut tables = pin!(client.tables(joinable));
    while let Some(table) = tables.try_next().await? {
        match client.join_table(&table).await {
            // Another player was faster.
            Err(error)
                if matches!(
                    error.reason(),
                    Reason::NoSeatFree | Reason::TableStarted | Reason::TableOver
                ) => {}
            joined => return joined,
        }
    }
    let table = client.create_table(NewTable::new(game).house_bot("greedy").open_seat()).await?;
    client.join_table(&table).await
}
