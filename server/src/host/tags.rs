//! What tables are found by, beside their listing.

use crate::TableId;

/// The tag of all tables at which an agent has a seat.
#[must_use]
pub fn agent_tag(name: &str) -> String {
    format!("agent:{name}")
}

/// The tag of all tables of a tournament.
#[must_use]
pub fn tournament_tag(tournament: TableId) -> String {
    format!("tournament:{tournament}")
}
