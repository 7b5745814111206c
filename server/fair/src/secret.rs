//! A value that is never printed.

use std::fmt;

use subtle::ConstantTimeEq;

/// Holds a secret: no `Display`, no way into a log, an error or a trace, and a `Debug` that shows nothing.
///
/// Secrets are compared in constant time, with [`Secret::is`]; there is no `==`.
///
/// ```
/// use parlor_fair::Secret;
/// let secret = Secret::new(*b"swordfish");
/// assert_eq!(format!("{secret:?}"), "Secret(..)");
/// assert!(secret.is(b"swordfish") && !secret.is(b"swordfist"));
/// ```
#[derive(Clone)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Hides a value.
    pub const fn new(value: T) -> Secret<T> {
        Secret(value)
    }

    /// The value itself. Whoever calls this answers for where it goes.
    pub const fn reveal(&self) -> &T {
        &self.0
    }
}

impl<T: AsRef<[u8]>> Secret<T> {
    /// Whether these are the secret's bytes, in a time that depends on nothing but the lengths.
    #[must_use]
    pub fn is(&self, bytes: &[u8]) -> bool {
        self.0.as_ref().ct_eq(bytes).into()
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_nothing_in_any_form() {
        let secret = Secret::new(String::from("swordfish"));
        for shown in [format!("{secret:?}"), format!("{secret:#?}"), format!("{:?}", Some(&secret))] {
            assert!(shown.contains("Secret(..)") && !shown.contains("sword"), "{shown}");
        }
        assert_eq!(secret.reveal(), "swordfish");
    }

    #[test]
    fn a_secret_is_only_its_own_bytes() {
        let secret = Secret::new([1, 2, 3]);
        assert!(secret.is(&[1, 2, 3]));
        for other in [&[1, 2][..], &[1, 2, 3, 4], &[1, 2, 2], &[]] {
            assert!(!secret.is(other), "{other:?}");
        }
    }
}
