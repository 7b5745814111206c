//! Deal seeds of a tournament, derived from one tournament seed that is committed to before any entropy is
//! added.

use std::fmt;

use hkdf::Hkdf;
use parlor_engine::Seat;
use sha2::{Digest, Sha256};

use crate::{Commitment, Entropy, GameSeed, Secret, ServerSeed, TournamentId};

impl ServerSeed {
    /// The commitment to this tournament seed, shown when the tournament is created.
    #[must_use]
    pub fn tournament_commitment(&self, tournament: TournamentId) -> Commitment {
        let hash = Sha256::new()
            .chain_update(b"parlor tournament commitment v1")
            .chain_update(tournament.as_bytes())
            .chain_update(self.reveal());
        Commitment(hash.finalize().into())
    }

    /// Seed of the plan of the tournament, from which pairings and seating are drawn. `self` is the
    /// tournament seed.
    #[must_use]
    pub fn plan_seed(&self, tournament: TournamentId) -> Secret<[u8; 32]> {
        Secret::new(derive(Some(tournament.as_bytes()), self.reveal(), &[b"parlor plan v1"]))
    }

    /// Seed of one deal of the tournament. `self` is the tournament seed.
    #[must_use]
    pub fn deal_seed(&self, tournament: TournamentId, number: u32) -> DealSeed {
        let info = [b"parlor deal v1".as_slice(), &number.to_be_bytes()];
        let seed = derive(Some(tournament.as_bytes()), self.reveal(), &info);
        DealSeed::from_bytes(tournament, number, seed)
    }
}

/// Stands in for the tournament id in all derivations if the organiser gave the tournament seed.
pub const GIVEN_SEED_ID: TournamentId = TournamentId::from_bytes([0; 16]);

/// The server's seed for one deal of a tournament: secret until the last table of the deal is over.
///
/// # The scheme
///
/// As in the scheme for a table, `||` is concatenation; the id of a tournament has 16 bytes, the number of a
/// deal 4 bytes in big-endian order, and a rotation, a seat and the length of an entropy one byte each.
///
/// 1. **Creating a tournament**, the server draws a *tournament seed* of 32 random bytes and shows its
///    *commitment*:
///    `SHA-256("parlor tournament commitment v1" || tournament id || tournament seed)`.
/// 2. **Starting it**, the organiser and each entrant may commit to 16 to 64 bytes of *entropy*, with
///    `SHA-256("parlor tournament entropy commitment v1" || tournament id || entropy)`. When all commitments are
///    shown, the entropy is revealed; what is withheld has length 0.
/// 3. **A deal** has the *deal seed*
///    `HKDF-SHA256(salt = tournament id, ikm = tournament seed, info = "parlor deal v1" || number)`,
///    and each of its tables shows
///    `SHA-256("parlor deal commitment v1" || tournament id || number || deal seed)`.
///    Pairings and seating are drawn from
///    `HKDF-SHA256(salt = tournament id, ikm = tournament seed, info = "parlor plan v1")`.
/// 4. **The game seed**, from which the engine deals at all tables of the deal, is
///    `HKDF-SHA256(salt = deal seed, ikm = for the organiser and then for each entrant:
///    length of the entropy || entropy, info = "parlor deal seed v1" || tournament id || number)`.
/// 5. **Recolouring**, where the rules are symmetric in the colours: the permutation of the colours at a
///    table is drawn from
///    `HKDF-SHA256(no salt, ikm = deal seed, info = "parlor recolour v1" || rotation)`.
/// 6. **House bots** draw their randomness for a decision from
///    `HKDF-SHA256(salt = "parlor deal bot v1", ikm = deal seed,
///    info = rotation || seat || decision number as 8 bytes, big-endian)`.
/// 7. **When the last table of a deal is over**, its deal seed is shown; when the tournament is over, its
///    tournament seed. All derived values have 32 bytes.
///
/// **A given seed**: if the organiser gave the tournament seed, for tests, 16 zero bytes ([`GIVEN_SEED_ID`])
/// replace the tournament id, and no entropy is added. So the same seed gives the same tournament every time.
#[derive(Clone)]
pub struct DealSeed {
    tournament: TournamentId,
    number: u32,
    seed: Secret<[u8; 32]>,
}

impl DealSeed {
    /// A seed from bytes, as stored in a log or a record.
    #[must_use]
    pub const fn from_bytes(tournament: TournamentId, number: u32, seed: [u8; 32]) -> DealSeed {
        DealSeed { tournament, number, seed: Secret::new(seed) }
    }

    /// The bytes of the seed.
    #[must_use]
    pub const fn reveal(&self) -> &[u8; 32] {
        self.seed.reveal()
    }

    /// The commitment shown by each table of the deal.
    #[must_use]
    pub fn commitment(&self) -> Commitment {
        let hash = Sha256::new()
            .chain_update(b"parlor deal commitment v1")
            .chain_update(self.tournament.as_bytes())
            .chain_update(self.number.to_be_bytes())
            .chain_update(self.reveal());
        Commitment(hash.finalize().into())
    }

