//! Validation of fields that come from the wire, with errors that name the field by its path.

use std::borrow::Cow;
use std::ops::RangeInclusive;

/// The error of an invalid field: its path and the reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidField {
    path: String,
    why: Cow<'static, str>,
}

/// The path and the reason, such as `gap.card.number: must be 0 to 9, not 12`.
impl std::fmt::Display for InvalidField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.why)
    }
}

impl std::error::Error for InvalidField {}

impl InvalidField {
    /// Creates the error of a whole message; [`within`](InvalidField::within) adds the path to it.
    pub fn new(why: impl Into<Cow<'static, str>>) -> InvalidField {
        InvalidField { path: String::new(), why: why.into() }
    }

    /// Creates the error of a field.
    pub fn at(field: &str, why: impl Into<Cow<'static, str>>) -> InvalidField {
        InvalidField::new(why).within(field)
    }

    /// Prefixes the path with the field of the outer message.
    #[must_use]
    pub fn within(mut self, field: &str) -> InvalidField {
        if self.path.is_empty() || self.path.starts_with('[') {
            self.path.insert_str(0, field);
        } else {
            self.path = format!("{field}.{}", self.path);
        }
        self
    }

    /// Prefixes the path with the index in a list.
    #[must_use]
    pub fn in_list(self, index: usize) -> InvalidField {
        self.within(&format!("[{index}]"))
    }

    /// The path of the field, such as `gap.hand[2].number`; empty for the whole message.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The reason, and the values that are allowed.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }
}

/// Converts a message that must be set.
pub fn required<W, E>(wire: Option<W>, field: &str) -> Result<E, InvalidField>
where
    E: TryFrom<W, Error = InvalidField>,
{
    match wire {
        Some(wire) => E::try_from(wire).map_err(|error| error.within(field)),
        None => Err(InvalidField::at(field, "must be set")),
    }
}

/// Converts a message that may be missing.
pub fn optional<W, E>(wire: Option<W>, field: &str) -> Result<Option<E>, InvalidField>
where
    E: TryFrom<W, Error = InvalidField>,
{
    wire.map(|wire| required(Some(wire), field)).transpose()
}

/// Validates a number by a range and by its type.
pub fn number<T: TryFrom<u32>>(
    value: u32,
    range: RangeInclusive<u32>,
    field: &str,
) -> Result<T, InvalidField> {
    let fits = Some(value).filter(|value| range.contains(value));
    let wrong = || InvalidField::at(field, format!("must be {}, not {value}", range_text(&range)));
    fits.and_then(|value| T::try_from(value).ok()).ok_or_else(wrong)
}

/// Validates a number of 16 bits.
pub fn number16(value: u32, field: &str) -> Result<u16, InvalidField> {
    number(value, 0..=u16::MAX.into(), field)
}

/// Validates a number of 8 bits.
pub fn number8(value: u32, field: &str) -> Result<u8, InvalidField> {
    number(value, 0..=u8::MAX.into(), field)
}

/// Converts the value of a wire enum. Unspecified and unknown values are invalid.
pub fn enum_value<W, E>(value: i32, field: &str) -> Result<E, InvalidField>
where
    W: TryFrom<i32>,
    E: TryFrom<W>,
{
    one_of(value, field, |wire: W| E::try_from(wire).ok())
}

/// Converts the value of a wire enum by a function. Unknown values, and values without a result, are invalid.
pub fn one_of<W: TryFrom<i32>, E>(
    value: i32,
    field: &str,
    known: impl FnOnce(W) -> Option<E>,
) -> Result<E, InvalidField> {
    let known = W::try_from(value).ok().and_then(known);
    known.ok_or_else(|| {
        let why = match value {
            0 => "must be set".into(),
            _ => Cow::from(format!("has no value {value}")),
        };
        InvalidField::at(field, why)
    })
}

/// Converts and collects the messages of a list.
pub fn each<W, E, L>(wire: Vec<W>, field: &str) -> Result<L, InvalidField>
where
    E: TryFrom<W, Error = InvalidField>,
    L: FromIterator<E>,
{
    let items = wire.into_iter().enumerate();
    items.map(|(index, item)| E::try_from(item).map_err(|error| error.in_list(index).within(field))).collect()
}

/// Validates and returns the length of a list.
pub fn length<T>(list: &[T], range: RangeInclusive<usize>, field: &str) -> Result<u8, InvalidField> {
    let wrong = || {
        let why = format!("must have {} entries, not {}", range_text(&range), list.len());
        InvalidField::at(field, why)
    };
    let fits = Some(list.len()).filter(|len| range.contains(len));
    fits.and_then(|len| u8::try_from(len).ok()).ok_or_else(wrong)
}

/// Validates bytes of a fixed length.
pub fn bytes<const N: usize>(value: &[u8], field: &str) -> Result<[u8; N], InvalidField> {
    let wrong = |_| InvalidField::at(field, format!("must have {N} bytes, not {}", value.len()));
    value.try_into().map_err(wrong)
}

/// Formats a range for an error.
fn range_text<T: PartialEq + std::fmt::Display>(range: &RangeInclusive<T>) -> String {
    let (min, max) = (range.start(), range.end());
    if min == max { min.to_string() } else { format!("{min} to {max}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_path_starts_at_the_outermost_message() {
        let error = InvalidField::at("number", "is odd").in_list(2).within("hand").within("gap");
        assert_eq!((error.path(), error.why()), ("gap.hand[2].number", "is odd"));
        assert_eq!(error.to_string(), "gap.hand[2].number: is odd");
        assert_eq!(InvalidField::new("is odd").to_string(), "is odd");
        assert_eq!(InvalidField::new("is odd").within("action").to_string(), "action: is odd");
    }

    #[test]
    fn range_errors_name_the_allowed_range() {
        assert_eq!(number::<u8>(9, 0..=9, "n"), Ok(9));
        assert_eq!(number::<u8>(10, 0..=9, "n").unwrap_err().to_string(), "n: must be 0 to 9, not 10");
        assert_eq!(number8(256, "n").unwrap_err().to_string(), "n: must be 0 to 255, not 256");
        assert_eq!(
            length(&[(); 3], 1..=2, "list").unwrap_err().to_string(),
            "list: must have 1 to 2 entries, not 3"
        );
        assert_eq!(
            length(&[(); 3], 2..=2, "list").unwrap_err().to_string(),
            "list: must have 2 entries, not 3"
        );
        assert_eq!(bytes(&[1, 2], "seed"), Ok([1, 2]));
        assert_eq!(bytes::<3>(&[1, 2], "seed").unwrap_err().to_string(), "seed: must have 3 bytes, not 2");
    }
}
