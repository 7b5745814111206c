//! The view of Flush on the wire.

use parlor_engine::flush::{Ranks, Stack, View};
use parlor_engine::{MAX_SEATS, Seat};

use super::super::common::{players, seat, seat_number, seat_numbers, seats};
use super::super::field::{WrongField, number8, number16, optional, required};
use super::{GAME, rank_numbers, ranks};
use crate::v1;

impl From<Stack> for v1::FlushStack {
    fn from(stack: Stack) -> v1::FlushStack {
        v1::FlushStack { combination: Some(stack.combination.into()), by: seat_number(stack.by) }
    }
}

impl TryFrom<v1::FlushStack> for Stack {
    type Error = WrongField;
    fn try_from(wire: v1::FlushStack) -> Result<Stack, WrongField> {
        Ok(Stack { combination: required(wire.combination, "combination")?, by: seat(wire.by, "by")? })
    }
}

impl From<View> for v1::FlushView {
    fn from(view: View) -> v1::FlushView {
        let seats = Seat::all(view.players).map(|seat| v1::FlushSeat {
            hand_size: view.hand_sizes[seat.index()].into(),
            total: view.totals[seat.index()],
            left: rank_numbers(view.left[seat.index()]),
        });
        v1::FlushView {
            viewer: Some(view.viewer.into()),
            options: Some(view.options.into()),
            hand_number: view.hand_number.into(),
            start: seat_number(view.start),
            turn: seat_number(view.turn),
            stack: view.stack.map(v1::FlushStack::from),
            passed: seat_numbers(view.passed),
            hand: rank_numbers(view.hand),
            gone: rank_numbers(view.gone),
            set_aside: view.set_aside.into(),
            kept_back: view.kept_back.into(),
            seats: seats.collect(),
            outcome: view.outcome.map(v1::Outcome::from),
        }
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
