//! Generation of placements: completeness, the size of the grid, and the order.

use std::collections::HashSet;

use super::geometry::board;
use super::*;
use crate::test_support::test_rng;
use crate::{below, shuffle};

/// The generated list has exactly the placements that the check allows, each once.
#[test]
fn generated_placements_equal_checked_placements() {
    let mut rng = test_rng("generated_placements_equal_checked_placements");
    let mut compared = 0;
    for game in 0..40 {
        let mut board = Board::default();
        let mut left: Vec<PlayingCard> = Hand::full_deck().playing().collect();
        shuffle(&mut left, &mut rng);
        for step in 0..left.len() {
            let mut legal = Vec::new();
            let rest: Hand = left[step..].iter().copied().map(Card::Playing).collect();
            crate::no_dice::placements::for_each(&board, rest, |one| legal.push(one));
            // Later boards are large: check only some.
            if step % 5 == game % 5 {
                let listed: HashSet<Placement> = legal.iter().copied().collect();
                assert_eq!(listed.len(), legal.len(), "a repeat");
                let allowed: HashSet<Placement> = all_positions(&board)
                    .flat_map(|(x, y, toward)| {
                        rest.playing().filter_map(move |card| Placement::new(card, x, y, toward))
                    })
                    .filter(|one| board.check(*one).is_ok())
                    .collect();
                assert_eq!(listed, allowed, "{:#?}", board.laid());
                compared += listed.len();
            }
            let own: Vec<Placement> = legal.into_iter().filter(|one| one.card() == left[step]).collect();
            // Covers are rare among all placements: choose one in every other game.
            let covers = |one: &&Placement| {
                board
                    .visible()
                    .iter()
                    .any(|segment| [one.lower(), one.higher()].contains(&(segment.x, segment.y)))
            };
            let covering: Vec<Placement> = own.iter().filter(covers).copied().collect();
            let from = if game % 2 == 0 && !covering.is_empty() { covering } else { own };
            if !from.is_empty() {
                let placement = from[below(from.len() as u32, &mut rng) as usize];
                let seat = Seat::FIRST;
                board.lay(LaidCard { seat, placement }).expect("a legal placement");
            }
        }
    }
    assert!(compared > 10_000, "only {compared} placements were compared");
}

/// Every position and rotation on and around the board.
fn all_positions(board: &Board) -> impl Iterator<Item = (i16, i16, Direction)> {
    let span = |edge: fn(&Segment) -> i16| {
        let edges = board.visible().iter().map(edge);
        edges.clone().min().unwrap_or(0) - 5..=edges.max().unwrap_or(0) + 5
    };
    let (xs, ys) = (span(|segment| segment.x), span(|segment| segment.y));
    ys.flat_map(move |y| xs.clone().map(move |x| (x, y)))
        .flat_map(|(x, y)| Direction::ALL.map(|toward| (x, y, toward)))
}

/// The widest, tallest and most diagonal boards fit the grid.
#[test]
fn largest_boards_fit_the_grid() {
    let mut largest = 0;
    for (right, down) in [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)] {
        let mut board = Board::default();
        let mut left = Hand::full_deck();
        // Always as far as possible in this direction, until three cards are left.
        while left.playing().count() > 3 {
            let mut legal = Vec::new();
            crate::no_dice::placements::for_each(&board, left, |one| legal.push(one));
            let reach = |one: &Placement| {
                let squares = [one.lower(), one.higher()];
                squares.map(|(x, y)| right * x + down * y).iter().sum::<i16>()
            };
            let placement = legal.into_iter().max_by_key(reach).expect("a place for a card");
            let seat = Seat::FIRST;
            board.lay(LaidCard { seat, placement }).expect("a legal placement");
            left = left.without(Card::Playing(placement.card()));
        }
        let mut legal = Vec::new();
        crate::no_dice::placements::for_each(&board, left, |one| legal.push(one));
        let allowed: HashSet<Placement> = all_positions(&board)
            .flat_map(|(x, y, toward)| {
                left.playing().filter_map(move |card| Placement::new(card, x, y, toward))
            })
            .filter(|one| board.check(*one).is_ok())
            .collect();
        assert_eq!(legal.into_iter().collect::<HashSet<_>>(), allowed);
        largest = largest.max(all_positions(&board).count() / 4);
    }
    assert!(largest > 6000, "the largest table had {largest} positions");
}

/// Segment positions spread over 2 for the first card plus 5 for each of the 44 others, width and height
/// together. In each dimension, the grid has one more cell than that, and a margin of 4 at either end.
#[test]
fn grid_fits_every_width_and_height() {
    let both = 2 + 5 * 44 + 2 * (1 + 4 + 4);
    assert_eq!(
        (0..=both).map(|width| width * (both - width)).max(),
        Some(crate::no_dice::placements::MAX_GRID_CELLS)
    );
}

#[test]
fn placements_are_in_the_documented_order() {
    let mut legal = Vec::new();
    crate::no_dice::placements::for_each(&board(&["5|8 0,0 left"]), hand("5|10"), |one| legal.push(one));
    let squares: Vec<(Square, Direction)> = legal.iter().map(|one| (one.lower(), one.toward())).collect();
    use Direction::{Down, Right, Up};
    let expected = [
        // Over the 5, then around it row by row.
        ((0, 0), Right),
        ((0, 0), Down),
        ((0, 0), Up),
        ((0, -2), Right),
        ((0, -2), Up),
        ((1, -2), Right),
        ((1, -2), Up),
        ((2, -1), Right),
        ((2, -1), Up),
        ((2, 0), Right),
        ((2, 0), Down),
        ((2, 0), Up),
        ((2, 1), Right),
        ((2, 1), Down),
        ((0, 2), Right),
        ((0, 2), Down),
        ((1, 2), Right),
        ((1, 2), Down),
    ];
    assert_eq!(squares, expected);
}
