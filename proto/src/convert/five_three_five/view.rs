//! Conversions of the view of Five Three Five.

use parlor_engine::five_three_five::{Ranks, Stack, View};
use parlor_engine::{MAX_SEATS, Seat};

use super::super::build_messages;
use super::super::common::{players, seat, seats};
use super::super::field::{InvalidField, number8, number16, optional, required};
use super::{GAME, ranks};
use crate::encode::{self, Encode, ToWire};
use crate::v1;

build_messages!(View => FiveThreeFiveView);

impl ToWire for Stack {
    type Wire = v1::FiveThreeFiveStack;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let Stack { combination, by } = *self;
        encode::FiveThreeFiveStack { combination, by }
    }
}

impl TryFrom<v1::FiveThreeFiveStack> for Stack {
    type Error = InvalidField;
    fn try_from(wire: v1::FiveThreeFiveStack) -> Result<Stack, InvalidField> {
        let v1::FiveThreeFiveStack { combination, by } = wire;
        Ok(Stack { combination: required(combination, "combination")?, by: seat(by, "by")? })
    }
}

impl ToWire for View {
    type Wire = v1::FiveThreeFiveView;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let seats = Seat::all(self.players).map(Seat::index).map(|seat| encode::FiveThreeFiveSeat {
            hand_size: self.hand_sizes[seat],
            total: self.totals[seat],
            left: self.left[seat].iter(),
        });
        encode::FiveThreeFiveView {
            viewer: self.viewer,
            options: self.options,
            hand_number: self.hand_number,
            start: self.start,
            turn: self.turn,
            stack: self.stack,
            passed: self.passed.iter(),
            hand: self.hand.iter(),
            gone: self.gone.iter(),
            set_aside: self.set_aside,
            kept_back: self.kept_back,
            seats,
            outcome: self.outcome,
        }
    }
}

impl TryFrom<v1::FiveThreeFiveView> for View {
    type Error = InvalidField;
    fn try_from(wire: v1::FiveThreeFiveView) -> Result<View, InvalidField> {
        let v1::FiveThreeFiveView {
            viewer,
            options,
            hand_number,
            start,
            turn,
            stack,
            passed,
            hand,
            gone,
            set_aside,
            kept_back,
            seats,
            outcome,
        } = wire;
        let mut view = View {
            viewer: required(viewer, "viewer")?,
            players: players(&seats, &GAME, "seats")?,
            options: required(options, "options")?,
            hand_number: number16(hand_number, "hand_number")?,
            start: seat(start, "start")?,
            turn: seat(turn, "turn")?,
            stack: optional(stack, "stack")?,
            passed: self::seats(passed, "passed")?,
            hand: ranks(hand, "hand")?,
            hand_sizes: [0; MAX_SEATS],
            gone: ranks(gone, "gone")?,
            set_aside: number8(set_aside, "set_aside")?,
            kept_back: number8(kept_back, "kept_back")?,
            left: [Ranks::EMPTY; MAX_SEATS],
            totals: [0; MAX_SEATS],
            outcome: optional(outcome, "outcome")?,
        };
        for (i, seat) in seats.into_iter().enumerate() {
            fill_seat(&mut view, i, seat).map_err(|error| error.in_list(i).within("seats"))?;
        }
        Ok(view)
    }
}

fn fill_seat(view: &mut View, i: usize, wire: v1::FiveThreeFiveSeat) -> Result<(), InvalidField> {
    let v1::FiveThreeFiveSeat { hand_size, total, left } = wire;
    view.hand_sizes[i] = number8(hand_size, "hand_size")?;
    view.left[i] = ranks(left, "left")?;
    view.totals[i] = total;
    Ok(())
}
