//! Stored form of agent log entries.

use bytes::Bytes;
use parlor_engine::GameId;
use parlor_fields::{InvalidField, bytes};
use parlor_store::v1 as store;
use parlor_store::v1::agent_entry::Event;
use prost::Message;

use super::codes::{decode_suspension_reason, encode_suspension_reason};
use super::{CorruptData, decode};
use crate::agents::{AgentEntry, AgentIdentity, AgentProfile};

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
        AgentEntry::Connected(AgentProfile { version, games, max_tables }) => {
            Event::Connected(store::AgentConnected {
                version: version.clone(),
                games: games.iter().map(|game| game.info().id.to_owned()).collect(),
                max_tables: *max_tables,
            })
        }
        AgentEntry::Suspended { reason, until, consecutive } => Event::SetAside(store::AgentSetAside {
            reason: encode_suspension_reason(*reason).into(),
            until_ms: *until,
            times: *consecutive,
        }),
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
            Some(Event::Connected(store::AgentConnected { version, games, max_tables })) => {
                // Games that are no longer in the catalogue are dropped.
                let games =
                    games.iter().filter_map(|id| GameId::ALL.iter().find(|game| game.info().id == id));
                AgentEntry::Connected(AgentProfile { version, games: games.copied().collect(), max_tables })
            }
            Some(Event::SetAside(store::AgentSetAside { reason, until_ms, times })) => {
                AgentEntry::Suspended {
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
    use crate::agents::SuspensionReason;

    #[test]
    fn agent_entries_round_trip() {
        let registered = |key| AgentIdentity { name: "deep.1".to_owned(), owner: "club".to_owned(), key };
        let profile = AgentProfile { version: "4.2".to_owned(), games: GameId::ALL.to_vec(), max_tables: 7 };
        let aside = |reason| AgentEntry::Suspended { reason, until: 1_700_000_010_000, consecutive: 3 };
        let entries = [
            AgentEntry::Registered(registered(None)),
            AgentEntry::Registered(registered(Some([9; 32]))),
            AgentEntry::Connected(profile),
        ];
        for entry in entries.into_iter().chain(SuspensionReason::ALL.map(aside)) {
            let stored = encode_agent_entry(1_700_000_000_000, &entry);
            assert_eq!(decode_agent_entry(&stored), Ok((1_700_000_000_000, entry)));
        }
        let pinned = encode_agent_entry(5, &aside(SuspensionReason::BrokeRules));
        assert_eq!(pinned.as_ref(), b"\x08\x05\x22\x0b\x08\x03\x10\x90\x9e\x96\xff\xbc\x31\x18\x03");
    }

    #[test]
    fn corrupt_agent_entries_are_refused() {
        for bad in [&b""[..], b"\x08\x05", b"\x12\x03\x1a\x01x", b"\x22\x00", b"\xff"] {
            assert!(decode_agent_entry(bad).is_err(), "{bad:?}");
        }
    }
}
