//! Command-line definition. The arguments of each command are in the file of that command.

use clap::error::ErrorKind;
use clap::{Command as ClapCommand, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::command::{
    agent, agents, bench, bot, bots, cancel, completions, conformance, create, delete, follow, games, invite,
    join, keys, man, mcp, new_bot, play, record, rematch, replace, replay, resign, rules, show, tables,
    token, tournament, verify, watch,
};
use crate::config::Flags;
use crate::exit;

/// Parsed command line. Not `Debug`, because it may hold secrets.
#[derive(Parser)]
#[command(
    name = "parlor",
    version,
    about = "Play, watch and replay card games in a terminal, manage tables, run bots",
    long_about = "Play, watch and replay card games in a terminal, manage tables, run bots.\n\n\
        Try `parlor play gap`: it creates a table with house bots and joins it.\n\n\
        Settings come from a file, the environment and flags, in ascending precedence. The file is TOML; its keys are named \
        after the flags: server, api_key, api_key_file, ca, client_cert, client_key, server_name, timeout, lang, and name \
        for the display name at tables.",
    after_long_help = exit::EXIT_CODES_HELP,
    after_help = "Exit codes and all flags: parlor --help",
    max_term_width = 100
)]
pub(crate) struct Cli {
    /// The command to run.
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Connection and language flags, accepted by every command.
    #[command(flatten)]
    pub(crate) connection: Flags,

    /// Print JSON instead of text: one document, or one line per event
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) json: bool,
}

/// Flags that every command accepts, and that only the help of the program explains.
const COMMON_FLAGS: [&str; 8] =
    ["api_key", "api_key_file", "ca", "client_cert", "client_key", "server_name", "timeout", "config"];

/// Commands without JSON output.
const WITHOUT_JSON: [&str; 4] = ["play", "mcp", "completions", "man"];

/// The definition of the command line. The help of a command has its own flags and the most common of those that all
/// commands share.
pub(crate) fn command() -> ClapCommand {
    let mut whole = Cli::command();
    // Hands the common flags down to the commands.
    whole.build();
    whole.mut_subcommands(shorten_help)
}

fn shorten_help(command: ClapCommand) -> ClapCommand {
    if command.get_name() == "help" {
        return command;
    }
    let without_json = WITHOUT_JSON.contains(&command.get_name());
    let has_help = command.get_after_help().is_some();
    let command = command
        .mut_args(|arg| {
            let id = arg.get_id().as_str();
            let is_hidden = COMMON_FLAGS.contains(&id) || id == "json" && without_json;
            if is_hidden { arg.hide(true) } else { arg }
        })
        .mut_subcommands(shorten_help);
    if has_help {
        command
    } else {
        command.after_help("API key, TLS, time limit and settings file: parlor --help")
    }
}

/// Parses the command line of the process.
pub(crate) fn parse() -> Result<Cli, clap::Error> {
    let matches = command().try_get_matches()?;
    let cli = Cli::from_arg_matches(&matches)?;
    // `play` explains it by itself.
    let refused = match cli.command {
        Command::Completions(_) => "completions has no --json: it prints a script for a shell",
        Command::Man(_) => "man has no --json: it prints a manual page",
        _ => "",
    };
    if cli.json && !refused.is_empty() {
        return Err(command().error(ErrorKind::ArgumentConflict, refused));
    }
    Ok(cli)
}

/// The subcommands.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Play: create a table with house bots, join a table, or resume a seat
    Play(play::Args),
    /// Watch a table
    Watch(watch::Args),
    /// Replay a finished game, forwards and backwards, from a table or a file
    Replay(replay::Args),
    /// Fetch, list and export game records
    Record(record::Args),
    /// Verify records offline: signatures, seeds, deals, actions, scores
    ///
    /// A signature is checked with the keys given by --key, or else with those that were pinned when records were fetched
    /// from a server. Without the key of its server, names, options, times, and whether these decisions were made at all
    /// are not checked: a note says so. The manifest of an export, whose name ends with manifest.json, is compared with
    /// the records named beside it.
    Verify(verify::Args),
    /// Show the keys with which the server signs records, and which are pinned
    Keys(keys::Args),
    /// List the games, or show one with its options
    Games(games::Args),
    /// Print the rules of a game
    Rules(rules::Args),
    /// List the house bots
    Bots(bots::Args),
    /// Connect a program that reads and writes lines as an agent
    Agent(agent::Args),
    /// List the agents: bots registered under a name
    Agents(agents::Args),
    /// List tables
    Tables(tables::Args),
    /// Show a table
    Show(show::Args),
    /// Create a table
    Create(create::Args),
    /// Take a seat and print its token
    Join(join::Args),
    /// Create, list or revoke invites: links with which somebody takes a seat without a key
    Invite(invite::Args),
    /// Create a new table for the players of a finished one
    Rematch(rematch::Args),
    /// Resign a seat: it plays default actions to the end and ranks last
    Resign(resign::Args),
    /// Replace a seat with a house bot for the rest of the game
    Replace(replace::Args),
    /// Print a spectator token of a table, or a new token for a seat
    Token(token::Args),
    /// Cancel a table without a score
    Cancel(cancel::Args),
    /// Delete a finished table
    Delete(delete::Args),
    /// Follow the events of all your tables
    Follow(follow::Args),
    /// Run a house bot: on one seat, at tables of a game, or as an agent
    Bot(bot::Args),
    /// Let language models play, by the Model Context Protocol
    Mcp(mcp::Args),
    /// Create, run, follow and report tournaments
    Tournament(tournament::Args),
    /// Benchmark a server: play many tables at once
    ///
    /// Reports moves a second and the latency of a move. A move counts when every player of the table has
    /// received the view after it. Finished tables are replaced; at the end, the remaining ones are
    /// cancelled. With --rate, moves that were missed because all tables were waiting are not made up for.
    ///
    /// A server limits what one address or key may do: raise limits.requests_per_second,
    /// limits.tables_per_key and limits.streams_per_connection to the load you measure.
    Bench(bench::Args),
    /// Check an agent's protocol conformance, and report what to fix
    Conformance(conformance::Args),
    /// Write a bot to start from, which runs as it is
    NewBot(new_bot::Args),
    /// Print shell completions
    Completions(completions::Args),
    /// Print the manual page, or write those of all commands
    Man(man::Args),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_command_definition_is_consistent() {
        Cli::command().debug_assert();
        command().debug_assert();
    }
}
