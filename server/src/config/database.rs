//! Section of the settings for a PostgreSQL database, with its password.

use std::{fmt, path::PathBuf};

use parlor_host::Secret;
use serde::{Deserialize, Serialize};

use super::{
    Count,
    setting_value::{self, RawValue, SettingValue, impl_serde_for_setting},
};

/// The PostgreSQL database, if that is the store.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Postgres {
    /// Password, if the address in `store` has none.
    #[serde(with = "setting_value")]
    pub password: Option<Password>,
    /// File with the password, if the address in `store` has none.
    #[serde(with = "setting_value")]
    pub password_file: Option<PathBuf>,
    /// Certificates of authorities that the database's certificate may be signed by, beside those of the machine.
    #[serde(with = "setting_value")]
    pub root_certificates: Option<PathBuf>,
    /// Connections for reads; one more writes.
    pub readers: Count<1, 64>,
}

impl Default for Postgres {
    fn default() -> Postgres {
        Postgres {
            password: None,
            password_file: None,
            root_certificates: None,
            readers: const { Count::new(4) },
        }
    }
}

/// A password. `Debug` does not print it.
#[derive(Clone)]
pub struct Password(Secret<String>);

impl Password {
    /// The password.
    #[must_use]
    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }
}

impl PartialEq for Password {
    fn eq(&self, other: &Password) -> bool {
        self.reveal() == other.reveal()
    }
}

impl Eq for Password {}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

impl SettingValue for Password {
    fn from_raw(raw: &RawValue) -> Option<Password> {
        match raw {
            RawValue::Text(text) if !text.is_empty() => Some(Password(Secret::new(text.clone()))),
            _ => None,
        }
    }

    fn to_raw(&self) -> RawValue {
        RawValue::Text(self.reveal().to_owned())
    }

    fn expected() -> String {
        String::from("a text")
    }

    fn describe(_: &RawValue) -> String {
        String::from("a value of another type")
    }
}

impl_serde_for_setting!(Password);
