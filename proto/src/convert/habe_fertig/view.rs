//! The view of Habe fertig on the wire.

use parlor_engine::habe_fertig::{Origin, Phase, View};
use parlor_engine::{MAX_SEATS, Seat};

use super::super::common::{card_set, players, seat, seat_number, seats};
use super::super::field::{WrongField, length, number8, number16, optional, required};
use super::super::messages;
use super::{GAME, tops};
use crate::v1;
use crate::write::{Fields, Write};

messages!(View => HabeFertigView);

impl Write for View {
    fn write(&self, to: &mut Fields<'_>) {
        to.message(1, &self.viewer);
        to.message(2, &self.options);
        to.number(3, self.round);
        to.number(4, seat_number(self.dealer));
        match self.phase {
            Phase::Hiding { waiting } => to.nested(5, |to| to.list(1, waiting.iter().map(seat_number))),
            Phase::Laying { turned } => to.nested(6, |to| to.message(1, &turned)),
            Phase::Moving => to.nested(7, |_| {}),
        }
        to.number(8, seat_number(self.turn));
        to.number(9, self.turns);
        to.number(10, self.dry_passes);
        to.messages(11, self.hand);
        to.messages(12, self.hidden);
        to.optional(13, self.tops);
        to.messages(14, self.buried);
        to.number(15, self.draw);
        to.number(16, self.rebuilds);
        for origin in &self.origins {
            to.nested(17, |to| {
                to.number(1, origin.rebuild);
                to.messages(2, origin.cards);
                to.list(3, Seat::all(self.players).map(|seat| origin.in_hands[seat.index()].into()));
                to.number(4, origin.hidden);
                to.number(5, origin.draw);
            });
        }
        for seat in Seat::all(self.players).map(Seat::index) {
            to.nested(18, |to| {
                to.number(1, self.hand_sizes[seat]);
                to.signed(2, self.totals[seat]);
            });
        }
        to.optional(19, self.shown);
        to.optional(20, self.outcome);
    }
}

impl TryFrom<v1::HabeFertigView> for View {
    type Error = WrongField;
    fn try_from(wire: v1::HabeFertigView) -> Result<View, WrongField> {
        let players = players(&wire.seats, &GAME, "seats")?;
        let tops = wire.tops.map(tops).transpose();
        let origins = wire.origins.into_iter().enumerate().map(|(place, wire)| {
            origin(wire, players).map_err(|error| error.in_list(place).within("origins"))
        });
        let mut view = View {
            viewer: required(wire.viewer, "viewer")?,
            players,
            options: required(wire.options, "options")?,
            round: number16(wire.round, "round")?,
            dealer: seat(wire.dealer, "dealer")?,
            phase: phase(wire.phase)?,
            turn: seat(wire.turn, "turn")?,
            turns: number16(wire.turns, "turns")?,
            dry_passes: number8(wire.dry_passes, "dry_passes")?,
            hand: card_set(wire.hand, "hand")?,
            hidden: card_set(wire.hidden, "hidden")?,
            hand_sizes: [0; MAX_SEATS],
            tops: tops.map_err(|error| error.within("tops"))?,
            buried: card_set(wire.buried, "buried")?,
            draw: number8(wire.draw_pile, "draw_pile")?,
            rebuilds: number16(wire.rebuilds, "rebuilds")?,
            origins: origins.collect::<Result<_, _>>()?,
            totals: [0; MAX_SEATS],
            shown: optional(wire.shown, "shown")?,
            outcome: optional(wire.outcome, "outcome")?,
        };
        for (i, seat) in wire.seats.into_iter().enumerate() {
            let size = number8(seat.hand_size, "hand_size");
            view.hand_sizes[i] = size.map_err(|error| error.in_list(i).within("seats"))?;
            view.totals[i] = seat.total;
        }
        Ok(view)
    }
}

fn phase(wire: Option<v1::habe_fertig_view::Phase>) -> Result<Phase, WrongField> {
    use v1::habe_fertig_view::Phase as Wire;
    match wire {
        Some(Wire::Hiding(wire)) => {
            let waiting = seats(wire.waiting, "waiting").map_err(|error| error.within("hiding"))?;
            Ok(Phase::Hiding { waiting })
        }
        Some(Wire::Laying(wire)) => {
            let turned = required(wire.turned, "turned").map_err(|error| error.within("laying"))?;
            Ok(Phase::Laying { turned })
        }
        Some(Wire::Moving(v1::HabeFertigMoving {})) => Ok(Phase::Moving),
        None => Err(WrongField::at("phase", "must be set")),
    }
}

fn origin(wire: v1::HabeFertigOrigin, players: u8) -> Result<Origin, WrongField> {
    length(&wire.in_hands, players.into()..=players.into(), "in_hands")?;
    let mut in_hands = [0; MAX_SEATS];
    for (i, (slot, count)) in in_hands.iter_mut().zip(wire.in_hands).enumerate() {
        *slot = number8(count, "").map_err(|error| error.in_list(i).within("in_hands"))?;
    }
    Ok(Origin {
        rebuild: number16(wire.rebuild, "rebuild")?,
        cards: card_set(wire.cards, "cards")?,
        in_hands,
        hidden: number8(wire.hidden, "hidden")?,
        draw: number8(wire.in_draw_pile, "in_draw_pile")?,
    })
}
