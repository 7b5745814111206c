//! Replies sent when an append is durable or has failed.

use std::sync::Arc;

use parlor_engine::Seat;

use crate::agents::Agent;
use crate::reservation::Reservation;
use crate::shard::table_message::ReplyTo;
use crate::stream::channels::Attachment;
use crate::table::{DecisionId, Table, TableSummary};
use crate::{AnswerOutcome, AnswerRefused, Answered, HostError, Shared};

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
        }
    }
}
