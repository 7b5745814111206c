//! The accounts of one seat: what it was shown, what it answered and what was acknowledged. Whatever the server says later
//! is held against them.
//!
//! An acknowledged answer is lost if afterwards its decision is open, or decided otherwise, or unknown. What was shown must
//! stay as well: nobody is shown what is not durable. Something is doubled if a decision is decided twice, or otherwise than
//! the seat answered, or if an update comes twice or is left out. A seat gives one answer to each decision, whatever
//! happens, and sends that one again.

mod audit;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use parlor_proto::v1 as wire;
use prost::Message;
use wire::{AnswerStatus, ErrorReason};

use crate::tally::Tally;

/// What a client says next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    /// Nothing.
    Nothing,
    /// The answer to a decision.
    Answer { decision: u32, index: u32 },
    /// The same, after a moment: the server could not take it just now.
    AnswerLater { decision: u32, index: u32 },
    /// It attaches again, after a moment.
    AttachLater,
    /// It attaches without a number, to see where the table stands.
    AttachAnew,
    /// The channel is done with.
    Leave,
}

/// A decision that was decided.
#[derive(Clone, PartialEq, Debug)]
struct Fact {
    /// The update it was decided in.
    number: u32,
    action: Option<wire::GameAction>,
}

/// The accounts of one seat.
#[derive(Debug)]
pub(crate) struct Book {
    /// The table, by its place in the list of all.
    pub(crate) table: usize,
    name: String,
    /// What each update was, from number 1 on.
    shown: Vec<u64>,
    /// Which index the seat answered, by the id of the decision.
    answers: BTreeMap<u32, u32>,
    acknowledged: BTreeMap<u32, Fact>,
    decided: BTreeMap<u32, Fact>,
    /// The answer that is not acknowledged yet, and whether it was sent on the stream that is open, or was the last one.
    awaited: Option<(u32, bool)>,
    paused: bool,
    /// The table is over, and the seat has seen that.
    pub(crate) over: bool,
    /// Something was wrong: the seat is not played on.
    pub(crate) spoilt: bool,
}

impl Book {
    pub(crate) fn new(table: usize, name: String) -> Book {
        Book {
            table,
            name,
            shown: Vec::new(),
            answers: BTreeMap::new(),
            acknowledged: BTreeMap::new(),
            decided: BTreeMap::new(),
            awaited: None,
            paused: false,
            over: false,
            spoilt: false,
        }
    }

    /// The number of the last update.
    pub(crate) fn cursor(&self) -> u32 {
        self.shown.len() as u32
    }

    /// How many answers were acknowledged.
    pub(crate) fn acknowledged(&self) -> usize {
        self.acknowledged.len()
    }

    /// Whether there is nothing more to play.
    pub(crate) fn is_done(&self) -> bool {
        self.over || self.spoilt
    }

    /// The decision whose answer was sent and not acknowledged, if there is one.
    pub(crate) fn in_flight(&self) -> Option<u32> {
        self.awaited.filter(|(_, sent)| *sent).map(|(decision, _)| decision)
    }

    /// An answer went out.
    pub(crate) fn sent(&mut self, decision: u32) {
        if let Some((awaited, sent)) = &mut self.awaited
            && *awaited == decision
        {
            *sent = true;
        }
    }

    /// What is said on a new stream, after the attach: the newest acknowledged answer, which must be what was decided, and
    /// the one whose acknowledgement did not come.
    pub(crate) fn again(&mut self, tally: &mut Tally) -> Vec<(u32, u32)> {
        let newest = self.acknowledged.keys().next_back().copied();
        let awaited = self.awaited.as_mut().map(|(decision, sent)| {
            tally.resent += u64::from(*sent);
            *sent = false;
            *decision
        });
        let decisions = newest.into_iter().chain(awaited);
        decisions.filter_map(|decision| Some((decision, *self.answers.get(&decision)?))).collect()
    }

    /// An update on the channel that plays.
    pub(crate) fn update(&mut self, update: &wire::Update, tally: &mut Tally) {
        let expected = self.cursor() + 1;
        if update.number != expected {
            tally.double(format!("{}: update {} where {expected} comes next", self.name, update.number));
            self.spoilt = true;
            return;
        }
        self.shown.push(fingerprint(update));
        let Some(decided) = &update.decided else { return };
        let id = decided.decision_id;
        let fact = Fact { number: update.number, action: decided.action.clone() };
        if decided.by() != wire::DecidedBy::Player || self.answers.get(&id) != Some(&decided.index) {
            tally.double(format!("{}: decision {id} was decided by no answer of the seat", self.name));
            self.spoilt = true;
        }
        if self.acknowledged.get(&id).is_some_and(|acknowledged| *acknowledged != fact) {
            tally.lose(1, format!("{}: decision {id} is not decided as acknowledged", self.name));
            self.spoilt = true;
        }
        if self.decided.insert(id, fact).is_some() {
            tally.double(format!("{}: decision {id} was decided twice", self.name));
            self.spoilt = true;
        }
    }

