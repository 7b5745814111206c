//! Records of finished games in their three forms: read, verified, replayed, and written again.

use parlor_proto::v1;
use parlor_sdk::record::{self, RecordFormat, Replay};
use prost::Message;

/// Records of a file that are looked at.
const MAX_RECORDS: usize = 4;

pub(crate) fn run_protobuf(input: &[u8]) {
    run(input, RecordFormat::Binary);
}

pub(crate) fn run_json(input: &[u8]) {
    run(input, RecordFormat::Json);
}

pub(crate) fn run_text(input: &[u8]) {
    run(input, RecordFormat::Text);
}

/// Reads a file of this format. Other formats have targets of their own.
fn run(file: &[u8], format: RecordFormat) {
    if RecordFormat::detect(file) != format {
        return;
    }
    let Ok(records) = record::read(file) else { return };
    for record in records.iter().take(MAX_RECORDS) {
        let report = record::verify(record);
        for finding in &report.findings {
            assert!(!finding.to_string().is_empty());
        }
        replay(record);
        assert_round_trips(record);
    }
}

fn replay(record: &v1::Record) {
    for viewer in record::viewers(record) {
        if let Ok(replay) = Replay::new(record, viewer) {
            // An invalid step ends the replay with an error.
            let _table = replay.table();
            replay.for_each(drop);
        }
    }
}

/// Writes a record in every format and reads it again.
fn assert_round_trips(record: &v1::Record) {
    // Compared as bytes: a number that is not one differs from itself.
    let bytes = record.encode_to_vec();
    for format in [RecordFormat::Binary, RecordFormat::Json, RecordFormat::Text] {
        // JSON has no form for some timestamps.
        let Ok(written) = format.write(record) else { continue };
        let again = record::read(&written).unwrap_or_else(|error| {
            panic!("{format:?} is not read again: {error}\n{}", String::from_utf8_lossy(&written))
        });
        assert_eq!(again.len(), 1);
        assert_eq!(again[0].encode_to_vec(), bytes, "{format:?}:\n{}", String::from_utf8_lossy(&written));
    }
}
