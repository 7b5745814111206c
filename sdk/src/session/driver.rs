//! The task that opens the stream, reads it, and opens it again.

use std::sync::Arc;
use std::time::Duration;

use parlor_proto::v1::play_service_client::PlayServiceClient;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};
use tracing::Instrument;

use super::Connection;
use super::outbox::Outbox;
use super::shared::Shared;
use crate::connect::Transport;
use crate::retry::Backoff;
use crate::{Client, Error, wire};

/// Starts the task.
pub(super) fn start(client: &Client, shared: Arc<Shared>, status: watch::Sender<Connection>) -> AbortHandle {
    let driver = Driver {
        rpc: client.play.clone(),
        opening: client.limits.attempt,
        shared,
        status,
        backoff: Backoff::default(),
    };
    tokio::spawn(driver.drive().instrument(tracing::debug_span!("parlor session"))).abort_handle()
}

struct Driver {
    rpc: PlayServiceClient<Transport>,
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

impl Driver {
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
        let mut inbound = match timeout(self.opening, self.rpc.play(outbox)).await {
            Ok(Ok(response)) => response.into_inner(),
            Ok(Err(status)) => return Error::from_status(&status).into(),
            Err(_) => return Error::deadline(self.opening).into(),
        };
        self.status.send_replace(Connection::Open);
        loop {
            let message = match inbound.message().await {
                Ok(Some(message)) => message,
                Ok(None) => {
                    return Error::closed(wire::ErrorReason::ServerStopping, "the server ended the stream")
                        .into();
                }
                Err(status) => return Error::from_status(&status).into(),
            };
            self.backoff.reset();
            for (slot, wait) in self.shared.receive(message.items) {
                self.say_later(slot, wait);
            }
            if let Some(ending) = message.ending {
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
