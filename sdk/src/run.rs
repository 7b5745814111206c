//! Bots on seats of a server: one, or a thousand over one stream.

use std::future::pending;

use futures_util::stream::{self, Stream, StreamExt};
use tokio::task::{AbortHandle, JoinError};

use crate::error::Reason;
use crate::{AsyncBot, End, Error, Event, Seat, SeatToken, Session, Start, wire};

/// A table that a bot has played to its end.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Finished {
    /// The table, with its result.
    pub table: wire::Table,
    /// The seat of the bot.
    pub seat: u32,
}

impl Finished {
    /// How the table ended.
    #[must_use]
    pub fn result(&self) -> Option<&wire::TableResult> {
        self.table.result.as_ref()
    }

    /// What the bot reached; none unless the game was played to its end.
    #[must_use]
    pub fn own(&self) -> Option<&wire::SeatResult> {
        self.result()?.seats.iter().find(|seat| seat.seat == self.seat)
    }
}

/// What became of one of many seats.
#[derive(Debug)]
#[non_exhaustive]
pub struct Played {
    /// The token of the seat, which can be used again after an error.
    pub token: SeatToken,
    /// The table as it ended, or what went wrong.
    pub outcome: Result<Finished, Error>,
}

impl Seat {
    /// Lets a bot play the seat until the table is over.
    ///
    /// A decision that the clock took from the bot is no error: the bot is told of it, and plays on. An answer that the
    /// rules refuse is one, and so is an error of the bot itself.
    pub async fn play(&mut self, bot: &mut (impl AsyncBot + ?Sized)) -> Result<Finished, Error> {
        let finished = self.play_until(bot, pending(), Refused::IsAnError).await?;
        Ok(finished.unwrap_or_else(|| self.finished()))
    }

    /// The same, until somebody says stop: none then. A decision that the bot has begun to think about is answered first.
    pub(crate) async fn play_until(
        &mut self,
        bot: &mut (impl AsyncBot + ?Sized),
        stop: impl Future<Output = ()>,
        refused: Refused,
    ) -> Result<Option<Finished>, Error> {
        let mut stop = std::pin::pin!(stop);
        let (table_id, game) = (self.table_id().to_owned(), self.table().game.clone());
        let (seat, players) = (self.number(), self.table().seats.len());
        let players = u32::try_from(players).unwrap_or(u32::MAX);
        let start = Start { table_id: &table_id, game: &game, seat, players };
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
                    let choice = bot.decide(&decision).await.map_err(|error| Error::of_bot(&*error))?;
                    match decision.choose(choice).await {
                        Ok(_) => {}
                        Err(error) if is_too_late(&error) => {
                            tracing::debug!(%error, table_id, seat, "the bot answered too late");
                        }
                        Err(error) if refused == Refused::PlaysTheDefault && is_refused(&error) => {
                            tracing::warn!(%error, table_id, seat, "the bot was refused: the default is played");
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
            // Only a rematch can follow the end, and that is for whoever has the seat to deal with.
            if self.result().is_some() {
                break;
            }
        }
        if self.result().is_none() {
            self.look_up().await;
        }
        bot.end(&End { start, result: self.result() }).await;
        Ok(Some(self.finished()))
    }

    fn finished(&self) -> Finished {
        Finished { table: self.table().clone(), seat: self.number() }
    }
}

/// What an answer that the rules refuse leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    /// The bot is wrong, and whoever runs it learns so.
    IsAnError,
    /// The game goes on for all the others at the table: what the clock would do is done at once.
    PlaysTheDefault,
}

/// Whether an answer was not accepted because of what it says.
fn is_refused(error: &Error) -> bool {
    matches!(error.reason(), Reason::IllegalAction | Reason::InvalidField)
}

/// Whether an answer was not accepted because the game had gone on without it.
fn is_too_late(error: &Error) -> bool {
    matches!(error.reason(), Reason::DecidedOtherwise | Reason::TableOver)
}

impl Session {
    /// Takes a seat and lets a bot play it until the table is over.
    pub async fn play(
        &self,
        token: impl Into<SeatToken>,
        bot: &mut (impl AsyncBot + ?Sized),
    ) -> Result<Finished, Error> {
        self.seat(token).wants(bot.wants()).await?.play(bot).await
    }

    /// Plays many seats over this session's stream, each with a bot of its own, at most `capacity` of them at once.
    /// Gives what became of each, in the order in which they end. Each seat is played by a task of its own, so that all
    /// cores work; dropping the stream leaves all seats.
    ///
    /// ```no_run
    /// # async fn example(session: parlor_sdk::Session, tokens: Vec<parlor_sdk::SeatToken>) {
    /// use futures_util::StreamExt;
    /// use parlor_sdk::{Choice, Question};
    ///
    /// let first = || |_: &Question| Choice::Index(0);
    /// let mut played = std::pin::pin!(session.play_all(tokens, 1000, first));
    /// while let Some(played) = played.next().await {
    ///     println!("{:?}", played.outcome.map(|finished| finished.own().cloned()));
    /// }
    /// # }
    /// ```
    pub fn play_all<T, B, M>(
        &self,
        tokens: T,
        capacity: usize,
        make_bot: M,
    ) -> impl Stream<Item = Played> + Send + use<T, B, M>
    where
        T: IntoIterator<Item = SeatToken, IntoIter: Send>,
        B: AsyncBot + 'static,
        M: FnMut() -> B + Send,
    {
        self.play_stream(stream::iter(tokens), capacity, make_bot)
    }

    /// The same for seats that come one after another: the next is taken from the stream when there is room for it.
    pub fn play_stream<S, B, M>(
        &self,
        tokens: S,
        capacity: usize,
        mut make_bot: M,
    ) -> impl Stream<Item = Played> + Send + use<S, B, M>
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
                let outcome = playing.await.unwrap_or_else(|error| Err(panicked(error)));
                Played { token, outcome }
            }
        });
        tables.buffer_unordered(capacity.max(1))
    }
}

/// Ends a task when nobody waits for it any more.
struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A bot that panicked takes its seat with it, and nobody else's.
pub(crate) fn panicked(error: JoinError) -> Error {
    Error::new(Reason::Bot, format!("the bot panicked: {error}"))
}
