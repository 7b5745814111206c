//! Seats of a program: their open decisions, and the answers to them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use parlor_proto::reflect::from_json;
use parlor_sdk::{Question, wire};
use tokio::sync::oneshot;

use super::message::Answer;
use super::notice::Fault;

/// Tables that the program no longer plays, whose late answers are ignored.
const MAX_LEFT_TABLES: usize = 1024;

/// A seat at a table.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct SeatKey {
    pub(super) table: Arc<str>,
    pub(super) seat: u32,
}

/// A decision that a seat waits for.
pub(super) struct Prompt {
    pub(super) question: Question,
    /// The encoded line.
    pub(super) line: Arc<str>,
    /// Takes the index of the chosen action.
    pub(super) reply: oneshot::Sender<usize>,
}

struct OpenDecision {
    prompt: Prompt,
    /// Number of failures of the program since it was asked.
    faults: u32,
    /// Position among all decisions that were asked.
    order: u64,
}

struct SeatState {
    start: Arc<str>,
    last_asked: u32,
    open: Option<OpenDecision>,
}

/// Result of a line that is no fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AnswerOutcome {
    /// It answered an open decision.
    Accepted,
    /// It repeated an answer, or came too late.
    Ignored,
}

/// The seats of a program.
#[derive(Default)]
pub(super) struct Seats {
    seats: BTreeMap<SeatKey, SeatState>,
    open_decisions: usize,
    asked: u64,
    left: VecDeque<Arc<str>>,
}

impl Seats {
    /// Adds a seat, with its encoded start line.
    pub(super) fn start(&mut self, key: SeatKey, start: Arc<str>) {
        self.left.retain(|table| *table != key.table);
        self.seats.insert(key, SeatState { start, last_asked: 0, open: None });
    }

    /// Removes a seat.
    pub(super) fn leave(&mut self, key: &SeatKey) {
        let open = self.seats.remove(key).and_then(|seat| seat.open);
        self.open_decisions -= usize::from(open.is_some());
        if self.left.len() == MAX_LEFT_TABLES {
            self.left.pop_front();
        }
        self.left.push_back(Arc::clone(&key.table));
    }

    /// Opens a decision of a seat.
    pub(super) fn ask(&mut self, key: &SeatKey, prompt: Prompt) {
        self.asked += 1;
        if let Some(seat) = self.seats.get_mut(key) {
            seat.last_asked = prompt.question.id();
            self.open_decisions += usize::from(seat.open.is_none());
            seat.open = Some(OpenDecision { prompt, faults: 0, order: self.asked });
        }
    }

    /// Number of open decisions.
    pub(super) fn open_decisions(&self) -> usize {
        self.open_decisions
    }

    /// Lines for a program that was restarted: each seat's start, and the open decisions in the order in which they
    /// were asked.
    pub(super) fn lines_for_restart(&self) -> Vec<Arc<str>> {
        let mut open: Vec<&OpenDecision> =
            self.seats.values().filter_map(|seat| seat.open.as_ref()).collect();
        open.sort_by_key(|open| open.order);
        let starts = self.seats.values().map(|seat| &seat.start);
        starts.chain(open.into_iter().map(|open| &open.prompt.line)).cloned().collect()
    }

    /// Counts a failure of the program at all open decisions. Answers those that have reached the limit with the
    /// default action, and returns their tables and ids.
    pub(super) fn count_fault(&mut self, limit: u32) -> Vec<(Arc<str>, u32)> {
        let mut defaults = Vec::new();
        for (key, seat) in &mut self.seats {
            let Some(open) = &mut seat.open else { continue };
            open.faults += 1;
            if open.faults < limit {
                continue;
            }
            if let Some(OpenDecision { prompt, .. }) = seat.open.take() {
                self.open_decisions -= 1;
                defaults.push((Arc::clone(&key.table), prompt.question.id()));
                // The seat may have left meanwhile.
                let _ = prompt.reply.send(prompt.question.default_index());
            }
        }
        defaults
    }

    /// Handles a line of the program.
    pub(super) fn answer(&mut self, line: &str) -> Result<AnswerOutcome, Fault> {
        let answer: Answer = serde_json::from_str(line)
            .map_err(|error| Fault::NotAnAnswer { line: line.to_owned(), why: error.to_string() })?;
        let known =
            |key: &SeatKey| *key.table == *answer.table && answer.seat.is_none_or(|seat| seat == key.seat);
        let asked = self.seats.iter_mut().filter(|(key, _)| known(key));
        let asked = asked.filter_map(|(_, seat)| {
            let open = seat.open.as_ref().filter(|open| open.prompt.question.id() == answer.decision)?;
            Some((open.order, seat))
        });
        let Some((_, seat)) = asked.min_by_key(|(order, _)| *order) else {
            let late = |(_, seat): (_, &SeatState)| answer.decision <= seat.last_asked;
            let ignored = self.left.iter().any(|table| **table == *answer.table)
                || self.seats.iter().filter(|(key, _)| known(key)).any(late);
            return if ignored {
                Ok(AnswerOutcome::Ignored)
            } else {
                Err(Fault::NeverAsked { line: line.to_owned() })
            };
        };
        let Some(open) = &seat.open else { return Ok(AnswerOutcome::Ignored) };
        let index = chosen_index(answer, &open.prompt.question, line)?;
        if let Some(open) = seat.open.take() {
            self.open_decisions -= 1;
            // The seat may have left meanwhile.
            let _ = open.prompt.reply.send(index);
        }
        Ok(AnswerOutcome::Accepted)
    }
}

/// Index of the legal action that an answer chooses.
fn chosen_index(answer: Answer, question: &Question, line: &str) -> Result<usize, Fault> {
    let not_an_answer = |why: String| Fault::NotAnAnswer { line: line.to_owned(), why };
    let illegal = || Fault::Illegal { line: line.to_owned(), legal_count: question.legal_count() };
    match (answer.index, answer.action) {
        (Some(index), None) => {
            let index = usize::try_from(index).ok().filter(|index| *index < question.legal_count());
            index.ok_or_else(illegal)
        }
        (None, Some(action)) => {
            let action: wire::GameAction =
                from_json(action).map_err(|error| not_an_answer(error.to_string()))?;
            question.legal_actions().iter().position(|legal| *legal == action).ok_or_else(illegal)
        }
        _ => Err(not_an_answer("it needs either index or action".to_owned())),
    }
}
