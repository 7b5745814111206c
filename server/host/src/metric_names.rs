//! Names of the metrics that the host records. Hidden information never changes a metric.

/// Counter of accepted answers. Answers to secret decisions are not counted.
pub const MOVES: &str = "parlor_moves_total";
/// Gauge of tables in memory, by shard.
pub const TABLES_IN_MEMORY: &str = "parlor_tables_in_memory";
/// Gauge of connected agents.
pub const AGENTS_CONNECTED: &str = "parlor_agents_connected";
/// Counter of agent suspensions, by reason.
pub const AGENTS_SET_ASIDE: &str = "parlor_agents_set_aside_total";
/// Gauge of tournaments in memory.
pub const TOURNAMENTS_IN_MEMORY: &str = "parlor_tournaments_in_memory";
/// Counter of finished tournament tables.
pub const TOURNAMENT_TABLES: &str = "parlor_tournament_tables_total";
