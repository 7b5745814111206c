//! The environment: the variables of this program, the locale, and where the settings file is.

use std::ffi::OsString;
use std::path::PathBuf;

use parlor_cli::lang;
use parlor_engine::Lang;
use parlor_sdk::ApiKey;

use super::{Flags, KeySource, Layer};
use crate::errors::Failure;

/// What the variables of this program begin with. The server leaves them alone.
const PREFIX: &str = "PARLOR_CLI_";

/// The environment of the program.
#[derive(Clone, Default)]
pub(crate) struct Environment(pub(super) Vec<(OsString, OsString)>);

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
    pub(super) fn file(&self, flags: &Flags) -> Option<(PathBuf, bool)> {
        let named = flags.config.clone().or_else(|| self.os("CONFIG").map(PathBuf::from));
        if let Some(path) = named {
            return Some((path, true));
        }
        Some((self.folder()?.join("config.toml"), false))
    }

    /// The folder for what this program keeps.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        // By the rules of XDG a relative folder is none.
        let folder =
            self.variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
        let folder = folder.or_else(|| Some(PathBuf::from(self.variable("HOME")?).join(".config")))?;
        Some(folder.join("parlor"))
    }
}

impl Layer {
    /// The variables, of which one that is empty is not there.
    pub(super) fn of_environment(environment: &Environment) -> Result<Layer, Failure> {
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
