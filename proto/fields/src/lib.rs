//! Fields that come from the wire: read, checked, and named where they are wrong.

use std::borrow::Cow;
use std::ops::RangeInclusive;

/// A field whose value cannot be what it says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrongField {
    path: String,
    why: Cow<'static, str>,
}

/// The path and what is wrong, such as `gap.card.number: must be 0 to 9, not 12`.
impl std::fmt::Display for WrongField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.why)
    }
}

impl std::error::Error for WrongField {}

impl WrongField {
    /// The message itself is wrong; [`within`](WrongField::within) says where it stands.
    pub fn new(why: impl Into<Cow<'static, str>>) -> WrongField {
        WrongField { path: String::new(), why: why.into() }
    }

    /// The field is wrong.
    pub fn at(field: &str, why: impl Into<Cow<'static, str>>) -> WrongField {
        WrongField::new(why).within(field)
    }

    /// The same, seen from the message that holds the one in question in this field.
    #[must_use]
    pub fn within(mut self, field: &str) -> WrongField {
        if self.path.is_empty() || self.path.starts_with('[') {
            self.path.insert_str(0, field);
        } else {
            self.path = format!("{field}.{}", self.path);
        }
        self
    }

    /// The same, seen from the list that holds the one in question at this place.
    #[must_use]
    pub fn in_list(self, place: usize) -> WrongField {
        self.within(&format!("[{place}]"))
    }

    /// Which field, as a path such as `gap.hand[2].number`; empty if it is the whole message.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong with it, and what it may be.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }
}

/// A message that must be set.
pub fn required<W, E>(wire: Option<W>, field: &str) -> Result<E, WrongField>
where
    E: TryFrom<W, Error = WrongField>,
{
    match wire {
        Some(wire) => E::try_from(wire).map_err(|error| error.within(field)),
        None => Err(WrongField::at(field, "must be set")),
    }
}

/// A message that may be left out.
pub fn optional<W, E>(wire: Option<W>, field: &str) -> Result<Option<E>, WrongField>
where
    E: TryFrom<W, Error = WrongField>,
{
    wire.map(|wire| required(Some(wire), field)).transpose()
}

/// A number in a range that fits its type.
pub fn number<T: TryFrom<u32>>(value: u32, range: RangeInclusive<u32>, field: &str) -> Result<T, WrongField> {
    let fits = Some(value).filter(|value| range.contains(value));
    let wrong = || WrongField::at(field, format!("must be {}, not {value}", said(&range)));
    fits.and_then(|value| T::try_from(value).ok()).ok_or_else(wrong)
}

/// Any number of 16 bits.
pub fn number16(value: u32, field: &str) -> Result<u16, WrongField> {
    number(value, 0..=u16::MAX.into(), field)
}

/// Any number of 8 bits.
pub fn number8(value: u32, field: &str) -> Result<u8, WrongField> {
    number(value, 0..=u8::MAX.into(), field)
}

/// One of the values of an enumeration. What is not known, or not said, is wrong.
pub fn one_of<W: TryFrom<i32>, E>(
    value: i32,
    field: &str,
    known: impl FnOnce(W) -> Option<E>,
) -> Result<E, WrongField> {
    let known = W::try_from(value).ok().and_then(known);
    known.ok_or_else(|| {
        let why = match value {
            0 => "must be set".into(),
            _ => Cow::from(format!("has no value {value}")),
        };
        WrongField::at(field, why)
    })
}

/// Each message of a list, put together.
pub fn each<W, E, L>(wire: Vec<W>, field: &str) -> Result<L, WrongField>
where
    E: TryFrom<W, Error = WrongField>,
    L: FromIterator<E>,
{
    let items = wire.into_iter().enumerate();
    items.map(|(place, item)| E::try_from(item).map_err(|error| error.in_list(place).within(field))).collect()
}

/// How many entries a list has, which must be in a range.
pub fn length<T>(list: &[T], range: RangeInclusive<usize>, field: &str) -> Result<u8, WrongField> {
    let wrong = || {
        let why = format!("must have {} entries, not {}", said(&range), list.len());
        WrongField::at(field, why)
    };
    let fits = Some(list.len()).filter(|len| range.contains(len));
    fits.and_then(|len| u8::try_from(len).ok()).ok_or_else(wrong)
}

/// Bytes of one length.
pub fn bytes<const N: usize>(value: &[u8], field: &str) -> Result<[u8; N], WrongField> {
    let wrong = |_| WrongField::at(field, format!("must have {N} bytes, not {}", value.len()));
    value.try_into().map_err(wrong)
}

/// A range in words.
fn said<T: PartialEq + std::fmt::Display>(range: &RangeInclusive<T>) -> String {
    let (min, max) = (range.start(), range.end());
    if min == max { min.to_string() } else { format!("{min} to {max}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_from_the_outermost_message() {
        let error = WrongField::at("number", "is odd").in_list(2).within("hand").within("gap");
        assert_eq!((error.path(), error.why()), ("gap.hand[2].number", "is odd"));
        assert_eq!(error.to_string(), "gap.hand[2].number: is odd");
        assert_eq!(WrongField::new("is odd").to_string(), "is odd");
        assert_eq!(WrongField::new("is odd").within("action").to_string(), "action: is odd");
    }

    #[test]
    fn numbers_say_their_range() {
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
