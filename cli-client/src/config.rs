//! Settings: which server, which key, which language. From a file, the environment and flags, each on top of the one
//! before.

mod file;

use std::ffi::OsString;
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use parlor_cli::lang;
use parlor_engine::Lang;
use parlor_sdk::{ApiKey, Client};

use crate::errors::Failure;
use crate::exit::Exit;

/// The server if nothing is said: the one that `parlor-server` starts as on this machine.
pub(crate) const DEFAULT_SERVER: &str = "http://127.0.0.1:7766";
/// How long a call may take if nothing is said.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);
/// What the variables of this program begin with. The server leaves them alone.
const PREFIX: &str = "PARLOR_CLI_";
/// The most that a file of settings, a key or a certificate has.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Flags that are good with every command.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Flags {
    /// The server, such as https://parlor.example.org (or PARLOR_CLI_SERVER) [default: http://127.0.0.1:7766]
    #[arg(long, short, global = true, value_name = "ADDRESS")]
    pub(crate) server: Option<String>,

    /// The API key (or PARLOR_CLI_API_KEY). Others on this machine can read flags: a file or the variable is safer
    #[arg(long, global = true, value_name = "KEY", conflicts_with = "api_key_file", hide_short_help = true)]
    pub(crate) api_key: Option<String>,

    /// A file with the API key (or PARLOR_CLI_API_KEY_FILE)
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) api_key_file: Option<PathBuf>,

    /// Who must have signed the server's certificate, in PEM (or PARLOR_CLI_CA) [default: whom the system trusts]
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(crate) ca: Option<PathBuf>,

    /// The certificate of this client, in PEM, for a server that wants one (or PARLOR_CLI_CLIENT_CERT)
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(crate) client_cert: Option<PathBuf>,

    /// The private key of that certificate, in PEM (or PARLOR_CLI_CLIENT_KEY)
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(crate) client_key: Option<PathBuf>,

    /// The name in the server's certificate, if it is not that of the address (or PARLOR_CLI_SERVER_NAME)
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    pub(crate) server_name: Option<String>,

    /// How long a call may take, tries included (or PARLOR_CLI_TIMEOUT) [default: 10s]
    #[arg(long, global = true, value_name = "TIME", value_parser = humantime::parse_duration, hide_short_help = true)]
    pub(crate) timeout: Option<Duration>,

    /// The settings file (or PARLOR_CLI_CONFIG) [default: parlor/config.toml in the folder for settings, ~/.config]
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(crate) config: Option<PathBuf>,

    /// The language: en or de (or PARLOR_CLI_LANG) [default: that of the locale]
    #[arg(long, global = true, value_name = "LANGUAGE", value_parser = parse_lang, help_heading = "Output")]
    pub(crate) lang: Option<Lang>,
}

