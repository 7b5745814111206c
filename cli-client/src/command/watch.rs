//! `parlor watch`: watches a table as a spectator.

use parlor_sdk::{Client, Event, Session, Spectator, wire};
use serde_json::Value;
use wire::stream_item::Item;

use crate::context::Context;
use crate::display::{DisplayArgs, DisplayOutcome, PaceArgs};
use crate::errors::Failure;
use crate::exit::Exit;
use crate::history::spectator_history;
use crate::output::to_json;
use crate::session_bridge::{Attachment, DISPLAY_WANTS, spawn_bridge};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Id of the table
    #[arg(required_unless_present = "token")]
    table: Option<String>,
    /// Spectator token, for a private table that is not yours
    #[arg(long, value_name = "TOKEN", conflicts_with = "table")]
    token: Option<String>,
    #[command(flatten)]
    display: DisplayArgs,
    #[command(flatten)]
    pace: PaceArgs,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let (client, session, spectator) =
        match context.stop.unless_stopped(context.with_wait_notice(attach(&args, context))).await {
            Ok(attached) => attached?,
            Err(exit) => return Ok(exit),
        };
    if context.json {
        return context.stop.unless_stopped(print_json(spectator, context)).await.unwrap_or_else(Ok);
    }
    let history = spectator_history(&client, args.token.as_deref(), &spectator);
    let (channels, bridge) =
        spawn_bridge(&session, Attachment::Spectator(spectator), Some(history), context.lang);
    match args.display.show(args.pace, channels, context).await? {
        DisplayOutcome::TableOver | DisplayOutcome::ViewerLeft | DisplayOutcome::Rematch => {
            bridge.into_failure().map_or(Ok(Exit::Ok), Err)
        }
        DisplayOutcome::Stopped(exit) => Ok(exit),
    }
}

async fn attach(args: &Args, context: &Context) -> Result<(Client, Session, Spectator), Failure> {
    let client = context.connect().await?;
    let session = client.session();
    let attaching = match &args.token {
        Some(token) => session.watch_private(token.as_str()),
        None => session.watch(args.table.as_deref().unwrap_or_default()),
    };
    let spectator = attaching.wants(DISPLAY_WANTS).await?;
    Ok((client, session, spectator))
}

async fn print_json(mut spectator: Spectator, context: &Context) -> Result<Exit, Failure> {
    while let Some(event) = spectator.next().await? {
        if let Some(line) = event_json(event) {
            context.out.json_line(&line)?;
        }
    }
    Ok(Exit::Ok)
}

/// Event as a JSON object with one field, named after the kind of event.
pub(super) fn event_json(event: Event) -> Option<Value> {
    let item = match event {
        Event::Snapshot(snapshot) => Item::Snapshot(snapshot),
        Event::Update(update) => Item::Update(update.wire().clone()),
        Event::Presence(presence) => Item::Presence(presence),
        Event::TimeLeft(time) => Item::TimeLeft(time),
        // Spectators get no decisions.
        _ => return None,
    };
    let mut json = to_json(&wire::StreamItem { channel: 0, item: Some(item) });
    // Channel numbers are internal to the SDK.
    json.as_object_mut()?.remove("channel");
    Some(json)
}
