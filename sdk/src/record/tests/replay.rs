//! A replay gives each viewer the updates that the server sent.

use parlor_engine::{AnyEvent, AnyView, Seat, Viewer};

use super::fixtures::all_table_specs;
use crate::record::{Replay, viewers};

#[test]
fn replay_equals_the_updates_of_each_viewer() {
    for table in all_table_specs() {
        let played = table.play();
        let full = parlor_server::grpc::convert::record(&played, None, None);
        assert_eq!(viewers(&full), Viewer::all(table.players).collect::<Vec<_>>());
        for viewer in viewers(&full) {
            let own = parlor_server::grpc::convert::record(&played, Some(viewer), None);
            let moments =
                |record| Replay::new(record, viewer).unwrap().map(Result::unwrap).collect::<Vec<_>>();
            let (of_full, of_own) = (moments(&full), moments(&own));
            let told: Vec<_> = played.updates(viewer, 0).collect();
            assert_eq!((of_full.len(), of_own.len()), (told.len(), told.len()), "{viewer:?}");
            for ((moment, own), told) in of_full.iter().zip(&of_own).zip(told) {
                assert_eq!((&moment.update, moment.after_ms), (&own.update, own.after_ms));
                assert_eq!(u64::from(moment.update.number()), told.update.number);
                let events: Result<Vec<AnyEvent>, _> =
                    moment.update.events().iter().cloned().map(AnyEvent::try_from).collect();
                assert_eq!(events.unwrap(), told.update.events);
                let view = moment.update.view().cloned().map(AnyView::try_from).transpose().unwrap();
                assert_eq!(view, told.view);
                assert_eq!(moment.update.decided().is_some(), told.update.decided.is_some());
            }
        }
    }
}

#[test]
fn viewer_record_rejects_the_replay_of_another_viewer() {
    let table = &all_table_specs()[0];
    let (seat, other) = (Viewer::Seat(Seat::FIRST), Viewer::Spectator);
    let record = table.record(Some(seat));
    assert_eq!(viewers(&record), [seat]);
    assert!(Replay::new(&record, other).is_err());
}
