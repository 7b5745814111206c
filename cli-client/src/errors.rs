//! What goes wrong, as one line for a person and one object for a program, with the code that the program ends with.

mod reasons;

use std::io;

use parlor_engine::Lang;
use serde_json::json;

use crate::exit::Exit;

/// Why a command could not do what was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Whoever reads the output has seen enough (`| head`): no error at all.
    PipeClosed,
    /// Everything else.
    Told(Box<Told>),
}

/// A failure in words.
#[derive(Debug)]
pub(crate) struct Told {
    /// How the program ends.
    exit: Exit,
    /// The reason for programs, such as `TABLE_NOT_FOUND`.
    reason: String,
    en: String,
    de: String,
}

impl Failure {
    /// A failure of this program's own, with what to do about it, in both languages.
    pub(crate) fn new(exit: Exit, reason: &str, en: impl Into<String>, de: impl Into<String>) -> Failure {
        Failure::Told(Box::new(Told { exit, reason: reason.to_owned(), en: en.into(), de: de.into() }))
    }

    /// The command line is wrong.
    pub(crate) fn usage(en: impl Into<String>, de: impl Into<String>) -> Failure {
        Failure::new(Exit::Usage, "USAGE", en, de)
    }

    /// How the program ends.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Failure::PipeClosed => Exit::Ok,
            Failure::Told(told) => told.exit,
        }
    }

    /// The sentence in one language; nothing if there is nothing to say.
    pub(crate) fn message(&self, lang: Lang) -> Option<String> {
        let Failure::Told(told) = self else { return None };
        let message = match lang {
            Lang::En => &told.en,
            Lang::De => &told.de,
        };
        Some(without_secrets(&one_line(message)))
    }

    /// The one line for standard error; nothing if there is nothing to say.
    pub(crate) fn line(&self, lang: Lang, as_json: bool) -> Option<String> {
        let Failure::Told(told) = self else { return None };
        let message = self.message(lang)?;
        Some(if as_json {
            let error = json!({ "reason": told.reason, "message": message, "exit_code": told.exit.code() });
            json!({ "error": error }).to_string()
        } else {
            format!("parlor: {message}")
        })
    }
}

impl From<parlor_sdk::Error> for Failure {
    fn from(error: parlor_sdk::Error) -> Failure {
        let about = reasons::about(error.reason());
        let detail = error.to_string();
        let mut en = detail.clone();
        let mut de = about.de.to_owned();
        if about.needs_detail {
            de = format!("{de} ({detail})");
        } else {
            for field in error.fields() {
                de = format!("{de} ({}: {})", field.field, field.why);
            }
        }
        if let Some(scope) = error.missing_scope() {
            de = format!("{de} ({scope})");
            if !en.contains(scope) {
                en = format!("{en} ({scope})");
            }
        }
        if let Some(hint) = about.hint {
            en = format!("{}; {}", en.trim_end_matches('.'), hint.en);
            de = format!("{}; {}", de.trim_end_matches('.'), hint.de);
        }
        Failure::new(about.exit, &reasons::name(error.reason()), en, de)
    }
}

/// Output that could not be written.
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

/// The server said something that this program does not know.
pub(crate) fn not_understood(what: impl std::fmt::Display) -> Failure {
    Failure::new(
        Exit::Failure,
        "UNKNOWN_REPLY",
        format!("this parlor does not understand the server ({what}): update it"),
        format!("Dieses parlor versteht den Server nicht ({what}): Aktualisiere es"),
    )
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text in which keys and tokens are no longer: they begin with `plr_`, `pls_`, `plv_` or `pla_`, and whatever follows is
/// nobody's business. Also what was typed by mistake in the wrong place must not end in a log.
pub(crate) fn without_secrets(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = ["plr_", "pls_", "plv_", "pla_"].iter().filter_map(|prefix| rest.find(prefix)).min()
    {
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
    fn secrets_are_cut_out_wherever_they_stand() {
        for (text, expected) in [
            ("no plr_ab-C_9 here", "no plr_... here"),
            ("'pls_abc', plv_xyz", "'pls_...', plv_..."),
            ("one begins with plr_ and has 47 characters", "one begins with plr_ and has 47 characters"),
            ("plr_ä", "plr_ä"),
            ("pla_0f", "pla_..."),
            ("table 7", "table 7"),
        ] {
            assert_eq!(without_secrets(text), expected);
        }
    }

    #[test]
    fn a_failure_is_one_line_in_both_languages_and_for_programs() {
        let failure = Failure::new(Exit::NotFound, "TABLE_NOT_FOUND", "no table\n  7", "kein Tisch\n7");
        assert_eq!(failure.line(Lang::En, false).unwrap(), "parlor: no table 7");
        assert_eq!(failure.line(Lang::De, false).unwrap(), "parlor: kein Tisch 7");
        assert_eq!(
            failure.line(Lang::De, true).unwrap(),
            r#"{"error":{"reason":"TABLE_NOT_FOUND","message":"kein Tisch 7","exit_code":5}}"#
        );
    }

    #[test]
    fn a_pipe_that_closes_is_no_error() {
        let failure = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!((failure.exit(), failure.line(Lang::En, false)), (Exit::Ok, None));
        assert_eq!(Failure::from(io::Error::other("full")).exit(), Exit::Failure);
    }
}
