//! Protocol conformance checks of `parlor conformance`. This program is the server that the agent connects
//! to, so that it can inject faults at any point: refusals, repeated decisions, disconnects, expired clocks.
//!
//! - `server.rs`: the gRPC service, with connections that can be cut.
//! - `table.rs`: one table, refereed with the engine; `seat_state.rs`: the agent's seats at it.
//! - `runner.rs`: runs the tables of one check over the connection, and records the agent's faults.
//! - `checks.rs`: the list of checks; `handshake.rs`: the first one.
//! - `report.rs`: the results.

mod checks;
mod handshake;
mod report;
mod runner;
mod seat_state;
mod server;
mod table;
mod texts;

pub(crate) use checks::{ExamSettings, run_checks};
pub(crate) use report::{Check, Verdict};
pub(crate) use server::ExamServer;
