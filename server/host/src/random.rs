//! Random bytes: the only place that asks the operating system for entropy.
//!
//! All secrets originate here: server seeds, API keys, the server key. All other randomness is derived from
//! them, so that it can be replayed.

/// The operating system returned no random bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the operating system gives no random bytes ({0}): check that /dev/urandom or getrandom(2) can be used"
)]
pub struct RandomnessError(getrandom::Error);

/// Returns `N` unpredictable random bytes.
#[expect(clippy::disallowed_methods, reason = "the only source of fresh randomness")]
pub fn random_bytes<const N: usize>() -> Result<[u8; N], RandomnessError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(RandomnessError)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_fresh_each_time() {
        let (one, other) = (random_bytes::<32>().unwrap(), random_bytes::<32>().unwrap());
        assert_ne!(one, other);
        assert_ne!(one, [0; 32]);
    }
}
