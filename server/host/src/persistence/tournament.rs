//! Stored form of tournament log entries and records.

use bytes::Bytes;
use parlor_engine::MAX_SEATS;
use parlor_fields::{InvalidField, bytes, length, number8, number16, optional};
use parlor_store::v1 as store;
use parlor_store::v1::tournament_entry::Event;
use parlor_tournament::Entrant;
use parlor_tournament::plan::{PlanVersion, TableKey};
use prost::Message;

use super::codec::{decode_each, decode_required};
use super::codes::{
    decode_commitment, decode_commitments, decode_entropies, decode_entropy, encode_commitment,
};
use super::setup::{decode_table_id, decode_tournament_id};
use super::{CorruptData, PayloadCodec, decode, offset_from_creation, time_from_offset};
use crate::tournaments::{FinishedTournament, TournamentEntry, TournamentSetup};

/// Kind of the stored data, for errors.
const KIND: &str = "entry of a tournament";

/// Encodes an entry. `created` is the creation time of the tournament and `at` that of the entry, in milliseconds
/// since 1970.
#[must_use]
pub fn encode_tournament_entry(
    created: u64,
    at: u64,
    entry: &TournamentEntry,
    codec: &dyn PayloadCodec,
) -> Bytes {
    let event = Some(encode_event(entry, codec));
    store::TournamentEntry { after_ms: offset_from_creation(created, at), event }.encode_to_vec().into()
}

/// Decodes an entry and its time in milliseconds since 1970. `created` is the creation time of the tournament; the
/// first entry contains it, so it is ignored for that one.
pub fn decode_tournament_entry(
    created: u64,
    bytes: &[u8],
    codec: &dyn PayloadCodec,
) -> Result<(u64, TournamentEntry), CorruptData> {
    decode(KIND, bytes, |stored: store::TournamentEntry| {
        let entry =
            decode_event(stored.event.ok_or_else(|| InvalidField::new("must have an event"))?, codec)?;
        let created = if let TournamentEntry::Created(setup) = &entry { setup.created } else { created };
        Ok((time_from_offset(created, stored.after_ms), entry))
    })
}

/// Encodes the record of a finished tournament.
#[must_use]
pub fn encode_tournament_record(finished: FinishedTournament) -> Bytes {
    let FinishedTournament { tournament, standings } = finished;
    let record = store::TournamentRecord { tournament: Some(tournament), standings: Some(standings) };
    record.encode_to_vec().into()
}

/// Decodes the record of a finished tournament.
pub fn decode_tournament_record(bytes: &[u8]) -> Result<FinishedTournament, CorruptData> {
    decode("record of a tournament", bytes, |stored: store::TournamentRecord| {
        let missing = |field| InvalidField::at(field, "must be set");
        let tournament = stored.tournament.ok_or_else(|| missing("tournament"))?;
        let standings = stored.standings.ok_or_else(|| missing("standings"))?;
        Ok(FinishedTournament { tournament, standings })
    })
}

fn encode_event(entry: &TournamentEntry, codec: &dyn PayloadCodec) -> Event {
    match entry {
        TournamentEntry::Created(setup) => Event::Created(encode_created(setup, codec)),
        TournamentEntry::Starting { versions, commitment, asked } => {
            Event::Starting(store::TournamentStarting {
                versions: versions.clone(),
                commitment: encode_commitment(*commitment),
                asked: asked.iter().map(|entrant| entrant.0.into()).collect(),
            })
        }
        TournamentEntry::Committed { commitments } => Event::Committed(store::TournamentCommitted {
            commitments: commitments.iter().copied().map(encode_commitment).collect(),
        }),
        TournamentEntry::Revealed { entrant, entropy } => Event::Revealed(store::TournamentRevealed {
            entrant: entrant.map(|entrant| entrant.0.into()),
            entropy: entropy.as_bytes().to_vec(),
        }),
        TournamentEntry::Started { versions, entropy } => Event::Started(store::TournamentStarted {
            versions: versions.clone(),
            entropy: entropy.iter().map(|added| added.as_bytes().to_vec()).collect(),
        }),
        TournamentEntry::TableOver { place, table, seats } => Event::TableOver(store::TournamentTableOver {
            group: place.group,
            rotation: place.rotation.into(),
            table_id: table.as_bytes().to_vec(),
            results: seats.iter().map(|seat| codec.encode(seat)).collect(),
        }),
        TournamentEntry::GroupVoided { group, reason } => {
            Event::GroupVoided(store::TournamentGroupVoided { group: *group, reason: reason.clone() })
        }
        TournamentEntry::Withdrawn { entrant } => {
            Event::Withdrawn(store::TournamentWithdrawn { entrant: entrant.0.into() })
        }
        TournamentEntry::Paused => Event::Paused(store::TournamentPaused {}),
        TournamentEntry::Resumed => Event::Resumed(store::TournamentResumed {}),
        TournamentEntry::Cancelled { reason } => {
            Event::Cancelled(store::TournamentCancelled { reason: reason.clone() })
        }
    }
}

