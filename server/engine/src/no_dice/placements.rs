//! Fast generation of all legal placements.
//!
//! [`Board::check`] validates one placement; this module lists all legal ones without trying every position.
//! A grid with a resolution of half a segment records for each square what a new segment there would meet.
//! One segment of every legal placement is *anchored*: it covers a segment of its value, or it covers nothing
//! and touches that value and no other. It is therefore enough to try the four directions from each anchored
//! square, and each try reads two cells of the grid.

use arrayvec::ArrayVec;

use super::board::{Board, Direction, Placement, Segment, Square};
use super::card::{LOWEST, PLAYING, PlayingCard, VALUES};
use super::hand::Hand;

/// Margin around the segments on the board: two half-segments to a square that touches them, two more to its
/// neighbour.
const MARGIN: i16 = 4;

/// Grid sizes, in cells, for boards early in a game and for nearly all boards: cheaper to clear than the
/// largest.
const SMALL_GRID_CELLS: usize = 1024;
const USUAL_GRID_CELLS: usize = 4096;

/// Grid size, in cells, that fits every board. The left (or upper) edges of the first two segments are 2
/// apart, each further card adds at most 5 to width and height together, and a square has the largest area.
pub(super) const MAX_GRID_CELLS: usize = {
    let side = (2 + 5 * (PLAYING - 1) + 2 * (1 + 2 * MARGIN as usize)).div_ceil(2);
    side * side
};

/// Ten segments have a given value; twelve squares touch each, and one covers it.
const MAX_ANCHORS: usize = 10 * 13;

/// Calls `found` for every legal placement of the cards in the hand, each once, in the order documented by
/// the game's module.
pub(super) fn for_each(board: &Board, hand: Hand, mut found: impl FnMut(Placement)) {
    if board.laid().is_empty() {
        for card in hand.playing() {
            Direction::ALL
                .into_iter()
                .filter_map(|toward| Placement::new(card, 0, 0, toward))
                .for_each(&mut found);
        }
        return;
    }
    let bounds = GridBounds::around(board.visible());
    let size = bounds.width * bounds.height;
    if size <= SMALL_GRID_CELLS {
        bounds.search(board, hand, &mut [Cell(0); SMALL_GRID_CELLS], found);
    } else if size <= USUAL_GRID_CELLS {
        bounds.search(board, hand, &mut [Cell(0); USUAL_GRID_CELLS], found);
    } else {
        bounds.search(board, hand, &mut [Cell(0); MAX_GRID_CELLS], found);
    }
}

/// The contacts and overlaps of a new segment on a square: one bit for each value it touches, one bit for
/// each value it touches at least twice, and the flags below.
///
/// If the square covers a segment, the other segment of that card is not counted as touched: it need not
/// match.
#[derive(Clone, Copy)]
struct Cell(u32);

const TOUCHED: u32 = (1 << VALUES) - 1;
/// Bit offset of the values touched at least twice.
const TWICE_SHIFT: u32 = VALUES as u32;
/// The square overlaps a segment partially.
const OVERLAPPED: u32 = 1 << 18;
/// The square covers a segment exactly.
const COVERED: u32 = 1 << 19;
/// The square is already listed as an anchor.
const LISTED: u32 = 1 << 20;
/// Bit offset of the index of the covered value.
const COVERED_VALUE_SHIFT: u32 = 21;

/// Offsets of the squares that touch a segment, row by row.
const TOUCHING_OFFSETS: [Square; 12] = [
    (-1, -2),
    (0, -2),
    (1, -2),
    (-2, -1),
    (2, -1),
    (-2, 0),
    (2, 0),
    (-2, 1),
    (2, 1),
    (-1, 2),
    (0, 2),
    (1, 2),
];

/// The bit of a value.
const fn bit(value: u8) -> u32 {
    1 << (value - LOWEST)
}

impl Cell {
    fn touch(&mut self, value: u32) {
        self.0 |= (self.0 & value) << TWICE_SHIFT | value;
    }

    fn cover(&mut self, segment: &Segment) {
        // No other segment overlaps a square that covers one exactly.
        self.0 = self.0 & !OVERLAPPED | COVERED | u32::from(segment.value - LOWEST) << COVERED_VALUE_SHIFT;
    }

    const fn is_covering(self) -> bool {
        self.0 & COVERED != 0
    }

    /// The bit of the covered segment's value.
    const fn covered_value(self) -> u32 {
        1 << (self.0 >> COVERED_VALUE_SHIFT)
    }

    const fn touched(self) -> u32 {
        self.0 & TOUCHED
    }

    /// The touched values if one segment of this value is not counted.
    const fn touched_without(self, value: u32) -> u32 {
        self.touched() & !(value & !(self.0 >> TWICE_SHIFT))
    }

    /// The value, as a bit, for which a segment on this square is anchored, if it fits at all. Several bits
    /// if a contact is exempt: then it is anchored for no value.
    const fn anchored(self) -> u32 {
        if self.is_covering() { self.covered_value() } else { self.touched() }
    }

    /// Returns true if a card fits with the value `mine` here, where it is anchored, and the value `theirs`
    /// on the neighbouring square.
    fn fits(self, mine: u32, other: Cell, theirs: u32) -> bool {
        let against = other.0 & (OVERLAPPED | COVERED | TOUCHED & !theirs);
        if (self.0 | other.0) & COVERED == 0 {
            return against == 0;
        }
        // A segment covered by one of the two squares is no contact of the other. They never cover both
        // segments of one card, because only that card has its two values.
        let counts = |cell: Cell, beside: Cell, value: u32| {
            if beside.is_covering() { cell.touched_without(value) } else { cell.touched() }
        };
        let right_value = !other.is_covering() || other.covered_value() == theirs;
        against & OVERLAPPED == 0
            && right_value
            && counts(self, other, theirs) & !mine == 0
            && counts(other, self, mine) & !theirs == 0
    }
}

