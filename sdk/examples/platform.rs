//! A platform: creates tables, hands a seat to each of its users, and follows all its tables over one stream
//! until they are over.
//!
//! `cargo run -p parlor-sdk --example platform -- [TABLES] [GAME] [ADDRESS]`
//!
//! The environment can give the address in PARLOR_ADDRESS, and an API key, if needed, in PARLOR_KEY.
//!
//! Half of the tables have house bots only. The others have a seat for a user of the platform, which a real
//! platform would hand to a person or a program elsewhere; here a bot in this process plays all of them over
//! one stream.

use std::collections::HashSet;
use std::env;

use futures_util::StreamExt;
use parlor_sdk::{Choice, Client, Error, JoinTable, NewTable, Question, Session, wire};
use wire::table_news::News;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut args = env::args().skip(1);
    let tables = args.next().and_then(|count| count.parse().ok()).unwrap_or(10);
    let game = args.next().unwrap_or_else(|| "gap".into());
    let address = args.next().or_else(|| env::var("PARLOR_ADDRESS").ok());
    let mut builder = Client::builder(address.unwrap_or_else(|| "http://127.0.0.1:7766".into()));
    if let Ok(key) = env::var("PARLOR_KEY") {
        builder = builder.api_key(key);
    }
    let client = builder.connect().await?;

    // Opened first, so that no news of the new tables is missed.
    let mut news = client.follow_tables(None).await?;
    let (mut open, mut tokens) = (HashSet::new(), Vec::new());
    for number in 0..tables {
        let user = format!("user-{number}");
        let new = NewTable::new(&game).metadata("number", number.to_string()).house_bot("random");
        let new = if number % 2 == 0 { new.house_bot("greedy") } else { new.reserved_seat(&user, "A guest") };
        let table = client.create_table(new).await?;
        if number % 2 == 1 {
            tokens.push(client.join_table(JoinTable::new(&table.table_id).user_id(&user)).await?.token);
        }
        open.insert(table.table_id);
    }
    let guests = tokio::spawn(play(client.session(), tokens));

    while !open.is_empty() {
        let news = news.next().await?;
        let id = news.table_id;
        match news.news {
            Some(News::Created(_)) => println!("{id}: created"),
            Some(News::Started(_)) => println!("{id}: started"),
            Some(News::Over(over)) if open.remove(&id) => {
                let result = over.result.unwrap_or_default();
                let points: Vec<String> = result.seats.iter().map(|seat| seat.points.to_string()).collect();
                println!("{id}: {}, points {}", result.reason().as_str_name(), points.join(" : "));
            }
            _ => {}
        }
    }
    guests.abort();
    println!("all {tables} tables are over; the cursor to resume from is {}", news.number());
    Ok(())
}

/// Plays the guests' seats with the default actions.
async fn play(session: Session, tokens: Vec<parlor_sdk::SeatToken>) {
    let bot = || |question: &Question| Choice::Index(question.default_index());
    let mut played = std::pin::pin!(session.play_all(tokens, 1000, bot));
    while let Some(played) = played.next().await {
        if let Err(error) = played.outcome {
            eprintln!("a seat was lost: {error}");
        }
    }
}
