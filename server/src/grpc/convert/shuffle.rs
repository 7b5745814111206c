//! Fair shuffles: commitments, entropy, seeds and deal groups.

use parlor_engine::MAX_SEATS;
use parlor_fair::{Commitment, Entropy, EntropyCommitment, MAX_ENTROPY_BYTES, MIN_ENTROPY_BYTES};
use parlor_host::table::{AddedEntropy, PublicDeal, Shuffle};
use parlor_proto::convert::field::{InvalidField, bytes, length, number8};
use parlor_proto::v1;

use super::{FromMessage, ToMessage, optional};

impl ToMessage<v1::FairShuffle> for Shuffle {
    fn to_message(&self) -> v1::FairShuffle {
        let Shuffle { commitment, entropy, server_seed, game_seed, given, deal } = self;
        let seed = |seed: &Option<[u8; 32]>| seed.map_or_else(Vec::new, Vec::from);
        let entropy = (0..).zip(entropy);
        v1::FairShuffle {
            commitment: commitment.map_or_else(Vec::new, |commitment| commitment.as_bytes().to_vec()),
            entropy: entropy.map(|(seat, added)| seat_entropy(seat, added)).collect(),
            server_seed: seed(server_seed),
            game_seed: seed(game_seed),
            seed_given: *given,
            deal_group: deal.as_ref().map(ToMessage::to_message),
        }
    }
}

impl FromMessage<v1::FairShuffle> for Shuffle {
    fn from_message(wire: v1::FairShuffle) -> Result<Shuffle, InvalidField> {
        let v1::FairShuffle { commitment, entropy, server_seed, game_seed, seed_given, deal_group } = wire;
        length(&entropy, 0..=MAX_SEATS, "entropy")?;
        let entropy = (0..).zip(entropy).map(|(index, entry)| {
            decode_seat_entropy(index, &entry)
                .map_err(|wrong| wrong.in_list(index as usize).within("entropy"))
        });
        Ok(Shuffle {
            commitment: optional_seed(&commitment, "commitment")?.map(Commitment::from_bytes),
            entropy: entropy.collect::<Result<_, _>>()?,
            server_seed: optional_seed(&server_seed, "server_seed")?,
            game_seed: optional_seed(&game_seed, "game_seed")?,
            given: seed_given,
            deal: optional(deal_group, "deal_group")?,
        })
    }
}

impl ToMessage<v1::DealGroup> for PublicDeal {
    fn to_message(&self) -> v1::DealGroup {
        let PublicDeal { tournament, place, entropy, recoloured } = self;
        v1::DealGroup {
            tournament_id: tournament.to_string(),
            number: place.map(|(number, _)| number),
            rotation: place.map(|(_, rotation)| rotation.into()),
            entropy: revealed(entropy),
            entropy_commitments: commitments(entropy),
            recoloured: *recoloured,
            // Unknown to the table: `prove_deal` adds them to a record.
            tournament_commitment: Vec::new(),
            tournament_seed: Vec::new(),
        }
    }
}

impl FromMessage<v1::DealGroup> for PublicDeal {
    fn from_message(wire: v1::DealGroup) -> Result<PublicDeal, InvalidField> {
        let v1::DealGroup {
            tournament_id,
            number,
            rotation,
            entropy,
            recoloured,
            tournament_commitment: _,
            tournament_seed: _,
            entropy_commitments,
        } = wire;
        Ok(PublicDeal {
            tournament: super::id::tournament_id(&tournament_id, "tournament_id")?,
            place: match (number, rotation) {
                (Some(number), Some(rotation)) => Some((number, number8(rotation, "rotation")?)),
                (None, None) => None,
                _ => return Err(InvalidField::at("rotation", "must be set together with number")),
            },
            entropy: added_entropy(&entropy, &entropy_commitments)?,
            recoloured,
        })
    }
}

fn seat_entropy(seat: u32, added: &AddedEntropy) -> v1::SeatEntropy {
    v1::SeatEntropy {
        seat,
        entropy: added.entropy.as_bytes().to_vec(),
        commitment: commitment_bytes(added.commitment),
    }
}

fn commitment_bytes(commitment: Option<EntropyCommitment>) -> Vec<u8> {
    commitment.map_or_else(Vec::new, |commitment| commitment.as_bytes().to_vec())
}