fn decode_event(stored: Event, codec: &dyn PayloadCodec) -> Result<TournamentEntry, InvalidField> {
    match stored {
        Event::Created(stored) => {
            let setup = decode_created(stored, codec).map_err(|wrong| wrong.within("created"))?;
            Ok(TournamentEntry::Created(Box::new(setup)))
        }
        Event::Starting(stored) => decode_starting(stored).map_err(|wrong| wrong.within("starting")),
        Event::Committed(store::TournamentCommitted { commitments }) => {
            let commitments = decode_commitments(&commitments, "committed.commitments")?;
            Ok(TournamentEntry::Committed { commitments })
        }
        Event::Revealed(store::TournamentRevealed { entrant, entropy }) => {
            let entrant = entrant.map(|entrant| number16(entrant, "revealed.entrant")).transpose()?;
            let entropy = decode_entropy(&entropy).map_err(|wrong| wrong.within("revealed"))?;
            Ok(TournamentEntry::Revealed { entrant: entrant.map(Entrant), entropy })
        }
        Event::Started(store::TournamentStarted { versions, entropy }) => {
            let entropy = decode_entropies(&entropy, "started.entropy")?;
            Ok(TournamentEntry::Started { versions, entropy })
        }
        Event::TableOver(stored) => {
            decode_table_over(stored, codec).map_err(|wrong| wrong.within("table_over"))
        }
        Event::GroupVoided(store::TournamentGroupVoided { group, reason }) => {
            Ok(TournamentEntry::GroupVoided { group, reason })
        }
        Event::Withdrawn(store::TournamentWithdrawn { entrant }) => {
            let entrant = number16(entrant, "withdrawn.entrant").map(Entrant)?;
            Ok(TournamentEntry::Withdrawn { entrant })
        }
        Event::Paused(store::TournamentPaused {}) => Ok(TournamentEntry::Paused),
        Event::Resumed(store::TournamentResumed {}) => Ok(TournamentEntry::Resumed),
        Event::Cancelled(store::TournamentCancelled { reason }) => Ok(TournamentEntry::Cancelled { reason }),
    }
}

fn decode_starting(stored: store::TournamentStarting) -> Result<TournamentEntry, InvalidField> {
    let store::TournamentStarting { versions, commitment, asked } = stored;
    let entrant = |(index, number): (usize, u32)| {
        number16(number, "").map(Entrant).map_err(|wrong| wrong.in_list(index).within("asked"))
    };
    Ok(TournamentEntry::Starting {
        versions,
        commitment: decode_commitment(&commitment, "commitment")?,
        asked: asked.into_iter().enumerate().map(entrant).collect::<Result<_, _>>()?,
    })
}

fn decode_table_over(
    stored: store::TournamentTableOver,
    codec: &dyn PayloadCodec,
) -> Result<TournamentEntry, InvalidField> {
    length(&stored.results, 0..=MAX_SEATS, "results")?;
    Ok(TournamentEntry::TableOver {
        place: TableKey { group: stored.group, rotation: number8(stored.rotation, "rotation")? },
        table: decode_table_id(&stored.table_id, "table_id")?,
        seats: decode_each(codec, stored.results, "results")?,
    })
}

fn encode_created(setup: &TournamentSetup, codec: &dyn PayloadCodec) -> store::TournamentCreated {
    store::TournamentCreated {
        tournament_id: setup.tournament.as_bytes().to_vec(),
        owner: setup.owner.clone(),
        setup: Some(codec.encode(&setup.terms)),
        seed: setup.seed.to_vec(),
        given: setup.given,
        entropy: setup.entropy.as_bytes().to_vec(),
        created_ms: setup.created,
        request: setup.request.as_ref().map(Into::into),
        // The first version is older than the field.
        plan_version: Some(setup.plan_version)
            .filter(|version| *version > PlanVersion::V1)
            .map(PlanVersion::number),
    }
}

fn decode_created(
    stored: store::TournamentCreated,
    codec: &dyn PayloadCodec,
) -> Result<TournamentSetup, InvalidField> {
    Ok(TournamentSetup {
        tournament: decode_tournament_id(&stored.tournament_id, "tournament_id")?,
        owner: stored.owner,
        terms: decode_required(codec, stored.setup, "setup")?,
        seed: bytes(&stored.seed, "seed")?,
        given: stored.given,
        entropy: decode_entropy(&stored.entropy)?,
        created: stored.created_ms,
        request: optional(stored.request, "request")?,
        plan_version: decode_plan_version(stored.plan_version)?,
    })
}

fn decode_plan_version(stored: Option<u32>) -> Result<PlanVersion, InvalidField> {
    let number = stored.unwrap_or(PlanVersion::V1.number());
    let (latest, unknown) =
        (PlanVersion::LATEST.number(), "it was created by a newer server: start that one");
    PlanVersion::from_number(number).ok_or_else(|| {
        InvalidField::at("plan_version", format!("must be 1 to {latest}, and is {number}; {unknown}"))
    })
}
