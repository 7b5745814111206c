//! Stored form of table log entries.

use bytes::Bytes;
use parlor_fields::{InvalidField, optional};
use parlor_store::v1 as store;
use parlor_store::v1::entry::Event;
use prost::Message;

use super::codes::{decode_commitment, decode_entropy, decode_seat, encode_commitment, encode_seat};
use super::setup::{decode_setup, encode_setup};
use super::{CorruptData, PayloadCodec, decode, offset_from_creation, time_from_offset};
use crate::table::{Entry, NewInvite};

/// Kind of the stored data, for errors.
const KIND: &str = "entry";

/// Encodes an entry. `created` is the creation time of the table and `at` that of the entry, in milliseconds since 1970.
#[must_use]
pub fn encode_entry(created: u64, at: u64, entry: &Entry, codec: &dyn PayloadCodec) -> Bytes {
    store::Entry { after_ms: offset_from_creation(created, at), event: Some(encode_event(entry, codec)) }
        .encode_to_vec()
        .into()
}

/// Decodes an entry and its time in milliseconds since 1970. `created` is the creation time of the table; the first
/// entry contains it, so it is ignored for that one.
pub fn decode_entry(
    created: u64,
    bytes: &[u8],
    codec: &dyn PayloadCodec,
) -> Result<(u64, Entry), CorruptData> {
    decode(KIND, bytes, |stored: store::Entry| {
        let entry = stored.event.ok_or_else(|| InvalidField::new("must have an event"))?;
        let entry = decode_event(entry, codec)?;
        let created = match &entry {
            Entry::Created(setup) => setup.created,
            _ => created,
        };
        Ok((time_from_offset(created, stored.after_ms), entry))
    })
}

/// Decoder of a table's log, entry by entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EntryReader {
    created: Option<u64>,
}

impl EntryReader {
    /// A reader from the first entry on.
    #[must_use]
    pub const fn new() -> EntryReader {
        EntryReader { created: None }
    }

    /// A reader of the entries after the first, for a table created at this time.
    #[must_use]
    pub const fn after_creation(created: u64) -> EntryReader {
        EntryReader { created: Some(created) }
    }

    /// Decodes the next entry and its time in milliseconds since 1970.
    pub fn read(&mut self, stored: &[u8], codec: &dyn PayloadCodec) -> Result<(u64, Entry), CorruptData> {
        let (at, entry) = decode_entry(self.created.unwrap_or(0), stored, codec)?;
        match (&entry, self.created) {
            (Entry::Created(setup), None) => self.created = Some(setup.created),
            (Entry::Created(_), Some(_)) => return Err(misplaced("must stand at the beginning of the log")),
            (_, None) => return Err(misplaced("must stand before all other entries")),
            (_, Some(_)) => {}
        }
        Ok((at, entry))
    }

    /// Decodes the next entries, in order.
    pub fn read_all<'a>(
        &mut self,
        stored: impl IntoIterator<Item = &'a [u8]>,
        codec: &dyn PayloadCodec,
    ) -> Result<Vec<(u64, Entry)>, CorruptData> {
        stored.into_iter().map(|stored| self.read(stored, codec)).collect()
    }
}

fn misplaced(why: &'static str) -> CorruptData {
    CorruptData { kind: KIND, cause: InvalidField::at("created", why) }
}

fn encode_event(entry: &Entry, codec: &dyn PayloadCodec) -> Event {
    match entry {
        Entry::Created(setup) => Event::Created(encode_setup(setup, codec)),
        Entry::Joined { seat, user, name, entropy, commitment, request, invite } => {
            Event::Joined(store::Joined {
                seat: encode_seat(*seat),
                user: user.clone(),
                name: name.clone(),
                entropy: entropy.as_bytes().to_vec(),
                request: request.as_ref().map(Into::into),
                commitment: encode_commitment(*commitment),
                invite: *invite,
            })
        }
        Entry::Filled => Event::Filled(store::Filled {}),
        Entry::Revealed { seat, entropy } => Event::Revealed(store::Revealed {
            seat: encode_seat(*seat),
            entropy: entropy.as_bytes().to_vec(),
        }),
        Entry::InviteCreated(NewInvite { seat, uses, valid, request }) => {
            Event::InviteCreated(store::InviteCreated {
                seat: seat.map(encode_seat),
                uses: *uses,
                valid_ms: *valid,
                request: request.as_ref().map(Into::into),
            })
        }
        Entry::InviteRevoked { number } => Event::InviteRevoked(store::InviteRevoked { number: *number }),
        Entry::Reissued { seat, request } => Event::Reissued(store::Reissued {
            seat: encode_seat(*seat),
            request: request.as_ref().map(Into::into),
        }),
        Entry::SpectatorsRevoked => Event::SpectatorsRevoked(store::SpectatorsRevoked {}),
        Entry::Started => Event::Started(store::Started {}),
        Entry::Acted { seat, index, used, reported } => Event::Acted(store::Acted {
            seat: encode_seat(*seat),
            index: *index,
            used_ms: *used,
            reported_ms: *reported,
        }),
        Entry::TimedOut { seat, used, away } => {
            Event::TimedOut(store::TimedOut { seat: encode_seat(*seat), used_ms: *used, away: *away })
        }
        Entry::WindowClosed => Event::WindowClosed(store::WindowClosed {}),
        Entry::WasAway { seat, used } => {
            Event::WasAway(store::WasAway { seat: encode_seat(*seat), used_ms: *used })
        }
        Entry::Resigned { seat } => Event::Resigned(store::Resigned { seat: encode_seat(*seat) }),
        Entry::SetAside { seat } => Event::SetAside(store::SeatSetAside { seat: encode_seat(*seat) }),
        Entry::Replaced { seat, bot, request } => Event::Replaced(store::Replaced {
            seat: encode_seat(*seat),
            bot: bot.clone(),
            request: request.as_ref().map(Into::into),
        }),
        Entry::Cancelled { note } => Event::Cancelled(store::Cancelled { note: note.clone() }),
        Entry::Expired => Event::Expired(store::Expired {}),
        Entry::Faulted { reason: what } => Event::Faulted(store::Faulted { note: what.clone() }),
    }
}

