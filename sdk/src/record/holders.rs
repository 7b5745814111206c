//! Who sat where, in a record and at its table.

use super::verify::events;
use crate::wire;
use wire::table_event::Event;
use wire::table_seat::Occupant;

/// Who sat where when the table was made: those at the end who never came.
pub(super) fn first_holders(record: &wire::Record, players: u8) -> Vec<Option<Occupant>> {
    // Players join.
    let was_there = |holder: &Occupant| !matches!(holder, Occupant::Player(_));
    let mut holders: Vec<Option<Occupant>> =
        (0..u32::from(players)).map(|seat| holder(record, seat).filter(was_there)).collect();
    let (mut came, mut began) = (vec![false; holders.len()], false);
    for event in events(record) {
        let (seat, by_bot) = match event {
            Event::Started(_) => {
                began = true;
                continue;
            }
            Event::SeatJoined(joined) => (joined.seat.as_ref(), false),
            Event::SeatReplaced(replaced) => (replaced.seat.as_ref(), true),
            _ => continue,
        };
        let place = seat.map_or(usize::MAX, |seat| seat.seat as usize);
        if let (Some(holder), Some(came)) = (holders.get_mut(place), came.get_mut(place)) {
            // Whom a bot replaced during the game, and who never came, was there: an agent.
            let was_there = by_bot && began && !*came;
            if !std::mem::replace(came, true) {
                *holder = was_there.then(|| Occupant::Agent(wire::AgentSeat::default()));
            }
        }
    }
    holders
}

/// Who sat on a seat at the end.
pub(super) fn holder(record: &wire::Record, seat: u32) -> Option<Occupant> {
    use wire::record_seat::Occupant as Sat;
    let entry = record.seats.iter().find(|entry| entry.seat == seat)?;
    Some(match entry.occupant.clone()? {
        Sat::Player(player) => Occupant::Player(player_seat(player.display_name)),
        Sat::HouseBot(bot) => Occupant::HouseBot(bot),
        Sat::Agent(agent) => Occupant::Agent(agent),
    })
}

/// A player, as a table shows it.
pub(super) fn player_seat(display_name: String) -> wire::PlayerSeat {
    wire::PlayerSeat { user_id: String::new(), display_name }
}

/// Who sat on a seat, as a record shows it.
pub(super) fn record_seat(seat: u32, holder: Option<&Occupant>) -> wire::RecordSeat {
    use wire::record_seat::Occupant as Sat;
    let occupant = holder.and_then(|holder| match holder {
        Occupant::Player(player) => {
            Some(Sat::Player(wire::RecordPlayer { display_name: player.display_name.clone() }))
        }
        Occupant::HouseBot(bot) => Some(Sat::HouseBot(bot.clone())),
        Occupant::Agent(agent) => Some(Sat::Agent(agent.clone())),
        Occupant::Open(_) | Occupant::Reserved(_) => None,
    });
    wire::RecordSeat { seat, occupant }
}
