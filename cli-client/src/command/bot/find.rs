//! Free seats of a game, one after another.

use std::time::Duration;

use futures_util::{Stream, stream};
use parlor_sdk::{Client, Error, JoinTable, Reason, SeatToken, wire};

use crate::context::Context;
use crate::errors::Failure;

/// How often the server is asked while no seat is free: it tells the owner of a table by itself, and nobody else.
const PAUSE: Duration = Duration::from_secs(1);

/// Where the search is.
struct Search<'a> {
    game: String,
    name: String,
    client: &'a Client,
    context: &'a Context,
    /// Whether somebody was told that it waits.
    told: bool,
}

/// Takes free seats of a game, and waits while there are none. Ends with an error only.
pub(super) fn tables<'a>(
    game: String,
    name: String,
    client: &'a Client,
    context: &'a Context,
) -> impl Stream<Item = Result<SeatToken, Failure>> + 'a {
    let search = Some(Search { game, name, client, context, told: false });
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
            match self.look().await {
                Ok(Some(token)) => {
                    self.told = false;
                    return Ok(token);
                }
                Ok(None) => self.tell(),
                // A server that is away comes back, and tables with it.
                Err(error) if error.is_temporary() => self.tell(),
                Err(error) => return Err(error),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Takes a free seat, if there is one.
    async fn look(&self) -> Result<Option<SeatToken>, Error> {
        let request = wire::ListTablesRequest {
            game: self.game.clone(),
            states: vec![wire::TableState::Open.into()],
            open_seat: true,
            ..Default::default()
        };
        for table in self.client.list_tables(request).await?.tables {
            let join = JoinTable::new(table.table_id).display_name(&self.name);
            match self.client.join_table(join).await {
                Ok(joined) => return Ok(Some(joined.token)),
                Err(error) if somebody_was_faster(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    fn tell(&mut self) {
        if !self.told {
            let game = &self.game;
            self.context.progress(&self.context.say(
                || format!("Waiting for a free seat at a table of {game} ..."),
                || format!("Warte auf einen freien Sitz an einem Tisch {game} ..."),
            ));
            self.told = true;
        }
    }
}

/// Whether the seat was gone between two calls.
fn somebody_was_faster(error: &Error) -> bool {
    matches!(
        error.reason(),
        Reason::NoSeatFree
            | Reason::SeatTaken
            | Reason::TableStarted
            | Reason::TableOver
            | Reason::TableNotFound
    )
}
