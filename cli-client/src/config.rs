//! Settings: server, API key, language. Sources in ascending precedence: file, environment, flags.

mod environment;
mod file;
mod flags;

use std::fs;
use std::io::Read;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use parlor_cli::lang;
use parlor_engine::Lang;
use parlor_sdk::{ApiKey, Client};

pub(crate) use environment::Environment;
pub(crate) use flags::Flags;

use crate::errors::Failure;
use crate::exit::Exit;

/// Default server: the default address of a local `parlor-server`.
pub(crate) const DEFAULT_SERVER: &str = "http://127.0.0.1:7766";
/// Default deadline of a call.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of a settings, key or certificate file.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Source of the API key.
#[derive(Clone, PartialEq, Eq, Debug)]
enum KeySource {
    Inline(ApiKey),
    File(PathBuf),
}

/// Settings from one source; unset ones fall through to the source below.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Layer {
    server: Option<String>,
    key: Option<KeySource>,
    ca: Option<PathBuf>,
    client_cert: Option<PathBuf>,
    client_key: Option<PathBuf>,
    server_name: Option<String>,
    timeout: Option<Duration>,
    lang: Option<Lang>,
    name: Option<String>,
}

impl Layer {
    fn over(self, below: Layer) -> Layer {
        Layer {
            server: self.server.or(below.server),
            key: self.key.or(below.key),
            ca: self.ca.or(below.ca),
            client_cert: self.client_cert.or(below.client_cert),
            client_key: self.client_key.or(below.client_key),
            server_name: self.server_name.or(below.server_name),
            timeout: self.timeout.or(below.timeout),
            lang: self.lang.or(below.lang),
            name: self.name.or(below.name),
        }
    }
}

/// Resolved connection and language settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Settings {
    /// URL of the server.
    pub(crate) server: String,
    /// Set if no source names a server.
    pub(crate) server_is_default: bool,
    key: Option<KeySource>,
    ca: Option<PathBuf>,
    client_cert: Option<PathBuf>,
    client_key: Option<PathBuf>,
    server_name: Option<String>,
    timeout: Duration,
    /// The language.
    pub(crate) lang: Lang,
    /// Display name at tables.
    pub(crate) name: Option<String>,
}

impl Settings {
    /// Loads and merges all sources.
    pub(crate) fn load(flags: &Flags, environment: &Environment) -> Result<Settings, Failure> {
        let file = match environment.config_file(flags) {
            Some((path, must_exist)) => file::read(&path, must_exist)?,
            None => Layer::default(),
        };
        let layer = Layer::from_flags(flags).over(Layer::from_environment(environment)?).over(file);
        let locale = |name: &str| environment.variable(name)?.into_string().ok();
        Ok(Settings {
            server: layer.server.as_deref().map_or_else(|| DEFAULT_SERVER.to_owned(), with_scheme),
            server_is_default: layer.server.is_none(),
            key: layer.key,
            ca: layer.ca,
            client_cert: layer.client_cert,
            client_key: layer.client_key,
            server_name: layer.server_name,
            timeout: layer.timeout.unwrap_or(DEFAULT_TIMEOUT),
            lang: lang::choose(layer.lang, locale),
            name: layer.name,
        })
    }

    /// The flag that names the server in a command, with a blank after it; empty for the default server.
    pub(crate) fn server_flag(&self) -> String {
        if self.server_is_default { String::new() } else { format!("--server {} ", self.server) }
    }

    /// Reports whether an API key is configured.
    pub(crate) fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// Reports whether the API key would be sent over an unencrypted network connection.
    pub(crate) fn sends_key_in_plaintext(&self) -> bool {
        self.key.is_some()
            && self.server.starts_with("http://")
            && !is_loopback(&self.server["http://".len()..])
    }

    /// Connects to the server.
    pub(crate) async fn connect(&self) -> Result<Client, Failure> {
        let mut builder = Client::builder(&self.server).deadline(self.timeout).connect_timeout(self.timeout);
        match &self.key {
            Some(KeySource::Inline(key)) => builder = builder.api_key(key.clone()),
            Some(KeySource::File(path)) => {
                let text = String::from_utf8_lossy(&read_file(path)?).trim().to_owned();
                builder = builder.api_key(ApiKey::new(text));
            }
            None => {}
        }
        if let Some(ca) = &self.ca {
            builder = builder.ca_certificate(read_file(ca)?);
        }
        match (&self.client_cert, &self.client_key) {
            (Some(certificate), Some(key)) => {
                builder = builder.client_certificate(read_file(certificate)?, read_file(key)?);
            }
            (None, None) => {}
            _ => {
                return Err(Failure::usage(
                    "a client certificate needs both --client-cert and --client-key",
                    "Ein Zertifikat des Clients braucht --client-cert und --client-key",
                ));
            }
        }
        if let Some(name) = &self.server_name {
            builder = builder.server_name(name);
        }
        Ok(builder.connect().await?)
    }
}

/// Adds a scheme to an address without one: `http` for loopback, `https` otherwise.
fn with_scheme(address: &str) -> String {
    if address.contains("://") {
        return address.to_owned();
    }
    format!("{}://{address}", if is_loopback(address) { "http" } else { "https" })
}

/// Reports whether an address is `localhost` or a loopback IP.
fn is_loopback(address: &str) -> bool {
    let host = match address.split_once(']') {
        Some((host, _)) => host.trim_start_matches('['),
        None => address.split([':', '/']).next().unwrap_or_default(),
    };
    host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// Reads a small file.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    let name = path.display().to_string();
    match fs::File::open(path) {
        Ok(file) => read_limited(file, &name),
        Err(error) => Err(read_failure(&name, &error.to_string())),
    }
}

/// Reads at most [`MAX_FILE_BYTES`]; more is an error.
pub(crate) fn read_limited(from: impl Read, name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    // One byte more, to detect an oversized input.
    let read = from.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| read_failure(name, &error.to_string()))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(read_failure(name, &format!("> {MAX_FILE_BYTES} bytes")));
    }
    Ok(bytes)
}

fn read_failure(name: &str, why: &str) -> Failure {
    Failure::new(
        Exit::Usage,
        "SETTINGS",
        format!("cannot read {name} ({why}): check its name and permissions"),
        format!("{name} ist nicht zu lesen ({why}): Prüfe den Namen und wer sie lesen darf"),
    )
}

#[cfg(test)]
mod tests;
