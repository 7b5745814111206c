//! The view of No Dice on the wire.

use parlor_engine::no_dice::{Decision, Hand, Laid, PlayOrder, View};
use parlor_engine::{MAX_SEATS, Seat, Seats};

use super::super::common::{players, seat, seat_number};
use super::super::field::{WrongField, each, number8, one_of, optional, required};
use super::{GAME, hand, hand_cards};
use crate::v1;

impl From<Laid> for v1::NoDiceTableCard {
    fn from(laid: Laid) -> v1::NoDiceTableCard {
        v1::NoDiceTableCard { seat: seat_number(laid.seat), placement: Some(laid.placement.into()) }
    }
}

impl TryFrom<v1::NoDiceTableCard> for Laid {
    type Error = WrongField;
    fn try_from(wire: v1::NoDiceTableCard) -> Result<Laid, WrongField> {
        Ok(Laid { seat: seat(wire.seat, "seat")?, placement: required(wire.placement, "placement")? })
    }
}

impl From<View> for v1::NoDiceView {
    fn from(view: View) -> v1::NoDiceView {
        let order = match view.order {
            PlayOrder::Clockwise => v1::NoDicePlayOrder::Clockwise,
            PlayOrder::Anticlockwise => v1::NoDicePlayOrder::Anticlockwise,
        };
        let decision = match view.decision {
            None => v1::NoDiceDecision::Unspecified,
            Some(Decision::Turn) => v1::NoDiceDecision::Turn,
            Some(Decision::Window) => v1::NoDiceDecision::Window,
        };
        let seats = Seat::all(view.players).map(|seat| v1::NoDiceSeat {
            hand_size: view.hand_sizes[seat.index()].into(),
            known: hand_cards(view.known[seat.index()]),
            x2: view.x2.contains(seat),
            passed: view.passed.contains(seat),
            score: view.scores[seat.index()],
        });
        v1::NoDiceView {
            viewer: Some(view.viewer.into()),
            options: Some(view.options.into()),
            order: order.into(),
            turn: seat_number(view.turn),
            windows_held: view.windows_held,
            decision: decision.into(),
            said_yes: view.said_yes,
            hand: hand_cards(view.hand),
            draw_pile: view.draw_pile.into(),
            seats: seats.collect(),
            table: view.table.into_iter().map(v1::NoDiceTableCard::from).collect(),
            played: hand_cards(view.played),
            outcome: view.outcome.map(v1::Outcome::from),
        }
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
