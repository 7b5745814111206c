//! The entries of a tournament's log and its record, as they are stored.

use bytes::Bytes;
use parlor_engine::MAX_SEATS;
use parlor_proto::convert::field::{WrongField, bytes, each, length, number8, number16, optional};
use parlor_proto::store::v1 as store;
use parlor_proto::store::v1::tournament_entry::Event;
use parlor_proto::v1;
use parlor_tournament::Entrant;
use parlor_tournament::plan::TableId as Place;
use prost::Message;

use super::setup::table_id;
use super::{BadStored, after, decode, moment};
use crate::tournament::{Entry, Setup};
use crate::wire::shuffle::{entropies, entropy};
use crate::wire::tournament::stored_terms;

const WHAT: &str = "entry of a tournament";

/// The bytes of an entry of a tournament that was created at one time, which happened at another one.
#[must_use]
pub fn encode_tournament_entry(created: u64, at: u64, entry: &Entry) -> Bytes {
    store::TournamentEntry { after_ms: after(created, at), event: Some(entry.into()) }.encode_to_vec().into()
}

/// An entry of a tournament that was created at this time, and when it happened. The first entry knows that by itself.
pub fn decode_tournament_entry(created: u64, bytes: &[u8]) -> Result<(u64, Entry), BadStored> {
    decode(WHAT, bytes, |stored: store::TournamentEntry| {
        let entry = Entry::try_from(stored.event.ok_or_else(|| WrongField::new("must have an event"))?)?;
        let created = if let Entry::Created(setup) = &entry { setup.created } else { created };
        Ok((moment(created, stored.after_ms), entry))
    })
}

/// The bytes of a tournament that is over.
#[must_use]
pub fn encode_tournament_record(tournament: v1::Tournament, standings: v1::Standings) -> Bytes {
    let record = store::TournamentRecord { tournament: Some(tournament), standings: Some(standings) };
    record.encode_to_vec().into()
}

/// A tournament that is over, as everyone may see it.
pub fn decode_tournament_record(bytes: &[u8]) -> Result<(v1::Tournament, v1::Standings), BadStored> {
    decode("record of a tournament", bytes, |stored: store::TournamentRecord| {
        let missing = |field| WrongField::at(field, "must be set");
        let tournament = stored.tournament.ok_or_else(|| missing("tournament"))?;
        Ok((tournament, stored.standings.ok_or_else(|| missing("standings"))?))
    })
}

impl From<&Entry> for Event {
    fn from(entry: &Entry) -> Event {
        match entry {
            Entry::Created(setup) => Event::Created((&**setup).into()),
            Entry::Started { versions, entropy } => Event::Started(store::TournamentStarted {
                versions: versions.clone(),
                entropy: entropy.iter().map(|added| added.as_bytes().to_vec()).collect(),
            }),
            Entry::TableOver { place, table, seats } => Event::TableOver(store::TournamentTableOver {
                group: place.group,
                rotation: place.rotation.into(),
                table_id: table.as_bytes().to_vec(),
                results: seats.iter().copied().map(v1::SeatResult::from).collect(),
            }),
            Entry::GroupVoided { group, reason } => {
                Event::GroupVoided(store::TournamentGroupVoided { group: *group, reason: reason.clone() })
            }
            Entry::Withdrawn { entrant } => {
                Event::Withdrawn(store::TournamentWithdrawn { entrant: entrant.0.into() })
            }
            Entry::Paused => Event::Paused(store::TournamentPaused {}),
            Entry::Resumed => Event::Resumed(store::TournamentResumed {}),
            Entry::Cancelled { reason } => {
                Event::Cancelled(store::TournamentCancelled { reason: reason.clone() })
            }
        }
    }
}

impl TryFrom<Event> for Entry {
    type Error = WrongField;
    fn try_from(stored: Event) -> Result<Entry, WrongField> {
        match stored {
            Event::Created(stored) => {
                let setup = Setup::try_from(stored).map_err(|wrong| wrong.within("created"))?;
                Ok(Entry::Created(Box::new(setup)))
            }
            Event::Started(store::TournamentStarted { versions, entropy }) => {
                let entropy = entropies(&entropy, "started.entropy")?;
                Ok(Entry::Started { versions, entropy })
            }
            Event::TableOver(stored) => table_over(stored).map_err(|wrong| wrong.within("table_over")),
            Event::GroupVoided(store::TournamentGroupVoided { group, reason }) => {
                Ok(Entry::GroupVoided { group, reason })
            }
            Event::Withdrawn(store::TournamentWithdrawn { entrant }) => {
                let entrant = number16(entrant, "withdrawn.entrant").map(Entrant)?;
                Ok(Entry::Withdrawn { entrant })
            }
            Event::Paused(store::TournamentPaused {}) => Ok(Entry::Paused),
            Event::Resumed(store::TournamentResumed {}) => Ok(Entry::Resumed),
            Event::Cancelled(store::TournamentCancelled { reason }) => Ok(Entry::Cancelled { reason }),
        }
    }
}

fn table_over(stored: store::TournamentTableOver) -> Result<Entry, WrongField> {
    length(&stored.results, 0..=MAX_SEATS, "results")?;
    Ok(Entry::TableOver {
        place: Place { group: stored.group, rotation: number8(stored.rotation, "rotation")? },
        table: table_id(&stored.table_id, "table_id")?,
        seats: each(stored.results, "results")?,
    })
}

impl From<&Setup> for store::TournamentCreated {
    fn from(setup: &Setup) -> store::TournamentCreated {
        store::TournamentCreated {
            tournament_id: setup.tournament.as_bytes().to_vec(),
            owner: setup.owner.clone(),
            setup: Some((&setup.terms).into()),
            seed: setup.seed.to_vec(),
            given: setup.given,
            entropy: setup.entropy.as_bytes().to_vec(),
            created_ms: setup.created,
            request: setup.request.as_ref().map(Into::into),
        }
    }
}

impl TryFrom<store::TournamentCreated> for Setup {
    type Error = WrongField;
    fn try_from(stored: store::TournamentCreated) -> Result<Setup, WrongField> {
        let terms = stored.setup.ok_or_else(|| WrongField::at("setup", "must be set"))?;
        Ok(Setup {
            tournament: table_id(&stored.tournament_id, "tournament_id")?,
            owner: stored.owner,
            terms: stored_terms(terms).map_err(|wrong| wrong.within("setup"))?,
            seed: bytes(&stored.seed, "seed")?,
            given: stored.given,
            entropy: entropy(&stored.entropy)?,
            created: stored.created_ms,
            request: optional(stored.request, "request")?,
        })
    }
}
