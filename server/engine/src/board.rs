//! Boards: a view as zones of cards, without knowledge of its game, for clients that show any game.

use crate::text::{CardFace, Lang, Text};
use crate::{Seat, Seats};

/// The table as one viewer sees it, for display. It is built from a view, so it cannot show more.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Board {
    /// The places of cards.
    pub zones: Vec<Zone>,
    /// The seats, in order.
    pub seats: Vec<BoardSeat>,
    /// For each action that was passed in, in order: the cards and zones it touches.
    pub targets: Vec<ActionTargets>,
}

impl Board {
    /// Adds what another viewer of the same position sees: a zone then shows each card that either of them knows. The
    /// targets are dropped, because they belong to the decision of one viewer.
    pub fn merge(&mut self, other: Board) {
        self.targets.clear();
        for zone in other.zones {
            match self.zones.iter_mut().find(|known| known.id == zone.id) {
                Some(known) => known.merge(zone),
                None => self.zones.push(zone),
            }
        }
        for seat in other.seats {
            let Some(known) = self.seats.iter_mut().find(|known| known.seat == seat.seat) else {
                self.seats.push(seat);
                continue;
            };
            known.to_act |= seat.to_act;
            for mark in seat.marks {
                if !known.marks.contains(&mark) {
                    known.marks.push(mark);
                }
            }
        }
    }
}

/// The role of a zone, for its layout.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ZoneKind {
    /// The cards in the hand of the owner.
    Hand,
    /// Cards that the owner has put aside face down.
    Hidden,
    /// Cards that the owner has collected.
    Collected,
    /// Face-down cards to draw from, or out of play.
    Stock,
    /// A pile of which the last card is on top.
    Pile,
    /// Face-up cards beside each other.
    Row,
    /// Cards on a grid: they have cells.
    Grid,
    /// Cards that are out of play, face up.
    Discard,
}

/// A place of cards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Zone {
    /// Identifies the zone on its board, such as `hand-2`.
    pub id: String,
    /// Role of the zone.
    pub kind: ZoneKind,
    /// Label, without the owner.
    pub label: Text,
    /// The seat that it belongs to, if any.
    pub owner: Option<Seat>,
    /// The cards that the viewer knows, in order; on a pile the last is on top.
    pub cards: Vec<BoardCard>,
    /// Number of the cards that the viewer does not know.
    pub unknown: u32,
}

impl Zone {
    /// A zone that belongs to nobody.
    #[must_use]
    pub fn common(id: &str, kind: ZoneKind, label: Text) -> Zone {
        Zone { id: id.to_owned(), kind, label, owner: None, cards: Vec::new(), unknown: 0 }
    }

    /// A zone of a seat. The number of the seat is appended to the id.
    #[must_use]
    pub fn owned(id: &str, seat: Seat, kind: ZoneKind, label: Text) -> Zone {
        Zone { id: zone_of(id, seat), owner: Some(seat), ..Zone::common(id, kind, label) }
    }

    /// Adds known cards.
    #[must_use]
    pub fn with_cards(mut self, faces: impl IntoIterator<Item = CardFace>) -> Zone {
        self.cards.extend(faces.into_iter().map(|face| BoardCard { face, cells: Vec::new() }));
        self
    }

    /// Sets the number of unknown cards.
    #[must_use]
    pub fn with_unknown(mut self, cards: impl Into<u32>) -> Zone {
        self.unknown = cards.into();
        self
    }

    /// Adds the cards that another viewer knows in the same zone. The number of cards stays: each card that is added was
    /// unknown before. The order is that of the viewer who knows more.
    fn merge(&mut self, mut other: Zone) {
        let size = self.size().max(other.size());
        if other.cards.len() > self.cards.len() {
            std::mem::swap(&mut self.cards, &mut other.cards);
        }
        let copies = |cards: &[BoardCard], id: &str| cards.iter().filter(|card| card.face.id == id).count();
        for card in &other.cards {
            if copies(&other.cards, &card.face.id) > copies(&self.cards, &card.face.id) {
                self.cards.push(card.clone());
            }
        }
        self.unknown = size.saturating_sub(self.cards.len() as u32);
    }

    /// Number of all cards in the zone.
    fn size(&self) -> u32 {
        self.cards.len() as u32 + self.unknown
    }
}

/// The id of a zone of a seat.
#[must_use]
pub fn zone_of(id: &str, seat: Seat) -> String {
    format!("{id}-{seat}")
}

/// A card in a zone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardCard {
    /// The face.
    pub face: CardFace,
    /// The cells it covers, in a zone of kind [`ZoneKind::Grid`]; empty elsewhere.
    pub cells: Vec<Cell>,
}

/// A cell of a grid with the part of the card that lies there. A later card covers an earlier one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cell {
    /// Column of the cell's left edge; grows to the right.
    pub x: i32,
    /// Row of the cell's upper edge; grows downwards.
    pub y: i32,
    /// Width and height, in the same unit.
    pub size: u32,
    /// Label of the part of the card.
    pub label: String,
}

/// A seat on a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardSeat {
    /// The seat.
    pub seat: Seat,
    /// The points so far.
    pub points: i32,
    /// True if everyone may see the game wait for the seat.
    pub to_act: bool,
    /// Remarks, such as "has passed".
    pub marks: Vec<Text>,
}

