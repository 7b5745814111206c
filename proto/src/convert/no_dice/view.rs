//! Conversions of the view of No Dice.

use parlor_engine::no_dice::{Decision, Hand, LaidCard, PlayOrder, View};
use parlor_engine::{MAX_SEATS, Seat, Seats};

use super::super::common::{players, seat};
use super::super::field::{InvalidField, each, enum_value, number8, optional, required};
use super::super::{build_messages, convert_enums};
use super::{GAME, hand};
use crate::encode::{self, Encode, ToWire};
use crate::v1;

build_messages!(View => NoDiceView);

convert_enums! {
    PlayOrder => NoDicePlayOrder { Clockwise, Anticlockwise }
    Decision => NoDiceDecision { Turn, Window }
}

impl ToWire for LaidCard {
    type Wire = v1::NoDiceTableCard;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let LaidCard { seat, placement } = *self;
        encode::NoDiceTableCard { seat, placement }
    }
}

impl TryFrom<v1::NoDiceTableCard> for LaidCard {
    type Error = InvalidField;
    fn try_from(wire: v1::NoDiceTableCard) -> Result<LaidCard, InvalidField> {
        let v1::NoDiceTableCard { seat, placement } = wire;
        Ok(LaidCard { seat: self::seat(seat, "seat")?, placement: required(placement, "placement")? })
    }
}

impl ToWire for View {
    type Wire = v1::NoDiceView;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let seats = Seat::all(self.players).map(|seat| encode::NoDiceSeat {
            hand_size: self.hand_sizes[seat.index()],
            known: self.known[seat.index()],
            x2: self.x2.contains(seat),
            passed: self.passed.contains(seat),
            score: self.scores[seat.index()],
        });
        encode::NoDiceView {
            viewer: self.viewer,
            options: self.options,
            order: self.order,
            turn: self.turn,
            decision: self.decision.map_or(v1::NoDiceDecision::Unspecified, v1::NoDiceDecision::from),
            said_yes: self.said_yes,
            hand: self.hand,
            draw_pile: self.draw_pile,
            table: &self.table,
            played: self.played,
            seats,
            outcome: self.outcome,
            windows_held: self.windows_held,
        }
    }
}

impl TryFrom<v1::NoDiceView> for View {
    type Error = InvalidField;
    fn try_from(wire: v1::NoDiceView) -> Result<View, InvalidField> {
        let v1::NoDiceView {
            viewer,
            options,
            order,
            turn,
            decision,
            said_yes,
            hand,
            draw_pile,
            table,
            played,
            seats,
            outcome,
            windows_held,
        } = wire;
        let mut view = View {
            viewer: required(viewer, "viewer")?,
            players: players(&seats, &GAME, "seats")?,
            options: required(options, "options")?,
            order: enum_value::<v1::NoDicePlayOrder, _>(order, "order")?,
            turn: seat(turn, "turn")?,
            windows_held,
            decision: self::decision(decision)?,
            said_yes,
            hand: self::hand(hand, "hand")?,
            known: [Hand::EMPTY; MAX_SEATS],
            hand_sizes: [0; MAX_SEATS],
            draw_pile: number8(draw_pile, "draw_pile")?,
            table: each(table, "table")?,
            played: self::hand(played, "played")?,
            x2: Seats::NONE,
            passed: Seats::NONE,
            scores: [0; MAX_SEATS],
            outcome: optional(outcome, "outcome")?,
        };
        for (i, (seat, wire)) in Seat::all(view.players).zip(seats).enumerate() {
            fill_seat(&mut view, seat, wire).map_err(|error| error.in_list(i).within("seats"))?;
        }
        Ok(view)
    }
}

/// Converts the decision of a viewer; unspecified is none.
fn decision(value: i32) -> Result<Option<Decision>, InvalidField> {
    if value == v1::NoDiceDecision::Unspecified as i32 {
        return Ok(None);
    }
    enum_value::<v1::NoDiceDecision, _>(value, "decision").map(Some)
}

fn fill_seat(view: &mut View, seat: Seat, wire: v1::NoDiceSeat) -> Result<(), InvalidField> {
    let v1::NoDiceSeat { hand_size, known, x2, passed, score } = wire;
    view.hand_sizes[seat.index()] = number8(hand_size, "hand_size")?;
    view.known[seat.index()] = hand(known, "known")?;
    view.scores[seat.index()] = score;
    if x2 {
        view.x2 = view.x2.with(seat);
    }
    if passed {
        view.passed = view.passed.with(seat);
    }
    Ok(())
}