    /// The game seed of all tables of the deal, given the entropy of the organiser and then of each entrant,
    /// in order.
    #[must_use]
    pub fn game_seed(&self, added: &[Entropy]) -> GameSeed {
        let mut key_material = Vec::new();
        for entropy in added {
            key_material.push(entropy.len);
            key_material.extend_from_slice(entropy.as_bytes());
        }
        let info =
            [b"parlor deal seed v1".as_slice(), self.tournament.as_bytes(), &self.number.to_be_bytes()];
        GameSeed::from_bytes(derive(Some(self.reveal()), &key_material, &info))
    }

    /// Seed of the colour permutation at a table of the deal.
    #[must_use]
    pub fn recolour_seed(&self, rotation: u8) -> Secret<[u8; 32]> {
        Secret::new(derive(None, self.reveal(), &[b"parlor recolour v1", &[rotation]]))
    }

    /// Randomness of a house bot for one decision of its seat at a table of the deal.
    #[must_use]
    pub fn bot_seed(&self, rotation: u8, seat: Seat, decision: u64) -> Secret<[u8; 32]> {
        // A seat's number is below 6.
        let rotation_and_seat = [rotation, seat.index() as u8];
        let info = [rotation_and_seat.as_slice(), &decision.to_be_bytes()];
        Secret::new(derive(Some(b"parlor deal bot v1"), self.reveal(), &info))
    }
}

impl fmt::Debug for DealSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DealSeed(..)")
    }
}

/// HKDF-SHA256 with the concatenation of `info`.
fn derive(salt: Option<&[u8]>, secret: &[u8], info: &[&[u8]]) -> [u8; 32] {
    let mut derived = [0; 32];
    Hkdf::<Sha256>::new(salt, secret)
        .expand_multi_info(info, &mut derived)
        .expect("HKDF-SHA256 expands to up to 8160 bytes; these are 32");
    derived
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn tournament() -> TournamentId {
        TournamentId::from_bytes(std::array::from_fn(|i| i as u8))
    }

    fn seed() -> ServerSeed {
        ServerSeed::from_bytes(std::array::from_fn(|i| 0x40 + i as u8))
    }

    /// Computed with Python's hashlib and hmac from the scheme above. Records depend on these values: if this
    /// test fails, the change is wrong.
    #[test]
    fn deal_seed_derivations_are_pinned() {
        let deal = seed().deal_seed(tournament(), 258);
        let added = [Entropy::NONE, Entropy::new(b"abc").unwrap(), Entropy::new(&[0xff; 64]).unwrap()];
        let seat = Seat::new(3).unwrap();
        let derived = [
            hex(seed().tournament_commitment(tournament()).as_bytes()),
            hex(deal.reveal()),
            hex(deal.commitment().as_bytes()),
            hex(deal.game_seed(&added).reveal()),
            hex(deal.game_seed(&[]).reveal()),
            hex(deal.recolour_seed(2).reveal()),
            hex(deal.bot_seed(1, seat, 7).reveal()),
            hex(seed().plan_seed(tournament()).reveal()),
        ];
        let expected = [
            "870e17ac422cb1a725a396dbf5ff569bb69eb5ddde7b0f2f9886db13be57a70a",
            "51659aff9e9e9747108b74373690ce2428e841ac243d79b51e609690b25022d1",
            "a4c76a2b96de249bbd8fc4a1f7f1ad03e0c7e1a3e90f73073a40ccd018246dc1",
            "c6714a0361275df7bcdc81e6cf1c16aa0f6bd05f7c661cc8a492e11ca169b0d9",
            "c5b3f630cbac5c3d307ee0081083aac88955c12a1b27686c0060aae908860b90",
            "a403bca367206825bde9371feb27cf7901c59617e50fb3b3ac51357d0afa19d8",
            "d92f96157d3e1d24184f41d40ab99be1e2700e56db149c0836655b2049b04fae",
            "b3e2c56e8c39b58035f01eecbce0485930cc07d127667f88584e39a390f123d7",
        ];
        assert_eq!(derived, expected);
    }

    #[test]
    fn derivations_differ_by_deal_rotation_seat_and_decision() {
        let deal = |number| seed().deal_seed(tournament(), number);
        let seat = |number| Seat::new(number).unwrap();
        assert_ne!(deal(0).reveal(), deal(1).reveal());
        assert_ne!(deal(0).commitment(), deal(1).commitment());
        assert_ne!(deal(0).recolour_seed(0).reveal(), deal(0).recolour_seed(1).reveal());
        let bots = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)];
        let bots = bots.map(|(rotation, place, decision)| {
            hex(deal(0).bot_seed(rotation, seat(place), decision).reveal())
        });
        assert!(bots.iter().enumerate().all(|(at, bot)| !bots[..at].contains(bot)), "{bots:?}");
        let added = |bytes: &[&[u8]]| -> String {
            let all: Vec<Entropy> = bytes.iter().map(|given| Entropy::new(given).unwrap()).collect();
            hex(deal(0).game_seed(&all).reveal())
        };
        assert_ne!(added(&[b"ab", b"c"]), added(&[b"a", b"bc"]));
        assert_ne!(added(&[b""]), added(&[]));
    }

    #[test]
    fn debug_does_not_print_the_deal_seed() {
        assert_eq!(format!("{:?}", seed().deal_seed(tournament(), 0)), "DealSeed(..)");
    }
}
