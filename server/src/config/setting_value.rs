//! Parsing and formatting of a single setting, from any source.
//!
//! A file has strings, numbers and booleans; the environment and flags have strings alone. A [`SettingValue`]
//! type parses any of them strictly (`true` is not a number, 2.5 is not 2), and describes what it expects.

use std::{
    fmt,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use serde::{
    Deserializer, Serializer,
    de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

/// An unparsed value of a source.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum RawValue {
    Text(String),
    Integer(i64),
    Bool(bool),
    /// A type that no key accepts, described for the error message.
    Unsupported(&'static str),
}

impl fmt::Display for RawValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // An API key pasted into the wrong place must not be printed.
            RawValue::Text(text) if text.contains("plr_") => f.write_str("a text with an API key in it"),
            // So must the password of a database.
            RawValue::Text(text) if text.contains("://") && text.contains('@') => {
                f.write_str("a URL with a user in it")
            }
            RawValue::Text(text) => {
                let start: String = text.chars().take(80).collect();
                write!(f, "{start:?}")?;
                f.write_str(if start.len() < text.len() { "..." } else { "" })
            }
            RawValue::Integer(number) => write!(f, "{number}"),
            RawValue::Bool(yes) => write!(f, "{yes}"),
            RawValue::Unsupported(name) => f.write_str(name),
        }
    }
}

/// Type of a setting's value.
pub(crate) trait SettingValue: Sized {
    /// Parses the value, if it is allowed.
    fn from_raw(raw: &RawValue) -> Option<Self>;
    /// Formats the value, so that it parses to the same.
    fn to_raw(&self) -> RawValue;
    /// Description of the allowed values, following "expected".
    fn expected() -> String;
    /// Description of a refused value, following "got".
    fn describe(raw: &RawValue) -> String {
        raw.to_string()
    }
}

/// For `#[serde(with = "setting_value")]`.
pub(crate) fn deserialize<'de, T: SettingValue, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    let raw = from.deserialize_any(RawValueVisitor)?;
    T::from_raw(&raw)
        .ok_or_else(|| D::Error::custom(format!("expected {}, got {}", T::expected(), T::describe(&raw))))
}

/// For `#[serde(with = "setting_value")]`.
pub(crate) fn serialize<T: SettingValue, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    match value.to_raw() {
        RawValue::Text(text) => to.serialize_str(&text),
        RawValue::Integer(number) => to.serialize_i64(number),
        RawValue::Bool(yes) => to.serialize_bool(yes),
        RawValue::Unsupported(name) => to.serialize_str(name),
    }
}

struct RawValueVisitor;

impl<'de> Visitor<'de> for RawValueVisitor {
    type Value = RawValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, yes: bool) -> Result<RawValue, E> {
        Ok(RawValue::Bool(yes))
    }

    fn visit_i64<E>(self, number: i64) -> Result<RawValue, E> {
        Ok(RawValue::Integer(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<RawValue, E> {
        Ok(i64::try_from(number).map_or(RawValue::Unsupported("a number out of range"), RawValue::Integer))
    }

    fn visit_f64<E>(self, _: f64) -> Result<RawValue, E> {
        Ok(RawValue::Unsupported("a number with a fraction"))
    }

    fn visit_str<E>(self, text: &str) -> Result<RawValue, E> {
        Ok(RawValue::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<RawValue, E> {
        Ok(RawValue::Text(text))
    }

    fn visit_unit<E>(self) -> Result<RawValue, E> {
        Ok(RawValue::Unsupported("nothing"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<RawValue, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(RawValue::Unsupported("a list"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<RawValue, A::Error> {
        while table.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(RawValue::Unsupported("a table"))
    }
}

/// Implements serde's traits for a [`SettingValue`] type.
macro_rules! impl_serde_for_setting {
    ($type:ty $(, [$($generics:tt)*])?) => {
        impl$(<$($generics)*>)? serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                $crate::config::setting_value::serialize(self, to)
            }
        }

        impl<'de $(, $($generics)*)?> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::config::setting_value::deserialize(from)
            }
        }
    };
}
pub(crate) use impl_serde_for_setting;

/// Defines an enum of setting values, each with its word in the settings file.
macro_rules! setting_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name {
            $($(#[$word_doc])* $variant,)*
        }

        impl SettingValue for $name {
            fn from_raw(raw: &RawValue) -> Option<$name> {
                match raw {
                    $(RawValue::Text(text) if text == $word => Some($name::$variant),)*
                    _ => None,
                }
            }

            fn to_raw(&self) -> RawValue {
                RawValue::Text(String::from(match self { $($name::$variant => $word,)* }))
            }

            fn expected() -> String {
                format!("one of {}", [$(concat!("\"", $word, "\"")),*].join(", "))
            }
        }

        impl_serde_for_setting!($name);
    };
}
pub(crate) use setting_enum;

impl SettingValue for bool {
    fn from_raw(raw: &RawValue) -> Option<bool> {
        match raw {
            RawValue::Bool(yes) => Some(*yes),
            RawValue::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    fn to_raw(&self) -> RawValue {
        RawValue::Bool(*self)
    }

    fn expected() -> String {
        String::from("true or false")
    }
}

impl SettingValue for SocketAddr {
    fn from_raw(raw: &RawValue) -> Option<SocketAddr> {
        match raw {
            RawValue::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    fn to_raw(&self) -> RawValue {
        RawValue::Text(self.to_string())
    }

    fn expected() -> String {
        String::from("an IP address and a port, such as 127.0.0.1:7766 or [::1]:7766")
    }
}

impl SettingValue for PathBuf {
    fn from_raw(raw: &RawValue) -> Option<PathBuf> {
        match raw {
            RawValue::Text(text) if !text.is_empty() => Some(PathBuf::from(text)),
            _ => None,
        }
    }

    fn to_raw(&self) -> RawValue {
        RawValue::Text(path_to_string(self))
    }

    fn expected() -> String {
        String::from("a path")
    }
}

/// A path as text. Paths of settings come from text, so the conversion is lossless.
pub(crate) fn path_to_string(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// An empty text is `None`, so that a later source can unset a value of an earlier one.
impl<T: SettingValue> SettingValue for Option<T> {
    fn from_raw(raw: &RawValue) -> Option<Option<T>> {
        match raw {
            RawValue::Text(text) if text.is_empty() => Some(None),
            raw => T::from_raw(raw).map(Some),
        }
    }

    fn to_raw(&self) -> RawValue {
        self.as_ref().map_or(RawValue::Text(String::new()), SettingValue::to_raw)
    }

    fn expected() -> String {
        format!("{}, or \"\" for none", T::expected())
    }

    fn describe(raw: &RawValue) -> String {
        T::describe(raw)
    }
}
