//! Notices about a program: its failures and its error output.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::lang::BilingualText;
use crate::text::{sanitise, truncate};

/// Maximum number of columns of a quoted line.
const QUOTED_COLUMNS: usize = 200;

/// Receiver of notices. It is called from the task that keeps the program running, and must not block for
/// long.
#[derive(Clone)]
pub struct NoticeSink(Arc<dyn Fn(Notice) + Send + Sync>);

impl NoticeSink {
    /// Wraps a function.
    pub fn new(receive: impl Fn(Notice) + Send + Sync + 'static) -> NoticeSink {
        NoticeSink(Arc::new(receive))
    }

    pub(super) fn send(&self, notice: Notice) {
        (self.0)(notice);
    }
}

impl fmt::Debug for NoticeSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NoticeSink")
    }
}

/// A notice about a program.
#[derive(Clone, PartialEq, Debug)]
pub enum Notice {
    /// A line of its standard error.
    ErrorOutput(String),
    /// It failed, and is started again after a delay.
    Failed {
        /// The failure.
        fault: Fault,
        /// Last lines of its standard error.
        last_lines: Vec<String>,
        /// Number of decisions that it is asked again.
        open_decisions: usize,
        /// Delay before the next start.
        restart_in: Duration,
    },
    /// A decision at which it failed too often: the default action is played.
    DefaultPlayed {
        /// Id of the table.
        table: String,
        /// Id of the decision.
        decision: u32,
    },
}

/// A failure of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It could not be started.
    NotStarted {
        /// The error of the system.
        why: String,
    },
    /// It ended.
    Exited {
        /// Its exit status.
        status: String,
    },
    /// It closed its standard output.
    OutputClosed,
    /// It did not answer any open decision in time.
    NoAnswer {
        /// The patience.
        patience: Duration,
    },
    /// It did not read its standard input in time.
    NotReading {
        /// The patience.
        patience: Duration,
    },
    /// It wrote a line that is no answer.
    NotAnAnswer {
        /// The line.
        line: String,
        /// The reason.
        why: String,
    },
    /// It answered with an action that is not legal.
    Illegal {
        /// The line.
        line: String,
        /// Number of legal actions.
        legal_count: usize,
    },
    /// It answered a decision that it was never asked.
    NeverAsked {
        /// The line.
        line: String,
    },
}

impl Fault {
    /// Sentence about the failure.
    #[must_use]
    pub fn text(&self) -> BilingualText {
        let quoted = |line: &str| truncate(&sanitise(line), QUOTED_COLUMNS);
        let time = |patience: &Duration| humantime::format_duration(*patience).to_string();
        match self {
            Fault::NotStarted { why } => {
                BilingualText::new(format!("cannot be started ({why})"), format!("startet nicht ({why})"))
            }
            Fault::Exited { status } => {
                BilingualText::new(format!("has ended ({status})"), format!("hat sich beendet ({status})"))
            }
            Fault::OutputClosed => {
                BilingualText::new("has closed its standard output", "hat seine Standardausgabe geschlossen")
            }
            Fault::NoAnswer { patience } => BilingualText::new(
                format!("has not answered for {}", time(patience)),
                format!("antwortet seit {} nicht", time(patience)),
            ),
            Fault::NotReading { patience } => BilingualText::new(
                format!("has not read its standard input for {}", time(patience)),
                format!("liest seit {} nicht von seiner Standardeingabe", time(patience)),
            ),
            Fault::NotAnAnswer { line, why } => BilingualText::new(
                format!(
                    "wrote a line that is no answer ({why}); other output belongs on standard error: {}",
                    quoted(line)
                ),
                format!(
                    "schrieb eine Zeile, die keine Antwort ist ({why}); anderes gehört auf die Standardfehlerausgabe: {}",
                    quoted(line)
                ),
            ),
            Fault::Illegal { line, legal_count } => BilingualText::new(
                format!("answered what is not among the {legal_count} legal actions: {}", quoted(line)),
                format!(
                    "antwortete, was nicht unter den {legal_count} erlaubten Zügen ist: {}",
                    quoted(line)
                ),
            ),
            Fault::NeverAsked { line } => BilingualText::new(
                format!("answered a decision that it was never asked: {}", quoted(line)),
                format!("beantwortete, was es nie gefragt wurde: {}", quoted(line)),
            ),
        }
    }
}

impl Notice {
    /// Lines for people, about the program of this name.
    #[must_use]
    pub fn text(&self, name: &str) -> BilingualText {
        match self {
            Notice::ErrorOutput(line) => {
                let line = sanitise(line);
                BilingualText::new(format!("{name}| {line}"), format!("{name}| {line}"))
            }
            Notice::Failed { fault, last_lines, open_decisions, restart_in } => {
                let (fault, wait) = (fault.text(), humantime::format_duration(*restart_in));
                let last: String =
                    last_lines.iter().map(|line| format!("\n  {name}| {}", sanitise(line))).collect();
                let (in_english, in_german) = match last_lines.is_empty() {
                    true => ("", ""),
                    false => (
                        " Its last lines on standard error:",
                        " Seine letzten Zeilen auf der Standardfehlerausgabe:",
                    ),
                };
                let again = match open_decisions {
                    0 => (String::new(), String::new()),
                    open => (
                        format!(" and asked its open decisions ({open}) again"),
                        format!(" und wieder gefragt (offen: {open})"),
                    ),
                };
                BilingualText::new(
                    format!(
                        "{name} {}. It is started again in {wait}{}.{in_english}{last}",
                        fault.en, again.0
                    ),
                    format!(
                        "{name} {}. Es wird in {wait} neu gestartet{}.{in_german}{last}",
                        fault.de, again.1
                    ),
                )
            }
            Notice::DefaultPlayed { table, decision } => BilingualText::new(
                format!(
                    "{name} failed too often at decision {decision} of table {table}: the default action is played."
                ),
                format!(
                    "{name} scheitert immer wieder an Entscheidung {decision} von Tisch {table}: Die Vorgabe wird gespielt."
                ),
            ),
        }
    }
}
