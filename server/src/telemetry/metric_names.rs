//! Names and descriptions of all metrics, in one place, so that `/metrics` describes each of them.
//!
//! No metric reveals hidden information: none changes with a hidden card or with a decision whose existence
//! is hidden.

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};
use parlor_host::metric_names::{
    AGENTS_CONNECTED, AGENTS_SET_ASIDE, MOVES, TABLES_IN_MEMORY, TOURNAMENT_TABLES, TOURNAMENTS_IN_MEMORY,
};
use parlor_store::COMMIT_SECONDS;

/// Completed requests, by method and status.
pub const REQUESTS: &str = "parlor_requests_total";
/// Duration of unary calls, by method.
pub const REQUEST_SECONDS: &str = "parlor_request_seconds";
/// Open streams, by method.
pub const STREAMS_OPEN: &str = "parlor_streams_open";
/// Open connections.
pub const CONNECTIONS_OPEN: &str = "parlor_connections_open";

/// Connections closed at once because of a limit, by limit: in total, or per address.
pub const CONNECTIONS_REFUSED: &str = "parlor_connections_refused_total";

/// Responses to browsers, by status.
pub const PAGE_RESPONSES: &str = "parlor_page_responses_total";

/// Registers the description of each metric.
pub(super) fn describe() {
    describe_counter!(REQUESTS, "Completed requests, by method and status.");
    describe_histogram!(REQUEST_SECONDS, Unit::Seconds, "Duration of unary calls, by method.");
    describe_gauge!(STREAMS_OPEN, "Open streams, by method.");
    describe_gauge!(CONNECTIONS_OPEN, "Open connections.");
    describe_counter!(CONNECTIONS_REFUSED, "Connections closed at once because of a limit, by limit.");
    describe_counter!(PAGE_RESPONSES, "Responses to browsers, by status.");
    describe_counter!(MOVES, "Accepted answers of players, except to secret decisions.");
    describe_gauge!(TABLES_IN_MEMORY, "Tables in memory, by shard.");
    describe_histogram!(COMMIT_SECONDS, Unit::Seconds, "Duration of commits to the store.");
    describe_gauge!(TOURNAMENTS_IN_MEMORY, "Tournaments in memory.");
    describe_counter!(TOURNAMENT_TABLES, "Finished tournament tables.");
    describe_gauge!(AGENTS_CONNECTED, "Connected agents.");
    describe_counter!(AGENTS_SET_ASIDE, "Suspensions of agents, by reason.");
}
