//! Where the server is just now, and calls that are made again until it is there.

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

/// How long anything may take that is not waited for in vain.
pub(crate) const A_MINUTE: Duration = Duration::from_secs(60);

/// How long a client waits before it tries again.
pub(crate) const A_MOMENT: Duration = Duration::from_millis(20);

/// Where the server is; nowhere, while it is down.
pub(crate) struct Dial {
    address: watch::Sender<Option<SocketAddr>>,
    /// The connection for calls, and to where it goes.
    calls: Mutex<Option<(SocketAddr, Channel)>>,
}

impl Dial {
    pub(crate) fn new() -> Dial {
        Dial { address: watch::Sender::new(None), calls: Mutex::new(None) }
    }

    /// The server is here now, or nowhere.
    pub(crate) fn set(&self, address: Option<SocketAddr>) {
        self.address.send_replace(address);
    }

    /// Where the server is, as soon as it is anywhere.
    pub(crate) async fn address(&self) -> SocketAddr {
        let mut address = self.address.subscribe();
        loop {
            if let Some(found) = *address.borrow_and_update() {
                return found;
            }
            // The sender is here, so there is always something to wait for.
            let _changed = address.changed().await;
        }
    }

    /// A new connection to where the server is.
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

    /// Makes a call until it is answered. An error that trying again cannot help is given back.
    pub(crate) async fn call<T, F>(
        &self,
        call: impl Fn(TableServiceClient<Channel>) -> F,
    ) -> Result<T, Status>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        loop {
            let client = self.tables().await.map_err(|error| Status::internal(format!("{error:#}")))?;
            match tokio::time::timeout(A_MINUTE, call(client)).await {
                Ok(Ok(answer)) => return Ok(answer.into_inner()),
                Ok(Err(status)) if is_final(&status) => return Err(status),
                Ok(Err(_)) => tokio::time::sleep(A_MOMENT).await,
                Err(_) => return Err(Status::deadline_exceeded("no answer within a minute")),
            }
        }
    }
}

/// How to connect. Small windows: a client that stops reading is felt by the server soon.
pub(crate) fn endpoint(address: SocketAddr) -> Result<Endpoint> {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).context("an address")?;
    Ok(endpoint
        .connect_timeout(A_MINUTE)
        .tcp_nodelay(true)
        .initial_stream_window_size(65_535)
        .initial_connection_window_size(65_535))
}

/// The reason that the server gives with an error; none if the error comes from the connection.
pub(crate) fn reason(status: &Status) -> Option<String> {
    status.get_error_details().error_info().map(|info| info.reason.clone())
}

/// Whether trying again cannot help.
fn is_final(status: &Status) -> bool {
    match reason(status) {
        Some(reason) => !["STORE_UNAVAILABLE", "SERVER_STOPPING", "RATE_LIMITED", "TOO_MANY_STREAMS"]
            .contains(&reason.as_str()),
        None => status.code() == Code::Unimplemented,
    }
}

/// Waits for something that must come within a minute.
pub(crate) async fn soon<T>(what: &str, coming: impl Future<Output = T>) -> Result<T> {
    match tokio::time::timeout(A_MINUTE, coming).await {
        Ok(come) => Ok(come),
        Err(_) => bail!("{what}: that did not happen within a minute"),
    }
}
