//! Test vectors of the scheme, computed by an independent implementation:
//!
//! ```python
//! import hashlib, hmac
//! table, server = bytes(range(16)), bytes(range(100, 132))
//!
//! def hkdf(salt, ikm, info):  # RFC 5869, one block long
//!     prk = hmac.new(salt, ikm, hashlib.sha256).digest()
//!     return hmac.new(prk, info + b"\x01", hashlib.sha256).hexdigest()
//!
//! def seed(*seats):
//!     return hkdf(b"parlor seed v1", server, table + b"".join(bytes([len(e)]) + e for e in seats))
//!
//! def bot(seat, decision):
//!     return hkdf(b"parlor bot v1", server, bytes([seat]) + decision.to_bytes(8, "big"))
//!
//! def committed(text, entropy):
//!     return hashlib.sha256(text + table + entropy).hexdigest()
//!
//! hashlib.sha256(b"parlor commitment v1" + table + server).hexdigest()
//! committed(b"parlor entropy commitment v1", bytes(range(32)))
//! committed(b"parlor tournament entropy commitment v1", b"\xff" * 64)
//! seed(b"", b""); seed(b"abc", b"", b"\xff" * 64); seed(b"", b"abc", b"\xff" * 64)
//! bot(0, 0); bot(5, 1); bot(2, 2**64 - 1)
//! ```

use super::*;

fn table() -> TableId {
    TableId::from_bytes(std::array::from_fn(|i| i as u8))
}

fn server() -> ServerSeed {
    ServerSeed::from_bytes(std::array::from_fn(|i| 100 + i as u8))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn commitment_is_pinned() {
    let commitment = server().commitment(table());
    assert_eq!(commitment.to_string(), "6dab296f1c915e5f828c392fcc9c4745c057b700006a50288b64255d33f8196e");
    assert_eq!(hex(commitment.as_bytes()), commitment.to_string());
    assert_eq!(Commitment::from_bytes(*commitment.as_bytes()), commitment);
}

#[test]
fn entropy_commitments_are_pinned() {
    let entropy = |given: &[u8]| Entropy::new(given).unwrap();
    let counted: [u8; 32] = std::array::from_fn(|i| i as u8);
    let of_seat = entropy(&counted).commitment(table());
    assert_eq!(of_seat.to_string(), "022fdbae917d52c05a1f6e28b9430bfd7eacb85267a00c0ee6d82c78b253e4f6");
    let tournament = TournamentId::from_bytes(*table().as_bytes());
    let of_entrant = entropy(&[0xff; 64]).tournament_commitment(tournament);
    assert_eq!(of_entrant.to_string(), "a46367a93c556ff64b501a987d3dcd3727f4a0574746c1b85c9d1da5c872eb08");
    assert_eq!(EntropyCommitment::from_bytes(*of_seat.as_bytes()), of_seat);
    assert_ne!(of_seat, entropy(&counted).tournament_commitment(tournament));
}

#[test]
fn game_seed_is_pinned() {
    let check = |seats: &[&[u8]], expected: &str| {
        let seats: Vec<_> = seats.iter().map(|given| Entropy::new(given).unwrap()).collect();
        assert_eq!(hex(server().game_seed(table(), &seats).reveal()), expected, "{seats:?}");
    };
    check(&[b"", b""], "dbef59aa522e44ed3b0d04dcc36094635d7983c33a35ac90348d5b3985aaf774");
    check(&[b"abc", b"", &[0xff; 64]], "77c47e3defec7a12336d5c309d5bd78216e1b86e6e2e1ced8cebad9f2c026f98");
    check(&[b"", b"abc", &[0xff; 64]], "82aa9cbfad4d2560cb09e4cb6d23b7216ac4d35de7b209bf5a532fe8259abbd9");
}

#[test]
fn bot_seed_is_pinned() {
    let check = |seat: u8, decision: u64, expected: &str| {
        let seed = server().bot_seed(Seat::new(seat).unwrap(), decision);
        assert_eq!(hex(seed.reveal()), expected, "seat {seat}, decision {decision}");
    };
    check(0, 0, "713968047e00eb0ca085344695dcfae20ff9f59a332b250a528c978511535734");
    check(5, 1, "0bb443586582e64ff49e985a28d728b91ade73da2401d15dee972355a34b5f4c");
    check(2, u64::MAX, "550dc8a3a4ee783cf2e90c8ee22ff750e355a8587fc50dd8a8558ed34e38ef23");
}

#[test]
fn empty_entropy_still_counts_the_seat() {
    assert_eq!(Entropy::new(b"").unwrap(), Entropy::NONE);
    let two = server().game_seed(table(), &[Entropy::NONE; 2]);
    let three = server().game_seed(table(), &[Entropy::NONE; 3]);
    assert_ne!(two.reveal(), three.reveal());
}

#[test]
fn entropy_of_different_seats_is_not_confused() {
    let seed = |seats: &[&[u8]]| {
        let seats: Vec<_> = seats.iter().map(|given| Entropy::new(given).unwrap()).collect();
        hex(server().game_seed(table(), &seats).reveal())
    };
    assert_ne!(seed(&[b"ab", b"c"]), seed(&[b"a", b"bc"]));
    assert_ne!(seed(&[b"\x00"]), seed(&[b"", b""]));
}

#[test]
fn entropy_is_bounded() {
    assert_eq!(Entropy::new(&[9; 64]).unwrap().as_bytes(), [9; 64]);
    assert_eq!(Entropy::new(&[9; 65]), Err(EntropyTooLong(65)));
    assert_eq!(
        EntropyTooLong(65).to_string(),
        "a seat may add up to 64 bytes of entropy, not 65: send fewer, or a hash of them"
    );
}

#[test]
fn commitment_binds_the_server_to_seed_and_table() {
    let seed = server();
    let commitment = seed.commitment(table());
    assert!(commitment.matches(&seed, table()));
    assert!(!commitment.matches(&ServerSeed::from_bytes([0; 32]), table()));
    assert!(!commitment.matches(&seed, TableId::from_bytes([0; 16])));
}

#[test]
fn debug_does_not_print_seeds() {
    let seed = ServerSeed::from_bytes([0xab; 32]);
    let game = GameSeed::from_bytes([0xab; 32]);
    let entropy = Entropy::new(&[0xab; 3]).unwrap();
    assert_eq!(format!("{seed:?} {game:?} {entropy:?}"), "ServerSeed(..) GameSeed(..) Entropy(3 bytes)");
    assert_eq!(game.reveal(), &[0xab; 32]);
}
