//! The view of No Dice on the wire.

use parlor_engine::no_dice::{Decision, Hand, LaidCard, PlayOrder, View};
use parlor_engine::{MAX_SEATS, Seat, Seats};

use super::super::common::{players, seat, seat_number};
use super::super::field::{WrongField, each, number8, one_of, optional, required};
use super::super::messages;
use super::{GAME, hand};
use crate::v1;
use crate::write::{Fields, Write};

messages!(View => NoDiceView);

impl Write for LaidCard {
    fn write(&self, to: &mut Fields<'_>) {
        to.number(1, seat_number(self.seat));
        to.message(2, &self.placement);
    }
}

impl TryFrom<v1::NoDiceTableCard> for LaidCard {
    type Error = WrongField;
    fn try_from(wire: v1::NoDiceTableCard) -> Result<LaidCard, WrongField> {
        Ok(LaidCard { seat: seat(wire.seat, "seat")?, placement: required(wire.placement, "placement")? })
    }
}

impl Write for View {
    fn write(&self, to: &mut Fields<'_>) {
        let order = match self.order {
            PlayOrder::Clockwise => v1::NoDicePlayOrder::Clockwise,
            PlayOrder::Anticlockwise => v1::NoDicePlayOrder::Anticlockwise,
        };
        let decision = match self.decision {
            None => v1::NoDiceDecision::Unspecified,
            Some(Decision::Turn) => v1::NoDiceDecision::Turn,
            Some(Decision::Window) => v1::NoDiceDecision::Window,
        };
        to.message(1, &self.viewer);
        to.message(2, &self.options);
        to.number(3, order as u32);
        to.number(4, seat_number(self.turn));
        to.number(5, decision as u32);
        to.flag(6, self.said_yes);
        to.messages(7, self.hand);
        to.number(8, self.draw_pile);
        to.messages(9, &self.table);
        to.messages(10, self.played);
        for seat in Seat::all(self.players) {
            to.nested(11, |to| {
                to.number(1, self.hand_sizes[seat.index()]);
                to.messages(2, self.known[seat.index()]);
                to.flag(3, self.x2.contains(seat));
                to.flag(4, self.passed.contains(seat));
                to.signed(5, self.scores[seat.index()]);
            });
        }
        to.optional(12, self.outcome);
        to.flag(13, self.windows_held);
    }
}

impl TryFrom<v1::NoDiceView> for View {
    type Error = WrongField;
    fn try_from(wire: v1::NoDiceView) -> Result<View, WrongField> {
        let order = one_of(wire.order, "order", |order| match order {
            v1::NoDicePlayOrder::Unspecified => None,
            v1::NoDicePlayOrder::Clockwise => Some(PlayOrder::Clockwise),
            v1::NoDicePlayOrder::Anticlockwise => Some(PlayOrder::Anticlockwise),
        });
        let decision = one_of(wire.decision, "decision", |decision| match decision {
            v1::NoDiceDecision::Unspecified => Some(None),
            v1::NoDiceDecision::Turn => Some(Some(Decision::Turn)),
            v1::NoDiceDecision::Window => Some(Some(Decision::Window)),
        });
        let mut view = View {
            viewer: required(wire.viewer, "viewer")?,
            players: players(&wire.seats, &GAME, "seats")?,
            options: required(wire.options, "options")?,
            order: order?,
            turn: seat(wire.turn, "turn")?,
            windows_held: wire.windows_held,
            decision: decision?,
            said_yes: wire.said_yes,
            hand: hand(wire.hand, "hand")?,
            known: [Hand::EMPTY; MAX_SEATS],
            hand_sizes: [0; MAX_SEATS],
            draw_pile: number8(wire.draw_pile, "draw_pile")?,
            table: each(wire.table, "table")?,
            played: hand(wire.played, "played")?,
            x2: Seats::NONE,
            passed: Seats::NONE,
            scores: [0; MAX_SEATS],
            outcome: optional(wire.outcome, "outcome")?,
        };
        for (i, (seat, wire)) in Seat::all(view.players).zip(wire.seats).enumerate() {
            fill_seat(&mut view, seat, wire).map_err(|error| error.in_list(i).within("seats"))?;
        }
        Ok(view)
    }
}

fn fill_seat(view: &mut View, seat: Seat, wire: v1::NoDiceSeat) -> Result<(), WrongField> {
    view.hand_sizes[seat.index()] = number8(wire.hand_size, "hand_size")?;
    view.known[seat.index()] = hand(wire.known, "known")?;
    view.scores[seat.index()] = wire.score;
    if wire.x2 {
        view.x2 = view.x2.with(seat);
    }
    if wire.passed {
        view.passed = view.passed.with(seat);
    }
    Ok(())
}
