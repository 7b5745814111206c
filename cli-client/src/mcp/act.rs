//! `act`: answers a decision, and counts what is no answer.

use std::sync::Arc;
use std::time::Duration;

use parlor_cli::seat_report::ReportOptions;
use parlor_engine::Lang;
use parlor_sdk::{Error, Reason};
use serde_json::{Map, Value};
use tokio::time::timeout;

use super::connected_seat::{ConnectedSeat, OpenDecision, report_failure};
use super::notes::{self, Note};
use super::server::McpServer;
use super::tool_error::{ToolError, ToolResult, success};
use super::tool_reports::{ActOutcome, ActReport};
use crate::data_folder::DataFolder;

/// Time for the server to confirm an answer.
const CONFIRM_TIME: Duration = Duration::from_secs(25);
/// Time to be told what was decided instead.
const DECIDED_TIME: Duration = Duration::from_secs(5);

/// An answer, as far as it can be read.
struct Answer<'a> {
    decision: Option<u32>,
    index: Option<u32>,
    note: Option<&'a str>,
}

impl McpServer {
    /// `act`.
    pub(super) async fn act(&self, arguments: &Map<String, Value>) -> ToolResult {
        let handle = arguments
            .get("seat_handle")
            .and_then(Value::as_str)
            .ok_or_else(|| ToolError::arguments("act needs a seat_handle", "act braucht ein seat_handle"))?;
        let seat = self.connections().seat(handle).await?;
        seat.count_call();
        let number = |name: &str| arguments.get(name).and_then(whole_number);
        let note = arguments.get("note").and_then(Value::as_str).filter(|note| !note.trim().is_empty());
        let answer = Answer { decision: number("decision"), index: number("index"), note };
        if let Some(error) = seat.failure() {
            return Err(error.into());
        }
        let Some(open) = seat.open_decision() else {
            return match answer.decision.filter(|decision| seat.with_log(|log| log.was_asked(*decision))) {
                Some(decision) => {
                    // Its answer may have been accepted a moment ago.
                    seat.wait_for_decided(decision, DECIDED_TIME).await;
                    self.made_before(&seat, decision, answer.index)
                }
                None => Err(nothing_asked()),
            };
        };
        match (answer.decision, answer.index) {
            (Some(decision), Some(index)) if decision == open.decision.id() => {
                if (index as usize) < open.decision.legal_count() {
                    self.answer(&seat, &open, index, &answer).await
                } else {
                    self.strike(&seat, &open).await
                }
            }
            (Some(decision), index) if (1..open.decision.id()).contains(&decision) => {
                self.made_before(&seat, decision, index)
            }
            // Unreadable, or a decision that was never asked.
            _ => self.strike(&seat, &open).await,
        }
    }

    /// An answer to a decision that has been made.
    fn made_before(&self, seat: &ConnectedSeat, decision: u32, index: Option<u32>) -> ToolResult {
        let known = decided(seat, decision);
        let (words, decided) = known.map_or((None, None), |(words, index)| (Some(words), Some(index)));
        let is_repeated = decided.is_some() && index == decided;
        let shown = words.as_deref().unwrap_or_default();
        let text = match seat.lang() {
            Lang::En => format!("Decision {decision} had been made before: {shown} Nothing has changed."),
            Lang::De => format!("Entscheidung {decision} war schon getroffen: {shown} Nichts ist anders."),
        };
        let outcome = if is_repeated { ActOutcome::Repeated } else { ActOutcome::Stale };
        let report = ActReport {
            decision: Some(decision),
            decided: words,
            index: decided,
            ..self.act_report(outcome)
        };
        Ok(success(text, &report))
    }

    /// Sends an answer, and waits for its outcome.
    async fn answer(
        &self,
        seat: &Arc<ConnectedSeat>,
        open: &OpenDecision,
        index: u32,
        answer: &Answer<'_>,
    ) -> ToolResult {
        let decision = Arc::clone(&open.decision);
        let id = decision.id();
        let words = decision.texts().and_then(|texts| texts.actions.get(index as usize));
        let words: String =
            words.map(|text| text.parts.iter().map(|part| part.text.as_str()).collect()).unwrap_or_default();
        // On a task of its own: it is delivered also if the client gives up this call.
        let answering = tokio::spawn(async move { decision.choose_index(index as usize).await });
        match timeout(CONFIRM_TIME, answering).await {
            Ok(Ok(Ok(_))) => {
                seat.count_answer(open);
                let note_kept = answer.note.is_some_and(|note| self.keep_note(seat, id, index, note));
                let text = match seat.lang() {
                    Lang::En => format!("Played {index}: {words}. Now call wait_for_turn."),
                    Lang::De => format!("Gespielt {index}: {words}. Rufe jetzt wait_for_turn auf."),
                };
                Ok(success(
                    text,
                    &ActReport {
                        decision: Some(id),
                        decided: Some(words),
                        index: Some(index),
                        note_kept,
                        ..self.act_report(ActOutcome::Accepted)
                    },
                ))
            }
            Ok(Ok(Err(error))) if is_too_late(&error) => {
                seat.wait_for_decided(id, DECIDED_TIME).await;
                seat.close(open);
                self.made_before(seat, id, Some(index))
            }
            Ok(Ok(Err(error))) => Err(error.into()),
            Ok(Err(_)) | Err(_) => {
                let text = match seat.lang() {
                    Lang::En => {
                        "The server has not confirmed it yet. Give the same answer again: that is harmless."
                    }
                    Lang::De => {
                        "Der Server hat es noch nicht bestätigt. Antworte noch einmal dasselbe: Das schadet nicht."
                    }
                };
                Ok(success(
                    text.to_owned(),
                    &ActReport { decision: Some(id), ..self.act_report(ActOutcome::Unconfirmed) },
                ))
            }
        }
    }

