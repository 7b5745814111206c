//! Table ids and their text form.

use std::fmt;
use std::str::FromStr;

/// Id of a table: 48 bits of creation time, then 80 random bits. Ids sort by creation time.
///
/// The text form is 26 letters and digits, sorts like the id, and is safe in URLs.
///
/// ```
/// use parlor_fair::TableId;
/// let id = TableId::new(1_700_000_000_000, [7; 10]);
/// assert_eq!(id.to_string(), "01hf7yat000w3ge1r70w3ge1r7");
/// assert_eq!("01hf7yat000w3ge1r70w3ge1r7".parse(), Ok(id));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId([u8; 16]);

/// Crockford's base 32: digits and letters without i, l, o and u, which are easily mistaken for others.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const TEXT_LENGTH: usize = 26;

impl TableId {
    /// An id from the creation time, in milliseconds since 1970-01-01 00:00 UTC, and random bytes. The bytes
    /// must be unpredictable where the id is a secret.
    #[must_use]
    pub fn new(created_ms: u64, random: [u8; 10]) -> TableId {
        let mut id = [0; 16];
        id[..6].copy_from_slice(&created_ms.to_be_bytes()[2..]);
        id[6..].copy_from_slice(&random);
        TableId(id)
    }

    /// An id from its bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> TableId {
        TableId(bytes)
    }

    /// Creation time in milliseconds since 1970-01-01 00:00 UTC.
    #[must_use]
    pub fn made(&self) -> u64 {
        let mut time = [0; 8];
        time[2..].copy_from_slice(&self.0[..6]);
        u64::from_be_bytes(time)
    }

    /// The bytes of the id.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = u128::from_be_bytes(self.0);
        let mut text = [0; TEXT_LENGTH];
        for (digit, letter) in text.iter_mut().rev().enumerate() {
            *letter = ALPHABET[(number >> (5 * digit)) as usize % 32];
        }
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

impl fmt::Debug for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableId({self})")
    }
}

/// The text is not a table id.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a table id has 26 digits and letters (without i, l, o and u), such as 01hf7yat000w3ge1r70w3ge1r7")]
pub struct BadTableId;

impl FromStr for TableId {
    type Err = BadTableId;

    fn from_str(text: &str) -> Result<TableId, BadTableId> {
        // 26 letters encode 130 bits, two more than an id has.
        if text.len() != TEXT_LENGTH || text.as_bytes()[0] > b'7' {
            return Err(BadTableId);
        }
        let mut number = 0;
        for letter in text.bytes() {
            let value = ALPHABET.iter().position(|known| *known == letter).ok_or(BadTableId)?;
            number = number << 5 | value as u128;
        }
        Ok(TableId(u128::to_be_bytes(number)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn table_id_text_round_trips_and_sorts_like_the_id(a: [u8; 16], b: [u8; 16]) {
            let (a, b) = (TableId(a), TableId(b));
            prop_assert_eq!(a.to_string().parse(), Ok(a));
            prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
        }

        #[test]
        fn table_id_holds_its_creation_time(time in 0u64..1 << 48, random: [u8; 10]) {
            prop_assert_eq!(TableId::new(time, random).made(), time);
        }

        #[test]
        fn any_text_parses_to_its_table_id_or_is_refused(text in "\\PC{0,30}") {
            if let Ok(id) = text.parse::<TableId>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }

    #[test]
    fn invalid_table_id_is_refused() {
        for text in [
            "",
            "7",
            "80000000000000000000000000",
            "0000000000000000000000000u",
            "0000000000000000000000000A",
            "000000000000000000000000000",
        ] {
            assert_eq!(text.parse::<TableId>(), Err(BadTableId), "{text}");
        }
    }
}
