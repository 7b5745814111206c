//! Geometry: legal positions of a card, and their scores.

use super::*;

/// A board with these cards.
pub(super) fn board(cards: &[&str]) -> Board {
    let mut board = Board::default();
    for text in cards {
        let laid = LaidCard { seat: Seat::FIRST, placement: placement(text) };
        board.lay(laid).unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
    }
    board
}

/// Checks cases: the cards on the board, a card to lay, and its score or the rule it breaks.
fn check(cases: &[(&[&str], &str, Result<i32, Refusal>)]) {
    for (on_table, new, expected) in cases {
        let board = board(on_table);
        assert_eq!(board.check(placement(new)), *expected, "{new} on {on_table:?}");
        let mut legal = Vec::new();
        crate::no_dice::placements::for_each(
            &board,
            Hand::EMPTY.with(Card::Playing(placement(new).card())),
            |one| {
                legal.push(one);
            },
        );
        assert_eq!(legal.contains(&placement(new)), expected.is_ok(), "{new} on {on_table:?}");
    }
}

const DETACHED: Result<i32, Refusal> = Err(refusals::DETACHED);
const COVER_WHOLE: Result<i32, Refusal> = Err(refusals::COVER_WHOLE);
const COVER_VALUE: Result<i32, Refusal> = Err(refusals::COVER_VALUE);
const CONTACT: Result<i32, Refusal> = Err(refusals::CONTACT_VALUE);
const FIRST_CARD: Result<i32, Refusal> = Err(refusals::FIRST_CARD);

/// 8|5 with the 5 at the origin and the 8 to its left.
const EIGHT_FIVE: &str = "5|8 0,0 left";

