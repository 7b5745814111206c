//! Rules between settings: combinations that are invalid although each value is valid.

use std::net::SocketAddr;

use super::{Limits, Settings, Store};
use crate::identity::KeySet;

/// A key, and the reason why its value conflicts with others.
pub(super) type Violation = (&'static str, String);

pub(super) fn validate(settings: &Settings) -> Result<(), Violation> {
    check_tls(settings)?;
    check_keys(settings)?;
    check_exposure(settings)?;
    check_metrics_exposure(settings)?;
    check_password(settings)?;
    if settings.metrics == Some(settings.listen) && settings.listen.port() != 0 {
        let why = format!("listen is {} too: take another port", settings.listen);
        return Err(("metrics", why));
    }
    let limits = &settings.limits;
    if limits.batch_bytes.bytes() > limits.message_bytes.bytes() {
        let why = "a batch must fit into a message: make it smaller, or limits.message_bytes larger";
        return Err(("limits.batch_bytes", String::from(why)));
    }
    check_reader_bytes(limits)
}

/// Each bound of unread bytes fits into the next larger one.
fn check_reader_bytes(limits: &Limits) -> Result<(), Violation> {
    let [batch, reader, connection, caller] = [
        limits.batch_bytes.bytes(),
        limits.reader_bytes.bytes(),
        limits.connection_bytes.bytes(),
        limits.caller_bytes.bytes(),
    ];
    let violation =
        |key, smaller: &str| Err((key, format!("{smaller} is larger: make it smaller, or this one larger")));
    if reader < batch {
        violation("limits.reader_bytes", "limits.batch_bytes")
    } else if connection < reader {
        violation("limits.connection_bytes", "limits.reader_bytes")
    } else if caller < connection {
        violation("limits.caller_bytes", "limits.connection_bytes")
    } else {
        Ok(())
    }
}

fn check_tls(settings: &Settings) -> Result<(), Violation> {
    let tls = &settings.tls;
    let violation = |key, why: &str| Err((key, String::from(why)));
    match (&tls.certificate, &tls.key, &tls.client_ca) {
        (Some(_), None, _) => {
            violation("tls.certificate", "a certificate needs its private key: set tls.key")
        }
        (None, Some(_), _) => {
            violation("tls.key", "a private key needs its certificate: set tls.certificate")
        }
        (None, None, Some(_)) => violation(
            "tls.client_ca",
            "clients show certificates only over TLS: set tls.certificate and tls.key",
        ),
        _ => Ok(()),
    }
}

fn check_keys(settings: &Settings) -> Result<(), Violation> {
    KeySet::new(settings.keys.clone()).map(drop).map_err(|why| ("keys", why.to_string()))
}

fn check_password(settings: &Settings) -> Result<(), Violation> {
    if settings.postgres.password.is_some() && settings.postgres.password_file.is_some() {
        let why = "postgres.password is set, too: keep one of them, best the file";
        return Err(("postgres.password_file", String::from(why)));
    }
    Ok(())
}

/// Reports whether other machines can reach an address.
fn is_exposed(address: SocketAddr) -> bool {
    !address.ip().to_canonical().is_loopback()
}

/// An address reachable from other machines needs keys and TLS, unless `insecure` is set.
fn check_exposure(settings: &Settings) -> Result<(), Violation> {
    let address = settings.listen;
    let missing = match (settings.keys.is_empty(), settings.tls.files().is_none()) {
        (true, true) => "there are no API keys and no TLS",
        (true, false) => "there are no API keys",
        (false, true) => "there is no TLS",
        (false, false) => return Ok(()),
    };
    if settings.insecure || !is_exposed(address) {
        return Ok(());
    }
    let why = format!(
        "other machines can reach {address}, and {missing}: add [[keys]] (parlor-server keys new) and [tls], \
         take an address such as 127.0.0.1:{}, or say insecure = true (--insecure)",
        address.port()
    );
    Err(("listen", why))
}

/// The metrics port has neither keys nor TLS, so those of the main port do not protect it.
fn check_metrics_exposure(settings: &Settings) -> Result<(), Violation> {
    let Some(address) = settings.exposed_metrics() else { return Ok(()) };
    if settings.insecure || settings.metrics_public {
        return Ok(());
    }
    let why = format!(
        "other machines can reach {address}, and the metrics have neither keys nor TLS: take an address such as \
         127.0.0.1:{}, or say metrics_public = true",
        address.port()
    );
    Err(("metrics", why))
}

impl Settings {
    /// The metrics address, if other machines can reach it.
    fn exposed_metrics(&self) -> Option<SocketAddr> {
        self.metrics.filter(|address| is_exposed(*address))
    }

    /// Reports whether the server has pages for browsers.
    #[must_use]
    pub fn serves_pages(&self) -> bool {
        self.web.enabled.unwrap_or(!is_exposed(self.listen))
    }

    /// Warnings for the operator about who can use the server, one line each.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let local = !is_exposed(self.listen);
        if self.keys.is_empty() {
            let who = if local { "on this machine" } else { "who can reach it" };
            warnings.push(format!(
                "no API key is configured: everyone {who} may do everything at {}",
                self.listen
            ));
        }
        if !local && self.tls.files().is_none() {
            warnings.push(format!(
                "no TLS is configured: keys, tokens and hands travel in the clear to {}",
                self.listen
            ));
        }
        if let Some(address) = self.exposed_metrics() {
            warnings.push(format!("everyone who can reach {address} may read the metrics"));
        }
        if let Store::Postgres(url) = &self.store
            && url.may_be_unencrypted()
        {
            warnings.push(format!(
                "the connection to {} may lack TLS: add sslmode=require to the address",
                url.name()
            ));
        }
        warnings
    }
}
