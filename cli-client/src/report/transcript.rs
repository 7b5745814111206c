//! A game as text: what a spectator saw, line by line.

use parlor_engine::{Lang, Viewer};
use parlor_sdk::record::Replay;
use parlor_sdk::wire;

use crate::table::{self, Snapshot, TableMessage, ViewerState};

/// The events of a game, line by line, with the result at its end. Empty if the record cannot be replayed.
#[must_use]
pub fn transcript(record: &wire::Record, lang: Lang) -> Vec<String> {
    try_transcript(record, lang).unwrap_or_default()
}

fn try_transcript(record: &wire::Record, lang: Lang) -> Option<Vec<String>> {
    let viewer = Viewer::Spectator;
    let replay = Replay::new(record, viewer).ok()?;
    let mut table = table::decode_table(replay.table()).ok()?;
    // It comes with the last step.
    table.result = None;
    let snapshot = Snapshot { viewer, table, view: None, presence: Vec::new(), time_left: Vec::new() };
    let mut state = ViewerState::new(lang);
    state.apply(TableMessage::Snapshot(Box::new(snapshot)));
    let mut lines = Vec::new();
    for step in replay {
        let update = table::decode_update(step.ok()?.update.wire().clone()).ok()?;
        let entries = state.apply(TableMessage::Update(Box::new(update)));
        lines.extend(entries.into_iter().map(|entry| entry.text).filter(|text| !text.is_empty()));
    }
    Some(lines)
}
