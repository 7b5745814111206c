//! Stored form of table setups.

use parlor_engine::{MAX_SEATS, ShuffleId, ShufflePurpose};
use parlor_fields::{InvalidField, bytes, each, length, number8, number16, optional};
use parlor_store::v1 as store;
use parlor_store::v1::seat_setup::Occupant;
use parlor_store::v1::setup::Chance;

use super::PayloadCodec;
use super::codec::decode_required;
use super::codes::{
    decode_commitments, decode_entropies, decode_seat, decode_visibility, encode_commitment, encode_seat,
    encode_visibility,
};
use crate::table::{AddedEntropy, ChanceSetup, Deal, IdempotencyKey, SeatSetup, Setup};
use crate::{TableId, TournamentId};

pub(super) fn encode_setup(setup: &Setup, codec: &dyn PayloadCodec) -> store::Setup {
    store::Setup {
        table_id: setup.table.as_bytes().to_vec(),
        owner: setup.owner.clone(),
        options: Some(codec.encode(&setup.options)),
        rules_version: setup.rules_version,
        seats: setup.seats.iter().map(store::SeatSetup::from).collect(),
        clock: Some(codec.encode(&setup.time)),
        visibility: encode_visibility(setup.visibility).into(),
        metadata: setup.metadata.clone(),
        created_ms: setup.created,
        fill_ms: setup.fill,
        rematch_of: setup.rematch_of.map(|table| table.as_bytes().to_vec()),
        request: setup.request.as_ref().map(Into::into),
        chance: Some(match &setup.chance {
            ChanceSetup::Fresh { server_seed } => Chance::ServerSeed(server_seed.to_vec()),
            ChanceSetup::Given { seed } => Chance::GivenSeed(seed.to_vec()),
            ChanceSetup::Scripted { seed, orders } => Chance::Scripted(store::ScriptedChance {
                seed: seed.to_vec(),
                shuffles: orders.iter().map(encode_scripted_shuffle).collect(),
            }),
            ChanceSetup::Deal(deal) => Chance::Deal(store::DealChance {
                tournament_id: deal.tournament.as_bytes().to_vec(),
                number: deal.number,
                rotation: deal.rotation.into(),
                server_seed: deal.server_seed.to_vec(),
                entropy: deal.entropy.iter().map(|added| added.entropy.as_bytes().to_vec()).collect(),
                entropy_commitments: encode_commitments(&deal.entropy),
                recolour: deal.recolour,
                given: deal.given,
            }),
        }),
    }
}

pub(super) fn decode_setup(stored: store::Setup, codec: &dyn PayloadCodec) -> Result<Setup, InvalidField> {
    length(&stored.seats, 1..=MAX_SEATS, "seats")?;
    Ok(Setup {
        table: decode_table_id(&stored.table_id, "table_id")?,
        owner: stored.owner,
        options: decode_required(codec, stored.options, "options")?,
        rules_version: stored.rules_version,
        seats: each(stored.seats, "seats")?,
        time: decode_required(codec, stored.clock, "clock")?,
        visibility: decode_visibility(stored.visibility, "visibility")?,
        chance: match stored.chance {
            Some(Chance::ServerSeed(seed)) => {
                ChanceSetup::Fresh { server_seed: bytes(&seed, "server_seed")? }
            }
            Some(Chance::GivenSeed(seed)) => ChanceSetup::Given { seed: bytes(&seed, "given_seed")? },
            Some(Chance::Scripted(script)) => {
                decode_scripted(&script).map_err(|wrong| wrong.within("scripted"))?
            }
            Some(Chance::Deal(stored)) => {
                let deal = decode_deal(&stored).map_err(|wrong| wrong.within("deal"))?;
                ChanceSetup::Deal(Box::new(deal))
            }
            None => return Err(InvalidField::new("must have a server_seed or a given_seed")),
        },
        metadata: stored.metadata,
        created: stored.created_ms,
        fill: stored.fill_ms,
        rematch_of: stored.rematch_of.map(|table| decode_table_id(&table, "rematch_of")).transpose()?,
        request: optional(stored.request, "request")?,
    })
}

fn encode_scripted_shuffle((name, cards): &(ShuffleId, Vec<u8>)) -> store::ScriptedShuffle {
    store::ScriptedShuffle {
        round: name.round.into(),
        rebuild: name.purpose == ShufflePurpose::Rebuild,
        count: name.count.into(),
        cards: cards.clone(),
    }
}