fn decode_event(stored: Event, codec: &dyn PayloadCodec) -> Result<Entry, InvalidField> {
    let (field, entry) = match stored {
        Event::Created(setup) => {
            ("created", decode_setup(setup, codec).map(|setup| Entry::Created(Box::new(setup))))
        }
        Event::Joined(stored) => ("joined", decode_joined(stored)),
        Event::InviteCreated(stored) => ("invite_created", decode_invite_created(stored)),
        Event::InviteRevoked(store::InviteRevoked { number }) => ("", Ok(Entry::InviteRevoked { number })),
        Event::Reissued(stored) => ("reissued", decode_reissued(stored)),
        Event::SpectatorsRevoked(store::SpectatorsRevoked {}) => ("", Ok(Entry::SpectatorsRevoked)),
        Event::Filled(store::Filled {}) => ("", Ok(Entry::Filled)),
        Event::Revealed(stored) => ("revealed", decode_revealed(&stored)),
        Event::Started(store::Started {}) => ("", Ok(Entry::Started)),
        Event::Acted(stored) => ("acted", decode_acted(stored)),
        Event::TimedOut(stored) => ("timed_out", decode_timed_out(stored)),
        Event::WindowClosed(store::WindowClosed {}) => ("", Ok(Entry::WindowClosed)),
        Event::WasAway(stored) => ("was_away", decode_was_away(stored)),
        Event::Resigned(stored) => {
            ("resigned", decode_seat(stored.seat, "seat").map(|seat| Entry::Resigned { seat }))
        }
        Event::SetAside(stored) => {
            ("set_aside", decode_seat(stored.seat, "seat").map(|seat| Entry::SetAside { seat }))
        }
        Event::Replaced(stored) => ("replaced", decode_replaced(stored)),
        Event::Cancelled(store::Cancelled { note }) => ("", Ok(Entry::Cancelled { note })),
        Event::Expired(store::Expired {}) => ("", Ok(Entry::Expired)),
        Event::Faulted(store::Faulted { note }) => ("", Ok(Entry::Faulted { reason: note })),
    };
    entry.map_err(|wrong| if field.is_empty() { wrong } else { wrong.within(field) })
}

fn decode_joined(stored: store::Joined) -> Result<Entry, InvalidField> {
    Ok(Entry::Joined {
        seat: decode_seat(stored.seat, "seat")?,
        user: stored.user,
        name: stored.name,
        entropy: decode_entropy(&stored.entropy)?,
        commitment: decode_commitment(&stored.commitment, "commitment")?,
        request: optional(stored.request, "request")?,
        invite: stored.invite,
    })
}

fn decode_revealed(stored: &store::Revealed) -> Result<Entry, InvalidField> {
    Ok(Entry::Revealed { seat: decode_seat(stored.seat, "seat")?, entropy: decode_entropy(&stored.entropy)? })
}

fn decode_invite_created(stored: store::InviteCreated) -> Result<Entry, InvalidField> {
    Ok(Entry::InviteCreated(NewInvite {
        seat: stored.seat.map(|number| decode_seat(number, "seat")).transpose()?,
        uses: stored.uses,
        valid: stored.valid_ms,
        request: optional(stored.request, "request")?,
    }))
}

fn decode_reissued(stored: store::Reissued) -> Result<Entry, InvalidField> {
    Ok(Entry::Reissued {
        seat: decode_seat(stored.seat, "seat")?,
        request: optional(stored.request, "request")?,
    })
}

fn decode_acted(stored: store::Acted) -> Result<Entry, InvalidField> {
    let store::Acted { seat: number, index, used_ms: used, reported_ms: reported } = stored;
    Ok(Entry::Acted { seat: decode_seat(number, "seat")?, index, used, reported })
}

fn decode_timed_out(stored: store::TimedOut) -> Result<Entry, InvalidField> {
    Ok(Entry::TimedOut { seat: decode_seat(stored.seat, "seat")?, used: stored.used_ms, away: stored.away })
}

fn decode_was_away(stored: store::WasAway) -> Result<Entry, InvalidField> {
    Ok(Entry::WasAway { seat: decode_seat(stored.seat, "seat")?, used: stored.used_ms })
}

fn decode_replaced(stored: store::Replaced) -> Result<Entry, InvalidField> {
    Ok(Entry::Replaced {
        seat: decode_seat(stored.seat, "seat")?,
        bot: stored.bot,
        request: optional(stored.request, "request")?,
    })
}
