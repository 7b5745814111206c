//! The log of a seat, folded from the messages of its stream.

use std::collections::VecDeque;

use parlor_sdk::{Question, wire};

use crate::table_text::{plain_text, seat_name};

/// Maximum number of updates kept; the oldest are forgotten first.
const MAX_UPDATES: usize = 4096;
/// Maximum number of own decisions kept; the oldest are forgotten first.
const MAX_DECIDED: usize = 1024;

/// An update in sentences.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedUpdate {
    /// Number of the update, counted for this seat.
    pub number: u32,
    /// What happened, in order.
    pub texts: Vec<String>,
}

/// A decision of the seat that has been made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DecidedAnswer {
    /// Id of the decision.
    pub decision: u32,
    /// Index of the action.
    pub index: u32,
    /// The decision as a sentence.
    pub text: String,
    /// Origin of the action.
    pub by: wire::DecidedBy,
}

/// The log of one seat.
#[derive(Clone, Debug)]
pub struct SeatLog {
    pub(super) table: String,
    pub(super) game: String,
    pub(super) seat: u32,
    pub(super) names: Vec<String>,
    pub(super) updates: VecDeque<LoggedUpdate>,
    /// True if all updates since the beginning are known.
    pub(super) is_complete: bool,
    decided: VecDeque<DecidedAnswer>,
    /// Number of the last update with an own decision.
    last_own: u32,
    /// Highest id of a decision that was asked.
    last_asked: u32,
    pub(super) view: String,
    pub(super) question: Option<Question>,
    pub(super) result: Option<wire::TableResult>,
    pub(super) result_texts: Vec<String>,
}

impl SeatLog {
    /// The log of a seat at this table, before anything was told.
    #[must_use]
    pub fn new(table: &wire::Table, seat: u32) -> SeatLog {
        SeatLog {
            table: table.table_id.clone(),
            game: table.game.clone(),
            seat,
            names: table.seats.iter().map(seat_name).collect(),
            updates: VecDeque::new(),
            is_complete: true,
            decided: VecDeque::new(),
            last_own: 0,
            last_asked: 0,
            view: String::new(),
            question: None,
            result: None,
            result_texts: Vec::new(),
        }
    }

    /// Id of the table.
    #[must_use]
    pub fn table(&self) -> &str {
        &self.table
    }

    /// Id of the game.
    #[must_use]
    pub fn game(&self) -> &str {
        &self.game
    }

    /// Number of the seat.
    #[must_use]
    pub fn seat(&self) -> u32 {
        self.seat
    }

    /// The open decision.
    #[must_use]
    pub fn question(&self) -> Option<&Question> {
        self.question.as_ref()
    }

    /// Result of the table, once it is over.
    #[must_use]
    pub fn result(&self) -> Option<&wire::TableResult> {
        self.result.as_ref()
    }

    /// A decision of the seat that has been made; `None` if it is not known here.
    #[must_use]
    pub fn decided(&self, decision: u32) -> Option<&DecidedAnswer> {
        self.decided.iter().rev().find(|decided| decided.decision == decision)
    }

    /// True if the seat has been asked this decision.
    #[must_use]
    pub fn was_asked(&self, decision: u32) -> bool {
        (1..=self.last_asked).contains(&decision)
    }

    /// Takes a snapshot: the state, without the updates that led to it.
    pub fn apply_snapshot(&mut self, snapshot: &wire::Snapshot) {
        let last = self.updates.back().map_or(0, |update| update.number);
        self.is_complete &= snapshot.number <= last;
        if let Some(table) = &snapshot.table {
            self.apply_table(table);
        }
        let texts = snapshot.texts.as_ref();
        if let Some(view) = texts.and_then(|texts| texts.view.as_ref()) {
            self.view = plain_text(view);
        }
        if let Some(texts) = texts.and_then(|texts| texts.result.as_ref()) {
            self.apply_result_texts(texts);
        }
    }

    /// Takes the state of the table itself: the names of its players and its result.
    pub fn apply_table(&mut self, table: &wire::Table) {
        self.names = table.seats.iter().map(seat_name).collect();
        if table.result.is_some() {
            self.result.clone_from(&table.result);
            self.question = None;
        }
    }

    /// Takes an update.
    pub fn apply_update(&mut self, update: &wire::Update) {
        if self.updates.back().is_some_and(|last| last.number >= update.number) {
            return;
        }
        let texts = update.texts.as_ref();
        let own = texts.and_then(|texts| texts.decided.as_ref()).map(plain_text);
        let mut sentences: Vec<String> = Vec::new();
        if let Some(texts) = texts {
            sentences.extend(texts.table_events.iter().map(plain_text));
            sentences.extend(own.clone());
            sentences.extend(texts.events.iter().map(plain_text));
            if let Some(view) = &texts.view {
                self.view = plain_text(view);
            }
            if let Some(result) = &texts.result {
                self.apply_result_texts(result);
            }
        }
        if let Some(decided) = &update.decided {
            self.apply_decided(decided, own.unwrap_or_default(), update.number);
        }
        for event in update.table_events.iter().filter_map(|event| event.event.as_ref()) {
            self.apply_table_event(event);
        }
        if self.updates.len() == MAX_UPDATES {
            self.updates.pop_front();
            self.is_complete = false;
        }
        self.updates.push_back(LoggedUpdate { number: update.number, texts: sentences });
    }

    /// Opens a decision.
    pub fn ask(&mut self, question: &Question) {
        if let Some(view) = question.texts().and_then(|texts| texts.view.as_ref()) {
            self.view = plain_text(view);
        }
        self.last_asked = self.last_asked.max(question.id());
        self.question = Some(question.clone());
    }

    /// Closes the open decision if it has this id: its answer has been accepted.
    pub fn close(&mut self, decision: u32) {
        if self.question.as_ref().is_some_and(|question| question.id() == decision) {
            self.question = None;
        }
    }

    /// What has happened since the seat's last decision, with that decision itself.
    pub(super) fn since_last_decision(&self) -> impl DoubleEndedIterator<Item = &str> {
        let new = self.updates.iter().filter(|update| update.number >= self.last_own);
        new.flat_map(|update| update.texts.iter().map(String::as_str))
    }

    fn apply_decided(&mut self, decided: &wire::Decided, text: String, number: u32) {
        self.last_own = number;
        self.last_asked = self.last_asked.max(decided.decision_id);
        self.close(decided.decision_id);
        if self.decided.len() == MAX_DECIDED {
            self.decided.pop_front();
        }
        self.decided.push_back(DecidedAnswer {
            decision: decided.decision_id,
            index: decided.index,
            text,
            by: decided.by(),
        });
    }

    fn apply_table_event(&mut self, event: &wire::table_event::Event) {
        use wire::table_event::Event;
        let renamed = match event {
            Event::SeatJoined(joined) => joined.seat.as_ref(),
            Event::SeatReplaced(replaced) => replaced.seat.as_ref(),
            Event::Over(over) => {
                self.result.clone_from(&over.result);
                self.question = None;
                None
            }
            _ => None,
        };
        if let Some(seat) = renamed
            && let Some(name) = self.names.get_mut(seat.seat as usize)
        {
            *name = seat_name(seat);
        }
    }

    fn apply_result_texts(&mut self, texts: &wire::ResultTexts) {
        self.result_texts = texts.reason.iter().chain(&texts.seats).map(plain_text).collect();
    }
}
