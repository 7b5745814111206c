//! The server as its clients and those who run it meet it: over real sockets, in this process or as the real program.
//!
//! Nothing waits for a guessed time: what is waited for is a line, an answer or an end, with a minute for each.

mod commands;
mod grpc_calls;
mod grpc_web;
mod limits;
mod shutdown;
mod simulated_network;
mod support;
mod telemetry;
mod tls;
