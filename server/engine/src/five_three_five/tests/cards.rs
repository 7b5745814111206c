//! Ranks, multisets of cards, and combinations.

use super::*;

#[test]
fn ranks_are_numbered_1_to_13() {
    let numbers: Vec<u8> = (0..=255).filter_map(Rank::new).map(Rank::number).collect();
    assert_eq!(numbers, (1..=13).collect::<Vec<_>>());
    let codes: Vec<u8> = (0..=255).filter_map(Rank::from_code).map(Rank::code).collect();
    assert_eq!(codes, (0..=12).collect::<Vec<_>>());
    assert_eq!((Rank::EIGHT.number(), format!("{:?}", Rank::EIGHT)), (8, "Rank(8)".to_string()));
    assert_eq!(rank(13).up(0), Some(rank(13)));
    assert_eq!((rank(9).up(4), rank(9).up(5), rank(9).up(255)), (Some(rank(13)), None, None));
    assert_eq!((rank(5).down(4), rank(5).down(5), rank(5).down(255)), (Some(rank(1)), None, None));
}

#[test]
fn rank_penalties() {
    let penalties: Vec<i32> = (1..=13).map(|number| rank(number).penalty()).collect();
    assert_eq!(penalties, [1, 1, 1, 1, 2, 2, 2, 4, 2, 2, 2, 3, 3]);
    assert_eq!(penalties.iter().sum::<i32>(), 2 * 13, "the mean is exactly 2");
    assert_eq!(cards("3 8 8 12").penalty(), 1 + 4 + 4 + 3);
}

#[test]
fn deck_for_each_player_count() {
    for (players, copies, all) in [(2, 4, 52), (3, 4, 52), (4, 4, 52), (5, 5, 65), (6, 5, 65)] {
        let deck: Vec<Rank> = card::deck(players).collect();
        assert_eq!((deck.len(), deck.is_sorted()), (all, true));
        let deck: Ranks = deck.into_iter().collect();
        assert!((1..=13).all(|number| deck.count(rank(number)) == copies));
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

#[test]
fn ranks_run_counts_consecutive_ranks() {
    let some = cards("1 2 2 3 3 3 5 5 5 5 5 6 12 13");
    let runs: Vec<u8> = (1..=13).map(|low| some.run(rank(low))).collect();
    assert_eq!(runs, [3, 2, 1, 0, 2, 1, 0, 0, 0, 0, 0, 2, 1]);
    assert_eq!(Ranks::each(5).run(rank(1)), 13);
    assert_eq!(some.above(rank(5)), cards("6 12 13"));
    assert_eq!(some.above(rank(13)), Ranks::EMPTY);
    assert_eq!(rank(3).to(rank(5)).collect::<Vec<_>>(), ranks("3 4 5"));
}

/// A set has 2 to 5 cards, a sequence 2 to 5 different consecutive ranks, with no wrap from 13 to 1.
#[test]
fn combinations_are_well_formed() {
    for number in 1..=13 {
        let sets: Vec<u8> = (0..=255).filter(|n| Combination::set(rank(number), *n).is_some()).collect();
        assert_eq!(sets, [2, 3, 4, 5]);
        let sequences = (0..=255).filter(|n| Combination::sequence(rank(number), *n).is_some());
        let longest = 5.min(14 - number);
        assert_eq!(sequences.collect::<Vec<_>>(), (2..=longest).collect::<Vec<_>>(), "from {number}");
    }
}

#[test]
fn combination_kinds_sizes_and_cards() {
    for (text, kind, lowest, size, full) in [
        ("8", CombinationKind::Single, 8, 1, false),
        ("5,5", CombinationKind::Set, 5, 2, false),
        ("13,13,13", CombinationKind::Set, 13, 3, false),
        ("1,1,1,1", CombinationKind::Set, 1, 4, true),
        ("1,1,1,1,1", CombinationKind::Set, 1, 5, true),
        ("12,13", CombinationKind::Sequence, 12, 2, false),
        ("1,2,3", CombinationKind::Sequence, 1, 3, false),
        ("10,11,12,13", CombinationKind::Sequence, 10, 4, false),
        ("9,10,11,12,13", CombinationKind::Sequence, 9, 5, true),
    ] {
        let it = combination(text);
        assert_eq!((it.kind(), it.lowest(), it.size()), (kind, rank(lowest), size), "{text}");
        assert_eq!(it.cards(), cards(text));
        assert_eq!(it.is_full(), full, "{text}");
    }
}
