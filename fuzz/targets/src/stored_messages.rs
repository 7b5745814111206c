//! Messages of `parlor.store.v1` as the store holds them: entries, logs, records and feed items.
//!
//! The first byte selects the kind. A log is a list of messages, each after its length as a varint.

use parlor_engine::{Lang, Viewer};
use parlor_host::persistence::{
    EntryReader, PayloadCodec, decode_agent_entry, decode_entry, decode_feed_item, decode_record,
    decode_tournament_entry, decode_tournament_record, encode_record, encode_tournament_record,
};
use parlor_host::table::{Entry, Record, Replay};
use parlor_host::tournaments::{FoldedTournament, TournamentEntry, TournamentSnapshot};
use parlor_server::grpc::convert::{self, ApiCodec};
use parlor_store::{FeedItem, Millis};
use prost::bytes::Buf;

/// Time at which tables and tournaments were created, in milliseconds since 1970.
const CREATED: u64 = 1_767_225_600_000;

pub(crate) fn run(input: &[u8]) {
    let Some((selector, stored)) = input.split_first() else { return };
    match selector % 7 {
        0 => drop(decode_entry(CREATED, stored, &ApiCodec)),
        1 => table_log(stored),
        2 => {
            if let Ok(record) = decode_record(stored, &ApiCodec) {
                read_record(record);
            }
        }
        3 => {
            let payload = stored.to_vec().into();
            drop(decode_feed_item(&FeedItem { number: 1, at: Millis(1), payload }, &ApiCodec));
        }
        4 => drop(decode_agent_entry(stored)),
        5 => tournament_log(stored),
        _ => {
            if let Ok(record) = decode_tournament_record(stored) {
                let again = decode_tournament_record(&encode_tournament_record(record.clone()));
                assert_eq!(again, Ok(record));
            }
        }
    }
}

/// Splits a log into its messages. What follows a wrong length is left out.
fn messages(mut log: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let length = prost::encoding::decode_varint(&mut log).ok()?;
        let length = usize::try_from(length).ok().filter(|length| *length <= log.remaining())?;
        let (message, rest) = log.split_at(length);
        log = rest;
        Some(message)
    })
}

/// Replays the log of a table to its record.
fn table_log(log: &[u8]) {
    let mut reader = EntryReader::new();
    let read: Result<Vec<(u64, Entry)>, _> =
        messages(log).map(|message| reader.read(message, &ApiCodec)).collect();
    let Ok(Ok(record)) = read.map(|entries| Record::from_log(&entries)) else { return };
    let stored = encode_record(&record, &ApiCodec);
    let again = decode_record(&stored, &ApiCodec).expect("a record that was just encoded");
    assert_eq!(again, record);
    read_record(record);
}

/// Converts a record for everybody who may read it.
fn read_record(record: Record) {
    let players = u8::try_from(record.summary.seats.len()).expect("a decoded table has few seats");
    for viewer in std::iter::once(None).chain(Viewer::all(players).map(Some)) {
        let message = convert::record(&record, viewer, Some(Lang::De));
        assert_eq!(message.seats.len(), usize::from(players));
        let replay = Replay::new(record.clone(), viewer);
        let length = replay.length();
        assert_eq!(u32::try_from(replay.count()), Ok(length));
    }
    let _summary = convert::record_summary(&record.summary);
}

/// Folds the log of a tournament.
fn tournament_log(log: &[u8]) {
    let decode = |message: &[u8]| decode_tournament_entry(CREATED, message, &ApiCodec);
    let read: Result<Vec<(u64, TournamentEntry)>, _> = messages(log).map(decode).collect();
    let Ok(entries) = read else { return };
    let Some(((_, first), rest)) = entries.split_first() else { return };
    let Ok(mut tournament) = FoldedTournament::from_first_entry(first) else { return };
    for (at, entry) in rest {
        if tournament.fold(*at, entry).is_err() {
            return;
        }
    }
    let state = tournament.plan.state();
    let snapshot = TournamentSnapshot::new(&tournament, state, tournament.is_over());
    assert!(!ApiCodec.encode_tournament(&snapshot).is_empty());
    for place in tournament.tables.keys() {
        let _deal = tournament.deal(*place);
    }
}
