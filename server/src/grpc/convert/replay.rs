//! Replays of finished games: the request, and the steps with their texts and boards.

use parlor_engine::{AnyView, Audience, Board, Lang, Seat, Viewer};
use parlor_host::ViewerCredential;
use parlor_host::table::{Decided, Record, RecordedEvent, ReplayStep};
use parlor_proto::convert::field::optional;
use parlor_proto::convert::seat_number;
use parlor_proto::v1;

use super::enums::language;
use super::record::event_text;
use super::table_requests::viewer_credential;
use super::texts::{result_texts, text};
use super::{ToMessage, saturating_u32};
use crate::grpc::Failure;
use crate::identity::{Caller, ServerKey};

/// The parameters of a Replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayParams {
    /// The credential of the caller.
    pub credential: ViewerCredential,
    /// The viewer; `None` for all that the caller may see.
    pub viewer: Option<Viewer>,
    /// The language of the texts.
    pub lang: Lang,
    /// The number of the first step.
    pub first_step: u32,
}

/// Decodes Replay.
pub fn replay(
    wire: v1::ReplayRequest,
    key: &ServerKey,
    caller: Option<&Caller>,
) -> Result<ReplayParams, Failure> {
    let v1::ReplayRequest { table_id, token, viewer, language: lang, first_step } = wire;
    let credential = viewer_credential(&table_id, &token, key, caller)?;
    Ok(ReplayParams {
        credential,
        viewer: optional(viewer, "viewer")?,
        lang: language(lang, "language")?,
        first_step,
    })
}

/// A step of a replay of this record, for one viewer or with all hands.
#[must_use]
pub fn replay_step(step: ReplayStep, record: &Record, viewer: Option<Viewer>, lang: Lang) -> v1::ReplayStep {
    let ReplayStep { number, at, events, decided, views, is_last } = step;
    let reader = viewer.unwrap_or(Viewer::Spectator);
    let event = |(to, event): &(Audience, RecordedEvent)| match (viewer, *to) {
        (None, Audience::Only(seat)) => private_text(seat, event, lang),
        _ => event_text(event, lang, reader),
    };
    let ending = record.summary.ending.as_ref().filter(|_| is_last);
    v1::ReplayStep {
        number,
        after_ms: saturating_u32(at.saturating_sub(record.summary.setup.created)),
        texts: events.iter().map(event).collect(),
        decisions: decided.into_iter().map(|(seat, decided)| decision(seat, decided, lang, reader)).collect(),
        board: board(&views, lang).map(|board| (board, lang).into()),
        result: ending.map(|ending| result_texts(ending, lang, reader)),
    }
}

/// The text of an event that a single seat was told, for a reader of all hands: "Seat 2: Your hand: blue 3."
fn private_text(seat: Seat, event: &RecordedEvent, lang: Lang) -> v1::RichText {
    let mut whole = text(&seat, lang, Viewer::Spectator);
    let mut told = event_text(event, lang, Viewer::Seat(seat));
    match told.parts.first_mut().filter(|part| part.subject.is_none()) {
        Some(plain) => plain.text.insert_str(0, ": "),
        None => whole.parts.push(v1::TextPart { text: ": ".to_owned(), subject: None }),
    }
    whole.parts.append(&mut told.parts);
    whole
}

fn decision(seat: Seat, decided: Decided, lang: Lang, reader: Viewer) -> v1::ReplayDecision {
    let Decided { id, index, action, by, used, reported: _, bank: _, number: _ } = decided;
    v1::ReplayDecision {
        seat: seat_number(seat),
        decision_id: saturating_u32(id.0),
        index,
        action: Some(text(&action, lang, reader)),
        by: by.to_message().into(),
        think_ms: used,
    }
}

/// All that the viewers of a position see, on one board.
fn board(views: &[AnyView], lang: Lang) -> Option<Board> {
    let mut boards = views.iter().map(|view| view.board(&[], lang));
    let mut merged = boards.next()?;
    boards.for_each(|board| merged.merge(board));
    Some(merged)
}
