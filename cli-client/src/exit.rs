//! How the program ends: the codes that a script can rely on.

use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// What was asked for was done.
    Ok,
    /// Something went wrong that no other code stands for.
    Failure,
    /// The command line or a setting is wrong.
    Usage,
    /// The server cannot be reached, or cannot do it now.
    Unavailable,
    /// Not allowed with this key or token.
    NotAllowed,
    /// No such game, table, seat, bot or file.
    NotFound,
    /// The table is not in a state for it: seat taken, table full, started or over.
    Refused,
    /// Ctrl-C.
    Interrupted,
    /// Told to stop from outside (SIGTERM).
    Terminated,
}

impl Exit {
    /// The codes, in the order of the help.
    #[cfg(test)]
    pub(crate) const ALL: [Exit; 9] = [
        Exit::Ok,
        Exit::Failure,
        Exit::Usage,
        Exit::Unavailable,
        Exit::NotAllowed,
        Exit::NotFound,
        Exit::Refused,
        Exit::Interrupted,
        Exit::Terminated,
    ];

    /// The number that the shell sees.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Exit::Ok => 0,
            Exit::Failure => 1,
            Exit::Usage => 2,
            Exit::Unavailable => 3,
            Exit::NotAllowed => 4,
            Exit::NotFound => 5,
            Exit::Refused => 6,
            // 128 and the number of the signal, as shells do.
            Exit::Interrupted => 130,
            Exit::Terminated => 143,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// What the help says about it.
pub(crate) const HELP: &str = "\
Exit codes:
    0  done
    1  something went wrong that no other code stands for
    2  the command line or a setting is wrong
    3  the server cannot be reached, or cannot do it now: try again later
    4  not allowed: a key or token is missing, wrong or not enough
    5  not found: no such game, table, seat, bot or file
    6  refused: the seat is taken, the table is full, has started or is over
  130  Ctrl-C
  143  told to stop (SIGTERM)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_every_code() {
        let named: Vec<u8> = HELP
            .lines()
            .skip(1)
            .map(|line| line.split_whitespace().next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(named, Exit::ALL.map(Exit::code));
    }
}
