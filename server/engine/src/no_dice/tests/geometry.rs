//! Where a card may lie, and what it scores.

use std::collections::HashSet;

use super::*;
use crate::conformance::test_rng;

/// A table on which these cards were laid.
fn board(cards: &[&str]) -> Board {
    let mut board = Board::default();
    for text in cards {
        let laid = Laid { seat: Seat::FIRST, placement: placement(text) };
        board.lay(laid).unwrap_or_else(|why| panic!("{text}: {why}"));
    }
    board
}

/// Each case: the cards on the table, a card to lay, and what it scores or the rule against it.
fn check(cases: &[(&[&str], &str, Result<i32, Refusal>)]) {
    for (on_table, new, expected) in cases {
        let board = board(on_table);
        assert_eq!(board.check(placement(new)), *expected, "{new} on {on_table:?}");
        let mut offered = Vec::new();
        legal::placements(&board, Hand::EMPTY.with(Card::Playing(placement(new).card())), |one| {
            offered.push(one);
        });
        assert_eq!(offered.contains(&placement(new)), expected.is_ok(), "{new} on {on_table:?}");
    }
}

const DETACHED: Result<i32, Refusal> = Err(refusals::DETACHED);
const COVER_WHOLE: Result<i32, Refusal> = Err(refusals::COVER_WHOLE);
const COVER_VALUE: Result<i32, Refusal> = Err(refusals::COVER_VALUE);
const CONTACT: Result<i32, Refusal> = Err(refusals::CONTACT_VALUE);
const FIRST_CARD: Result<i32, Refusal> = Err(refusals::FIRST_CARD);

/// 8|5 with the 5 at the origin and the 8 on its left.
const EIGHT_FIVE: &str = "5|8 0,0 left";

#[test]
fn the_first_card_lies_at_the_origin_in_any_rotation() {
    check(&[
        (&[], "5|10 0,0 right", Ok(15)),
        (&[], "5|10 0,0 down", Ok(15)),
        (&[], "5|10 0,0 left", Ok(15)),
        (&[], "5|10 0,0 up", Ok(15)),
        (&[], "5|10 -2,0 right", FIRST_CARD),
        (&[], "5|10 2,0 left", FIRST_CARD),
        (&[], "5|10 1,0 right", FIRST_CARD),
        (&[], "5|10 0,1 right", FIRST_CARD),
        (&[], "5|5 0,0 right", Ok(10)),
        (&[], "5|5 0,0 down", Ok(10)),
        (&[], "5|5 0,0 left", Ok(10)),
        (&[], "5|5 0,0 up", Ok(10)),
        (&[], "5|5 2,0 right", FIRST_CARD),
        (&[], "5|5 0,2 down", FIRST_CARD),
    ]);
}

#[test]
fn the_first_card_is_offered_in_four_rotations_a_double_too() {
    for text in ["5|10", "5|5"] {
        let mut offered = Vec::new();
        legal::placements(&Board::default(), hand(text), |one| offered.push(one));
        let expected = ["right", "down", "left", "up"].map(|way| placement(&format!("{text} 0,0 {way}")));
        assert_eq!(offered, expected);
    }
}

#[test]
fn the_printed_figures() {
    check(&[
        // Against the 5: 15 + 5.
        (&[EIGHT_FIVE], "5|10 2,0 right", Ok(20)),
        // Over the 5, away from the 8: 15 + 5 covered + 8 in contact.
        (&[EIGHT_FIVE], "5|10 0,0 right", Ok(28)),
        (&[EIGHT_FIVE], "5|10 0,0 up", Ok(28)),
        (&[EIGHT_FIVE], "5|10 0,0 down", Ok(28)),
        // Covering with a matching segment, the far one against a third card that it does not match.
        (&["5|8 0,0 left", "5|6 0,2 right"], "5|10 0,0 right", CONTACT),
        // The same where it matches: 15 + 5 covered + the 8, the 5 below and the 10 below.
        (
            &["5|8 0,0 left", "5|5 0,2 down", "5|10 2,4 right", "10|10 4,2 right"],
            "5|10 0,0 down",
            COVER_VALUE,
        ),
        (&["5|8 0,0 left", "5|10 0,2 right"], "5|9 0,0 up", Ok(14 + 5 + 8 + 5)),
        // One segment under both, half each, even if both match.
        (&[EIGHT_FIVE], "5|5 -1,0 right", COVER_WHOLE),
        (&[EIGHT_FIVE], "5|5 0,-1 down", COVER_WHOLE),
        // Half an edge is a contact.
        (&[EIGHT_FIVE], "5|10 1,2 right", Ok(20)),
        (&[EIGHT_FIVE], "5|10 2,1 right", Ok(20)),
        (&[EIGHT_FIVE], "5|10 2,-1 right", Ok(20)),
        (&[EIGHT_FIVE], "5|10 1,-2 right", Ok(20)),
    ]);
}

