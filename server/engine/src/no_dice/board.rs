//! The board: the laid cards, and the validation and score of a placement.
//!
//! Coordinates are in half-segments, x to the right and y downwards. A segment at (x, y) occupies the square
//! from x to x + 2 and from y to y + 2.

use arrayvec::ArrayVec;

use super::card::{PLAYING, PlayingCard};
use super::refusals;
use crate::{Refusal, Seat};

/// A direction on the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "a direction is a direction")]
pub enum Direction {
    Right,
    Down,
    Left,
    Up,
}

impl Direction {
    /// All directions, in order.
    pub const ALL: [Direction; 4] = [Direction::Right, Direction::Down, Direction::Left, Direction::Up];

    /// The offset from a segment to the next one in this direction.
    pub(super) const fn step(self) -> (i16, i16) {
        match self {
            Direction::Right => (2, 0),
            Direction::Down => (0, 2),
            Direction::Left => (-2, 0),
            Direction::Up => (0, -2),
        }
    }
}

/// The position of a segment: its left and upper edges.
pub type Square = (i16, i16);

/// A playing card with its position and rotation.
///
/// Two placements are equal if and only if they put the same values on the same squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Placement {
    card: PlayingCard,
    x: i16,
    y: i16,
    toward: Direction,
}

impl Placement {
    /// The card with its lower value at (x, y) and its higher value next to it in a direction; `None` if a
    /// coordinate overflows.
    ///
    /// A double may be given from either of its ends:
    ///
    /// ```
    /// use parlor_engine::no_dice::{Direction, Placement, PlayingCard};
    /// let double = PlayingCard::new(5, 5).expect("there is a 5|5");
    /// assert_eq!(Placement::new(double, 2, 0, Direction::Left), Placement::new(double, 0, 0, Direction::Right));
    /// ```
    #[must_use]
    pub fn new(card: PlayingCard, x: i16, y: i16, toward: Direction) -> Option<Placement> {
        let (dx, dy) = toward.step();
        let end = (x.checked_add(dx)?, y.checked_add(dy)?);
        let ((x, y), toward) = match toward {
            Direction::Left if card.is_double() => (end, Direction::Right),
            Direction::Up if card.is_double() => (end, Direction::Down),
            _ => ((x, y), toward),
        };
        Some(Placement { card, x, y, toward })
    }

    /// The same without checks, for coordinates in range; a double must be given from its upper or left end.
    pub(super) const fn new_unchecked(card: PlayingCard, (x, y): Square, toward: Direction) -> Placement {
        Placement { card, x, y, toward }
    }

    /// The card.
    #[must_use]
    pub const fn card(self) -> PlayingCard {
        self.card
    }

    /// The square of the lower value; for a double, the upper or left one.
    #[must_use]
    pub const fn lower(self) -> Square {
        (self.x, self.y)
    }

    /// The square of the higher value; for a double, the other one.
    #[must_use]
    pub const fn higher(self) -> Square {
        let (dx, dy) = self.toward.step();
        (self.x + dx, self.y + dy)
    }

    /// The direction from the lower value to the higher one; for a double, right or down.
    #[must_use]
    pub const fn toward(self) -> Direction {
        self.toward
    }

    /// Returns true if this is valid for the first card: its lower value at the origin; for a double, either
    /// segment.
    fn is_first(self) -> bool {
        self.lower() == (0, 0) || self.card.is_double() && self.higher() == (0, 0)
    }
}

/// A card on the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LaidCard {
    /// The player.
    pub seat: Seat,
    /// The card and its place.
    pub placement: Placement,
}

/// A visible segment: no other segment lies on top of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Segment {
    /// The left edge, in half-segments.
    pub x: i16,
    /// The upper edge, in half-segments.
    pub y: i16,
    /// Its value.
    pub value: u8,
    /// The index of its card in the order of laying, starting at 0.
    pub card: u8,
}

impl Segment {
    /// The offset of a square from this segment, to the right and down.
    fn offset_to(self, (x, y): Square) -> (i32, i32) {
        (i32::from(x) - i32::from(self.x), i32::from(y) - i32::from(self.y))
    }

    fn overlaps(self, square: Square) -> bool {
        let (dx, dy) = self.offset_to(square);
        dx.abs() < 2 && dy.abs() < 2
    }

    /// Returns true if the two share part of an edge: half an edge is enough, a corner is not.
    fn touches(self, square: Square) -> bool {
        let (dx, dy) = self.offset_to(square);
        dx.abs() == 2 && dy.abs() < 2 || dx.abs() < 2 && dy.abs() == 2
    }
}

/// The cards on the board.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Board {
    laid: ArrayVec<LaidCard, PLAYING>,
    visible: ArrayVec<Segment, { 2 * PLAYING }>,
}

impl Board {
    /// The cards in the order they were laid.
    pub(super) fn laid(&self) -> &[LaidCard] {
        &self.laid
    }

    /// The visible segments in the order they were laid. The two segments of a card are adjacent.
    pub(super) fn visible(&self) -> &[Segment] {
        &self.visible
    }

    /// The score of the placement, or the rule it breaks.
    pub(super) fn check(&self, placement: Placement) -> Result<i32, Refusal> {
        let new =
            [(placement.lower(), placement.card.lower()), (placement.higher(), placement.card.higher())];
        let own = i32::from(placement.card.lower()) + i32::from(placement.card.higher());
        if self.laid.is_empty() {
            return if placement.is_first() { Ok(own) } else { Err(refusals::FIRST_CARD) };
        }
        // The cards with a covered segment: contacts with their other segment need not match.
        let mut exempt = [None; 2];
        let mut covered = 0;
        for segment in &self.visible {
            for ((square, value), exempt) in new.iter().zip(&mut exempt) {
                if segment.overlaps(*square) {
                    if segment.offset_to(*square) != (0, 0) {
                        return Err(refusals::COVER_WHOLE);
                    }
                    if segment.value != *value {
                        return Err(refusals::COVER_VALUE);
                    }
                    *exempt = Some(segment.card);
                    covered += i32::from(segment.value);
                }
            }
        }
        let mut contacts = 0;
        for segment in &self.visible {
            if new.iter().any(|(square, _)| segment.overlaps(*square)) {
                continue;
            }
            let touched = new.map(|(square, _)| segment.touches(square));
            if touched == [false; 2] {
                continue;
            }
            let matches = (0..2).all(|i| !touched[i] || new[i].1 == segment.value);
            if !matches && !exempt.contains(&Some(segment.card)) {
                return Err(refusals::CONTACT_VALUE);
            }
            contacts += i32::from(segment.value);
        }
        if covered + contacts == 0 {
            return Err(refusals::DETACHED);
        }
        Ok(own + covered + contacts)
    }

    /// Lays a card that is not on the board yet, or refuses it like [`check`](Board::check).
    pub(super) fn lay(&mut self, laid: LaidCard) -> Result<i32, Refusal> {
        let placement = laid.placement;
        let points = self.check(placement)?;
        let card = self.laid.len() as u8;
        let squares = [placement.lower(), placement.higher()];
        self.visible.retain(|segment| !squares.contains(&(segment.x, segment.y)));
        let values = [placement.card.lower(), placement.card.higher()];
        for ((x, y), value) in squares.into_iter().zip(values) {
            self.visible.push(Segment { x, y, value, card });
        }
        self.laid.push(laid);
        Ok(points)
    }
}
