//! Connections to the database: address, TLS, and the errors of either.

use std::fmt;
use std::future::poll_fn;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres::error::{Severity, SqlState};
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
/// Silence after which a connection is probed, between two probes, and until one that is not answered is given up: a
/// host that vanished is noticed within seconds.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(5);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(2);
const KEEPALIVE_PROBES: u32 = 3;
const UNACKNOWLEDGED: Duration = Duration::from_secs(10);

/// The oldest version of PostgreSQL that is supported.
const OLDEST_VERSION: u32 = 15;

/// Address of a database: `postgres://USER@HOST[,HOST]/DATABASE?...`. `Debug` shows no password.
#[derive(Clone, PartialEq, Eq)]
pub struct PgUrl(String);

impl PgUrl {
    /// An address from its text.
    ///
    /// # Errors
    /// The text is not an address with a host.
    pub fn parse(text: &str) -> Result<PgUrl, LogError> {
        let has_scheme = ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme));
        if !has_scheme {
            return Err(invalid("one that begins with postgres://"));
        }
        let config = Config::from_str(text)
            .map_err(|_| invalid("postgres://USER@HOST/DATABASE, with parameters behind a ?"))?;
        if config.get_hosts().is_empty() {
            return Err(invalid("one with a host: postgres://USER@HOST/DATABASE"));
        }
        Ok(PgUrl(text.to_owned()))
    }

    /// The text, with the password if it has one.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Hosts and database, without user and password: for messages.
    #[must_use]
    pub fn name(&self) -> String {
        display_name(&self.config())
    }

    /// Reports whether a password travels over a network, or everything else does, without TLS being demanded.
    #[must_use]
    pub fn may_be_unencrypted(&self) -> bool {
        let config = self.config();
        let is_local = |host: &Host| match host {
            Host::Unix(_) => true,
            Host::Tcp(name) => {
                name == "localhost"
                    || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
            }
        };
        config.get_ssl_mode() != SslMode::Require && !config.get_hosts().iter().all(is_local)
    }

    fn config(&self) -> Config {
        // It was parsed before.
        Config::from_str(&self.0).unwrap_or_default()
    }
}

impl fmt::Debug for PgUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PgUrl({})", self.name())
    }
}