#[test]
fn it_must_cover_or_contact_something() {
    check(&[
        (&[EIGHT_FIVE], "5|10 3,0 right", DETACHED),
        (&[EIGHT_FIVE], "5|10 0,3 right", DETACHED),
        // A corner is not enough.
        (&[EIGHT_FIVE], "5|10 2,2 right", DETACHED),
        (&[EIGHT_FIVE], "5|10 2,-2 right", DETACHED),
        (&[EIGHT_FIVE], "5|10 32767,0 left", DETACHED),
        (&[EIGHT_FIVE], "5|10 -32768,-32768 down", DETACHED),
    ]);
}

#[test]
fn what_is_covered_is_covered_whole_by_one_segment_of_the_same_value() {
    check(&[
        (&[EIGHT_FIVE], "5|10 1,0 right", COVER_WHOLE),
        (&[EIGHT_FIVE], "5|10 0,1 right", COVER_WHOLE),
        (&[EIGHT_FIVE], "5|10 1,1 right", COVER_WHOLE),
        (&[EIGHT_FIVE], "5|10 -1,-1 up", COVER_WHOLE),
        (&[EIGHT_FIVE], "4|10 0,0 right", COVER_VALUE),
        (&[EIGHT_FIVE], "5|10 -2,0 up", COVER_VALUE),
        // Over the 5 and the 8: only the same two values could lie there.
        (&[EIGHT_FIVE], "5|10 0,0 left", COVER_VALUE),
    ]);
}

#[test]
fn contacts_must_match() {
    check(&[
        (&[EIGHT_FIVE], "4|10 2,0 right", CONTACT),
        // Beside the 8, below the 5 and the 8 alike.
        (&[EIGHT_FIVE], "8|8 -4,0 left", Ok(24)),
        (&[EIGHT_FIVE], "5|8 0,2 left", Ok(26)),
        (&[EIGHT_FIVE], "5|8 -2,2 right", CONTACT),
        (&[EIGHT_FIVE], "5|10 0,2 left", CONTACT),
        // A contact that touches both segments must match both.
        (&[EIGHT_FIVE], "5|5 1,2 down", Ok(15)),
        (&[EIGHT_FIVE], "5|5 2,-1 down", Ok(15)),
        (&[EIGHT_FIVE], "5|10 2,-1 down", CONTACT),
        (&[EIGHT_FIVE], "5|10 2,1 up", CONTACT),
        // At half offset, a segment can have two contacts on one side.
        (&[EIGHT_FIVE], "5|10 -1,2 down", CONTACT),
    ]);
}

#[test]
fn the_exception_is_for_the_other_segment_of_a_covered_card_alone() {
    check(&[
        // 5|10 over the 5 of 8|5; then 3|5 with its 5 on that 5 is refused: the 8 beside it must match.
        (&[EIGHT_FIVE, "5|10 0,0 right"], "3|5 0,2 up", CONTACT),
        (&[EIGHT_FIVE, "5|10 0,0 right"], "3|5 0,-2 down", CONTACT),
        // Nor may it lie over the 8's card: the new 5 beside it is another card's.
        (&[EIGHT_FIVE, "5|10 0,0 right"], "3|8 -4,0 right", CONTACT),
        // The far end of that card is free: 13 + 10 covered + the 5 that need not match.
        (&[EIGHT_FIVE, "5|10 0,0 right"], "3|10 4,0 left", Ok(13 + 10 + 5)),
    ]);
}

