//! The view of Flush on the wire.

use parlor_engine::flush::{Ranks, Stack, View};
use parlor_engine::{MAX_SEATS, Seat};

use super::super::common::{players, seat, seat_number, seats};
use super::super::field::{WrongField, number8, number16, optional, required};
use super::super::messages;
use super::{GAME, ranks, write_ranks};
use crate::v1;
use crate::write::{Fields, Write};

messages!(View => FlushView);

impl Write for Stack {
    fn write(&self, to: &mut Fields<'_>) {
        to.message(1, &self.combination);
        to.number(2, seat_number(self.by));
    }
}

impl TryFrom<v1::FlushStack> for Stack {
    type Error = WrongField;
    fn try_from(wire: v1::FlushStack) -> Result<Stack, WrongField> {
        Ok(Stack { combination: required(wire.combination, "combination")?, by: seat(wire.by, "by")? })
    }
}

impl Write for View {
    fn write(&self, to: &mut Fields<'_>) {
        to.message(1, &self.viewer);
        to.message(2, &self.options);
        to.number(3, self.hand_number);
        to.number(4, seat_number(self.start));
        to.number(5, seat_number(self.turn));
        to.optional(6, self.stack);
        to.list(7, self.passed.iter().map(seat_number));
        write_ranks(self.hand, 8, to);
        write_ranks(self.gone, 9, to);
        to.number(10, self.set_aside);
        to.number(11, self.kept_back);
        for seat in Seat::all(self.players).map(Seat::index) {
            to.nested(12, |to| {
                to.number(1, self.hand_sizes[seat]);
                to.signed(2, self.totals[seat]);
                write_ranks(self.left[seat], 3, to);
            });
        }
        to.optional(13, self.outcome);
    }
}

impl TryFrom<v1::FlushView> for View {
    type Error = WrongField;
    fn try_from(wire: v1::FlushView) -> Result<View, WrongField> {
        let mut view = View {
            viewer: required(wire.viewer, "viewer")?,
            players: players(&wire.seats, &GAME, "seats")?,
            options: required(wire.options, "options")?,
            hand_number: number16(wire.hand_number, "hand_number")?,
            start: seat(wire.start, "start")?,
            turn: seat(wire.turn, "turn")?,
            stack: optional(wire.stack, "stack")?,
            passed: seats(wire.passed, "passed")?,
            hand: ranks(wire.hand, "hand")?,
            hand_sizes: [0; MAX_SEATS],
            gone: ranks(wire.gone, "gone")?,
            set_aside: number8(wire.set_aside, "set_aside")?,
            kept_back: number8(wire.kept_back, "kept_back")?,
            left: [Ranks::EMPTY; MAX_SEATS],
            totals: [0; MAX_SEATS],
            outcome: optional(wire.outcome, "outcome")?,
        };
        for (i, seat) in wire.seats.into_iter().enumerate() {
            fill_seat(&mut view, i, seat).map_err(|error| error.in_list(i).within("seats"))?;
        }
        Ok(view)
    }
}

fn fill_seat(view: &mut View, i: usize, wire: v1::FlushSeat) -> Result<(), WrongField> {
    view.hand_sizes[i] = number8(wire.hand_size, "hand_size")?;
    view.left[i] = ranks(wire.left, "left")?;
    view.totals[i] = wire.total;
    Ok(())
}
