//! The fairness of a shuffle.

use parlor_engine::MAX_SEATS;
use parlor_proto::convert::field::{InvalidField, bytes, length, number8};
use parlor_proto::v1;

use super::id::tournament_id;
use super::{FromMessage, ToMessage, optional};
use parlor_fair::{Commitment, Entropy};
use parlor_host::table::{PublicDeal, Shuffle};

impl ToMessage<v1::FairShuffle> for Shuffle {
    fn to_message(&self) -> v1::FairShuffle {
        let shuffle = self;
        let Shuffle { commitment, entropy, server_seed, game_seed, given, deal } = shuffle;
        let seed = |seed: &Option<[u8; 32]>| seed.map_or_else(Vec::new, Vec::from);
        let entropy = (0..).zip(entropy);
        v1::FairShuffle {
            commitment: commitment.map_or_else(Vec::new, |commitment| commitment.as_bytes().to_vec()),
            entropy: entropy
                .map(|(seat, entropy)| v1::SeatEntropy { seat, entropy: entropy.as_bytes().to_vec() })
                .collect(),
            server_seed: seed(server_seed),
            game_seed: seed(game_seed),
            seed_given: *given,
            deal_group: deal.as_ref().map(ToMessage::to_message),
        }
    }
}

impl FromMessage<v1::FairShuffle> for Shuffle {
    fn from_message(wire: v1::FairShuffle) -> Result<Shuffle, InvalidField> {
        length(&wire.entropy, 0..=MAX_SEATS, "entropy")?;
        let entropy = (0..).zip(wire.entropy).map(|(place, entry)| {
            seat_entropy(place, &entry).map_err(|wrong| wrong.in_list(place as usize).within("entropy"))
        });
        Ok(Shuffle {
            commitment: unless_empty(&wire.commitment, "commitment")?.map(Commitment::from_bytes),
            entropy: entropy.collect::<Result<_, _>>()?,
            server_seed: unless_empty(&wire.server_seed, "server_seed")?,
            game_seed: unless_empty(&wire.game_seed, "game_seed")?,
            given: wire.seed_given,
            deal: optional(wire.deal_group, "deal_group")?,
        })
    }
}

impl ToMessage<v1::DealGroup> for PublicDeal {
    fn to_message(&self) -> v1::DealGroup {
        let deal = self;
        v1::DealGroup {
            tournament_id: deal.tournament.to_string(),
            number: deal.place.map(|(number, _)| number),
            rotation: deal.place.map(|(_, rotation)| rotation.into()),
            entropy: deal.entropy.iter().map(|added| added.as_bytes().to_vec()).collect(),
            recoloured: deal.recoloured,
            // A table does not know them: see `wire::prove_deal`.
            tournament_commitment: Vec::new(),
            tournament_seed: Vec::new(),
        }
    }
}

impl FromMessage<v1::DealGroup> for PublicDeal {
    fn from_message(wire: v1::DealGroup) -> Result<PublicDeal, InvalidField> {
        Ok(PublicDeal {
            tournament: tournament_id(&wire.tournament_id, "tournament_id")?,
            place: match (wire.number, wire.rotation) {
                (Some(number), Some(rotation)) => Some((number, number8(rotation, "rotation")?)),
                (None, None) => None,
                _ => return Err(InvalidField::at("rotation", "must be set together with number")),
            },
            entropy: entropies(&wire.entropy, "entropy")?,
            recoloured: wire.recoloured,
        })
    }
}

fn seat_entropy(place: u32, wire: &v1::SeatEntropy) -> Result<Entropy, InvalidField> {
    if wire.seat != place {
        return Err(InvalidField::at("seat", format!("must be {place}, as the seats are in order")));
    }
    entropy(&wire.entropy)
}

/// What a seat adds to the shuffle.
pub(crate) fn entropy(given: &[u8]) -> Result<Entropy, InvalidField> {
    Entropy::new(given).map_err(|error| InvalidField::at("entropy", error.to_string()))
}

/// What several added, each in its own entry.
fn entropies(given: &[Vec<u8>], field: &str) -> Result<Vec<Entropy>, InvalidField> {
    let added = |(place, bytes): (usize, &Vec<u8>)| {
        Entropy::new(bytes).map_err(|error| InvalidField::new(error.to_string()).in_list(place).within(field))
    };
    given.iter().enumerate().map(added).collect()
}

fn unless_empty(value: &[u8], field: &str) -> Result<Option<[u8; 32]>, InvalidField> {
    if value.is_empty() { Ok(None) } else { bytes(value, field).map(Some) }
}
