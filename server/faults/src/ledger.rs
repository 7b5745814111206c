//! Ledger of one seat: the updates it received, its answers, and the acknowledgements. All later messages of
//! the server are checked against it.
//!
//! An acknowledged answer is *lost* if its decision is later open, decided differently, or unknown. A
//! received update must persist, too, because updates are sent only after their commit. A *duplicate* is a
//! decision that is decided twice or differently from the seat's answer, or an update that is repeated or
//! skipped. A seat gives exactly one answer to each decision, and resends that one.

mod audit;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use parlor_proto::v1 as wire;
use prost::Message;
use wire::{AnswerStatus, ErrorReason};

use crate::counts::Counts;

/// Next step of a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    /// No action.
    Nothing,
    /// Answer a decision.
    Answer { decision: u32, index: u32 },
    /// Resend an answer after a delay: the server refused it for now.
    AnswerLater { decision: u32, index: u32 },
    /// Attach again after a delay.
    AttachLater,
    /// Attach without a cursor, to get a snapshot of the current state.
    AttachAnew,
    /// Stop playing on this channel.
    Leave,
}

/// A decision with its outcome.
#[derive(Clone, PartialEq, Debug)]
struct DecidedAction {
    /// Number of the update that decided it.
    number: u32,
    action: Option<wire::GameAction>,
}

/// Ledger of one seat.
#[derive(Debug)]
pub(crate) struct SeatLedger {
    /// Number of the table in the run.
    pub(crate) table: usize,
    name: String,
    /// Fingerprints of the received updates, from number 1.
    received: Vec<u64>,
    /// Index answered, by decision id.
    answers: BTreeMap<u32, u32>,
    acknowledged: BTreeMap<u32, DecidedAction>,
    decided: BTreeMap<u32, DecidedAction>,
    /// Decision whose answer is not acknowledged yet, and whether the answer was sent on the current or last
    /// stream.
    awaited: Option<(u32, bool)>,
    paused: bool,
    /// The seat has seen the end of the table.
    pub(crate) over: bool,
    /// A violation was found: the seat is not played any more.
    pub(crate) failed: bool,
}

impl SeatLedger {
    pub(crate) fn new(table: usize, name: String) -> SeatLedger {
        SeatLedger {
            table,
            name,
            received: Vec::new(),
            answers: BTreeMap::new(),
            acknowledged: BTreeMap::new(),
            decided: BTreeMap::new(),
            awaited: None,
            paused: false,
            over: false,
            failed: false,
        }
    }

    /// Number of the last received update.
    pub(crate) fn cursor(&self) -> u32 {
        self.received.len() as u32
    }

    /// Number of acknowledged answers.
    pub(crate) fn acknowledged(&self) -> usize {
        self.acknowledged.len()
    }

    /// True if the seat does not play any more.
    pub(crate) fn is_done(&self) -> bool {
        self.over || self.failed
    }

    /// Decision whose answer was sent and is not acknowledged.
    pub(crate) fn in_flight(&self) -> Option<u32> {
        self.awaited.filter(|(_, sent)| *sent).map(|(decision, _)| decision)
    }

    /// Records that an answer was sent.
    pub(crate) fn sent(&mut self, decision: u32) {
        if let Some((awaited, sent)) = &mut self.awaited
            && *awaited == decision
        {
            *sent = true;
        }
    }

    /// Answers to resend after an attach on a new stream: the newest acknowledged one, which must be the
    /// decided one, and the one without acknowledgement.
    pub(crate) fn answers_to_resend(&mut self, counts: &mut Counts) -> Vec<(u32, u32)> {
        let newest = self.acknowledged.keys().next_back().copied();
        let awaited = self.awaited.as_mut().map(|(decision, sent)| {
            counts.resent += u64::from(*sent);
            *sent = false;
            *decision
        });
        let decisions = newest.into_iter().chain(awaited);
        decisions.filter_map(|decision| Some((decision, *self.answers.get(&decision)?))).collect()
    }

    /// Handles an update.
    pub(crate) fn update(&mut self, update: &wire::Update, counts: &mut Counts) {
        let expected = self.cursor() + 1;
        if update.number != expected {
            counts.add_duplicate(format!(
                "{}: update {} where {expected} comes next",
                self.name, update.number
            ));
            self.failed = true;
            return;
        }
        self.received.push(fingerprint(update));
        let Some(decided) = &update.decided else { return };
        let id = decided.decision_id;
        let outcome = DecidedAction { number: update.number, action: decided.action.clone() };
        if decided.by() != wire::DecidedBy::Player || self.answers.get(&id) != Some(&decided.index) {
            counts
                .add_duplicate(format!("{}: decision {id} was decided by no answer of the seat", self.name));
            self.failed = true;
        }
        if self.acknowledged.get(&id).is_some_and(|acknowledged| *acknowledged != outcome) {
            counts.add_loss(1, format!("{}: decision {id} is not decided as acknowledged", self.name));
            self.failed = true;
        }
        if self.decided.insert(id, outcome).is_some() {
            counts.add_duplicate(format!("{}: decision {id} was decided twice", self.name));
            self.failed = true;
        }
    }

