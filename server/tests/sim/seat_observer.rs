//! `SeatObserver`: checks what the player of one seat receives, and collects violations.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use parlor_proto::v1;
use parlor_proto::v1::table_event::Event;
use prost::Message;

/// The violations of a whole simulation.
#[derive(Clone, Default)]
pub(crate) struct Violations(Arc<Mutex<Vec<String>>>);

impl Violations {
    pub(crate) fn add(&self, what: String) {
        self.0.lock().expect("an unpoisoned lock").push(what);
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().expect("an unpoisoned lock").clone()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all().is_empty()
    }
}

/// The updates and answers of one seat.
pub(crate) struct SeatObserver {
    /// Name for messages.
    name: String,
    violations: Violations,
    /// Encoded updates, in order.
    updates: Vec<Vec<u8>>,
    /// The chosen answer of each decision.
    chosen: BTreeMap<u32, u32>,
    /// Decisions whose answer was acknowledged.
    acknowledged: Vec<u32>,
    is_over: bool,
}

impl SeatObserver {
    pub(crate) fn new(name: String, violations: Violations) -> SeatObserver {
        let (updates, chosen, acknowledged) = (Vec::new(), BTreeMap::new(), Vec::new());
        SeatObserver { name, violations, updates, chosen, acknowledged, is_over: false }
    }

    fn add_violation(&self, what: impl std::fmt::Display) {
        self.violations.add(format!("{}: {what}", self.name));
    }

    /// The number of the last update.
    pub(crate) fn last(&self) -> u32 {
        self.updates.len() as u32
    }

    /// True if the end of the table was received.
    pub(crate) const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Checks an update.
    pub(crate) fn update(&mut self, update: &v1::Update) {
        if update.number != self.last() + 1 {
            return self.add_violation(format_args!("update {} after {}", update.number, self.last()));
        }
        if let Some(decided) = &update.decided
            && self.chosen.get(&decided.decision_id) != Some(&decided.index)
        {
            let chosen = self.chosen.get(&decided.decision_id);
            self.add_violation(format_args!("chose {chosen:?}, but decided: {decided:?}"));
        }
        for event in &update.table_events {
            if let Some(Event::Over(over)) = &event.event {
                self.is_over = true;
                let result = over.result.clone().unwrap_or_default();
                if result.reason() != v1::EndReason::PlayedOut {
                    self.add_violation(format_args!("not played to its end: {result:?}"));
                }
            }
        }
        self.updates.push(update.encode_to_vec());
    }

    /// The answer to a decision: chosen once, and the same for every repeat.
    pub(crate) fn decide(&mut self, id: u32, choose: impl FnOnce() -> u32) -> u32 {
        *self.chosen.entry(id).or_insert_with(choose)
    }

    /// Checks the outcome of an answer.
    pub(crate) fn answered(&mut self, answered: &v1::Answered) {
        use v1::AnswerStatus as Status;
        match answered.status() {
            Status::Accepted | Status::Repeated => self.acknowledged.push(answered.decision_id),
            Status::Conflict => self.add_violation(format_args!("a conflicting answer: {answered:?}")),
            Status::Refused | Status::Unspecified => {
                // A stopping server may refuse answers. Refusals by the rules or the table are violations.
                let refusal = answered.refusal.clone().unwrap_or_default();
                let transient = [v1::ErrorReason::ServerStopping, v1::ErrorReason::StoreUnavailable];
                if !transient.contains(&refusal.reason()) {
                    self.add_violation(format_args!("a refused answer: {answered:?}"));
                }
            }
        }
    }

    /// Checks the end of a channel.
    pub(crate) fn closed(&self, closed: &v1::ChannelClosed) {
        if closed.reason() == v1::ErrorReason::Unspecified && !self.is_over {
            self.add_violation("the channel was closed before the end of the table");
        } else if closed.reason() != v1::ErrorReason::Unspecified && !closed.retry {
            self.add_violation(format_args!("the channel was closed: {closed:?}"));
        }
    }

    /// Compares the server's replay of the whole game with the received updates and acknowledged answers.
    pub(crate) fn compare(&self, whole: &[v1::Update]) {
        let bytes: Vec<Vec<u8>> = whole.iter().map(Message::encode_to_vec).collect();
        if bytes != self.updates {
            let first = bytes.iter().zip(&self.updates).position(|(now, before)| now != before);
            let (now, before) = (bytes.len(), self.updates.len());
            self.add_violation(format_args!(
                "{before} updates received, and {now} in the replay; first difference at {first:?}"
            ));
        }
        for id in &self.acknowledged {
            let made = whole.iter().filter_map(|update| update.decided.as_ref());
            let times = made.filter(|decided| decided.decision_id == *id).count();
            if times != 1 {
                self.add_violation(format_args!(
                    "the acknowledged answer to decision {id} is in the replay {times} times"
                ));
            }
        }
    }

    /// The number of acknowledged answers.
    pub(crate) const fn acknowledged(&self) -> usize {
        self.acknowledged.len()
    }
}
