//! Client streams: inbound commands, outbound items, and the bounded queue between tables and a slow reader.

pub(crate) mod channels;
pub(crate) mod handle;
pub(crate) mod item;
pub(crate) mod item_batch;
pub(crate) mod notifications;
pub(crate) mod queue;
pub(crate) mod registry;
pub(crate) mod remote;

pub use handle::{Backpressured, ChannelCommand, ClientCommand, StreamHandle};
pub use item::{
    AnswerOutcome, AnswerRefused, Answered, Closed, DecisionPrompt, OwnerEvent, OwnerFeedItem, Presence,
    SeatTime, Snapshot, StreamItem, ViewerUpdate,
};
pub use item_batch::{ItemBatch, ItemEncoder, StreamKind};
pub use queue::{MAX_CONCURRENT_CATCH_UPS, OutboundBatch};
pub use registry::StreamReceiver;
pub use remote::RemoteItems;
