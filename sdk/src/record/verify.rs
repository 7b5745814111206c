//! Checking a record: everything that must follow from the seed and from what was decided is worked out again, and compared.

use parlor_engine::Viewer;

use super::diff::differences;
use super::fair;
use super::finding::{Finding, Report, Unproven};
use super::start::{Start, game_id};
use super::{viewer, walk};
use crate::wire;
use wire::record_telling::Told;
use wire::table_event::Event;

/// Checks a record, without a server: the commitment, the seeds (that of a deal from that of its tournament, if the record
/// has it), every card dealt, every action and its place among the legal
/// ones, all that was told and to whom, the clocks, the points, the places and the reasons.
///
/// What is wrong is named by its path, with what stands there and what should. What house bots chose is checked like the
/// choices of everyone: that it was legal, not that they would choose it again.
#[must_use]
pub fn verify(record: &wire::Record) -> Report {
    let mut report = Report::default();
    let began = events(record).any(|event| matches!(event, Event::Started(_))) || !record.views.is_empty();
    let Some(start) = Start::of(record, began, &mut report.wrong) else { return report };
    report.wrong.extend(fair::wrong_deal(&start.shuffle));
    note_unproven(record, &start, &mut report.unproven);
    let viewer = match record.viewer.map(Viewer::try_from).transpose() {
        Ok(viewer) => viewer,
        Err(wrong) => {
            report.wrong.push(Finding::unreadable("viewer", wrong));
            return report;
        }
    };
    let mut right = head(record, &start);
    let steps = match viewer {
        None => walk::check(record, &start, &mut right),
        Some(viewer) => viewer::check(record, &start, viewer, &mut right),
    };
    let found = wire::Record { steps: Vec::new(), ..record.clone() };
    report.wrong.extend(differences("", &found, &right));
    report.wrong.extend(steps);
    report
}

/// Everything that happened at the table, in order.
pub(super) fn events(record: &wire::Record) -> impl Iterator<Item = &Event> {
    record.steps.iter().flat_map(|step| &step.told).filter_map(|telling| match &telling.told {
        Some(Told::Table(table)) => table.event.as_ref(),
        _ => None,
    })
}

fn note_unproven(record: &wire::Record, start: &Start, unproven: &mut Vec<Unproven>) {
    if let Some(Ok(viewer)) = record.viewer.map(Viewer::try_from) {
        unproven.push(Unproven::Viewer(viewer));
    }
    if !start.began() {
        unproven.push(Unproven::NeverBegan);
    } else if record.result.as_ref().is_some_and(|result| result.reason() != wire::EndReason::PlayedOut) {
        unproven.push(Unproven::BrokenOff);
    }
    if start.shuffle.seed_given {
        unproven.push(Unproven::SeedGiven);
    } else if start.shuffle.deal_group.as_ref().is_some_and(|group| group.tournament_seed.is_empty()) {
        unproven.push(Unproven::Deal);
    }
}

/// The record as it must be, without its steps and without what only they tell.
fn head(record: &wire::Record, start: &Start) -> wire::Record {
    let mut right = wire::Record { steps: Vec::new(), ..record.clone() };
    right.game = game_id(start.options).to_owned();
    right.options = Some(start.options.into());
    right.shuffle = Some(start.shuffle.clone());
    right.views = if start.began() { start.views(record.viewer.as_ref()) } else { Vec::new() };
    right_times(record, &mut right);
    right
}

/// The moments at the head, by the times of the steps: of the three, most must agree on when the table was made.
fn right_times(record: &wire::Record, right: &mut wire::Record) {
    let started = record.steps.iter().find(|step| {
        step.told.iter().any(|telling| {
            matches!(&telling.told, Some(Told::Table(table)) if matches!(table.event, Some(Event::Started(_))))
        })
    });
    let (started, ended) = (started.map(|step| step.after_ms), record.steps.last().map(|step| step.after_ms));
    let made =
        |moment: Option<prost_types::Timestamp>, after: Option<i64>| Some(ms(moment?) - i128::from(after?));
    let votes =
        [made(record.create_time, Some(0)), made(record.start_time, started), made(record.end_time, ended)];
    let count = |vote: &Option<i128>| votes.iter().filter(|other| *other == vote).count();
    // Of those with as many votes, the first.
    let base = votes.iter().filter(|vote| vote.is_some()).rev().max_by_key(|vote| count(vote));
    let Some(Some(base)) = base else { return };
    let moment = |after: Option<i64>| after.map(|after| timestamp(base + i128::from(after)));
    right.create_time = moment(Some(0));
    right.start_time = moment(started);
    right.end_time = moment(ended);
}

fn ms(moment: prost_types::Timestamp) -> i128 {
    i128::from(moment.seconds) * 1000 + i128::from(moment.nanos / 1_000_000)
}

fn timestamp(ms: i128) -> prost_types::Timestamp {
    let seconds = i64::try_from(ms.div_euclid(1000)).unwrap_or(i64::MAX);
    // Below a thousand million.
    prost_types::Timestamp { seconds, nanos: (ms.rem_euclid(1000) * 1_000_000) as i32 }
}
