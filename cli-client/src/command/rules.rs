//! `parlor rules`: prints the rules of a game.

use parlor_engine::Lang;
use parlor_sdk::wire::Language;

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Game id, such as gap
    game: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let language = match context.lang {
        Lang::En => Language::English,
        Lang::De => Language::German,
    };
    let rules = context.connect().await?.rules(&args.game, language).await?;
    if context.json {
        context.out.document(&rules)?;
    } else {
        context.out.line(rules.markdown.trim_end())?;
    }
    Ok(Exit::Ok)
}
