//! Programs that read and write lines: their names, their notices, and their failures as those of a command.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

pub(super) use parlor_cli::line_protocol::{EXEC_PREFIX, short_name};
use parlor_cli::line_protocol::{Fault, Notice, NoticeSink};
use parlor_sdk::SeatToken;

use crate::context::Context;
use crate::errors::{Failure, redact_secrets};
use crate::exit::Exit;

/// Default time after which a program that does not answer is restarted.
pub(super) const DEFAULT_PATIENCE: &str = "60s";
/// [`DEFAULT_PATIENCE`], where it cannot be chosen.
pub(super) const DEFAULT_PATIENCE_TIME: Duration = Duration::from_secs(60);
/// Target of a program's standard error.
#[derive(Clone, Copy)]
pub(super) enum ErrorOutput<'a> {
    /// Standard error of this program.
    Shown,
    /// A file.
    Log(&'a Path),
    /// Nothing: only the last lines before a failure are shown.
    Hidden,
}

impl<'a> ErrorOutput<'a> {
    /// The file, or standard error.
    pub(super) fn new(log: Option<&'a Path>) -> ErrorOutput<'a> {
        log.map_or(ErrorOutput::Shown, ErrorOutput::Log)
    }
}

/// A word of a shell command.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A program as an argument of a shell command.
pub(super) fn exec_argument(command: &str) -> String {
    quoted(&format!("{EXEC_PREFIX}{command}"))
}

/// The command that goes on with seats. `bot` is a word of a shell.
pub(super) fn resume_command(bot: &str, tokens: &[SeatToken], context: &Context) -> String {
    let settings = &context.settings;
    let server =
        if settings.server_is_default { String::new() } else { format!("--server {} ", settings.server) };
    let seats: Vec<String> = tokens.iter().map(|token| format!("--seat-token {}", token.reveal())).collect();
    format!("parlor bot {bot} {server}--at-once {} {}", tokens.len(), seats.join(" "))
}

/// Prints the notices about a program on standard error, and its own standard error where it belongs.
pub(super) fn notices(name: &str, errors: ErrorOutput<'_>, context: &Context) -> Result<NoticeSink, Failure> {
    let (log, shown) = match errors {
        ErrorOutput::Shown => (None, true),
        ErrorOutput::Log(path) => (Some(path), false),
        ErrorOutput::Hidden => (None, false),
    };
    let log = log.map(|path| {
        let file = File::options().create(true).append(true).open(path);
        file.map(Mutex::new).map_err(|error| {
            let path = path.display();
            Failure::usage(
                format!("cannot write to {path} ({error}): choose another file with --log"),
                format!("In {path} lässt sich nicht schreiben ({error}): Nimm eine andere Datei mit --log"),
            )
        })
    });
    let log = log.transpose()?;
    let (name, lang) = (name.to_owned(), context.lang);
    Ok(NoticeSink::new(move |notice| {
        let text = redact_secrets(notice.text(&name).get(lang));
        if let Some(log) = &log {
            // A full disk must not end the agent.
            let _ = writeln!(log.lock().unwrap_or_else(PoisonError::into_inner), "{text}");
        }
        if shown || !matches!(notice, Notice::ErrorOutput(_)) {
            let _ = writeln!(std::io::stderr(), "{text}");
        }
    }))
}

/// The failure of a command whose program never answers.
pub(super) fn unusable(name: &str, fault: &Fault) -> Failure {
    let text = fault.text();
    Failure::new(
        Exit::Failure,
        "PROGRAM",
        format!("{name} {}: it has failed again and again without an answer", text.en),
        format!("{name} {}: Es scheitert immer wieder, ohne je zu antworten", text.de),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_quoted_for_a_shell() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
