//! All keys of the settings, taken from the defaults, so that the list is always complete.

use config::{Map, Value, ValueKind};

use super::{Settings, SettingsError, load::PREFIX};

/// All keys, with their defaults.
pub(super) struct KnownKeys(toml::Table);

impl KnownKeys {
    pub(super) fn new() -> KnownKeys {
        KnownKeys(toml::Table::try_from(Settings::default()).expect("settings serialise to TOML tables"))
    }

    /// All keys with their defaults, as written in a file.
    pub(super) fn keys(&self) -> Vec<(String, toml::Value)> {
        let mut keys = Vec::new();
        for (name, value) in &self.0 {
            match value {
                toml::Value::Table(section) => {
                    let inside = section.iter();
                    keys.extend(inside.map(|(key, value)| (format!("{name}.{key}"), value.clone())));
                }
                value => keys.push((name.clone(), value.clone())),
            }
        }
        keys
    }

    /// Environment variable of a key.
    pub(super) fn environment_variable(key: &str) -> String {
        format!("{PREFIX}{}", key.replace('.', "_").to_uppercase())
    }

    /// Checks that a file has no unknown keys or sections. This must happen before merging, because later
    /// sources would hide them.
    pub(super) fn check_file(&self, origin: &str, values: &Map<String, Value>) -> Result<(), SettingsError> {
        for (name, value) in sorted(values) {
            match (self.0.get(name), &value.kind) {
                (Some(toml::Value::Table(section)), ValueKind::Table(inside)) => {
                    for (key, value) in sorted(inside) {
                        let path = format!("{name}.{key}");
                        match section.get(key) {
                            Some(default) => require_value(path, origin, value, default)?,
                            None => {
                                let allowed = format!("[{name}] has {}", key_names(section));
                                return Err(SettingsError::unknown_key(path, origin, allowed));
                            }
                        }
                    }
                }
                (Some(toml::Value::Table(section)), _) => {
                    let why = format!("expected a section [{name}] with {}", key_names(section));
                    return Err(SettingsError::invalid_value(name.clone(), origin, why));
                }
                (Some(default), _) => require_value(name.clone(), origin, value, default)?,
                (None, _) => {
                    let allowed = format!("there are {}", key_names(&self.0));
                    return Err(SettingsError::unknown_key(name.clone(), origin, allowed));
                }
            }
        }
        Ok(())
    }
}

/// Sorts by name, so that the same file always gives the same error.
fn sorted(values: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut values: Vec<_> = values.iter().collect();
    values.sort_by_key(|(name, _)| *name);
    values
}

fn require_value(
    key: String,
    origin: &str,
    value: &Value,
    default: &toml::Value,
) -> Result<(), SettingsError> {
    match value.kind {
        ValueKind::Table(_) => {
            let why = format!("expected a value such as {default}, got a table");
            Err(SettingsError::invalid_value(key, origin, why))
        }
        _ => Ok(()),
    }
}

fn key_names(table: &toml::Table) -> String {
    table.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}
