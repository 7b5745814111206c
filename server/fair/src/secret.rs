//! Wrapper for values that must never be printed.

use std::fmt;

use subtle::ConstantTimeEq;

/// A secret value: no `Display`, and a `Debug` that does not print it, so that it reaches no log, error or
/// trace.
///
/// [`Secret::equals`] compares in constant time; there is no `==`.
///
/// ```
/// use parlor_fair::Secret;
/// let secret = Secret::new(*b"swordfish");
/// assert_eq!(format!("{secret:?}"), "Secret(..)");
/// assert!(secret.equals(b"swordfish") && !secret.equals(b"swordfist"));
/// ```
#[derive(Clone)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Wraps a value.
    pub const fn new(value: T) -> Secret<T> {
        Secret(value)
    }

    /// The value itself. The caller is responsible for where it goes.
    pub const fn reveal(&self) -> &T {
        &self.0
    }
}

impl<T: AsRef<[u8]>> Secret<T> {
    /// True if these are the secret's bytes. Takes constant time for given lengths.
    #[must_use]
    pub fn equals(&self, bytes: &[u8]) -> bool {
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
    fn debug_does_not_print_the_secret() {
        let secret = Secret::new(String::from("swordfish"));
        for shown in [format!("{secret:?}"), format!("{secret:#?}"), format!("{:?}", Some(&secret))] {
            assert!(shown.contains("Secret(..)") && !shown.contains("sword"), "{shown}");
        }
        assert_eq!(secret.reveal(), "swordfish");
    }

    #[test]
    fn secret_equals_only_its_own_bytes() {
        let secret = Secret::new([1, 2, 3]);
        assert!(secret.equals(&[1, 2, 3]));
        for other in [&[1, 2][..], &[1, 2, 3, 4], &[1, 2, 2], &[]] {
            assert!(!secret.equals(other), "{other:?}");
        }
    }
}
