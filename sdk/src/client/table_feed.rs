//! Follows all tables of an owner over a stream that reconnects.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;

use futures_util::Stream;
use futures_util::stream::unfold;
use parlor_proto::v1::table_service_client::TableServiceClient;
use tokio::time::{sleep, timeout};
use tonic::{Request, Streaming};

use super::call::CallLimits;
use crate::connect::Transport;
use crate::retry::Backoff;
use crate::{Error, wire};

/// News of all tables that the caller owns, each once and in order, made by
/// [`follow_tables`](crate::Client::follow_tables).
///
/// A broken connection or a server restart only causes a delay. Nothing is fetched ahead: at most one message
/// of the server is buffered.
pub struct TableFeed {
    rpc: TableServiceClient<Transport>,
    limits: CallLimits,
    /// The open stream, if any.
    stream: Option<Streaming<wire::FollowTablesResponse>>,
    /// News of the last message not yet returned.
    buffered: VecDeque<wire::TableNews>,
    /// Number of the last news received, buffered ones included.
    last_received: Option<u64>,
    /// Number of the last news returned, or the starting cursor.
    number: u64,
    backoff: Backoff,
    over: bool,
}

impl TableFeed {
    pub(super) async fn open(
        rpc: TableServiceClient<Transport>,
        limits: CallLimits,
        after: Option<u64>,
    ) -> Result<TableFeed, Error> {
        let mut followed = TableFeed {
            rpc,
            limits,
            stream: None,
            buffered: VecDeque::new(),
            last_received: after,
            number: after.unwrap_or_default(),
            backoff: Backoff::default(),
            over: false,
        };
        // Opening is bounded by the call deadline: a longer outage is an error here, and a delay later on.
        let mut last = None;
        let opened = timeout(limits.deadline, async {
            while let Err(error) = followed.receive().await {
                followed.back_off(&error).await?;
                last = Some(error);
            }
            Ok(())
        });
        match opened.await {
            Ok(opened) => opened?,
            Err(_) => return Err(last.unwrap_or_else(|| Error::deadline(limits.deadline))),
        }
        if after.is_none() {
            followed.number = followed
                .buffered
                .front()
                .map_or(followed.last_received, |news| news.number.checked_sub(1))
                .unwrap_or_default();
        }
        Ok(followed)
    }

    /// Cursor after the last news returned. Pass it to [`follow_tables`](crate::Client::follow_tables) to
    /// resume, in another process or on another day.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Waits for the next news, through reconnects. An error is permanent and the last item.
    pub async fn next(&mut self) -> Result<wire::TableNews, Error> {
        loop {
            if let Some(news) = self.buffered.pop_front() {
                self.number = news.number;
                return Ok(news);
            }
            if let Err(error) = self.receive().await {
                self.back_off(&error).await?;
            }
        }
    }

    /// Converts into a `Stream`, which ends after an error.
    pub fn into_stream(self) -> Pin<Box<dyn Stream<Item = Result<wire::TableNews, Error>> + Send>> {
        Box::pin(unfold(self, |mut followed| async move {
            if followed.over {
                return None;
            }
            let news = followed.next().await;
            followed.over = news.is_err();
            Some((news, followed))
        }))
    }

    /// Waits for one message, over a new stream if none is open.
    async fn receive(&mut self) -> Result<(), Error> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let request = Request::new(wire::FollowTablesRequest {
                    after: self.last_received,
                    ..Default::default()
                });
                let opening = timeout(self.limits.attempt, self.rpc.follow_tables(request));
                let opened = opening.await.map_err(|_| Error::deadline(self.limits.attempt))?;
                self.stream.insert(opened.map_err(|status| Error::from_status(&status))?.into_inner())
            }
        };
        let received = match stream.message().await {
            Ok(Some(message)) => Ok(message),
            Ok(None) => {
                Err(Error::from_close(wire::ErrorReason::ServerStopping, "the server ended the stream"))
            }
            Err(status) => Err(Error::from_status(&status)),
        };
        let message = received.inspect_err(|_| self.stream = None)?;
        self.backoff.reset();
        let last_received = self.last_received;
        // Drops duplicates, even if the server repeats itself.
        self.buffered.extend(
            message.news.into_iter().filter(|news| last_received.is_none_or(|number| news.number > number)),
        );
        let newest = self.buffered.back().map(|news| news.number);
        self.last_received = last_received.max(Some(message.number)).max(newest);
        Ok(())
    }

    /// Backs off before the next attempt, or returns a permanent error.
    async fn back_off(&mut self, error: &Error) -> Result<(), Error> {
        if !error.should_reopen_stream() {
            return Err(error.clone());
        }
        let wait = self.backoff.wait(error.retry_after());
        tracing::debug!(%error, ?wait, "reopening the stream of table news");
        sleep(wait).await;
        Ok(())
    }
}

impl fmt::Debug for TableFeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableFeed").field("number", &self.number).finish_non_exhaustive()
    }
}
