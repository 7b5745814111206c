//! Failures: a line for people, a JSON object for programs, and the exit code.

mod reasons;

use std::io;

use parlor_engine::Lang;
use serde_json::json;

use crate::exit::Exit;

/// Failure of a command.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The reader of the output closed the pipe (`| head`), which is not an error.
    PipeClosed,
    /// Any other failure, reported to the user.
    Reported(Box<ErrorReport>),
}

/// Message and exit code of a failure.
#[derive(Debug)]
pub(crate) struct ErrorReport {
    /// Exit code.
    exit: Exit,
    /// Machine-readable reason, such as `TABLE_NOT_FOUND`.
    reason: String,
    en: String,
    de: String,
}

impl Failure {
    /// A failure detected by this program; the texts say how to fix it.
    pub(crate) fn new(exit: Exit, reason: &str, en: impl Into<String>, de: impl Into<String>) -> Failure {
        Failure::Reported(Box::new(ErrorReport {
            exit,
            reason: reason.to_owned(),
            en: en.into(),
            de: de.into(),
        }))
    }

    /// A usage error.
    pub(crate) fn usage(en: impl Into<String>, de: impl Into<String>) -> Failure {
        Failure::new(Exit::Usage, "USAGE", en, de)
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Failure::PipeClosed => Exit::Ok,
            Failure::Reported(report) => report.exit,
        }
    }

    /// The machine-readable reason; empty for a closed pipe.
    pub(crate) fn reason(&self) -> &str {
        match self {
            Failure::PipeClosed => "",
            Failure::Reported(report) => &report.reason,
        }
    }

    /// The message in one language; `None` for a closed pipe.
    pub(crate) fn message(&self, lang: Lang) -> Option<String> {
        let Failure::Reported(report) = self else { return None };
        let message = match lang {
            Lang::En => &report.en,
            Lang::De => &report.de,
        };
        Some(redact_secrets(&one_line(message)))
    }

    /// The line for standard error; `None` for a closed pipe.
    pub(crate) fn line(&self, lang: Lang, as_json: bool) -> Option<String> {
        let Failure::Reported(report) = self else { return None };
        let message = self.message(lang)?;
        Some(if as_json {
            let error =
                json!({ "reason": report.reason, "message": message, "exit_code": report.exit.code() });
            json!({ "error": error }).to_string()
        } else {
            format!("parlor: {message}")
        })
    }
}

impl From<parlor_sdk::Error> for Failure {
    fn from(error: parlor_sdk::Error) -> Failure {
        let info = reasons::reason_info(error.reason());
        let detail = error.to_string();
        let mut en = detail.clone();
        let mut de = info.de.to_owned();
        if info.needs_detail {
            de = format!("{de} ({detail})");
        } else {
            for field in error.fields() {
                de = format!("{de} ({}: {})", field.field, field.description);
            }
        }
        if let Some(scope) = error.missing_scope() {
            de = format!("{de} ({scope})");
            if !en.contains(scope) {
                en = format!("{en} ({scope})");
            }
        }
        if let Some(hint) = info.hint {
            en = format!("{}; {}", en.trim_end_matches('.'), hint.en);
            de = format!("{}; {}", de.trim_end_matches('.'), hint.de);
        }
        Failure::new(info.exit, &reasons::reason_name(error.reason()), en, de)
    }
}

/// A failure to write the output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Failure::PipeClosed;
        }
        Failure::new(
            Exit::Failure,
            "OUTPUT",
            format!("the output cannot be written ({error}): is the disk full?"),
            format!("Die Ausgabe lässt sich nicht schreiben ({error}): Ist die Platte voll?"),
        )
    }
}

/// The server sent something that this version cannot decode.
pub(crate) fn unknown_reply(what: impl std::fmt::Display) -> Failure {
    Failure::new(
        Exit::Failure,
        "UNKNOWN_REPLY",
        format!("this version of parlor cannot decode the reply of the server ({what}): update it"),
        format!("Dieses parlor versteht den Server nicht ({what}): Aktualisiere es"),
    )
}

/// Prefixes of keys, seat tokens, spectator tokens, agent keys, invites and owner tokens.
const SECRET_PREFIXES: [&str; 6] = ["plr_", "pls_", "plv_", "pla_", "pli_", "plo_"];

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Replaces keys, tokens and invites (`plr_`, `pls_`, ...) by their prefix and `...`. Applies to all error
/// texts, so that a secret typed in the wrong place does not end up in a log.
pub(crate) fn redact_secrets(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = SECRET_PREFIXES.iter().filter_map(|prefix| rest.find(prefix)).min() {
        let (before, secret) = rest.split_at(at);
        let (prefix, secret) = secret.split_at(4);
        shown.push_str(before);
        shown.push_str(prefix);
        let end = secret
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')))
            .unwrap_or(secret.len());
        if end > 0 {
            shown.push_str("...");
        }
        rest = &secret[end..];
    }
    shown.push_str(rest);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_redacted_anywhere_in_a_text() {
        for (text, expected) in [
            ("no plr_ab-C_9 here", "no plr_... here"),
            ("'pls_abc', plv_xyz", "'pls_...', plv_..."),
            ("one begins with plr_ and has 47 characters", "one begins with plr_ and has 47 characters"),
            ("plr_ä", "plr_ä"),
            ("pla_0f", "pla_..."),
            ("pli_1 plo_2", "pli_... plo_..."),
            ("table 7", "table 7"),
        ] {
            assert_eq!(redact_secrets(text), expected);
        }
    }

    #[test]
    fn failure_line_is_localised_and_available_as_json() {
        let failure = Failure::new(Exit::NotFound, "TABLE_NOT_FOUND", "no table\n  7", "kein Tisch\n7");
        assert_eq!(failure.line(Lang::En, false).unwrap(), "parlor: no table 7");
        assert_eq!(failure.line(Lang::De, false).unwrap(), "parlor: kein Tisch 7");
        assert_eq!(
            failure.line(Lang::De, true).unwrap(),
            r#"{"error":{"reason":"TABLE_NOT_FOUND","message":"kein Tisch 7","exit_code":5}}"#
        );
    }

    #[test]
    fn broken_pipe_exits_ok_without_a_message() {
        let failure = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!((failure.exit(), failure.line(Lang::En, false)), (Exit::Ok, None));
        assert_eq!(Failure::from(io::Error::other("full")).exit(), Exit::Failure);
    }
}
