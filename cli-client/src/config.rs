//! Settings: which server, which key, which language. From a file, the environment and flags, each on top of the one
//! before.

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

/// The server if nothing is said: the one that `parlor-server` starts as on this machine.
pub(crate) const DEFAULT_SERVER: &str = "http://127.0.0.1:7766";
/// How long a call may take if nothing is said.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);
/// The most that a file of settings, a key or a certificate has.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Where the API key is.
#[derive(Clone, PartialEq, Eq, Debug)]
enum KeySource {
    Given(ApiKey),
    File(PathBuf),
}

/// What one source says. What it does not say is left to the source below.
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

/// How to reach the server, and how to speak.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Settings {
    /// The address of the server.
    pub(crate) server: String,
    /// Whether it is the one that is used if nothing is said.
    pub(crate) server_is_default: bool,
    key: Option<KeySource>,
    ca: Option<PathBuf>,
    client_cert: Option<PathBuf>,
    client_key: Option<PathBuf>,
    server_name: Option<String>,
    timeout: Duration,
    /// The language.
    pub(crate) lang: Lang,
    /// The name that others at a table see.
    pub(crate) name: Option<String>,
}

impl Settings {
    /// Reads all sources.
    pub(crate) fn load(flags: &Flags, environment: &Environment) -> Result<Settings, Failure> {
        let file = match environment.file(flags) {
            Some((path, must_exist)) => file::read(&path, must_exist)?,
            None => Layer::default(),
        };
        let layer = Layer::of_flags(flags).over(Layer::of_environment(environment)?).over(file);
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

    /// Whether there is an API key.
    pub(crate) fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// Whether a key would go over the network for everyone on the way to read.
    pub(crate) fn shows_its_key(&self) -> bool {
        self.key.is_some() && self.server.starts_with("http://") && !is_local(&self.server["http://".len()..])
    }

    /// Connects.
    pub(crate) async fn connect(&self) -> Result<Client, Failure> {
        let mut builder = Client::builder(&self.server).deadline(self.timeout).connect_timeout(self.timeout);
        match &self.key {
            Some(KeySource::Given(key)) => builder = builder.api_key(key.clone()),
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

/// An address with its scheme: without one, this machine is reached plainly and every other one encrypted.
fn with_scheme(address: &str) -> String {
    if address.contains("://") {
        return address.to_owned();
    }
    format!("{}://{address}", if is_local(address) { "http" } else { "https" })
}

/// Whether an address is one of this machine.
fn is_local(address: &str) -> bool {
    let host = match address.split_once(']') {
        Some((host, _)) => host.trim_start_matches('['),
        None => address.split([':', '/']).next().unwrap_or_default(),
    };
    host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// A small file, or what to do about it.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    let name = path.display().to_string();
    match fs::File::open(path) {
        Ok(file) => read_all(file, &name),
        Err(error) => Err(unreadable(&name, &error.to_string())),
    }
}

/// All that comes from somewhere, if that is not too much.
pub(crate) fn read_all(from: impl Read, name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    // One byte more, to see that it is too many.
    let read = from.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(name, &error.to_string()))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(unreadable(name, &format!("> {MAX_FILE_BYTES} bytes")));
    }
    Ok(bytes)
}

fn unreadable(name: &str, why: &str) -> Failure {
    Failure::new(
        Exit::Usage,
        "SETTINGS",
        format!("cannot read {name} ({why}): check its name and who may read it"),
        format!("{name} ist nicht zu lesen ({why}): Prüfe den Namen und wer sie lesen darf"),
    )
}

#[cfg(test)]
mod tests;
