//! What a table is called.

use std::fmt;
use std::str::FromStr;

/// The name of a table: 48 bits of its time of creation, then 80 random ones. Sorted by name, tables are sorted by
/// age.
///
/// Its text form has 26 letters and digits, sorts like the name, and may stand in a URL.
///
/// ```
/// use parlor_fair::TableId;
/// let id = TableId::new(1_700_000_000_000, [7; 10]);
/// assert_eq!(id.to_string(), "01hf7yat000w3ge1r70w3ge1r7");
/// assert_eq!("01hf7yat000w3ge1r70w3ge1r7".parse(), Ok(id));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId([u8; 16]);

/// Base 32 by Crockford: digits and letters without i, l, o and u, which are easily mistaken for others.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const TEXT_LENGTH: usize = 26;

impl TableId {
    /// The name of a table created so many milliseconds after 1970-01-01 00:00 UTC. The random bytes must be unpredictable where the name is a secret.
    #[must_use]
    pub fn new(created_ms: u64, random: [u8; 10]) -> TableId {
        let mut id = [0; 16];
        id[..6].copy_from_slice(&created_ms.to_be_bytes()[2..]);
        id[6..].copy_from_slice(&random);
        TableId(id)
    }

    /// The name with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> TableId {
        TableId(bytes)
    }

    /// The time of creation, as the name says it, in milliseconds since 1970.
    #[must_use]
    pub fn made(&self) -> u64 {
        let mut time = [0; 8];
        time[2..].copy_from_slice(&self.0[..6]);
        u64::from_be_bytes(time)
    }

    /// The bytes of the name.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = u128::from_be_bytes(self.0);
        let mut text = [0; TEXT_LENGTH];
        for (place, letter) in text.iter_mut().rev().enumerate() {
            *letter = ALPHABET[(number >> (5 * place)) as usize % 32];
        }
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

impl fmt::Debug for TableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableId({self})")
    }
}

/// Not the name of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a table id has 26 digits and letters (without i, l, o and u), such as 01hf7yat000w3ge1r70w3ge1r7")]
pub struct BadTableId;

impl FromStr for TableId {
    type Err = BadTableId;

    fn from_str(text: &str) -> Result<TableId, BadTableId> {
        // 26 letters hold two bits more than a name has.
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
        fn a_table_id_reads_back_and_sorts_as_text(a: [u8; 16], b: [u8; 16]) {
            let (a, b) = (TableId(a), TableId(b));
            prop_assert_eq!(a.to_string().parse(), Ok(a));
            prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
        }

        #[test]
        fn a_table_id_knows_when_it_was_made(time in 0u64..1 << 48, random: [u8; 10]) {
            prop_assert_eq!(TableId::new(time, random).made(), time);
        }

        #[test]
        fn any_text_is_a_table_id_or_is_refused(text in "\\PC{0,30}") {
            if let Ok(id) = text.parse::<TableId>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }

    #[test]
    fn what_is_no_table_id_is_refused() {
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
