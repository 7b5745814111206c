//! The program as people and scripts use it: the real binary against a real server, through pipes and in a terminal.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that meets None or Err should stop there and then")]

mod support;

mod agents;
mod bench;
mod commands;
mod conformance;
mod failures;
mod games;
mod help;
mod interrupts;
mod json;
mod records;
mod restarts;
mod tls;
mod tournaments;
