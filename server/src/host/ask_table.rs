//! What one table can be asked for, by way of the shard that it lives in.

use std::sync::Arc;

use parlor_engine::{Seat, Viewer};
use tokio::sync::oneshot;

use super::channels::Attachment;
use super::outbox::{CatchUp, Out};
use super::{Answered, Behalf, Channel, HostError, Join, Wants, Who};
use crate::agents::Known;
use crate::identity::SeatPass;
use crate::table::{Answer, DecisionId, Look, RequestMark};

/// Where an answer goes.
pub(super) type To<T> = oneshot::Sender<Result<T, HostError>>;

/// What one table can be asked for.
pub(super) enum Ask {
    /// How it looks.
    Look(To<Look>),
    /// How it looks, to somebody who shows a token.
    Admit { who: Who, to: To<(Look, Viewer)> },
    /// To let somebody sit down. The seat at the table before has been checked.
    Join { join: Box<Join>, to: To<(Seat, Look)> },
    /// To change something.
    Change { behalf: Behalf, change: Change, to: To<Look> },
    /// To take the answer of a seat.
    Act { pass: SeatPass, answering: Answering, to: To<Answered> },
    /// To let somebody watch, or play over a stream.
    Attach(Box<Attach>),
    /// To take an answer from a stream.
    Answer {
        out: Arc<Out>,
        channel: Channel,
        attachment: Attachment,
        /// The token that the channel was attached with.
        pass: Option<SeatPass>,
        answering: Answering,
    },
    /// To forget somebody who watched.
    Detach(Attachment),
    /// Nothing: it was to be brought into memory.
    Wake,
}

/// An answer to a decision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answering {
    pub(super) decision: DecisionId,
    pub(super) answer: Answer,
    pub(super) reported: Option<u32>,
}

/// Somebody who wants to watch, or play over a stream.
pub(super) struct Attach {
    pub(super) out: Arc<Out>,
    pub(super) channel: Channel,
    pub(super) attachment: Attachment,
    pub(super) who: Who,
    pub(super) after: Option<u64>,
    pub(super) wants: Wants,
    /// The agent, if it plays as one.
    pub(super) agent: Option<Arc<Known>>,
    /// Held until the channel has been told what it has missed.
    pub(super) _catch_up: Option<CatchUp>,
}

/// A change that is made to a table.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Replace {
        seat: Seat,
        bot: String,
        request: Option<RequestMark>,
    },
    Resign {
        seat: Seat,
    },
    /// The agent of the seat is set aside.
    SetAside {
        seat: Seat,
    },
    Cancel {
        note: String,
    },
    Reissue {
        seat: Seat,
        request: Option<RequestMark>,
    },
    /// The tokens for spectators given before end.
    RevokeSpectators,
}
