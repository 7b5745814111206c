//! Ranks, multisets of cards, and combinations.

use super::*;

/// "65 cards: the ranks 1-5 (rain), 7-9 (cloud) and 11-15 (sun). There is no 6 and no 10."
#[test]
fn ranks_are_1_to_5_7_to_9_and_11_to_15() {
    let expected: Vec<u8> = (1..=5).chain(7..=9).chain(11..=15).collect();
    let numbers: Vec<u8> = (0..=255).filter_map(Rank::new).map(Rank::number).collect();
    assert_eq!(numbers, expected);
    let from_codes: Vec<Rank> = (0..=255).filter_map(Rank::from_code).collect();
    assert_eq!(from_codes.iter().map(|rank| rank.number()).collect::<Vec<_>>(), expected);
    assert_eq!(from_codes.iter().map(|rank| rank.code()).collect::<Vec<_>>(), (0..=12).collect::<Vec<_>>());
    assert!(from_codes.is_sorted());
    assert_eq!((Rank::EIGHT.number(), format!("{:?}", Rank::EIGHT)), (8, "Rank(8)".to_string()));
    let below = |number| rank(number).down().map(Rank::number);
    assert_eq!([2, 5, 8, 9, 12, 15].map(below), [1, 4, 7, 8, 11, 14].map(Some));
    assert_eq!([1, 7, 11].map(below), [None; 3]);
}

/// "1-4: 1. 5, 7, 9, 11, 12, 13: 2. 14 and 15: 3. 8: 4."
#[test]
fn rank_penalties() {
    let penalties: Vec<i32> = Ranks::each(1).iter().map(Rank::penalty).collect();
    assert_eq!(penalties, [1, 1, 1, 1, 2, 2, 4, 2, 2, 2, 2, 3, 3]);
    assert_eq!(penalties.iter().sum::<i32>(), 2 * 13, "the mean is exactly 2");
    assert_eq!(cards("3 8 8 12 15").penalty(), 1 + 4 + 4 + 2 + 3);
}

#[test]
fn deck_for_each_player_count() {
    for (players, copies, all) in [(2, 4, 52), (3, 4, 52), (4, 4, 52), (5, 5, 65), (6, 5, 65)] {
        let deck: Vec<Rank> = card::deck(players).collect();
        assert_eq!((deck.len(), deck.is_sorted()), (all, true));
        let deck: Ranks = deck.into_iter().collect();
        assert!(Ranks::each(1).iter().all(|rank| deck.count(rank) == copies));
        assert_eq!(deck, Ranks::each(copies));
    }
}

#[test]
fn ranks_count_cards() {
    let some = cards("1 3 3 8 13 13 13 13 13");
    assert_eq!((some.len(), Ranks::EMPTY.len(), Ranks::each(5).len()), (9, 0, 65));
    assert_eq!((some.count(rank(3)), some.count(rank(13)), some.count(rank(2))), (2, 5, 0));
    assert!(some.contains(rank(8)) && !some.contains(rank(12)));
    assert!(Ranks::EMPTY.is_empty() && !some.is_empty());
    assert_eq!(some.iter().map(Rank::number).collect::<Vec<_>>(), [1, 3, 3, 8, 13, 13, 13, 13, 13]);
    assert_eq!(some.distinct().map(Rank::number).collect::<Vec<_>>(), [1, 3, 8, 13]);
    assert_eq!((some.lowest(), Ranks::EMPTY.lowest()), (Some(rank(1)), None));
    assert_eq!(format!("{:?}", cards("8 1 8")), "[1, 8, 8]");
    assert_eq!(Ranks::copies(rank(2), 3), cards("2 2 2"));
    assert_eq!((Ranks::copies(rank(2), 200), Ranks::each(200)), (cards("2 2 2 2 2"), Ranks::each(5)));
}

