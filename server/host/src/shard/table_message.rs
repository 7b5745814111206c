//! What one table can be asked for, by way of the shard that it lives in.

use std::sync::Arc;

use parlor_engine::{Seat, Viewer};
use tokio::sync::oneshot;

use crate::agents::Agent;
use crate::identity::VerifiedSeatToken;
use crate::stream::channels::Attachment;
use crate::stream::queue::{CatchUpGuard, StreamQueue};
use crate::table::{DecisionAnswer, IdempotencyKey, TableSummary};
use crate::{Actor, Answered, Channel, HostError, JoinRequest, ViewerCredential, Wants};

/// Where an answer goes.
pub(crate) type ReplyTo<T> = oneshot::Sender<Result<T, HostError>>;

/// What one table can be asked for.
pub(crate) enum TableMessage {
    /// How it looks.
    Summary(ReplyTo<TableSummary>),
    /// How it looks, to somebody who shows a token.
    Admit { who: ViewerCredential, to: ReplyTo<(TableSummary, Viewer)> },
    /// To let somebody sit down. The seat at the table before has been checked.
    Join { join: Box<JoinRequest>, to: ReplyTo<(Seat, TableSummary)> },
    /// To change something.
    Change { behalf: Actor, change: Change, to: ReplyTo<TableSummary> },
    /// To take the answer of a seat.
    Act { pass: VerifiedSeatToken, answering: DecisionAnswer, to: ReplyTo<Answered> },
    /// To let somebody watch, or play over a stream.
    Attach(Box<Attach>),
    /// To take an answer from a stream.
    Answer {
        queue: Arc<StreamQueue>,
        channel: Channel,
        attachment: Attachment,
        /// The token that the channel was attached with.
        pass: Option<VerifiedSeatToken>,
        answering: DecisionAnswer,
    },
    /// To forget somebody who watched.
    Detach(Attachment),
    /// Nothing: it was to be brought into memory.
    Wake,
}

/// Somebody who wants to watch, or play over a stream.
pub(crate) struct Attach {
    pub(crate) queue: Arc<StreamQueue>,
    pub(crate) channel: Channel,
    pub(crate) attachment: Attachment,
    pub(crate) who: ViewerCredential,
    pub(crate) after: Option<u64>,
    pub(crate) wants: Wants,
    /// The agent, if it plays as one.
    pub(crate) agent: Option<Arc<Agent>>,
    /// Held until the channel has been told what it has missed.
    pub(crate) _catch_up: Option<CatchUpGuard>,
}

/// A change that is made to a table.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Replace {
        seat: Seat,
        bot: String,
        request: Option<IdempotencyKey>,
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
        request: Option<IdempotencyKey>,
    },
    /// The tokens for spectators given before end.
    RevokeSpectators,
}
