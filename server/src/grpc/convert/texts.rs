//! Texts of table events, updates, decisions, snapshots and results, and boards, in the language that a client wants.

use parlor_engine::{AnyAction, AnyView, Lang, Localise, Standing, Viewer};
use parlor_host::table::{Decided, Ending, Finished, SeatResult, TableEvent};
use parlor_host::{DecisionPrompt, Snapshot, ViewerUpdate};
use parlor_proto::convert::field::{InvalidField, one_of};
use parlor_proto::encode::{Encode, Prost, ToWire};
use parlor_proto::table_text::{DecidedText, SeatResultText, TableEndText, TableEventText};
use parlor_proto::v1;

use super::ToMessage;

/// Decodes the wanted language of texts: unset means none.
pub(super) fn wanted_language(value: i32, field: &str) -> Result<Option<Lang>, InvalidField> {
    one_of(value, field, |language| match language {
        v1::Language::Unspecified => Some(None),
        known => Some(Some(known.into())),
    })
}

/// The text of a value for a reader.
pub(crate) fn text(value: &impl Localise, lang: Lang, reader: Viewer) -> v1::RichText {
    value.rich_text(lang, reader).into()
}

/// The text of a table event for a reader.
pub(crate) fn table_event_text(event: &TableEvent, lang: Lang, reader: Viewer) -> v1::RichText {
    let sentence = match event {
        TableEvent::Joined { seat, name } => TableEventText::SeatJoined { seat: *seat, name },
        TableEvent::Starting { shuffle: _ } => TableEventText::Starting,
        TableEvent::Started { shuffle: _ } => TableEventText::Started,
        TableEvent::TimedOut { seat, times: _ } => TableEventText::ClockRanOut { seat: *seat },
        TableEvent::Forfeited { seat, finish } => {
            TableEventText::SeatForfeited { seat: *seat, why: finish.to_message() }
        }
        TableEvent::Replaced { seat, bot } => TableEventText::SeatReplaced { seat: *seat, bot },
        TableEvent::Ended { ending, shuffle: _ } => TableEventText::Over(end_text(ending)),
        TableEvent::Rematch { table } => TableEventText::Rematch { table_id: table.to_string() },
    };
    text(&sentence, lang, reader)
}

fn end_text(ending: &Ending) -> TableEndText<'_> {
    let (reason, note) = match ending {
        Ending::Finished(_) => (v1::EndReason::PlayedOut, ""),
        Ending::Cancelled { note } => (v1::EndReason::Cancelled, note.as_str()),
        Ending::Expired => (v1::EndReason::Expired, ""),
        Ending::Faulted { reason: _ } => (v1::EndReason::ServerFault, ""),
    };
    TableEndText { reason, note }
}

/// The texts of the result of a table for a reader.
pub(crate) fn result_texts(ending: &Ending, lang: Lang, reader: Viewer) -> v1::ResultTexts {
    let seat = |result: &SeatResult| {
        let SeatResult { seat, points, place, finish, time_outs: _, think_time: _, away_time: _ } = *result;
        let standing = Standing { seat, points, place };
        text(&SeatResultText { standing, finish: finish.to_message() }, lang, reader)
    };
    let seats: &[SeatResult] = match ending {
        Ending::Finished(Finished { seats }) => seats,
        Ending::Cancelled { .. } | Ending::Expired | Ending::Faulted { .. } => &[],
    };
    v1::ResultTexts {
        reason: Some(text(&end_text(ending), lang, reader)),
        seats: seats.iter().map(seat).collect(),
    }
}

/// The text of a decision for the player who made it.
pub(crate) fn decided_text(decided: &Decided, lang: Lang, reader: Viewer) -> v1::RichText {
    let Decided { action, by, .. } = *decided;
    text(&DecidedText { action, by: by.to_message() }, lang, reader)
}

/// The board of a view. Its labels are English unless texts are wanted in another language.
pub(crate) fn board(view: &AnyView, actions: &[AnyAction], lang: Option<Lang>) -> v1::Board {
    let lang = lang.unwrap_or_default();
    (view.board(actions, lang), lang).into()
}

/// The texts of a stream item in one language. They are built only when they are encoded.
pub(super) struct TextsOf<'a, T>(pub(super) &'a T, pub(super) Lang);

impl ToWire for TextsOf<'_, ViewerUpdate> {
    type Wire = v1::UpdateTexts;

    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let TextsOf(ViewerUpdate { update, viewer, view, .. }, lang) = *self;
        let ending = update.table_events.iter().find_map(|event| match event {
            TableEvent::Ended { ending, .. } => Some(ending),
            _ => None,
        });
        Prost(v1::UpdateTexts {
            table_events: update
                .table_events
                .iter()
                .map(|event| table_event_text(event, lang, *viewer))
                .collect(),
            decided: update.decided.as_ref().map(|decided| decided_text(decided, lang, *viewer)),
            events: update.events.iter().map(|event| text(event, lang, *viewer)).collect(),
            view: view.as_ref().map(|view| text(view, lang, *viewer)),
            result: ending.map(|ending| result_texts(ending, lang, *viewer)),
        })
    }
}

impl ToWire for TextsOf<'_, DecisionPrompt> {
    type Wire = v1::DecisionTexts;

    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let TextsOf(DecisionPrompt { view, legal, .. }, lang) = *self;
        let reader = view.as_ref().map_or(Viewer::Spectator, AnyView::viewer);
        Prost(v1::DecisionTexts {
            question: view.as_ref().map(|view| view.question(lang).into()),
            actions: legal.iter().map(|action| action_text(view.as_ref(), action, lang)).collect(),
            view: view.as_ref().map(|view| text(view, lang, reader)),
        })
    }
}

/// The text of an action in the position of the view.
fn action_text(view: Option<&AnyView>, action: &AnyAction, lang: Lang) -> v1::RichText {
    view.map_or_else(|| text(action, lang, Viewer::Spectator), |view| view.action_text(action, lang).into())
}

/// The texts of a snapshot.
pub(super) fn snapshot_texts(snapshot: &Snapshot, lang: Lang) -> v1::SnapshotTexts {
    let Snapshot { viewer, summary, view, .. } = snapshot;
    v1::SnapshotTexts {
        view: view.as_ref().map(|view| text(view, lang, *viewer)),
        result: summary.ending.as_ref().map(|ending| result_texts(ending, lang, *viewer)),
    }
}

/// The board of a stream item with a view. It is built only when it is encoded.
pub(super) struct BoardOf<'a> {
    pub(super) view: &'a AnyView,
    pub(super) actions: &'a [AnyAction],
    pub(super) lang: Option<Lang>,
}

impl ToWire for BoardOf<'_> {
    type Wire = v1::Board;

    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let BoardOf { view, actions, lang } = *self;
        Prost(board(view, actions, lang))
    }
}