#[test]
fn ranks_plus_and_minus_saturate() {
    assert_eq!(cards("1 2 2").plus(cards("2 13")), cards("1 2 2 2 13"));
    assert_eq!(cards("2 2 2 4").plus(cards("2 2 2 4")), cards("2 2 2 2 2 4 4"), "5 at the most");
    assert_eq!(Ranks::each(5).plus(Ranks::each(5)), Ranks::each(5));
    assert_eq!(Ranks::each(2).plus(Ranks::each(3)), Ranks::each(5));
    assert_eq!(cards("1 2 2 2 13").minus(cards("2 13")), cards("1 2 2"));
    assert_eq!(cards("2 4 4").minus(cards("2 2 3 4")), cards("4"), "no less than none");
    assert_eq!(Ranks::EMPTY.minus(Ranks::each(5)), Ranks::EMPTY);
    for (all, some, contained) in [
        ("1 2 2", "2 2", true),
        ("1 2 2", "1 2 2", true),
        ("1 2 2", "", true),
        ("1 2 2", "2 2 2", false),
        ("1 2 2", "3", false),
        ("13", "12", false),
        ("", "1", false),
    ] {
        assert_eq!(cards(all).contains_all(cards(some)), contained, "{all}: {some}");
    }
}

/// 5 and 7 are not consecutive, 9 and 11 are not, 15 and 1 are not.
#[test]
fn runs_end_at_the_holes() {
    let some = cards("1 2 2 3 3 3 5 7 8 11 13 13 14 15");
    let runs: Vec<u8> = Ranks::each(1).iter().map(|low| some.run_length(low)).collect();
    assert_eq!(runs, [3, 2, 1, 0, 1, 2, 1, 0, 1, 0, 3, 2, 1]);
    let above: Vec<u8> = Ranks::each(1).iter().map(|rank| some.run_length_above(rank)).collect();
    assert_eq!(above, [2, 1, 0, 1, 0, 1, 0, 0, 0, 3, 2, 1, 0]);
    let longest: Vec<u8> = Ranks::each(5).distinct().map(|low| Ranks::each(5).run_length(low)).collect();
    assert_eq!(longest, [5, 4, 3, 2, 1, 3, 2, 1, 5, 4, 3, 2, 1]);
    assert_eq!(
        (some.above(rank(5)), some.below(rank(5))),
        (cards("7 8 11 13 13 14 15"), cards("1 2 2 3 3 3"))
    );
    assert_eq!((some.above(rank(15)), some.below(rank(1))), (Ranks::EMPTY, Ranks::EMPTY));
    assert_eq!(rank(3).to(rank(5)).collect::<Vec<_>>(), ranks("3 4 5"));
}

/// "A run lies within 1-5, within 7-9 or within 11-15."
#[test]
fn combinations_are_well_formed() {
    for low in Ranks::each(1).iter() {
        let sets: Vec<u8> = (0..=255).filter(|n| Combination::set(low, *n).is_some()).collect();
        assert_eq!(sets, [2, 3, 4, 5]);
        let runs = (0..=255).filter(|n| Combination::run(low, *n).is_some());
        let highest = match low.number() {
            1..=5 => 5,
            7..=9 => 9,
            _ => 15,
        };
        let longest = highest - low.number() + 1;
        assert_eq!(runs.collect::<Vec<_>>(), (2..=longest).collect::<Vec<_>>(), "from {low}");
    }
}

#[test]
fn combination_kinds_sizes_and_cards() {
    for (text, kind, lowest, highest, size, full) in [
        ("8", CombinationKind::Single, 8, 8, 1, false),
        ("5,5", CombinationKind::Set, 5, 5, 2, false),
        ("13,13,13", CombinationKind::Set, 13, 13, 3, false),
        ("1,1,1,1", CombinationKind::Set, 1, 1, 4, true),
        ("1,1,1,1,1", CombinationKind::Set, 1, 1, 5, true),
        ("12,13", CombinationKind::Run, 12, 13, 2, false),
        ("7,8,9", CombinationKind::Run, 7, 9, 3, false),
        ("2,3,4,5", CombinationKind::Run, 2, 5, 4, false),
        ("1,2,3,4,5", CombinationKind::Run, 1, 5, 5, true),
        ("11,12,13,14,15", CombinationKind::Run, 11, 15, 5, true),
    ] {
        let it = combination(text);
        let ends = (it.lowest(), it.highest());
        assert_eq!((it.kind(), ends, it.size()), (kind, (rank(lowest), rank(highest)), size), "{text}");
        assert_eq!(it.cards(), cards(text));
        assert_eq!(it.is_full(), full, "{text}");
    }
}
