//! Verification of a record: recomputes everything that follows from the seed and the decisions, and
//! compares.

use parlor_engine::Viewer;
use parlor_fair::PublicKey;
use parlor_proto::signing;

use super::diff::differences;
use super::game_setup::{GameSetup, game_id};
use super::report::{Finding, Problem, Unproven, VerificationReport};
use super::shuffle_check;
use super::signature::{SignatureCheck, check_signature};
use super::{full_record, viewer_record};
use crate::wire;
use wire::record_telling::Told;
use wire::table_event::Event;

/// Verifies a record without a server: the commitments of the server and of all who revealed entropy; the seeds, including the derivation of a deal's seed
/// from its tournament's, if the record shows it; every card dealt; every action and its index among the
/// legal ones; every event and its audience; the clocks, points, places and reasons.
///
/// The signature is not checked: [`verify_signed`] does. Without it, nothing proves names, options and times, and that these
/// decisions were made.
///
/// Each finding names a field by its path, with the value found and the value expected. House bots' actions
/// are checked for legality like everyone's, not for being what the bot would choose again. Texts are not checked: they
/// are for people to read.
#[must_use]
pub fn verify(record: &wire::Record) -> VerificationReport {
    verify_signed(record, &[])
}

/// Verifies a record like [`verify`], and its signature with the public keys of its server.
#[must_use]
pub fn verify_signed(record: &wire::Record, keys: &[PublicKey]) -> VerificationReport {
    let mut report = recompute(record);
    match check_signature(record, keys) {
        SignatureCheck::Valid(_) => {}
        SignatureCheck::Unsigned => report.unproven.push(Unproven::Unsigned),
        SignatureCheck::UnknownKey { .. } => report.unproven.push(Unproven::SignatureUnchecked),
        SignatureCheck::Invalid(key) => {
            let problem = Problem::SignatureInvalid { key_id: key.id().to_string() };
            report.findings.push(Finding::new("signature", problem));
        }
    }
    report
}

/// Verifies everything but the signature.
fn recompute(record: &wire::Record) -> VerificationReport {
    let record = &wire::Record { signature: None, ..signing::without_texts(record) };
    let mut report = VerificationReport::default();
    let started =
        table_events(record).any(|event| matches!(event, Event::Started(_))) || !record.views.is_empty();
    let Some(setup) = GameSetup::from_record(record, started, &mut report.findings) else { return report };
    report.findings.extend(shuffle_check::check_deal_seed(&setup.shuffle));
    list_unproven(record, &setup, &mut report.unproven);
    let viewer = match record.viewer.map(Viewer::try_from).transpose() {
        Ok(viewer) => viewer,
        Err(wrong) => {
            report.findings.push(Finding::unreadable("viewer", wrong));
            return report;
        }
    };
    let mut expected = expected_header(record, &setup);
    let steps = match viewer {
        None => full_record::check(record, &setup, &mut expected),
        Some(viewer) => viewer_record::check(record, &setup, viewer, &mut expected),
    };
    let found = wire::Record { steps: Vec::new(), ..record.clone() };
    report.findings.extend(differences("", &found, &expected));
    report.findings.extend(steps);
    report
}

/// All table events, in order.
pub(super) fn table_events(record: &wire::Record) -> impl Iterator<Item = &Event> {
    record.steps.iter().flat_map(|step| &step.told).filter_map(|telling| match &telling.told {
        Some(Told::Table(table)) => table.event.as_ref(),
        _ => None,
    })
}

fn list_unproven(record: &wire::Record, setup: &GameSetup, unproven: &mut Vec<Unproven>) {
    if let Some(Ok(viewer)) = record.viewer.map(Viewer::try_from) {
        unproven.push(Unproven::Viewer(viewer));
    }
    if !setup.started() {
        unproven.push(Unproven::NeverStarted);
    } else if record.result.as_ref().is_some_and(|result| result.reason() != wire::EndReason::PlayedOut) {
        unproven.push(Unproven::NotPlayedOut);
    }
    let (withheld, uncommitted) = shuffle_check::count_participants(&setup.shuffle);
    if withheld > 0 && setup.started() {
        unproven.push(Unproven::EntropyWithheld(withheld));
    }
    if uncommitted > 0 {
        unproven.push(Unproven::EntropyUncommitted(uncommitted));
    }
    if setup.shuffle.seed_given {
        unproven.push(Unproven::SeedGiven);
    } else if setup.shuffle.deal_group.as_ref().is_some_and(|group| group.tournament_seed.is_empty()) {
        unproven.push(Unproven::DealSeed);
    }
}

/// The expected header: the record without its steps and without what only they determine.
fn expected_header(record: &wire::Record, setup: &GameSetup) -> wire::Record {
    let mut expected = wire::Record { steps: Vec::new(), ..record.clone() };
    expected.game = game_id(setup.options).to_owned();
    expected.options = Some(setup.options.into());
    expected.shuffle = Some(setup.shuffle.clone());
    expected.views = if setup.started() { setup.views(record.viewer.as_ref()) } else { Vec::new() };
    correct_times(record, &mut expected);
    expected
}

/// Expected timestamps of the header, from the times of the steps: of the three, the majority decides when
/// the table was created.
fn correct_times(record: &wire::Record, expected: &mut wire::Record) {
    let started = record.steps.iter().find(|step| {
        step.told.iter().any(|telling| {
            matches!(&telling.told, Some(Told::Table(table)) if matches!(table.event, Some(Event::Started(_))))
        })
    });
    let (started, ended) = (started.map(|step| step.after_ms), record.steps.last().map(|step| step.after_ms));
    // The largest time stands for all later ones.
    let is_known = |after: &u32| *after != u32::MAX;
    let made = |moment: Option<prost_types::Timestamp>, after: Option<u32>| {
        Some(ms(moment?) - i128::from(after.filter(is_known)?))
    };
    let votes =
        [made(record.create_time, Some(0)), made(record.start_time, started), made(record.end_time, ended)];
    let count = |vote: &Option<i128>| votes.iter().filter(|other| *other == vote).count();
    // Ties: the first.
    let base = votes.iter().filter(|vote| vote.is_some()).rev().max_by_key(|vote| count(vote));
    let Some(Some(base)) = base else { return };
    let moment = |after: Option<u32>, recorded| {
        let after = after?;
        if is_known(&after) { Some(timestamp(base + i128::from(after))) } else { recorded }
    };
    expected.create_time = moment(Some(0), record.create_time);
    expected.start_time = moment(started, record.start_time);
    expected.end_time = moment(ended, record.end_time);
}

fn ms(moment: prost_types::Timestamp) -> i128 {
    i128::from(moment.seconds) * 1000 + i128::from(moment.nanos / 1_000_000)
}

fn timestamp(ms: i128) -> prost_types::Timestamp {
    let seconds = i64::try_from(ms.div_euclid(1000)).unwrap_or(i64::MAX);
    // Below 10^9.
    prost_types::Timestamp { seconds, nanos: (ms.rem_euclid(1000) * 1_000_000) as i32 }
}
