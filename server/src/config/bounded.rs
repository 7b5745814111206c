//! Numbers, times and sizes that carry their bounds in their type, so that no setting is out of them.

use std::{fmt, str::FromStr, time::Duration};

use super::plain::{Given, Plain, serde_as_plain};

/// The text is no such value; it says what would be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected {0}")]
pub struct NotAllowed(String);

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Count<const MIN: u32, const MAX: u32>(u32);

impl<const MIN: u32, const MAX: u32> Count<MIN, MAX> {
    /// This number. In a `const` or `static`, one out of bounds does not compile.
    ///
    /// # Panics
    /// If the number is out of bounds.
    #[must_use]
    pub const fn of(number: u32) -> Self {
        assert!(MIN <= number && number <= MAX, "out of bounds");
        Count(number)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl<const MIN: u32, const MAX: u32> Plain for Count<MIN, MAX> {
    fn read(given: &Given) -> Option<Self> {
        let number = match given {
            Given::Whole(number) => u32::try_from(*number).ok()?,
            Given::Text(text) => digits(text)?.parse().ok()?,
            _ => return None,
        };
        (MIN..=MAX).contains(&number).then_some(Count(number))
    }

    fn write(&self) -> Given {
        Given::Whole(self.0.into())
    }

    fn allowed() -> String {
        format!("a whole number from {MIN} to {MAX}")
    }
}

impl<const MIN: u32, const MAX: u32> FromStr for Count<MIN, MAX> {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        Self::read(&Given::Text(text.to_owned())).ok_or_else(|| NotAllowed(Self::allowed()))
    }
}

serde_as_plain!(Count<MIN, MAX>, [const MIN: u32, const MAX: u32]);

/// The text, if it is digits and nothing else.
fn digits(text: &str) -> Option<&str> {
    text.bytes().all(|b| b.is_ascii_digit()).then_some(text)
}

/// A time from `MIN` to `MAX` milliseconds, written such as `30s`, `10m` or `1h 30m`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span<const MIN: u64, const MAX: u64>(Duration);

impl<const MIN: u64, const MAX: u64> Span<MIN, MAX> {
    /// So many milliseconds. In a `const` or `static`, a time out of bounds does not compile.
    ///
    /// # Panics
    /// If the time is out of bounds.
    #[must_use]
    pub const fn of_ms(ms: u64) -> Self {
        assert!(MIN <= ms && ms <= MAX, "out of bounds");
        Span(Duration::from_millis(ms))
    }

    /// The time.
    #[must_use]
    pub const fn get(self) -> Duration {
        self.0
    }
}

impl<const MIN: u64, const MAX: u64> Plain for Span<MIN, MAX> {
    fn read(given: &Given) -> Option<Self> {
        let Given::Text(text) = given else { return None };
        let time = humantime::parse_duration(text).ok()?;
        let bounds = Duration::from_millis(MIN)..=Duration::from_millis(MAX);
        bounds.contains(&time).then_some(Span(time))
    }

    fn write(&self) -> Given {
        Given::Text(in_words(self.0))
    }

    fn allowed() -> String {
        let (min, max) = (in_words(Duration::from_millis(MIN)), in_words(Duration::from_millis(MAX)));
        format!("a time such as \"30s\", \"10m\" or \"2h\", from {min} to {max}")
    }
}

serde_as_plain!(Span<MIN, MAX>, [const MIN: u64, const MAX: u64]);

fn in_words(time: Duration) -> String {
    humantime::format_duration(time).to_string()
}

/// A size from `MIN` to `MAX` bytes, written such as `256KiB` or `4MiB`, or as a number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Size<const MIN: u32, const MAX: u32>(u32);

impl<const MIN: u32, const MAX: u32> Size<MIN, MAX> {
    /// So many KiB. In a `const` or `static`, a size out of bounds does not compile.
    ///
    /// # Panics
    /// If the size is out of bounds.
    #[must_use]
    pub const fn of_kib(kib: u32) -> Self {
        let bytes = kib * KIB;
        assert!(MIN <= bytes && bytes <= MAX, "out of bounds");
        Size(bytes)
    }

    /// The number of bytes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.0 as usize
    }
}

const KIB: u32 = 1024;
const MIB: u32 = 1024 * KIB;

