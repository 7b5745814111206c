//! Client settings: address, TLS, API key, timeouts and keepalive.

use std::fmt;
use std::time::Duration;

use tonic::metadata::AsciiMetadataValue;
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Request, Status};

use crate::error::Reason;
use crate::{ApiKey, Client, Error};

/// Channel that adds the API key to every call.
pub(crate) type Transport = InterceptedService<Channel, ApiKeyInterceptor>;

/// Builder of a [`Client`]; finish with [`connect`](ClientBuilder::connect) or
/// [`connect_lazy`](ClientBuilder::connect_lazy).
///
/// ```no_run
/// # async fn example() -> Result<(), parlor_sdk::Error> {
/// let client = parlor_sdk::Client::builder("https://parlor.example.org")
///     .api_key("the key of your platform")
///     .ca_certificate(std::fs::read("ca.pem").expect("a file"))
///     .connect()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "nothing is connected before `connect`"]
pub struct ClientBuilder {
    address: String,
    api_key: Option<ApiKey>,
    ca_certificates: Vec<Certificate>,
    identity: Option<Identity>,
    domain: Option<String>,
    pub(crate) deadline: Duration,
    pub(crate) attempt: Duration,
    connect_timeout: Duration,
    keepalive: Duration,
    keepalive_timeout: Duration,
}

impl ClientBuilder {
    pub(crate) fn new(address: impl Into<String>) -> ClientBuilder {
        ClientBuilder {
            address: address.into(),
            api_key: None,
            ca_certificates: Vec::new(),
            identity: None,
            domain: None,
            deadline: Duration::from_secs(30),
            attempt: Duration::from_secs(10),
            connect_timeout: Duration::from_secs(10),
            keepalive: Duration::from_secs(10),
            keepalive_timeout: Duration::from_secs(10),
        }
    }

    /// API key sent with every call. Without one, the client can do what everyone may: read the catalogue,
    /// list and join public tables, and play with seat tokens.
    pub fn api_key(mut self, key: impl Into<ApiKey>) -> ClientBuilder {
        self.api_key = Some(key.into());
        self
    }

    /// Trusts servers signed by this certificate authority (PEM) instead of the system's roots. Repeatable.
    pub fn ca_certificate(mut self, pem: impl AsRef<[u8]>) -> ClientBuilder {
        self.ca_certificates.push(Certificate::from_pem(pem));
        self
    }

    /// Certificate and private key of this client (PEM), for servers that require mutual TLS.
    pub fn client_certificate(
        mut self,
        certificate: impl AsRef<[u8]>,
        key: impl AsRef<[u8]>,
    ) -> ClientBuilder {
        self.identity = Some(Identity::from_pem(certificate, key));
        self
    }

    /// Host name expected in the server's certificate. Default: the host of the address.
    pub fn server_name(mut self, name: impl Into<String>) -> ClientBuilder {
        self.domain = Some(name.into());
        self
    }

    /// Deadline of a call, all attempts included. Default: 30 seconds. Streams have no deadline.
    pub fn deadline(mut self, deadline: Duration) -> ClientBuilder {
        self.deadline = deadline;
        self.attempt = self.attempt.min(deadline);
        self
    }

    /// Timeout of one attempt of a call, after which it is retried. Default: 10 seconds.
    pub fn attempt_timeout(mut self, attempt: Duration) -> ClientBuilder {
        self.attempt = attempt;
        self
    }

    /// Timeout for establishing a connection. Default: 10 seconds.
    pub fn connect_timeout(mut self, limit: Duration) -> ClientBuilder {
        self.connect_timeout = limit;
        self
    }

    /// HTTP/2 keepalive: interval between pings, also while idle, and time to wait for a reply before the
    /// connection counts as broken. Default: 10 seconds each.
    pub fn keepalive(mut self, interval: Duration, timeout: Duration) -> ClientBuilder {
        self.keepalive = interval;
        self.keepalive_timeout = timeout;
        self
    }

    /// Connects.
    ///
    /// # Errors
    ///
    /// [`Reason::Settings`] for settings that cannot work, [`Reason::Unreachable`] if the server cannot be
    /// reached.
    pub async fn connect(self) -> Result<Client, Error> {
        let endpoint = self.endpoint()?;
        let channel = endpoint.connect().await.map_err(|error| Error::unreachable(&self.address, &error))?;
        self.with_channel(channel)
    }

    /// Returns a client that connects on first use, so the server need not run yet. Must be called on a Tokio
    /// runtime.
    ///
    /// # Errors
    ///
    /// [`Reason::Settings`] for settings that cannot work.
    pub fn connect_lazy(self) -> Result<Client, Error> {
        let channel = self.endpoint()?.connect_lazy();
        self.with_channel(channel)
    }

    /// Uses an existing channel, such as one over a test network. Its address, TLS and keepalive are
    /// configured on the channel.
    ///
    /// # Errors
    ///
    /// [`Reason::Settings`] if the API key has invalid characters.
    pub fn with_channel(self, channel: Channel) -> Result<Client, Error> {
        let bearer = ApiKeyInterceptor::new(self.api_key.as_ref())?;
        Ok(Client::from_transport(InterceptedService::new(channel, bearer), &self))
    }

