//! What tables are found by, beside their listing.

use crate::TableId;
use crate::table::{SeatSetup, Setup};

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

/// All that a table is found by. It follows from how the table was set up, so it never changes.
pub(super) fn tags(setup: &Setup) -> Vec<String> {
    let mut tags = Vec::new();
    for seat in &setup.seats {
        if let SeatSetup::Agent { name, .. } = seat {
            let tag = agent_tag(name);
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
    }
    tags
}
