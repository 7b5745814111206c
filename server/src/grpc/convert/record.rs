//! Records of finished tables, complete or from the view of one viewer; and the requests for them.

use parlor_engine::{Audience, Lang, Seat, Seats, Viewer};
use parlor_host::TournamentId;
use parlor_host::table::{
    Decided, Holder, Record, RecordedEvent, RecordedShuffle, SeatSummary, Setup, State, Step, TableSummary,
};
use parlor_host::{TableFilter, ViewerCredential, agent_tag, tournament_tag};
use parlor_proto::convert::field::{InvalidField, optional};
use parlor_proto::convert::{card, seat_number, seat_numbers};
use parlor_proto::v1;
use parlor_proto::v1::record_seat::Occupant;
use parlor_proto::v1::record_telling::Audience as To;
use prost_types::Timestamp;

use super::ToMessage;
use super::list::{TablePage, game_filter, page_token};
use super::saturating_u32;
use super::stream_item::game_view;
use super::table::timestamp;
use super::table_requests::viewer_credential;
use super::texts::{result_texts, table_event_text, text, wanted_language};
use super::validate::page_size;
use crate::grpc::Failure;
use crate::identity::{ApiKeyError, Caller, ServerKey};

/// The version of the record format.
const RECORD_VERSION: u32 = 1;

/// Page sizes of ListRecords.
const DEFAULT_PAGE_SIZE: u32 = 100;
const MAX_PAGE_SIZE: u32 = 1000;

/// Maximum length of the agent name in a filter, in bytes.
const MAX_AGENT_NAME_BYTES: usize = 64;

/// The last second of a timestamp: the end of the year 9999.
const LAST_SECOND: i64 = 253_402_300_799;

/// The record of a table. With a viewer, only the events and decisions that this viewer saw. With a language, the texts of
/// both.
#[must_use]
pub fn record(record: &Record, viewer: Option<Viewer>, texts: Option<Lang>) -> v1::Record {
    let Record { summary, views, steps } = record;
    let TableSummary {
        setup,
        state: _,
        seats,
        shuffle,
        ending,
        started,
        ended,
        length: _,
        numbers: _,
        spectators: _,
        waiting_for: _,
        invites: _,
        rematch: _,
        reveal_before: _,
    } = summary;
    let Setup {
        table,
        owner: _,
        options,
        rules_version,
        seats: _,
        time,
        visibility: _,
        chance: _,
        metadata: _,
        created,
        fill: _,
        rematch_of,
        request: _,
    } = &**setup;
    let encoder = StepEncoder { created: *created, timed: time.decision > 0, viewer, texts };
    let players = seats.len();
    let slot = viewer.map(|viewer| viewer.seat().map_or(players, Seat::index));
    let views = views.iter().enumerate().filter(|(index, _)| slot.is_none_or(|slot| slot == *index));
    v1::Record {
        version: RECORD_VERSION,
        table_id: table.to_string(),
        game: options.game().info().id.to_owned(),
        rules_version: *rules_version,
        options: Some((*options).into()),
        seats: record_seats(seats),
        clock: Some(time.to_message()),
        shuffle: Some(shuffle.to_message()),
        create_time: Some(timestamp(*created)),
        start_time: started.map(timestamp),
        end_time: ended.map(timestamp),
        viewer: viewer.map(Into::into),
        shuffles: if viewer.is_some() { Vec::new() } else { shuffles(record) },
        views: views.map(|(_, view)| *game_view(view.clone(), shuffle.given)).collect(),
        steps: steps.iter().filter_map(|step| encoder.step(step)).collect(),
        result: ending.as_ref().map(ToMessage::to_message),
        rematch_of: rematch_of.map(|table| table.to_string()).unwrap_or_default(),
        result_texts: ending
            .as_ref()
            .zip(texts)
            .map(|(ending, lang)| result_texts(ending, lang, viewer.unwrap_or(Viewer::Spectator))),
        // `sign_record` adds it once the record is whole.
        signature: None,
    }
}

/// Adds the proof of the deal to the record of a tournament table: the commitment and the seed of the
/// tournament.
pub fn prove_deal(record: &mut v1::Record, proof: Option<&v1::TournamentShuffle>) {
    let group = record.shuffle.as_mut().and_then(|shuffle| shuffle.deal_group.as_mut());
    if let (Some(group), Some(proof)) = (group, proof) {
        group.tournament_commitment.clone_from(&proof.commitment);
        group.tournament_seed.clone_from(&proof.server_seed);
    }
}

