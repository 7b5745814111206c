//! Tags of tables, by which lists are filtered.

use crate::TournamentId;
use crate::table::{SeatSetup, Setup};

/// Tag of all tables at which the agent has a seat.
#[must_use]
pub fn agent_tag(name: &str) -> String {
    format!("agent:{name}")
}

/// Tag of all tables of the tournament.
#[must_use]
pub fn tournament_tag(tournament: TournamentId) -> String {
    format!("tournament:{tournament}")
}

/// Tag of the tables with this deal number and rotation. Table rows are sorted by it.
fn deal_tag(number: u32, rotation: u8) -> String {
    format!("deal:{number}:{rotation}")
}

/// Parses the deal number and rotation of a tournament table from its tags.
pub(crate) fn parse_deal_tag(tags: &[String]) -> Option<(u32, u8)> {
    let (number, rotation) = tags.iter().find_map(|tag| tag.strip_prefix("deal:")?.split_once(':'))?;
    Some((number.parse().ok()?, rotation.parse().ok()?))
}

/// All tags of a table. They follow from its setup and never change.
pub(crate) fn table_tags(setup: &Setup) -> Vec<String> {
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
