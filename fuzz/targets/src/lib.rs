//! Fuzz targets: functions that decode arbitrary bytes, one for each kind of input from outside.
//!
//! A target panics where the code behind it panics, or where a promise does not hold, such as that a record reads back as
//! it was written. Refused input is no failure. The fuzzer in `fuzz/fuzz_targets` calls the targets with ever new bytes,
//! and the test `corpus` calls them with every file of `fuzz/corpus`.

mod callers;
mod grpc_frames;
mod grpc_requests;
mod http;
mod journal;
mod records;
mod server;
mod settings_file;
mod stored_messages;
mod stream_items;
mod tokens;
mod tournament_file;

pub use grpc_requests::{METHODS, method_index};

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct FuzzTarget {
    /// Name: of its program in `fuzz/fuzz_targets`, and of its folder in `fuzz/corpus`.
    pub name: &'static str,
    /// Decodes the bytes.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: &[FuzzTarget] = &[
    FuzzTarget { name: "grpc_requests", run: grpc_requests::run },
    FuzzTarget { name: "grpc_frames", run: grpc_frames::run },
    FuzzTarget { name: "stream_items", run: stream_items::run },
    FuzzTarget { name: "tokens", run: tokens::run },
    FuzzTarget { name: "record_protobuf", run: records::run_protobuf },
    FuzzTarget { name: "record_json", run: records::run_json },
    FuzzTarget { name: "record_text", run: records::run_text },
    FuzzTarget { name: "tournament_file", run: tournament_file::run },
    FuzzTarget { name: "settings_file", run: settings_file::run },
    FuzzTarget { name: "journal", run: journal::run },
    FuzzTarget { name: "stored_messages", run: stored_messages::run },
    FuzzTarget { name: "sqlite_rows", run: journal::run_rows },
    FuzzTarget { name: "grpc_web", run: http::run_grpc_web },
    FuzzTarget { name: "http_connection", run: http::run_connection },
];

/// Runs the target with this name.
///
/// # Panics
/// If there is none, or where the target panics.
pub fn run(name: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.unwrap_or_else(|| panic!("there is no target {name}")).run)(input);
}
