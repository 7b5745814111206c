//! Replies sent when an append is durable or has failed.

use std::sync::Arc;

use parlor_engine::Seat;

use crate::agents::Agent;
use crate::reservation::Reservation;
use crate::shard::table_message::ReplyTo;
use crate::stream::channels::Attachment;
use crate::stream::queue::StreamQueue;
use crate::table::{DecisionId, Table, TableSummary};
use crate::{AnswerOutcome, AnswerRefused, Answered, Channel, HostError, Shared, StreamItem};

/// A reply to send when an append is durable or has failed.
pub(crate) enum Reply {
    /// To the creator of the table, after its seats have been assigned to their agents.
    Created {
        shared: Arc<Shared>,
        agents: Vec<Arc<Agent>>,
        reservation: Reservation,
        to: ReplyTo<TableSummary>,
    },
    /// To the requester of a change.
    Summary(ReplyTo<TableSummary>),
    /// To the player who revealed the entropy of a seat.
    Revealed(Revealer),
    /// To the player who took a seat.
    Joined { seat: Seat, to: ReplyTo<(Seat, TableSummary)> },
    /// To the answerer of a decision.
    Decided { seat: Seat, decision: DecisionId, to: Answerer },
}

impl Reply {
    /// Sends the reply. A reply over a stream is returned instead, to be sent in one batch with the resulting
    /// items.
    pub(crate) fn send(self, done: Result<&Table, HostError>) -> Option<(Attachment, Answered)> {
        match self {
            Reply::Created { shared, agents, reservation, to } => {
                match &done {
                    Ok(table) => {
                        shared.agents.assign_seats(table, &agents);
                        reservation.keep();
                    }
                    Err(_) => drop(reservation),
                }
                drop(to.send(done.map(Table::summary)));
            }
            // The requester may have been dropped.
            Reply::Summary(to) => drop(to.send(done.map(Table::summary))),
            Reply::Revealed(to) => to.send(done.map(|_| ())),
            Reply::Joined { seat, to } => drop(to.send(done.map(|table| (seat, table.summary())))),
            Reply::Decided { seat, decision, to } => {
                let decided = done.and_then(|table| {
                    let newest = table.seats()[seat.index()].decided;
                    newest.ok_or_else(|| HostError::Fault { reason: "an answer decided nothing".to_owned() })
                });
                let outcome = match decided {
                    Ok(decided) => AnswerOutcome::Accepted(decided),
                    Err(error) => AnswerOutcome::Refused(AnswerRefused::Host(error)),
                };
                return to.send(Answered { decision, outcome });
            }
        }
        None
    }
}

/// Origin of an answer to a decision.
pub(crate) enum Answerer {
    /// A unary call.
    Call(ReplyTo<Answered>),
    /// A stream, on the channel with this attachment.
    Stream(Attachment),
    /// A channel with this attachment that is not subscribed yet.
    Channel { queue: Arc<StreamQueue>, channel: Channel, attachment: Attachment },
}

impl Answerer {
    /// Sends the outcome of the answer. A reply over a stream is returned instead.
    pub(crate) fn send(self, answered: Answered) -> Option<(Attachment, Answered)> {
        match self {
            Answerer::Call(to) => {
                // The requester may have been dropped.
                drop(to.send(Ok(answered)));
                None
            }
            Answerer::Stream(attachment) => Some((attachment, answered)),
            Answerer::Channel { queue, channel, attachment } => {
                queue.push(attachment, channel, &StreamItem::Answered(&answered));
                None
            }
        }
    }
}

/// Origin of a reveal of a seat's entropy.
pub(crate) enum Revealer {
    /// A unary call.
    Call(ReplyTo<()>),
    /// A stream, on the channel with this attachment.
    Channel { queue: Arc<StreamQueue>, channel: Channel, attachment: Attachment },
}

impl Revealer {
    /// Sends the outcome of the reveal.
    pub(crate) fn send(self, outcome: Result<(), HostError>) {
        match self {
            // The requester may have been dropped.
            Revealer::Call(to) => drop(to.send(outcome)),
            Revealer::Channel { queue, channel, attachment } => {
                queue.push(attachment, channel, &StreamItem::Revealed(&outcome));
            }
        }
    }

    /// Sends the outcome of a reveal at a finished table, with which the channel may have been closed.
    pub(crate) fn send_late(self, outcome: Result<(), HostError>) {
        match self {
            Revealer::Channel { queue, channel, .. } => {
                queue.push_unattached(channel, &StreamItem::Revealed(&outcome));
            }
            Revealer::Call(_) => self.send(outcome),
        }
    }
}