/// A square on which a segment of some value is anchored, with its cell index.
struct Anchor {
    square: Square,
    cell: u16,
}

/// The anchored squares of each value.
type Anchors = [ArrayVec<Anchor, MAX_ANCHORS>; VALUES];

/// The part of the board that the grid covers.
struct GridBounds {
    left: i16,
    top: i16,
    width: usize,
    height: usize,
}

impl GridBounds {
    fn around(visible: &[Segment]) -> GridBounds {
        let bounds = |edge: fn(&Segment) -> i16| {
            let (low, high) = visible
                .iter()
                .map(edge)
                .fold((i16::MAX, i16::MIN), |(low, high), at| (low.min(at), high.max(at)));
            let size = i32::from(high) - i32::from(low) + 1 + 2 * i32::from(MARGIN);
            (low - MARGIN, size as usize)
        };
        let (left, width) = bounds(|segment| segment.x);
        let (top, height) = bounds(|segment| segment.y);
        GridBounds { left, top, width, height }
    }

    /// The cell index of a square.
    fn cell(&self, (x, y): Square) -> usize {
        (y - self.top) as usize * self.width + (x - self.left) as usize
    }

    /// The cell index offset of a coordinate offset.
    fn step(&self, (dx, dy): Square) -> isize {
        isize::from(dy) * self.width as isize + isize::from(dx)
    }

    fn search(&self, board: &Board, hand: Hand, cells: &mut [Cell], mut found: impl FnMut(Placement)) {
        self.fill(board.visible(), cells);
        let values = hand.playing().fold(0, |values, card| values | bit(card.lower()) | bit(card.higher()));
        let mut anchors = [const { ArrayVec::new_const() }; VALUES];
        self.list_anchors(board.visible(), values, cells, &mut anchors);
        let steps = Direction::ALL.map(|toward| (toward, self.step(toward.step())));
        for card in hand.playing() {
            // A double is given by its upper or left segment.
            let steps = if card.is_double() { &steps[..2] } else { &steps[..] };
            self.place(card, steps, cells, &anchors, &mut found);
        }
    }

    /// Records in the cells what a segment on each would meet.
    fn fill(&self, visible: &[Segment], cells: &mut [Cell]) {
        let row = self.width;
        for (i, segment) in visible.iter().enumerate() {
            let here = self.cell((segment.x, segment.y));
            // The two segments of a card are adjacent in the list.
            let other = [i.wrapping_sub(1), i + 1]
                .into_iter()
                .filter_map(|i| visible.get(i))
                .find(|other| other.card == segment.card)
                .map(|other| self.cell((other.x, other.y)));
            let spared = other.map(|other| cells[other]);
            let value = bit(segment.value);
            // The 25 cells around the segment, row by row.
            for line in 0..5 {
                let start = here - 2 - 2 * row + line * row;
                let Some(cells) = cells[start..].first_chunk_mut::<5>() else {
                    continue;
                };
                if line == 0 || line == 4 {
                    cells[1..4].iter_mut().for_each(|cell| cell.touch(value));
                } else {
                    cells[0].touch(value);
                    cells[1..4].iter_mut().for_each(|cell| cell.0 |= OVERLAPPED);
                    cells[4].touch(value);
                }
            }
            cells[here].cover(segment);
            if let (Some(other), Some(spared)) = (other, spared) {
                cells[other] = spared;
            }
        }
    }

    /// Lists the anchored squares of these values, each under the first segment it is anchored at.
    fn list_anchors(&self, visible: &[Segment], values: u32, cells: &mut [Cell], anchors: &mut Anchors) {
        let around = TOUCHING_OFFSETS.map(|(dx, dy)| ((dx, dy), self.step((dx, dy))));
        for segment in visible.iter().filter(|segment| values & bit(segment.value) != 0) {
            let here = self.cell((segment.x, segment.y));
            let anchors = &mut anchors[usize::from(segment.value - LOWEST)];
            anchors.push(Anchor { square: (segment.x, segment.y), cell: here as u16 });
            for &((dx, dy), step) in &around {
                let at = here.wrapping_add_signed(step);
                if cells[at].0 & (TOUCHED | OVERLAPPED | COVERED | LISTED) == bit(segment.value) {
                    cells[at].0 |= LISTED;
                    anchors.push(Anchor { square: (segment.x + dx, segment.y + dy), cell: at as u16 });
                }
            }
        }
    }

    /// Calls `found` for every placement of one card.
    fn place(
        &self,
        card: PlayingCard,
        steps: &[(Direction, isize)],
        cells: &[Cell],
        anchors: &Anchors,
        found: &mut impl FnMut(Placement),
    ) {
        let (lower, higher) = (bit(card.lower()), bit(card.higher()));
        for anchor in &anchors[usize::from(card.lower() - LOWEST)] {
            let cell = cells[usize::from(anchor.cell)];
            for (toward, step) in steps {
                let beside = cells[usize::from(anchor.cell).wrapping_add_signed(*step)];
                if cell.fits(lower, beside, higher) {
                    found(Placement::new_unchecked(card, anchor.square, *toward));
                }
            }
        }
        for anchor in &anchors[usize::from(card.higher() - LOWEST)] {
            let cell = cells[usize::from(anchor.cell)];
            for (toward, step) in steps {
                let beside = cells[usize::from(anchor.cell).wrapping_add_signed(-*step)];
                if cell.fits(higher, beside, lower) && beside.anchored() != lower {
                    let (dx, dy) = toward.step();
                    let square = (anchor.square.0 - dx, anchor.square.1 - dy);
                    found(Placement::new_unchecked(card, square, *toward));
                }
            }
        }
    }
}
