//! Connections to the database: address, TLS, and the errors of either.

use std::future::poll_fn;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres::error::SqlState;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::LogError;
use crate::journal::errors::StoreErrors;

/// Time within which a host must accept a connection, unless the address has `connect_timeout`.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

impl StoreErrors<'_> {
    /// Converts the error of a call to the database.
    pub(super) fn pg<T>(self, result: Result<T, tokio_postgres::Error>) -> Result<T, LogError> {
        result.map_err(|error| self.translate_pg(&error))
    }

    pub(super) fn translate_pg(self, error: &tokio_postgres::Error) -> LogError {
        let file = self.0.to_owned();
        let why = describe(error).into();
        match error.code() {
            Some(&SqlState::DISK_FULL) => LogError::NoSpace { file, why },
            _ => LogError::Io { file, why },
        }
    }
}

/// An error with its causes: the library's own text leaves out what the server said.
fn describe(error: &tokio_postgres::Error) -> String {
    use std::error::Error as _;
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// A database, and how to reach it.
#[derive(Clone)]
pub struct PgAddress {
    config: Config,
    name: PathBuf,
    tls: Option<MakeRustlsConnect>,
}

impl PgAddress {
    /// Parses `postgres://USER@HOST[,HOST]/DATABASE?...`. A password given here replaces the one of the address.
    /// Certificates of authorities in PEM form are trusted beside those of the machine.
    ///
    /// # Errors
    /// The address is malformed, or the certificates cannot be read.
    pub fn parse(address: &str, password: Option<&str>, authorities: &[u8]) -> Result<PgAddress, LogError> {
        let mut config = Config::from_str(address)
            .map_err(|_| invalid("postgres://USER@HOST/DATABASE, with the parameters of libpq behind a ?"))?;
        if config.get_hosts().is_empty() {
            return Err(invalid("one with a host: postgres://USER@HOST/DATABASE"));
        }
        if let Some(password) = password {
            config.password(password);
        }
        // Reads must see what was acknowledged, so standbys are never asked.
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        config.application_name("parlor-server");
        let tls = match config.get_ssl_mode() {
            SslMode::Disable => None,
            _ => Some(tls_connector(authorities)?),
        };
        let name = PathBuf::from(display_name(&config));
        Ok(PgAddress { config, name, tls })
    }

    /// Hosts and database, without user and password: for messages.
    #[must_use]
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Opens a connection, and drives it on the current runtime.
    pub(super) async fn connect(&self) -> Result<PgConnection, LogError> {
        let errors = StoreErrors(&self.name);
        match &self.tls {
            None => Ok(drive(errors.pg(self.config.connect(NoTls).await)?)),
            Some(tls) => Ok(drive(errors.pg(self.config.connect(tls.clone()).await)?)),
        }
    }
}

fn invalid(allowed: &'static str) -> LogError {
    LogError::Invalid { what: "the address of the database", allowed }
}

fn display_name(config: &Config) -> String {
    let ports = config.get_ports();
    let hosts = config.get_hosts().iter().enumerate().map(|(at, host)| {
        let port = ports.get(at).or(ports.first()).copied().unwrap_or(5432);
        match host {
            Host::Tcp(name) => format!("{name}:{port}"),
            Host::Unix(folder) => folder.display().to_string(),
        }
    });
    let hosts: Vec<String> = hosts.collect();
    format!(
        "postgres://{}/{}",
        hosts.join(","),
        config.get_dbname().or(config.get_user()).unwrap_or_default()
    )
}

fn tls_connector(authorities: &[u8]) -> Result<MakeRustlsConnect, LogError> {
    let mut roots = RootCertStore::empty();
    // A machine without certificates may still reach a database without TLS, or one with an authority given here.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    for certificate in CertificateDer::pem_slice_iter(authorities) {
        let added = certificate.ok().and_then(|certificate| roots.add(certificate).ok());
        added.ok_or_else(|| invalid("given with certificates of authorities in PEM form"))?;
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|_| invalid("one with sslmode=disable, as this machine supports no safe version of TLS"))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// A client whose connection is driven by a task.
pub(super) struct PgConnection {
    pub(super) client: Client,
    /// Set when the server sent a warning, for example that it did not wait for its standby.
    warned: Arc<AtomicBool>,
}

impl PgConnection {
    /// Reports whether the server sent a warning since the last call.
    pub(super) fn take_warning(&self) -> bool {
        self.warned.swap(false, Ordering::Relaxed)
    }
}

fn drive<T>((client, mut connection): (Client, Connection<Socket, T>)) -> PgConnection
where
    T: tokio_postgres::tls::TlsStream + Unpin + Send + 'static,
{
    let warned = Arc::new(AtomicBool::new(false));
    let seen = warned.clone();
    tokio::spawn(async move {
        while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
            match message {
                Ok(AsyncMessage::Notice(notice)) => {
                    tracing::warn!(severity = notice.severity(), "the database says: {}", notice.message());
                    seen.store(notice.severity() == "WARNING", Ordering::Relaxed);
                }
                Ok(_) => {}
                // Every call that waits gets an error of its own.
                Err(_) => break,
            }
        }
    });
    PgConnection { client, warned }
}