/// The entropy of the organiser and the entrants of a tournament, each empty if there is none.
pub(super) fn revealed(added: &[AddedEntropy]) -> Vec<Vec<u8>> {
    added.iter().map(|added| added.entropy.as_bytes().to_vec()).collect()
}

/// Their commitments, each empty if there is none; no entries at all if nobody committed.
pub(super) fn commitments(added: &[AddedEntropy]) -> Vec<Vec<u8>> {
    let commitments = added.iter().map(|added| added.commitment);
    encoded_commitments(commitments.collect::<Vec<_>>().as_slice())
}

/// Encoded commitments, each empty if there is none; no entries at all if nobody committed.
pub(super) fn encoded_commitments(commitments: &[Option<EntropyCommitment>]) -> Vec<Vec<u8>> {
    if commitments.iter().all(Option::is_none) {
        return Vec::new();
    }
    commitments.iter().copied().map(commitment_bytes).collect()
}

/// Decodes the entropy of the organiser and the entrants of a tournament, with the commitments that there are.
fn added_entropy(entropy: &[Vec<u8>], committed: &[Vec<u8>]) -> Result<Vec<AddedEntropy>, InvalidField> {
    const COMMITMENTS: &str = "entropy_commitments";
    let entropy = entropies(entropy, "entropy")?;
    let decode = |(index, bytes): (usize, &Vec<u8>)| {
        entropy_commitment(bytes, "").map_err(|wrong| wrong.in_list(index).within(COMMITMENTS))
    };
    let mut commitments = committed.iter().enumerate().map(decode).collect::<Result<Vec<_>, _>>()?;
    if commitments.is_empty() {
        commitments = vec![None; entropy.len()];
    }
    length(&commitments, entropy.len()..=entropy.len(), COMMITMENTS)?;
    let added = commitments.into_iter().zip(entropy);
    Ok(added.map(|(commitment, entropy)| AddedEntropy { commitment, entropy }).collect())
}

fn decode_seat_entropy(expected: u32, wire: &v1::SeatEntropy) -> Result<AddedEntropy, InvalidField> {
    let v1::SeatEntropy { seat, entropy, commitment } = wire;
    if *seat != expected {
        return Err(InvalidField::at("seat", format!("must be {expected}, as the seats are in order")));
    }
    Ok(AddedEntropy {
        commitment: entropy_commitment(commitment, "commitment")?,
        entropy: self::entropy(entropy)?,
    })
}

/// Decodes the entropy of one seat, in the field `entropy`.
fn entropy(bytes: &[u8]) -> Result<Entropy, InvalidField> {
    Entropy::new(bytes).map_err(|error| InvalidField::at("entropy", error.to_string()))
}

/// Decodes entropy that is revealed, which has a minimum length.
pub fn revealed_entropy(bytes: &[u8], field: &str) -> Result<Entropy, InvalidField> {
    let length = bytes.len();
    let wrong = || {
        let why = format!("must have {MIN_ENTROPY_BYTES} to {MAX_ENTROPY_BYTES} bytes, not {length}");
        InvalidField::at(field, why)
    };
    if length < MIN_ENTROPY_BYTES {
        return Err(wrong());
    }
    Entropy::new(bytes).map_err(|_| wrong())
}

/// Decodes a commitment to entropy; empty means none.
pub fn entropy_commitment(value: &[u8], field: &str) -> Result<Option<EntropyCommitment>, InvalidField> {
    Ok(optional_seed(value, field)?.map(EntropyCommitment::from_bytes))
}

/// Decodes a list of entropy.
fn entropies(list: &[Vec<u8>], field: &str) -> Result<Vec<Entropy>, InvalidField> {
    let decode = |(index, bytes): (usize, &Vec<u8>)| {
        Entropy::new(bytes).map_err(|error| InvalidField::new(error.to_string()).in_list(index).within(field))
    };
    list.iter().enumerate().map(decode).collect()
}

/// Decodes 32 bytes; empty means unset.
fn optional_seed(value: &[u8], field: &str) -> Result<Option<[u8; 32]>, InvalidField> {
    if value.is_empty() { Ok(None) } else { bytes(value, field).map(Some) }
}
