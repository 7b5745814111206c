//! The server as its clients and those who run it meet it: over real sockets, in this process or as the real program.
//!
//! Nothing waits for a guessed time: what is waited for is a line, an answer or an end, with a minute for each.

mod calls;
mod commands;
mod limits;
mod simulated;
mod stopping;
mod support;
mod telemetry;
mod tls;
mod web;
