//! The commands, one file each: arguments, calls to the server, output.

pub(crate) mod clock;
pub(crate) mod describe;
pub(crate) mod options;
mod paging;
mod program;
mod seats;

pub(crate) mod agent;
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
pub(crate) mod invite;
pub(crate) mod join;
pub(crate) mod keys;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod new_bot;
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

/// Runs a command.
pub(crate) async fn run(command: Command, context: &Context) -> Result<Exit, Failure> {
    match command {
        // These clean up on a stop signal.
        Command::Play(args) => play::run(args, context).await,
        Command::Watch(args) => watch::run(args, context).await,
        Command::Replay(args) => replay::run(args, context).await,
        Command::Agent(args) => agent::run(args, context).await,
        Command::Bot(args) => bot::run(args, context).await,
        Command::Mcp(args) => mcp::run(args, context).await,
        Command::Tournament(args) => tournament::run(args, context).await,
        Command::Bench(args) => bench::run(args, context).await,
        // The others can be aborted at any time.
        Command::Games(args) => unary(games::run(args, context), context).await,
        Command::Rules(args) => unary(rules::run(args, context), context).await,
        Command::Bots(args) => unary(bots::run(args, context), context).await,
        Command::Agents(args) => unary(agents::run(args, context), context).await,
        Command::Keys(args) => unary(keys::run(args, context), context).await,
        Command::Tables(args) => unary(tables::run(args, context), context).await,
        Command::Show(args) => unary(show::run(args, context), context).await,
        Command::Create(args) => unary(create::run(args, context), context).await,
        Command::Invite(args) => unary(invite::run(args, context), context).await,
        Command::Join(args) => unary(join::run(args, context), context).await,
        Command::Rematch(args) => unary(rematch::run(args, context), context).await,
        Command::Resign(args) => unary(resign::run(args, context), context).await,
        Command::Replace(args) => unary(replace::run(args, context), context).await,
        Command::Token(args) => unary(token::run(args, context), context).await,
        Command::Delete(args) => unary(delete::run(args, context), context).await,
        Command::Cancel(args) => unary(cancel::run(args, context), context).await,
        Command::Follow(args) => {
            context.stop.unless_stopped(follow::run(args, context)).await.unwrap_or_else(Ok)
        }
        Command::Conformance(args) => {
            context.stop.unless_stopped(conformance::run(args, context)).await.unwrap_or_else(Ok)
        }
        // Large exports and long checks show their own progress.
        Command::Record(args) => {
            context.stop.unless_stopped(record::run(args, context)).await.unwrap_or_else(Ok)
        }
        Command::Verify(args) => {
            context.stop.unless_stopped(verify::run(args, context)).await.unwrap_or_else(Ok)
        }
        Command::NewBot(args) => new_bot::run(args, context),
        Command::Completions(args) => completions::run(args, context),
        Command::Man(args) => man::run(args, context),
    }
}

/// Runs a command that makes a few calls and prints the result, until it is done or a stop signal arrives.
async fn unary(
    work: impl Future<Output = Result<Exit, Failure>>,
    context: &Context,
) -> Result<Exit, Failure> {
    context.stop.unless_stopped(context.with_wait_notice(work)).await.unwrap_or_else(Ok)
}
