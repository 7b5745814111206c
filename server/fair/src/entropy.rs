//! Entropy that players add to shuffles, and commitments to it.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::{TableId, TournamentId};

/// Minimum number of bytes of entropy that is committed to: fewer could be guessed from the commitment.
pub const MIN_ENTROPY_BYTES: usize = 16;

/// Maximum number of bytes of entropy per seat.
pub const MAX_ENTROPY_BYTES: usize = 64;

/// Entropy of one seat for the shuffle: up to [`MAX_ENTROPY_BYTES`] bytes.
///
/// Secret until all seats are bound by their commitments, so that no seat can choose its entropy depending on
/// another's. `Debug` prints the length only.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Entropy {
    bytes: [u8; MAX_ENTROPY_BYTES],
    pub(crate) len: u8,
}

/// More than [`MAX_ENTROPY_BYTES`] bytes of entropy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a seat may add up to {MAX_ENTROPY_BYTES} bytes of entropy, not {0}: send fewer, or a hash of them")]
pub struct EntropyTooLong(pub usize);

impl Entropy {
    /// Empty entropy.
    pub const NONE: Entropy = Entropy { bytes: [0; MAX_ENTROPY_BYTES], len: 0 };

    /// Entropy from bytes.
    ///
    /// # Errors
    /// There are more than [`MAX_ENTROPY_BYTES`] bytes.
    pub fn new(given: &[u8]) -> Result<Entropy, EntropyTooLong> {
        let mut bytes = [0; MAX_ENTROPY_BYTES];
        let target = bytes.get_mut(..given.len()).ok_or(EntropyTooLong(given.len()))?;
        target.copy_from_slice(given);
        let len = given.len() as u8;
        Ok(Entropy { bytes, len })
    }

    /// True if there are no bytes: none were added, or they were withheld.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The commitment of a seat at this table to the entropy.
    #[must_use]
    pub fn commitment(&self, table: TableId) -> EntropyCommitment {
        self.commit(b"parlor entropy commitment v1", table.as_bytes())
    }

    /// The commitment of the organiser or an entrant of this tournament to the entropy.
    #[must_use]
    pub fn tournament_commitment(&self, tournament: TournamentId) -> EntropyCommitment {
        self.commit(b"parlor tournament entropy commitment v1", tournament.as_bytes())
    }

    fn commit(&self, text: &[u8], id: &[u8; 16]) -> EntropyCommitment {
        let hash = Sha256::new().chain_update(text).chain_update(id).chain_update(self.as_bytes());
        EntropyCommitment(hash.finalize().into())
    }

    /// The bytes of the entropy.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl Default for Entropy {
    fn default() -> Entropy {
        Entropy::NONE
    }
}

impl fmt::Debug for Entropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Entropy({} bytes)", self.len)
    }
}

/// Commitment to entropy, shown before anyone reveals theirs.
///
/// ```
/// use parlor_fair::{Entropy, TableId};
/// let table = TableId::from_bytes([7; 16]);
/// let entropy = Entropy::new(&[1; 32]).unwrap();
/// assert_eq!(entropy.commitment(table), entropy.commitment(table));
/// assert_ne!(entropy.commitment(table), entropy.commitment(TableId::from_bytes([8; 16])));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct EntropyCommitment([u8; 32]);

impl EntropyCommitment {
    /// A commitment from bytes, as sent by a player or stored in a record.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> EntropyCommitment {
        EntropyCommitment(bytes)
    }

    /// The bytes of the commitment.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for EntropyCommitment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for EntropyCommitment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EntropyCommitment({self})")
    }
}
