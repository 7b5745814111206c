//! Round trips and corruption of tournament entries.

use parlor_engine::{GameId, Seat};
use parlor_fair::{Entropy, EntropyCommitment};
use parlor_host::TableId;
use parlor_host::persistence::{decode_tournament_entry, encode_tournament_entry};
use parlor_host::table::{IdempotencyKey, SeatFinish, SeatResult, TimeControl, Visibility};
use parlor_host::tournaments::{EntrantSetup, Terms, TournamentEntry, TournamentSetup};
use parlor_store::v1 as store;
use parlor_tournament::Entrant;
use parlor_tournament::plan::{DealMode, Format, PlanVersion, SequentialTest, TableKey};

use crate::grpc::convert::ApiCodec;
use prost::Message;

fn terms() -> Terms {
    let test = SequentialTest {
        entrant: Entrant(1),
        lower: -1.5,
        upper: 2.0,
        alpha: 0.05,
        beta: 0.1,
        min_groups: 30,
    };
    let time = TimeControl {
        decision: 1000,
        bank: 5000,
        grace: 3000,
        forfeit_after: 2,
        secret: 400,
        constant_secret: true,
    };
    Terms {
        name: "cup".to_owned(),
        options: GameId::Gap.default_options(),
        players: 2,
        entrants: vec![
            EntrantSetup::House { bot: "search:12".to_owned() },
            EntrantSetup::Agent { name: "ann".to_owned(), version: "1".to_owned() },
        ],
        format: Format::Swiss { rounds: 3, groups: 2 },
        deals: DealMode::Independent,
        test: Some(test),
        time,
        max_tables: 4,
        visibility: Visibility::Private,
        patience: 0,
    }
}

fn entries() -> Vec<TournamentEntry> {
    let entropy = Entropy::new(b"dice").expect("at most 64 bytes");
    let setup = TournamentSetup {
        tournament: parlor_host::TournamentId::from_bytes([7; 16]),
        owner: "club".to_owned(),
        terms: terms(),
        plan_version: PlanVersion::V2,
        seed: [3; 32],
        given: true,
        entropy,
        created: 1_000,
        request: Some(IdempotencyKey { id: "r".into(), digest: [4; 16] }),
    };
    let result = SeatResult {
        seat: Seat::FIRST,
        points: -3,
        place: 2,
        finish: SeatFinish::SetAside,
        time_outs: 1,
        think_time: 9,
        away_time: 4,
    };
    let (place, table) = (TableKey { group: 5, rotation: 1 }, TableId::from_bytes([8; 16]));
    let versions = vec![String::new(), "1".to_owned()];
    let commitment = EntropyCommitment::from_bytes([9; 32]);
    let old = TournamentSetup { plan_version: PlanVersion::V1, ..setup.clone() };
    vec![
        TournamentEntry::Created(Box::new(setup)),
        TournamentEntry::Created(Box::new(old)),
        TournamentEntry::Starting {
            versions: versions.clone(),
            commitment: Some(commitment),
            asked: vec![Entrant(1)],
        },
        TournamentEntry::Starting { versions: versions.clone(), commitment: None, asked: Vec::new() },
        TournamentEntry::Committed { commitments: vec![None, Some(commitment)] },
        TournamentEntry::Revealed { entrant: None, entropy },
        TournamentEntry::Revealed { entrant: Some(Entrant(1)), entropy },
        TournamentEntry::Started { versions, entropy: vec![Entropy::NONE, entropy] },
        TournamentEntry::TableOver { place, table, seats: vec![result] },
        TournamentEntry::TableOver { place, table, seats: Vec::new() },
        TournamentEntry::GroupVoided { group: 5, reason: "a fault".to_owned() },
        TournamentEntry::Withdrawn { entrant: Entrant(1) },
        TournamentEntry::Paused,
        TournamentEntry::Resumed,
        TournamentEntry::Cancelled { reason: "rain".to_owned() },
    ]
}

#[test]
fn tournament_entries_round_trip() {
    for entry in entries() {
        let stored = encode_tournament_entry(1_000, 1_234, &entry, &ApiCodec);
        assert_eq!(decode_tournament_entry(1_000, &stored, &ApiCodec), Ok((1_234, entry)));
    }
}

/// Truncated and modified entries are refused or decode to another entry, without a panic.
#[test]
fn corrupt_tournament_entries_do_not_panic() {
    for entry in entries() {
        let stored = encode_tournament_entry(1_000, 1_234, &entry, &ApiCodec);
        for at in 0..stored.len() {
            let _ = decode_tournament_entry(1_000, &stored[..at], &ApiCodec);
            let mut modified = stored.to_vec();
            modified[at] ^= 0x15;
            let _ = decode_tournament_entry(1_000, &modified, &ApiCodec);
        }
    }
    let wrong = decode_tournament_entry(0, &[], &ApiCodec).expect_err("an empty entry");
    assert_eq!(wrong.to_string(), "a stored entry of a tournament cannot be read: must have an event");
}

/// The version of the plan is stored, except for the first one, which is older than its field.
#[test]
fn plan_version_is_stored_and_an_unknown_one_is_refused() {
    let stored = |version| {
        let TournamentEntry::Created(setup) = &entries()[0] else { panic!("the first entry is a creation") };
        let setup = TournamentSetup { plan_version: version, ..TournamentSetup::clone(setup) };
        let entry = TournamentEntry::Created(Box::new(setup));
        store::TournamentEntry::decode(encode_tournament_entry(1_000, 1_000, &entry, &ApiCodec))
            .expect("a stored entry")
    };
    let created = |entry: store::TournamentEntry| match entry.event {
        Some(store::tournament_entry::Event::Created(created)) => created,
        other => panic!("{other:?}"),
    };
    assert_eq!(created(stored(PlanVersion::V1)).plan_version, None);
    let mut newer = created(stored(PlanVersion::V2));
    assert_eq!(newer.plan_version.replace(3), Some(2));
    let event = Some(store::tournament_entry::Event::Created(newer));
    let bytes = store::TournamentEntry { after_ms: 0, event }.encode_to_vec();
    let wrong = decode_tournament_entry(0, &bytes, &ApiCodec).expect_err("an unknown version");
    assert!(wrong.to_string().contains("created.plan_version: must be 1 to 2, and is 3"), "{wrong}");
}
