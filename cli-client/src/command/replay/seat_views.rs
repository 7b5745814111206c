//! Views of all seats of a full record, for a replay that shows all hands.

use parlor_engine::{AnyView, Viewer};
use parlor_sdk::record::{RecordError, Replay, viewers};
use parlor_sdk::wire;

/// For each update of a viewer, in order: the views of all seats at that time. Empty if the record does not have them.
pub(super) fn by_update(record: &wire::Record, viewer: Viewer) -> Result<Vec<Vec<AnyView>>, RecordError> {
    let seats: Vec<Viewer> = viewers(record).into_iter().filter(|viewer| viewer.seat().is_some()).collect();
    // The record of one viewer has one hand, which the replay shows anyway.
    if seats.len() < record.seats.len() {
        return Ok(Vec::new());
    }
    let mut seats = seats
        .into_iter()
        .map(|seat| Ok(Replay::new(record, seat)?.peekable()))
        .collect::<Result<Vec<_>, RecordError>>()?;
    let mut views: Vec<Option<AnyView>> = vec![None; seats.len()];
    let mut by_update = Vec::new();
    for shown in Replay::new(record, viewer)? {
        let shown = shown?.step;
        for (replay, view) in seats.iter_mut().zip(&mut views) {
            while let Some(step) =
                replay.next_if(|step| step.as_ref().map_or(true, |step| step.step <= shown))
            {
                let update = step?.update;
                *view = update
                    .wire()
                    .view
                    .clone()
                    .and_then(|known| AnyView::try_from(*known).ok())
                    .or(view.take());
            }
        }
        by_update.push(views.iter().flatten().cloned().collect());
    }
    Ok(by_update)
}
