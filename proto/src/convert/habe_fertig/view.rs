//! Conversions of the view of Habe fertig.

use parlor_engine::habe_fertig::{Origin, Phase, View};
use parlor_engine::{MAX_SEATS, Seat};

use super::super::build_messages;
use super::super::common::{card_set, players, seat, seats};
use super::super::field::{InvalidField, length, number8, number16, optional, required};
use super::{GAME, tops};
use crate::encode::{self, Encode, ToWire};
use crate::v1;

build_messages!(View => HabeFertigView);

impl ToWire for Phase {
    type Wire = v1::habe_fertig_view::Phase;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        use encode::habe_fertig_view::Phase as Wire;
        match *self {
            Phase::Hiding { waiting } => Wire::Hiding(encode::HabeFertigHiding { waiting: waiting.iter() }),
            Phase::Laying { turned } => Wire::Laying(encode::HabeFertigLaying { turned }),
            Phase::Moving => Wire::Moving(encode::HabeFertigMoving {}),
        }
    }
}

impl ToWire for View {
    type Wire = v1::HabeFertigView;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let players = self.players;
        let origins = self.origins.iter().map(move |origin| encode::HabeFertigOrigin {
            rebuild: origin.rebuild,
            cards: origin.cards,
            in_hands: Seat::all(players).map(|seat| origin.in_hands[seat.index()]),
            hidden: origin.hidden,
            in_draw_pile: origin.draw,
        });
        let seats = Seat::all(self.players).map(Seat::index).map(|seat| encode::HabeFertigSeat {
            hand_size: self.hand_sizes[seat],
            total: self.totals[seat],
        });
        encode::HabeFertigView {
            viewer: self.viewer,
            options: self.options,
            round: self.round,
            dealer: self.dealer,
            phase: self.phase,
            turn: self.turn,
            turns: self.turns,
            dry_passes: self.dry_passes,
            hand: self.hand,
            hidden: self.hidden,
            tops: self.tops,
            buried: self.buried,
            draw_pile: self.draw,
            rebuilds: self.rebuilds,
            origins,
            seats,
            shown: self.shown.as_ref(),
            outcome: self.outcome,
        }
    }
}

impl TryFrom<v1::HabeFertigView> for View {
    type Error = InvalidField;
    fn try_from(wire: v1::HabeFertigView) -> Result<View, InvalidField> {
        let v1::HabeFertigView {
            viewer,
            options,
            round,
            dealer,
            phase,
            turn,
            turns,
            dry_passes,
            hand,
            hidden,
            tops,
            buried,
            draw_pile,
            rebuilds,
            origins,
            seats,
            shown,
            outcome,
        } = wire;
        let players = players(&seats, &GAME, "seats")?;
        let tops = tops.map(self::tops).transpose();
        let origins = origins.into_iter().enumerate().map(|(index, wire)| {
            origin(wire, players).map_err(|error| error.in_list(index).within("origins"))
        });
        let mut view = View {
            viewer: required(viewer, "viewer")?,
            players,
            options: required(options, "options")?,
            round: number16(round, "round")?,
            dealer: seat(dealer, "dealer")?,
            phase: self::phase(phase)?,
            turn: seat(turn, "turn")?,
            turns: number16(turns, "turns")?,
            dry_passes: number8(dry_passes, "dry_passes")?,
            hand: card_set(hand, "hand")?,
            hidden: card_set(hidden, "hidden")?,
            hand_sizes: [0; MAX_SEATS],
            tops: tops.map_err(|error| error.within("tops"))?,
            buried: card_set(buried, "buried")?,
            draw: number8(draw_pile, "draw_pile")?,
            rebuilds: number16(rebuilds, "rebuilds")?,
            origins: origins.collect::<Result<_, _>>()?,
            totals: [0; MAX_SEATS],
            shown: optional(shown, "shown")?,
            outcome: optional(outcome, "outcome")?,
        };
        for (i, v1::HabeFertigSeat { hand_size, total }) in seats.into_iter().enumerate() {
            let size = number8(hand_size, "hand_size");
            view.hand_sizes[i] = size.map_err(|error| error.in_list(i).within("seats"))?;
            view.totals[i] = total;
        }
        Ok(view)
    }
}

fn phase(wire: Option<v1::habe_fertig_view::Phase>) -> Result<Phase, InvalidField> {
    use v1::habe_fertig_view::Phase as Wire;
    match wire {
        Some(Wire::Hiding(v1::HabeFertigHiding { waiting })) => {
            let waiting = seats(waiting, "waiting").map_err(|error| error.within("hiding"))?;
            Ok(Phase::Hiding { waiting })
        }
        Some(Wire::Laying(v1::HabeFertigLaying { turned })) => {
            let turned = required(turned, "turned").map_err(|error| error.within("laying"))?;
            Ok(Phase::Laying { turned })
        }
        Some(Wire::Moving(v1::HabeFertigMoving {})) => Ok(Phase::Moving),
        None => Err(InvalidField::at("phase", "must be set")),
    }
}

fn origin(wire: v1::HabeFertigOrigin, players: u8) -> Result<Origin, InvalidField> {
    let v1::HabeFertigOrigin { rebuild, cards, in_hands: counts, hidden, in_draw_pile } = wire;
    length(&counts, players.into()..=players.into(), "in_hands")?;
    let mut in_hands = [0; MAX_SEATS];
    for (i, (slot, count)) in in_hands.iter_mut().zip(counts).enumerate() {
        *slot = number8(count, "").map_err(|error| error.in_list(i).within("in_hands"))?;
    }
    Ok(Origin {
        rebuild: number16(rebuild, "rebuild")?,
        cards: card_set(cards, "cards")?,
        in_hands,
        hidden: number8(hidden, "hidden")?,
        draw: number8(in_draw_pile, "in_draw_pile")?,
    })
}