    /// Counts a strike, and plays the default after too many.
    async fn strike(&self, seat: &Arc<ConnectedSeat>, open: &OpenDecision) -> ToolResult {
        let id = open.decision.id();
        let strikes = seat.count_strike(id);
        let limit = self.strike_limit();
        if strikes >= limit {
            let default = open.decision.default_index() as u32;
            match open.decision.choose_default().await {
                Ok(_) => seat.count_default(open),
                Err(error) if is_too_late(&error) => seat.close(open),
                Err(error) => return Err(error.into()),
            }
            let text = match seat.lang() {
                Lang::En => format!(
                    "This is no legal answer: strike {strikes} of {limit}, so {default} was played for you."
                ),
                Lang::De => format!(
                    "Das ist keine erlaubte Antwort: Verwarnung {strikes} von {limit}, also wurde {default} für dich gespielt."
                ),
            };
            return Ok(success(
                text,
                &ActReport {
                    decision: Some(id),
                    index: Some(default),
                    strikes,
                    ..self.act_report(ActOutcome::DefaultPlayed)
                },
            ));
        }
        let options =
            ReportOptions { budget: self.budget(), without_events: true, ..ReportOptions::default() };
        let report = seat.report(options)?;
        let last = open.decision.legal_count() - 1;
        let text = match seat.lang() {
            Lang::En => format!(
                "This is no legal answer: strike {strikes} of {limit}. Answer with decision {id} and an index from 0 to \
                 {last}.\n\n{}",
                report.text(Lang::En)
            ),
            Lang::De => format!(
                "Das ist keine erlaubte Antwort: Verwarnung {strikes} von {limit}. Antworte mit decision {id} und einem \
                 index von 0 bis {last}.\n\n{}",
                report.text(Lang::De)
            ),
        };
        let mut result = success(
            text,
            &ActReport {
                decision: Some(id),
                strikes,
                seat: Some(report),
                ..self.act_report(ActOutcome::Strike)
            },
        );
        result.is_error = Some(true);
        Ok(result)
    }

    /// Keeps a note. The game goes on if that fails.
    fn keep_note(&self, seat: &ConnectedSeat, decision: u32, index: u32, text: &str) -> bool {
        let (table, _, number) = seat.place();
        let note = Note { table: &table, seat: number, decision, index, text };
        let folder = DataFolder::locate(&self.connections().context.environment);
        let kept = folder.and_then(|folder| notes::keep(&folder, &note));
        if let Err(failure) = &kept {
            report_failure(failure, self.lang());
        }
        kept.is_ok()
    }

    fn act_report(&self, outcome: ActOutcome) -> ActReport {
        ActReport {
            outcome,
            decision: None,
            decided: None,
            index: None,
            strikes: 0,
            strike_limit: self.strike_limit(),
            note_kept: false,
            seat: None,
        }
    }
}

fn nothing_asked() -> ToolError {
    ToolError::arguments(
        "you are not asked anything now: call wait_for_turn, and answer with the decision and the index that it gives",
        "Du bist gerade nichts gefragt: Rufe wait_for_turn auf, und antworte mit decision und index von dort",
    )
}

/// What was decided, and its index.
fn decided(seat: &ConnectedSeat, decision: u32) -> Option<(String, u32)> {
    seat.with_log(|log| log.decided(decision).map(|decided| (decided.text.clone(), decided.index)))
}

/// A number that a model has written as a number or as a text.
fn whole_number(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => u32::try_from(number.as_u64()?).ok(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// True if the decision had been made before the answer arrived.
fn is_too_late(error: &Error) -> bool {
    matches!(error.reason(), Reason::DecidedOtherwise | Reason::TableOver)
}
