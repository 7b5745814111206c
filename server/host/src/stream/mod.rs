//! Streams of clients: the commands that come in, the items that go out, and the queue between tables and a slow reader.

pub(crate) mod channels;
pub(crate) mod handle;
pub(crate) mod item;
pub(crate) mod item_batch;
pub(crate) mod notifications;
pub(crate) mod queue;
pub(crate) mod registry;

pub use handle::{Said, Saying, StreamHandle, Unsaid};
pub use item::{
    AnswerOutcome, AnswerRefused, Answered, Asked, Closed, News, NewsItem, Presence, SeatTime, Snapshot,
    StreamItem, Told,
};
pub use item_batch::{ItemBatch, ItemEncoder, StreamKind};
pub use queue::{Batch, CATCH_UPS};
pub use registry::Outbox;
