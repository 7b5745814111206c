//! Parts that all stores with a journal share: group commits, the journal and its index, rows and their checksums.
//!
//! A writer thread takes all appends that wait ([`writer_thread`]), validates them one after the other
//! ([`batch`]), and makes a plan of everything that one transaction has to write ([`plan`]). The store carries
//! the plan out; after the commit the plan updates the index of the tables in play ([`index`]) and is
//! published to followers.

pub(crate) mod batch;
pub(crate) mod errors;
pub(crate) mod feed;
pub(crate) mod followers;
pub(crate) mod frame;
pub(crate) mod index;
pub(crate) mod plan;
pub(crate) mod row;
pub(crate) mod table_change;
pub(crate) mod tags;
pub(crate) mod writer;
pub(crate) mod writer_thread;
