//! Loading settings: defaults, file, environment and flags, each overriding the previous.

use std::{
    ffi::OsString,
    fmt, fs,
    path::{Path, PathBuf},
};

use config::{Config, ConfigError, FileFormat, Format, Map, Source, Value, ValueKind};
use serde::{
    Deserializer,
    de::{Error, SeqAccess, Visitor},
};

use super::{Flags, Settings, SettingsError, known_keys::KnownKeys, validate};
use crate::identity::{KeyEntry, MAX_KEYS};

/// Prefix of every environment variable.
pub(super) const PREFIX: &str = "PARLOR_";
/// Environment variable that names the file if no flag does.
const FILE_VARIABLE: &str = "PARLOR_CONFIG";
/// Prefixes of variables that are not for the server: those of tests and clients, and those that Kubernetes
/// sets in every container for a service named "parlor".
const FOREIGN_PREFIXES: [&str; 5] =
    ["PARLOR_TEST_", "PARLOR_CLI_", "PARLOR_CLIENT_", "PARLOR_PORT", "PARLOR_SERVICE_"];
/// Maximum size of a settings file: ample for a thousand API keys.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Sources of settings.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Environment variables: names and values.
    pub environment: Vec<(OsString, OsString)>,
    /// The flags.
    pub flags: Flags,
}

impl Sources {
    /// The environment of this process, and its flags.
    #[must_use]
    pub fn from_process(flags: Flags) -> Sources {
        Sources { environment: std::env::vars_os().collect(), flags }
    }

    /// The settings file named by `--config` or by the variable `PARLOR_CONFIG`, if any.
    #[must_use]
    pub fn file(&self) -> Option<PathBuf> {
        let variable = || {
            let mut variables = self.environment.iter();
            let (_, path) = variables.find(|(name, path)| name == FILE_VARIABLE && !path.is_empty())?;
            Some(PathBuf::from(path))
        };
        self.flags.config.clone().or_else(variable)
    }
}

impl Settings {
    /// Reads, merges and validates the sources.
    pub fn load(sources: &Sources) -> Result<Settings, SettingsError> {
        let known = KnownKeys::new();
        let mut builder = Config::builder();
        if let Some(path) = sources.file() {
            builder = builder.add_source(Layer(read_file(&path, &known)?));
        }
        builder = builder.add_source(Layer(read_environment(&sources.environment, &known)?));
        builder = builder.add_source(Layer(read_flags(&sources.flags, &known)?));
        let merged = builder.build().map_err(|error| convert_error(error, &Value::default()))?.cache;
        let settings: Settings =
            merged.clone().try_deserialize().map_err(|error| convert_error(error, &merged))?;
        validate::validate(&settings).map_err(|(key, why)| invalid_value(key.to_owned(), &merged, why))?;
        Ok(settings)
    }
}

/// One source. Each of its values carries its origin.
#[derive(Clone, Debug)]
struct Layer(Map<String, Value>);

impl Source for Layer {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, ConfigError> {
        Ok(self.0.clone())
    }
}

fn read_file(path: &Path, known: &KnownKeys) -> Result<Map<String, Value>, SettingsError> {
    let unreadable = |why| SettingsError::Unreadable { path: path.to_owned(), why };
    if fs::metadata(path).map_err(unreadable)?.len() > MAX_FILE_BYTES {
        let why = std::io::Error::other(format!("it has more than {MAX_FILE_BYTES} bytes"));
        return Err(unreadable(why));
    }
    let text = fs::read_to_string(path).map_err(unreadable)?;
    let origin = path.display().to_string();
    let values = FileFormat::Toml.parse(Some(&origin), &text);
    let values = values.map_err(|error| SettingsError::NotToml {
        path: path.to_owned(),
        why: one_line(&error.to_string()),
    })?;
    known.check_file(&origin, &values)?;
    Ok(values)
}

/// Position and reason of a TOML error, in one line. The lines between show the file, possibly with secrets.
fn one_line(error: &str) -> String {
    let mut lines = error.trim().lines();
    let position = lines.next().unwrap_or_default();
    lines.next_back().map_or(position.to_owned(), |why| format!("{position}: {why}"))
}

