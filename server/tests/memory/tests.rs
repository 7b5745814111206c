//! The gain of remembering deals, and its detection.
//!
//! Four greedy entrants play, of whom the first or the first two remember deals. A gain shows in their mean
//! group score, and in later rotations over first ones, which is the statistic that the tournament tests.

use parlor_engine::five_three_five::FiveThreeFive;
use parlor_engine::gap::Gap;
use parlor_tournament::plan::DealMode;

use crate::player::{DealMemory, Recall};
use crate::tournament::{TestTournament, TournamentOutcome};

/// Tables of three: 240 groups, of which each entrant plays 180.
const TOURNAMENT: TestTournament =
    TestTournament { players: 3, groups: 120, deals: DealMode::Duplicate, recolours: true };

/// One entrant that remembers, and three that do not.
fn one_of_four(recall: Recall) -> [Recall; 4] {
    [recall, Recall::Never, Recall::Never, Recall::Never]
}

/// True if the confidence interval of an entrant's mean group score is above 0.
fn gains(outcome: &TournamentOutcome, entrant: u16) -> bool {
    outcome.row(entrant).interval.expect("enough groups for an interval").low > 0.0
}

#[test]
fn honest_entrants_are_not_flagged() {
    let outcome = TOURNAMENT.play::<Gap>("no memory", &one_of_four(Recall::Never));
    assert!(outcome.flagged().is_empty());
}

/// A bot that looks for identical cards hardly ever finds a deal again: that takes the same colours twice.
#[test]
fn recolouring_defeats_exact_recall() {
    let outcome = TOURNAMENT.play::<Gap>("other colours", &one_of_four(Recall::exact_cards()));
    let later: u32 = outcome.known[1..].iter().sum();
    assert!(outcome.known[0] == 0 && later < 360 / 10, "{:?} of 180 each", outcome.known);
    assert!(!gains(&outcome, 0));
    assert!(outcome.flagged().is_empty());
}

/// The control: without recolouring the same bot recognises every deal, gains by it, and is flagged.
#[test]
fn exact_recall_gains_and_is_flagged_without_recolouring() {
    let unprotected = TestTournament { recolours: false, ..TOURNAMENT };
    let outcome = unprotected.play::<Gap>("the same colours", &one_of_four(Recall::exact_cards()));
    assert_eq!(outcome.known, [0, 180, 180], "by rotation");
    assert!(gains(&outcome, 0));
    assert_eq!(outcome.flagged(), [0]);
}

/// A bot that tries all permutations of colours recognises every deal; it gains only in later rotations,
/// which is flagged.
#[test]
fn recall_up_to_colours_gains_and_is_flagged() {
    let outcome = TOURNAMENT.play::<Gap>("any colours", &one_of_four(Recall::any_colours()));
    assert_eq!(outcome.known, [0, 180, 180], "first rotations come first, so their deals are unknown");
    assert!(gains(&outcome, 0));
    assert_eq!(outcome.flagged(), [0]);
}

/// Two entrants share their memory.
#[test]
fn shared_memory_gains_and_is_flagged() {
    let memory = DealMemory::default();
    let two = [Recall::AnyColours(memory.clone()), Recall::AnyColours(memory), Recall::Never, Recall::Never];
    let outcome = TestTournament { players: 2, ..TOURNAMENT }.play::<Gap>("shared memory", &two);
    assert_eq!(outcome.known[0], 0);
    assert!(gains(&outcome, 0) && gains(&outcome, 1));
    assert_eq!(outcome.flagged(), [0, 1]);
}

/// A game without colours is protected only by the order of its tables: deals are recognised, and the gain is
/// flagged.
#[test]
fn exact_recall_is_flagged_in_a_game_without_colours() {
    let outcome = TestTournament { groups: 60, ..TOURNAMENT }
        .play::<FiveThreeFive>("five_three_five", &one_of_four(Recall::exact_cards()));
    assert_eq!(outcome.known, [0, 90, 90]);
    assert!(gains(&outcome, 0));
    assert_eq!(outcome.flagged(), [0]);
}

/// Independent deals, for untrusted entrants: every table has a deal of its own.
#[test]
fn independent_deals_defeat_recall() {
    let independent = TestTournament { deals: DealMode::Independent, ..TOURNAMENT };
    let outcome = independent.play::<Gap>("independent deals", &one_of_four(Recall::any_colours()));
    assert_eq!(outcome.known, [0, 0, 0]);
    assert!(!gains(&outcome, 0));
    assert!(outcome.flagged().is_empty());
}
