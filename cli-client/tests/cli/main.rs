//! End-to-end tests: the real binary against a real server, through pipes and in a terminal.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may panic on None or Err")]

mod support;

mod agents;
mod bench;
mod commands;
mod conformance;
mod failures;
mod games;
mod grinding;
mod help;
mod interrupts;
mod json;
mod line_opponents;
mod line_programs;
mod mcp;
mod new_bot;
mod players;
mod records;
mod restarts;
mod signatures;
mod tls;
mod tournament_failures;
mod tournaments;
