//! Tables: the calls of the TableService.

use futures_util::Stream;

use super::call::call;
use super::join_table::JoinEntropy;
use super::pages::pages;
use super::requests::ResignTarget;
use super::{Client, JoinTable, JoinedSeat, NewTable, TableFeed, TableFilter};
use crate::entropy::{self, SeatPromise};
use crate::error::Reason;
use crate::random::request_id;
use crate::{Error, SeatToken, SpectatorToken, wire};

/// The mandatory table of a reply.
fn table(table: Option<wire::Table>) -> Result<wire::Table, Error> {
    table.ok_or_else(|| Error::missing_field("table"))
}

/// Keeps the given request id, or generates one.
fn ensure_request_id(id: &mut String) -> Result<(), Error> {
    if id.is_empty() {
        *id = request_id()?;
    }
    Ok(())
}

impl Client {
    /// Creates a table. It starts when all its seats are filled.
    pub async fn create_table(&self, table: impl Into<NewTable>) -> Result<wire::Table, Error> {
        let mut request = table.into().request;
        ensure_request_id(&mut request.request_id)?;
        let reply = call!(self, tables.create_table, request)?;
        self::table(reply.table)
    }

    /// Joins a table that has not started.
    pub async fn join_table(&self, join: impl Into<JoinTable>) -> Result<JoinedSeat, Error> {
        let JoinTable { mut request, entropy } = join.into();
        ensure_request_id(&mut request.request_id)?;
        let entropy = match entropy {
            JoinEntropy::Random => entropy::draw()?,
            JoinEntropy::Given(entropy) => entropy,
            JoinEntropy::AsRequested => Vec::new(),
        };
        if !entropy.is_empty() {
            if request.table_id.is_empty() {
                // The commitment names the table, which an invite does, too.
                request.table_id = self.table_with_token("", request.invite.as_str()).await?.table_id;
            }
            request.entropy_commitment = entropy::table_commitment(&request.table_id, &entropy)?;
        }
        let reply = call!(self, tables.join_table, request)?;
        let promise = SeatPromise::new(&reply, entropy.clone()).filter(|promise| promise.is_due(&reply));
        if let Some(promise) = promise {
            self.entropy.insert(&reply.seat_token, promise);
        }
        JoinedSeat::from_wire(reply, entropy)
    }

    /// Reveals the entropy that a seat committed to, while its table is starting. A [`Session`](crate::Session) of the
    /// client that has joined does this by itself. Idempotent.
    pub async fn reveal_entropy(
        &self,
        token: impl Into<SeatToken>,
        entropy: impl Into<Vec<u8>>,
    ) -> Result<(), Error> {
        let seat_token = token.into().reveal().to_owned();
        let request = wire::RevealEntropyRequest { seat_token, entropy: entropy.into() };
        call!(self, play.reveal_entropy, request).map(|_| ())
    }

    /// Reveals the entropy of a seat that has joined, if it committed to some and the table shows what it has shown
    /// before.
    pub(crate) async fn reveal_kept(&self, token: String, shuffle: wire::FairShuffle) {
        let entropy = match self.entropy.to_reveal(&token, &shuffle) {
            Ok(Some(entropy)) => entropy,
            Ok(None) => return,
            Err(error) => return tracing::error!(%error, "entropy withheld"),
        };
        match self.reveal_entropy(token.as_str(), entropy).await {
            Ok(()) => self.entropy.remove(&token),
            // It is tried again with the next snapshot.
            Err(error) => tracing::warn!(%error, "entropy not revealed"),
        }
    }

    /// Current state of a public table, or of one that you own.
    pub async fn table(&self, table_id: impl Into<String>) -> Result<wire::Table, Error> {
        self.table_with_token(table_id, "").await
    }

    /// Current state of a private table, with a seat token, a spectator token or an invite.
    pub async fn table_with_token(
        &self,
        table_id: impl Into<String>,
        token: &str,
    ) -> Result<wire::Table, Error> {
        let request =
            wire::GetTableRequest { table_id: table_id.into(), token: token.into(), ..Default::default() };
        let reply = call!(self, tables.get_table, request)?;
        self::table(reply.table)
    }

    /// One page of tables, newest first, with the token of the next page. [`tables`](Client::tables) pages
    /// automatically.
    pub async fn list_tables(
        &self,
        request: wire::ListTablesRequest,
    ) -> Result<wire::ListTablesResponse, Error> {
        call!(self, tables.list_tables, request)
    }

    /// All tables that match the filter, newest first. Pages are fetched on demand.
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

    /// Follows all tables that you own: from now on, or from the news after a cursor, with 0 for the
    /// beginning.
    ///
    /// Returns once the server has confirmed the starting cursor; no later news is missed.
    pub async fn follow_tables(&self, after: Option<u64>) -> Result<TableFeed, Error> {
        TableFeed::open(self.tables.clone(), self.limits, after).await
    }

    /// Replaces a seat's player by a house bot, permanently. For the owner.
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

    /// Creates a table with the same settings and players as a finished one. For the owner, without a token,
    /// or a player, with the token of the old seat.
    ///
    /// A table has one rematch: later calls return the same table. Players join it with
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

    /// Resigns a seat: it plays default actions to the end and ranks last. Idempotent.
    pub async fn resign_seat(&self, seat: impl Into<ResignTarget>) -> Result<(), Error> {
        let request = wire::ResignSeatRequest::from(seat.into());
        call!(self, tables.resign_seat, request)?;
        Ok(())
    }

    /// Cancels a table without a score, with a note for the players. For the owner. Idempotent.
    pub async fn cancel_table(
        &self,
        table_id: impl Into<String>,
        note: impl Into<String>,
    ) -> Result<wire::Table, Error> {
        let request = wire::CancelTableRequest { table_id: table_id.into(), note: note.into() };
        let reply = call!(self, tables.cancel_table, request)?;
        self::table(reply.table)
    }

    /// Deletes a finished table and all its stored data. For the owner.
    pub async fn delete_table(&self, table_id: impl Into<String>) -> Result<(), Error> {
        let request = wire::DeleteTableRequest { table_id: table_id.into() };
        let called = call!(counted self, tables.delete_table, request);
        match called.reply {
            // An earlier attempt succeeded and its reply was lost.
            Err(error) if error.reason() == Reason::TableNotFound && called.attempts > 1 => Ok(()),
            reply => reply.map(|_| ()),
        }
    }

    /// Creates a spectator token for a private table, optionally revoking all earlier ones. For the owner.
    pub async fn create_spectator_token(
        &self,
        table_id: impl Into<String>,
        revoke_earlier: bool,
    ) -> Result<SpectatorToken, Error> {
        let request = wire::CreateSpectatorTokenRequest { table_id: table_id.into(), revoke_earlier };
        Ok(SpectatorToken::new(call!(self, tables.create_spectator_token, request)?.spectator_token))
    }

    /// Issues a new token for a seat and revokes the old one. For the owner.
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
