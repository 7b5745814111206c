//! One seat or spectator of a session: what it was told and has said, and what of it still has to be sent.
//!
//! This is where things happen exactly once. Updates and snapshots count by their numbers, decisions by their ids, and
//! answers are kept until the server has said what became of them. There is no I/O and no waiting here.

use std::collections::VecDeque;
use std::task::Waker;

use tokio::sync::oneshot;

use crate::error::Reason;
use crate::retry::Backoff;
use crate::{Answered, Error, wire};
use wire::play_request_item::Item as Say;
use wire::stream_item::Item as Hear;

/// How many answers of a seat wait to be acknowledged, at most.
pub(super) const MOST_ANSWERS: usize = 16;

/// Something that a seat or spectator was told, and has not yet read.
#[derive(Debug)]
pub(crate) enum Told {
    Snapshot(Box<wire::Snapshot>),
    Update(wire::Update),
    Decision(Box<wire::Decision>),
    Presence(wire::Presence),
    TimeLeft(wire::TimeLeft),
}

/// What has to be done after something was heard.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Then {
    /// Nothing.
    Nothing,
    /// There is something to read, or the end.
    Read,
    /// Something has to be said again after a wait: an attach, or an answer that the server could not take just then.
    SayLater,
}

/// Who waits for what becomes of an answer.
pub(super) type Reply = oneshot::Sender<Result<Answered, Error>>;

/// An answer that is not yet acknowledged.
struct Pending {
    answer: wire::Answer,
    /// Whether it was sent on the stream that is open.
    sent: bool,
    /// Whether it waits, because the server could not take it just then.
    held: bool,
    /// That the decision was decided, if an update said so before the acknowledgement came.
    decided: Option<(u32, wire::Decided)>,
    reply: Reply,
}

impl Pending {
    fn is_due(&self) -> bool {
        !self.sent && !self.held
    }
}

/// Who opens the channel of a slot.
pub(super) enum Opening {
    /// This side, by attaching.
    Attach {
        /// As whom.
        viewer: wire::attach::Viewer,
        /// What to be sent.
        wants: Option<wire::Wants>,
    },
    /// The server, which gives the seat to an agent: once on each stream.
    Given {
        /// The id of the table.
        table_id: String,
        /// The seat.
        seat: u32,
    },
}

pub(super) struct Slot {
    opening: Opening,
    /// The number of the last update that is in the inbox or was read.
    seen: Option<u32>,
    /// The id of the last decision that is in the inbox or was read.
    asked: u32,
    inbox: VecDeque<Told>,
    room: usize,
    /// Something did not fit into the inbox: it is fetched again, from `seen` on, when there is room.
    missed: bool,
    /// The number of the channel on the stream that is open, while it is attached.
    pub(super) channel: Option<u32>,
    /// Whether the channel has to be opened anew: by an attach or, if the server opens it, over another stream.
    attach_due: bool,
    /// Whether the server closed the channel for a while. It is then opened anew after a wait.
    shut: bool,
    /// The stream on which the server gave the seat last.
    given_on: u64,
    /// Whether the slot stands in the list of those that have something to send.
    pub(super) listed: bool,
    answers: VecDeque<Pending>,
    /// How it ended; the error is taken by whoever reads it.
    end: Option<Option<Error>>,
    /// Who waits for something to read.
    pub(super) reader: Option<Waker>,
    pub(super) backoff: Backoff,
}

impl Slot {
    pub(super) fn new(opening: Opening, after: Option<u32>, room: usize) -> Slot {
        let attach_due = matches!(opening, Opening::Attach { .. });
        Slot {
            opening,
            seen: after,
            asked: 0,
            inbox: VecDeque::new(),
            room,
            missed: false,
            channel: None,
            attach_due,
            shut: false,
            given_on: 0,
            listed: false,
            answers: VecDeque::new(),
            end: None,
            reader: None,
            backoff: Backoff::default(),
        }
    }

    /// Whether nothing more will come.
    pub(super) fn is_over(&self) -> bool {
        self.end.is_some()
    }

    /// Whether there is something to send.
    pub(super) fn has_something_to_say(&self) -> bool {
        self.end.is_none()
            && ((self.attach_due && self.attaches())
                || (self.channel.is_some() && self.answers.iter().any(Pending::is_due)))
    }

    fn attaches(&self) -> bool {
        matches!(self.opening, Opening::Attach { .. })
    }

    /// Whether only another stream can bring what is missing: a channel of the server's cannot be attached.
    pub(super) fn needs_another_stream(&self) -> bool {
        self.end.is_none() && self.attach_due && !self.attaches()
    }

    /// The server gave the seat, on this channel of this stream.
    pub(super) fn give(&mut self, channel: u32, stream: u64) {
        self.channel = Some(channel);
        self.given_on = stream;
        self.shut = false;
    }

