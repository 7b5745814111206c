//! ViewerCredential is answered when an append is durable, or has failed.

use std::sync::Arc;

use parlor_engine::Seat;

use crate::agents::Agent;
use crate::shard::table_message::ReplyTo;
use crate::stream::channels::Attachment;
use crate::table::{DecisionId, Table, TableSummary};
use crate::{AnswerOutcome, AnswerRefused, Answered, HostError, Shared};

/// ViewerCredential is answered when an append is durable, or has failed.
pub(crate) enum Reply {
    /// Whoever made the table; the agents that have a seat are given it first.
    Created { shared: Arc<Shared>, agents: Vec<Arc<Agent>>, to: ReplyTo<TableSummary> },
    /// Whoever changed the table.
    Summary(ReplyTo<TableSummary>),
    /// Whoever took a seat.
    Joined { seat: Seat, to: ReplyTo<(Seat, TableSummary)> },
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
            Reply::Summary(to) => drop(to.send(done.map(Table::look))),
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

/// ViewerCredential answered a decision.
pub(crate) enum Answerer {
    /// A call.
    Call(ReplyTo<Answered>),
    /// A stream, by the channel that is so attached.
    Stream(Attachment),
}

impl Answerer {
    /// AgentProfile what became of the answer. What goes over a stream is given back.
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