fn parse_lang(text: &str) -> Result<Lang, String> {
    lang::from_tag(text).ok_or_else(|| "Parlor speaks en and de".to_owned())
}

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

    fn of_flags(flags: &Flags) -> Layer {
        let given = flags.api_key.as_deref().map(|key| KeySource::Given(ApiKey::new(key)));
        Layer {
            server: flags.server.clone(),
            key: given.or_else(|| flags.api_key_file.clone().map(KeySource::File)),
            ca: flags.ca.clone(),
            client_cert: flags.client_cert.clone(),
            client_key: flags.client_key.clone(),
            server_name: flags.server_name.clone(),
            timeout: flags.timeout,
            lang: flags.lang,
            name: None,
        }
    }

    /// The variables, of which one that is empty is not there.
    fn of_environment(environment: &Environment) -> Result<Layer, Failure> {
        const KNOWN: [&str; 12] = [
            "SERVER",
            "API_KEY",
            "API_KEY_FILE",
            "CA",
            "CLIENT_CERT",
            "CLIENT_KEY",
            "SERVER_NAME",
            "TIMEOUT",
            "CONFIG",
            "LANG",
            "NAME",
            "SEAT_TOKEN",
        ];
        let ours = environment.0.iter().filter_map(|(name, _)| name.to_str()?.strip_prefix(PREFIX));
        if let Some(unknown) = ours.clone().find(|name| !KNOWN.contains(name)) {
            let known = KNOWN.map(|name| format!("{PREFIX}{name}")).join(", ");
            return Err(Failure::usage(
                format!("the variable {PREFIX}{unknown} is not known: there are {known}"),
                format!("Die Variable {PREFIX}{unknown} gibt es nicht: Es gibt {known}"),
            ));
        }
        let file = |name| environment.os(name).map(PathBuf::from);
        let key = environment.text("API_KEY")?.map(|key| KeySource::Given(ApiKey::new(key)));
        let lang = match environment.text("LANG")? {
            None => None,
            Some(tag) => Some(lang::from_tag(&tag).ok_or_else(|| {
                Failure::usage(
                    format!("{PREFIX}LANG must be en or de, not {tag:?}"),
                    format!("{PREFIX}LANG muss en oder de sein, nicht {tag:?}"),
                )
            })?),
        };
        let timeout = match environment.text("TIMEOUT")? {
            None => None,
            Some(text) => Some(humantime::parse_duration(&text).map_err(|_| {
                Failure::usage(
                    format!("{PREFIX}TIMEOUT must be a time such as 10s, not {text:?}"),
                    format!("{PREFIX}TIMEOUT muss eine Zeit wie 10s sein, nicht {text:?}"),
                )
            })?),
        };
        Ok(Layer {
            server: environment.text("SERVER")?,
            key: key.or_else(|| file("API_KEY_FILE").map(KeySource::File)),
            ca: file("CA"),
            client_cert: file("CLIENT_CERT"),
            client_key: file("CLIENT_KEY"),
            server_name: environment.text("SERVER_NAME")?,
            timeout,
            lang,
            name: environment.text("NAME")?,
        })
    }
}

/// The environment of the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment(Vec<(OsString, OsString)>);

impl Environment {
    /// That of this process.
    pub(crate) fn of_process() -> Environment {
        Environment(std::env::vars_os().collect())
    }

    /// A variable by its whole name, if it is set to something.
    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        let (_, value) = self.0.iter().find(|(known, value)| known == name && !value.is_empty())?;
        Some(value.clone())
    }

    /// The language to speak before the settings are read.
    pub(crate) fn lang(&self, flags: &Flags) -> Lang {
        let own = self.os("LANG").and_then(|tag| lang::from_tag(tag.to_str()?));
        lang::choose(flags.lang.or(own), |name| self.variable(name)?.into_string().ok())
    }

    /// One of our own variables.
    fn os(&self, name: &str) -> Option<OsString> {
        self.variable(&format!("{PREFIX}{name}"))
    }

    /// One of our own variables, as text.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, Failure> {
        self.os(name).map(OsString::into_string).transpose().map_err(|_| {
            Failure::usage(
                format!("{PREFIX}{name} must be text in UTF-8"),
                format!("{PREFIX}{name} muss Text in UTF-8 sein"),
            )
        })
    }

    /// The settings file that is named, or else the usual one, which need not be there.
    fn file(&self, flags: &Flags) -> Option<(PathBuf, bool)> {
        let named = flags.config.clone().or_else(|| self.os("CONFIG").map(PathBuf::from));
        if let Some(path) = named {
            return Some((path, true));
        }
        // By the rules of XDG a relative folder is none.
        let folder =
            self.variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
        let folder = folder.or_else(|| Some(PathBuf::from(self.variable("HOME")?).join(".config")))?;
        Some((folder.join("parlor").join("config.toml"), false))
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
fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    let unreadable = |why: String| {
        let path = path.display();
        Failure::new(
            Exit::Usage,
            "SETTINGS",
            format!("cannot read {path} ({why}): check its name and who may read it"),
            format!("{path} ist nicht zu lesen ({why}): Prüfe den Namen und wer sie lesen darf"),
        )
    };
    let length = fs::metadata(path).map_err(|error| unreadable(error.to_string()))?.len();
    if length > MAX_FILE_BYTES {
        return Err(unreadable(format!("{length} > {MAX_FILE_BYTES} bytes")));
    }
    fs::read(path).map_err(|error| unreadable(error.to_string()))
}

#[cfg(test)]
mod tests;
