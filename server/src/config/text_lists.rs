//! Settings that are lists of texts: origins of web pages, and names of the server.
//!
//! In the environment and in flags the entries are separated by commas.

use std::{fmt, marker::PhantomData, net::IpAddr};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, SeqAccess, Visitor},
};

use super::{setting_value::RawValue, values::printable};

/// Maximum number of entries of a list.
const MAX_ENTRIES: usize = 256;

/// A setting that is a list of texts.
trait TextList: Sized {
    /// Description of the allowed lists, following "expected".
    const EXPECTED: &str;

    /// The list with these entries, if all are allowed.
    fn from_texts(texts: Vec<String>) -> Option<Self>;
}

/// Origins of web pages that browsers allow to call the server; `*` means all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origins(Vec<String>);

impl Origins {
    /// All configured origins.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    /// Reports whether every origin is allowed.
    #[must_use]
    pub fn allows_any(&self) -> bool {
        self.0.iter().any(|origin| origin == "*")
    }
}

impl TextList for Origins {
    const EXPECTED: &str = "a list of up to 256 origins such as \"https://example.org\", or \"*\" for all";

    fn from_texts(texts: Vec<String>) -> Option<Origins> {
        let allowed = |text: &String| {
            let host = text.strip_prefix("http://").or(text.strip_prefix("https://"));
            text == "*"
                || host.is_some_and(|host| {
                    // Origins become values of headers, in which ',', ';' and '\'' have a meaning.
                    !host.is_empty() && !host.contains(['/', '@', '*', ',', ';', '\'']) && printable(host)
                })
        };
        (texts.len() <= MAX_ENTRIES && texts.iter().all(allowed)).then_some(Origins(texts))
    }
}

/// Names under which clients may call a server without keys on a loopback address, besides those of the machine
/// itself: `localhost` and every loopback address.
///
/// A browser sends the name in the address bar. A page of another name that resolves to this machine (DNS rebinding)
/// therefore cannot call the server.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HostNames(Vec<String>);

impl HostNames {
    /// Reports whether clients may call the server under this name: the authority of a request, with or without a
    /// port.
    #[must_use]
    pub fn allow(&self, authority: &str) -> bool {
        let name = without_port(authority);
        let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        match address.parse::<IpAddr>() {
            Ok(address) if address.to_canonical().is_loopback() => true,
            _ => {
                name.eq_ignore_ascii_case("localhost")
                    || self.0.iter().any(|allowed| allowed.eq_ignore_ascii_case(name))
            }
        }
    }
}

/// An authority without its port: `[::1]:80` is `[::1]`.
fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => authority,
    }
}

impl TextList for HostNames {
    const EXPECTED: &str = "a list of up to 256 names such as \"parlor.test\", without a port";

    fn from_texts(texts: Vec<String>) -> Option<HostNames> {
        let allowed = |text: &String| {
            !text.is_empty()
                && printable(text)
                && !text.contains(['/', '@', '*'])
                && without_port(text) == text
        };
        (texts.len() <= MAX_ENTRIES && texts.iter().all(allowed)).then_some(HostNames(texts))
    }
}

macro_rules! impl_serde_for_text_list {
    ($($list:ty),*) => {$(
        impl Serialize for $list {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                self.0.serialize(to)
            }
        }

        impl<'de> Deserialize<'de> for $list {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                from.deserialize_any(TextListVisitor(PhantomData))
            }
        }
    )*};
}

impl_serde_for_text_list!(Origins, HostNames);

struct TextListVisitor<T>(PhantomData<T>);

impl<'de, T: TextList> Visitor<'de> for TextListVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        let texts = text.split(',').map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let raw = || RawValue::Text(text.to_owned());
        T::from_texts(texts.collect())
            .ok_or_else(|| E::custom(format!("expected {}, got {}", T::EXPECTED, raw())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<T, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = list.next_element()? {
            texts.push(text);
        }
        T::from_texts(texts).ok_or_else(|| A::Error::custom(format!("expected {}", T::EXPECTED)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: TextList>(texts: &[&str]) -> Option<T> {
        T::from_texts(texts.iter().map(|text| (*text).to_owned()).collect())
    }

    #[test]
    fn origins_without_scheme_or_with_path_are_refused() {
        let named: Origins = read(&["https://example.org", "http://localhost:8080"]).unwrap();
        assert!(!named.allows_any());
        assert!(read::<Origins>(&["*"]).unwrap().allows_any());
        for bad in [
            "",
            "example.org",
            "https://",
            "https://example.org/page",
            "https://*.org",
            "ftp://x",
            "https://a;b",
        ] {
            assert_eq!(read::<Origins>(&[bad]), None, "{bad}");
        }
        assert_eq!(read::<Origins>(&["*"; 257]), None);
    }

    #[test]
    fn loopback_and_configured_names_are_allowed() {
        let names: HostNames = read(&["parlor.test", "192.0.2.7"]).unwrap();
        let allowed = [
            "localhost",
            "LOCALHOST:7766",
            "127.0.0.1",
            "127.9.9.9:80",
            "[::1]:7766",
            "[::1]",
            "[::ffff:127.0.0.1]:1",
            "parlor.test:7766",
            "Parlor.Test",
            "192.0.2.7:1",
        ];
        for authority in allowed {
            assert!(names.allow(authority), "{authority}");
        }
        let refused = [
            "",
            ":7766",
            "example.org",
            "localhost.example.org:7766",
            "127.0.0.1.example.org",
            "parlor.test.example.org",
            "192.0.2.8:1",
            "[2001:db8::1]:7766",
            "0.0.0.0:7766",
            "user@localhost",
        ];
        for authority in refused {
            assert!(!names.allow(authority), "{authority}");
        }
        for bad in ["", "*", "parlor.test:7766", "http://parlor.test", "a b"] {
            assert_eq!(read::<HostNames>(&[bad]), None, "{bad}");
        }
    }
}
