//! Replays of finished games by the server, with texts and boards.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;

use futures_util::Stream;
use futures_util::stream::unfold;
use parlor_proto::v1::record_service_client::RecordServiceClient;
use tokio::time::{sleep, timeout};
use tonic::{Request, Streaming};

use super::Client;
use super::call::CallLimits;
use crate::connect::Transport;
use crate::retry::Backoff;
use crate::{Error, wire};

impl Client {
    /// Replay of a finished game, step by step, each with texts and a board. It needs no rules of the game. Each step
    /// arrives once, through reconnects.
    ///
    /// Nothing is fetched ahead: at most one message of the server is buffered.
    ///
    /// ```no_run
    /// # async fn example(client: parlor_sdk::Client) -> Result<(), parlor_sdk::Error> {
    /// use parlor_sdk::wire;
    ///
    /// let mut replay = client.replay(wire::ReplayRequest {
    ///     table_id: "01hf7yat000w3ge1r70w3ge1r7".into(),
    ///     language: wire::Language::German.into(),
    ///     ..Default::default()
    /// });
    /// while let Some(step) = replay.next().await? {
    ///     for text in &step.texts {
    ///         println!("{}: {}", step.number, text.parts.iter().map(|part| &*part.text).collect::<String>());
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn replay(&self, request: wire::ReplayRequest) -> GameReplay {
        GameReplay {
            rpc: self.records.clone(),
            limits: self.limits,
            request,
            step_count: None,
            stream: None,
            buffered: VecDeque::new(),
            backoff: Backoff::default(),
        }
    }
}

/// Replay of a finished game, made by [`replay`](Client::replay).
pub struct GameReplay {
    rpc: RecordServiceClient<Transport>,
    limits: CallLimits,
    /// The request for the steps that were not received yet.
    request: wire::ReplayRequest,
    /// Number of steps in all, once a message was received.
    step_count: Option<u32>,
    /// The open stream, if any.
    stream: Option<Streaming<wire::ReplayResponse>>,
    /// Steps of the last message not yet returned.
    buffered: VecDeque<wire::ReplayStep>,
    backoff: Backoff,
}

impl GameReplay {
    /// Waits for the next step, through reconnects; `None` after the last. An error is permanent.
    pub async fn next(&mut self) -> Result<Option<wire::ReplayStep>, Error> {
        loop {
            if let Some(step) = self.buffered.pop_front() {
                return Ok(Some(step));
            }
            if self.step_count.is_some_and(|count| self.request.first_step >= count) {
                return Ok(None);
            }
            match self.receive().await {
                Ok(()) => {}
                Err(error) if error.is_temporary() => {
                    let wait = self.backoff.wait(error.retry_after());
                    tracing::debug!(%error, ?wait, "reopening a replay");
                    sleep(wait).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Number of steps of the whole replay; `None` before the first one was received.
    #[must_use]
    pub fn step_count(&self) -> Option<u32> {
        self.step_count
    }

    /// Converts into a `Stream`.
    pub fn into_stream(self) -> Pin<Box<dyn Stream<Item = Result<wire::ReplayStep, Error>> + Send>> {
        Box::pin(unfold(Some(self), |replay| async {
            let mut replay = replay?;
            match replay.next().await {
                Ok(step) => step.map(|step| (Ok(step), Some(replay))),
                Err(error) => Some((Err(error), None)),
            }
        }))
    }

    /// Waits for one message, over a new stream if none is open.
    async fn receive(&mut self) -> Result<(), Error> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let opening =
                    timeout(self.limits.attempt, self.rpc.replay(Request::new(self.request.clone())));
                let opened = opening.await.map_err(|_| Error::deadline(self.limits.attempt))?;
                self.stream.insert(opened.map_err(|status| Error::from_status(&status))?.into_inner())
            }
        };
        match stream.message().await {
            Ok(Some(message)) => {
                self.backoff.reset();
                let first = self.request.first_step;
                let new = message.steps.into_iter().filter(|step| step.number >= first);
                self.buffered.extend(new);
                self.request.first_step = self.buffered.back().map_or(first, |step| step.number + 1);
                self.step_count = Some(message.step_count);
                Ok(())
            }
            Ok(None) => {
                self.stream = None;
                Err(Error::from_close(wire::ErrorReason::ServerStopping, "the server ended the stream"))
            }
            Err(status) => {
                self.stream = None;
                Err(Error::from_status(&status))
            }
        }
    }
}

impl fmt::Debug for GameReplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The request may hold a token.
        f.debug_struct("GameReplay").field("table_id", &self.request.table_id).finish_non_exhaustive()
    }
}
