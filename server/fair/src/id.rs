//! Ids of tables and tournaments, and their text form.

use std::fmt;
use std::str::FromStr;

use crate::partition::Partition;

/// Byte of an id that is its partition: a random one, and not the last, which divides the tables of one server.
const PARTITION_BYTE: usize = 14;

/// Crockford's base 32: digits and letters without i, l, o and u, which are easily mistaken for others.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const TEXT_LENGTH: usize = 26;

/// Encodes 16 bytes as 26 letters and digits that sort like the bytes.
fn encode(bytes: &[u8; 16]) -> [u8; TEXT_LENGTH] {
    let number = u128::from_be_bytes(*bytes);
    let mut text = [0; TEXT_LENGTH];
    for (digit, letter) in text.iter_mut().rev().enumerate() {
        *letter = ALPHABET[(number >> (5 * digit)) as usize % 32];
    }
    text
}

/// Decodes the text form; `None` if the text is not what [`encode`] gives for any bytes.
fn decode(text: &str) -> Option<[u8; 16]> {
    // 26 letters encode 130 bits, two more than an id has.
    if text.len() != TEXT_LENGTH || text.as_bytes()[0] > b'7' {
        return None;
    }
    let mut number = 0;
    for letter in text.bytes() {
        let value = ALPHABET.iter().position(|known| *known == letter)?;
        number = number << 5 | value as u128;
    }
    Some(u128::to_be_bytes(number))
}

/// Defines an id type and the error of its text form. All ids share layout, text form and constructors;
/// separate types keep them from being mixed up.
macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident, $(#[$error_attribute:meta])* $error:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; 16]);

        impl $name {
            /// An id from the creation time, in milliseconds since 1970-01-01 00:00 UTC, and random bytes.
            /// The bytes must be unpredictable where the id is a secret.
            #[must_use]
            pub fn new(created_ms: u64, random: [u8; 10]) -> $name {
                let mut id = [0; 16];
                id[..6].copy_from_slice(&created_ms.to_be_bytes()[2..]);
                id[6..].copy_from_slice(&random);
                $name(id)
            }

            /// An id from its bytes.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 16]) -> $name {
                $name(bytes)
            }

            /// Creation time in milliseconds since 1970-01-01 00:00 UTC.
            #[must_use]
            pub fn created_ms(&self) -> u64 {
                let mut time = [0; 8];
                time[2..].copy_from_slice(&self.0[..6]);
                u64::from_be_bytes(time)
            }

            /// The bytes of the id.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; 16] {
                &self.0
            }

            /// The partition that the id belongs to.
            #[must_use]
            pub const fn partition(&self) -> Partition {
                Partition::new(self.0[PARTITION_BYTE])
            }

            /// The same id, moved to a partition. For new ids only: it takes the place of random bits.
            #[must_use]
            pub const fn in_partition(mut self, partition: Partition) -> $name {
                self.0[PARTITION_BYTE] = partition.number();
                self
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&String::from_utf8_lossy(&encode(&self.0)))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        #[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
        $(#[$error_attribute])*
        pub struct $error;

        impl FromStr for $name {
            type Err = $error;

            fn from_str(text: &str) -> Result<$name, $error> {
                decode(text).map($name).ok_or($error)
            }
        }
    };
}

id_type! {
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
    TableId,
    /// The text is not a table id.
    #[error("a table id has 26 digits and letters (without i, l, o and u), such as 01hf7yat000w3ge1r70w3ge1r7")]
    InvalidTableId
}

id_type! {
    /// Id of a tournament: 48 bits of creation time, then 80 random bits. Ids sort by creation time.
    ///
    /// The text form is 26 letters and digits, sorts like the id, and is safe in URLs.
    ///
    /// ```
    /// use parlor_fair::TournamentId;
    /// let id = TournamentId::new(1_700_000_000_000, [7; 10]);
    /// assert_eq!(id.to_string(), "01hf7yat000w3ge1r70w3ge1r7");
    /// assert_eq!("01hf7yat000w3ge1r70w3ge1r7".parse(), Ok(id));
    /// ```
    TournamentId,
    /// The text is not a tournament id.
    #[error("a tournament id has 26 digits and letters (without i, l, o and u), such as 01hf7yat000w3ge1r70w3ge1r7")]
    InvalidTournamentId
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    macro_rules! id_tests {
        ($module:ident, $name:ident, $error:ident) => {
            mod $module {
                use super::*;

                proptest! {
                    #[test]
                    fn id_text_round_trips_and_sorts_like_the_id(a: [u8; 16], b: [u8; 16]) {
                        let (a, b) = ($name(a), $name(b));
                        prop_assert_eq!(a.to_string().parse(), Ok(a));
                        prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
                    }

                    #[test]
                    fn id_holds_its_creation_time(time in 0u64..1 << 48, random: [u8; 10]) {
                        prop_assert_eq!($name::new(time, random).created_ms(), time);
                    }

                    #[test]
                    fn any_text_parses_to_its_id_or_is_refused(text in "\\PC{0,30}") {
                        if let Ok(id) = text.parse::<$name>() {
                            prop_assert_eq!(id.to_string(), text);
                        }
                    }
                }

                #[test]
                fn invalid_id_is_refused() {
                    for text in [
                        "",
                        "7",
                        "80000000000000000000000000",
                        "0000000000000000000000000u",
                        "0000000000000000000000000A",
                        "000000000000000000000000000",
                    ] {
                        assert_eq!(text.parse::<$name>(), Err($error), "{text}");
                    }
                }

                #[test]
                fn partition_is_one_byte_of_the_id() {
                    let id = $name::new(1, [7; 10]);
                    assert_eq!(id.partition(), Partition::new(7));
                    let moved = id.in_partition(Partition::new(255));
                    assert_eq!(moved.partition(), Partition::new(255));
                    assert_eq!((moved.created_ms(), moved.as_bytes()[15]), (1, 7));
                    assert_eq!(moved.in_partition(Partition::new(7)), id);
                }

                #[test]
                fn debug_names_the_type() {
                    let id = $name::from_bytes([0; 16]);
                    assert_eq!(format!("{id:?}"), concat!(stringify!($name), "(00000000000000000000000000)"));
                }
            }
        };
    }

    id_tests!(table_id, TableId, InvalidTableId);
    id_tests!(tournament_id, TournamentId, InvalidTournamentId);

    #[test]
    fn table_and_tournament_ids_share_the_text_form() {
        let (table, tournament) = (TableId::new(3, [9; 10]), TournamentId::new(3, [9; 10]));
        assert_eq!(table.as_bytes(), tournament.as_bytes());
        assert_eq!(table.to_string(), tournament.to_string());
    }
}
