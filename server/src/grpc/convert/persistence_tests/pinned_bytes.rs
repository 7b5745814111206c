//! Pinned bytes of entries: stored logs must stay readable.

use std::collections::BTreeMap;

use parlor_engine::{GameId, Seat};
use parlor_fair::{Entropy, EntropyCommitment};
use parlor_host::TableId;
use parlor_host::persistence::{decode_entry, encode_entry};
use parlor_host::table::{
    ChanceSetup, Entry, IdempotencyKey, NewInvite, SeatSetup, Setup, TimeControl, Visibility,
};

use crate::grpc::convert::ApiCodec;

const CREATED: u64 = 1_700_000_000_000;
const AT: u64 = CREATED + 61_500;

/// Entries with their pinned bytes in hex.
fn entries() -> Vec<(Entry, &'static str)> {
    let seat = Seat::new(2).expect("a seat");
    let request = Some(IdempotencyKey { id: "r1".into(), digest: *b"0123456789abcdef" });
    let setup = Setup {
        table: TableId::from_bytes([7; 16]),
        owner: "club".to_owned(),
        options: GameId::NoDice.default_options(),
        rules_version: 1,
        seats: vec![
            SeatSetup::Open,
            SeatSetup::House { bot: "greedy".to_owned() },
            SeatSetup::Reserved { user: Some("u".to_owned()), name: "Ann".to_owned(), previous: Some(seat) },
        ],
        time: TimeControl {
            decision: 1000,
            bank: 5000,
            grace: 3000,
            forfeit_after: 2,
            secret: 400,
            constant_secret: true,
        },
        visibility: Visibility::Private,
        chance: ChanceSetup::Fresh { server_seed: [3; 32] },
        metadata: BTreeMap::from([("k".to_owned(), "v".to_owned())]),
        created: CREATED,
        fill: 60_000,
        rematch_of: Some(TableId::from_bytes([1; 16])),
        request: request.clone(),
    };
    let given = Setup {
        options: GameId::Gap.default_options(),
        seats: vec![SeatSetup::Open; 2],
        visibility: Visibility::Public,
        chance: ChanceSetup::Given { seed: [4; 32] },
        metadata: BTreeMap::new(),
        rematch_of: None,
        request: None,
        ..setup.clone()
    };
    let agents = Setup {
        seats: vec![SeatSetup::Agent { name: "a.b".to_owned(), version: "1".to_owned() }, SeatSetup::Open],
        ..given.clone()
    };
    let entropy = Entropy::new(b"dice").expect("at most 64 bytes");
    let commitment = Some(EntropyCommitment::from_bytes([6; 32]));
    let (user, name, bot) = (Some("u".to_owned()), "Ann".to_owned(), "greedy".to_owned());
    let note = "late".to_owned();
    vec![
        (
            Entry::Created(Box::new(setup)),
            "08f8c00712af010a10070707070707070707070707070707071204636c75621a02220020012a020a\
             002a0a1a080a066772656564792a0c120a0a01751203416e6e1802321008e80710882718b8172002\
             28900330013802422003030303030303030303030303030303030303030303030303030303030303\
             0352060a016b1201765880d095ffbc3160e0d4036a10010101010101010101010101010101017216\
             0a027231121030313233343536373839616263646566",
        ),
        (
            Entry::Created(Box::new(given)),
            "08f8c00712690a10070707070707070707070707070707071204636c75621a041202081e20012a02\
             0a002a020a00321008e80710882718b8172002289003300138014a20040404040404040404040404\
             04040404040404040404040404040404040404045880d095ffbc3160e0d403",
        ),
        (
            Entry::Created(Box::new(agents)),
            "08f8c00712710a10070707070707070707070707070707071204636c75621a041202081e20012a0a\
             22080a03612e621201312a020a00321008e80710882718b8172002289003300138014a2004040404\
             040404040404040404040404040404040404040404040404040404045880d095ffbc3160e0d403",
        ),
        (Entry::Acted { seat, index: 7, used: 900, reported: None }, "08f8c0071a0708021007188407"),
        (Entry::Acted { seat: Seat::FIRST, index: 0, used: 0, reported: Some(0) }, "08f8c0071a022000"),
        (Entry::TimedOut { seat, used: 6000, away: true }, "08f8c0072207080210f02e1801"),
        (Entry::WindowClosed, "08f8c0072a00"),
        (Entry::WasAway { seat, used: 3000 }, "08f8c0073205080210b817"),
        (
            Entry::Joined {
                seat,
                user: user.clone(),
                name: name.clone(),
                entropy,
                commitment: None,
                request: request.clone(),
                invite: None,
            },
            "08f8c0073a2808021201751a03416e6e2204646963652a160a027231121030313233343536373839\
             616263646566",
        ),
        (
            Entry::Joined {
                seat,
                user,
                name,
                entropy: Entropy::NONE,
                commitment,
                request: request.clone(),
                invite: None,
            },
            "08f8c0073a4408021201751a03416e6e2a160a027231121030313233343536373839616263646566\
             32200606060606060606060606060606060606060606060606060606060606060606",
        ),
        (Entry::Filled, "08f8c0078a0100"),
        (Entry::Revealed { seat, entropy }, "08f8c0079201080802120464696365"),
        (
            Entry::Joined {
                seat,
                user: None,
                name: String::new(),
                entropy: Entropy::NONE,
                commitment: None,
                request: None,
                invite: Some(3),
            },
            "08f8c0073a0408024003",
        ),
        (
            Entry::InviteCreated(NewInvite {
                seat: Some(seat),
                uses: 1,
                valid: Some(1000),
                request: request.clone(),
            }),
            "08f8c007a2011f0802100118e80722160a027231121030313233343536373839616263646566",
        ),
        (Entry::InviteRevoked { number: 3 }, "08f8c007aa01020803"),
        (Entry::Started, "08f8c0074200"),
        (
            Entry::Reissued { seat, request: request.clone() },
            "08f8c0074a1a080212160a027231121030313233343536373839616263646566",
        ),
        (Entry::SpectatorsRevoked, "08f8c0075200"),
        (Entry::Resigned { seat }, "08f8c0075a020802"),
        (Entry::SetAside { seat }, "08f8c0078201020802"),
        (
            Entry::Replaced { seat, bot, request },
            "08f8c0076222080212066772656564791a160a027231121030313233343536373839616263646566",
        ),
        (Entry::Cancelled { note: note.clone() }, "08f8c0076a060a046c617465"),
        (Entry::Expired, "08f8c0077200"),
        (Entry::Faulted { reason: note }, "08f8c0077a060a046c617465"),
    ]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.bytes().map(|digit| (digit as char).to_digit(16).expect("hex") as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

#[test]
fn entry_bytes_are_pinned() {
    for (entry, bytes) in entries() {
        assert_eq!(hex(&encode_entry(CREATED, AT, &entry, &ApiCodec)), bytes, "{entry:?}");
        assert_eq!(decode_entry(CREATED, &unhex(bytes), &ApiCodec), Ok((AT, entry)));
    }
}

/// Fields added by a newer version are ignored.
#[test]
fn unknown_fields_are_ignored() {
    for (entry, bytes) in entries() {
        // Field 1000, a varint; field 1001, a string.
        let newer = [unhex(bytes), vec![0xc0, 0x3e, 0x05, 0xca, 0x3e, 0x02, b'h', b'i']].concat();
        assert_eq!(decode_entry(CREATED, &newer, &ApiCodec), Ok((AT, entry)));
    }
}
