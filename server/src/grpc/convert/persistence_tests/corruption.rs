//! Corrupt data: bit flips, truncations and random bytes are refused or decode to something else; decoding
//! and replay never panic.

use parlor_engine::{GameId, Viewer, below};
use parlor_host::persistence::{
    CorruptData, decode_entry, decode_feed_item, decode_record, encode_entry, encode_feed_item, encode_record,
};
use parlor_host::table::{Entry, Record, Table};
use parlor_store::{FeedItem, Millis};
use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

use super::games::{NOW, play};
use super::test_rng;
use crate::grpc::convert::ApiCodec;

/// Flips one random bit.
fn flip_bit(bytes: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let index = below(bytes.len() as u32, rng) as usize;
    bytes[index] ^= 1 << below(8, rng);
    bytes
}

/// Decodes an entry, and checks that the result round-trips.
fn read_entry(bytes: &[u8]) -> Option<(u64, Entry)> {
    let (at, entry) = decode_entry(NOW, bytes, &ApiCodec).ok()?;
    let created = if let Entry::Created(setup) = &entry { setup.created } else { NOW };
    let again = encode_entry(created, at, &entry, &ApiCodec);
    assert_eq!(decode_entry(created, &again, &ApiCodec).as_ref(), Ok(&(at, entry.clone())));
    Some((at, entry))
}

fn read_record(bytes: &[u8]) -> Result<(), CorruptData> {
    let record = decode_record(bytes, &ApiCodec)?;
    assert_eq!(decode_record(&encode_record(&record, &ApiCodec), &ApiCodec), Ok(record.clone()));
    for viewer in Viewer::all(record.summary.seats.len() as u8) {
        let updates = record.updates(viewer, 0).count();
        assert!(updates <= record.steps.len());
    }
    Ok(())
}

fn read_news(bytes: &[u8]) {
    let item = |bytes: &[u8]| FeedItem { number: 1, at: Millis(0), payload: bytes.to_vec().into() };
    if let Ok(read) = decode_feed_item(&item(bytes), &ApiCodec) {
        let again = encode_feed_item(read.table, &read.event, &ApiCodec);
        assert_eq!(decode_feed_item(&item(&again), &ApiCodec), Ok(read));
    }
}

#[test]
fn damaged_logs_do_not_panic() {
    let mut rng = test_rng("damaged_logs_do_not_panic");
    for game in GameId::ALL {
        let log = play(game.default_options(), 2, &mut rng).log;
        let stored: Vec<_> = log.iter().map(|(at, entry)| encode_entry(NOW, *at, entry, &ApiCodec)).collect();
        for entry in stored.iter().take(8) {
            for length in 0..entry.len() {
                read_entry(&entry[..length]);
            }
        }
        for _ in 0..400 {
            let index = below(stored.len() as u32, &mut rng) as usize;
            let Some((at, damaged)) = read_entry(&flip_bit(&stored[index], &mut rng)) else { continue };
            let mut log = log.clone();
            log[index] = (at, damaged);
            // The table may refuse the entry, or replay to a different state.
            let Ok(mut table) = Table::from_first_entry(&log[0].1) else { continue };
            let _ = log[1..].iter().try_for_each(|(at, entry)| table.fold(*at, entry).map(drop));
        }
    }
}

#[test]
fn damaged_records_and_news_do_not_panic() {
    let mut rng = test_rng("damaged_records_and_news_do_not_panic");
    for game in GameId::ALL {
        let played = play(game.default_options(), game.info().max_players, &mut rng);
        let record = Record::from_log(&played.log).expect("a log");
        let bytes = encode_record(&record, &ApiCodec);
        let mut refused = 0;
        for _ in 0..150 {
            refused += u32::from(read_record(&flip_bit(&bytes, &mut rng)).is_err());
            let length = below(bytes.len() as u32, &mut rng) as usize;
            let _ = read_record(&bytes[..length]);
        }
        assert!(refused > 20, "{game:?}: only {refused} of 150 corrupt records were refused");
        let news = parlor_host::OwnerEvent::Over(record.summary.clone().into());
        let bytes = encode_feed_item(record.summary.setup.table, &news, &ApiCodec);
        for length in 0..bytes.len() {
            read_news(&bytes[..length]);
            read_news(&flip_bit(&bytes, &mut rng));
        }
    }
}

#[test]
fn random_bytes_do_not_panic() {
    let mut rng = test_rng("random_bytes_do_not_panic");
    for _ in 0..20_000 {
        let mut bytes = vec![0; below(60, &mut rng) as usize];
        rng.fill_bytes(&mut bytes);
        // Small tags make more of the bytes decode as messages.
        for byte in bytes.iter_mut().step_by(2) {
            *byte &= 0x7f;
        }
        read_entry(&bytes);
        read_news(&bytes);
        let _ = read_record(&bytes);
    }
}
