//! The server of the Model Context Protocol: tools with which a language model plays tables, over the SDK.
//!
//! A client holds an opaque handle for each seat and for each agent. Handles, and the tokens that they stand for, are kept in
//! the data folder, so that they outlive this program; a token is never sent to a client.
//!
//! - `server.rs`: the protocol's requests: tools, prompts and resources.
//! - `tools.rs`: the tools as they are listed; `tool_arguments.rs`, `tool_reports.rs`: the forms of what they are given and
//!   give; `tool_calls.rs` carries them out, `act.rs` the answers to
//!   decisions, `new_seats.rs` the ways to a seat.
//! - `prompts.rs`, `resources.rs`: prompts for players of each game; rules, states and records to read.
//! - `connected_seat.rs`: a seat that is followed; `connected_agent.rs`: an agent and its seats; `connections.rs`: all of them.
//! - `handles.rs`: the handles in the data folder; `notes.rs`: the notes that models make of their decisions.
//! - `http.rs`: the protocol over HTTP; `tool_error.rs`: errors that a model can read.

mod act;
mod connected_agent;
mod connected_seat;
mod connections;
mod handles;
mod http;
mod new_seats;
mod notes;
mod prompts;
mod resources;
mod server;
mod tool_arguments;
mod tool_calls;
mod tool_error;
mod tool_reports;
mod tools;

pub(crate) use http::{HttpSettings, serve_http};
pub(crate) use server::{McpServer, McpSettings};