    fn endpoint(&self) -> Result<Endpoint, Error> {
        let address = self.address.trim_end_matches('/');
        let encrypted = address.starts_with("https://");
        let invalid = |why: String| Error::new(Reason::Settings, why);
        if !encrypted && !address.starts_with("http://") {
            return Err(invalid(format!(
                "the address must begin with http:// or https://, not be {address:?}"
            )));
        }
        let needs_tls = !self.ca_certificates.is_empty() || self.identity.is_some() || self.domain.is_some();
        if needs_tls && !encrypted {
            return Err(invalid(format!("certificates need an address with https://, not {address}")));
        }
        let endpoint = Endpoint::from_shared(address.to_owned())
            .map_err(|error| {
                invalid(format!(
                    "{address:?} is not an address ({error}): it should look like http://host:7766"
                ))
            })?
            .connect_timeout(self.connect_timeout)
            .tcp_nodelay(true)
            .tcp_keepalive(Some(self.keepalive))
            .http2_keep_alive_interval(self.keepalive)
            .keep_alive_timeout(self.keepalive_timeout)
            .keep_alive_while_idle(true)
            .user_agent(concat!("parlor-sdk/", env!("CARGO_PKG_VERSION")))
            .map_err(|error| invalid(error.to_string()))?;
        if !encrypted {
            return Ok(endpoint);
        }
        endpoint.tls_config(self.tls()).map_err(|error| {
            invalid(format!("the certificates cannot be used ({error}): are they PEM files?"))
        })
    }

    fn tls(&self) -> ClientTlsConfig {
        let mut tls = ClientTlsConfig::new().timeout(self.connect_timeout);
        tls = if self.ca_certificates.is_empty() {
            tls.with_native_roots()
        } else {
            tls.ca_certificates(self.ca_certificates.iter().cloned())
        };
        if let Some(identity) = &self.identity {
            tls = tls.identity(identity.clone());
        }
        match &self.domain {
            Some(domain) => tls.domain_name(domain),
            None => tls,
        }
    }
}

/// Shows neither the key nor the certificates.
impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("address", &self.address)
            .field("key", &self.api_key)
            .field("deadline", &self.deadline)
            .field("keepalive", &self.keepalive)
            .finish_non_exhaustive()
    }
}

/// Interceptor that adds the API key to every call.
#[derive(Clone, Debug)]
pub(crate) struct ApiKeyInterceptor(Option<AsciiMetadataValue>);

impl ApiKeyInterceptor {
    fn new(key: Option<&ApiKey>) -> Result<ApiKeyInterceptor, Error> {
        let Some(key) = key else { return Ok(ApiKeyInterceptor(None)) };
        let mut value: AsciiMetadataValue = format!("Bearer {}", key.reveal()).parse().map_err(|_| {
            Error::new(
                Reason::Settings,
                "the API key has invalid characters: copy it exactly as it was printed",
            )
        })?;
        // Hides the value from `Debug` and from header compression.
        value.set_sensitive(true);
        Ok(ApiKeyInterceptor(Some(value)))
    }
}

impl Interceptor for ApiKeyInterceptor {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(bearer) = &self.0 {
            request.metadata_mut().insert("authorization", bearer.clone());
        }
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn connect_error(builder: ClientBuilder) -> Error {
        let error = builder.connect_lazy().unwrap_err();
        assert_eq!(error.reason(), Reason::Settings);
        error
    }

    #[tokio::test]
    async fn invalid_settings_are_rejected_with_the_cause() {
        let error = connect_error(Client::builder("localhost:7766")).await;
        assert!(error.to_string().contains("http://"), "{error}");
        connect_error(Client::builder("http://a host")).await;
        let error = connect_error(Client::builder("http://localhost:7766").ca_certificate("pem")).await;
        assert!(error.to_string().contains("https://"), "{error}");
        let error = connect_error(Client::builder("http://localhost:7766").api_key("sword\nfish")).await;
        assert!(!error.to_string().contains("sword"), "{error}");
    }

    #[tokio::test]
    async fn debug_output_hides_the_api_key() {
        let builder = Client::builder("http://localhost:7766").api_key("swordfish");
        let shown = format!("{builder:?} {:?}", builder.clone().connect_lazy().unwrap());
        assert!(!shown.contains("sword"), "{shown}");
        let bearer = ApiKeyInterceptor::new(Some(&ApiKey::new("swordfish"))).unwrap();
        assert!(!format!("{bearer:?}").contains("sword"));
        let request = bearer.clone().call(Request::new(())).unwrap();
        assert_eq!(request.metadata().get("authorization").unwrap().as_bytes(), b"Bearer swordfish");
        assert!(!format!("{request:?}").contains("sword"));
    }

    #[tokio::test]
    async fn connecting_to_a_closed_port_is_unreachable() {
        let address = format!("http://{}", parlor_testkit::unused_address());
        let error = Client::connect(&address).await.unwrap_err();
        assert_eq!(error.reason(), Reason::Unreachable);
        assert!(error.to_string().contains(&address), "{error}");
    }
}
