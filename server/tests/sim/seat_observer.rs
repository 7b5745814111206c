//! What one player of one seat has seen, and every promise that was broken.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use parlor_proto::v1;
use parlor_proto::v1::table_event::Event;
use prost::Message;

/// The broken promises of a whole simulation.
#[derive(Clone, Default)]
pub(crate) struct Broken(Arc<Mutex<Vec<String>>>);

impl Broken {
    pub(crate) fn note(&self, what: String) {
        self.0.lock().expect("nobody panics with it").push(what);
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().expect("nobody panics with it").clone()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all().is_empty()
    }
}

/// What one player of one seat has seen.
pub(crate) struct Notes {
    /// Which seat of which table, for people.
    name: String,
    broken: Broken,
    /// The updates, as bytes, in order.
    updates: Vec<Vec<u8>>,
    /// For each decision, the answer that was chosen.
    chosen: BTreeMap<u32, u32>,
    /// The decisions whose answer was acknowledged.
    acknowledged: Vec<u32>,
    is_over: bool,
}

impl Notes {
    pub(crate) fn new(name: String, broken: Broken) -> Notes {
        let (updates, chosen, acknowledged) = (Vec::new(), BTreeMap::new(), Vec::new());
        Notes { name, broken, updates, chosen, acknowledged, is_over: false }
    }

    fn is_broken(&self, what: impl std::fmt::Display) {
        self.broken.note(format!("{}: {what}", self.name));
    }

    /// The number of the last update.
    pub(crate) fn last(&self) -> u32 {
        self.updates.len() as u32
    }

    /// Whether the table is over, and all of it was seen.
    pub(crate) const fn is_over(&self) -> bool {
        self.is_over
    }

    /// An update came.
    pub(crate) fn update(&mut self, update: &v1::Update) {
        if update.number != self.last() + 1 {
            return self.is_broken(format_args!("update {} came after {}", update.number, self.last()));
        }
        if let Some(decided) = &update.decided
            && self.chosen.get(&decided.decision_id) != Some(&decided.index)
        {
            let chosen = self.chosen.get(&decided.decision_id);
            self.is_broken(format_args!("chose {chosen:?}, and this was played: {decided:?}"));
        }
        for event in &update.table_events {
            if let Some(Event::Over(over)) = &event.event {
                self.is_over = true;
                let result = over.result.clone().unwrap_or_default();
                if result.reason() != v1::EndReason::PlayedOut {
                    self.is_broken(format_args!("the game was not played to its end: {result:?}"));
                }
            }
        }
        self.updates.push(update.encode_to_vec());
    }

    /// A decision is asked for: gives the answer, which is the same each time.
    pub(crate) fn decide(&mut self, id: u32, choose: impl FnOnce() -> u32) -> u32 {
        *self.chosen.entry(id).or_insert_with(choose)
    }

    /// What became of an answer.
    pub(crate) fn answered(&mut self, answered: &v1::Answered) {
        use v1::AnswerStatus as Status;
        match answered.status() {
            Status::Accepted | Status::Repeated => self.acknowledged.push(answered.decision_id),
            Status::Conflict => self.is_broken(format_args!("another answer was given: {answered:?}")),
            Status::Refused | Status::Unspecified => {
                // The server may be about to go down. What the rules or the table refuse is another matter.
                let refusal = answered.refusal.clone().unwrap_or_default();
                let passes = [v1::ErrorReason::ServerStopping, v1::ErrorReason::StoreUnavailable];
                if !passes.contains(&refusal.reason()) {
                    self.is_broken(format_args!("an answer was refused: {answered:?}"));
                }
            }
        }
    }

    /// The channel was closed.
    pub(crate) fn closed(&self, closed: &v1::ChannelClosed) {
        if closed.reason() == v1::ErrorReason::Unspecified && !self.is_over {
            self.is_broken("the channel was closed before the end was told");
        } else if closed.reason() != v1::ErrorReason::Unspecified && !closed.retry {
            self.is_broken(format_args!("the channel was closed: {closed:?}"));
        }
    }

    /// What the server tells of the whole game, when it is over and nothing fails any more, is what was told before.
    pub(crate) fn compare(&self, whole: &[v1::Update]) {
        let bytes: Vec<Vec<u8>> = whole.iter().map(Message::encode_to_vec).collect();
        if bytes != self.updates {
            let first = bytes.iter().zip(&self.updates).position(|(now, before)| now != before);
            let (now, before) = (bytes.len(), self.updates.len());
            self.is_broken(format_args!(
                "{before} updates came, and {now} when asked again; first other: {first:?}"
            ));
        }
        for id in &self.acknowledged {
            let made = whole.iter().filter_map(|update| update.decided.as_ref());
            let times = made.filter(|decided| decided.decision_id == *id).count();
            if times != 1 {
                self.is_broken(format_args!(
                    "the answer to decision {id} was acknowledged, and is there {times} times"
                ));
            }
        }
    }

    /// How many answers were acknowledged.
    pub(crate) const fn acknowledged(&self) -> usize {
        self.acknowledged.len()
    }
}
