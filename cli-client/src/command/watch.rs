//! `parlor watch`: looks on.

use parlor_sdk::{Event, Session, Spectator, wire};
use serde_json::Value;
use wire::stream_item::Item;

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::front::{FrontArgs, Left};
use crate::link::{self, Place, WANTS};
use crate::output::to_json;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The id of the table
    #[arg(required_unless_present = "token")]
    table: Option<String>,
    /// A spectator token, for a private table that is not yours
    #[arg(long, value_name = "TOKEN", conflicts_with = "table")]
    token: Option<String>,
    #[command(flatten)]
    front: FrontArgs,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let (session, spectator) = match context.stop.unless(context.waiting(attach(&args, context))).await {
        Ok(attached) => attached?,
        Err(exit) => return Ok(exit),
    };
    if context.json {
        return context.stop.unless(in_json(spectator, context)).await.unwrap_or_else(Ok);
    }
    let (link, ending) = link::open(&session, Place::Spectator(spectator), context.lang);
    match args.front.show(link, context).await? {
        Left::Over | Left::Gone => ending.failure().map_or(Ok(Exit::Ok), Err),
        Left::Stopped(exit) => Ok(exit),
    }
}

async fn attach(args: &Args, context: &Context) -> Result<(Session, Spectator), Failure> {
    let session = context.client().await?.session();
    let attaching = match &args.token {
        Some(token) => session.watch_private(token.as_str()),
        None => session.watch(args.table.as_deref().unwrap_or_default()),
    };
    let spectator = attaching.wants(WANTS).await?;
    Ok((session, spectator))
}

async fn in_json(mut spectator: Spectator, context: &Context) -> Result<Exit, Failure> {
    while let Some(event) = spectator.next().await? {
        if let Some(line) = line(event) {
            context.out.json_line(&line)?;
        }
    }
    Ok(Exit::Ok)
}

/// What happened as JSON: an object with one field, which says what it is.
pub(super) fn line(event: Event) -> Option<Value> {
    let item = match event {
        Event::Snapshot(snapshot) => Item::Snapshot(snapshot),
        Event::Update(update) => Item::Update(update.wire().clone()),
        Event::Presence(presence) => Item::Presence(presence),
        Event::TimeLeft(time) => Item::TimeLeft(time),
        // Nobody asks a spectator.
        _ => return None,
    };
    let mut json = to_json(&wire::StreamItem { channel: 0, item: Some(item) });
    // The number of the channel is the SDK's own business.
    json.as_object_mut()?.remove("channel");
    Some(json)
}
