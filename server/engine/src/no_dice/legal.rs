//! The list of places where cards may be laid, found quickly.
//!
//! [`Board::check`] says whether one placement is allowed; this says which ones are, without trying them all. A grid
//! holds for each square, in steps of half a segment, what a new segment there would meet. One segment of every legal
//! placement is *anchored*: it covers a segment of its value, or it lies free and touches that value and no other. So
//! it is enough to try the four directions from each anchored square, and each try looks at two cells of the grid.

use arrayvec::ArrayVec;

use super::board::{Board, Direction, Placement, Segment, Square};
use super::card::{LOWEST, PLAYING, PlayingCard, VALUES};
use super::hand::Hand;

/// Around the segments on the table: two half-segments to a square that touches them, two more to its neighbour.
const MARGIN: i16 = 4;

/// Cells of the grid that the tables early in a game fit in, and nearly all tables: less to clear than for the largest.
const SMALL: usize = 1024;
const USUAL: usize = 4096;

/// Cells of the grid that every table fits in. The left (or upper) edges of the first two segments lie 2 apart, each
/// further card adds at most 5 to width and height together, and a square has the largest area.
pub(super) const LARGEST: usize = {
    let side = (2 + 5 * (PLAYING - 1) + 2 * (1 + 2 * MARGIN as usize)).div_ceil(2);
    side * side
};

/// A value has ten segments. Twelve squares touch each, and one covers it.
const MOST_ANCHORS: usize = 10 * 13;

/// Tells every legal placement of the cards in the hand, each once and in the order that the module of the game
/// documents.
pub(super) fn placements(board: &Board, hand: Hand, mut tell: impl FnMut(Placement)) {
    if board.laid().is_empty() {
        for card in hand.playing() {
            Direction::ALL
                .into_iter()
                .filter_map(|toward| Placement::new(card, 0, 0, toward))
                .for_each(&mut tell);
        }
        return;
    }
    let frame = Frame::around(board.visible());
    let size = frame.width * frame.height;
    if size <= SMALL {
        frame.search(board, hand, &mut [Cell(0); SMALL], tell);
    } else if size <= USUAL {
        frame.search(board, hand, &mut [Cell(0); USUAL], tell);
    } else {
        frame.search(board, hand, &mut [Cell(0); LARGEST], tell);
    }
}

/// What a new segment on a square would meet: a bit for each value that it touches, a bit for each value that it touches
/// twice or more, and what the names below say.
///
/// Where the square covers a segment whole, the other segment of that card is left out of what it touches: it need
/// not match.
#[derive(Clone, Copy)]
struct Cell(u32);

const TOUCHED: u32 = (1 << VALUES) - 1;
/// How much further up the bits are of the values that are touched twice.
const TWICE: u32 = VALUES as u32;
/// The square overlaps a segment in part.
const IN_PART: u32 = 1 << 18;
/// The square covers a segment whole.
const WHOLE: u32 = 1 << 19;
/// The square is among the anchored ones already.
const LISTED: u32 = 1 << 20;
/// How far up the place of the value is that is covered whole.
const WHOLE_VALUE: u32 = 21;

/// The squares that touch a segment, row by row.
const AROUND: [Square; 12] = [
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
        self.0 |= (self.0 & value) << TWICE | value;
    }

    fn cover(&mut self, segment: &Segment) {
        // No other segment overlaps a square that covers one whole.
        self.0 = self.0 & !IN_PART | WHOLE | u32::from(segment.value - LOWEST) << WHOLE_VALUE;
    }

    const fn is_whole(self) -> bool {
        self.0 & WHOLE != 0
    }

    /// The bit of the value of the segment that is covered whole.
    const fn covered(self) -> u32 {
        1 << (self.0 >> WHOLE_VALUE)
    }

    const fn touched(self) -> u32 {
        self.0 & TOUCHED
    }

    /// What is touched when one segment of this value no longer counts.
    const fn touched_less(self, value: u32) -> u32 {
        self.touched() & !(value & !(self.0 >> TWICE))
    }

    /// The value for which a segment on this square is anchored, as a bit, if it fits there at all. Several bits, where a
    /// contact is exempt: then it is anchored for none.
    const fn anchored(self) -> u32 {
        if self.is_whole() { self.covered() } else { self.touched() }
    }

    /// Whether a card may lie with the value `mine` here, where it is anchored, and the value `theirs` on the
    /// neighbouring square.
    fn fits(self, mine: u32, other: Cell, theirs: u32) -> bool {
        let against = other.0 & (IN_PART | WHOLE | TOUCHED & !theirs);
        if (self.0 | other.0) & WHOLE == 0 {
            return against == 0;
        }
        // What one of the two squares covers is no contact of the other. They never cover the two segments of one card:
        // there is only one card with its two values.
        let counts = |cell: Cell, beside: Cell, value: u32| {
            if beside.is_whole() { cell.touched_less(value) } else { cell.touched() }
        };
        let right_value = !other.is_whole() || other.covered() == theirs;
        against & IN_PART == 0
            && right_value
            && counts(self, other, theirs) & !mine == 0
            && counts(other, self, mine) & !theirs == 0
    }
}

