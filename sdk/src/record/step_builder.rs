//! Builder of one expected step of a record.

use parlor_engine::{AnyEvent, Audience, EventSink, MAX_SEATS, Seat, ShuffleId};
use parlor_proto::convert::{seat_number, seat_numbers};

use crate::wire;
use wire::table_event::Event;
use wire::table_seat::Occupant;

/// Collects the events, decisions and shuffles of one step.
#[derive(Default)]
pub(super) struct StepBuilder {
    pub(super) events: Vec<wire::RecordTelling>,
    pub(super) decided: [Option<wire::RecordDecision>; MAX_SEATS],
    pub(super) shuffles: Vec<(ShuffleId, Vec<u8>)>,
}

impl EventSink<AnyEvent> for StepBuilder {
    fn emit(&mut self, to: Audience, event: AnyEvent) {
        self.add(to, wire::record_telling::Told::Game(event.into()));
    }

    fn record_shuffle(&mut self, name: ShuffleId, codes: impl Iterator<Item = u8>) {
        self.shuffles.push((name, codes.collect()));
    }
}

impl StepBuilder {
    /// Adds a table event for everyone.
    pub(super) fn add_table_event(&mut self, event: Event) {
        let event = wire::TableEvent { event: Some(event) };
        self.add(Audience::Everyone, wire::record_telling::Told::Table(event));
    }

    fn add(&mut self, to: Audience, event: wire::record_telling::Told) {
        use wire::record_telling::Audience as To;
        let audience = match to {
            Audience::Everyone => To::Everyone(wire::RecordEveryone {}),
            Audience::Only(seat) => To::Only(seat_number(seat)),
            Audience::AllBut(seats) => To::AllBut(wire::RecordSeats { seats: seat_numbers(seats) }),
        };
        self.events.push(wire::RecordTelling { audience: Some(audience), told: Some(event), text: None });
    }
}

/// Seat entry of a table event.
pub(super) fn table_seat(seat: Seat, occupant: &Occupant) -> Option<wire::TableSeat> {
    let occupant = Some(occupant.clone());
    Some(wire::TableSeat { seat: seat_number(seat), occupant, ..Default::default() })
}

pub(super) fn house_bot(name: &str) -> Occupant {
    Occupant::HouseBot(wire::HouseBotSeat { name: name.to_owned() })
}