    /// The seat is asked. `choose` gives an index below the count.
    pub(crate) fn decision(
        &mut self,
        decision: &wire::Decision,
        tally: &mut Tally,
        choose: impl FnOnce(u32) -> u32,
    ) -> Next {
        let id = decision.id;
        if self.acknowledged.contains_key(&id) || self.decided.contains_key(&id) {
            tally.lose(1, format!("{}: decision {id} is asked again after it was decided", self.name));
            self.spoilt = true;
            return Next::Leave;
        }
        match self.answers.get(&id) {
            // It is asked again after an attach, and the answer is sent again after every attach.
            Some(_) => Next::Nothing,
            None => {
                let index = choose(decision.legal_count.max(1));
                self.answers.insert(id, index);
                self.awaited = Some((id, false));
                Next::Answer { decision: id, index }
            }
        }
    }

    /// What became of an answer.
    pub(crate) fn answered(&mut self, answered: &wire::Answered, tally: &mut Tally) -> Next {
        let id = answered.decision_id;
        let fact = Fact { number: answered.number, action: answered.action.clone() };
        let known = self.acknowledged.get(&id);
        match answered.status() {
            AnswerStatus::Accepted if known.is_some() => {
                tally.double(format!("{}: the answer to decision {id} was accepted twice", self.name));
                self.spoilt = true;
                Next::Leave
            }
            AnswerStatus::Accepted | AnswerStatus::Repeated => {
                if [known, self.decided.get(&id)].into_iter().flatten().any(|known| *known != fact) {
                    tally.lose(1, format!("{}: decision {id} is not decided as acknowledged", self.name));
                    self.spoilt = true;
                    return Next::Leave;
                }
                self.acknowledge(id, fact, answered.status(), tally);
                Next::Nothing
            }
            AnswerStatus::Conflict => {
                tally.double(format!("{}: decision {id} was decided by no answer of the seat", self.name));
                self.spoilt = true;
                Next::Leave
            }
            AnswerStatus::Refused | AnswerStatus::Unspecified => self.refused(id, answered, tally),
        }
    }

    fn acknowledge(&mut self, id: u32, fact: Fact, status: AnswerStatus, tally: &mut Tally) {
        if self.awaited.is_some_and(|(awaited, _)| awaited == id) {
            self.awaited = None;
        }
        if self.acknowledged.insert(id, fact).is_none() {
            tally.acknowledged += 1;
            tally.decided_unheard += u64::from(status == AnswerStatus::Repeated);
            if std::mem::take(&mut self.paused) && tally.paused.contains(&self.table) {
                tally.went_on.insert(self.table);
            }
        }
    }

    fn refused(&mut self, id: u32, answered: &wire::Answered, tally: &mut Tally) -> Next {
        let refusal = answered.refusal.clone().unwrap_or_default();
        let reason = refusal.reason();
        if self.over || reason == ErrorReason::TableOver {
            return Next::Nothing;
        }
        match reason {
            ErrorReason::StoreUnavailable => {
                tally.refused += 1;
                tally.paused.insert(self.table);
                tally.went_on.remove(&self.table);
                self.paused = true;
                self.later(id)
            }
            ErrorReason::ServerStopping | ErrorReason::RateLimited | ErrorReason::TooManyStreams => {
                self.later(id)
            }
            // The channel was closed by the server just before; the attach that follows repeats the answer.
            ErrorReason::Protocol => Next::Nothing,
            _ => {
                // It was asked, and what is asked is durable.
                let what = format!("{}: the answer to decision {id} is refused ({reason:?})", self.name);
                tally.lose(1, what);
                self.spoilt = true;
                Next::Leave
            }
        }
    }

    fn later(&self, id: u32) -> Next {
        match self.answers.get(&id) {
            Some(index) => Next::AnswerLater { decision: id, index: *index },
            None => Next::Nothing,
        }
    }

    /// The channel was closed.
    pub(crate) fn closed(&mut self, closed: &wire::ChannelClosed, tally: &mut Tally) -> Next {
        match closed.reason() {
            ErrorReason::Unspecified => {
                self.over = true;
                Next::Leave
            }
            // The server has lost something, and will say where it stands.
            ErrorReason::CursorAhead => Next::AttachAnew,
            _ if closed.retry => Next::AttachLater,
            reason => {
                let what = format!("{}: the table is gone ({reason:?}): {}", self.name, closed.message);
                tally.lose(self.acknowledged.len().max(1), what);
                self.spoilt = true;
                Next::Leave
            }
        }
    }

    /// A snapshot where updates were asked for, or after the server had lost some.
    pub(crate) fn snapshot(&mut self, number: u32, tally: &mut Tally) -> Next {
        self.spoilt = true;
        if number < self.cursor() {
            let beyond = self.acknowledged.values().filter(|fact| fact.number > number).count();
            let what =
                format!("{}: update {} was shown, and {number} is the last now", self.name, self.cursor());
            tally.lose(beyond.max(1), what);
        } else {
            let what = format!("{}: the updates after {} are not given any more", self.name, self.cursor());
            tally.double(what);
        }
        Next::Leave
    }
}

/// What tells an update from any other.
fn fingerprint(update: &wire::Update) -> u64 {
    let mut hasher = DefaultHasher::new();
    update.encode_to_vec().hash(&mut hasher);
    hasher.finish()
}
