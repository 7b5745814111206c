//! Current address of the server, and calls that are retried until they are answered.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use parlor_proto::v1 as wire;
use tokio::sync::watch;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Response, Status};
use tonic_types::StatusExt;
use wire::table_service_client::TableServiceClient;

/// Timeout of every wait.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// Delay before a client retries.
pub(crate) const RETRY_DELAY: Duration = Duration::from_millis(20);

/// Current address of the server; `None` while it is down.
pub(crate) struct ServerAddress {
    address: watch::Sender<Option<SocketAddr>>,
    /// The connection for unary calls, with its address.
    calls: Mutex<Option<(SocketAddr, Channel)>>,
}

impl ServerAddress {
    pub(crate) fn new() -> ServerAddress {
        ServerAddress { address: watch::Sender::new(None), calls: Mutex::new(None) }
    }

    /// Sets the address, or `None` while the server is down.
    pub(crate) fn set(&self, address: Option<SocketAddr>) {
        self.address.send_replace(address);
    }

    /// Waits until the server has an address.
    pub(crate) async fn address(&self) -> SocketAddr {
        let mut address = self.address.subscribe();
        loop {
            if let Some(found) = *address.borrow_and_update() {
                return found;
            }
            // `self` holds the sender, so the channel never closes.
            let _changed = address.changed().await;
        }
    }

    /// A new connection to the server.
    pub(crate) async fn connect(&self) -> Result<Channel> {
        Ok(endpoint(self.address().await)?.connect().await?)
    }

    async fn tables(&self) -> Result<TableServiceClient<Channel>> {
        let address = self.address().await;
        let mut calls = self.calls.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let channel = match &*calls {
            Some((to, channel)) if *to == address => channel.clone(),
            _ => {
                let channel = endpoint(address)?.connect_lazy();
                *calls = Some((address, channel.clone()));
                channel
            }
        };
        Ok(TableServiceClient::new(channel))
    }

    /// Retries a call until it is answered. Returns errors that a retry cannot solve.
    pub(crate) async fn call<T, F>(
        &self,
        call: impl Fn(TableServiceClient<Channel>) -> F,
    ) -> Result<T, Status>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        loop {
            let client = self.tables().await.map_err(|error| Status::internal(format!("{error:#}")))?;
            match tokio::time::timeout(TIMEOUT, call(client)).await {
                Ok(Ok(answer)) => return Ok(answer.into_inner()),
                Ok(Err(status)) if is_final(&status) => return Err(status),
                Ok(Err(_)) => tokio::time::sleep(RETRY_DELAY).await,
                Err(_) => return Err(Status::deadline_exceeded("no answer within a minute")),
            }
        }
    }
}

/// Connection settings. Flow-control windows are small, so that a client that stops reading causes
/// backpressure soon.
pub(crate) fn endpoint(address: SocketAddr) -> Result<Endpoint> {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).context("an address")?;
    Ok(endpoint
        .connect_timeout(TIMEOUT)
        .tcp_nodelay(true)
        .initial_stream_window_size(65_535)
        .initial_connection_window_size(65_535))
}

/// Reason in the server's ErrorInfo; `None` for connection errors.
pub(crate) fn reason(status: &Status) -> Option<String> {
    status.get_error_details().error_info().map(|info| info.reason.clone())
}

/// True if a retry cannot help.
fn is_final(status: &Status) -> bool {
    match reason(status) {
        Some(reason) => !["STORE_UNAVAILABLE", "SERVER_STOPPING", "RATE_LIMITED", "TOO_MANY_STREAMS"]
            .contains(&reason.as_str()),
        None => status.code() == Code::Unimplemented,
    }
}

/// Awaits a future, and fails after [`TIMEOUT`].
pub(crate) async fn within_timeout<T>(what: &str, future: impl Future<Output = T>) -> Result<T> {
    match tokio::time::timeout(TIMEOUT, future).await {
        Ok(output) => Ok(output),
        Err(_) => bail!("{what}: that did not happen within a minute"),
    }
}