    /// All seats were given on this stream that the server had for us: one that is not among them is no longer ours, most
    /// likely because its table ended in the meantime.
    pub(super) fn miss(&mut self, stream: u64) {
        if !self.attaches() && self.given_on != stream && self.end.is_none() {
            self.close_answers();
            self.end = Some(None);
        }
    }

    /// What an agent says it has of the table; none without an update, or once it is over.
    pub(super) fn bookmark(&self) -> Option<wire::AgentBookmark> {
        match (&self.opening, self.seen) {
            (Opening::Given { table_id, seat }, Some(after)) if self.end.is_none() => {
                Some(wire::AgentBookmark { table_id: table_id.clone(), seat: *seat, after })
            }
            _ => None,
        }
    }

    /// The table and the seat, if the server gave it.
    pub(super) fn place(&self) -> Option<(String, u32)> {
        match &self.opening {
            Opening::Given { table_id, seat } => Some((table_id.clone(), *seat)),
            Opening::Attach { .. } => None,
        }
    }

    /// A new stream is open: everything that the last one may have lost is said again.
    pub(super) fn start_over(&mut self) {
        self.channel = None;
        self.shut = false;
        self.attach_due = self.attaches();
        if !self.attaches() {
            self.missed = false;
        }
        for pending in &mut self.answers {
            pending.sent = false;
        }
    }

    /// A wait is over: what was to be said after it is due now.
    pub(super) fn stop_waiting(&mut self) {
        for pending in &mut self.answers {
            pending.held = false;
        }
        self.attach_again();
    }

    /// Attaches again, if it is not attached, or if something is missing and there is room for it.
    fn attach_again(&mut self) {
        // A channel of the server's that is not there yet comes by itself.
        let closed = if self.attaches() { self.channel.is_none() } else { self.shut };
        self.attach_due |= closed || self.lacks_something();
    }

    /// Whether something did not come into the inbox that would fit now.
    fn lacks_something(&self) -> bool {
        self.missed && self.inbox.len() <= self.room / 2
    }

    /// Says what there is to say. An attach goes out under a new number of a channel, so that nothing that still comes
    /// for the old one can be mistaken; `new_channel` gives the number.
    pub(super) fn say(&mut self, new_channel: impl FnOnce() -> u32, out: &mut Vec<wire::PlayRequestItem>) {
        let mut say = |channel, item| out.push(wire::PlayRequestItem { channel, item: Some(item) });
        if let Opening::Attach { viewer, wants } = &self.opening
            && self.attach_due
        {
            if let Some(old) = self.channel {
                say(old, Say::Detach(wire::Detach {}));
            }
            let channel = new_channel();
            let (viewer, wants) = (Some(viewer.clone()), *wants);
            say(channel, Say::Attach(wire::Attach { viewer, after: self.seen, wants }));
            self.channel = Some(channel);
            self.attach_due = false;
            self.missed = false;
            for pending in &mut self.answers {
                pending.sent = false;
            }
        }
        let Some(channel) = self.channel else { return };
        for pending in self.answers.iter_mut().filter(|pending| pending.is_due()) {
            say(channel, Say::Answer(pending.answer.clone()));
            pending.sent = true;
        }
    }

    /// Takes an answer to be sent; one that cannot be is replied to at once.
    pub(super) fn answer(&mut self, answer: wire::Answer, reply: Reply) {
        if self.end.is_some() {
            let error = Error::new(Reason::TableOver, "the table is over: there is nothing more to answer");
            let _ = reply.send(Err(error));
        } else if self.answers.len() >= MOST_ANSWERS {
            let error =
                format!("{MOST_ANSWERS} answers of this seat wait to be acknowledged: wait for them first");
            let _ = reply.send(Err(Error::new(Reason::TooManyAnswers, error)));
        } else {
            self.answers.push_back(Pending { answer, sent: false, held: false, decided: None, reply });
            self.attach_again();
        }
    }

    /// Takes what the server says on the channel.
    pub(super) fn hear(&mut self, item: Hear) -> Then {
        if !matches!(item, Hear::Closed(_) | Hear::Answered(_)) {
            self.backoff.reset();
        }
        match item {
            Hear::Snapshot(snapshot) => {
                let number = snapshot.number;
                let kept = self.keep(Told::Snapshot(snapshot));
                if kept == Then::Read {
                    self.seen = Some(number);
                }
                kept
            }
            Hear::Update(update) => self.hear_update(update),
            Hear::Decision(decision) if decision.id <= self.asked => Then::Nothing,
            Hear::Decision(decision) => {
                let id = decision.id;
                let kept = self.keep(Told::Decision(Box::new(decision)));
                if kept == Then::Read {
                    self.asked = id;
                }
                kept
            }
            Hear::Answered(answered) => self.acknowledge(answered),
            // They are not repeated, so one that does not fit is no loss to make good.
            Hear::Presence(_) | Hear::TimeLeft(_) if self.inbox.len() >= self.room => Then::Nothing,
            Hear::Presence(presence) => self.keep(Told::Presence(presence)),
            Hear::TimeLeft(time) => self.keep(Told::TimeLeft(time)),
            Hear::Closed(closed) => self.hear_closed(&closed),
            // That the channel is open is known by now.
            Hear::SeatGiven(_) => Then::Nothing,
        }
    }

