//! Search for open seats of a game.

use std::time::Duration;

use futures_util::{Stream, stream};
use parlor_sdk::{Client, Error, JoinTable, Reason, SeatToken, wire};

use crate::context::Context;
use crate::errors::Failure;

/// Poll interval while no seat is free. The server pushes table events to the owner of a table only.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// State of the search.
struct Search<'a> {
    game: String,
    name: String,
    client: &'a Client,
    context: &'a Context,
    /// Set once the waiting notice was printed.
    notified: bool,
}

/// Stream of joined open seats of a game. Waits while there are none; ends only with an error.
pub(super) fn join_open_seats<'a>(
    game: String,
    name: String,
    client: &'a Client,
    context: &'a Context,
) -> impl Stream<Item = Result<SeatToken, Failure>> + 'a {
    let search = Some(Search { game, name, client, context, notified: false });
    Box::pin(stream::unfold(search, async |search| {
        let mut search = search?;
        match search.next().await {
            Ok(token) => Some((Ok(token), Some(search))),
            Err(error) => Some((Err(error.into()), None)),
        }
    }))
}

impl Search<'_> {
    async fn next(&mut self) -> Result<SeatToken, Error> {
        loop {
            match self.try_join().await {
                Ok(Some(token)) => {
                    self.notified = false;
                    return Ok(token);
                }
                Ok(None) => self.notify_waiting(),
                // Temporary errors, such as an unreachable server, are retried.
                Err(error) if error.is_temporary() => self.notify_waiting(),
                Err(error) => return Err(error),
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Joins an open seat, if there is one.
    async fn try_join(&self) -> Result<Option<SeatToken>, Error> {
        let mut request = wire::ListTablesRequest {
            game: self.game.clone(),
            states: vec![wire::TableState::Open.into()],
            open_seat: true,
            ..Default::default()
        };
        loop {
            let page = self.client.list_tables(request.clone()).await?;
            for table in page.tables {
                let join = JoinTable::new(table.table_id).display_name(&self.name);
                match self.client.join_table(join).await {
                    Ok(joined) => return Ok(Some(joined.token)),
                    Err(error) if seat_was_taken(&error) => {}
                    Err(error) => return Err(error),
                }
            }
            // A page may be empty and have a next one.
            if page.next_page_token.is_empty() {
                return Ok(None);
            }
            request.page_token = page.next_page_token;
        }
    }

    fn notify_waiting(&mut self) {
        if !self.notified {
            let game = &self.game;
            self.context.progress(&self.context.localise(
                || format!("Waiting for a free seat at a table of {game} ..."),
                || format!("Warte auf einen freien Sitz an einem Tisch {game} ..."),
            ));
            self.notified = true;
        }
    }
}

/// Reports whether the seat was lost between listing and joining.
fn seat_was_taken(error: &Error) -> bool {
    matches!(
        error.reason(),
        Reason::NoSeatFree
            | Reason::SeatTaken
            | Reason::TableStarted
            | Reason::TableOver
            | Reason::TableNotFound
    )
}
