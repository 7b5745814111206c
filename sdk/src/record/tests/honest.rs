//! What an honest server wrote is right, whoever looks.

use super::made::all_kinds;
use crate::record::{self, Unproven};

#[test]
fn records_of_every_kind_are_right() {
    for table in all_kinds() {
        let report = record::verify(&table.record(None));
        let said: Vec<String> = report.wrong.iter().map(ToString::to_string).collect();
        assert!(
            report.is_right(),
            "{:?}, {} players, seed {}: {said:#?}",
            table.options,
            table.players,
            table.seed
        );
        let is_given = table.chance.has_given_seed();
        assert_eq!(report.unproven.contains(&Unproven::SeedGiven), is_given);
        assert_eq!(report.unproven.contains(&Unproven::Deal), table.chance.deal().is_some() && !is_given);
        assert_eq!(report.unproven.contains(&Unproven::BrokenOff), table.cancelled);
    }
}

#[test]
fn so_are_those_of_each_viewer() {
    for table in all_kinds() {
        let played = table.play();
        for viewer in parlor_engine::Viewer::all(table.players) {
            let report = record::verify(&parlor_server::grpc::convert::record(&played, Some(viewer)));
            let said: Vec<String> = report.wrong.iter().map(ToString::to_string).collect();
            assert!(
                report.is_right(),
                "{:?}, {} players, seed {}, {viewer:?}: {said:#?}",
                table.options,
                table.players,
                table.seed
            );
            assert!(report.unproven.contains(&Unproven::Viewer(viewer)));
        }
    }
}
