//! The life of all tables of an owner, as a stream that comes back by itself.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;

use futures_util::Stream;
use futures_util::stream::unfold;
use parlor_proto::v1::table_service_client::TableServiceClient;
use tokio::time::{sleep, timeout};
use tonic::{Request, Streaming};

use super::call::Limits;
use crate::connect::Transport;
use crate::retry::Backoff;
use crate::{Error, wire};

/// The news of all tables that the caller owns, each once and in order, made by
/// [`follow_tables`](crate::Client::follow_tables).
///
/// A broken connection or a restart of the server is a gap in time and nothing else. Nothing is fetched before it is
/// asked for: at most one message of the server waits here.
pub struct FollowedTables {
    rpc: TableServiceClient<Transport>,
    limits: Limits,
    /// The stream that is open, if one is.
    stream: Option<Streaming<wire::FollowTablesResponse>>,
    /// News that came in the same message and were not yet given out.
    waiting: VecDeque<wire::TableNews>,
    /// Up to where the server has informed us, the news that wait included.
    informed: Option<u64>,
    /// The number of the last news given out, or from where on.
    number: u64,
    backoff: Backoff,
    over: bool,
}

impl FollowedTables {
    pub(super) async fn open(
        rpc: TableServiceClient<Transport>,
        limits: Limits,
        after: Option<u64>,
    ) -> Result<FollowedTables, Error> {
        let mut followed = FollowedTables {
            rpc,
            limits,
            stream: None,
            waiting: VecDeque::new(),
            informed: after,
            number: after.unwrap_or_default(),
            backoff: Backoff::default(),
            over: false,
        };
        // Within the deadline of a call: a server that is away for longer is an error here, and a gap later on.
        let mut last = None;
        let opened = timeout(limits.deadline, async {
            while let Err(error) = followed.receive().await {
                followed.pause(&error).await?;
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
                .waiting
                .front()
                .map_or(followed.informed, |news| news.number.checked_sub(1))
                .unwrap_or_default();
        }
        Ok(followed)
    }

    /// The number up to which you are informed: give it to [`follow_tables`](crate::Client::follow_tables) to go on
    /// after it, in another process or on another day.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The next news. Waits for as long as it takes, through broken connections. An error is one that waiting does not
    /// mend, and the last thing that comes.
    pub async fn next(&mut self) -> Result<wire::TableNews, Error> {
        loop {
            if let Some(news) = self.waiting.pop_front() {
                self.number = news.number;
                return Ok(news);
            }
            if let Err(error) = self.receive().await {
                self.pause(&error).await?;
            }
        }
    }

    /// The same as a stream, which ends after an error.
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

    /// Waits for one message, over a new stream if there is none.
    async fn receive(&mut self) -> Result<(), Error> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let request = Request::new(wire::FollowTablesRequest { after: self.informed });
                let opening = timeout(self.limits.attempt, self.rpc.follow_tables(request));
                let opened = opening.await.map_err(|_| Error::deadline(self.limits.attempt))?;
                self.stream.insert(opened.map_err(|status| Error::from_status(&status))?.into_inner())
            }
        };
        let received = match stream.message().await {
            Ok(Some(message)) => Ok(message),
            Ok(None) => Err(Error::closed(wire::ErrorReason::ServerStopping, "the server ended the stream")),
            Err(status) => Err(Error::from_status(&status)),
        };
        let message = received.inspect_err(|_| self.stream = None)?;
        self.backoff.reset();
        let informed = self.informed;
        // None is told twice, even if the server does so.
        self.waiting.extend(
            message.news.into_iter().filter(|news| informed.is_none_or(|number| news.number > number)),
        );
        let newest = self.waiting.back().map(|news| news.number);
        self.informed = informed.max(Some(message.number)).max(newest);
        Ok(())
    }

    /// Waits before the next try, if one makes sense.
    async fn pause(&mut self, error: &Error) -> Result<(), Error> {
        if !error.is_worth_another_stream() {
            return Err(error.again());
        }
        let wait = self.backoff.wait(error.retry_after());
        tracing::debug!(%error, ?wait, "following tables goes on after a break");
        sleep(wait).await;
        Ok(())
    }
}

impl fmt::Debug for FollowedTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FollowedTables").field("number", &self.number).finish_non_exhaustive()
    }
}
