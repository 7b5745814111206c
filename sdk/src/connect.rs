//! How a client connects: address, encryption, key, and how long it waits for what.

use std::fmt;
use std::time::Duration;

use tonic::metadata::AsciiMetadataValue;
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Request, Status};

use crate::error::Reason;
use crate::{ApiKey, Client, Error};

/// The connection with the key on every call.
pub(crate) type Transport = InterceptedService<Channel, Bearer>;

/// Settings of a [`Client`], which [`connect`](ClientBuilder::connect) makes.
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
    key: Option<ApiKey>,
    authorities: Vec<Certificate>,
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
            key: None,
            authorities: Vec::new(),
            identity: None,
            domain: None,
            deadline: Duration::from_secs(30),
            attempt: Duration::from_secs(10),
            connect_timeout: Duration::from_secs(10),
            keepalive: Duration::from_secs(10),
            keepalive_timeout: Duration::from_secs(10),
        }
    }

    /// The API key that goes with every call. Without one the client can do what everyone may: read the catalogue, see
    /// and join public tables, play with seat tokens.
    pub fn api_key(mut self, key: impl Into<ApiKey>) -> ClientBuilder {
        self.key = Some(key.into());
        self
    }

    /// Trusts servers that this authority has signed (PEM), instead of those that the system trusts. May be called
    /// several times.
    pub fn ca_certificate(mut self, pem: impl AsRef<[u8]>) -> ClientBuilder {
        self.authorities.push(Certificate::from_pem(pem));
        self
    }

    /// The certificate and the key of this client (PEM), for a server that wants to see one.
    pub fn client_certificate(
        mut self,
        certificate: impl AsRef<[u8]>,
        key: impl AsRef<[u8]>,
    ) -> ClientBuilder {
        self.identity = Some(Identity::from_pem(certificate, key));
        self
    }

    /// The name that must stand in the certificate of the server, where it is not the one of the address.
    pub fn server_name(mut self, name: impl Into<String>) -> ClientBuilder {
        self.domain = Some(name.into());
        self
    }

    /// How long a call may take in all, with all its tries. 30 seconds unless said otherwise. Streams have no limit.
    pub fn deadline(mut self, deadline: Duration) -> ClientBuilder {
        self.deadline = deadline;
        self.attempt = self.attempt.min(deadline);
        self
    }

    /// How long one try of a call may take before it is made again. 10 seconds unless said otherwise.
    pub fn attempt_timeout(mut self, attempt: Duration) -> ClientBuilder {
        self.attempt = attempt;
        self
    }

    /// How long a connection may take to be made. 10 seconds unless said otherwise.
    pub fn connect_timeout(mut self, limit: Duration) -> ClientBuilder {
        self.connect_timeout = limit;
        self
    }

    /// How often the server is asked whether it is still there, also while nothing is going on, and how long it has to
    /// answer before the connection counts as broken. 10 seconds each unless said otherwise.
    pub fn keepalive(mut self, interval: Duration, timeout: Duration) -> ClientBuilder {
        self.keepalive = interval;
        self.keepalive_timeout = timeout;
        self
    }

    /// Connects, and fails if the server cannot be reached.
    pub async fn connect(self) -> Result<Client, Error> {
        let endpoint = self.endpoint()?;
        let channel = endpoint.connect().await.map_err(|error| Error::unreachable(&self.address, &error))?;
        self.over(channel)
    }

    /// Connects when first used, so that the server need not run yet. Must be called on a Tokio runtime.
    pub fn connect_lazy(self) -> Result<Client, Error> {
        let channel = self.endpoint()?.connect_lazy();
        self.over(channel)
    }

    /// Uses a channel that was made elsewhere, such as one over a network of a test's own: its address, encryption and
    /// keepalive are its own matter.
    pub fn over(self, channel: Channel) -> Result<Client, Error> {
        let bearer = Bearer::new(self.key.as_ref())?;
        Ok(Client::over(InterceptedService::new(channel, bearer), &self))
    }

    fn endpoint(&self) -> Result<Endpoint, Error> {
        let address = self.address.trim_end_matches('/');
        let encrypted = address.starts_with("https://");
        let wrong = |why: String| Error::new(Reason::Settings, why);
        if !encrypted && !address.starts_with("http://") {
            return Err(wrong(format!(
                "the address must begin with http:// or https://, not be {address:?}"
            )));
        }
        let asks_for_tls = !self.authorities.is_empty() || self.identity.is_some() || self.domain.is_some();
        if asks_for_tls && !encrypted {
            return Err(wrong(format!("certificates need an address with https://, not {address}")));
        }
        let endpoint = Endpoint::from_shared(address.to_owned())
            .map_err(|error| {
                wrong(format!("{address:?} is not an address ({error}): it is like http://host:7766"))
            })?
            .connect_timeout(self.connect_timeout)
            .tcp_nodelay(true)
            .tcp_keepalive(Some(self.keepalive))
            .http2_keep_alive_interval(self.keepalive)
            .keep_alive_timeout(self.keepalive_timeout)
            .keep_alive_while_idle(true)
            .user_agent(concat!("parlor-sdk/", env!("CARGO_PKG_VERSION")))
            .map_err(|error| wrong(error.to_string()))?;
        if !encrypted {
            return Ok(endpoint);
        }
        endpoint
            .tls_config(self.tls())
            .map_err(|error| wrong(format!("the certificates cannot be used ({error}): are they PEM files?")))
    }

    fn tls(&self) -> ClientTlsConfig {
        let mut tls = ClientTlsConfig::new().timeout(self.connect_timeout);
        tls = if self.authorities.is_empty() {
            tls.with_native_roots()
        } else {
            tls.ca_certificates(self.authorities.iter().cloned())
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
            .field("key", &self.key)
            .field("deadline", &self.deadline)
            .field("keepalive", &self.keepalive)
            .finish_non_exhaustive()
    }
}

