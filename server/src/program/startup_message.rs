//! What the server prints when it is up: where it listens, and what to type next.

use std::{fmt, net::SocketAddr};

use crate::config::{Settings, Store};

/// The address that the client takes when none is named.
const USUAL_PORT: u16 = 7766;

/// The lines that are printed.
pub(super) struct Greeting<'a> {
    /// The settings, with the address that the server listens on.
    pub(super) settings: &'a Settings,
    /// Where the metrics are, if anywhere.
    pub(super) metrics: Option<SocketAddr>,
}

impl Greeting<'_> {
    /// An address that a client on this machine can use.
    fn reachable(&self) -> SocketAddr {
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

    /// What the client must be told beside the command.
    fn server_flag(&self) -> String {
        let scheme = if self.settings.tls.files().is_some() { "https" } else { "http" };
        let address = self.reachable();
        let usual = scheme == "http" && address.port() == USUAL_PORT && address.ip().is_loopback();
        if usual { String::new() } else { format!(" --server {scheme}://{address}") }
    }
}

impl fmt::Display for Greeting<'_> {
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
            Store::Memory => writeln!(f, "  tables   in memory: they end with the server")?,
        }
        if let Some(address) = self.metrics {
            writeln!(f, "  metrics  http://{address}/metrics, and http://{address}/ready")?;
        }
        let server = self.server_flag();
        write!(f, "  play     parlor play gap{server}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn greeting(settings: &Settings, address: &str) -> String {
        let settings = &Settings { listen: address.parse().unwrap(), ..settings.clone() };
        Greeting { settings, metrics: settings.metrics }.to_string()
    }

    #[test]
    fn it_says_where_and_what_to_type() {
        let mut settings = Settings::default();
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            greeting(&settings, "127.0.0.1:7766"),
            format!(
                "parlor-server {version} listens on 127.0.0.1:7766 (no TLS, no API keys)\n  \
                 tables   in data/parlor.db\n  \
                 metrics  http://127.0.0.1:7767/metrics, and http://127.0.0.1:7767/ready\n  \
                 play     parlor play gap"
            )
        );
        settings.metrics = None;
        settings.store = Store::Memory;
        assert_eq!(
            greeting(&settings, "127.0.0.1:4000"),
            format!(
                "parlor-server {version} listens on 127.0.0.1:4000 (no TLS, no API keys)\n  \
                 tables   in memory: they end with the server\n  \
                 play     parlor play gap --server http://127.0.0.1:4000"
            )
        );
        assert!(greeting(&settings, "0.0.0.0:7766").ends_with("play     parlor play gap"));
        assert!(greeting(&settings, "[::]:80").ends_with("--server http://[::1]:80"));
        settings.tls.certificate = Some("c.pem".into());
        settings.tls.key = Some("c.key".into());
        let text = greeting(&settings, "192.0.2.1:7766");
        assert!(text.contains("(TLS, no API keys)"), "{text}");
        assert!(text.ends_with("parlor play gap --server https://192.0.2.1:7766"), "{text}");
    }
}
