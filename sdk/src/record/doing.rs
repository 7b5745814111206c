//! What a step of a record comes to, while it is worked out.

use parlor_engine::{AnyEvent, Audience, Events, MAX_SEATS, Seat, Shuffle};
use parlor_proto::convert::{seat_number, seat_numbers};

use crate::wire;
use wire::table_event::Event;
use wire::table_seat::Occupant;

/// What a step comes to, while it is made.
#[derive(Default)]
pub(super) struct Doing {
    pub(super) told: Vec<wire::RecordTelling>,
    pub(super) decided: [Option<wire::RecordDecision>; MAX_SEATS],
    pub(super) shuffles: Vec<(Shuffle, Vec<u8>)>,
}

impl Events<AnyEvent> for Doing {
    fn tell(&mut self, to: Audience, event: AnyEvent) {
        self.push(to, wire::record_telling::Told::Game(event.into()));
    }

    fn shuffled(&mut self, name: Shuffle, codes: impl Iterator<Item = u8>) {
        self.shuffles.push((name, codes.collect()));
    }
}

impl Doing {
    /// Tells everyone of something at the table.
    pub(super) fn tell_table(&mut self, event: Event) {
        let event = wire::TableEvent { event: Some(event) };
        self.push(Audience::Everyone, wire::record_telling::Told::Table(event));
    }

    fn push(&mut self, to: Audience, told: wire::record_telling::Told) {
        use wire::record_telling::Audience as To;
        let audience = match to {
            Audience::Everyone => To::Everyone(wire::RecordEveryone {}),
            Audience::Only(seat) => To::Only(seat_number(seat)),
            Audience::AllBut(seats) => To::AllBut(wire::RecordSeats { seats: seat_numbers(seats) }),
        };
        self.told.push(wire::RecordTelling { audience: Some(audience), told: Some(told) });
    }
}

/// Who sits on a seat now.
pub(super) fn table_seat(seat: Seat, occupant: &Occupant) -> Option<wire::TableSeat> {
    Some(wire::TableSeat { seat: seat_number(seat), occupant: Some(occupant.clone()), forfeited: 0 })
}

pub(super) fn house_bot(name: &str) -> Occupant {
    Occupant::HouseBot(wire::HouseBotSeat { name: name.to_owned() })
}
