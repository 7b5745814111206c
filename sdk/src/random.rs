//! Fresh randomness: the one place of this crate that asks the operating system for it.

use crate::Error;
use crate::error::Reason;

/// `N` random bytes that nobody can predict.
#[expect(clippy::disallowed_methods, reason = "this is the one place")]
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

/// A request id that nobody has used: 128 random bits, as text.
pub(crate) fn request_id() -> Result<String, Error> {
    Ok(format!("{:032x}", u128::from_le_bytes(fresh_bytes()?)))
}

/// A number from 0 to 1, for waits that should differ from those of other clients. It need not be a good one, so no
/// randomness at all gives the middle.
pub(crate) fn jitter() -> f64 {
    let bits = fresh_bytes().map_or(u32::MAX / 2, u32::from_le_bytes);
    f64::from(bits) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_ids_are_32_digits_and_new_each_time() {
        let (one, other) = (request_id().unwrap(), request_id().unwrap());
        assert_ne!(one, other);
        assert!(one.len() == 32 && one.bytes().all(|byte| byte.is_ascii_hexdigit()), "{one}");
    }

    #[test]
    fn jitter_stays_in_its_range() {
        assert!((0..1000).map(|_| jitter()).all(|jitter| (0.0..=1.0).contains(&jitter)));
    }
}