    /// Handles a decision prompt. `choose` returns an index below the count.
    pub(crate) fn decision(
        &mut self,
        decision: &wire::Decision,
        counts: &mut Counts,
        choose: impl FnOnce(u32) -> u32,
    ) -> Next {
        let id = decision.id;
        if self.acknowledged.contains_key(&id) || self.decided.contains_key(&id) {
            counts.add_loss(1, format!("{}: decision {id} is asked again after it was decided", self.name));
            self.failed = true;
            return Next::Leave;
        }
        match self.answers.get(&id) {
            // The prompt is repeated after an attach; the attach resends the answer.
            Some(_) => Next::Nothing,
            None => {
                let index = choose(decision.legal_count.max(1));
                self.answers.insert(id, index);
                self.awaited = Some((id, false));
                Next::Answer { decision: id, index }
            }
        }
    }

    /// Handles the response to an answer.
    pub(crate) fn answered(&mut self, answered: &wire::Answered, counts: &mut Counts) -> Next {
        let id = answered.decision_id;
        let outcome = DecidedAction { number: answered.number, action: answered.action.clone() };
        let known = self.acknowledged.get(&id);
        match answered.status() {
            AnswerStatus::Accepted if known.is_some() => {
                counts
                    .add_duplicate(format!("{}: the answer to decision {id} was accepted twice", self.name));
                self.failed = true;
                Next::Leave
            }
            AnswerStatus::Accepted | AnswerStatus::Repeated => {
                if [known, self.decided.get(&id)].into_iter().flatten().any(|known| *known != outcome) {
                    counts
                        .add_loss(1, format!("{}: decision {id} is not decided as acknowledged", self.name));
                    self.failed = true;
                    return Next::Leave;
                }
                self.acknowledge(id, outcome, answered.status(), counts);
                Next::Nothing
            }
            AnswerStatus::Conflict => {
                counts.add_duplicate(format!(
                    "{}: decision {id} was decided by no answer of the seat",
                    self.name
                ));
                self.failed = true;
                Next::Leave
            }
            AnswerStatus::Refused | AnswerStatus::Unspecified => self.refused(id, answered, counts),
        }
    }

    fn acknowledge(&mut self, id: u32, outcome: DecidedAction, status: AnswerStatus, counts: &mut Counts) {
        if self.awaited.is_some_and(|(awaited, _)| awaited == id) {
            self.awaited = None;
        }
        if self.acknowledged.insert(id, outcome).is_none() {
            counts.acknowledged += 1;
            counts.resent_after_commit += u64::from(status == AnswerStatus::Repeated);
            if std::mem::take(&mut self.paused) && counts.paused.contains(&self.table) {
                counts.resumed.insert(self.table);
            }
        }
    }

    fn refused(&mut self, id: u32, answered: &wire::Answered, counts: &mut Counts) -> Next {
        let refusal = answered.refusal.clone().unwrap_or_default();
        let reason = refusal.reason();
        if self.over || reason == ErrorReason::TableOver {
            return Next::Nothing;
        }
        match reason {
            ErrorReason::StoreUnavailable => {
                counts.refused += 1;
                counts.paused.insert(self.table);
                counts.resumed.remove(&self.table);
                self.paused = true;
                self.retry_answer(id)
            }
            ErrorReason::ServerStopping | ErrorReason::RateLimited | ErrorReason::TooManyStreams => {
                self.retry_answer(id)
            }
            // The server has just closed the channel; the next attach resends the answer.
            ErrorReason::Protocol => Next::Nothing,
            _ => {
                // The prompt was received, and prompts are durable.
                let what = format!("{}: the answer to decision {id} is refused ({reason:?})", self.name);
                counts.add_loss(1, what);
                self.failed = true;
                Next::Leave
            }
        }
    }

    fn retry_answer(&self, id: u32) -> Next {
        match self.answers.get(&id) {
            Some(index) => Next::AnswerLater { decision: id, index: *index },
            None => Next::Nothing,
        }
    }

    /// Handles the end of the channel.
    pub(crate) fn closed(&mut self, closed: &wire::ChannelClosed, counts: &mut Counts) -> Next {
        match closed.reason() {
            ErrorReason::Unspecified => {
                self.over = true;
                Next::Leave
            }
            // The server has lost updates; a snapshot shows how many.
            ErrorReason::CursorAhead => Next::AttachAnew,
            _ if closed.retry => Next::AttachLater,
            reason => {
                let what = format!("{}: the table is gone ({reason:?}): {}", self.name, closed.message);
                counts.add_loss(self.acknowledged.len().max(1), what);
                self.failed = true;
                Next::Leave
            }
        }
    }

    /// Handles a snapshot in place of updates, which is always a violation.
    pub(crate) fn snapshot(&mut self, number: u32, counts: &mut Counts) -> Next {
        self.failed = true;
        if number < self.cursor() {
            let beyond = self.acknowledged.values().filter(|outcome| outcome.number > number).count();
            let what =
                format!("{}: update {} was received, and {number} is the last now", self.name, self.cursor());
            counts.add_loss(beyond.max(1), what);
        } else {
            let what = format!("{}: the updates after {} are not given any more", self.name, self.cursor());
            counts.add_duplicate(what);
        }
        Next::Leave
    }
}

/// Hash of an update.
fn fingerprint(update: &wire::Update) -> u64 {
    let mut hasher = DefaultHasher::new();
    update.encode_to_vec().hash(&mut hasher);
    hasher.finish()
}
