//! Requests to one table, delivered by its shard.

use std::sync::Arc;

use parlor_engine::{Seat, Viewer};
use parlor_fair::Entropy;
use tokio::sync::oneshot;

use crate::agents::Agent;
use crate::clock::Moment;
use crate::identity::VerifiedSeatToken;
use crate::limits::CallerKey;
use crate::shard::reply::Revealer;
use crate::stream::channels::Attachment;
use crate::stream::queue::{CatchUpGuard, StreamQueue};
use crate::table::{DecisionAnswer, IdempotencyKey, NewInvite, TableSummary};
use crate::{Actor, Answered, Channel, HostError, JoinRequest, ViewerCredential, Wants};

/// Receiver of a reply.
pub(crate) type ReplyTo<T> = oneshot::Sender<Result<T, HostError>>;

/// A request to one table.
pub(crate) enum TableMessage {
    /// Get the summary.
    Summary(ReplyTo<TableSummary>),
    /// Get the summary as the holder of a credential.
    Admit { credential: ViewerCredential, to: ReplyTo<(TableSummary, Viewer)> },
    /// Take a seat. The seat at the previous table has been verified.
    Join { join: Box<JoinRequest>, to: ReplyTo<(Seat, TableSummary)> },
    /// Change the table.
    Change { by: Actor, change: Change, to: ReplyTo<TableSummary> },
    /// Answer a decision in a unary call.
    Act { token: VerifiedSeatToken, answer: DecisionAnswer, arrived: Moment, to: ReplyTo<Answered> },
    /// Reveal the entropy of a seat.
    Reveal { token: VerifiedSeatToken, entropy: Box<Entropy>, to: Revealer },
    /// Subscribe a stream channel.
    Attach(Box<AttachRequest>),
    /// Answer a decision over a stream.
    Answer {
        queue: Arc<StreamQueue>,
        channel: Channel,
        attachment: Attachment,
        /// The seat token that the channel was attached with.
        token: Option<VerifiedSeatToken>,
        answer: DecisionAnswer,
        /// The clock of the seat is charged up to this moment.
        arrived: Moment,
    },
    /// End a subscription.
    Detach(Attachment),
    /// Only load the table into memory.
    Wake,
}

/// A subscription request of a stream channel.
pub(crate) struct AttachRequest {
    pub(crate) queue: Arc<StreamQueue>,
    pub(crate) channel: Channel,
    pub(crate) attachment: Attachment,
    pub(crate) credential: ViewerCredential,
    /// The caller that a spectator counts for, if callers are limited.
    pub(crate) caller: Option<CallerKey>,
    pub(crate) after: Option<u64>,
    pub(crate) wants: Wants,
    /// Presence counts from this moment on.
    pub(crate) arrived: Moment,
    /// The agent, if an agent plays the seat.
    pub(crate) agent: Option<Arc<Agent>>,
    /// Held until the channel has caught up.
    pub(crate) _catch_up: CatchUpGuard,
}

/// A change of a table.
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
    /// The agent of the seat is suspended; the seat plays defaults.
    SuspendAgent {
        seat: Seat,
    },
    Cancel {
        note: String,
    },
    Reissue {
        seat: Seat,
        request: Option<IdempotencyKey>,
    },
    /// Revoke all spectator tokens issued so far.
    RevokeSpectators,
    CreateInvite(NewInvite),
    RevokeInvite {
        number: u32,
    },
}

impl Change {
    /// The seat that the change concerns, if its holder may make it.
    pub(crate) fn seat(&self) -> Option<Seat> {
        match self {
            Change::Resign { seat } => Some(*seat),
            // All other changes are for the table's organiser: the holder of a seat token may only resign.
            _ => None,
        }
    }
}
