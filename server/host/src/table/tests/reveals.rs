//! Commitments to entropy and their reveals, between the last join and the start.

use parlor_fair::EntropyCommitment;

use super::*;
use crate::table::{AddedEntropy, State};

fn entropy(byte: u8) -> Entropy {
    Entropy::new(&[byte; 32]).expect("32 bytes")
}

/// The commitment of a seat of this table to its entropy.
fn commitment(logged: &Logged, entropy: Entropy) -> Option<EntropyCommitment> {
    Some(entropy.commitment(logged.table.setup().table))
}

/// A table of players of whom each commits to this entropy, if there is some.
fn joined(entropies: &[Option<u8>]) -> Logged {
    let seats = vec![SeatSetup::Open; entropies.len()];
    let mut logged = Logged::new(setup(GameId::Gap.default_options(), &seats));
    for byte in entropies {
        let commitment = byte.and_then(|byte| commitment(&logged, entropy(byte)));
        let joining = SeatRequest { commitment, ..SeatRequest::default() };
        let (_, entries) = logged.table.join(joining).expect("a free seat");
        logged.fold(entries);
    }
    logged
}

impl Logged {
    fn reveal(&mut self, number: u8, byte: u8) {
        let entries = self.table.reveal(seat(number), entropy(byte)).expect("its entropy");
        self.fold(entries);
    }

    /// The public part of the shuffle for each seat: `c` for a commitment, `e` for entropy.
    fn shown(&self) -> Vec<String> {
        let shuffle = self.table.shuffle();
        let mark = |added: &AddedEntropy| {
            let parts = [(added.commitment.is_some(), "c"), (!added.entropy.is_empty(), "e")];
            parts.iter().filter(|(is_shown, _)| *is_shown).map(|(_, mark)| *mark).collect()
        };
        shuffle.entropy.iter().map(mark).collect()
    }
}

#[test]
fn table_starts_with_the_last_reveal() {
    let mut logged = joined(&[Some(1), None, Some(3)]);
    assert_eq!(
        (logged.table.state(), logged.shown()),
        (State::Starting, vec!["c".into(), "".into(), "c".into()])
    );
    assert_eq!(logged.table.numbers().get(Viewer::Spectator), 4, "three joins, and that reveals begin");
    logged.reveal(2, 3);
    assert_eq!(logged.shown(), ["c", "", "c"], "nobody sees a reveal before the start");
    assert_eq!(logged.table.numbers().get(Viewer::Seat(seat(2))), 4, "not even its number");
    logged.reveal(0, 1);
    assert_eq!(
        (logged.table.state(), logged.shown()),
        (State::Playing, vec!["ce".into(), "".into(), "ce".into()])
    );
    logged.check_replay();
}

#[test]
fn table_without_commitments_starts_at_once() {
    assert_eq!(joined(&[None, None]).table.state(), State::Playing);
}

#[test]
fn reveals_are_checked() {
    let mut logged = Logged::new(setup(GameId::Gap.default_options(), &[SeatSetup::Open, SeatSetup::Open]));
    let joining = SeatRequest { commitment: commitment(&logged, entropy(1)), ..SeatRequest::default() };
    let (_, entries) = logged.table.join(joining).expect("a free seat");
    logged.fold(entries);
    let check = |logged: &Logged, number, byte, expected: Result<usize, CommandError>| {
        let revealed = logged.table.reveal(seat(number), entropy(byte)).map(|entries| entries.len());
        assert_eq!(revealed, expected, "seat {number}, {byte}");
    };
    let mismatch = |number| Err(CommandError::EntropyMismatch { seat: seat(number) });
    check(&logged, 0, 1, Err(CommandError::NotStarted));
    check(&logged, 0, 2, mismatch(0));
    let (_, entries) = logged.table.join(SeatRequest::default()).expect("a free seat");
    logged.fold(entries);
    check(&logged, 0, 2, mismatch(0));
    check(&logged, 1, 1, mismatch(1));
    check(&logged, 0, 1, Ok(2));
    let mut late = Logged { table: logged.table.clone(), log: logged.log.clone() };
    logged.reveal(0, 1);
    check(&logged, 0, 1, Ok(0));
    check(&logged, 0, 2, mismatch(0));
    late.fold(late.table.end_reveals());
    check(&late, 0, 1, Err(CommandError::AlreadyStarted));
    assert_eq!(late.shown(), ["c", ""], "withheld");
    late.fold([Entry::Cancelled { note: String::new() }]);
    check(&late, 0, 1, Err(CommandError::Over));
    late.check_replay();
}

