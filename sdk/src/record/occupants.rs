//! Occupants of seats: conversions between records and tables.

use super::verify::table_events;
use crate::wire;
use wire::table_event::Event;
use wire::table_seat::Occupant;

/// Initial occupants: those at the end who never joined.
pub(super) fn initial_occupants(record: &wire::Record, players: u8) -> Vec<Option<Occupant>> {
    // Players always join later.
    let was_initial = |occupant: &Occupant| !matches!(occupant, Occupant::Player(_));
    let mut occupants: Vec<Option<Occupant>> =
        (0..u32::from(players)).map(|seat| final_occupant(record, seat).filter(was_initial)).collect();
    let (mut has_joined, mut started) = (vec![false; occupants.len()], false);
    for event in table_events(record) {
        let (seat, by_bot) = match event {
            Event::Starting(_) | Event::Started(_) => {
                started = true;
                continue;
            }
            Event::SeatJoined(joined) => (joined.seat.as_ref(), false),
            Event::SeatReplaced(replaced) => (replaced.seat.as_ref(), true),
            _ => continue,
        };
        let index = seat.map_or(usize::MAX, |seat| seat.seat as usize);
        if let (Some(occupant), Some(has_joined)) = (occupants.get_mut(index), has_joined.get_mut(index)) {
            // A seat that never joined and was replaced by a bot during the game had an initial occupant: an
            // agent.
            let was_initial = by_bot && started && !*has_joined;
            if !std::mem::replace(has_joined, true) {
                *occupant = was_initial.then(|| Occupant::Agent(wire::AgentSeat::default()));
            }
        }
    }
    occupants
}

/// Occupant of a seat at the end.
pub(super) fn final_occupant(record: &wire::Record, seat: u32) -> Option<Occupant> {
    use wire::record_seat::Occupant as RecordOccupant;
    let entry = record.seats.iter().find(|entry| entry.seat == seat)?;
    Some(match entry.occupant.clone()? {
        RecordOccupant::Player(player) => Occupant::Player(player_seat(player.display_name)),
        RecordOccupant::HouseBot(bot) => Occupant::HouseBot(bot),
        RecordOccupant::Agent(agent) => Occupant::Agent(agent),
    })
}

/// A player as a table shows it.
pub(super) fn player_seat(display_name: String) -> wire::PlayerSeat {
    wire::PlayerSeat { user_id: String::new(), display_name }
}

/// An occupant as a record shows it.
pub(super) fn record_seat(seat: u32, occupant: Option<&Occupant>) -> wire::RecordSeat {
    use wire::record_seat::Occupant as RecordOccupant;
    let occupant = occupant.and_then(|occupant| match occupant {
        Occupant::Player(player) => {
            Some(RecordOccupant::Player(wire::RecordPlayer { display_name: player.display_name.clone() }))
        }
        Occupant::HouseBot(bot) => Some(RecordOccupant::HouseBot(bot.clone())),
        Occupant::Agent(agent) => Some(RecordOccupant::Agent(agent.clone())),
        Occupant::Open(_) | Occupant::Reserved(_) => None,
    });
    wire::RecordSeat { seat, occupant }
}