impl StoreErrors<'_> {
    /// Converts the error of a call to the database.
    pub(super) fn pg<T>(self, result: Result<T, tokio_postgres::Error>) -> Result<T, LogError> {
        result.map_err(|error| self.translate_pg(&error))
    }

    pub(super) fn translate_pg(self, error: &tokio_postgres::Error) -> LogError {
        let file = self.0.to_owned();
        let why: Arc<str> = describe(error).into();
        let denied = [
            SqlState::INVALID_PASSWORD,
            SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
            SqlState::INVALID_CATALOG_NAME,
            SqlState::INSUFFICIENT_PRIVILEGE,
        ];
        match error.code() {
            Some(&SqlState::DISK_FULL) => LogError::NoSpace { file, why },
            Some(code) if denied.contains(code) => LogError::AccessDenied { file, why },
            None if why.contains("password missing") => LogError::AccessDenied { file, why },
            // Not an answer of the server: it was not reached, or the connection broke.
            None => LogError::Unreachable { file, why },
            Some(_) => LogError::Io { file, why },
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

/// Refuses a server that is too old. Others that speak the protocol have versions of their own.
fn check_version(version: Option<&str>, file: &Path) -> Result<(), LogError> {
    let version = version.unwrap_or_default();
    let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
    match digits.parse::<u32>() {
        Ok(major) if major < OLDEST_VERSION && !version.contains("-YB-") => Err(LogError::OldDatabase {
            file: file.to_owned(),
            found: version.into(),
            oldest: OLDEST_VERSION,
        }),
        _ => Ok(()),
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
    /// A database at this address. The password is used unless the address has one. Certificates of authorities in PEM
    /// form are trusted beside those of the machine.
    ///
    /// # Errors
    /// The certificates cannot be read.
    pub fn new(url: &PgUrl, password: Option<&str>, authorities: &[u8]) -> Result<PgAddress, LogError> {
        let mut config = url.config();
        if let (Some(password), None) = (password, config.get_password()) {
            config.password(password);
        }
        // Reads must see what was acknowledged, so standbys are never asked.
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        config.keepalives_idle(KEEPALIVE_IDLE);
        config.keepalives_interval(KEEPALIVE_INTERVAL).keepalives_retries(KEEPALIVE_PROBES);
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(UNACKNOWLEDGED);
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
    pub(crate) async fn connect(&self) -> Result<PgConnection, LogError> {
        let errors = StoreErrors(&self.name);
        match &self.tls {
            None => drive(errors.pg(self.config.connect(NoTls).await)?, &self.name),
            Some(tls) => drive(errors.pg(self.config.connect(tls.clone()).await)?, &self.name),
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
pub(crate) struct PgConnection {
    pub(crate) client: Client,
    /// Set when the server sent a warning, for example that it did not wait for its standby.
    warned: Arc<AtomicBool>,
}

impl PgConnection {
    /// Reports whether the server sent a warning since the last call.
    pub(super) fn take_warning(&self) -> bool {
        self.warned.swap(false, Ordering::Relaxed)
    }
}

fn drive<T>(
    (client, mut connection): (Client, Connection<Socket, T>),
    name: &Path,
) -> Result<PgConnection, LogError>
where
    T: tokio_postgres::tls::TlsStream + Unpin + Send + 'static,
{
    // CockroachDB announces a version of PostgreSQL that it is not.
    if connection.parameter("crdb_version").is_none() {
        check_version(connection.parameter("server_version"), name)?;
    }
    let warned = Arc::new(AtomicBool::new(false));
    let seen = warned.clone();
    tokio::spawn(async move {
        while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
            match message {
                // The word itself is in the language of the server.
                Ok(AsyncMessage::Notice(notice)) if notice.parsed_severity() == Some(Severity::Warning) => {
                    tracing::warn!("the database warns: {}", notice.message());
                    seen.store(true, Ordering::Relaxed);
                }
                Ok(_) => {}
                // Every call that waits gets an error of its own.
                Err(_) => break,
            }
        }
    });
    Ok(PgConnection { client, warned })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_names_hosts_and_database_without_the_password() {
        for (text, name) in [
            ("postgres://anna:secret@db.example/parlor", "postgres://db.example:5432/parlor"),
            ("postgresql://anna@a:1,b:2/p?sslmode=require", "postgres://a:1,b:2/p"),
            ("postgres://anna@%2Frun%2Fpg/p", "postgres:///run/pg/p"),
        ] {
            let url = PgUrl::parse(text).unwrap();
            assert_eq!(url.name(), name);
            assert_eq!(url.reveal(), text);
            assert!(!format!("{url:?}").contains("secret") && !format!("{url:?}").contains("anna"));
        }
        for text in ["", "host=x user=y", "postgres://", "postgres://u@h/d?sslrootcert=x", "mysql://u@h/d"] {
            assert!(PgUrl::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn password_of_the_address_comes_first() {
        let password = |text: &str| {
            let address = PgAddress::new(&PgUrl::parse(text).unwrap(), Some("given"), &[]).unwrap();
            address.config.get_password().map(<[u8]>::to_vec)
        };
        assert_eq!(password("postgres://u:own@h/d?sslmode=disable").unwrap(), b"own");
        assert_eq!(password("postgres://u@h/d?sslmode=disable").unwrap(), b"given");
    }

    #[test]
    fn connections_that_may_lack_tls_are_known() {
        for (text, expected) in [
            ("postgres://u@db.example/d", true),
            ("postgres://u@db.example/d?sslmode=disable", true),
            ("postgres://u@db.example/d?sslmode=require", false),
            ("postgres://u@127.0.0.1,db.example/d", true),
            ("postgres://u@127.0.0.1,localhost/d", false),
            ("postgres://u@%2Frun%2Fpg/d", false),
        ] {
            assert_eq!(PgUrl::parse(text).unwrap().may_be_unencrypted(), expected, "{text}");
        }
    }

    #[test]
    fn old_servers_are_refused() {
        let check = |version| check_version(version, Path::new("db"));
        for good in
            [None, Some("15.0"), Some("17.6 (Debian 17.6-0+deb13u1)"), Some("11.2-YB-2.25"), Some("devel")]
        {
            assert_eq!(check(good), Ok(()), "{good:?}");
        }
        let refused = check(Some("14.9")).unwrap_err().to_string();
        assert_eq!(refused, "db runs PostgreSQL 14.9, and version 15 or newer is needed: upgrade it");
    }
}
