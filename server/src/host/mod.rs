//! The host: all live tables, and those who play and watch them.

mod ask;
mod error;
mod item;

pub use ask::{Behalf, Channel, Join, NewChance, NewTable, TableFilter, Wants, Who};
pub use error::HostError;
pub use item::{
    AnswerOutcome, AnswerRefused, Answered, Asked, Closed, Item, News, NewsItem, Presence, SeatTime,
    Snapshot, Told, What,
};
