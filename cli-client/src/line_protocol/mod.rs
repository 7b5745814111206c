//! The line protocol: programs that read and write JSON lines play tables, without gRPC.
//!
//! `docs/line-protocol.md` describes the lines, and `docs/line-protocol.schema.json` is their JSON Schema.
//!
//! - `message.rs`: the lines as types.
//! - `table_lines.rs`: lines about a seat, from the messages of a server.
//! - `process.rs`: a running program and its pipes.
//! - `supervisor.rs`: keeps a program running, and passes decisions and answers between it and its seats;
//!   `open_decisions.rs` has the seats of a program, and matches its answers with what they wait for.
//! - `bot.rs`: a seat that a program plays, as a bot of the SDK.
//! - `command_name.rs`: names of programs by their commands.
//! - `notice.rs`: failures of a program, and its error output, for people.

mod bot;
mod command_name;
mod message;
mod notice;
mod open_decisions;
mod process;
mod supervisor;
mod table_lines;

pub use bot::{ProgramBot, wants};
pub use command_name::{EXEC_PREFIX, short_name};
pub use message::{Answer, EndLine, EventsLine, HelloLine, Line, PROTOCOL_VERSION, StartLine};
pub use message::{DecisionLine, LegalActionLine};
pub use notice::{Fault, Notice, NoticeSink};
pub use supervisor::{MAX_FAULTS, ProcessModel, ProgramSettings, Programs};
pub use table_lines::TableLines;

#[cfg(test)]
mod tests;
