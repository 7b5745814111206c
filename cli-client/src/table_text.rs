//! Texts of a server's messages for programs: sentences with the numbers of the seats, and the names of players.

use parlor_sdk::wire;
use wire::table_seat::Occupant;

use crate::text::sanitise;

/// The sentence of a text, with the numbers of the seats.
pub(crate) fn plain_text(text: &wire::RichText) -> String {
    text.parts.iter().map(|part| part.text.as_str()).collect()
}

/// Name of the occupant of a seat; empty if there is none.
pub(crate) fn seat_name(seat: &wire::TableSeat) -> String {
    match &seat.occupant {
        None | Some(Occupant::Open(_)) => String::new(),
        Some(Occupant::HouseBot(bot)) => sanitise(&bot.name),
        Some(Occupant::Agent(agent)) => sanitise(&agent.name),
        Some(Occupant::Reserved(seat)) => sanitise(&seat.display_name),
        Some(Occupant::Player(player)) => sanitise(&player.display_name),
    }
}