impl<const MIN: u32, const MAX: u32> Plain for Size<MIN, MAX> {
    fn read(given: &Given) -> Option<Self> {
        let bytes = match given {
            Given::Whole(bytes) => u32::try_from(*bytes).ok()?,
            Given::Text(text) => {
                let (number, unit) = if let Some(number) = text.strip_suffix("KiB") {
                    (number, KIB)
                } else if let Some(number) = text.strip_suffix("MiB") {
                    (number, MIB)
                } else {
                    (text.as_str(), 1)
                };
                digits(number.trim_end())?.parse::<u32>().ok()?.checked_mul(unit)?
            }
            _ => return None,
        };
        (MIN..=MAX).contains(&bytes).then_some(Size(bytes))
    }

    fn write(&self) -> Given {
        Given::Text(SizeInWords(self.0).to_string())
    }

    fn allowed() -> String {
        let (min, max) = (SizeInWords(MIN), SizeInWords(MAX));
        format!("a size such as \"256KiB\" or \"4MiB\", from {min} to {max}")
    }
}

serde_as_plain!(Size<MIN, MAX>, [const MIN: u32, const MAX: u32]);

struct SizeInWords(u32);

impl fmt::Display for SizeInWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes > 0 && bytes.is_multiple_of(MIB) => write!(f, "{}MiB", bytes / MIB),
            bytes if bytes > 0 && bytes.is_multiple_of(KIB) => write!(f, "{}KiB", bytes / KIB),
            bytes => write!(f, "{bytes}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads each text, and checks that what it gives reads as the same again.
    fn check<T: Plain + PartialEq + fmt::Debug + Copy>(
        texts: &[&str],
        expected: impl Fn(T) -> u64,
        values: &[Option<u64>],
    ) {
        let read: Vec<_> = texts.iter().map(|text| T::read(&Given::Text((*text).to_owned()))).collect();
        for value in read.iter().flatten() {
            assert_eq!(T::read(&value.write()), Some(*value));
        }
        let read: Vec<_> = read.into_iter().map(|value| value.map(&expected)).collect();
        assert_eq!(read, values, "{texts:?}");
    }

    #[test]
    fn counts() {
        check::<Count<1, 10>>(
            &["1", "10", "0", "11", "", "-1", "+5", "2.5", "true", "99999999999"],
            |count| count.get().into(),
            &[Some(1), Some(10), None, None, None, None, None, None, None, None],
        );
        assert_eq!(Count::<1, 10>::read(&Given::Whole(7)), Some(Count(7)));
        for wrong in [Given::Whole(-1), Given::Whole(1 << 40), Given::Bool(true), Given::Other("a list")] {
            assert_eq!(Count::<1, 10>::read(&wrong), None, "{wrong}");
        }
        assert_eq!(
            "x".parse::<Count<1, 10>>().unwrap_err().to_string(),
            "expected a whole number from 1 to 10"
        );
        assert_eq!("3".parse::<Count<1, 10>>(), Ok(Count::of(3)));
    }

    #[test]
    fn spans() {
        check::<Span<100, 3_600_000>>(
            &["100ms", "1h", "1m 30s", "99ms", "61m", "30", "", "-1s", "1h 1ms"],
            |span| u64::try_from(span.get().as_millis()).unwrap(),
            &[Some(100), Some(3_600_000), Some(90_000), None, None, None, None, None, None],
        );
        assert_eq!(Span::<0, 100>::read(&Given::Whole(30)), None, "a time has a unit");
        assert_eq!(
            Span::<100, 3_600_000>::allowed(),
            "a time such as \"30s\", \"10m\" or \"2h\", from 100ms to 1h"
        );
    }

    #[test]
    fn sizes() {
        check::<Size<1000, 4_194_304>>(
            &["1000", "256KiB", "4MiB", "4 MiB", "999", "5MiB", "1MB", "-1KiB", "4294967295MiB"],
            |size| size.bytes() as u64,
            &[Some(1000), Some(262_144), Some(4_194_304), Some(4_194_304), None, None, None, None, None],
        );
        assert_eq!(Size::<1024, 1_048_576>::read(&Given::Whole(2048)), Some(Size(2048)));
        assert_eq!(
            Size::<0, 1_048_577>::allowed(),
            "a size such as \"256KiB\" or \"4MiB\", from 0 to 1048577"
        );
    }
}
