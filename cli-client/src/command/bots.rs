//! `parlor bots`: lists the house bots.

use parlor_sdk::wire;

use super::describe::text;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::output::Columns;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only bots that play this game
    game: Option<String>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let bots = context.connect().await?.house_bots(args.game.as_deref().unwrap_or_default()).await?;
    if context.json {
        context.out.document(&wire::ListHouseBotsResponse { bots })?;
        return Ok(Exit::Ok);
    }
    if bots.is_empty() {
        context.out.line(context.localise(|| "No bots.".into(), || "Keine Bots.".into()))?;
        return Ok(Exit::Ok);
    }
    let (about, games) = (
        context.localise(|| "about".into(), || "Spielweise".into()),
        context.localise(|| "games".into(), || "Spiele".into()),
    );
    let mut columns = Columns::new(["bot", &about, &games]);
    for bot in bots {
        columns.row([bot.name, text(bot.summary.as_ref(), context.lang).to_owned(), bot.games.join(", ")]);
    }
    context.out.lines(columns.lines())?;
    Ok(Exit::Ok)
}
