//! The message printed when the server is up: its address, and where to play.

use std::{fmt, net::SocketAddr};

use crate::config::{Settings, Store};

/// Port that the client uses by default.
const DEFAULT_PORT: u16 = 7766;

/// The printed lines.
pub(super) struct StartupMessage<'a> {
    /// The settings, with the actual address of the server.
    pub(super) settings: &'a Settings,
    /// Address of the metrics, if they are served.
    pub(super) metrics: Option<SocketAddr>,
}

impl StartupMessage<'_> {
    /// An address that a client on this machine can use.
    fn local_address(&self) -> SocketAddr {
        let mut address = self.settings.listen;
        match address {
            SocketAddr::V4(_) if address.ip().is_unspecified() => address.set_ip([127, 0, 0, 1].into()),
            SocketAddr::V6(_) if address.ip().is_unspecified() => {
                address.set_ip([0, 0, 0, 0, 0, 0, 0, 1].into());
            }
            _ => {}
        }
        address
    }

    /// The scheme of its addresses.
    fn scheme(&self) -> &'static str {
        if self.settings.tls.files().is_some() { "https" } else { "http" }
    }

    /// The `--server` flag that the client needs, if any.
    fn server_flag(&self) -> String {
        let scheme = self.scheme();
        let address = self.local_address();
        let is_default = scheme == "http" && address.port() == DEFAULT_PORT && address.ip().is_loopback();
        if is_default { String::new() } else { format!(" --server {scheme}://{address}") }
    }
}

impl fmt::Display for StartupMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tls = match (self.settings.tls.files().is_some(), self.settings.tls.client_ca.is_some()) {
            (true, true) => "TLS on both sides",
            (true, false) => "TLS",
            (false, _) => "no TLS",
        };
        let keys = match self.settings.keys.len() {
            0 => String::from("no API keys"),
            1 => String::from("1 API key"),
            count => format!("{count} API keys"),
        };
        let version = env!("CARGO_PKG_VERSION");
        writeln!(f, "parlor-server {version} listens on {} ({tls}, {keys})", self.settings.listen)?;
        match &self.settings.store {
            Store::Sqlite(path) => {
                let file = self.settings.data.join(path);
                writeln!(f, "  tables   in {}", file.display())?;
            }
            Store::Postgres(url) => writeln!(f, "  tables   in {}", url.name())?,
            Store::Memory => writeln!(f, "  tables   in memory: they end with the server")?,
        }
        if let Some(address) = self.metrics {
            writeln!(f, "  metrics  http://{address}/metrics, and http://{address}/ready")?;
        }
        let server = self.server_flag();
        if self.settings.serves_pages() {
            writeln!(f, "  play     {}://{}/", self.scheme(), self.local_address())?;
            write!(f, "  terminal parlor play gap{server}")
        } else {
            write!(f, "  play     parlor play gap{server}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn startup_message(settings: &Settings, address: &str) -> String {
        let settings = &Settings { listen: address.parse().unwrap(), ..settings.clone() };
        StartupMessage { settings, metrics: settings.metrics }.to_string()
    }

    #[test]
    fn startup_message_names_address_store_and_client_command() {
        let mut settings = Settings::default();
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            startup_message(&settings, "127.0.0.1:7766"),
            format!(
                "parlor-server {version} listens on 127.0.0.1:7766 (no TLS, no API keys)\n  \
                 tables   in data/parlor.db\n  \
                 metrics  http://127.0.0.1:7767/metrics, and http://127.0.0.1:7767/ready\n  \
                 play     http://127.0.0.1:7766/\n  \
                 terminal parlor play gap"
            )
        );
        settings.metrics = None;
        settings.store = Store::Memory;
        assert_eq!(
            startup_message(&settings, "127.0.0.1:4000"),
            format!(
                "parlor-server {version} listens on 127.0.0.1:4000 (no TLS, no API keys)\n  \
                 tables   in memory: they end with the server\n  \
                 play     http://127.0.0.1:4000/\n  \
                 terminal parlor play gap --server http://127.0.0.1:4000"
            )
        );
        // Other machines get pages only if the settings say so.
        assert!(startup_message(&settings, "0.0.0.0:7766").ends_with("play     parlor play gap"));
        assert!(startup_message(&settings, "[::]:80").ends_with("--server http://[::1]:80"));
        settings.tls.certificate = Some("c.pem".into());
        settings.tls.key = Some("c.key".into());
        let text = startup_message(&settings, "192.0.2.1:7766");
        assert!(text.contains("(TLS, no API keys)"), "{text}");
        assert!(text.ends_with("  play     parlor play gap --server https://192.0.2.1:7766"), "{text}");
        settings.web.enabled = Some(true);
        let text = startup_message(&settings, "0.0.0.0:7766");
        assert!(
            text.contains("\n  play     https://127.0.0.1:7766/\n  terminal parlor play gap --server"),
            "{text}"
        );
        settings.web.enabled = Some(false);
        let text = startup_message(&settings, "127.0.0.1:7766");
        assert!(text.contains("\n  play     parlor play gap --server"), "{text}");
    }
}
