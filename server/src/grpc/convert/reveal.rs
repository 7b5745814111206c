//! Reveals of the entropy of a seat, and their outcomes.

use parlor_fair::Entropy;
use parlor_host::HostError;
use parlor_proto::convert::field::InvalidField;
use parlor_proto::v1;

use super::shuffle::revealed_entropy;
use crate::grpc::Failure;
use crate::identity::{ServerKey, VerifiedSeatToken};

/// Decodes RevealEntropy: the token of the seat, and the entropy.
pub fn reveal_entropy(
    wire: &v1::RevealEntropyRequest,
    key: &ServerKey,
) -> Result<(VerifiedSeatToken, Entropy), Failure> {
    let v1::RevealEntropyRequest { seat_token, entropy } = wire;
    Ok((key.verify_seat_token(seat_token)?, revealed_entropy(entropy, "entropy")?))
}

/// Decodes the reveal of a channel's seat. [`invalid_reveal`] is the response to one that fails.
pub fn entropy_reveal(wire: &v1::EntropyReveal) -> Result<Entropy, InvalidField> {
    let v1::EntropyReveal { entropy } = wire;
    revealed_entropy(entropy, "entropy")
}

/// The outcome of a reveal that does not decode: refused.
#[must_use]
pub fn invalid_reveal(wrong: InvalidField) -> v1::EntropyRevealed {
    v1::EntropyRevealed { refusal: Some(Failure::from(wrong).into()) }
}

/// The outcome of a reveal.
#[must_use]
pub fn revealed(outcome: Result<(), HostError>) -> v1::EntropyRevealed {
    v1::EntropyRevealed { refusal: outcome.err().map(|error| Failure::from(error).into()) }
}
