//! The examiner of `parlor conformance`: it is the server that somebody's agent connects to, and so can do to it whatever a
//! server and a network do, at the worst moment: refuse, repeat itself, cut the line, run out of time.
//!
//! - `line.rs`: the service, connections that can be cut, and who comes.
//! - `table.rs`: one table, refereed here with the engine.
//! - `arena.rs`: the tables of one check over the connection, and what the agent does wrong there.
//! - `checks.rs`: the checks, one function each.
//! - `report.rs`: what came of them.

mod arena;
mod checks;
mod line;
mod report;
mod table;

pub(crate) use checks::{Exam, examine};
pub(crate) use line::Line;
pub(crate) use report::{Check, Said, Verdict};
