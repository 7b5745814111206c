//! OS randomness: the one place of this crate that uses it.

use crate::Error;
use crate::error::Reason;

/// `N` cryptographically secure random bytes.
#[expect(clippy::disallowed_methods, reason = "the one place that uses OS randomness")]
pub(crate) fn fresh_bytes<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| {
        let message = format!(
            "the operating system gives no random bytes ({error}): check that getrandom(2) can be used"
        );
        Error::new(Reason::Settings, message)
    })?;
    Ok(bytes)
}

/// A fresh request id: 128 random bits in hex.
pub(crate) fn request_id() -> Result<String, Error> {
    Ok(format!("{:032x}", u128::from_le_bytes(fresh_bytes()?)))
}

/// A random number from 0 to 1 for backoff jitter; 0.5 if the OS gives no randomness, since quality does not
/// matter here.
pub(crate) fn jitter() -> f64 {
    let bits = fresh_bytes().map_or(u32::MAX / 2, u32::from_le_bytes);
    f64::from(bits) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_ids_are_unique_and_32_hex_digits() {
        let (one, other) = (request_id().unwrap(), request_id().unwrap());
        assert_ne!(one, other);
        assert!(one.len() == 32 && one.bytes().all(|byte| byte.is_ascii_hexdigit()), "{one}");
    }

    #[test]
    fn jitter_is_between_0_and_1() {
        assert!((0..1000).map(|_| jitter()).all(|jitter| (0.0..=1.0).contains(&jitter)));
    }
}
