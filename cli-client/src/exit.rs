//! Exit codes, a stable interface for scripts.

use std::process::ExitCode;

/// Exit status of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// Success.
    Ok,
    /// A failure without a code of its own.
    Failure,
    /// Invalid command line or setting.
    Usage,
    /// Server unreachable or temporarily unable.
    Unavailable,
    /// Key or token missing, invalid or insufficient.
    NotAllowed,
    /// Unknown game, table, seat, bot or file.
    NotFound,
    /// Wrong state of the table: seat taken, table full, started or over.
    Refused,
    /// Interrupted by Ctrl-C (SIGINT).
    Interrupted,
    /// Terminated by SIGTERM.
    Terminated,
}

impl Exit {
    /// All codes, in the order of the help.
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

    /// The numeric exit code.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Exit::Ok => 0,
            Exit::Failure => 1,
            Exit::Usage => 2,
            Exit::Unavailable => 3,
            Exit::NotAllowed => 4,
            Exit::NotFound => 5,
            Exit::Refused => 6,
            // 128 plus the signal number, as in shells.
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

/// Exit codes for `--help`.
pub(crate) const EXIT_CODES_HELP: &str = "\
Exit codes:
    0  success
    1  failure without a code of its own
    2  invalid command line or setting
    3  server unreachable or temporarily unable: retry later
    4  not allowed: key or token missing, invalid or insufficient
    5  not found: unknown game, table, seat, bot or file
    6  refused: seat taken; table full, started or over
  130  interrupted by Ctrl-C
  143  terminated by SIGTERM";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_lists_every_exit_code() {
        let named: Vec<u8> = EXIT_CODES_HELP
            .lines()
            .skip(1)
            .map(|line| line.split_whitespace().next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(named, Exit::ALL.map(Exit::code));
    }
}
