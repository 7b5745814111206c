//! A server that changes what it was bound to is caught by whoever kept what was shown.

use parlor_engine::GameId;

use super::fixtures::{TableSpec, deal, table};
use crate::record::{ShownCommitments, verify};
use crate::wire;

/// Notes of an honest player of a game.
fn kept(record: &wire::Record) -> ShownCommitments {
    let shuffle = record.shuffle.clone().unwrap();
    let seats = shuffle.entropy.iter().map(|seat| seat.commitment.clone()).collect();
    ShownCommitments::new(shuffle.commitment)
        .participants(seats)
        .revealed(0, shuffle.entropy[0].entropy.clone())
}

fn paths(shown: &ShownCommitments, record: &wire::Record) -> Vec<String> {
    shown.compare(record).into_iter().map(|finding| finding.path).collect()
}

#[test]
fn honest_record_is_the_one_that_was_shown() {
    let record = table(GameId::Gap, 4, 1).record(None);
    assert!(verify(&record).is_valid());
    assert_eq!(paths(&kept(&record), &record), [""; 0]);
}

/// It draws another seed when it knows all entropy. The record is consistent: only the kept commitment differs.
#[test]
fn server_that_grinds_its_seed_is_caught_by_the_kept_commitment() {
    let (shown, ground) = (table(GameId::Gap, 4, 1).record(None), table(GameId::Gap, 4, 2).record(None));
    assert!(verify(&ground).is_valid(), "nothing in the record shows it");
    let found = paths(&kept(&shown), &ground);
    assert_eq!(found[0], "shuffle.commitment");
}

/// A puppet on the last seat commits anew when it knows all other entropy.
#[test]
fn puppet_that_commits_anew_is_caught_by_the_kept_commitments() {
    let record = table(GameId::Gap, 5, 1).record(None);
    let mut shown = kept(&record);
    shown.participants[4] = vec![9; 32];
    assert_eq!(paths(&shown, &record), ["shuffle.entropy[4].commitment"]);
}

#[test]
fn reveal_that_the_server_kept_back_is_found() {
    let record = table(GameId::Gap, 5, 1).record(None);
    let shown = kept(&record).revealed(4, [4; 20]);
    assert_eq!(record.shuffle.as_ref().unwrap().entropy[4].entropy, [0; 0], "withheld");
    assert_eq!(paths(&shown, &record), ["shuffle.entropy[4].entropy"]);
}

#[test]
fn deal_is_compared_with_the_commitments_of_its_tournament() {
    let mut record = TableSpec { chance: deal(3, false, false), ..table(GameId::Gap, 4, 3) }.record(None);
    let group = record.shuffle.as_mut().unwrap().deal_group.as_mut().unwrap();
    group.tournament_commitment = vec![5; 32];
    let shown = ShownCommitments::new([5; 32]).participants(group.entropy_commitments.clone());
    assert_eq!(paths(&shown, &record), [""; 0]);
    let other = ShownCommitments::new([6; 32]);
    assert_eq!(paths(&other, &record), ["shuffle.deal_group.tournament_commitment"]);
}
