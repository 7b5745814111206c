//! Past updates of a table, for the log of a game that is resumed or watched from its middle.

use std::pin::Pin;

use futures_util::{Stream, StreamExt};
use parlor_sdk::{Bookmark, Client, Error, Event, Seat, SeatToken, Spectator, wire};

/// Content of past updates for the log: their events.
const HISTORY_WANTS: wire::Wants = wire::Wants {
    events: Some(true),
    update_views: Some(false),
    decision_views: Some(false),
    legal_actions: Some(false),
    rematch: Some(false),
    time_left: Some(false),
    texts: 0,
    board: None,
};

/// Fetches the updates up to the one with this number, for the log of a game that is resumed or watched from its middle.
pub(crate) type History = Box<dyn FnOnce(u32) -> HistoryFuture + Send>;

/// The updates, oldest first; empty if the server no longer has them all.
pub(crate) type HistoryFuture = Pin<Box<dyn Future<Output = Vec<wire::Update>> + Send>>;

/// The past updates of a seat.
pub(crate) fn seat_history(client: &Client, token: &SeatToken, seat: &Seat) -> History {
    let from = Bookmark { number: 0, ..seat.bookmark() };
    let attaching = client.session().seat(token.clone()).wants(HISTORY_WANTS).resume(from);
    Box::new(|last| Box::pin(async move { read_history(attaching.await.ok(), last).await }))
}

/// The past updates of a spectator.
pub(crate) fn spectator_history(client: &Client, token: Option<&str>, spectator: &Spectator) -> History {
    let from = Bookmark { number: 0, ..spectator.bookmark() };
    let session = client.session();
    let attaching = match token {
        Some(token) => session.watch_private(token),
        None => session.watch(spectator.table_id()),
    };
    let attaching = attaching.wants(HISTORY_WANTS).resume(from);
    Box::new(|last| Box::pin(async move { read_history(attaching.await.ok(), last).await }))
}

/// Reads the updates up to a number; none if the server no longer has them all. A log without its beginning is no reason to
/// end a game, so errors are not reported.
async fn read_history(
    events: Option<impl Stream<Item = Result<Event, Error>> + Unpin>,
    last: u32,
) -> Vec<wire::Update> {
    let Some(mut events) = events else { return Vec::new() };
    let mut updates = Vec::new();
    while let Some(Ok(event)) = events.next().await {
        match event {
            Event::Update(update) if update.wire().number <= last => {
                let number = update.wire().number;
                updates.push(update.wire().clone());
                if number == last {
                    return updates;
                }
            }
            Event::Update(_) | Event::Snapshot(_) => break,
            _ => {}
        }
    }
    Vec::new()
}
