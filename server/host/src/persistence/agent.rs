//! Stored form of agent log entries.

use bytes::Bytes;
use parlor_engine::GameId;
use parlor_fields::{InvalidField, bytes};
use parlor_store::v1 as store;
use parlor_store::v1::agent_entry::Event;
use prost::Message;

use super::codes::{decode_seated_by, decode_suspension_reason, encode_seated_by, encode_suspension_reason};
use super::setup::decode_tournament_id;
use super::{CorruptData, decode};
use crate::agents::{AgentEntry, AgentIdentity, AgentProfile, SuspensionScope};

/// Encodes an entry with its time `at`, in milliseconds since 1970.
#[must_use]
pub fn encode_agent_entry(at: u64, entry: &AgentEntry) -> Bytes {
    let event = match entry {
        AgentEntry::Registered(AgentIdentity { name, owner, key }) => {
            Event::Registered(store::AgentRegistered {
                name: name.clone(),
                owner: owner.clone(),
                key: key.map(|key| key.to_vec()),
            })
        }
        AgentEntry::Connected(AgentProfile { version, games, max_tables, seated_by, min_decision }) => {
            Event::Connected(store::AgentConnected {
                version: version.clone(),
                games: games.iter().map(|game| game.info().id.to_owned()).collect(),
                max_tables: *max_tables,
                seated_by: encode_seated_by(*seated_by).into(),
                min_decision_ms: *min_decision,
            })
        }
        AgentEntry::Suspended { scope, reason, until, consecutive } => {
            let tournament = scope.as_ref().and_then(|scope| scope.tournament);
            Event::SetAside(store::AgentSetAside {
                reason: encode_suspension_reason(*reason).into(),
                until_ms: *until,
                times: *consecutive,
                owner: scope.as_ref().map(|scope| scope.owner.clone()).unwrap_or_default(),
                tournament_id: tournament.map(|tournament| tournament.as_bytes().to_vec()),
            })
        }
    };
    store::AgentEntry { at_ms: at, event: Some(event) }.encode_to_vec().into()
}

/// Decodes an entry and its time in milliseconds since 1970.
pub fn decode_agent_entry(stored: &[u8]) -> Result<(u64, AgentEntry), CorruptData> {
    decode("entry of an agent", stored, |stored: store::AgentEntry| {
        let entry = match stored.event {
            Some(Event::Registered(store::AgentRegistered { name, owner, key })) => {
                let key = key.map(|key| bytes(&key, "registered.key")).transpose()?;
                AgentEntry::Registered(AgentIdentity { name, owner, key })
            }
            Some(Event::Connected(stored)) => {
                let store::AgentConnected { version, games, max_tables, seated_by, min_decision_ms } = stored;
                // Games that are no longer in the catalogue are dropped.
                let games =
                    games.iter().filter_map(|id| GameId::ALL.iter().find(|game| game.info().id == id));
                AgentEntry::Connected(AgentProfile {
                    version,
                    games: games.copied().collect(),
                    max_tables,
                    seated_by: decode_seated_by(seated_by, "connected.seated_by")?,
                    min_decision: min_decision_ms,
                })
            }
            Some(Event::SetAside(stored)) => {
                let store::AgentSetAside { reason, until_ms, times, owner, tournament_id } = stored;
                let tournament = tournament_id
                    .map(|id| decode_tournament_id(&id, "set_aside.tournament_id"))
                    .transpose()?;
                AgentEntry::Suspended {
                    scope: (!owner.is_empty()).then_some(SuspensionScope { owner, tournament }),
                    reason: decode_suspension_reason(reason, "set_aside.reason")?,
                    until: until_ms,
                    consecutive: times,
                }
            }
            None => return Err(InvalidField::new("must have an event")),
        };
        Ok((stored.at_ms, entry))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TournamentId;
    use crate::agents::{SeatedBy, SuspensionReason};

    #[test]
    fn agent_entries_round_trip() {
        let registered = |key| AgentIdentity { name: "deep.1".to_owned(), owner: "club".to_owned(), key };
        let profile = |seated_by| AgentProfile {
            version: "4.2".to_owned(),
            games: GameId::ALL.to_vec(),
            max_tables: 7,
            seated_by,
            min_decision: 250,
        };
        let in_scope =
            |reason, scope| AgentEntry::Suspended { scope, reason, until: 1_700_000_010_000, consecutive: 3 };
        let club = |tournament| Some(SuspensionScope { owner: "club".to_owned(), tournament });
        let aside = |reason| in_scope(reason, club(None));
        let entries = [
            AgentEntry::Registered(registered(None)),
            AgentEntry::Registered(registered(Some([9; 32]))),
            AgentEntry::Connected(profile(SeatedBy::Anyone)),
            AgentEntry::Connected(profile(SeatedBy::Owner)),
            AgentEntry::Connected(profile(SeatedBy::Tournaments)),
            in_scope(SuspensionReason::TimedOut, club(Some(TournamentId::from_bytes([3; 16])))),
        ];
        for entry in entries.into_iter().chain(SuspensionReason::ALL.map(aside)) {
            let stored = encode_agent_entry(1_700_000_000_000, &entry);
            assert_eq!(decode_agent_entry(&stored), Ok((1_700_000_000_000, entry)));
        }
        // As earlier versions stored it, without a scope.
        let pinned = b"\x08\x05\x22\x0b\x08\x03\x10\x90\x9e\x96\xff\xbc\x31\x18\x03";
        let earlier = in_scope(SuspensionReason::BrokeRules, None);
        assert_eq!(decode_agent_entry(pinned), Ok((5, earlier)));
        let pinned = encode_agent_entry(5, &aside(SuspensionReason::BrokeRules));
        assert_eq!(
            pinned.as_ref(),
            b"\x08\x05\x22\x11\x08\x03\x10\x90\x9e\x96\xff\xbc\x31\x18\x03\x22\x04club"
        );
    }

    #[test]
    fn corrupt_agent_entries_are_refused() {
        for bad in [&b""[..], b"\x08\x05", b"\x12\x03\x1a\x01x", b"\x22\x00", b"\xff"] {
            assert!(decode_agent_entry(bad).is_err(), "{bad:?}");
        }
    }
}
