//! The state of a seat: the open decision with its legal actions, the news, and all that the seat knows.

use std::time::Duration;

use parlor_engine::Lang;
use parlor_sdk::Question;
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use super::budget::{Budget, first_lines, fitting, line_length};
use super::log::SeatLog;
use crate::lang::localise;
use crate::table_text::plain_text;
use crate::text::truncate;

/// Maximum number of columns of a player's name, which its player chose.
const NAME_COLUMNS: usize = 32;

/// State of a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeatStatus {
    /// A decision is open: answer it with act.
    YourTurn,
    /// Nothing to decide now: call wait_for_turn again.
    Waiting,
    /// The table is over.
    Over,
}

/// A legal action.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NumberedAction {
    /// Index of the action, for act.
    pub index: u32,
    /// The action and what it does, in words.
    pub text: String,
}

/// State of a seat, with the open decision.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeatReport {
    /// Handle of the seat.
    pub seat_handle: String,
    /// State of the seat.
    pub status: SeatStatus,
    /// Id of the table.
    pub table: String,
    /// Id of the game.
    pub game: String,
    /// Number of your seat, from 0. In all texts, "you" are this seat, and others are called by their numbers.
    pub seat: u32,
    /// Names of the players by seat. They chose these names themselves.
    pub names: Vec<String>,
    /// Id of the open decision.
    pub decision: Option<u32>,
    /// The question.
    pub question: Option<String>,
    /// Legal actions of the open decision. Some are left out if they would be too long: see action_count.
    pub actions: Vec<NumberedAction>,
    /// Number of legal actions in all.
    pub action_count: u32,
    /// Index of the action that is played if the time runs out.
    pub default_index: Option<u32>,
    /// Time left for the decision, in milliseconds; null without a clock.
    pub time_left_ms: Option<u64>,
    /// Time left in the bank, in milliseconds; null without a clock.
    pub bank_left_ms: Option<u64>,
    /// True if nobody else learns that you are asked.
    pub hidden: bool,
    /// What has happened since your last decision, oldest first.
    pub events: Vec<String>,
    /// Number of older events since then that are left out: history has them.
    pub events_left_out: u32,
    /// All that you know, in words.
    pub view: String,
    /// True if the end of the view is left out: it did not fit.
    pub view_cut: bool,
    /// The end and the result of each seat, in sentences; empty while the table is played.
    pub result: Vec<String>,
}

/// Content of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReportOptions {
    /// Maximum length.
    pub budget: Budget,
    /// Leaves out what has happened.
    pub without_events: bool,
    /// Index of the first legal action that is listed.
    pub first_action: u32,
    /// Time since the open decision arrived.
    pub elapsed: Duration,
}

impl SeatReport {
    /// The report of a seat with this handle.
    #[must_use]
    pub fn new(log: &SeatLog, seat_handle: &str, options: ReportOptions) -> SeatReport {
        let question = log.question.as_ref();
        let question_text = question.and_then(|question| question.texts()?.question.as_ref()).map(plain_text);
        let mut room = options.budget.variable_part();
        room = room.saturating_sub(question_text.as_deref().map_or(0, line_length));
        room = room.saturating_sub(log.result_texts.iter().map(|text| line_length(text)).sum());
        room = room.saturating_sub(log.names.len() * NAME_COLUMNS);
        let actions = question.map(|question| listed_actions(question, options.first_action, &mut room));
        let (view, has_all_of_it) = first_lines(&log.view, &mut room);
        let (events, events_left_out) =
            if options.without_events { (Vec::new(), 0) } else { newest_events(log, &mut room) };
        let left = |time: Duration| millis(time.saturating_sub(options.elapsed));
        SeatReport {
            seat_handle: seat_handle.to_owned(),
            status: match (question, &log.result) {
                (Some(_), _) => SeatStatus::YourTurn,
                (None, Some(_)) => SeatStatus::Over,
                (None, None) => SeatStatus::Waiting,
            },
            table: log.table.clone(),
            game: log.game.clone(),
            seat: log.seat,
            names: log.names.iter().map(|name| truncate(name, NAME_COLUMNS)).collect(),
            decision: question.map(Question::id),
            question: question_text,
            actions: actions.unwrap_or_default(),
            action_count: question.map_or(0, |question| question.legal_count() as u32),
            default_index: question.map(|question| question.default_index() as u32),
            time_left_ms: question.and_then(Question::time_left).map(left),
            bank_left_ms: question.and_then(Question::bank_left).map(millis),
            hidden: question.is_some_and(Question::hidden),
            events,
            events_left_out,
            view,
            view_cut: !has_all_of_it,
            result: log.result_texts.clone(),
        }
    }

    /// The report as a text.
    #[must_use]
    pub fn text(&self, lang: Lang) -> String {
        let mut text = self.heading(lang);
        if !self.events.is_empty() || self.events_left_out > 0 {
            push_paragraph(
                &mut text,
                localise(lang, "Since your last decision:", "Seit deiner letzten Entscheidung:"),
            );
            if self.events_left_out > 0 {
                let count = self.events_left_out;
                text.push_str(&match lang {
                    Lang::En => format!("({count} older events are left out: history has them)\n"),
                    Lang::De => format!("({count} ältere Ereignisse fehlen: history hat sie)\n"),
                });
            }
            self.events.iter().for_each(|event| text.push_str(&format!("- {event}\n")));
        }
        if !self.view.is_empty() {
            push_paragraph(&mut text, localise(lang, "What you know:", "Was du weißt:"));
            text.push_str(&self.view);
            text.push('\n');
            if self.view_cut {
                text.push_str(localise(lang, "(the rest did not fit)\n", "(der Rest passt nicht hierher)\n"));
            }
        }
        self.push_actions(&mut text, lang);
        if !self.result.is_empty() {
            push_paragraph(&mut text, localise(lang, "Result:", "Ergebnis:"));
            self.result.iter().for_each(|sentence| text.push_str(&format!("{sentence}\n")));
        }
        text.trim_end().to_owned()
    }