    fn hear_update(&mut self, update: wire::Update) -> Then {
        let number = update.number;
        if let Some(decided) = &update.decided {
            let about = |pending: &&mut Pending| pending.answer.decision_id == decided.decision_id;
            for pending in self.answers.iter_mut().filter(about) {
                pending.decided = Some((number, decided.clone()));
            }
        }
        match self.seen {
            Some(seen) if number <= seen => Then::Nothing,
            // The server never leaves a number out. If it does, what is missing is asked for again.
            Some(seen) if number > seen.saturating_add(1) && !self.missed => {
                tracing::warn!(number, seen, "the server left out an update: attaching again");
                self.missed = true;
                Then::SayLater
            }
            _ => {
                let kept = self.keep(Told::Update(update));
                if kept == Then::Read {
                    self.seen = Some(number);
                }
                kept
            }
        }
    }

    /// Puts something into the inbox, unless it is full.
    fn keep(&mut self, told: Told) -> Then {
        if self.missed || self.inbox.len() >= self.room {
            self.missed = true;
            return Then::Nothing;
        }
        self.inbox.push_back(told);
        Then::Read
    }

    /// What became of the oldest answer to this decision that was sent. One that the server could not take just then
    /// is kept for later.
    fn acknowledge(&mut self, answered: wire::Answered) -> Then {
        let about = |pending: &Pending| pending.sent && pending.answer.decision_id == answered.decision_id;
        let Some(place) = self.answers.iter().position(about) else { return Then::Nothing };
        let outcome = Answered::from_wire(answered);
        if matches!(&outcome, Err(error) if error.is_temporary()) {
            if let Some(pending) = self.answers.get_mut(place) {
                pending.sent = false;
                pending.held = true;
            }
            return Then::SayLater;
        }
        self.backoff.reset();
        if let Some(pending) = self.answers.remove(place) {
            // Nobody may be waiting any more.
            let _ = pending.reply.send(outcome);
        }
        Then::Nothing
    }

    fn hear_closed(&mut self, closed: &wire::ChannelClosed) -> Then {
        self.channel = None;
        let reason = closed.reason();
        if reason == wire::ErrorReason::Unspecified {
            // The table is over. What did not fit is still to be read: then it is not over for this slot.
            self.close_answers();
            if !self.missed {
                self.end = Some(None);
            }
            return Then::Read;
        }
        let error = Error::closed(reason, &closed.message);
        if closed.retry || error.is_temporary() {
            self.shut = true;
            return Then::SayLater;
        }
        self.fail(error);
        Then::Read
    }

    /// Ends with an error.
    pub(super) fn fail(&mut self, error: Error) {
        if self.end.is_none() {
            for pending in self.answers.drain(..) {
                let _ = pending.reply.send(Err(error.again()));
            }
            self.end = Some(Some(error));
        }
    }

    /// The table is over: answers that were not acknowledged are so by the update that told of the decision, or never.
    fn close_answers(&mut self) {
        for pending in self.answers.drain(..) {
            let outcome = match pending.decided {
                Some((number, decided)) => outcome(&pending.answer, number, decided),
                None => Err(Error::new(Reason::TableOver, "the table was over before the answer came")),
            };
            let _ = pending.reply.send(outcome);
        }
    }

    /// The next thing to read; the end is `Some(None)` or an error, and stays.
    pub(super) fn read(&mut self) -> Option<Result<Option<Told>, Error>> {
        if let Some(told) = self.inbox.pop_front() {
            self.attach_due |= self.lacks_something();
            return Some(Ok(Some(told)));
        }
        self.end.as_mut().map(|end| end.take().map_or(Ok(None), Err))
    }

    /// The first thing to read, left where it is.
    pub(super) fn peek(&self) -> Option<&Told> {
        self.inbox.front()
    }
}

/// What became of an answer, by what was decided.
fn outcome(answer: &wire::Answer, number: u32, decided: wire::Decided) -> Result<Answered, Error> {
    let same = match &answer.choice {
        Some(wire::answer::Choice::Index(index)) => *index == decided.index,
        Some(wire::answer::Choice::Action(action)) => Some(action) == decided.action.as_ref(),
        None => false,
    };
    let status = if same { wire::AnswerStatus::Accepted } else { wire::AnswerStatus::Conflict };
    Answered::from_wire(wire::Answered {
        decision_id: answer.decision_id,
        status: status.into(),
        action: decided.action,
        number,
        refusal: None,
    })
}

#[cfg(test)]
mod tests;
