//! The view of Habe fertig on the wire.

use parlor_engine::habe_fertig::{Origin, Phase, View};
use parlor_engine::{MAX_SEATS, Seat};

use super::super::common::{card_set, cards, players, seat, seat_number, seat_numbers, seats};
use super::super::field::{WrongField, length, number8, number16, optional, required};
use super::{GAME, tops};
use crate::v1;

impl From<View> for v1::HabeFertigView {
    fn from(view: View) -> v1::HabeFertigView {
        use v1::habe_fertig_view::Phase as Wire;
        let phase = match view.phase {
            Phase::Hiding { waiting } => {
                Wire::Hiding(v1::HabeFertigHiding { waiting: seat_numbers(waiting) })
            }
            Phase::Laying { turned } => Wire::Laying(v1::HabeFertigLaying { turned: Some(turned.into()) }),
            Phase::Moving => Wire::Moving(v1::HabeFertigMoving {}),
        };
        let seats = Seat::all(view.players).map(|seat| v1::HabeFertigSeat {
            hand_size: view.hand_sizes[seat.index()].into(),
            total: view.totals[seat.index()],
        });
        let origins = view.origins.iter().map(|origin| v1::HabeFertigOrigin {
            rebuild: origin.rebuild.into(),
            cards: cards(origin.cards),
            in_hands: Seat::all(view.players).map(|seat| origin.in_hands[seat.index()].into()).collect(),
            hidden: origin.hidden.into(),
            in_draw_pile: origin.draw.into(),
        });
        v1::HabeFertigView {
            viewer: Some(view.viewer.into()),
            options: Some(view.options.into()),
            round: view.round.into(),
            dealer: seat_number(view.dealer),
            phase: Some(phase),
            turn: seat_number(view.turn),
            turns: view.turns.into(),
            dry_passes: view.dry_passes.into(),
            hand: cards(view.hand),
            hidden: cards(view.hidden),
            tops: view.tops.map(v1::HabeFertigTops::from),
            buried: cards(view.buried),
            draw_pile: view.draw.into(),
            rebuilds: view.rebuilds.into(),
            origins: origins.collect(),
            seats: seats.collect(),
            shown: view.shown.map(v1::HabeFertigShown::from),
            outcome: view.outcome.map(v1::Outcome::from),
        }
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