#[test]
fn one_play_may_cover_two_segments() {
    check(&[
        // One segment of each of two cards, exempt for each: 10, both fives, and the 8 and the 9.
        (&["5|8 0,0 left", "5|9 2,0 right"], "5|5 0,0 right", Ok(10 + 5 + 5 + 8 + 9)),
        // With one of the two, the other must match where it touches.
        (&["5|8 0,0 left", "5|9 2,0 right"], "5|6 0,0 up", Ok(11 + 5 + 8 + 5)),
        (&["5|8 0,0 left", "5|9 2,0 right", "5|5 0,0 right"], "5|6 0,0 up", CONTACT),
        (&["5|8 0,0 left", "5|9 2,0 right"], "5|6 0,0 right", COVER_VALUE),
    ]);
    // Both of one card: no game has two such cards, but the rule is the same.
    let board = board(&[EIGHT_FIVE, "8|9 -4,0 left"]);
    assert_eq!(board.check(placement("5|8 0,0 left")), Ok(13 + 5 + 8 + 8));
}

#[test]
fn each_contact_scores_once_and_only_what_is_on_top_counts() {
    check(&[
        // 5|5 touches the one 5 with both segments.
        (&["5|8 0,0 left"], "5|5 2,-1 down", Ok(15)),
        // A covered 5 scores once, whatever lies under it.
        (&["5|8 0,0 left", "5|5 0,0 right"], "5|10 2,0 right", Ok(15 + 5 + 5)),
        (&["5|8 0,0 left", "5|5 0,0 right"], "5|10 4,0 right", Ok(15 + 5)),
    ]);
}

#[test]
fn covering_takes_a_segment_away_and_the_rest_stays_in_order() {
    let board = board(&["5|8 0,0 left", "5|10 0,0 right", "3|8 -6,0 right"]);
    let visible = board.visible().iter();
    let visible: Vec<_> = visible.map(|one| (one.x, one.y, one.value, one.card)).collect();
    let expected = [(-2, 0, 8, 0), (0, 0, 5, 1), (2, 0, 10, 1), (-6, 0, 3, 2), (-4, 0, 8, 2)];
    assert_eq!(visible, expected);
    let laid: Vec<Placement> = board.laid().iter().map(|laid| laid.placement).collect();
    assert_eq!(laid, ["5|8 0,0 left", "5|10 0,0 right", "3|8 -6,0 right"].map(placement));
}

#[test]
fn a_double_has_one_name_for_each_place() {
    for (one, other) in [("5|5 2,0 left", "5|5 0,0 right"), ("5|5 0,2 up", "5|5 0,0 down")] {
        assert_eq!(placement(one), placement(other));
    }
    let (left, right) = (placement("5|6 2,0 left"), placement("5|6 0,0 right"));
    assert_ne!(left, right);
    assert_eq!((left.lower(), left.higher(), left.toward()), ((2, 0), (0, 0), Direction::Left));
    assert_eq!((right.lower(), right.higher(), right.toward()), ((0, 0), (2, 0), Direction::Right));
    for (x, y, toward, is_there) in [
        (i16::MAX - 1, 0, Direction::Right, false),
        (i16::MAX - 2, 0, Direction::Right, true),
        (0, i16::MAX - 1, Direction::Down, false),
        (i16::MIN + 1, 0, Direction::Left, false),
        (i16::MIN + 2, 0, Direction::Left, true),
        (0, i16::MIN + 1, Direction::Up, false),
    ] {
        for card in ["5|5", "5|6"] {
            assert_eq!(Placement::new(playing(card), x, y, toward).is_some(), is_there, "{x} {y} {toward:?}");
        }
    }
}

