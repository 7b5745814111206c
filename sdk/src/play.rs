//! Runs bots on seats of a server: one seat, or many over one stream.

use std::future::pending;

use futures_util::stream::{self, Stream, StreamExt};
use tokio::task::{AbortHandle, JoinError};

use crate::error::Reason;
use crate::{AsyncBot, Error, Event, GameEnd, GameStart, Seat, SeatToken, Session, wire};

/// A table that a bot played to its end.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct FinishedTable {
    /// The table, with its result.
    pub table: wire::Table,
    /// Seat of the bot.
    pub seat: u32,
}

impl FinishedTable {
    /// Result of the table.
    #[must_use]
    pub fn result(&self) -> Option<&wire::TableResult> {
        self.table.result.as_ref()
    }

    /// Result of the bot's seat; `None` unless the game was played out.
    #[must_use]
    pub fn own_result(&self) -> Option<&wire::SeatResult> {
        self.result()?.seats.iter().find(|seat| seat.seat == self.seat)
    }
}

/// Outcome of one of many seats.
#[derive(Debug)]
#[non_exhaustive]
pub struct SeatOutcome {
    /// Token of the seat, reusable after an error.
    pub token: SeatToken,
    /// The finished table, or the error that ended play.
    pub outcome: Result<FinishedTable, Error>,
}

impl Seat {
    /// Lets a bot play the seat until the table is over.
    ///
    /// A decision that the clock made instead is no error: the bot sees the update and plays on.
    ///
    /// # Errors
    ///
    /// An answer that the rules refuse, an error of the bot, or a permanent error of the stream.
    pub async fn play(&mut self, bot: &mut (impl AsyncBot + ?Sized)) -> Result<FinishedTable, Error> {
        let finished = self.play_until(bot, pending(), OnRefusal::Fail).await?;
        Ok(finished.unwrap_or_else(|| self.finished()))
    }

    /// [`play`](Seat::play) until `stop` completes, which gives `None`. A decision already given to the bot
    /// is answered first.
    pub(crate) async fn play_until(
        &mut self,
        bot: &mut (impl AsyncBot + ?Sized),
        stop: impl Future<Output = ()>,
        on_refusal: OnRefusal,
    ) -> Result<Option<FinishedTable>, Error> {
        let mut stop = std::pin::pin!(stop);
        let (table_id, seat) = (self.table_id().to_owned(), self.number());
        let table = self.table().clone();
        let start = GameStart::new(&table, seat);
        bot.start(&start).await;
        loop {
            let event = tokio::select! {
                biased;
                () = &mut stop => return Ok(None),
                event = self.next() => event?,
            };
            let Some(event) = event else { break };
            match event {
                Event::Update(update) => bot.observe(&update).await,
                Event::Decision(decision) => {
                    let choice = bot.decide(&decision).await.map_err(|error| Error::from_bot(&*error))?;
                    match decision.choose(choice).await {
                        Ok(_) => {}
                        Err(error) if is_too_late(&error) => {
                            tracing::debug!(%error, table_id, seat, "the answer came too late");
                        }
                        Err(error) if on_refusal == OnRefusal::PlayDefault && is_refused(&error) => {
                            tracing::warn!(%error, table_id, seat, "refused; playing the default action");
                            match decision.choose_default().await {
                                Err(error) if !is_too_late(&error) => return Err(error),
                                _ => {}
                            }
                        }
                        Err(error) => return Err(error),
                    }
                }
                Event::Snapshot(_) | Event::Presence(_) | Event::TimeLeft(_) => {}
            }
            // Only a rematch can follow the end, and that is up to the owner of the seat.
            if self.result().is_some() {
                break;
            }
        }
        let finished = self.finish().await;
        bot.end(&GameEnd { start, result: self.result() }).await;
        Ok(Some(finished))
    }

    /// The table once the seat's events have ended. An agent's table that ended while the agent was disconnected has its
    /// result fetched from the server.
    pub async fn finish(&mut self) -> FinishedTable {
        if self.result().is_none() {
            self.refresh_table().await;
        }
        self.finished()
    }

    fn finished(&self) -> FinishedTable {
        FinishedTable { table: self.table().clone(), seat: self.number() }
    }
}

/// Handling of an answer that the rules refuse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OnRefusal {
    /// Fails: the bot has a bug, and its operator should see it.
    Fail,
    /// Plays the default action at once, so the other players need not wait for the clock.
    PlayDefault,
}

/// True if the answer was refused for its content.
fn is_refused(error: &Error) -> bool {
    matches!(error.reason(), Reason::IllegalAction | Reason::InvalidField)
}

/// True if the game had moved on before the answer arrived.
fn is_too_late(error: &Error) -> bool {
    matches!(error.reason(), Reason::DecidedOtherwise | Reason::TableOver)
}

impl Session {
    /// Attaches a seat and lets a bot play it until the table is over.
    pub async fn play(
        &self,
        token: impl Into<SeatToken>,
        bot: &mut (impl AsyncBot + ?Sized),
    ) -> Result<FinishedTable, Error> {
        self.seat(token).wants(bot.wants()).await?.play(bot).await
    }

    /// Plays many seats over this session's stream, each with its own bot, at most `capacity` at once. Yields
    /// outcomes as seats finish. Each seat runs on its own task, so all cores are used; dropping the stream
    /// leaves all seats.
    ///
    /// ```no_run
    /// # async fn example(session: parlor_sdk::Session, tokens: Vec<parlor_sdk::SeatToken>) {
    /// use futures_util::StreamExt;
    /// use parlor_sdk::{Choice, Question};
    ///
    /// let first = || |_: &Question| Choice::Index(0);
    /// let mut played = std::pin::pin!(session.play_all(tokens, 1000, first));
    /// while let Some(played) = played.next().await {
    ///     println!("{:?}", played.outcome.map(|finished| finished.own_result().cloned()));
    /// }
    /// # }
    /// ```
    pub fn play_all<T, B, M>(
        &self,
        tokens: T,
        capacity: usize,
        make_bot: M,
    ) -> impl Stream<Item = SeatOutcome> + Send + use<T, B, M>
    where
        T: IntoIterator<Item = SeatToken, IntoIter: Send>,
        B: AsyncBot + 'static,
        M: FnMut() -> B + Send,
    {
        self.play_stream(stream::iter(tokens), capacity, make_bot)
    }

    /// [`play_all`](Session::play_all) for a stream of seats: the next token is pulled when there is
    /// capacity.
    pub fn play_stream<S, B, M>(
        &self,
        tokens: S,
        capacity: usize,
        mut make_bot: M,
    ) -> impl Stream<Item = SeatOutcome> + Send + use<S, B, M>
    where
        S: Stream<Item = SeatToken> + Send,
        B: AsyncBot + 'static,
        M: FnMut() -> B + Send,
    {
        let session = self.clone();
        let tables = tokens.map(move |token| {
            let (session, mut bot, seat) = (session.clone(), make_bot(), token.clone());
            async move {
                let playing = tokio::spawn(async move { session.play(seat, &mut bot).await });
                let _leave = AbortOnDrop(playing.abort_handle());
                let outcome = playing.await.unwrap_or_else(|error| Err(bot_panic(error)));
                SeatOutcome { token, outcome }
            }
        });
        tables.buffer_unordered(capacity.max(1))
    }
}

/// Aborts a task when dropped.
struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Error for the panic of a bot, which affects its own seat only.
pub(crate) fn bot_panic(error: JoinError) -> Error {
    Error::new(Reason::Bot, format!("the bot panicked: {error}"))
}
