//! What one table can be asked for, by way of the shard that it lives in.

use std::sync::Arc;

use parlor_engine::{Seat, Viewer};
use tokio::sync::oneshot;

use crate::agents::Known;
use crate::identity::VerifiedSeatToken;
use crate::stream::channels::Attachment;
use crate::stream::queue::{CatchUp, Out};
use crate::table::{DecisionAnswer, Look, RequestMark};
use crate::{Answered, Behalf, Channel, HostError, Join, Wants, Who};

/// Where an answer goes.
pub(crate) type To<T> = oneshot::Sender<Result<T, HostError>>;

/// What one table can be asked for.
pub(crate) enum Ask {
    /// How it looks.
    Look(To<Look>),
    /// How it looks, to somebody who shows a token.
    Admit { who: Who, to: To<(Look, Viewer)> },
    /// To let somebody sit down. The seat at the table before has been checked.
    Join { join: Box<Join>, to: To<(Seat, Look)> },
    /// To change something.
    Change { behalf: Behalf, change: Change, to: To<Look> },
    /// To take the answer of a seat.
    Act { pass: VerifiedSeatToken, answering: DecisionAnswer, to: To<Answered> },
    /// To let somebody watch, or play over a stream.
    Attach(Box<Attach>),
    /// To take an answer from a stream.
    Answer {
        out: Arc<Out>,
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
    pub(crate) out: Arc<Out>,
    pub(crate) channel: Channel,
    pub(crate) attachment: Attachment,
    pub(crate) who: Who,
    pub(crate) after: Option<u64>,
    pub(crate) wants: Wants,
    /// The agent, if it plays as one.
    pub(crate) agent: Option<Arc<Known>>,
    /// Held until the channel has been told what it has missed.
    pub(crate) _catch_up: Option<CatchUp>,
}

/// A change that is made to a table.
#[derive(Clone, Debug)]
pub(crate) enum Change {
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