/// The quick list has every placement that the plain check allows, each once, and no other.
#[test]
fn the_list_is_what_the_check_allows() {
    let mut rng = test_rng("the_list_is_what_the_check_allows");
    let mut compared = 0;
    for game in 0..40 {
        let mut board = Board::default();
        let mut left: Vec<PlayingCard> = Hand::full_deck().playing().collect();
        shuffle(&mut left, &mut rng);
        for step in 0..left.len() {
            let mut offered = Vec::new();
            let rest: Hand = left[step..].iter().copied().map(Card::Playing).collect();
            legal::placements(&board, rest, |one| offered.push(one));
            // Later tables are large: a few are enough.
            if step % 5 == game % 5 {
                let listed: HashSet<Placement> = offered.iter().copied().collect();
                assert_eq!(listed.len(), offered.len(), "a repeat");
                let allowed: HashSet<Placement> = everywhere(&board)
                    .flat_map(|(x, y, toward)| {
                        rest.playing().filter_map(move |card| Placement::new(card, x, y, toward))
                    })
                    .filter(|one| board.check(*one).is_ok())
                    .collect();
                assert_eq!(listed, allowed, "{:#?}", board.laid());
                compared += listed.len();
            }
            let own: Vec<Placement> = offered.into_iter().filter(|one| one.card() == left[step]).collect();
            // Covers are rare among all places: choose one in every other game.
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
                board.lay(Laid { seat, placement }).expect("a legal placement");
            }
        }
    }
    assert!(compared > 10_000, "only {compared} placements were compared");
}

/// Every position and rotation in and around the table.
fn everywhere(board: &Board) -> impl Iterator<Item = (i16, i16, Direction)> {
    let span = |edge: fn(&Segment) -> i16| {
        let edges = board.visible().iter().map(edge);
        edges.clone().min().unwrap_or(0) - 5..=edges.max().unwrap_or(0) + 5
    };
    let (xs, ys) = (span(|segment| segment.x), span(|segment| segment.y));
    ys.flat_map(move |y| xs.clone().map(move |x| (x, y)))
        .flat_map(|(x, y)| Direction::ALL.map(|toward| (x, y, toward)))
}

/// Tables as long, as tall and as slanting as they come fit the grid.
#[test]
fn the_largest_tables() {
    let mut largest = 0;
    for (right, down) in [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)] {
        let mut board = Board::default();
        let mut left = Hand::full_deck();
        // Always as far as possible in this direction, until three cards are left.
        while left.playing().count() > 3 {
            let mut offered = Vec::new();
            legal::placements(&board, left, |one| offered.push(one));
            let reach = |one: &Placement| {
                let squares = [one.lower(), one.higher()];
                squares.map(|(x, y)| right * x + down * y).iter().sum::<i16>()
            };
            let placement = offered.into_iter().max_by_key(reach).expect("a place for a card");
            let seat = Seat::FIRST;
            board.lay(Laid { seat, placement }).expect("a legal placement");
            left = left.without(Card::Playing(placement.card()));
        }
        let mut offered = Vec::new();
        legal::placements(&board, left, |one| offered.push(one));
        let allowed: HashSet<Placement> = everywhere(&board)
            .flat_map(|(x, y, toward)| {
                left.playing().filter_map(move |card| Placement::new(card, x, y, toward))
            })
            .filter(|one| board.check(*one).is_ok())
            .collect();
        assert_eq!(offered.into_iter().collect::<HashSet<_>>(), allowed);
        largest = largest.max(everywhere(&board).count() / 4);
    }
    assert!(largest > 6000, "the largest table had {largest} positions");
}

/// Positions of segments spread over 2 for the first card and 5 for each of the 44 others, width and height together.
/// Each way, a grid has one cell more than that, and 4 at either end.
#[test]
fn the_grid_has_room_for_every_width_and_height() {
    let both = 2 + 5 * 44 + 2 * (1 + 4 + 4);
    assert_eq!((0..=both).map(|width| width * (both - width)).max(), Some(legal::LARGEST));
}

#[test]
fn the_order_of_the_list() {
    let mut offered = Vec::new();
    legal::placements(&board(&["5|8 0,0 left"]), hand("5|10"), |one| offered.push(one));
    let squares: Vec<(Square, Direction)> = offered.iter().map(|one| (one.lower(), one.toward())).collect();
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