fn read_environment(
    environment: &[(OsString, OsString)],
    known: &KnownKeys,
) -> Result<Map<String, Value>, SettingsError> {
    let keys = known.keys();
    let mut values = Map::new();
    for (name, value) in environment {
        let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX)) else {
            continue;
        };
        if name == FILE_VARIABLE || FOREIGN_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
            continue;
        }
        let Some((key, _)) = keys.iter().find(|(key, _)| KnownKeys::environment_variable(key) == name) else {
            return Err(SettingsError::UnknownVariable { name: name.to_owned() });
        };
        let origin = format!("the environment variable {name}");
        let Some(text) = value.to_str() else {
            return Err(SettingsError::invalid_value(
                key.clone(),
                &origin,
                String::from("expected UTF-8 text"),
            ));
        };
        values.insert(key.clone(), Value::new(Some(&origin), text));
    }
    Ok(values)
}

fn read_flags(flags: &Flags, known: &KnownKeys) -> Result<Map<String, Value>, SettingsError> {
    let keys = known.keys();
    let mut values = Map::new();
    for text in &flags.set {
        let origin = String::from("the flag --set");
        let Some((key, value)) = text.split_once('=') else {
            return Err(SettingsError::invalid_value(
                text.clone(),
                &origin,
                String::from("expected a key and a value, such as --set limits.batch_bytes=64KiB"),
            ));
        };
        if !keys.iter().any(|(known, _)| known == key) {
            let allowed = String::from("see `parlor-server --help` for all of them");
            return Err(SettingsError::unknown_key(key.to_owned(), &origin, allowed));
        }
        values.insert(key.to_owned(), Value::new(Some(&origin), value));
    }
    // A dedicated flag overrides --set.
    for (flag, key, value) in flags.given_keys() {
        let origin = format!("the flag --{flag}");
        values.insert(key.to_owned(), Value::new(Some(&origin), value));
    }
    Ok(values)
}

/// Converts an error of the config crate, adding the key and the origin of its value.
fn convert_error(error: ConfigError, merged: &Value) -> SettingsError {
    match error {
        ConfigError::At { error, key: Some(key), .. } => invalid_value(key, merged, error.to_string()),
        ConfigError::Type { unexpected, expected, key: Some(key), .. } => {
            invalid_value(key, merged, format!("expected {expected}, got {unexpected}"))
        }
        ConfigError::NotFound(key) => invalid_value(key, merged, String::from("it is missing")),
        other => invalid_value(String::from("the settings"), merged, other.to_string()),
    }
}

fn invalid_value(key: String, merged: &Value, why: String) -> SettingsError {
    // The config crate writes keys[2]hash for keys[2].hash.
    let key = key.replace(']', "].").replace("..", ".").replace("].[", "][");
    let key = key.trim_end_matches('.').to_owned();
    let origin = origin_of(merged, &key);
    SettingsError::invalid_value(key, &origin, why)
}

/// Origin of a key's value, or of its nearest enclosing value. Keys look like `limits.callers` or
/// `keys[2].hash`.
fn origin_of(merged: &Value, key: &str) -> String {
    let mut value = merged;
    let mut origin = None;
    for step in key.split(['.', '[', ']']).filter(|step| !step.is_empty()) {
        let inside = match &value.kind {
            ValueKind::Table(table) => table.get(step),
            ValueKind::Array(list) => step.parse().ok().and_then(|index: usize| list.get(index)),
            _ => None,
        };
        let Some(inside) = inside else { break };
        value = inside;
        origin = value.origin().or(origin);
    }
    origin.unwrap_or("the defaults").to_owned()
}

/// Deserializes the list of API keys. Any other value is not printed in the error: it may be a key.
pub(super) fn key_list<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<KeyEntry>, D::Error> {
    from.deserialize_any(KeyList)
}

struct KeyList;

const KEY_LIST: &str =
    "expected [[keys]] sections in the settings file, as `parlor-server keys new` prints them";

impl<'de> Visitor<'de> for KeyList {
    type Value = Vec<KeyEntry>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(KEY_LIST)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Vec<KeyEntry>, E> {
        Err(E::custom(KEY_LIST))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<KeyEntry>, A::Error> {
        let mut keys = Vec::new();
        while let Some(key) = list.next_element()? {
            if keys.len() == MAX_KEYS {
                return Err(A::Error::custom(format!("there are more than {MAX_KEYS} keys")));
            }
            keys.push(key);
        }
        Ok(keys)
    }
}