#[test]
fn withheld_entropy_counts_as_none() {
    let mut withheld = joined(&[Some(1), None]);
    withheld.fold(withheld.table.end_reveals());
    let none = joined(&[None, None]);
    let mut revealed = joined(&[Some(1), None]);
    revealed.reveal(0, 1);
    let hand = |logged: &Logged| logged.table.view(Viewer::Seat(seat(0)));
    assert_eq!(hand(&withheld), hand(&none));
    assert_ne!(hand(&revealed), hand(&none));
}

#[test]
fn entropy_of_every_seat_changes_the_deal() {
    let hand = |bytes: [u8; 2]| {
        let mut logged = joined(&bytes.map(Some));
        for (number, byte) in (0..).zip(bytes) {
            logged.reveal(number, byte);
        }
        logged.table.view(Viewer::Seat(seat(0)))
    };
    assert_eq!(hand([1, 2]), hand([1, 2]));
    assert_ne!(hand([1, 2]), hand([1, 3]));
    assert_ne!(hand([1, 2]), hand([3, 2]));
    assert_ne!(hand([1, 2]), hand([2, 1]));
}

#[test]
fn replaced_seat_is_not_waited_for() {
    let replace = |logged: &mut Logged, number| {
        let entries = logged.table.replace(seat(number), "greedy", None).expect("a player's seat");
        logged.fold(entries);
    };
    let mut logged = joined(&[Some(1), Some(2)]);
    logged.reveal(1, 2);
    replace(&mut logged, 0);
    assert_eq!((logged.table.state(), logged.shown()), (State::Playing, vec!["c".into(), "ce".into()]));
    logged.check_replay();
    // Before all seats are filled, nothing has been shown, and the commitment goes.
    let seats = vec![SeatSetup::Open; 2];
    let mut logged = Logged::new(setup(GameId::Gap.default_options(), &seats));
    let joining = SeatRequest { commitment: commitment(&logged, entropy(1)), ..SeatRequest::default() };
    let (_, entries) = logged.table.join(joining).expect("a free seat");
    logged.fold(entries);
    replace(&mut logged, 0);
    let (_, entries) = logged.table.join(SeatRequest::default()).expect("a free seat");
    logged.fold(entries);
    assert_eq!((logged.table.state(), logged.shown()), (State::Playing, vec![String::new(), String::new()]));
}

#[test]
fn starting_table_does_not_expire_and_can_be_cancelled() {
    let mut logged = joined(&[Some(1), Some(2)]);
    assert_eq!(logged.table.expire(), None);
    assert_eq!(logged.table.join(SeatRequest::default()), Err(CommandError::TableFull));
    assert_eq!(logged.table.resign(seat(0)), Err(CommandError::NotStarted));
    logged.reveal(0, 1);
    let entries = logged.table.cancel("rain").expect("not over");
    logged.fold(entries);
    assert_eq!((logged.table.state(), logged.shown()), (State::Cancelled, vec!["c".into(), "c".into()]));
    assert!(logged.table.shuffle().server_seed.is_some() && logged.table.shuffle().game_seed.is_none());
    logged.check_replay();
}

/// Logs of versions in which players sent their entropy in the open when they joined.
#[test]
fn entropy_of_earlier_versions_counts() {
    let hand = |entropies: [&[u8]; 2]| {
        let seats = vec![SeatSetup::Open; 2];
        let mut logged = Logged::new(setup(GameId::Gap.default_options(), &seats));
        for (number, entropy) in (0..).zip(entropies) {
            logged.fold([Entry::Joined {
                seat: seat(number),
                user: None,
                name: String::new(),
                entropy: Entropy::new(entropy).expect("few bytes"),
                commitment: None,
                request: None,
                invite: None,
            }]);
        }
        logged.fold([Entry::Started]);
        logged.table.view(Viewer::Seat(seat(0)))
    };
    assert_ne!(hand([b"ab", b""]), hand([b"a", b"b"]), "the boundary between entropies is part of the seed");
}