/// The summary of a record in a list.
#[must_use]
pub fn record_summary(summary: &TableSummary) -> v1::RecordSummary {
    let setup = &*summary.setup;
    let shuffle: v1::FairShuffle = summary.shuffle.to_message();
    v1::RecordSummary {
        table_id: setup.table.to_string(),
        game: setup.options.game().info().id.to_owned(),
        seats: record_seats(&summary.seats),
        create_time: Some(timestamp(setup.created)),
        end_time: summary.ended.map(timestamp),
        result: summary.ending.as_ref().map(ToMessage::to_message),
        deal_group: shuffle.deal_group,
    }
}

fn record_seats(seats: &[SeatSummary]) -> Vec<v1::RecordSeat> {
    let occupant = |holder: &Holder| match holder {
        Holder::Vacant => None,
        // The user id is visible to the owner only.
        Holder::Player { name, .. } => {
            Some(Occupant::Player(v1::RecordPlayer { display_name: name.clone() }))
        }
        Holder::House { bot } => Some(Occupant::HouseBot(v1::HouseBotSeat { name: bot.clone() })),
        Holder::Agent { name, version } => {
            Some(Occupant::Agent(v1::AgentSeat { name: name.clone(), version: version.clone() }))
        }
    };
    let seats = (0..).zip(seats);
    seats.map(|(seat, summary)| v1::RecordSeat { seat, occupant: occupant(&summary.holder) }).collect()
}

fn shuffles(record: &Record) -> Vec<v1::RecordShuffle> {
    let game = record.summary.setup.options.game();
    let steps = (0..).zip(&record.steps);
    let shuffles = steps.flat_map(|(index, step)| step.shuffled.iter().map(move |shuffle| (index, shuffle)));
    let message = |(step, RecordedShuffle { name, codes }): (u32, &RecordedShuffle)| v1::RecordShuffle {
        round: name.round.into(),
        purpose: v1::ShufflePurpose::from(name.purpose).into(),
        count: name.count.into(),
        step,
        // Every code is a card of the game.
        cards: codes.iter().filter_map(|code| card(game, *code)).collect(),
    };
    shuffles.map(message).collect()
}

/// Encodes the steps of a record.
#[derive(Clone, Copy)]
struct StepEncoder {
    /// Creation of the table, in milliseconds since 1970. Steps are relative to it.
    created: u64,
    /// True if the table has a clock.
    timed: bool,
    /// Limits the record to the view of this viewer.
    viewer: Option<Viewer>,
    /// Adds texts in this language.
    texts: Option<Lang>,
}

impl StepEncoder {
    /// A step; `None` if it is invisible to the viewer, because the number of hidden steps would leak
    /// information.
    fn step(self, step: &Step) -> Option<v1::RecordStep> {
        if self.viewer.is_some_and(|viewer| !step.is_visible_to(viewer)) {
            return None;
        }
        // Shuffles are encoded apart from the steps, by `shuffles`.
        let Step { at, events, decided, asked, shuffled: _ } = step;
        let told = events.iter().filter(|(to, _)| self.viewer.is_none_or(|viewer| to.includes(viewer)));
        let decided = Seat::all(decided.len() as u8).zip(decided);
        let is_visible = |seat: Seat| self.viewer.is_none_or(|viewer| viewer.seat() == Some(seat));
        // A viewer is not shown the defaults of its own seat, for which it was not asked.
        let is_shown = |decided: &Decided| self.viewer.is_none() || decided.was_asked();
        let decided = decided.filter(|(seat, _)| is_visible(*seat));
        let asked: Seats = asked.iter().filter(|seat| is_visible(*seat)).collect();
        Some(v1::RecordStep {
            after_ms: saturating_u32(at.saturating_sub(self.created)),
            told: told.map(|(to, event)| self.event(*to, event)).collect(),
            decided: decided
                .filter_map(|(seat, made)| Some(self.decision(seat, made.filter(is_shown)?)))
                .collect(),
            asked: seat_numbers(asked),
        })
    }

    fn event(self, to: Audience, event: &RecordedEvent) -> v1::RecordTelling {
        let audience = match to {
            // The record of a viewer does not reveal the other recipients.
            _ if self.viewer.is_some() => None,
            Audience::Everyone => Some(To::Everyone(v1::RecordEveryone {})),
            Audience::Only(seat) => Some(To::Only(seat_number(seat))),
            Audience::AllBut(seats) => Some(To::AllBut(v1::RecordSeats { seats: seat_numbers(seats) })),
        };
        let told = match event {
            RecordedEvent::Game(event) => v1::record_telling::Told::Game((*event).into()),
            RecordedEvent::Table(event) => v1::record_telling::Told::Table(event.to_message()),
        };
        // What a single seat was told addresses that seat.
        let reader = match (self.viewer, to) {
            (Some(viewer), _) => viewer,
            (None, Audience::Only(seat)) => Viewer::Seat(seat),
            (None, Audience::Everyone | Audience::AllBut(_)) => Viewer::Spectator,
        };
        let text = self.texts.map(|lang| event_text(event, lang, reader));
        v1::RecordTelling { audience, told: Some(told), text }
    }

