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

#[cfg(test)]
mod tests {
    use parlor_engine::{GameId, Seat};
    use parlor_tournament::plan::{Deals, Format, SequentialTest};

    use super::*;
    use crate::TableId;
    use crate::fair::Entropy;
    use crate::table::{Conduct, RequestMark, SeatResult, TimeControl, Visibility};
    use crate::tournament::{EntrantSetup, Terms};

    fn terms() -> Terms {
        let test = SequentialTest {
            entrant: Entrant(1),
            lower: -1.5,
            upper: 2.0,
            alpha: 0.05,
            beta: 0.1,
            min_groups: 30,
        };
        let time = TimeControl {
            decision: 1000,
            bank: 5000,
            grace: 3000,
            forfeit_after: 2,
            secret: 400,
            constant_secret: true,
        };
        Terms {
            name: "cup".to_owned(),
            options: GameId::Gap.default_options(),
            players: 2,
            entrants: vec![
                EntrantSetup::House { bot: "search:12".to_owned() },
                EntrantSetup::Agent { name: "ann".to_owned(), version: "1".to_owned() },
            ],
            format: Format::Swiss { rounds: 3, groups: 2 },
            deals: Deals::Independent,
            test: Some(test),
            time,
            max_tables: 4,
            visibility: Visibility::Private,
            patience: 0,
        }
    }

    fn entries() -> Vec<Entry> {
        let entropy = Entropy::new(b"dice").expect("few bytes");
        let setup = Setup {
            tournament: TableId::from_bytes([7; 16]),
            owner: "club".to_owned(),
            terms: terms(),
            seed: [3; 32],
            given: true,
            entropy,
            created: 1_000,
            request: Some(RequestMark { id: "r".into(), digest: [4; 16] }),
        };
        let result = SeatResult {
            seat: Seat::FIRST,
            points: -3,
            place: 2,
            conduct: Conduct::SetAside,
            time_outs: 1,
            thought: 9,
        };
        let (place, table) = (Place { group: 5, rotation: 1 }, TableId::from_bytes([8; 16]));
        let versions = vec![String::new(), "1".to_owned()];
        vec![
            Entry::Created(Box::new(setup)),
            Entry::Started { versions, entropy: vec![Entropy::NONE, entropy] },
            Entry::TableOver { place, table, seats: vec![result] },
            Entry::TableOver { place, table, seats: Vec::new() },
            Entry::GroupVoided { group: 5, reason: "a fault".to_owned() },
            Entry::Withdrawn { entrant: Entrant(1) },
            Entry::Paused,
            Entry::Resumed,
            Entry::Cancelled { reason: "rain".to_owned() },
        ]
    }

    #[test]
    fn what_is_stored_reads_back() {
        for entry in entries() {
            let stored = encode_tournament_entry(1_000, 1_234, &entry);
            assert_eq!(decode_tournament_entry(1_000, &stored), Ok((1_234, entry)));
        }
    }

    /// Whatever is cut off or spoilt gives an error or another entry, never a panic.
    #[test]
    fn damaged_entries_are_refused_or_read() {
        for entry in entries() {
            let stored = encode_tournament_entry(1_000, 1_234, &entry);
            for at in 0..stored.len() {
                let _ = decode_tournament_entry(1_000, &stored[..at]);
                let mut spoilt = stored.to_vec();
                spoilt[at] ^= 0x15;
                let _ = decode_tournament_entry(1_000, &spoilt);
            }
        }
        let wrong = decode_tournament_entry(0, &[]).expect_err("nothing is in it");
        assert_eq!(wrong.to_string(), "a stored entry of a tournament cannot be read: must have an event");
    }
}
