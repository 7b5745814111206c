//! Tables: the calls of the TableService.

use futures_util::Stream;

use super::call::call;
use super::pages::pages;
use super::requests::Resigning;
use super::{Client, FollowedTables, JoinTable, Joined, NewTable, TableFilter};
use crate::error::Reason;
use crate::random::{fresh_bytes, request_id};
use crate::{Error, SeatToken, SpectatorToken, wire};

/// The table of a reply, which must have one.
fn table(table: Option<wire::Table>) -> Result<wire::Table, Error> {
    table.ok_or_else(|| Error::lacks("table"))
}

/// The request id that was given, or a new one.
fn fill_in(id: &mut String) -> Result<(), Error> {
    if id.is_empty() {
        *id = request_id()?;
    }
    Ok(())
}

impl Client {
    /// Makes a table. It starts by itself when all its seats are filled.
    pub async fn create_table(&self, table: impl Into<NewTable>) -> Result<wire::Table, Error> {
        let mut request = table.into().request;
        fill_in(&mut request.request_id)?;
        let reply = call!(self, tables.create_table, request)?;
        self::table(reply.table)
    }

    /// Takes a seat of a table that has not started.
    pub async fn join_table(&self, join: impl Into<JoinTable>) -> Result<Joined, Error> {
        let JoinTable { mut request, adds_entropy } = join.into();
        fill_in(&mut request.request_id)?;
        if adds_entropy {
            request.entropy = fresh_bytes::<32>()?.to_vec();
        }
        let reply = call!(self, tables.join_table, request)?;
        Joined::from_wire(reply)
    }

    /// A table as it is now: a public one, or one that you own.
    pub async fn table(&self, table_id: impl Into<String>) -> Result<wire::Table, Error> {
        self.table_with_token(table_id, "").await
    }

    /// A private table as it is now, with the token of a seat or of a spectator.
    pub async fn table_with_token(
        &self,
        table_id: impl Into<String>,
        token: &str,
    ) -> Result<wire::Table, Error> {
        let request = wire::GetTableRequest { table_id: table_id.into(), token: token.into() };
        let reply = call!(self, tables.get_table, request)?;
        self::table(reply.table)
    }

    /// Some tables, newest first, and where to go on: one page. [`tables`](Client::tables) turns the pages by itself.
    pub async fn list_tables(
        &self,
        request: wire::ListTablesRequest,
    ) -> Result<wire::ListTablesResponse, Error> {
        call!(self, tables.list_tables, request)
    }

    /// All tables that pass the filter, newest first. Pages are fetched one at a time, as they are needed.
    ///
    /// ```no_run
    /// # async fn example(client: parlor_sdk::Client) -> Result<(), parlor_sdk::Error> {
    /// use futures_util::TryStreamExt;
    /// use parlor_sdk::TableFilter;
    ///
    /// let mut tables = std::pin::pin!(client.tables(TableFilter::new().game("gap").open_seat()));
    /// if let Some(table) = tables.try_next().await? {
    ///     println!("{} has an open seat", table.table_id);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn tables<F: Into<TableFilter>>(
        &self,
        filter: F,
    ) -> impl Stream<Item = Result<wire::Table, Error>> + Send + use<F> {
        let client = self.clone();
        pages(filter.into().request, move |request: wire::ListTablesRequest, page_token| {
            let client = client.clone();
            async move {
                let reply = client.list_tables(wire::ListTablesRequest { page_token, ..request }).await?;
                Ok((reply.tables, reply.next_page_token))
            }
        })
    }

    /// Follows the life of all tables that you own: from now on, or from the news after a number, 0 being the first.
    ///
    /// Returns once the server has said from where on; nothing that happens after that is missed.
    pub async fn follow_tables(&self, after: Option<u64>) -> Result<FollowedTables, Error> {
        FollowedTables::open(self.tables.clone(), self.limits, after).await
    }

    /// Lets a house bot take over a seat for good. For the owner.
    pub async fn replace_seat(
        &self,
        table_id: impl Into<String>,
        seat: u32,
        house_bot: impl Into<String>,
    ) -> Result<wire::Table, Error> {
        let request = wire::ReplaceSeatRequest {
            request_id: request_id()?,
            table_id: table_id.into(),
            seat,
            house_bot: Some(wire::HouseBotSeat { name: house_bot.into() }),
        };
        let reply = call!(self, tables.replace_seat, request)?;
        self::table(reply.table)
    }

    /// Makes a new table with the same settings and players as one that is over. For the owner, without a token, and
    /// for a player, with the token of the old seat.
    ///
    /// A table has one rematch: whoever asks after the first gets that table. Players take their seats in it with
    /// [`JoinTable::previous_token`].
    pub async fn rematch(
        &self,
        table_id: impl Into<String>,
        player: Option<&SeatToken>,
        rotate_seats: bool,
    ) -> Result<wire::Table, Error> {
        let request = wire::RematchRequest {
            request_id: request_id()?,
            table_id: table_id.into(),
            seat_token: player.map(|token| token.reveal().into()).unwrap_or_default(),
            rotate_seats,
        };
        let reply = call!(self, tables.rematch, request)?;
        self::table(reply.table)
    }

    /// Gives a seat up: it plays defaults to the end and ranks last. Doing it twice is harmless.
    pub async fn resign_seat(&self, seat: impl Into<Resigning>) -> Result<(), Error> {
        let request = wire::ResignSeatRequest::from(seat.into());
        call!(self, tables.resign_seat, request)?;
        Ok(())
    }

    /// Ends a table without a score, with a note for the players. For the owner. Doing it twice is harmless.
    pub async fn cancel_table(
        &self,
        table_id: impl Into<String>,
        note: impl Into<String>,
    ) -> Result<wire::Table, Error> {
        let request = wire::CancelTableRequest { table_id: table_id.into(), note: note.into() };
        let reply = call!(self, tables.cancel_table, request)?;
        self::table(reply.table)
    }

    /// Deletes a table that is over, with all that is stored of it. For the owner.
    pub async fn delete_table(&self, table_id: impl Into<String>) -> Result<(), Error> {
        let request = wire::DeleteTableRequest { table_id: table_id.into() };
        let called = call!(counted self, tables.delete_table, request);
        match called.reply {
            // A try before this one did it, and its answer was lost.
            Err(error) if error.reason() == Reason::TableNotFound && called.tries > 1 => Ok(()),
            reply => reply.map(|_| ()),
        }
    }

    /// A token for spectators of a private table, which can also end all that were given before. For the owner.
    pub async fn create_spectator_token(
        &self,
        table_id: impl Into<String>,
        revoke_earlier: bool,
    ) -> Result<SpectatorToken, Error> {
        let request = wire::CreateSpectatorTokenRequest { table_id: table_id.into(), revoke_earlier };
        Ok(SpectatorToken::new(call!(self, tables.create_spectator_token, request)?.spectator_token))
    }

    /// A new token for a seat; the one before ends. For the owner.
    pub async fn reissue_seat_token(
        &self,
        table_id: impl Into<String>,
        seat: u32,
    ) -> Result<SeatToken, Error> {
        let request =
            wire::ReissueSeatTokenRequest { request_id: request_id()?, table_id: table_id.into(), seat };
        Ok(SeatToken::new(call!(self, tables.reissue_seat_token, request)?.seat_token))
    }
}