fn decode_scripted(script: &store::ScriptedChance) -> Result<ChanceSetup, InvalidField> {
    let order = |(index, shuffle): (usize, &store::ScriptedShuffle)| {
        let number = |value: u32, field: &str| {
            number16(value, field).map_err(|wrong| wrong.in_list(index).within("shuffles"))
        };
        let purpose = if shuffle.rebuild { ShufflePurpose::Rebuild } else { ShufflePurpose::Deal };
        let (round, count) = (number(shuffle.round, "round")?, number(shuffle.count, "count")?);
        Ok((ShuffleId { round, purpose, count }, shuffle.cards.clone()))
    };
    let orders = script.shuffles.iter().enumerate().map(order).collect::<Result<_, InvalidField>>()?;
    Ok(ChanceSetup::Scripted { seed: bytes(&script.seed, "seed")?, orders })
}

fn decode_deal(stored: &store::DealChance) -> Result<Deal, InvalidField> {
    Ok(Deal {
        tournament: decode_tournament_id(&stored.tournament_id, "tournament_id")?,
        number: stored.number,
        rotation: number8(stored.rotation, "rotation")?,
        server_seed: bytes(&stored.server_seed, "server_seed")?,
        entropy: decode_added_entropy(&stored.entropy, &stored.entropy_commitments)?,
        recolour: stored.recolour,
        given: stored.given,
    })
}

/// Encodes the commitments to the entropy of a deal: no entries at all if there are none, as in tables of earlier
/// versions.
fn encode_commitments(added: &[AddedEntropy]) -> Vec<Vec<u8>> {
    if added.iter().all(|added| added.commitment.is_none()) {
        return Vec::new();
    }
    added.iter().map(|added| encode_commitment(added.commitment)).collect()
}

/// Decodes the entropy of a deal with its commitments.
fn decode_added_entropy(
    entropy: &[Vec<u8>],
    commitments: &[Vec<u8>],
) -> Result<Vec<AddedEntropy>, InvalidField> {
    let entropy = decode_entropies(entropy, "entropy")?;
    let mut commitments = decode_commitments(commitments, "entropy_commitments")?;
    if commitments.is_empty() {
        commitments = vec![None; entropy.len()];
    }
    length(&commitments, entropy.len()..=entropy.len(), "entropy_commitments")?;
    let added = commitments.into_iter().zip(entropy);
    Ok(added.map(|(commitment, entropy)| AddedEntropy { commitment, entropy }).collect())
}

/// Decodes the id of a table.
pub(super) fn decode_table_id(id: &[u8], field: &str) -> Result<TableId, InvalidField> {
    bytes(id, field).map(TableId::from_bytes)
}

/// Id of a tournament.
pub(super) fn decode_tournament_id(id: &[u8], field: &str) -> Result<TournamentId, InvalidField> {
    bytes(id, field).map(TournamentId::from_bytes)
}

impl From<&SeatSetup> for store::SeatSetup {
    fn from(seat: &SeatSetup) -> store::SeatSetup {
        let occupant = match seat {
            SeatSetup::Open => Occupant::Open(store::OpenSeat {}),
            SeatSetup::Reserved { user, name, previous } => Occupant::Reserved(store::ReservedSeat {
                user: user.clone(),
                name: name.clone(),
                previous: previous.map(encode_seat),
            }),
            SeatSetup::House { bot } => Occupant::House(store::HouseSeat { bot: bot.clone() }),
            SeatSetup::Agent { name, version } => {
                Occupant::Agent(store::AgentSeat { name: name.clone(), version: version.clone() })
            }
        };
        store::SeatSetup { occupant: Some(occupant) }
    }
}

impl TryFrom<store::SeatSetup> for SeatSetup {
    type Error = InvalidField;
    fn try_from(stored: store::SeatSetup) -> Result<SeatSetup, InvalidField> {
        match stored.occupant {
            Some(Occupant::Open(store::OpenSeat {})) => Ok(SeatSetup::Open),
            Some(Occupant::Reserved(store::ReservedSeat { user, name, previous })) => {
                let previous = previous.map(|number| decode_seat(number, "reserved.previous")).transpose()?;
                Ok(SeatSetup::Reserved { user, name, previous })
            }
            Some(Occupant::House(store::HouseSeat { bot })) => Ok(SeatSetup::House { bot }),
            Some(Occupant::Agent(store::AgentSeat { name, version })) => {
                Ok(SeatSetup::Agent { name, version })
            }
            None => Err(InvalidField::new("must say whose it is")),
        }
    }
}

impl From<&IdempotencyKey> for store::IdempotencyKey {
    fn from(mark: &IdempotencyKey) -> store::IdempotencyKey {
        store::IdempotencyKey { id: mark.id.to_string(), digest: mark.digest.to_vec() }
    }
}

impl TryFrom<store::IdempotencyKey> for IdempotencyKey {
    type Error = InvalidField;
    fn try_from(stored: store::IdempotencyKey) -> Result<IdempotencyKey, InvalidField> {
        Ok(IdempotencyKey { id: stored.id.into(), digest: bytes(&stored.digest, "digest")? })
    }
}
