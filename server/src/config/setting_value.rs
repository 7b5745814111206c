//! How one value is read and written, wherever it comes from.
//!
//! A file has texts, numbers and booleans; the environment and flags have texts alone. A [`Plain`] type reads any of
//! them strictly (a `true` is no number, a 2.5 is no 2), and says what it would have taken.

use std::{
    fmt,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use serde::{
    Deserializer, Serializer,
    de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

/// A value as a source gives it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Given {
    Text(String),
    Whole(i64),
    Bool(bool),
    /// Nothing that a key takes: named, so that it can be told.
    Other(&'static str),
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Somebody pasted a secret into the wrong place: do not spread it.
            Given::Text(text) if text.contains("plr_") => f.write_str("a text with an API key in it"),
            Given::Text(text) => {
                let start: String = text.chars().take(80).collect();
                write!(f, "{start:?}")?;
                f.write_str(if start.len() < text.len() { "..." } else { "" })
            }
            Given::Whole(number) => write!(f, "{number}"),
            Given::Bool(yes) => write!(f, "{yes}"),
            Given::Other(name) => f.write_str(name),
        }
    }
}

/// A value of the settings.
pub(crate) trait Plain: Sized {
    /// Reads it, if it is allowed.
    fn read(given: &Given) -> Option<Self>;
    /// Writes it, so that it reads as the same.
    fn write(&self) -> Given;
    /// What is allowed, in words that follow "expected".
    fn allowed() -> String;
}

/// For `#[serde(with = "plain")]`.
pub(crate) fn deserialize<'de, T: Plain, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    let given = from.deserialize_any(GivenVisitor)?;
    T::read(&given).ok_or_else(|| D::Error::custom(format!("expected {}, got {given}", T::allowed())))
}

/// For `#[serde(with = "plain")]`.
pub(crate) fn serialize<T: Plain, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    match value.write() {
        Given::Text(text) => to.serialize_str(&text),
        Given::Whole(number) => to.serialize_i64(number),
        Given::Bool(yes) => to.serialize_bool(yes),
        Given::Other(name) => to.serialize_str(name),
    }
}

struct GivenVisitor;

impl<'de> Visitor<'de> for GivenVisitor {
    type Value = Given;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, yes: bool) -> Result<Given, E> {
        Ok(Given::Bool(yes))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Given, E> {
        Ok(Given::Whole(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Given, E> {
        Ok(i64::try_from(number).map_or(Given::Other("a number beyond all bounds"), Given::Whole))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Given, E> {
        Ok(Given::Other("a number with a fraction"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Given, E> {
        Ok(Given::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Given, E> {
        Ok(Given::Text(text))
    }

    fn visit_unit<E>(self) -> Result<Given, E> {
        Ok(Given::Other("nothing"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Given, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Given::Other("a list"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Given, A::Error> {
        while table.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Given::Other("a table"))
    }
}

/// Makes a [`Plain`] type one that serde reads and writes as such.
macro_rules! serde_as_plain {
    ($type:ty $(, [$($generics:tt)*])?) => {
        impl$(<$($generics)*>)? serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                $crate::config::plain::serialize(self, to)
            }
        }

        impl<'de $(, $($generics)*)?> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::config::plain::deserialize(from)
            }
        }
    };
}
pub(crate) use serde_as_plain;

/// One of several words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name {
            $($(#[$word_doc])* $variant,)*
        }

        impl Plain for $name {
            fn read(given: &Given) -> Option<$name> {
                match given {
                    $(Given::Text(text) if text == $word => Some($name::$variant),)*
                    _ => None,
                }
            }

            fn write(&self) -> Given {
                Given::Text(String::from(match self { $($name::$variant => $word,)* }))
            }

            fn allowed() -> String {
                format!("one of {}", [$(concat!("\"", $word, "\"")),*].join(", "))
            }
        }

        serde_as_plain!($name);
    };
}
pub(crate) use words;

impl Plain for bool {
    fn read(given: &Given) -> Option<bool> {
        match given {
            Given::Bool(yes) => Some(*yes),
            Given::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    fn write(&self) -> Given {
        Given::Bool(*self)
    }

    fn allowed() -> String {
        String::from("true or false")
    }
}

impl Plain for SocketAddr {
    fn read(given: &Given) -> Option<SocketAddr> {
        match given {
            Given::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    fn write(&self) -> Given {
        Given::Text(self.to_string())
    }

    fn allowed() -> String {
        String::from("an IP address and a port, such as 127.0.0.1:7766 or [::1]:7766")
    }
}

impl Plain for PathBuf {
    fn read(given: &Given) -> Option<PathBuf> {
        match given {
            Given::Text(text) if !text.is_empty() => Some(PathBuf::from(text)),
            _ => None,
        }
    }

    fn write(&self) -> Given {
        Given::Text(text_of(self))
    }

    fn allowed() -> String {
        String::from("a path")
    }
}

/// A path as text. Paths of the settings come from text, so nothing is lost.
pub(crate) fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// An empty text is none, so that a later source can take away what an earlier one gave.
impl<T: Plain> Plain for Option<T> {
    fn read(given: &Given) -> Option<Option<T>> {
        match given {
            Given::Text(text) if text.is_empty() => Some(None),
            given => T::read(given).map(Some),
        }
    }

    fn write(&self) -> Given {
        self.as_ref().map_or(Given::Text(String::new()), Plain::write)
    }

    fn allowed() -> String {
        format!("{}, or \"\" for none", T::allowed())
    }
}
