//! From the sources to the settings: defaults, file, environment, flags, each on top of the one before.

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

use super::{Flags, Settings, SettingsError, check, known::Known};
use crate::identity::{KeyEntry, MAX_KEYS};

/// What every variable begins with.
pub(super) const PREFIX: &str = "PARLOR_";
/// The variable that names the file, where no flag does.
const FILE_VARIABLE: &str = "PARLOR_CONFIG";
/// Variables with our prefix that are not for the server: those of tests and of clients, and those that Kubernetes
/// gives every container beside a service with the name "parlor".
const NOT_OURS: [&str; 4] = ["PARLOR_TEST_", "PARLOR_CLI_", "PARLOR_PORT", "PARLOR_SERVICE_"];
/// The largest settings file that is read: a thousand keys fit in many times.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Where settings come from.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The environment: names and values.
    pub environment: Vec<(OsString, OsString)>,
    /// The flags.
    pub flags: Flags,
}

impl Sources {
    /// The environment of this process, and its flags.
    #[must_use]
    pub fn of_process(flags: Flags) -> Sources {
        Sources { environment: std::env::vars_os().collect(), flags }
    }

    /// The settings file, if one is named: by `--config`, or by the variable `PARLOR_CONFIG`.
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
    /// Reads the sources and checks what they say.
    pub fn load(sources: &Sources) -> Result<Settings, SettingsError> {
        let known = Known::new();
        let mut builder = Config::builder();
        if let Some(path) = sources.file() {
            builder = builder.add_source(Layer(read_file(&path, &known)?));
        }
        builder = builder.add_source(Layer(read_environment(&sources.environment, &known)?));
        builder = builder.add_source(Layer(read_flags(&sources.flags, &known)?));
        let merged = builder.build().map_err(|error| explain(error, &Value::default()))?.cache;
        let settings: Settings = merged.clone().try_deserialize().map_err(|error| explain(error, &merged))?;
        check::check(&settings).map_err(|(key, why)| wrong(key.to_owned(), &merged, why))?;
        Ok(settings)
    }
}

/// One source. Each of its values knows where it stands.
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

fn read_file(path: &Path, known: &Known) -> Result<Map<String, Value>, SettingsError> {
    let unreadable = |why| SettingsError::Unreadable { path: path.to_owned(), why };
    if fs::metadata(path).map_err(unreadable)?.len() > MAX_FILE_BYTES {
        let why = std::io::Error::other(format!("it has more than {MAX_FILE_BYTES} bytes"));
        return Err(unreadable(why));
    }
    let text = fs::read_to_string(path).map_err(unreadable)?;
    let place = path.display().to_string();
    let values = FileFormat::Toml.parse(Some(&place), &text);
    let values = values.map_err(|error| SettingsError::NotToml {
        path: path.to_owned(),
        why: in_one_line(&error.to_string()),
    })?;
    known.covers(&place, &values)?;
    Ok(values)
}

/// The first line of an error of TOML says where, the last one why; those between show the file, secrets included.
fn in_one_line(error: &str) -> String {
    let mut lines = error.trim().lines();
    let place = lines.next().unwrap_or_default();
    lines.next_back().map_or(place.to_owned(), |why| format!("{place}: {why}"))
}

fn read_environment(
    environment: &[(OsString, OsString)],
    known: &Known,
) -> Result<Map<String, Value>, SettingsError> {
    let keys = known.keys();
    let mut values = Map::new();
    for (name, value) in environment {
        let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX)) else {
            continue;
        };
        if name == FILE_VARIABLE || NOT_OURS.iter().any(|prefix| name.starts_with(prefix)) {
            continue;
        }
        let Some((key, _)) = keys.iter().find(|(key, _)| Known::variable(key) == name) else {
            return Err(SettingsError::UnknownVariable { name: name.to_owned() });
        };
        let place = format!("the environment variable {name}");
        let Some(text) = value.to_str() else {
            return Err(SettingsError::wrong(key.clone(), &place, String::from("expected a text in UTF-8")));
        };
        values.insert(key.clone(), Value::new(Some(&place), text));
    }
    Ok(values)
}

fn read_flags(flags: &Flags, known: &Known) -> Result<Map<String, Value>, SettingsError> {
    let keys = known.keys();
    let mut values = Map::new();
    for text in &flags.set {
        let place = String::from("the flag --set");
        let Some((key, value)) = text.split_once('=') else {
            return Err(SettingsError::wrong(
                text.clone(),
                &place,
                String::from("expected a key and a value, such as --set limits.batch_bytes=64KiB"),
            ));
        };
        if !keys.iter().any(|(known, _)| known == key) {
            let allowed = String::from("see `parlor-server --help` for all of them");
            return Err(SettingsError::unknown_key(key.to_owned(), &place, allowed));
        }
        values.insert(key.to_owned(), Value::new(Some(&place), value));
    }
    // A flag of its own says the same more plainly, so it counts.
    for (flag, key, value) in flags.named() {
        let place = format!("the flag --{flag}");
        values.insert(key.to_owned(), Value::new(Some(&place), value));
    }
    Ok(values)
}

/// An error of the layers, as ours: with the key, and the place of its value.
fn explain(error: ConfigError, merged: &Value) -> SettingsError {
    match error {
        ConfigError::At { error, key: Some(key), .. } => wrong(key, merged, error.to_string()),
        ConfigError::Type { unexpected, expected, key: Some(key), .. } => {
            wrong(key, merged, format!("expected {expected}, got {unexpected}"))
        }
        ConfigError::NotFound(key) => wrong(key, merged, String::from("it is missing")),
        other => wrong(String::from("the settings"), merged, other.to_string()),
    }
}

fn wrong(key: String, merged: &Value, why: String) -> SettingsError {
    // The layers write keys[2]hash for keys[2].hash.
    let key = key.replace(']', "].").replace("..", ".").replace("].[", "][");
    let key = key.trim_end_matches('.').to_owned();
    let place = place_of(merged, &key);
    SettingsError::wrong(key, &place, why)
}

/// Where the value of a key stands, or what is nearest around it. Keys look like `limits.callers` or `keys[2].hash`.
fn place_of(merged: &Value, key: &str) -> String {
    let mut value = merged;
    let mut place = None;
    for step in key.split(['.', '[', ']']).filter(|step| !step.is_empty()) {
        let inside = match &value.kind {
            ValueKind::Table(table) => table.get(step),
            ValueKind::Array(list) => step.parse().ok().and_then(|index: usize| list.get(index)),
            _ => None,
        };
        let Some(inside) = inside else { break };
        value = inside;
        place = value.origin().or(place);
    }
    place.unwrap_or("the defaults").to_owned()
}

/// Reads the list of keys. Whatever else stands there is not repeated: it may be a key.
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
