//! Setting types beyond numbers: the store, retention, log formats and URLs.

use std::{path::PathBuf, time::Duration};

use parlor_store::PgUrl;

use super::{
    Span,
    setting_value::{RawValue, SettingValue, impl_serde_for_setting, path_to_string, setting_enum},
};

/// Store of the tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Store {
    /// A SQLite file; a relative path starts in the data folder.
    Sqlite(PathBuf),
    /// A PostgreSQL database.
    Postgres(PgUrl),
    /// Memory, for training: lost when the server stops.
    Memory,
}

impl Store {
    /// The store that a text names.
    #[must_use]
    pub fn parse(text: &str) -> Option<Store> {
        Store::from_raw(&RawValue::Text(text.to_owned()))
    }

    /// Allowed texts, for messages.
    #[must_use]
    pub fn allowed() -> String {
        <Store as SettingValue>::expected()
    }
}

impl SettingValue for Store {
    fn from_raw(raw: &RawValue) -> Option<Store> {
        let RawValue::Text(text) = raw else { return None };
        match text.strip_prefix("sqlite:") {
            Some(path) if !path.is_empty() => Some(Store::Sqlite(PathBuf::from(path))),
            None if text == "memory" => Some(Store::Memory),
            None => PgUrl::parse(text).ok().map(Store::Postgres),
            Some(_) => None,
        }
    }

    fn to_raw(&self) -> RawValue {
        RawValue::Text(match self {
            Store::Sqlite(path) => format!("sqlite:{}", path_to_string(path)),
            Store::Postgres(url) => url.reveal().to_owned(),
            Store::Memory => String::from("memory"),
        })
    }

    fn expected() -> String {
        String::from(
            "\"sqlite:\" and a path, such as \"sqlite:parlor.db\", \"postgres://USER@HOST/DATABASE\", or \"memory\"",
        )
    }
}

impl_serde_for_setting!(Store);

const MINUTE: u64 = 60 * 1000;
const DAY: u64 = 24 * 60 * MINUTE;

/// Retention period.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RetentionPeriod {
    /// Until it is deleted.
    Forever,
    /// At least this long.
    For(Span<MINUTE, { 36500 * DAY }>),
}

impl RetentionPeriod {
    /// A period in days.
    pub(super) const fn days(days: u64) -> RetentionPeriod {
        RetentionPeriod::For(Span::from_ms(days * DAY))
    }

    /// The time after which it may be removed; `None` for never.
    #[must_use]
    pub const fn time(self) -> Option<Duration> {
        match self {
            RetentionPeriod::Forever => None,
            RetentionPeriod::For(span) => Some(span.get()),
        }
    }
}

impl SettingValue for RetentionPeriod {
    fn from_raw(raw: &RawValue) -> Option<RetentionPeriod> {
        match raw {
            RawValue::Text(text) if text == "forever" => Some(RetentionPeriod::Forever),
            raw => Span::from_raw(raw).map(RetentionPeriod::For),
        }
    }

    fn to_raw(&self) -> RawValue {
        match self {
            RetentionPeriod::Forever => RawValue::Text(String::from("forever")),
            RetentionPeriod::For(span) => span.to_raw(),
        }
    }

    fn expected() -> String {
        String::from("a time such as \"30days\", from 1m on, or \"forever\"")
    }
}

impl_serde_for_setting!(RetentionPeriod);

setting_enum! {
    /// Format of log lines.
    LogFormat {
        /// Text for people.
        Text = "text",
        /// One JSON object per line, for machines.
        Json = "json",
    }
}

setting_enum! {
    /// Log level: this level and all more severe ones.
    LogLevel {
        /// Requires attention now.
        Error = "error",
        /// Should be looked into.
        Warn = "warn",
        /// Normal operation: starts, stops, tables.
        Info = "info",
        /// Each request.
        Debug = "debug",
        /// Everything.
        Trace = "trace",
    }
}

/// The URL of another service.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Endpoint(String);

impl Endpoint {
    /// The URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl SettingValue for Endpoint {
    fn from_raw(raw: &RawValue) -> Option<Endpoint> {
        let RawValue::Text(text) = raw else { return None };
        let rest = text.strip_prefix("http://").or(text.strip_prefix("https://"))?;
        // A password in a URL would end up in logs.
        let fits = !rest.is_empty() && !rest.starts_with('/') && !rest.contains('@') && printable(rest);
        fits.then(|| Endpoint(text.clone()))
    }

    fn to_raw(&self) -> RawValue {
        RawValue::Text(self.0.clone())
    }

    fn expected() -> String {
        String::from("a URL such as \"http://localhost:4317\", without a user or password")
    }
}

impl_serde_for_setting!(Endpoint);

/// Reports whether a text has printable ASCII characters only, and no spaces.
pub(super) fn printable(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Valid texts must round-trip; the others must be refused.
    fn check<T: SettingValue>(good: &[&str], bad: &[&str]) {
        for text in good {
            let raw = RawValue::Text((*text).to_owned());
            assert_eq!(T::from_raw(&raw).map(|value| value.to_raw()), Some(raw));
        }
        for text in bad {
            assert!(T::from_raw(&RawValue::Text((*text).to_owned())).is_none(), "{text}");
        }
        assert!(T::from_raw(&RawValue::Integer(3)).is_none());
    }

    #[test]
    fn values_round_trip() {
        check::<Store>(
            &[
                "memory",
                "sqlite:parlor.db",
                "sqlite:/var/lib/p.db",
                "postgres://anna@db1:5433,db2/parlor?sslmode=require",
            ],
            &[
                "",
                "sqlite",
                "sqlite:",
                "Memory",
                "postgres:x",
                "postgres://",
                "postgres://u@h/d?sslrootcert=x",
            ],
        );
        check::<RetentionPeriod>(&["forever", "30days", "1m"], &["", "never", "1s", "30"]);
        check::<LogFormat>(&["text", "json"], &["", "JSON", "xml"]);
        check::<LogLevel>(&["error", "warn", "info", "debug", "trace"], &["", "INFO", "verbose"]);
        check::<Endpoint>(
            &["http://localhost:4317", "https://otel.example/v1"],
            &["", "localhost:4317", "http://", "http:///x", "http://u:p@host", "http://a b"],
        );
        assert_eq!(LogFormat::expected(), "one of \"text\", \"json\"");
    }
}
