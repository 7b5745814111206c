//! Values of the settings that are more than a number: the store, retention, formats, addresses of others.

use std::{fmt, path::PathBuf, time::Duration};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, SeqAccess, Visitor},
};

use super::{
    Span,
    plain::{Given, Plain, serde_as_plain, text_of, words},
};

/// Where tables are kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Store {
    /// In a SQLite file; a relative path begins in the data folder.
    Sqlite(PathBuf),
    /// In memory, for training: gone when the server stops.
    Memory,
}

impl Plain for Store {
    fn read(given: &Given) -> Option<Store> {
        let Given::Text(text) = given else { return None };
        match text.strip_prefix("sqlite:") {
            Some(path) if !path.is_empty() => Some(Store::Sqlite(PathBuf::from(path))),
            None if text == "memory" => Some(Store::Memory),
            _ => None,
        }
    }

    fn write(&self) -> Given {
        Given::Text(match self {
            Store::Sqlite(path) => format!("sqlite:{}", text_of(path)),
            Store::Memory => String::from("memory"),
        })
    }

    fn allowed() -> String {
        String::from("\"sqlite:\" and a path, such as \"sqlite:parlor.db\", or \"memory\"")
    }
}

serde_as_plain!(Store);

const MINUTE: u64 = 60 * 1000;
const DAY: u64 = 24 * 60 * MINUTE;

/// How long something is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Until somebody deletes it.
    Forever,
    /// At least this long.
    For(Span<MINUTE, { 36500 * DAY }>),
}

impl Keep {
    /// So many days.
    pub(super) const fn days(days: u64) -> Keep {
        Keep::For(Span::of_ms(days * DAY))
    }

    /// The time after which it may go, if it ever may.
    #[must_use]
    pub const fn time(self) -> Option<Duration> {
        match self {
            Keep::Forever => None,
            Keep::For(span) => Some(span.get()),
        }
    }
}

impl Plain for Keep {
    fn read(given: &Given) -> Option<Keep> {
        match given {
            Given::Text(text) if text == "forever" => Some(Keep::Forever),
            given => Span::read(given).map(Keep::For),
        }
    }

    fn write(&self) -> Given {
        match self {
            Keep::Forever => Given::Text(String::from("forever")),
            Keep::For(span) => span.write(),
        }
    }

    fn allowed() -> String {
        String::from("a time such as \"30days\", from 1m on, or \"forever\"")
    }
}

serde_as_plain!(Keep);

words! {
    /// How log lines look.
    LogFormat {
        /// For people.
        Text = "text",
        /// For machines: one JSON object a line.
        Json = "json",
    }
}

words! {
    /// How much is logged: this and everything graver.
    LogLevel {
        /// What somebody must look at.
        Error = "error",
        /// What somebody should look at.
        Warn = "warn",
        /// What happens: starts, stops, tables.
        Info = "info",
        /// What each request does.
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

impl Plain for Endpoint {
    fn read(given: &Given) -> Option<Endpoint> {
        let Given::Text(text) = given else { return None };
        let rest = text.strip_prefix("http://").or(text.strip_prefix("https://"))?;
        // A password in a URL would end up in logs.
        let fits = !rest.is_empty() && !rest.starts_with('/') && !rest.contains('@') && printable(rest);
        fits.then(|| Endpoint(text.clone()))
    }

    fn write(&self) -> Given {
        Given::Text(self.0.clone())
    }

    fn allowed() -> String {
        String::from("a URL such as \"http://localhost:4317\", without a user or password")
    }
}

serde_as_plain!(Endpoint);

fn printable(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_graphic())
}

/// The web pages that browsers let call the server, by their origin; `*` is all of them.
///
/// In the environment and in flags they are separated by commas.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origins(Vec<String>);

impl Origins {
    /// The most origins that may be named.
    pub const MOST: usize = 256;
    const ALLOWED: &str = "a list of up to 256 origins such as \"https://example.org\", or \"*\" for all";

    /// Every origin that is named.
    #[must_use]
    pub fn named(&self) -> &[String] {
        &self.0
    }

    /// Whether every page may call.
    #[must_use]
    pub fn any(&self) -> bool {
        self.0.iter().any(|origin| origin == "*")
    }

    fn read(texts: Vec<String>) -> Option<Origins> {
        let allowed = |text: &String| {
            let host = text.strip_prefix("http://").or(text.strip_prefix("https://"));
            text == "*"
                || host.is_some_and(|host| {
                    !host.is_empty() && !host.contains(['/', '@', '*']) && printable(host)
                })
        };
        (texts.len() <= Origins::MOST && texts.iter().all(allowed)).then_some(Origins(texts))
    }
}

impl Serialize for Origins {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Origins {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Origins, D::Error> {
        from.deserialize_any(OriginsVisitor)
    }
}

struct OriginsVisitor;

impl<'de> Visitor<'de> for OriginsVisitor {
    type Value = Origins;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Origins::ALLOWED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Origins, E> {
        let texts = text.split(',').map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let given = || Given::Text(text.to_owned());
        Origins::read(texts.collect())
            .ok_or_else(|| E::custom(format!("expected {}, got {}", Origins::ALLOWED, given())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Origins, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = list.next_element()? {
            texts.push(text);
        }
        Origins::read(texts).ok_or_else(|| A::Error::custom(format!("expected {}", Origins::ALLOWED)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts that read, written again; the others must be refused.
    fn check<T: Plain>(good: &[&str], bad: &[&str]) {
        for text in good {
            let given = Given::Text((*text).to_owned());
            assert_eq!(T::read(&given).map(|value| value.write()), Some(given));
        }
        for text in bad {
            assert!(T::read(&Given::Text((*text).to_owned())).is_none(), "{text}");
        }
        assert!(T::read(&Given::Whole(3)).is_none());
    }

    #[test]
    fn values_read_as_they_are_written() {
        check::<Store>(
            &["memory", "sqlite:parlor.db", "sqlite:/var/lib/p.db"],
            &["", "sqlite", "sqlite:", "Memory", "postgres:x"],
        );
        check::<Keep>(&["forever", "30days", "1m"], &["", "never", "1s", "30"]);
        check::<LogFormat>(&["text", "json"], &["", "JSON", "xml"]);
        check::<LogLevel>(&["error", "warn", "info", "debug", "trace"], &["", "INFO", "verbose"]);
        check::<Endpoint>(
            &["http://localhost:4317", "https://otel.example/v1"],
            &["", "localhost:4317", "http://", "http:///x", "http://u:p@host", "http://a b"],
        );
        assert_eq!(LogFormat::allowed(), "one of \"text\", \"json\"");
    }

    #[test]
    fn origins_are_origins() {
        let read = |texts: &[&str]| Origins::read(texts.iter().map(|text| (*text).to_owned()).collect());
        assert!(!read(&["https://example.org", "http://localhost:8080"]).unwrap().any());
        assert!(read(&["*"]).unwrap().any());
        for bad in ["", "example.org", "https://", "https://example.org/page", "https://*.org", "ftp://x"] {
            assert_eq!(read(&[bad]), None, "{bad}");
        }
        assert_eq!(read(&["*"; 257]), None);
    }
}
