//! Records: a table that is over, as anyone may read it, or as one viewer saw it.

use parlor_engine::{Audience, Seat, Seats, Viewer};
use parlor_proto::convert::field::{InvalidField, number, optional};
use parlor_proto::convert::{card, seat_number, seat_numbers};
use parlor_proto::v1;
use parlor_proto::v1::record_seat::Occupant;
use parlor_proto::v1::record_telling::Audience as To;
use prost_types::Timestamp;

use super::ToMessage;
use super::id::tournament_id;
use super::list::{Listing, game, page_token};
use super::number as bounded;
use super::stream_item::game_view;
use super::table::timestamp;
use super::table_requests::looking;
use crate::grpc::Failure;
use crate::identity::{ApiKeyError, Caller, ServerKey};
use parlor_host::TournamentId;
use parlor_host::table::{Decided, Holder, Record, RecordedEvent, SeatSummary, State, Step, TableSummary};
use parlor_host::{TableFilter, ViewerCredential, agent_tag, tournament_tag};

/// The version of the form of records.
const VERSION: u32 = 1;

/// How many records a page has if the caller does not say, and at most.
const USUAL_PAGE: u32 = 100;
const LARGEST_PAGE: u32 = 1000;

/// The longest name of an agent, in bytes.
const AGENT: usize = 64;

/// The last second of the year 9999, which is the last one that a timestamp can have.
const LAST_SECOND: i64 = 253_402_300_799;

/// The record of a table, or of one of its viewers: what that viewer was told, and nothing else.
#[must_use]
pub fn record(record: &Record, viewer: Option<Viewer>) -> v1::Record {
    let Record { summary: look, views, steps } = record;
    let setup = &*look.setup;
    let made = Made { created: setup.created, timed: setup.time.decision > 0, viewer };
    let players = look.seats.len();
    let slot = viewer.map(|viewer| viewer.seat().map_or(players, Seat::index));
    let views = views.iter().enumerate().filter(|(place, _)| slot.is_none_or(|slot| slot == *place));
    v1::Record {
        version: VERSION,
        table_id: setup.table.to_string(),
        game: setup.options.game().info().id.to_owned(),
        rules_version: setup.rules_version,
        options: Some(setup.options.into()),
        seats: record_seats(&look.seats),
        clock: Some(setup.time.to_message()),
        shuffle: Some(look.shuffle.to_message()),
        create_time: Some(timestamp(setup.created)),
        start_time: look.started.map(timestamp),
        end_time: look.ended.map(timestamp),
        viewer: viewer.map(Into::into),
        shuffles: if viewer.is_some() { Vec::new() } else { shuffles(record) },
        views: views.map(|(_, view)| *game_view(view.clone(), look.shuffle.given)).collect(),
        steps: steps.iter().filter_map(|step| made.step(step)).collect(),
        result: look.ending.as_ref().map(ToMessage::to_message),
        rematch_of: setup.rematch_of.map(|table| table.to_string()).unwrap_or_default(),
    }
}

/// Adds to the record of a table of a tournament what proves its deal, if that is shown: what the tournament was bound to,
/// and its seed.
pub fn prove_deal(record: &mut v1::Record, proof: Option<&v1::TournamentShuffle>) {
    let group = record.shuffle.as_mut().and_then(|shuffle| shuffle.deal_group.as_mut());
    if let (Some(group), Some(proof)) = (group, proof) {
        group.tournament_commitment.clone_from(&proof.commitment);
        group.tournament_seed.clone_from(&proof.server_seed);
    }
}

/// What a list says of the record of a table.
#[must_use]
pub fn record_summary(look: &TableSummary) -> v1::RecordSummary {
    let setup = &*look.setup;
    let shuffle: v1::FairShuffle = look.shuffle.to_message();
    v1::RecordSummary {
        table_id: setup.table.to_string(),
        game: setup.options.game().info().id.to_owned(),
        seats: record_seats(&look.seats),
        create_time: Some(timestamp(setup.created)),
        end_time: look.ended.map(timestamp),
        result: look.ending.as_ref().map(ToMessage::to_message),
        deal_group: shuffle.deal_group,
    }
}

fn record_seats(seats: &[SeatSummary]) -> Vec<v1::RecordSeat> {
    let occupant = |holder: &Holder| match holder {
        Holder::Vacant => None,
        // The owner's own name for the user is nobody else's business.
        Holder::Player { name, .. } => {
            Some(Occupant::Player(v1::RecordPlayer { display_name: name.clone() }))
        }
        Holder::House { bot } => Some(Occupant::HouseBot(v1::HouseBotSeat { name: bot.clone() })),
        Holder::Agent { name, version } => {
            Some(Occupant::Agent(v1::AgentSeat { name: name.clone(), version: version.clone() }))
        }
    };
    let seats = (0..).zip(seats);
    seats.map(|(seat, look)| v1::RecordSeat { seat, occupant: occupant(&look.holder) }).collect()
}

fn shuffles(record: &Record) -> Vec<v1::RecordShuffle> {
    let game = record.summary.setup.options.game();
    let steps = (0..).zip(&record.steps);
    let shuffled = steps.flat_map(|(step, happened)| happened.shuffled.iter().map(move |one| (step, one)));
    let shuffle = |(step, shuffled): (u32, &parlor_host::table::RecordedShuffle)| v1::RecordShuffle {
        round: shuffled.name.round.into(),
        purpose: v1::ShufflePurpose::from(shuffled.name.purpose).into(),
        count: shuffled.name.count.into(),
        step,
        // What was shuffled were cards of the game.
        cards: shuffled.codes.iter().filter_map(|code| card(game, *code)).collect(),
    };
    shuffled.map(shuffle).collect()
}

