//! Seeds as text: a number or all 32 bytes.

/// Parses a seed: a decimal number, or 64 hexadecimal digits.
///
/// A number fills the first eight bytes in little-endian order; the others are zero.
///
/// # Errors
///
/// The text is neither. The error says what a seed is.
pub fn parse_seed(text: &str) -> Result<[u8; 32], String> {
    let mut seed = [0; 32];
    if text.len() == 64 && text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        for (byte, place) in seed.iter_mut().zip((0..64).step_by(2)) {
            *byte = u8::from_str_radix(&text[place..place + 2], 16).map_err(|error| error.to_string())?;
        }
        return Ok(seed);
    }
    let number: u64 =
        text.parse().map_err(|_| "a seed is a whole number or 64 hexadecimal digits".to_owned())?;
    seed[..8].copy_from_slice(&number.to_le_bytes());
    Ok(seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_parsed_as_numbers_or_hex() {
        assert_eq!(parse_seed("258").unwrap()[..3], [2, 1, 0]);
        assert_eq!(parse_seed(&"0f".repeat(32)), Ok([15; 32]));
        for invalid in ["", "-1", "0x1", "ff", &"0g".repeat(32)] {
            assert!(parse_seed(invalid).is_err(), "{invalid}");
        }
    }
}
