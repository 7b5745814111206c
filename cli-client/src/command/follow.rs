//! `parlor follow`: prints the events of all tables of an owner.

use parlor_engine::Text;
use parlor_sdk::wire::{TableNews, table_news::News};

use super::describe;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::output::to_json;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Start after the event with this number; 0 starts with the oldest one kept [default: from now on]
    #[arg(long, value_name = "NUMBER")]
    after: Option<u64>,
    /// Stop after this many events [default: never]
    #[arg(long, value_name = "COUNT")]
    count: Option<u64>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let client = context.with_wait_notice(context.connect()).await?;
    let mut followed = context.with_wait_notice(client.follow_tables(args.after)).await?;
    let mut left = args.count.unwrap_or(u64::MAX);
    while left > 0 {
        let event = followed.next().await?;
        if context.json {
            context.out.json_line(&to_json(&event))?;
        } else {
            context.out.line(event_line(&event, context))?;
        }
        left -= 1;
    }
    Ok(Exit::Ok)
}

/// A line such as `17  2026-11-16T09:30:00Z  TABLE  playing`.
fn event_line(event: &TableNews, context: &Context) -> String {
    let what = match &event.news {
        Some(News::Created(_)) => Text { en: "made", de: "gemacht" },
        Some(News::Joined(_)) => Text { en: "seat taken", de: "Sitz genommen" },
        Some(News::Started(_)) => Text { en: "started", de: "begonnen" },
        Some(News::Forfeited(_)) => Text { en: "seat forfeited", de: "Sitz kann nicht mehr gewinnen" },
        Some(News::Replaced(_)) => Text { en: "bot takes over", de: "Bot übernimmt" },
        Some(News::Over(over)) => over.state().text(),
        Some(News::Deleted(_)) => Text { en: "deleted", de: "gelöscht" },
        None => Text { en: "unknown event", de: "etwas Neues" },
    };
    let seat = match &event.news {
        Some(News::Joined(joined)) => joined.seat.as_ref(),
        Some(News::Replaced(replaced)) => replaced.seat.as_ref(),
        _ => None,
    };
    let seat = seat.map_or_else(String::new, |seat| {
        format!(": {} {}", seat.seat, describe::occupant(seat, context.lang))
    });
    let time =
        describe::format_timestamp(event.time.and_then(|time| time.try_into().ok())).unwrap_or_default();
    parlor_cli::text::sanitise(&format!(
        "{}  {time}  {}  {}{seat}",
        event.number,
        event.table_id,
        what.get(context.lang)
    ))
}