/// How steps are told: since when, with clocks or without, and to whom.
#[derive(Clone, Copy)]
struct Made {
    created: u64,
    timed: bool,
    viewer: Option<Viewer>,
}

impl Made {
    /// A step; nothing if it does not concern the viewer. Whoever could count the others would learn of secrets.
    fn step(self, step: &Step) -> Option<v1::RecordStep> {
        if self.viewer.is_some_and(|viewer| !step.is_visible_to(viewer)) {
            return None;
        }
        let told = step.events.iter().filter(|(to, _)| self.viewer.is_none_or(|viewer| to.includes(viewer)));
        let decided = Seat::all(step.decided.len() as u8).zip(&step.decided);
        let is_shown = |seat: Seat| self.viewer.is_none_or(|viewer| viewer.seat() == Some(seat));
        let decided = decided.filter(|(seat, _)| is_shown(*seat));
        let asked: Seats = step.asked.iter().filter(|seat| is_shown(*seat)).collect();
        Some(v1::RecordStep {
            after_ms: step.at.wrapping_sub(self.created) as i64,
            told: told.map(|(to, told)| self.telling(*to, told)).collect(),
            decided: decided.filter_map(|(seat, made)| made.map(|made| self.decision(seat, made))).collect(),
            asked: seat_numbers(asked),
        })
    }

    fn telling(self, to: Audience, told: &RecordedEvent) -> v1::RecordTelling {
        let audience = match to {
            // A viewer was told, and does not learn who else was.
            _ if self.viewer.is_some() => None,
            Audience::Everyone => Some(To::Everyone(v1::RecordEveryone {})),
            Audience::Only(seat) => Some(To::Only(seat_number(seat))),
            Audience::AllBut(seats) => Some(To::AllBut(v1::RecordSeats { seats: seat_numbers(seats) })),
        };
        let told = match told {
            RecordedEvent::Game(event) => v1::record_telling::Told::Game((*event).into()),
            RecordedEvent::Table(event) => v1::record_telling::Told::Table(event.to_message()),
        };
        v1::RecordTelling { audience, told: Some(told) }
    }

    fn decision(self, seat: Seat, made: Decided) -> v1::RecordDecision {
        v1::RecordDecision {
            seat: seat_number(seat),
            decision_id: bounded(made.id.0),
            index: made.index,
            action: Some(made.action.into()),
            by: made.by.to_message().into(),
            think_ms: made.used,
            reported_ms: made.reported,
            bank_left_ms: self.timed.then_some(made.bank),
        }
    }
}

/// PendingCommand for a record: who asks, and whose record.
pub fn get_record(
    wire: v1::GetRecordRequest,
    key: &ServerKey,
    caller: Option<&Caller>,
) -> Result<(ViewerCredential, Option<Viewer>), Failure> {
    let who = looking(&wire.table_id, &wire.token, key, caller)?;
    Ok((who, optional(wire.viewer, "viewer")?))
}

/// Listing records for this caller.
pub fn list_records(wire: v1::ListRecordsRequest, caller: Option<&Caller>) -> Result<Listing, Failure> {
    if wire.owned && caller.is_none() {
        return Err(ApiKeyError::Missing.into());
    }
    let mut tags = Vec::new();
    if !wire.tournament_id.is_empty() {
        tags.push(tournament_tag(tournament_id(&wire.tournament_id, "tournament_id")?));
    }
    if !wire.agent.is_empty() {
        tags.push(agent_tag(agent(&wire.agent)?));
    }
    let size: u32 = match wire.page_size {
        0 => USUAL_PAGE,
        size => number(size, 1..=LARGEST_PAGE, "page_size")?,
    };
    let filter = TableFilter {
        game: game(&wire.game)?,
        states: State::ALL.into_iter().filter(|state| state.is_over()).collect(),
        caller: caller.map(|caller| caller.owner().clone()),
        owned: wire.owned,
        tags,
        since: wire.created_since.map(|time| millis(time, "created_since")).transpose()?,
        before: wire.created_before.map(|time| millis(time, "created_before")).transpose()?,
        ..TableFilter::default()
    };
    Ok(Listing { filter, after: page_token(&wire.page_token)?, size: size as usize })
}

/// PendingCommand for all records of a tournament, and whose.
pub fn export_records(
    wire: v1::ExportRecordsRequest,
) -> Result<(TournamentId, Option<Viewer>), InvalidField> {
    Ok((tournament_id(&wire.tournament_id, "tournament_id")?, optional(wire.viewer, "viewer")?))
}

/// The name of an agent, as it can be.
fn agent(name: &str) -> Result<&str, InvalidField> {
    if name.len() > AGENT || name.contains(|letter: char| letter.is_control() || letter.is_whitespace()) {
        let why = format!("must be the name of an agent: up to {AGENT} bytes, without spaces");
        return Err(InvalidField::at("agent", why));
    }
    Ok(name)
}

/// The first millisecond since 1970 that is not before this moment.
fn millis(time: Timestamp, field: &str) -> Result<u64, InvalidField> {
    let is_good = (0..1_000_000_000).contains(&time.nanos) && time.seconds <= LAST_SECOND;
    if !is_good {
        return Err(InvalidField::at(
            field,
            "must be a time before the year 10000, with nanos of 0 to 999999999",
        ));
    }
    let seconds = u64::try_from(time.seconds).ok();
    // What was before 1970 was before every table.
    Ok(seconds.map_or(0, |seconds| seconds * 1000 + (time.nanos as u64).div_ceil(1_000_000)))
}
