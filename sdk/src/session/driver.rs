//! The task that opens the stream, reads it, and opens it again. It is the same for a player's stream and an agent's.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use parlor_proto::v1::play_service_client::PlayServiceClient;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};
use tonic::{Response, Status, Streaming};
use tracing::Instrument;

use super::Connection;
use super::outbox::Outbox;
use super::shared::Shared;
use crate::connect::Transport;
use crate::retry::Backoff;
use crate::{Client, Error, wire};

/// A call that carries the items of channels: what differs between the streams of players and of agents.
pub(super) trait Call: Send + 'static {
    /// A message of the server.
    type Message: Send;

    /// Opens a stream that says what the outbox has.
    fn open(
        &mut self,
        outbox: Outbox,
    ) -> impl Future<Output = Result<Response<Streaming<Self::Message>>, Status>> + Send;

    /// What a message says.
    fn hear(&mut self, message: Self::Message) -> Heard;
}

/// What a message of the server says.
pub(super) struct Heard {
    pub(super) items: Vec<wire::StreamItem>,
    pub(super) ending: Option<wire::StreamEnding>,
}

/// The stream of players and spectators.
impl Call for PlayServiceClient<Transport> {
    type Message = wire::PlayResponse;

    async fn open(&mut self, outbox: Outbox) -> Result<Response<Streaming<wire::PlayResponse>>, Status> {
        self.play(outbox.map(|items| wire::PlayRequest { items })).await
    }

    fn hear(&mut self, message: wire::PlayResponse) -> Heard {
        Heard { items: message.items, ending: message.ending }
    }
}

/// Starts the task.
pub(super) fn start(
    call: impl Call,
    client: &Client,
    shared: Arc<Shared>,
    status: watch::Sender<Connection>,
) -> AbortHandle {
    let driver = Driver { call, opening: client.limits.attempt, shared, status, backoff: Backoff::default() };
    tokio::spawn(driver.drive().instrument(tracing::debug_span!("parlor session"))).abort_handle()
}

struct Driver<C> {
    call: C,
    /// How long opening may take.
    opening: Duration,
    shared: Arc<Shared>,
    status: watch::Sender<Connection>,
    backoff: Backoff,
}

/// Why a stream ended, and when the server wants us back at the earliest.
struct Broken {
    error: Error,
    not_before: Option<Duration>,
}

impl From<Error> for Broken {
    fn from(error: Error) -> Broken {
        Broken { not_before: error.retry_after(), error }
    }
}

impl<C: Call> Driver<C> {
    async fn drive(mut self) {
        loop {
            self.shared.until_needed().await;
            let Broken { error, not_before } = self.one_stream().await;
            if !error.is_worth_another_stream() {
                tracing::debug!(%error, "the session has ended");
                self.shared.end(&error);
                self.status.send_replace(Connection::Ended);
                return;
            }
            let wait = self.backoff.wait(not_before);
            tracing::debug!(%error, ?wait, "the stream broke and is opened again");
            self.status.send_replace(Connection::Broken { why: error.to_string() });
            sleep(wait).await;
        }
    }

    /// Opens a stream and reads it until it breaks.
    async fn one_stream(&mut self) -> Broken {
        let stream = self.shared.new_stream();
        let outbox = Outbox { shared: Arc::clone(&self.shared), stream };
        let mut inbound = match timeout(self.opening, self.call.open(outbox)).await {
            Ok(Ok(response)) => response.into_inner(),
            Ok(Err(status)) => return Error::from_status(&status).into(),
            Err(_) => return Error::deadline(self.opening).into(),
        };
        self.status.send_replace(Connection::Open);
        loop {
            let message = tokio::select! {
                message = inbound.message() => message,
                () = self.shared.until_another_is_needed() => {
                    return Error::closed(wire::ErrorReason::TooSlow, "a table was played faster than it was read")
                        .into();
                }
            };
            let Heard { items, ending } = match message {
                Ok(Some(message)) => self.call.hear(message),
                Ok(None) => {
                    return Error::closed(wire::ErrorReason::ServerStopping, "the server ended the stream")
                        .into();
                }
                Err(status) => return Error::from_status(&status).into(),
            };
            self.backoff.reset();
            for (slot, wait) in self.shared.receive(items) {
                self.say_later(slot, wait);
            }
            if let Some(ending) = ending {
                let not_before = Some(Duration::from_millis(ending.retry_ms.into()));
                return Broken { error: Error::closed(ending.reason(), &ending.message), not_before };
            }
        }
    }

    /// Lets a slot say something again after a wait. There is at most one such wait for each thing that it said.
    fn say_later(&self, slot: super::shared::SlotId, wait: Duration) {
        let shared = Arc::downgrade(&self.shared);
        tokio::spawn(async move {
            sleep(wait).await;
            if let Some(shared) = shared.upgrade() {
                shared.stop_waiting(slot);
            }
        });
    }
}