/// Puts the key on every call.
#[derive(Clone, Debug)]
pub(crate) struct Bearer(Option<AsciiMetadataValue>);

impl Bearer {
    fn new(key: Option<&ApiKey>) -> Result<Bearer, Error> {
        let Some(key) = key else { return Ok(Bearer(None)) };
        let mut value: AsciiMetadataValue = format!("Bearer {}", key.reveal()).parse().map_err(|_| {
            Error::new(
                Reason::Settings,
                "the API key has characters that no key has: copy it as it was printed",
            )
        })?;
        // Its Debug then shows nothing, and no proxy compresses it.
        value.set_sensitive(true);
        Ok(Bearer(Some(value)))
    }
}

impl Interceptor for Bearer {
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

    async fn refused(builder: ClientBuilder) -> Error {
        let error = builder.connect_lazy().unwrap_err();
        assert_eq!(error.reason(), Reason::Settings);
        error
    }

    #[tokio::test]
    async fn settings_that_cannot_work_are_named() {
        let error = refused(Client::builder("localhost:7766")).await;
        assert!(error.to_string().contains("http://"), "{error}");
        refused(Client::builder("http://a host")).await;
        let error = refused(Client::builder("http://localhost:7766").ca_certificate("pem")).await;
        assert!(error.to_string().contains("https://"), "{error}");
        let error = refused(Client::builder("http://localhost:7766").api_key("sword\nfish")).await;
        assert!(!error.to_string().contains("sword"), "{error}");
    }

    #[tokio::test]
    async fn a_key_is_never_printed() {
        let builder = Client::builder("http://localhost:7766").api_key("swordfish");
        let shown = format!("{builder:?} {:?}", builder.clone().connect_lazy().unwrap());
        assert!(!shown.contains("sword"), "{shown}");
        let bearer = Bearer::new(Some(&ApiKey::new("swordfish"))).unwrap();
        assert!(!format!("{bearer:?}").contains("sword"));
        let request = bearer.clone().call(Request::new(())).unwrap();
        assert_eq!(request.metadata().get("authorization").unwrap().as_bytes(), b"Bearer swordfish");
        assert!(!format!("{request:?}").contains("sword"));
    }

    #[tokio::test]
    async fn an_address_where_nobody_listens_is_said_to_be_out_of_reach() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        let error = Client::connect(&address).await.unwrap_err();
        assert_eq!(error.reason(), Reason::Unreachable);
        assert!(error.to_string().contains(&address), "{error}");
    }
}