    fn decision(self, seat: Seat, decided: Decided) -> v1::RecordDecision {
        let Decided { id, index, action, by, used, reported, bank, number: _ } = decided;
        v1::RecordDecision {
            seat: seat_number(seat),
            decision_id: saturating_u32(id.0),
            index,
            action: Some(action.into()),
            by: by.to_message().into(),
            think_ms: used,
            reported_ms: reported,
            bank_left_ms: self.timed.then_some(bank),
            text: self.texts.map(|lang| text(&action, lang, self.viewer.unwrap_or(Viewer::Spectator))),
        }
    }
}

/// The text of an event of a record for a reader.
pub(super) fn event_text(event: &RecordedEvent, lang: Lang, reader: Viewer) -> v1::RichText {
    match event {
        RecordedEvent::Game(event) => text(event, lang, reader),
        RecordedEvent::Table(event) => table_event_text(event, lang, reader),
    }
}

/// The credential, the viewer and the language of a GetRecord.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GetRecordParams {
    /// The credential of the caller.
    pub credential: ViewerCredential,
    /// The viewer of the record; `None` for the fullest that the caller may see.
    pub viewer: Option<Viewer>,
    /// The language of the texts; `None` for no texts.
    pub texts: Option<Lang>,
}

/// Decodes GetRecord.
pub fn get_record(
    wire: v1::GetRecordRequest,
    key: &ServerKey,
    caller: Option<&Caller>,
) -> Result<GetRecordParams, Failure> {
    let v1::GetRecordRequest { table_id, token, viewer, texts } = wire;
    let credential = viewer_credential(&table_id, &token, key, caller)?;
    Ok(GetRecordParams {
        credential,
        viewer: optional(viewer, "viewer")?,
        texts: wanted_language(texts, "texts")?,
    })
}

/// Decodes ListRecords of this caller.
pub fn list_records(wire: v1::ListRecordsRequest, caller: Option<&Caller>) -> Result<TablePage, Failure> {
    let v1::ListRecordsRequest {
        game,
        agent,
        tournament_id,
        created_since,
        created_before,
        owned,
        page_size: size,
        page_token: token,
    } = wire;
    if owned && caller.is_none() {
        return Err(ApiKeyError::Missing.into());
    }
    let mut tags = Vec::new();
    if !tournament_id.is_empty() {
        tags.push(tournament_tag(super::id::tournament_id(&tournament_id, "tournament_id")?));
    }
    if !agent.is_empty() {
        tags.push(agent_tag(agent_filter(&agent)?));
    }
    let size = page_size(size, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)?;
    let filter = TableFilter {
        game: game_filter(&game)?,
        states: State::ALL.into_iter().filter(|state| state.is_over()).collect(),
        caller: caller.map(|caller| caller.owner().clone()),
        owned,
        tags,
        since: created_since.map(|time| millis(time, "created_since")).transpose()?,
        before: created_before.map(|time| millis(time, "created_before")).transpose()?,
        ..TableFilter::default()
    };
    Ok(TablePage { filter, after: page_token(&token)?, size })
}

/// Decodes ExportRecords: the tournament, and the viewer of the records.
pub fn export_records(
    wire: v1::ExportRecordsRequest,
) -> Result<(TournamentId, Option<Viewer>), InvalidField> {
    let v1::ExportRecordsRequest { tournament_id, viewer } = wire;
    Ok((super::id::tournament_id(&tournament_id, "tournament_id")?, optional(viewer, "viewer")?))
}

/// Validates the agent name of a filter.
fn agent_filter(name: &str) -> Result<&str, InvalidField> {
    if name.len() > MAX_AGENT_NAME_BYTES
        || name.contains(|letter: char| letter.is_control() || letter.is_whitespace())
    {
        let why = format!("must be the name of an agent: up to {MAX_AGENT_NAME_BYTES} bytes, without spaces");
        return Err(InvalidField::at("agent", why));
    }
    Ok(name)
}

/// Milliseconds since 1970, rounded up. Times before 1970 become 0: all tables are later.
fn millis(time: Timestamp, field: &str) -> Result<u64, InvalidField> {
    let is_valid = (0..1_000_000_000).contains(&time.nanos) && time.seconds <= LAST_SECOND;
    if !is_valid {
        return Err(InvalidField::at(
            field,
            "must be a time before the year 10000, with nanos of 0 to 999999999",
        ));
    }
    let seconds = u64::try_from(time.seconds).ok();
    Ok(seconds.map_or(0, |seconds| seconds * 1000 + (time.nanos as u64).div_ceil(1_000_000)))
}
