//! Folds table events into a table snapshot.

use crate::wire;
use wire::table_event::Event;

/// Applies events to a table.
pub(crate) fn apply_events(table: &mut wire::Table, events: &[wire::TableEvent]) {
    for event in events.iter().filter_map(|event| event.event.as_ref()) {
        match event {
            Event::SeatJoined(joined) => set_seat(table, joined.seat.as_ref()),
            Event::SeatReplaced(replaced) => set_seat(table, replaced.seat.as_ref()),
            Event::Starting(starting) => {
                table.state = wire::TableState::Starting.into();
                table.expire_time = None;
                table.shuffle.clone_from(&starting.shuffle);
            }
            Event::Started(started) => {
                table.state = wire::TableState::Playing.into();
                table.expire_time = None;
                table.reveal_before = None;
                table.shuffle.clone_from(&started.shuffle);
                mark_withheld(table);
            }
            Event::SeatForfeited(forfeited) => {
                if let Some(seat) = table.seats.iter_mut().find(|seat| seat.seat == forfeited.seat) {
                    seat.forfeited = forfeited.why;
                }
            }
            Event::Over(over) => {
                let reason =
                    over.result.as_ref().map_or(wire::EndReason::Unspecified, wire::TableResult::reason);
                table.state = state_after(reason).into();
                (table.expire_time, table.reveal_before) = (None, None);
                table.result.clone_from(&over.result);
                table.shuffle.clone_from(&over.shuffle);
            }
            Event::Rematch(rematch) => table.rematch_table_id.clone_from(&rematch.table_id),
            // Counted in the result only.
            Event::ClockRanOut(_) => {}
        }
    }
}

/// Marks the seats that withheld entropy.
fn mark_withheld(table: &mut wire::Table) {
    let shuffle = table.shuffle.as_ref();
    let withheld = |seat: &&wire::SeatEntropy| !seat.commitment.is_empty() && seat.entropy.is_empty();
    for added in shuffle.iter().flat_map(|shuffle| &shuffle.entropy).filter(withheld) {
        if let Some(seat) = table.seats.iter_mut().find(|seat| seat.seat == added.seat) {
            seat.entropy_withheld = true;
        }
    }
}

fn set_seat(table: &mut wire::Table, seat: Option<&wire::TableSeat>) {
    let Some(seat) = seat else { return };
    if let Some(entry) = table.seats.iter_mut().find(|entry| entry.seat == seat.seat) {
        entry.clone_from(seat);
    }
}

/// State of a table that ended for this reason.
fn state_after(reason: wire::EndReason) -> wire::TableState {
    match reason {
        wire::EndReason::PlayedOut => wire::TableState::Finished,
        wire::EndReason::Cancelled => wire::TableState::Cancelled,
        wire::EndReason::Expired => wire::TableState::Expired,
        wire::EndReason::ServerFault => wire::TableState::Faulted,
        wire::EndReason::Unspecified => wire::TableState::Unspecified,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(event: Event) -> wire::TableEvent {
        wire::TableEvent { event: Some(event) }
    }

    #[test]
    fn table_events_update_seats_state_and_result() {
        let seat = |seat, occupant| wire::TableSeat { seat, occupant: Some(occupant), ..Default::default() };
        let open = wire::table_seat::Occupant::Open(wire::OpenSeat {});
        let ada = wire::table_seat::Occupant::Player(wire::PlayerSeat {
            display_name: "Ada".into(),
            ..Default::default()
        });
        let bot = wire::table_seat::Occupant::HouseBot(wire::HouseBotSeat { name: "greedy".into() });
        let mut table = wire::Table {
            state: wire::TableState::Open.into(),
            seats: vec![seat(0, open.clone()), seat(1, open)],
            ..Default::default()
        };
        let shuffle = |server_seed: &[u8]| {
            Some(wire::FairShuffle { server_seed: server_seed.to_vec(), ..Default::default() })
        };
        apply_events(
            &mut table,
            &[
                event(Event::SeatJoined(wire::SeatJoined { seat: Some(seat(1, ada.clone())) })),
                event(Event::SeatReplaced(wire::SeatReplaced { seat: Some(seat(0, bot.clone())) })),
                event(Event::Started(wire::TableStarted { shuffle: shuffle(b"") })),
            ],
        );
        assert_eq!(table.state(), wire::TableState::Playing);
        assert_eq!(table.seats, [seat(0, bot), seat(1, ada)]);
        let why = wire::SeatFinish::Resigned.into();
        let result = wire::TableResult { reason: wire::EndReason::PlayedOut.into(), ..Default::default() };
        apply_events(
            &mut table,
            &[
                event(Event::ClockRanOut(wire::ClockRanOut { seat: 1, times: 1 })),
                event(Event::SeatForfeited(wire::SeatForfeited { seat: 1, why })),
                event(Event::Over(wire::TableOver {
                    result: Some(result.clone()),
                    shuffle: shuffle(b"seed"),
                })),
                event(Event::Rematch(wire::RematchMade { table_id: "next".into() })),
                wire::TableEvent { event: None },
            ],
        );
        assert_eq!(table.state(), wire::TableState::Finished);
        assert_eq!(table.seats[1].forfeited(), wire::SeatFinish::Resigned);
        assert_eq!((table.result, table.shuffle), (Some(result), shuffle(b"seed")));
        assert_eq!(table.rematch_table_id, "next");
    }
}
