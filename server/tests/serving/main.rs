//! The server over real sockets, in this process or as the real program: calls, gRPC-Web, pages, TLS,
//! limits, signals and shutdown, commands, logs and traces.
//!
//! No test sleeps for a guessed time: each wait is for an output line, a response or an exit, with a timeout
//! of minutes.

mod commands;
mod connection_limits;
mod data_folder;
mod grpc_calls;
mod grpc_web;
mod host_names;
mod http1;
mod killed;
mod limits;
mod pages;
mod postgres;
mod postgres_errors;
mod shutdown;
mod simulated_network;
mod support;
mod telemetry;
mod tls;
