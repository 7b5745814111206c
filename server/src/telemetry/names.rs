//! The names of the metrics, and what each counts. Others of the server's modules add theirs here, so that the list is
//! in one place and `/metrics` explains all of them.
//!
//! Nothing that only some players may know is counted: no metric changes with a card that is hidden or a decision whose
//! existence is.

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

/// Requests that have ended, by method and status.
pub const REQUESTS: &str = "parlor_requests_total";
/// How long calls took that are not streams, by method.
pub const REQUEST_SECONDS: &str = "parlor_request_seconds";
/// Streams that are open, by method.
pub const STREAMS_OPEN: &str = "parlor_streams_open";
/// Connections that are open.
pub const CONNECTIONS_OPEN: &str = "parlor_connections_open";

/// Answers of players that were taken in. Secret ones are not counted.
pub const MOVES: &str = "parlor_moves_total";
/// Tables in memory, by shard.
pub const TABLES_IN_MEMORY: &str = "parlor_tables_in_memory";

/// How long commits of the store took.
pub const COMMIT_SECONDS: &str = "parlor_commit_seconds";
/// Agents that are connected.
pub const AGENTS_CONNECTED: &str = "parlor_agents_connected";
/// How often agents were set aside, by reason.
pub const AGENTS_SET_ASIDE: &str = "parlor_agents_set_aside_total";

/// Tournaments in memory.
pub const TOURNAMENTS_IN_MEMORY: &str = "parlor_tournaments_in_memory";
/// Tables of tournaments that are over.
pub const TOURNAMENT_TABLES: &str = "parlor_tournament_tables_total";

/// Tells the recorder what each metric means.
pub(super) fn describe() {
    describe_counter!(REQUESTS, "Requests that have ended, by method and status.");
    describe_histogram!(
        REQUEST_SECONDS,
        Unit::Seconds,
        "How long calls took that are not streams, by method."
    );
    describe_gauge!(STREAMS_OPEN, "Streams that are open, by method.");
    describe_gauge!(CONNECTIONS_OPEN, "Connections that are open.");
    describe_counter!(MOVES, "Answers of players that were taken in. Secret ones are not counted.");
    describe_gauge!(TABLES_IN_MEMORY, "Tables in memory, by shard.");
    describe_histogram!(COMMIT_SECONDS, Unit::Seconds, "How long commits of the store took.");
    describe_gauge!(TOURNAMENTS_IN_MEMORY, "Tournaments in memory.");
    describe_counter!(TOURNAMENT_TABLES, "Tables of tournaments that are over.");
    describe_gauge!(AGENTS_CONNECTED, "Agents that are connected.");
    describe_counter!(AGENTS_SET_ASIDE, "How often agents were set aside, by reason.");
}
