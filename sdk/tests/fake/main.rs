//! The SDK against a fake server that misbehaves on purpose: it cuts streams, repeats items, refuses, closes
//! and fails to reply. Clients must not see any of it.

#![allow(clippy::unwrap_used, reason = "a test stops at the first error")]

mod agent_service;
mod agents;
mod bots;
mod calls;
mod fake_host;
mod fake_server;
mod play_service;
mod records;
mod sessions;
mod table_feed;
