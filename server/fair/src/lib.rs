//! Fair shuffles: no single party chooses the cards, not even the server, and anyone can verify that
//! afterwards.
//!
//! This crate holds the derivations that the server and record verifiers share, as pure functions of bytes.
//!
//! # The scheme
//!
//! `||` is concatenation; texts are ASCII without a terminator; a table id has 16 bytes; a seat is one byte,
//! from 0.
//!
//! 1. **Creating a table**, the server draws a *server seed* of 32 random bytes and shows its *commitment*:
//!    `SHA-256("parlor commitment v1" || table id || server seed)`. From then on the seed is fixed.
//! 2. **Joining**, a seat may commit to 16 to 64 bytes of *entropy*, with
//!    `SHA-256("parlor entropy commitment v1" || table id || entropy)`.
//! 3. **When the seats are filled**, all commitments are shown, and only then the entropy is revealed, so nobody
//!    can choose a part that depends on another's. The *game seed*, from which the engine deals, is
//!    `HKDF-SHA256(salt = "parlor seed v1", ikm = server seed, info = table id || for each seat in order:
//!    one byte with the length of its entropy || the entropy)`, 32 bytes long.
//!    A seat without entropy, such as a house bot's or one that withheld its reveal, counts as one with
//!    length 0. If at least one seat reveals bytes that the server could not predict, no party chose the deal; a
//!    server with k seats of its own may choose among the 2^k deals that withholding their reveals gives.
//! 4. **House bots** draw their randomness for a decision from
//!    `HKDF-SHA256(salt = "parlor bot v1", ikm = server seed,
//!    info = seat || decision number as 8 bytes, big-endian)`, 32 bytes long, so that a record replays their
//!    moves exactly.
//! 5. **When the game is over**, cancelled or faulted, the server seed is shown. Anyone can hash it, compare
//!    with the commitment, derive the game seed and deal the whole game again.
//!
//! The deals of a tournament have a scheme of their own: see [`DealSeed`].

use std::fmt;

use hkdf::Hkdf;
use parlor_engine::Seat;
use sha2::{Digest, Sha256};

mod deal;
mod entropy;
mod id;
mod partition;
mod secret;
mod signature;

pub use deal::{DealSeed, GIVEN_SEED_ID};
pub use entropy::{Entropy, EntropyCommitment, EntropyTooLong, MAX_ENTROPY_BYTES, MIN_ENTROPY_BYTES};
pub use id::{InvalidTableId, InvalidTournamentId, TableId, TournamentId};
pub use partition::Partition;
pub use secret::Secret;
pub use signature::{InvalidPublicKey, KeyId, MessageSet, PublicKey, SIGNATURE_BYTES, SigningKey};

/// The server's part of the randomness of a table or tournament: secret until the game or tournament is over.
///
/// `Debug` does not print it.
#[derive(Clone)]
pub struct ServerSeed(Secret<[u8; 32]>);

impl ServerSeed {
    /// A seed from bytes: fresh unpredictable ones, or those of a log or a record.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> ServerSeed {
        ServerSeed(Secret::new(bytes))
    }

    /// The bytes of the seed: for the table's log, and public once the game is over.
    #[must_use]
    pub const fn reveal(&self) -> &[u8; 32] {
        self.0.reveal()
    }

    /// The commitment shown when the table is created.
    #[must_use]
    pub fn commitment(&self, table: TableId) -> Commitment {
        let hash = Sha256::new()
            .chain_update(b"parlor commitment v1")
            .chain_update(table.as_bytes())
            .chain_update(self.reveal());
        Commitment(hash.finalize().into())
    }

    /// The game seed, given the entropy of all seats in seat order.
    #[must_use]
    pub fn game_seed(&self, table: TableId, seats: &[Entropy]) -> GameSeed {
        let mut info = Vec::with_capacity(16 + seats.len() * (1 + MAX_ENTROPY_BYTES));
        info.extend_from_slice(table.as_bytes());
        for entropy in seats {
            info.push(entropy.len);
            info.extend_from_slice(entropy.as_bytes());
        }
        GameSeed(Secret::new(self.derive(b"parlor seed v1", &info)))
    }

    /// Randomness of a house bot for one decision of its seat.
    #[must_use]
    pub fn bot_seed(&self, seat: Seat, decision: u64) -> Secret<[u8; 32]> {
        let mut info = [0; 9];
        // A seat's number is below 6.
        info[0] = seat.index() as u8;
        info[1..].copy_from_slice(&decision.to_be_bytes());
        Secret::new(self.derive(b"parlor bot v1", &info))
    }

    fn derive(&self, salt: &[u8], info: &[u8]) -> [u8; 32] {
        let mut derived = [0; 32];
        Hkdf::<Sha256>::new(Some(salt), self.reveal())
            .expand(info, &mut derived)
            .expect("HKDF-SHA256 expands to up to 8160 bytes; these are 32");
        derived
    }
}

impl fmt::Debug for ServerSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerSeed(..)")
    }
}

/// Commitment to a server seed, shown before any seat joins.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Commitment([u8; 32]);

impl Commitment {
    /// A commitment from bytes, as stored in a record.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Commitment {
        Commitment(bytes)
    }

    /// The bytes of the commitment.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// True if this is the commitment to the seed for this table.
    ///
    /// ```
    /// use parlor_fair::{ServerSeed, TableId};
    /// let table = TableId::from_bytes([7; 16]);
    /// let seed = ServerSeed::from_bytes([1; 32]);
    /// assert!(seed.commitment(table).matches(&seed, table));
    /// assert!(!seed.commitment(table).matches(&ServerSeed::from_bytes([2; 32]), table));
    /// ```
    #[must_use]
    pub fn matches(&self, seed: &ServerSeed, table: TableId) -> bool {
        seed.commitment(table) == *self
    }
}

impl fmt::Display for Commitment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Commitment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Commitment({self})")
    }
}

/// The seed from which the engine deals. `Debug` does not print it.
#[derive(Clone)]
pub struct GameSeed(Secret<[u8; 32]>);

impl GameSeed {
    /// A seed from bytes: derived, or given by the creator of the table for tests and training.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> GameSeed {
        GameSeed(Secret::new(bytes))
    }

    /// The bytes of the seed, for the engine.
    #[must_use]
    pub const fn reveal(&self) -> &[u8; 32] {
        self.0.reveal()
    }
}

impl fmt::Debug for GameSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GameSeed(..)")
    }
}

/// The example in the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests;
