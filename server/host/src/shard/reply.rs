//! Who is answered when an append is durable, or has failed.

use std::sync::Arc;

use parlor_engine::Seat;

use crate::agents::Known;
use crate::shard::table_message::To;
use crate::stream::channels::Attachment;
use crate::table::{DecisionId, Look, Table};
use crate::{AnswerOutcome, AnswerRefused, Answered, HostError, Shared};

/// Who is answered when an append is durable, or has failed.
pub(crate) enum Reply {
    /// Whoever made the table; the agents that have a seat are given it first.
    Created { shared: Arc<Shared>, agents: Vec<Arc<Known>>, to: To<Look> },
    /// Whoever changed the table.
    Look(To<Look>),
    /// Whoever took a seat.
    Joined { seat: Seat, to: To<(Seat, Look)> },
    /// Whoever decided for a seat.
    Decided { seat: Seat, decision: DecisionId, to: Answerer },
}

impl Reply {
    /// Answers. What goes over a stream is given back, to be sent together with what it led to.
    pub(crate) fn send(self, done: Result<&Table, HostError>) -> Option<(Attachment, Answered)> {
        match self {
            Reply::Created { shared, agents, to } => {
                if let Ok(table) = &done {
                    shared.agents.seat(table, &agents);
                }
                drop(to.send(done.map(Table::look)));
            }
            // Whoever asked may have gone.
            Reply::Look(to) => drop(to.send(done.map(Table::look))),
            Reply::Joined { seat, to } => drop(to.send(done.map(|table| (seat, table.look())))),
            Reply::Decided { seat, decision, to } => {
                let decided = done.and_then(|table| {
                    let newest = table.seats()[seat.index()].decided;
                    newest.ok_or_else(|| HostError::Fault { what: "an answer decided nothing".to_owned() })
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

/// Who answered a decision.
pub(crate) enum Answerer {
    /// A call.
    Call(To<Answered>),
    /// A stream, by the channel that is so attached.
    Stream(Attachment),
}

impl Answerer {
    /// Says what became of the answer. What goes over a stream is given back.
    pub(crate) fn send(self, answered: Answered) -> Option<(Attachment, Answered)> {
        match self {
            Answerer::Call(to) => {
                // Whoever asked may have gone.
                drop(to.send(Ok(answered)));
                None
            }
            Answerer::Stream(attachment) => Some((attachment, answered)),
        }
    }
}
