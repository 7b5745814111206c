//! The task that opens the stream, reads it, and reopens it. SharedSession by players' and agents' streams.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use parlor_proto::v1::play_service_client::PlayServiceClient;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};
use tonic::{Response, Status, Streaming};
use tracing::Instrument;

use super::ConnectionState;
use super::outbox::Outbox;
use super::shared::SharedSession;
use crate::connect::Transport;
use crate::retry::Backoff;
use crate::{Client, Error, wire};

/// A bidirectional call that carries channel items: Play, or an agent's Connect.
pub(super) trait StreamCall: Send + 'static {
    /// Message type of the server.
    type Message: Send;

    /// Opens a stream that sends the outbox.
    fn open(
        &mut self,
        outbox: Outbox,
    ) -> impl Future<Output = Result<Response<Streaming<Self::Message>>, Status>> + Send;

    /// Unpacks a message.
    fn unpack(&mut self, message: Self::Message) -> StreamMessage;
}

/// Unpacked message of the server.
pub(super) struct StreamMessage {
    pub(super) items: Vec<wire::StreamItem>,
    pub(super) ending: Option<wire::StreamEnding>,
}

/// The Play stream of players and spectators.
impl StreamCall for PlayServiceClient<Transport> {
    type Message = wire::PlayResponse;

    async fn open(&mut self, outbox: Outbox) -> Result<Response<Streaming<wire::PlayResponse>>, Status> {
        self.play(outbox.map(|items| wire::PlayRequest { items })).await
    }

    fn unpack(&mut self, message: wire::PlayResponse) -> StreamMessage {
        StreamMessage { items: message.items, ending: message.ending }
    }
}

/// Spawns the task.
pub(super) fn start(
    call: impl StreamCall,
    client: &Client,
    shared: Arc<SharedSession>,
    status: watch::Sender<ConnectionState>,
) -> AbortHandle {
    let driver = Driver {
        call,
        open_timeout: client.limits.attempt,
        client: client.clone(),
        shared,
        status,
        backoff: Backoff::default(),
    };
    tokio::spawn(driver.run().instrument(tracing::debug_span!("parlor session"))).abort_handle()
}

struct Driver<C> {
    call: C,
    /// Timeout for opening the stream.
    open_timeout: Duration,
    /// Reveals the entropy of seats.
    client: Client,
    shared: Arc<SharedSession>,
    status: watch::Sender<ConnectionState>,
    backoff: Backoff,
}

/// Cause of a stream's end, and the server's minimum wait before the next one.
struct StreamEnd {
    error: Error,
    not_before: Option<Duration>,
}

impl From<Error> for StreamEnd {
    fn from(error: Error) -> StreamEnd {
        StreamEnd { not_before: error.retry_after(), error }
    }
}

impl<C: StreamCall> Driver<C> {
    async fn run(mut self) {
        loop {
            self.shared.until_stream_needed().await;
            let StreamEnd { error, not_before } = self.run_stream().await;
            if !error.should_reopen_stream() {
                tracing::debug!(%error, "the session has ended");
                self.shared.end(&error);
                self.status.send_replace(ConnectionState::Ended);
                return;
            }
            let wait = self.backoff.wait(not_before);
            tracing::debug!(%error, ?wait, "the stream broke; reopening it");
            self.status.send_replace(ConnectionState::Broken { why: error.to_string() });
            sleep(wait).await;
        }
    }

    /// Opens a stream and reads it until it breaks.
    async fn run_stream(&mut self) -> StreamEnd {
        let stream = self.shared.begin_stream();
        let outbox = Outbox { shared: Arc::clone(&self.shared), stream };
        let mut inbound = match timeout(self.open_timeout, self.call.open(outbox)).await {
            Ok(Ok(response)) => response.into_inner(),
            Ok(Err(status)) => return Error::from_status(&status).into(),
            Err(_) => return Error::deadline(self.open_timeout).into(),
        };
        self.status.send_replace(ConnectionState::Open);
        loop {
            let message = tokio::select! {
                message = inbound.message() => message,
                () = self.shared.until_reconnect_needed() => {
                    let message = "a seat missed items; reopening the stream";
                    return Error::from_close(wire::ErrorReason::TooSlow, message).into();
                }
            };
            let StreamMessage { items, ending } = match message {
                Ok(Some(message)) => self.call.unpack(message),
                Ok(None) => {
                    return Error::from_close(
                        wire::ErrorReason::ServerStopping,
                        "the server ended the stream",
                    )
                    .into();
                }
                Err(status) => return Error::from_status(&status).into(),
            };
            self.backoff.reset();
            for (token, shuffle) in self.shared.starting_seats(&items) {
                let client = self.client.clone();
                tokio::spawn(async move { client.reveal_kept(token, shuffle).await });
            }
            for (subscription, wait) in self.shared.receive(items) {
                self.schedule_retry(subscription, wait);
            }
            if let Some(ending) = ending {
                let not_before = Some(Duration::from_millis(ending.retry_ms.into()));
                return StreamEnd { error: Error::from_close(ending.reason(), &ending.message), not_before };
            }
        }
    }

    /// Schedules a subscription's retry after a wait. At most one wait per retried item.
    fn schedule_retry(&self, subscription: super::shared::SubscriptionId, wait: Duration) {
        let shared = Arc::downgrade(&self.shared);
        tokio::spawn(async move {
            sleep(wait).await;
            if let Some(shared) = shared.upgrade() {
                shared.retry(subscription);
            }
        });
    }
}
