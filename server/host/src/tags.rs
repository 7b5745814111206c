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

/// The tag of the tables that have this place in their tournaments. With it, the rows of tables can be put in the order of
/// the deals.
fn deal_tag(number: u32, rotation: u8) -> String {
    format!("deal:{number}:{rotation}")
}

/// The number of the deal and of the table of it, of a table with these tags.
pub(crate) fn deal_of(tags: &[String]) -> Option<(u32, u8)> {
    let (number, rotation) = tags.iter().find_map(|tag| tag.strip_prefix("deal:")?.split_once(':'))?;
    Some((number.parse().ok()?, rotation.parse().ok()?))
}

/// All that a table is found by. It follows from how the table was set up, so it never changes.
pub(crate) fn tags(setup: &Setup) -> Vec<String> {
    let mut tags = Vec::new();
    for seat in &setup.seats {
        if let SeatSetup::Agent { name, .. } = seat {
            let tag = agent_tag(name);
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
    }
    if let Some(deal) = setup.chance.deal() {
        tags.extend([tournament_tag(deal.tournament), deal_tag(deal.number, deal.rotation)]);
    }
    tags
}
