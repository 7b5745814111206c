//! The commands, one file each: their arguments, what they ask of the server, and what they print.

mod clock;
mod describe;
mod options;
mod pages;
mod seats;
mod seed;

pub(crate) mod agents;
pub(crate) mod bench;
pub(crate) mod bot;
pub(crate) mod bots;
pub(crate) mod cancel;
pub(crate) mod completions;
pub(crate) mod conformance;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod follow;
pub(crate) mod games;
pub(crate) mod join;
pub(crate) mod play;
pub(crate) mod record;
pub(crate) mod rematch;
pub(crate) mod replace;
pub(crate) mod replay;
pub(crate) mod resign;
pub(crate) mod rules;
pub(crate) mod show;
pub(crate) mod tables;
pub(crate) mod token;
pub(crate) mod tournament;
pub(crate) mod verify;
pub(crate) mod watch;

use crate::args::Command;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

/// Does what was asked.
pub(crate) async fn run(command: Command, context: &Context) -> Result<Exit, Failure> {
    match command {
        // These tidy up when they are told to stop.
        Command::Play(args) => play::run(args, context).await,
        Command::Watch(args) => watch::run(args, context).await,
        Command::Replay(args) => replay::run(args, context).await,
        Command::Bot(args) => bot::run(args, context).await,
        Command::Tournament(args) => tournament::run(args, context).await,
        Command::Bench(args) => bench::run(args, context).await,
        // The others can be given up at any moment.
        Command::Games(args) => call(games::run(args, context), context).await,
        Command::Rules(args) => call(rules::run(args, context), context).await,
        Command::Bots(args) => call(bots::run(args, context), context).await,
        Command::Agents(args) => call(agents::run(args, context), context).await,
        Command::Tables(args) => call(tables::run(args, context), context).await,
        Command::Show(args) => call(show::run(args, context), context).await,
        Command::Create(args) => call(create::run(args, context), context).await,
        Command::Join(args) => call(join::run(args, context), context).await,
        Command::Rematch(args) => call(rematch::run(args, context), context).await,
        Command::Resign(args) => call(resign::run(args, context), context).await,
        Command::Replace(args) => call(replace::run(args, context), context).await,
        Command::Token(args) => call(token::run(args, context), context).await,
        Command::Delete(args) => call(delete::run(args, context), context).await,
        Command::Cancel(args) => call(cancel::run(args, context), context).await,
        Command::Follow(args) => context.stop.unless(follow::run(args, context)).await.unwrap_or_else(Ok),
        Command::Conformance(args) => {
            context.stop.unless(conformance::run(args, context)).await.unwrap_or_else(Ok)
        }
        // Large exports and long checks say themselves how far they are.
        Command::Record(args) => context.stop.unless(record::run(args, context)).await.unwrap_or_else(Ok),
        Command::Verify(args) => context.stop.unless(verify::run(args, context)).await.unwrap_or_else(Ok),
        Command::Completions(args) => completions::run(args, context),
    }
}

/// Asks the server something, and prints the answer. It can be given up at any moment.
async fn call(work: impl Future<Output = Result<Exit, Failure>>, context: &Context) -> Result<Exit, Failure> {
    context.stop.unless(context.waiting(work)).await.unwrap_or_else(Ok)
}
