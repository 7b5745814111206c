//! What whoever remembers deals has of it, and whether it is found.
//!
//! Four play, all greedy. The first of them remembers, or the first two; what they gain shows in their mean group score, and in
//! later rotations over first ones, where the tournament looks for it.

use parlor_engine::flush::Flush;
use parlor_engine::gap::Gap;
use parlor_tournament::plan::Deals;

use crate::player::{Habit, Memory};
use crate::tournament::{Cup, Played};

/// Tables of three: 240 groups, so that everyone is in 180.
const CUP: Cup = Cup { players: 3, groups: 120, deals: Deals::Duplicate, recolours: true };

fn one(cheat: Habit) -> [Habit; 4] {
    [cheat, Habit::Honest, Habit::Honest, Habit::Honest]
}

/// Whether the mean group score of an entrant is above 0 for sure.
fn gains(played: &Played, entrant: u16) -> bool {
    played.row(entrant).interval.expect("there are enough groups").low > 0.0
}

#[test]
fn nobody_is_flagged_where_nobody_remembers() {
    let played = CUP.play::<Gap>("nobody remembers", &one(Habit::Honest));
    assert!(played.flagged().is_empty());
}

/// One that looks for the very same cards hardly ever finds them: it would take the same colours twice.
#[test]
fn under_other_colours_a_deal_is_not_known_again() {
    let played = CUP.play::<Gap>("other colours", &one(Habit::remembers()));
    let later: u32 = played.known[1..].iter().sum();
    assert!(played.known[0] == 0 && later < 360 / 10, "{:?} of 180 each", played.known);
    assert!(!gains(&played, 0));
    assert!(played.flagged().is_empty());
}

/// The control: if colours were left as they are, the same one would know every deal again, and gain by it. That is found.
#[test]
fn under_the_same_colours_it_gains_and_is_flagged() {
    let unprotected = Cup { recolours: false, ..CUP };
    let played = unprotected.play::<Gap>("the same colours", &one(Habit::remembers()));
    assert_eq!(played.known, [0, 180, 180], "by rotation");
    assert!(gains(&played, 0));
    assert_eq!(played.flagged(), [0]);
}

/// Colours keep nothing from one that tries all of them; but it gains where a deal comes again and nowhere else, which is
/// what the tournament looks for.
#[test]
fn whoever_sees_through_the_colours_is_flagged() {
    let played = CUP.play::<Gap>("sees through", &one(Habit::sees_through()));
    assert_eq!(played.known, [0, 180, 180], "first rotations come first: nobody knows anything of them");
    assert!(gains(&played, 0));
    assert_eq!(played.flagged(), [0]);
}

/// Two owners tell each other all that they saw.
#[test]
fn those_who_share_what_they_remember_are_flagged() {
    let memory = Memory::default();
    let two = [Habit::SeesThrough(memory.clone()), Habit::SeesThrough(memory), Habit::Honest, Habit::Honest];
    let played = Cup { players: 2, ..CUP }.play::<Gap>("two of them", &two);
    assert_eq!(played.known[0], 0);
    assert!(gains(&played, 0) && gains(&played, 1));
    assert_eq!(played.flagged(), [0, 1]);
}

/// A game without colours has only the order of its tables to protect it: a deal is known again, and the gain is found.
#[test]
fn in_a_game_without_colours_it_is_flagged() {
    let played = Cup { groups: 60, ..CUP }.play::<Flush>("flush", &one(Habit::remembers()));
    assert_eq!(played.known, [0, 90, 90]);
    assert!(gains(&played, 0));
    assert_eq!(played.flagged(), [0]);
}

/// For fields that cannot be trusted: every table has a deal of its own, and there is nothing to remember.
#[test]
fn independent_deals_leave_nothing_to_remember() {
    let independent = Cup { deals: Deals::Independent, ..CUP };
    let played = independent.play::<Gap>("independent deals", &one(Habit::sees_through()));
    assert_eq!(played.known, [0, 0, 0]);
    assert!(!gains(&played, 0));
    assert!(played.flagged().is_empty());
}
