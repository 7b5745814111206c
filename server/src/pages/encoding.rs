//! Content encodings, and which of them a client accepts.

use http::{HeaderMap, header::ACCEPT_ENCODING};

/// The encoding of a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Encoding {
    /// The content as it is.
    Identity,
    /// `gzip`.
    Gzip,
    /// `br`.
    Brotli,
}

impl Encoding {
    /// The name in `Content-Encoding`; the identity has none.
    pub(super) const fn name(self) -> Option<&'static str> {
        match self {
            Encoding::Identity => None,
            Encoding::Gzip => Some("gzip"),
            Encoding::Brotli => Some("br"),
        }
    }

    /// Reports whether `Accept-Encoding` allows a compressed encoding, by its name or by `*`. Without the header, the
    /// identity is the safe choice.
    pub(super) fn is_accepted(self, headers: &HeaderMap) -> bool {
        let Some(name) = self.name() else { return true };
        let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
        let mut by_wildcard = false;
        for item in values.flat_map(|value| value.split(',')) {
            let mut parts = item.split(';').map(str::trim);
            let listed = parts.next().unwrap_or_default();
            let is_refused = parts.any(is_zero_weight);
            if listed.eq_ignore_ascii_case(name) || (name == "gzip" && listed.eq_ignore_ascii_case("x-gzip"))
            {
                return !is_refused;
            }
            if listed == "*" {
                by_wildcard = !is_refused;
            }
        }
        by_wildcard
    }
}

/// Recognises the weight 0 (`q=0`, `q=0.000`), which refuses an encoding.
fn is_zero_weight(parameter: &str) -> bool {
    let Some((name, weight)) = parameter.split_once('=') else { return false };
    name.trim().eq_ignore_ascii_case("q") && weight.trim().parse::<f32>().is_ok_and(|weight| weight <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accept_encoding_names_the_encodings_that_may_be_sent() {
        let accepted = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(ACCEPT_ENCODING, value.parse().unwrap());
            }
            (Encoding::Brotli.is_accepted(&headers), Encoding::Gzip.is_accepted(&headers))
        };
        for (values, expected) in [
            (&[][..], (false, false)),
            (&[""], (false, false)),
            (&["gzip, deflate, br, zstd"], (true, true)),
            (&["GZIP"], (false, true)),
            (&["x-gzip"], (false, true)),
            (&["br;q=0.1"], (true, false)),
            (&["br;q=0, gzip;q=1.0"], (false, true)),
            (&["br; Q=0.000, *"], (false, true)),
            (&["*"], (true, true)),
            (&["*;q=0"], (false, false)),
            (&["*;q=0, gzip"], (false, true)),
            (&["identity"], (false, false)),
            (&["gzip", "br"], (true, true)),
            (&["brotli"], (false, false)),
        ] {
            assert_eq!(accepted(values), expected, "{values:?}");
        }
        assert!(Encoding::Identity.is_accepted(&HeaderMap::new()));
    }
}
