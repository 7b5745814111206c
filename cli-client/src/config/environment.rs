//! Process environment: variables of this program, locale, location of the settings file.

use std::ffi::OsString;
use std::path::PathBuf;

use parlor_cli::lang;
use parlor_engine::Lang;
use parlor_sdk::ApiKey;

use super::{Flags, KeySource, Layer};
use crate::errors::Failure;

/// Prefix of this program's variables. The server ignores them.
const PREFIX: &str = "PARLOR_CLI_";

/// Environment variables of the process.
#[derive(Clone, Default)]
pub(crate) struct Environment(pub(super) Vec<(OsString, OsString)>);

impl Environment {
    /// Reads the environment of this process.
    pub(crate) fn from_process() -> Environment {
        Environment(std::env::vars_os().collect())
    }

    /// An environment with these variables.
    #[cfg(test)]
    pub(crate) fn from_variables(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Environment {
        Environment(variables.into_iter().collect())
    }

    /// A variable by its full name; `None` if it is unset or empty.
    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        let (_, value) = self.0.iter().find(|(known, value)| known == name && !value.is_empty())?;
        Some(value.clone())
    }

    /// Language for errors that occur before the settings are loaded.
    pub(crate) fn lang(&self, flags: &Flags) -> Lang {
        let own = self.own_variable("LANG").and_then(|tag| lang::from_tag(tag.to_str()?));
        lang::choose(flags.lang.or(own), |name| self.variable(name)?.into_string().ok())
    }

    /// A variable with this program's prefix.
    fn own_variable(&self, name: &str) -> Option<OsString> {
        self.variable(&format!("{PREFIX}{name}"))
    }

    /// A variable with this program's prefix, as UTF-8.
    pub(crate) fn own_text(&self, name: &str) -> Result<Option<String>, Failure> {
        self.own_variable(name).map(OsString::into_string).transpose().map_err(|_| {
            Failure::usage(
                format!("{PREFIX}{name} must be text in UTF-8"),
                format!("{PREFIX}{name} muss Text in UTF-8 sein"),
            )
        })
    }

    /// Path of the settings file, and whether it must exist: a named one must, the default one need not.
    pub(super) fn config_file(&self, flags: &Flags) -> Option<(PathBuf, bool)> {
        let named = flags.config.clone().or_else(|| self.own_variable("CONFIG").map(PathBuf::from));
        if let Some(path) = named {
            return Some((path, true));
        }
        Some((self.config_folder()?.join("config.toml"), false))
    }

    /// Folder for settings and agent keys.
    pub(crate) fn config_folder(&self) -> Option<PathBuf> {
        // The XDG specification ignores relative paths.
        let folder =
            self.variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
        let folder = folder.or_else(|| Some(PathBuf::from(self.variable("HOME")?).join(".config")))?;
        Some(folder.join("parlor"))
    }
}

impl Layer {
    /// Settings from environment variables. Empty variables count as unset; unknown ones are an error.
    pub(super) fn from_environment(environment: &Environment) -> Result<Layer, Failure> {
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
                format!("unknown variable {PREFIX}{unknown}: the known ones are {known}"),
                format!("Die Variable {PREFIX}{unknown} gibt es nicht: Es gibt {known}"),
            ));
        }
        let file = |name| environment.own_variable(name).map(PathBuf::from);
        let key = environment.own_text("API_KEY")?.map(|key| KeySource::Inline(ApiKey::new(key)));
        let lang = match environment.own_text("LANG")? {
            None => None,
            Some(tag) => Some(lang::from_tag(&tag).ok_or_else(|| {
                Failure::usage(
                    format!("{PREFIX}LANG must be en or de, not {tag:?}"),
                    format!("{PREFIX}LANG muss en oder de sein, nicht {tag:?}"),
                )
            })?),
        };
        let timeout = match environment.own_text("TIMEOUT")? {
            None => None,
            Some(text) => Some(humantime::parse_duration(&text).map_err(|_| {
                Failure::usage(
                    format!("{PREFIX}TIMEOUT must be a time such as 10s, not {text:?}"),
                    format!("{PREFIX}TIMEOUT muss eine Zeit wie 10s sein, nicht {text:?}"),
                )
            })?),
        };
        Ok(Layer {
            server: environment.own_text("SERVER")?,
            key: key.or_else(|| file("API_KEY_FILE").map(KeySource::File)),
            ca: file("CA"),
            client_cert: file("CLIENT_CERT"),
            client_key: file("CLIENT_KEY"),
            server_name: environment.own_text("SERVER_NAME")?,
            timeout,
            lang,
            name: environment.own_text("NAME")?,
        })
    }
}