impl BoardSeat {
    /// The seats of a table with their points, without marks.
    pub(crate) fn all(players: u8, points: &[i32], to_act: Seats) -> Vec<BoardSeat> {
        let seat = |(seat, points): (Seat, &i32)| BoardSeat {
            seat,
            points: *points,
            to_act: to_act.contains(seat),
            marks: Vec::new(),
        };
        Seat::all(players).zip(points).map(seat).collect()
    }
}

/// The parts of a board that an action touches, for highlights and clicks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ActionTargets {
    /// The cards it moves or takes.
    pub cards: Vec<CardTarget>,
    /// Ids of the zones it moves cards to or takes cards from, beside those of the cards.
    pub zones: Vec<String>,
    /// The cells it covers on a grid.
    pub cells: Vec<Cell>,
}

impl ActionTargets {
    /// Adds cards of a zone.
    #[must_use]
    pub fn with_cards(mut self, zone: &str, faces: impl IntoIterator<Item = CardFace>) -> ActionTargets {
        let cards = faces.into_iter().map(|face| CardTarget { zone: zone.to_owned(), card: face.id });
        self.cards.extend(cards);
        self
    }

    /// Adds a zone.
    #[must_use]
    pub fn with_zone(mut self, zone: impl Into<String>) -> ActionTargets {
        self.zones.push(zone.into());
        self
    }
}

/// A card that an action touches.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CardTarget {
    /// Id of the zone.
    pub zone: String,
    /// Id of the face. An action on several equal cards names it as often.
    pub card: String,
}

/// Labels of zones that several games have.
pub(crate) mod label {
    use super::Text;

    pub(crate) const HAND: Text = Text { en: "Hand", de: "Hand" };
    pub(crate) const DRAW_PILE: Text = Text { en: "Draw pile", de: "Nachziehstapel" };
    pub(crate) const PASSED: Text = Text { en: "has passed", de: "hat gepasst" };
}

/// The faces of cards in a language.
pub(crate) fn faces<C: crate::CardLabel>(
    cards: impl IntoIterator<Item = C>,
    lang: Lang,
) -> impl Iterator<Item = CardFace> {
    cards.into_iter().map(move |card| card.face(lang))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABEL: Text = Text { en: "Hand", de: "Hand" };

    fn zone(id: &str, cards: &str, unknown: u32) -> Zone {
        let face =
            |id: &str| CardFace { id: id.to_owned(), short: id.to_owned(), long: id.to_owned(), suit: None };
        Zone::common(id, ZoneKind::Hand, LABEL)
            .with_cards(cards.split_whitespace().map(face))
            .with_unknown(unknown)
    }

    /// The zones of a board as text: id, known cards, unknown cards.
    fn merged(boards: [Vec<Zone>; 2]) -> Vec<(String, String, u32)> {
        let [one, other] = boards.map(|zones| Board { zones, ..Board::default() });
        let mut both = one;
        both.merge(other);
        let text = |zone: &Zone| {
            let cards: Vec<&str> = zone.cards.iter().map(|card| card.face.id.as_str()).collect();
            (zone.id.clone(), cards.join(" "), zone.unknown)
        };
        both.zones.iter().map(text).collect()
    }

    fn check(one: (&str, u32), other: (&str, u32), expected: (&str, u32)) {
        let zones = [one, other].map(|(cards, unknown)| vec![zone("hand", cards, unknown)]);
        let expected = vec![("hand".to_owned(), expected.0.to_owned(), expected.1)];
        assert_eq!(merged(zones.clone()), expected);
        let [one, other] = zones;
        let reversed = merged([other, one]);
        assert_eq!((reversed[0].2, reversed[0].1.len()), (expected[0].2, expected[0].1.len()));
    }

    #[test]
    fn merged_zones_show_what_either_viewer_knows() {
        check(("a b", 0), ("", 2), ("a b", 0));
        check(("", 3), ("", 3), ("", 3));
        check(("a b", 1), ("a c", 1), ("a b c", 0));
        check(("a", 3), ("b c", 2), ("b c a", 1));
        // Two copies of a face count as two only if one viewer knows both.
        check(("a", 2), ("a", 2), ("a", 2));
        check(("a a", 1), ("a", 2), ("a a", 1));
    }

    #[test]
    fn merged_boards_have_the_zones_of_both() {
        let zones = merged([vec![zone("hand-0", "a", 0)], vec![zone("hand-0", "", 1), zone("pile", "b", 2)]]);
        assert_eq!(zones, [("hand-0".to_owned(), "a".to_owned(), 0), ("pile".to_owned(), "b".to_owned(), 2)]);
    }

    #[test]
    fn merged_seats_have_the_marks_of_both_and_no_targets() {
        let passed = Text { en: "has passed", de: "hat gepasst" };
        let seat = |to_act, marks| BoardSeat { seat: Seat::FIRST, points: 4, to_act, marks };
        let board =
            |seat| Board { seats: vec![seat], targets: vec![ActionTargets::default()], ..Board::default() };
        let mut both = board(seat(false, vec![LABEL]));
        both.merge(board(seat(true, vec![LABEL, passed])));
        assert_eq!(both, Board { targets: Vec::new(), ..board(seat(true, vec![LABEL, passed])) });
    }
}
