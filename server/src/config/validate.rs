//! Rules between keys: what each allows by itself, but not together.

use std::net::SocketAddr;

use super::Settings;
use crate::identity::KeySet;

/// A key, and why its value does not go with the others.
pub(super) type Broken = (&'static str, String);

pub(super) fn check(settings: &Settings) -> Result<(), Broken> {
    tls(settings)?;
    keys(settings)?;
    exposure("listen", Some(settings.listen), settings)?;
    exposure("metrics", settings.metrics, settings)?;
    if settings.metrics == Some(settings.listen) && settings.listen.port() != 0 {
        let why = format!("listen is {} too: take another port", settings.listen);
        return Err(("metrics", why));
    }
    let limits = &settings.limits;
    if limits.batch_bytes.bytes() > limits.message_bytes.bytes() {
        let why = "a batch must fit into a message: make it smaller, or limits.message_bytes larger";
        return Err(("limits.batch_bytes", String::from(why)));
    }
    Ok(())
}

fn tls(settings: &Settings) -> Result<(), Broken> {
    let tls = &settings.tls;
    let broken = |key, why: &str| Err((key, String::from(why)));
    match (&tls.certificate, &tls.key, &tls.client_ca) {
        (Some(_), None, _) => broken("tls.certificate", "a certificate needs its private key: set tls.key"),
        (None, Some(_), _) => broken("tls.key", "a private key needs its certificate: set tls.certificate"),
        (None, None, Some(_)) => broken(
            "tls.client_ca",
            "clients show certificates only over TLS: set tls.certificate and tls.key",
        ),
        _ => Ok(()),
    }
}

fn keys(settings: &Settings) -> Result<(), Broken> {
    KeySet::new(settings.keys.clone()).map(drop).map_err(|why| ("keys", why.to_string()))
}

/// What other machines can reach needs keys and TLS, or somebody who says that it does not.
fn exposure(key: &'static str, address: Option<SocketAddr>, settings: &Settings) -> Result<(), Broken> {
    let Some(address) = address else { return Ok(()) };
    let missing = match (settings.keys.is_empty(), settings.tls.files().is_none()) {
        (true, true) => "there are no API keys and no TLS",
        (true, false) => "there are no API keys",
        (false, true) => "there is no TLS",
        (false, false) => return Ok(()),
    };
    if settings.insecure || address.ip().to_canonical().is_loopback() {
        return Ok(());
    }
    let why = format!(
        "other machines can reach {address}, and {missing}: add [[keys]] (parlor-server keys new) and [tls], \
         take an address such as 127.0.0.1:{}, or say insecure = true (--insecure)",
        address.port()
    );
    Err((key, why))
}

impl Settings {
    /// What whoever starts the server should know about who can use it, one line each.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let local = self.listen.ip().to_canonical().is_loopback();
        if self.keys.is_empty() {
            let whoever = if local { "on this machine" } else { "who can reach it" };
            warnings.push(format!(
                "no API key is configured: everyone {whoever} may do everything at {}",
                self.listen
            ));
        }
        if !local && self.tls.files().is_none() {
            warnings.push(format!(
                "no TLS is configured: keys, tokens and hands travel in the clear to {}",
                self.listen
            ));
        }
        warnings
    }
}
