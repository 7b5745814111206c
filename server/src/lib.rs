//! Parlor's server: tables as durable logs.
#![deny(missing_docs)]

pub mod log;
