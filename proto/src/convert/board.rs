//! Boards.

use parlor_engine::{
    ActionTargets, Board, BoardCard, BoardSeat, CardTarget, Cell, Lang, Text, Zone, ZoneKind,
};

use super::seat_number;
use crate::v1;

/// The board with its labels in this language, which should be that of the faces on it.
impl From<(Board, Lang)> for v1::Board {
    fn from((board, lang): (Board, Lang)) -> v1::Board {
        let Board { zones, seats, targets } = board;
        v1::Board {
            zones: zones.into_iter().map(|zone| self::zone(zone, lang)).collect(),
            seats: seats.into_iter().map(|seat| self::seat(seat, lang)).collect(),
            targets: targets.into_iter().map(Into::into).collect(),
        }
    }
}

fn zone(zone: Zone, lang: Lang) -> v1::Zone {
    let Zone { id, kind, label, owner, cards, unknown } = zone;
    v1::Zone {
        zone_id: id,
        kind: v1::ZoneKind::from(kind).into(),
        label: label.get(lang).to_owned(),
        owner: owner.map(seat_number),
        cards: cards.into_iter().map(Into::into).collect(),
        unknown_cards: unknown,
    }
}

fn seat(seat: BoardSeat, lang: Lang) -> v1::BoardSeat {
    let BoardSeat { seat, points, to_act, marks } = seat;
    let mark = |mark: Text| mark.get(lang).to_owned();
    v1::BoardSeat { seat: seat_number(seat), points, to_act, marks: marks.into_iter().map(mark).collect() }
}

impl From<ZoneKind> for v1::ZoneKind {
    fn from(kind: ZoneKind) -> v1::ZoneKind {
        match kind {
            ZoneKind::Hand => v1::ZoneKind::Hand,
            ZoneKind::Hidden => v1::ZoneKind::Hidden,
            ZoneKind::Collected => v1::ZoneKind::Collected,
            ZoneKind::Stock => v1::ZoneKind::Stock,
            ZoneKind::Pile => v1::ZoneKind::Pile,
            ZoneKind::Row => v1::ZoneKind::Row,
            ZoneKind::Grid => v1::ZoneKind::Grid,
            ZoneKind::Discard => v1::ZoneKind::Discard,
        }
    }
}

impl From<BoardCard> for v1::BoardCard {
    fn from(card: BoardCard) -> v1::BoardCard {
        let BoardCard { face, cells } = card;
        v1::BoardCard { face: Some(face.into()), cells: cells.into_iter().map(Into::into).collect() }
    }
}

impl From<Cell> for v1::BoardCell {
    fn from(cell: Cell) -> v1::BoardCell {
        let Cell { x, y, size, label } = cell;
        v1::BoardCell { x, y, size, label }
    }
}

impl From<ActionTargets> for v1::ActionTargets {
    fn from(targets: ActionTargets) -> v1::ActionTargets {
        let ActionTargets { cards, zones, cells } = targets;
        v1::ActionTargets {
            cards: cards.into_iter().map(Into::into).collect(),
            zone_ids: zones,
            cells: cells.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<CardTarget> for v1::CardTarget {
    fn from(target: CardTarget) -> v1::CardTarget {
        let CardTarget { zone, card } = target;
        v1::CardTarget { zone_id: zone, card_id: card }
    }
}