#[test]
fn first_card_lies_at_the_origin_in_any_rotation() {
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
fn first_card_has_four_rotations_even_if_double() {
    for text in ["5|10", "5|5"] {
        let mut legal = Vec::new();
        crate::no_dice::placements::for_each(&Board::default(), hand(text), |one| legal.push(one));
        let expected = ["right", "down", "left", "up"].map(|way| placement(&format!("{text} 0,0 {way}")));
        assert_eq!(legal, expected);
    }
}

#[test]
fn figures_of_the_rules() {
    check(&[
        // Against the 5: 15 + 5.
        (&[EIGHT_FIVE], "5|10 2,0 right", Ok(20)),
        // Over the 5, away from the 8: 15 + 5 covered + 8 in contact.
        (&[EIGHT_FIVE], "5|10 0,0 right", Ok(28)),
        (&[EIGHT_FIVE], "5|10 0,0 up", Ok(28)),
        (&[EIGHT_FIVE], "5|10 0,0 down", Ok(28)),
        // Covering with a matching segment, while the far segment touches a third card that it does not
        // match.
        (&["5|8 0,0 left", "5|6 0,2 right"], "5|10 0,0 right", CONTACT),
        // The same with a match: 15 + 5 covered + the 8, the 5 above and the 10 to the right.
        (
            &["5|8 0,0 left", "5|9 0,-2 up", "9|10 2,-4 right", "10|10 4,-2 down"],
            "5|10 0,0 right",
            Ok(15 + 5 + 8 + 5 + 10),
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
fn card_must_cover_or_touch_a_segment() {
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
fn covered_segment_needs_one_whole_segment_of_the_same_value() {
    check(&[
        (&[EIGHT_FIVE], "5|10 1,0 right", COVER_WHOLE),
        (&[EIGHT_FIVE], "5|10 0,1 right", COVER_WHOLE),
        (&[EIGHT_FIVE], "5|10 1,1 right", COVER_WHOLE),
        (&[EIGHT_FIVE], "5|10 -1,-1 up", COVER_WHOLE),
        (&[EIGHT_FIVE], "4|10 0,0 right", COVER_VALUE),
        (&[EIGHT_FIVE], "5|10 -2,0 up", COVER_VALUE),
        // Over the 5 and the 8: only a card with the same two values fits.
        (&[EIGHT_FIVE], "5|10 0,0 left", COVER_VALUE),
    ]);
}

#[test]
fn touching_segments_must_match() {
    check(&[
        (&[EIGHT_FIVE], "4|10 2,0 right", CONTACT),
        // Beside the 8, then below both the 5 and the 8.
        (&[EIGHT_FIVE], "8|8 -4,0 left", Ok(24)),
        (&[EIGHT_FIVE], "5|8 0,2 left", Ok(26)),
        (&[EIGHT_FIVE], "5|8 -2,2 right", CONTACT),
        (&[EIGHT_FIVE], "5|10 0,2 left", CONTACT),
        // A segment touched by both segments must match both.
        (&[EIGHT_FIVE], "5|5 1,2 down", Ok(15)),
        (&[EIGHT_FIVE], "5|5 2,-1 down", Ok(15)),
        (&[EIGHT_FIVE], "5|10 2,-1 down", CONTACT),
        (&[EIGHT_FIVE], "5|10 2,1 up", CONTACT),
        // With half an offset, a segment can have two contacts on one side.
        (&[EIGHT_FIVE], "5|10 -1,2 down", CONTACT),
    ]);
}

#[test]
fn contact_exemption_applies_only_to_the_covered_card() {
    check(&[
        // 5|10 over the 5 of 8|5; then 3|5 with its 5 on that 5 is refused: the 8 beside it must match.
        (&[EIGHT_FIVE, "5|10 0,0 right"], "3|5 0,2 up", CONTACT),
        (&[EIGHT_FIVE, "5|10 0,0 right"], "3|5 0,-2 down", CONTACT),
        // Nor may it cover the 8's card: the 5 beside it belongs to another card.
        (&[EIGHT_FIVE, "5|10 0,0 right"], "3|8 -4,0 right", CONTACT),
        // The far end of that card is free: 13 + 10 covered + the 5 that need not match.
        (&[EIGHT_FIVE, "5|10 0,0 right"], "3|10 4,0 left", Ok(13 + 10 + 5)),
    ]);
}

#[test]
fn one_card_may_cover_two_segments() {
    check(&[
        // One segment of each of two cards, both exempt: 10, both fives, and the 8 and the 9.
        (&["5|8 0,0 left", "5|9 2,0 right"], "5|5 0,0 right", Ok(10 + 5 + 5 + 8 + 9)),
        // Covering one of the two: the other must match if touched.
        (&["5|8 0,0 left", "5|9 2,0 right"], "5|6 0,0 up", Ok(11 + 5 + 8 + 5)),
        (&["5|8 0,0 left", "5|9 2,0 right", "5|5 0,0 right"], "5|6 0,0 up", CONTACT),
        (&["5|8 0,0 left", "5|9 2,0 right"], "5|6 0,0 right", COVER_VALUE),
    ]);
    // Both segments of one card: impossible in a game, where every pair is unique, but allowed by the rule.
    let board = board(&[EIGHT_FIVE, "8|9 -4,0 left"]);
    assert_eq!(board.check(placement("5|8 0,0 left")), Ok(13 + 5 + 8 + 8));
}

#[test]
fn contacts_score_once_and_only_visible_segments_count() {
    check(&[
        // 5|5 touches the same 5 with both segments.
        (&["5|8 0,0 left"], "5|5 2,-1 down", Ok(15)),
        // A covered 5 scores once, regardless of the segments below it.
        (&["5|8 0,0 left", "5|5 0,0 right"], "5|10 2,0 right", Ok(15 + 5 + 5)),
        (&["5|8 0,0 left", "5|5 0,0 right"], "5|10 4,0 right", Ok(15 + 5)),
    ]);
}

#[test]
fn covering_removes_a_visible_segment_and_keeps_the_order() {
    let board = board(&["5|8 0,0 left", "5|10 0,0 right", "3|8 -6,0 right"]);
    let visible = board.visible().iter();
    let visible: Vec<_> = visible.map(|one| (one.x, one.y, one.value, one.card)).collect();
    let expected = [(-2, 0, 8, 0), (0, 0, 5, 1), (2, 0, 10, 1), (-6, 0, 3, 2), (-4, 0, 8, 2)];
    assert_eq!(visible, expected);
    let laid: Vec<Placement> = board.laid().iter().map(|laid| laid.placement).collect();
    assert_eq!(laid, ["5|8 0,0 left", "5|10 0,0 right", "3|8 -6,0 right"].map(placement));
}

#[test]
fn double_has_one_canonical_placement() {
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
