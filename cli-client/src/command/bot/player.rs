//! [`Player`]: a house strategy, or a program that reads and writes lines.

use std::str::FromStr;

use parlor_bots::HouseBot;

use crate::command::program::{EXEC_PREFIX, exec_argument, short_name};

/// A player of `parlor bot`.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Player {
    /// A house strategy.
    House(HouseBot),
    /// A program, by its command.
    Program(String),
}

impl Player {
    /// Command of a program.
    pub(super) fn command(&self) -> Option<&str> {
        match self {
            Player::House(_) => None,
            Player::Program(command) => Some(command),
        }
    }

    /// Default display name.
    pub(super) fn name(&self) -> String {
        match self {
            Player::House(bot) => bot.to_string(),
            Player::Program(command) => short_name(command),
        }
    }

    /// The player as an argument of a shell command.
    pub(super) fn argument(&self) -> String {
        match self {
            Player::House(bot) => bot.to_string(),
            Player::Program(command) => exec_argument(command),
        }
    }
}

impl FromStr for Player {
    type Err = String;

    fn from_str(text: &str) -> Result<Player, String> {
        match text.strip_prefix(EXEC_PREFIX) {
            Some(command) if command.trim().is_empty() => {
                Err("exec: needs a command, as in exec:./bot.py".to_owned())
            }
            Some(command) => Ok(Player::Program(command.to_owned())),
            None => HouseBot::by_name(text).map(Player::House).map_err(|error| error.to_string()),
        }
    }
}
