//! Round trips through all three file formats.

use parlor_engine::{GameId, Seat, Viewer};

use super::fixtures::{all_table_specs, table};
use crate::record::{RecordFormat, read};

const FORMATS: [RecordFormat; 3] = [RecordFormat::Binary, RecordFormat::Json, RecordFormat::Text];

#[test]
fn every_format_round_trips() {
    let viewers = [None, Some(Viewer::Spectator), Some(Viewer::Seat(Seat::FIRST))];
    for (table, viewer) in all_table_specs().into_iter().zip(viewers.into_iter().cycle()) {
        let record = table.record(viewer);
        for form in FORMATS {
            let file = form.write(&record).unwrap();
            assert_eq!(RecordFormat::detect(&file), form);
            let again = read(&file).unwrap();
            assert_eq!(again, std::slice::from_ref(&record), "{form:?}");
            assert_eq!(form.write(&again[0]).unwrap(), file, "{form:?}");
        }
    }
}

#[test]
fn texts_round_trip_in_every_format() {
    for viewer in [None, Some(Viewer::Seat(Seat::FIRST))] {
        let record = table(GameId::Gap, 2, 1).record_with_texts(viewer);
        assert!(record.steps.iter().flat_map(|step| &step.told).all(|telling| telling.text.is_some()));
        for form in FORMATS {
            let file = form.write(&record).unwrap();
            assert_eq!(read(&file).as_deref(), Ok(std::slice::from_ref(&record)), "{form:?}");
        }
    }
    let misplaced = b"parlor record\nversion: 1\nstep 0 after 1 ms\n  text: {}\n";
    assert!(read(misplaced).unwrap_err().to_string().contains("a text must follow an event"));
}

#[test]
fn files_with_several_records_are_read() {
    let records =
        [table(GameId::Gap, 2, 1), table(GameId::FiveThreeFive, 3, 2)].map(|table| table.record(None));
    for form in FORMATS {
        let file: Vec<u8> = records.iter().flat_map(|record| form.write_entry(record).unwrap()).collect();
        assert_eq!(RecordFormat::detect(&file), form);
        assert_eq!(read(&file).as_deref(), Ok(&records[..]), "{form:?}");
    }
}

#[test]
fn timestamp_that_json_would_change_is_refused() {
    let mut record = table(GameId::Gap, 2, 1).record(None);
    for nanos in [-1, 1_000_000_000] {
        record.create_time = Some(prost_types::Timestamp { seconds: 8, nanos });
        let refused = RecordFormat::Json.write(&record).unwrap_err().to_string();
        assert!(refused.contains("timestamp") && refused.contains("another format"), "{refused}");
        for form in [RecordFormat::Binary, RecordFormat::Text] {
            let file = form.write(&record).unwrap();
            assert_eq!(read(&file).as_deref(), Ok(std::slice::from_ref(&record)), "{form:?}");
        }
    }
}
