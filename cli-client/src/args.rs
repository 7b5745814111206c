//! The command line. Each command has its own arguments in its own file.

use clap::{Parser, Subcommand};

use crate::command::{
    agents, bench, bot, bots, cancel, completions, conformance, create, delete, follow, games, join, play,
    record, rematch, replace, replay, resign, rules, show, tables, token, tournament, verify, watch,
};
use crate::config::Flags;
use crate::exit;

/// Card games in a terminal. It has no `Debug`, as there may be secrets in it.
#[derive(Parser)]
#[command(
    name = "parlor",
    version,
    about = "Play, watch and replay card games in a terminal, look after tables, run bots",
    long_about = "Play, watch and replay card games in a terminal, look after tables, run bots.\n\n\
        Try `parlor play gap`: it makes a table with bots of the house and sits you down.\n\n\
        Settings come from a file, the environment and flags, each on top of the one before. The file is TOML and has \
        the names of the flags: server, api_key, api_key_file, ca, client_cert, client_key, server_name, timeout, lang, and name \
        for the one that others see at a table.",
    after_long_help = exit::HELP,
    after_help = "Exit codes and all flags: parlor --help",
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Flags about the connection and the language, good with every command.
    #[command(flatten)]
    pub(crate) connection: Flags,

    /// JSON instead of text: one document, or a line for each thing that happens
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) json: bool,
}

/// What can be done.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Play: make a table with bots and sit down, join a table, or go on with a seat
    Play(play::Args),
    /// Watch a table
    Watch(watch::Args),
    /// Replay a game that is over, forwards and backwards: a table, or a file
    Replay(replay::Args),
    /// Records of games: get them, list them, export a tournament
    Record(record::Args),
    /// Check records, without a server: seeds, deals, actions, scores
    Verify(verify::Args),
    /// List the games, or show one with its options
    Games(games::Args),
    /// Print the rules of a game
    Rules(rules::Args),
    /// List the bots of the house
    Bots(bots::Args),
    /// List the agents: programs that play under a name
    Agents(agents::Args),
    /// List tables
    Tables(tables::Args),
    /// Show a table
    Show(show::Args),
    /// Make a table
    Create(create::Args),
    /// Take a seat and print its token
    Join(join::Args),
    /// Make a new table for the same players as one that is over
    Rematch(rematch::Args),
    /// Give a seat up: it plays defaults to the end and ranks last
    Resign(resign::Args),
    /// Let a bot of the house take over a seat for good
    Replace(replace::Args),
    /// Print a token for spectators of a table, or a new one for a seat
    Token(token::Args),
    /// End a table without a score
    Cancel(cancel::Args),
    /// Delete a table that is over
    Delete(delete::Args),
    /// Follow what becomes of all your tables
    Follow(follow::Args),
    /// Let a bot play: one seat, one table, table after table, or as an agent
    Bot(bot::Args),
    /// Make, run, follow and report tournaments
    Tournament(tournament::Args),
    /// Measure a server: play many tables at once
    ///
    /// Says how many moves a second the server makes, and how fast each. A move counts when every player of the table has the
    /// view after it. Tables that end are replaced; at the end, those that are left are cancelled. With --rate, moves that all
    /// tables were too slow for are not made up for.
    ///
    /// A server limits what one address or key may do: set limits.requests_per_second, limits.tables_per_key and
    /// limits.streams_per_connection to what you measure.
    Bench(bench::Args),
    /// Examine an agent: what passes, and what to mend
    Conformance(conformance::Args),
    /// Print completions for a shell
    Completions(completions::Args),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_contradicts_itself_nowhere() {
        Cli::command().debug_assert();
    }
}
