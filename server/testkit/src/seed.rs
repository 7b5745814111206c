//! Seeds and random generators of tests, from `PARLOR_TEST_SEED`.

use std::str::FromStr;
use std::thread;

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

/// The number in an environment variable; `None` if it is not set.
///
/// # Panics
/// If the value is not a number.
fn env_number<N: FromStr>(name: &str) -> Option<N> {
    let text = std::env::var_os(name)?;
    let number = text.to_str().and_then(|text| text.parse().ok());
    Some(number.unwrap_or_else(|| panic!("{name}={} is not a number", text.display())))
}

/// The seed of a randomised test: `PARLOR_TEST_SEED` if it is set, else `default`. Prints the seed, which the
/// test harness shows if the test fails.
///
/// # Panics
/// If `PARLOR_TEST_SEED` is not a whole number.
pub fn test_seed(default: u64) -> u64 {
    let seed = env_number("PARLOR_TEST_SEED").unwrap_or(default);
    // The harness names the thread after the test.
    println!("{}: PARLOR_TEST_SEED={seed}", thread::current().name().unwrap_or("test"));
    seed
}

/// The random generator of a test: seed 1 unless `PARLOR_TEST_SEED` is set, and a stream chosen by `label`, so
/// that tests with different labels draw different numbers.
pub fn test_rng(label: &str) -> ChaCha8Rng {
    rng_with_stream(label.bytes().fold(0, |hash: u64, byte| hash.wrapping_mul(31).wrapping_add(byte.into())))
}

/// The random generator of a test: seed 1 unless `PARLOR_TEST_SEED` is set, and this stream.
pub fn rng_with_stream(stream: u64) -> ChaCha8Rng {
    let mut rng = rng_with_default_seed(1);
    rng.set_stream(stream);
    rng
}

/// The random generator of a test: seed `default` unless `PARLOR_TEST_SEED` is set, and stream 0.
pub fn rng_with_default_seed(default: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(test_seed(default))
}

/// The factor by which randomised tests multiply their number of games: `PARLOR_TEST_GAMES`, or 1.
///
/// # Panics
/// If `PARLOR_TEST_GAMES` is not a number.
pub fn game_count_factor() -> f64 {
    env_number("PARLOR_TEST_GAMES").unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use rand_core::Rng;

    use super::*;

    #[test]
    fn label_selects_the_stream() {
        assert_eq!(test_rng("a").get_stream(), 97);
        assert_eq!(test_rng("ab").get_stream(), 97 * 31 + 98);
        assert_ne!(test_rng("a").next_u64(), test_rng("b").next_u64());
        assert_eq!(test_rng("a").next_u64(), rng_with_stream(97).next_u64());
        assert_eq!(test_rng("").next_u64(), rng_with_default_seed(1).next_u64());
    }

    #[test]
    fn unset_variable_has_no_number() {
        assert_eq!(env_number::<u64>("PARLOR_TEST_UNSET_VARIABLE"), None);
    }

    #[test]
    #[should_panic(expected = "is not a number")]
    fn value_that_is_not_a_number_panics() {
        // The one variable that every environment has.
        env_number::<u64>("PATH");
    }
}