    fn heading(&self, lang: Lang) -> String {
        let SeatReport { table, game, seat, seat_handle, .. } = self;
        let status = match self.status {
            SeatStatus::YourTurn => localise(lang, "Your turn", "Du bist am Zug"),
            SeatStatus::Waiting => localise(
                lang,
                "Still waiting for the others: call wait_for_turn again",
                "Die anderen sind am Zug: Rufe wait_for_turn noch einmal auf",
            ),
            SeatStatus::Over => localise(lang, "The table is over", "Der Tisch ist zu Ende"),
        };
        let others = self.names.iter().enumerate().filter(|(other, _)| *other != *seat as usize);
        let others = others.map(|(other, name)| match name.as_str() {
            "" => localise(lang, "seat {} has no name", "Sitz {} hat keinen Namen")
                .replace("{}", &other.to_string()),
            name => match lang {
                Lang::En => format!("seat {other} is \"{name}\""),
                Lang::De => format!("Sitz {other} ist \"{name}\""),
            },
        });
        let others: Vec<String> = others.collect();
        let others = others.join(", ");
        match lang {
            Lang::En => format!(
                "{status}. Table {table}, game {game}. You have seat {seat} (seat_handle {seat_handle}); {others}.\n"
            ),
            Lang::De => format!(
                "{status}. Tisch {table}, Spiel {game}. Du hast Sitz {seat} (seat_handle {seat_handle}); {others}.\n"
            ),
        }
    }

    fn push_actions(&self, text: &mut String, lang: Lang) {
        let (Some(decision), Some(default)) = (self.decision, self.default_index) else { return };
        let question = self.question.as_deref().unwrap_or_default();
        push_paragraph(
            text,
            &match lang {
                Lang::En => format!("Decision {decision}: {question}"),
                Lang::De => format!("Entscheidung {decision}: {question}"),
            },
        );
        self.actions.iter().for_each(|action| text.push_str(&format!("{}: {}\n", action.index, action.text)));
        let (first, listed, all) = (self.first_listed(), self.actions.len() as u32, self.action_count);
        if listed < all {
            let last = (first + listed).saturating_sub(1);
            text.push_str(&match lang {
                Lang::En => format!(
                    "(these are {first} to {last} of 0 to {}: look with first_action lists the others)\n",
                    all - 1
                ),
                Lang::De => format!(
                    "(das sind {first} bis {last} von 0 bis {}: look mit first_action zeigt die anderen)\n",
                    all - 1
                ),
            });
        }
        if let Some(left) = self.time_left_ms {
            let (left, bank) = (left / 1000, self.bank_left_ms.unwrap_or_default() / 1000);
            text.push_str(&match lang {
                Lang::En => format!(
                    "Time left: {left} s, and {bank} s in the bank. Then {default} is played for you.\n"
                ),
                Lang::De => format!(
                    "Zeit: noch {left} s, und {bank} s Reserve. Dann wird {default} für dich gespielt.\n"
                ),
            });
        }
        if self.hidden {
            text.push_str(localise(
                lang,
                "Nobody else learns that you are asked.\n",
                "Niemand sonst erfährt, dass du gefragt wirst.\n",
            ));
        }
        text.push_str(&match lang {
            Lang::En => format!("Answer with act: decision {decision} and the index of an action.\n"),
            Lang::De => format!("Antworte mit act: decision {decision} und dem index einer Aktion.\n"),
        });
    }

    fn first_listed(&self) -> u32 {
        self.actions.first().map_or(0, |action| action.index)
    }
}

/// The legal actions from an index on that fit. They may take two thirds of the room.
fn listed_actions(question: &Question, first: u32, room: &mut usize) -> Vec<NumberedAction> {
    let texts = question.texts().map(|texts| texts.actions.as_slice()).unwrap_or_default();
    let text = |index: usize| texts.get(index).map(plain_text).unwrap_or_default();
    let all: Vec<String> = (0..question.legal_count()).map(text).collect();
    let last_start = all.len().saturating_sub(1);
    let first = (first as usize).min(last_start);
    let mut for_actions = *room * 2 / 3;
    let reserved = for_actions;
    let fit = fitting(all[first..].iter().map(String::as_str), &mut for_actions);
    *room -= reserved - for_actions;
    let listed = all.into_iter().enumerate().skip(first).take(fit);
    listed.map(|(index, text)| NumberedAction { index: index as u32, text }).collect()
}

/// The newest events that fit, oldest first, and the number of older ones.
fn newest_events(log: &SeatLog, room: &mut usize) -> (Vec<String>, u32) {
    let events: Vec<&str> = log.since_last_decision().collect();
    let fit = fitting(events.iter().rev().copied(), room);
    let left_out = events.len() - fit;
    (events[left_out..].iter().map(|event| (*event).to_owned()).collect(), left_out as u32)
}

fn push_paragraph(text: &mut String, first_line: &str) {
    text.push('\n');
    text.push_str(first_line);
    text.push('\n');
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
