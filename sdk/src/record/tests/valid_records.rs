//! Records of a correct server verify, for every viewer.

use parlor_engine::{GameId, Seat, Viewer};

use super::fixtures::{all_table_specs, table};
use crate::record::{self, Unproven};
use crate::wire;

#[test]
fn full_records_of_every_kind_verify() {
    for table in all_table_specs() {
        let report = record::verify(&table.record(None));
        let messages: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
        assert!(
            report.is_valid(),
            "{:?}, {} players, seed {}: {messages:#?}",
            table.options,
            table.players,
            table.seed
        );
        let is_given = table.chance.has_given_seed();
        assert_eq!(report.unproven.contains(&Unproven::SeedGiven), is_given);
        assert_eq!(report.unproven.contains(&Unproven::DealSeed), table.chance.deal().is_some() && !is_given);
        assert_eq!(report.unproven.contains(&Unproven::NotPlayedOut), table.cancelled);
    }
}

/// Texts are not part of what is verified.
#[test]
fn records_with_texts_verify() {
    for viewer in [None, Some(Viewer::Spectator), Some(Viewer::Seat(Seat::FIRST))] {
        for game in GameId::published() {
            let mut record = table(game, 2, 7).record_with_texts(viewer);
            let text = record.result_texts.as_mut().and_then(|texts| texts.reason.as_mut()).expect("a text");
            text.parts[0].text = "Everybody won.".to_owned();
            let report = record::verify(&record);
            assert!(report.is_valid(), "{game:?}, {viewer:?}: {:#?}", report.findings);
        }
    }
}

#[test]
fn viewer_records_of_every_kind_verify() {
    for table in all_table_specs() {
        let played = table.play();
        for viewer in parlor_engine::Viewer::all(table.players) {
            let report = record::verify(&parlor_server::grpc::convert::record(&played, Some(viewer), None));
            let messages: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
            assert!(
                report.is_valid(),
                "{:?}, {} players, seed {}, {viewer:?}: {messages:#?}",
                table.options,
                table.players,
                table.seed
            );
            assert!(report.unproven.contains(&Unproven::Viewer(viewer)));
        }
    }
}

/// The times of steps end at 49 days; the times of the header do not.
#[test]
fn record_of_a_game_that_lasts_for_months_verifies() {
    let mut record = table(GameId::Gap, 3, 31).record(None);
    let middle = record.steps.len() / 2;
    record.steps[middle..].iter_mut().for_each(|step| step.after_ms = u32::MAX);
    record.end_time.as_mut().unwrap().seconds += 60 * 86_400;
    let report = record::verify(&record);
    assert!(report.is_valid(), "{:#?}", report.findings.iter().map(ToString::to_string).collect::<Vec<_>>());
}

/// A forfeited seat is asked no more: its defaults are decisions without an id. Servers of earlier versions left them out.
#[test]
fn defaults_of_forfeited_seats_are_recorded_and_may_be_left_out() {
    let is_default = |decision: &wire::RecordDecision| {
        decision.by() == wire::DecidedBy::Forfeit && decision.decision_id == 0
    };
    let mut count = 0;
    for table in all_table_specs().into_iter().filter(|table| table.disruptions) {
        let record = table.record(None);
        let mut defaults = record.steps.iter().flat_map(|step| &step.decided).filter(|made| is_default(made));
        count += defaults.clone().count();
        let Some(default) = defaults.next() else { continue };
        assert!(default.action.is_some() && default.think_ms == 0, "{default:?}");
        let mut without = record.clone();
        for step in &mut without.steps {
            step.decided.retain(|made| !is_default(made));
        }
        assert!(record::verify(&without).is_valid(), "a record of an earlier version");
        if count > 1 {
            let mut without_one = record.clone();
            let decided = without_one.steps.iter_mut().map(|step| &mut step.decided);
            decided.filter(|decided| decided.iter().any(is_default)).take(1).for_each(Vec::clear);
            let is_last =
                without_one.steps.iter().flat_map(|step| &step.decided).all(|made| !is_default(made));
            assert_eq!(record::verify(&without_one).is_valid(), is_last, "one default is missing");
        }
        for viewer in Viewer::all(table.players) {
            let seen = table.record(Some(viewer));
            assert!(!seen.steps.iter().flat_map(|step| &step.decided).any(is_default), "{viewer:?}");
        }
    }
    assert!(count > 100, "{count} defaults");
}
