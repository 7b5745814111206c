//! Incoming items of a subscription: deduplication, acknowledgements and the end.

use super::{FollowUp, InboxItem, PendingAnswer, Subscription};
use crate::error::Reason;
use crate::{AcceptedAnswer, Error, wire};
use wire::stream_item::Item as ServerItem;

impl Subscription {
    /// Processes an item of the server.
    pub(in crate::session) fn receive(&mut self, item: ServerItem) -> FollowUp {
        if !matches!(item, ServerItem::Closed(_) | ServerItem::Answered(_)) {
            self.backoff.reset();
        }
        match item {
            ServerItem::Snapshot(snapshot) => {
                let number = snapshot.number;
                self.last_view.keep(number, snapshot.view.as_deref());
                let kept = self.push_inbox(InboxItem::Snapshot(snapshot));
                if kept == FollowUp::WakeReader {
                    self.last_update = Some(number);
                }
                kept
            }
            ServerItem::Update(update) => self.receive_update(update),
            ServerItem::Decision(decision) if decision.id <= self.last_decision => FollowUp::None,
            // It is about no seat, and answered by the session.
            ServerItem::EntropyAsked(_) => FollowUp::None,
            // The client reveals with a call.
            ServerItem::Revealed(_) => FollowUp::None,
            ServerItem::Decision(mut decision) => {
                let id = decision.id;
                self.last_view.restore(&mut decision);
                let kept = self.push_inbox(InboxItem::Decision(Box::new(decision)));
                if kept == FollowUp::WakeReader {
                    self.last_decision = id;
                }
                kept
            }
            ServerItem::Answered(answered) => self.acknowledge(answered),
            // They are not repeated, so an overflow leaves nothing to fetch.
            ServerItem::Presence(_) | ServerItem::TimeLeft(_) if self.inbox.len() >= self.capacity => {
                FollowUp::None
            }
            ServerItem::Presence(presence) => self.push_inbox(InboxItem::Presence(presence)),
            ServerItem::TimeLeft(time) => self.push_inbox(InboxItem::TimeLeft(time)),
            ServerItem::Closed(closed) => self.receive_closed(&closed),
            // Handled when the channel was opened.
            ServerItem::SeatGiven(_) => FollowUp::None,
        }
    }

    fn receive_update(&mut self, update: wire::Update) -> FollowUp {
        let number = update.number;
        self.last_view.keep(number, update.view.as_deref());
        if let Some(decided) = &update.decided {
            let about = |pending: &&mut PendingAnswer| pending.answer.decision_id == decided.decision_id;
            for pending in self.answers.iter_mut().filter(about) {
                pending.decided = Some((number, decided.clone()));
            }
        }
        match self.last_update {
            Some(last_update) if number <= last_update => FollowUp::None,
            // A correct server leaves no gaps. Missing updates are fetched again.
            Some(last_update) if number > last_update.saturating_add(1) && !self.has_missing => {
                tracing::warn!(number, last_update, "the server skipped an update; attaching again");
                self.has_missing = true;
                FollowUp::RetryLater
            }
            _ => {
                let kept = self.push_inbox(InboxItem::Update(update));
                if kept == FollowUp::WakeReader {
                    self.last_update = Some(number);
                }
                kept
            }
        }
    }

    /// Appends an item to the inbox, unless it is full.
    fn push_inbox(&mut self, item: InboxItem) -> FollowUp {
        if self.has_missing || self.inbox.len() >= self.capacity {
            self.has_missing = true;
            return FollowUp::None;
        }
        self.inbox.push_back(item);
        FollowUp::WakeReader
    }

    /// Acknowledges the oldest answer sent for this decision. One that the server could not store is kept for
    /// a retry.
    fn acknowledge(&mut self, answered: wire::Answered) -> FollowUp {
        let about =
            |pending: &PendingAnswer| pending.sent && pending.answer.decision_id == answered.decision_id;
        let Some(place) = self.answers.iter().position(about) else { return FollowUp::None };
        let outcome = AcceptedAnswer::from_wire(answered);
        if matches!(&outcome, Err(error) if error.is_temporary()) {
            if let Some(pending) = self.answers.get_mut(place) {
                pending.sent = false;
                pending.held = true;
            }
            return FollowUp::RetryLater;
        }
        self.backoff.reset();
        if let Some(pending) = self.answers.remove(place) {
            // The caller may have stopped waiting.
            let _ = pending.reply.send(outcome);
        }
        FollowUp::None
    }

    fn receive_closed(&mut self, closed: &wire::ChannelClosed) -> FollowUp {
        self.channel = None;
        let reason = closed.reason();
        if reason == wire::ErrorReason::Unspecified {
            // The table is over, but missing items are still to be read first.
            self.resolve_answers();
            if !self.has_missing {
                self.end = Some(None);
            }
            return FollowUp::WakeReader;
        }
        let error = Error::from_close(reason, &closed.message);
        if closed.retry || error.is_temporary() {
            self.temporarily_closed = true;
            return FollowUp::RetryLater;
        }
        self.fail(error);
        FollowUp::WakeReader
    }

    /// Ends with an error.
    pub(in crate::session) fn fail(&mut self, error: Error) {
        if self.end.is_none() {
            for pending in self.answers.drain(..) {
                let _ = pending.reply.send(Err(error.clone()));
            }
            self.end = Some(Some(error));
        }
    }

    /// Resolves answers left unacknowledged at the end of the table by the updates that carried their
    /// decisions.
    pub(super) fn resolve_answers(&mut self) {
        for pending in self.answers.drain(..) {
            let outcome = match pending.decided {
                Some((number, decided)) => acknowledgement_from_decision(&pending.answer, number, decided),
                None => Err(Error::new(Reason::TableOver, "the table was over before the answer came")),
            };
            let _ = pending.reply.send(outcome);
        }
    }
}

/// Acknowledgement of an answer, derived from the decision made.
fn acknowledgement_from_decision(
    answer: &wire::Answer,
    number: u32,
    decided: wire::Decided,
) -> Result<AcceptedAnswer, Error> {
    let same = match &answer.choice {
        Some(wire::answer::Choice::Index(index)) => *index == decided.index,
        Some(wire::answer::Choice::Action(action)) => Some(action) == decided.action.as_ref(),
        None => false,
    };
    let status = if same { wire::AnswerStatus::Accepted } else { wire::AnswerStatus::Conflict };
    AcceptedAnswer::from_wire(wire::Answered {
        decision_id: answer.decision_id,
        status: status.into(),
        action: decided.action,
        number,
        refusal: None,
    })
}
