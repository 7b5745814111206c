//! Which keys there are. They are taken from the defaults, so that no list of them can fall behind the code.

use config::{Map, Value, ValueKind};

use super::{Settings, SettingsError, load::PREFIX};

/// Every key there is, from the defaults.
pub(super) struct Known(toml::Table);

impl Known {
    pub(super) fn new() -> Known {
        Known(toml::Table::try_from(Settings::default()).expect("the settings are plain values in tables"))
    }

    /// Every key with its default, as it stands in a file.
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

    /// The variable of a key.
    pub(super) fn variable(key: &str) -> String {
        format!("{PREFIX}{}", key.replace('.', "_").to_uppercase())
    }

    /// Checks that a file has no other keys and no other sections. Later sources cover earlier ones, so nobody would
    /// see them afterwards.
    pub(super) fn covers(&self, place: &str, values: &Map<String, Value>) -> Result<(), SettingsError> {
        for (name, value) in in_order(values) {
            match (self.0.get(name), &value.kind) {
                (Some(toml::Value::Table(section)), ValueKind::Table(inside)) => {
                    for (key, value) in in_order(inside) {
                        let path = format!("{name}.{key}");
                        match section.get(key) {
                            Some(default) => is_a_value(path, place, value, default)?,
                            None => {
                                let allowed = format!("[{name}] has {}", names_of(section));
                                return Err(SettingsError::unknown_key(path, place, allowed));
                            }
                        }
                    }
                }
                (Some(toml::Value::Table(section)), _) => {
                    let why = format!("expected a section [{name}] with {}", names_of(section));
                    return Err(SettingsError::wrong(name.clone(), place, why));
                }
                (Some(default), _) => is_a_value(name.clone(), place, value, default)?,
                (None, _) => {
                    let allowed = format!("there are {}", names_of(&self.0));
                    return Err(SettingsError::unknown_key(name.clone(), place, allowed));
                }
            }
        }
        Ok(())
    }
}

/// In the order of the alphabet, so that the same file always gives the same error.
fn in_order(values: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut values: Vec<_> = values.iter().collect();
    values.sort_by_key(|(name, _)| *name);
    values
}

fn is_a_value(key: String, place: &str, value: &Value, default: &toml::Value) -> Result<(), SettingsError> {
    match value.kind {
        ValueKind::Table(_) => {
            let why = format!("expected a value such as {default}, got a table");
            Err(SettingsError::wrong(key, place, why))
        }
        _ => Ok(()),
    }
}

fn names_of(table: &toml::Table) -> String {
    table.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}