/// A square on which a segment of some value is anchored, and its cell.
struct Anchor {
    square: Square,
    cell: u16,
}

/// The anchored squares of each value.
type Anchors = [ArrayVec<Anchor, MOST_ANCHORS>; VALUES];

/// The part of the table that the grid holds.
struct Frame {
    left: i16,
    top: i16,
    width: usize,
    height: usize,
}

impl Frame {
    fn around(visible: &[Segment]) -> Frame {
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
        Frame { left, top, width, height }
    }

    /// The cell of a square on the table.
    fn cell(&self, (x, y): Square) -> usize {
        (y - self.top) as usize * self.width + (x - self.left) as usize
    }

    /// How far it is from a cell to that of the next segment in a direction.
    fn step(&self, (dx, dy): Square) -> isize {
        isize::from(dy) * self.width as isize + isize::from(dx)
    }

    fn search(&self, board: &Board, hand: Hand, cells: &mut [Cell], mut tell: impl FnMut(Placement)) {
        self.fill(board.visible(), cells);
        let values = hand.playing().fold(0, |values, card| values | bit(card.lower()) | bit(card.higher()));
        let mut anchors = [const { ArrayVec::new_const() }; VALUES];
        self.list_anchors(board.visible(), values, cells, &mut anchors);
        let steps = Direction::ALL.map(|toward| (toward, self.step(toward.step())));
        for card in hand.playing() {
            // A double is named by its upper or left segment.
            let steps = if card.is_double() { &steps[..2] } else { &steps[..] };
            self.lay(card, steps, cells, &anchors, &mut tell);
        }
    }

    /// Writes into the cells what a segment on each would meet.
    fn fill(&self, visible: &[Segment], cells: &mut [Cell]) {
        let row = self.width;
        for (i, segment) in visible.iter().enumerate() {
            let here = self.cell((segment.x, segment.y));
            // The two segments of a card stand side by side in the list.
            let other = [i.wrapping_sub(1), i + 1]
                .into_iter()
                .filter_map(|i| visible.get(i))
                .find(|other| other.card == segment.card)
                .map(|other| self.cell((other.x, other.y)));
            let spared = other.map(|other| cells[other]);
            let value = bit(segment.value);
            // The 25 cells around the segment, line by line.
            for line in 0..5 {
                let start = here - 2 - 2 * row + line * row;
                let Some(cells) = cells[start..].first_chunk_mut::<5>() else {
                    continue;
                };
                if line == 0 || line == 4 {
                    cells[1..4].iter_mut().for_each(|cell| cell.touch(value));
                } else {
                    cells[0].touch(value);
                    cells[1..4].iter_mut().for_each(|cell| cell.0 |= IN_PART);
                    cells[4].touch(value);
                }
            }
            cells[here].cover(segment);
            if let (Some(other), Some(spared)) = (other, spared) {
                cells[other] = spared;
            }
        }
    }

    /// Lists the anchored squares of these values, each under the first segment that it is anchored at.
    fn list_anchors(&self, visible: &[Segment], values: u32, cells: &mut [Cell], anchors: &mut Anchors) {
        let around = AROUND.map(|(dx, dy)| ((dx, dy), self.step((dx, dy))));
        for segment in visible.iter().filter(|segment| values & bit(segment.value) != 0) {
            let here = self.cell((segment.x, segment.y));
            let anchors = &mut anchors[usize::from(segment.value - LOWEST)];
            anchors.push(Anchor { square: (segment.x, segment.y), cell: here as u16 });
            for &((dx, dy), step) in &around {
                let at = here.wrapping_add_signed(step);
                if cells[at].0 & (TOUCHED | IN_PART | WHOLE | LISTED) == bit(segment.value) {
                    cells[at].0 |= LISTED;
                    anchors.push(Anchor { square: (segment.x + dx, segment.y + dy), cell: at as u16 });
                }
            }
        }
    }

    /// Tells every place for one card.
    fn lay(
        &self,
        card: PlayingCard,
        steps: &[(Direction, isize)],
        cells: &[Cell],
        anchors: &Anchors,
        tell: &mut impl FnMut(Placement),
    ) {
        let (lower, higher) = (bit(card.lower()), bit(card.higher()));
        for anchor in &anchors[usize::from(card.lower() - LOWEST)] {
            let cell = cells[usize::from(anchor.cell)];
            for (toward, step) in steps {
                let beside = cells[usize::from(anchor.cell).wrapping_add_signed(*step)];
                if cell.fits(lower, beside, higher) {
                    tell(Placement::known(card, anchor.square, *toward));
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
                    tell(Placement::known(card, square, *toward));
                }
            }
        }
    }
}
