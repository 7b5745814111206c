//! Numbers, times and sizes with their bounds in the type, so that no setting can be out of bounds.

use std::{fmt, str::FromStr, time::Duration};

use super::setting_value::{RawValue, SettingValue, impl_serde_for_setting};

/// The text is not an allowed value; the message says which values are.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected {0}")]
pub struct ParseBoundedError(String);

/// An integer from `MIN` to `MAX`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Count<const MIN: u32, const MAX: u32>(u32);

impl<const MIN: u32, const MAX: u32> Count<MIN, MAX> {
    /// Creates a count. In a `const` or `static`, a number out of bounds does not compile.
    ///
    /// # Panics
    /// If the number is out of bounds.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        assert!(MIN <= number && number <= MAX, "out of bounds");
        Count(number)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl<const MIN: u32, const MAX: u32> SettingValue for Count<MIN, MAX> {
    fn from_raw(raw: &RawValue) -> Option<Self> {
        let number = match raw {
            RawValue::Integer(number) => u32::try_from(*number).ok()?,
            RawValue::Text(text) => only_digits(text)?.parse().ok()?,
            _ => return None,
        };
        (MIN..=MAX).contains(&number).then_some(Count(number))
    }

    fn to_raw(&self) -> RawValue {
        RawValue::Integer(self.0.into())
    }

    fn expected() -> String {
        format!("a whole number from {MIN} to {MAX}")
    }
}

impl<const MIN: u32, const MAX: u32> FromStr for Count<MIN, MAX> {
    type Err = ParseBoundedError;

    fn from_str(text: &str) -> Result<Self, ParseBoundedError> {
        Self::from_raw(&RawValue::Text(text.to_owned())).ok_or_else(|| ParseBoundedError(Self::expected()))
    }
}

impl_serde_for_setting!(Count<MIN, MAX>, [const MIN: u32, const MAX: u32]);

/// The text, if it consists of digits only.
fn only_digits(text: &str) -> Option<&str> {
    text.bytes().all(|b| b.is_ascii_digit()).then_some(text)
}

/// A time from `MIN` to `MAX` milliseconds, written as `30s`, `10m` or `1h 30m`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span<const MIN: u64, const MAX: u64>(Duration);

impl<const MIN: u64, const MAX: u64> Span<MIN, MAX> {
    /// Creates a time from milliseconds. In a `const` or `static`, a time out of bounds does not compile.
    ///
    /// # Panics
    /// If the time is out of bounds.
    #[must_use]
    pub const fn from_ms(ms: u64) -> Self {
        assert!(MIN <= ms && ms <= MAX, "out of bounds");
        Span(Duration::from_millis(ms))
    }

    /// The time.
    #[must_use]
    pub const fn get(self) -> Duration {
        self.0
    }
}

impl<const MIN: u64, const MAX: u64> SettingValue for Span<MIN, MAX> {
    fn from_raw(raw: &RawValue) -> Option<Self> {
        let RawValue::Text(text) = raw else { return None };
        let time = humantime::parse_duration(text).ok()?;
        let bounds = Duration::from_millis(MIN)..=Duration::from_millis(MAX);
        bounds.contains(&time).then_some(Span(time))
    }

    fn to_raw(&self) -> RawValue {
        RawValue::Text(format_time(self.0))
    }

    fn expected() -> String {
        let (min, max) = (format_time(Duration::from_millis(MIN)), format_time(Duration::from_millis(MAX)));
        format!("a time such as \"30s\", \"10m\" or \"2h\", from {min} to {max}")
    }
}

impl_serde_for_setting!(Span<MIN, MAX>, [const MIN: u64, const MAX: u64]);

fn format_time(time: Duration) -> String {
    humantime::format_duration(time).to_string()
}

/// A size from `MIN` to `MAX` bytes, written as `256KiB`, `4MiB` or a number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Size<const MIN: u32, const MAX: u32>(u32);

impl<const MIN: u32, const MAX: u32> Size<MIN, MAX> {
    /// Creates a size from KiB. In a `const` or `static`, a size out of bounds does not compile.
    ///
    /// # Panics
    /// If the size is out of bounds.
    #[must_use]
    pub const fn from_kib(kib: u32) -> Self {
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

impl<const MIN: u32, const MAX: u32> SettingValue for Size<MIN, MAX> {
    fn from_raw(raw: &RawValue) -> Option<Self> {
        let bytes = match raw {
            RawValue::Integer(bytes) => u32::try_from(*bytes).ok()?,
            RawValue::Text(text) => {
                let (number, unit) = if let Some(number) = text.strip_suffix("KiB") {
                    (number, KIB)
                } else if let Some(number) = text.strip_suffix("MiB") {
                    (number, MIB)
                } else {
                    (text.as_str(), 1)
                };
                only_digits(number.trim_end())?.parse::<u32>().ok()?.checked_mul(unit)?
            }
            _ => return None,
        };
        (MIN..=MAX).contains(&bytes).then_some(Size(bytes))
    }

    fn to_raw(&self) -> RawValue {
        RawValue::Text(FormatSize(self.0).to_string())
    }

    fn expected() -> String {
        let (min, max) = (FormatSize(MIN), FormatSize(MAX));
        format!("a size such as \"256KiB\" or \"4MiB\", from {min} to {max}")
    }
}

impl_serde_for_setting!(Size<MIN, MAX>, [const MIN: u32, const MAX: u32]);

struct FormatSize(u32);

impl fmt::Display for FormatSize {
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

    /// Parses each text, and checks that the value round-trips.
    fn check<T: SettingValue + PartialEq + fmt::Debug + Copy>(
        texts: &[&str],
        expected: impl Fn(T) -> u64,
        values: &[Option<u64>],
    ) {
        let read: Vec<_> =
            texts.iter().map(|text| T::from_raw(&RawValue::Text((*text).to_owned()))).collect();
        for value in read.iter().flatten() {
            assert_eq!(T::from_raw(&value.to_raw()), Some(*value));
        }
        let read: Vec<_> = read.into_iter().map(|value| value.map(&expected)).collect();
        assert_eq!(read, values, "{texts:?}");
    }

    #[test]
    fn counts_parse_within_bounds() {
        check::<Count<1, 10>>(
            &["1", "10", "0", "11", "", "-1", "+5", "2.5", "true", "99999999999"],
            |count| count.get().into(),
            &[Some(1), Some(10), None, None, None, None, None, None, None, None],
        );
        assert_eq!(Count::<1, 10>::from_raw(&RawValue::Integer(7)), Some(Count(7)));
        for wrong in [
            RawValue::Integer(-1),
            RawValue::Integer(1 << 40),
            RawValue::Bool(true),
            RawValue::Unsupported("a list"),
        ] {
            assert_eq!(Count::<1, 10>::from_raw(&wrong), None, "{wrong}");
        }
        assert_eq!(
            "x".parse::<Count<1, 10>>().unwrap_err().to_string(),
            "expected a whole number from 1 to 10"
        );
        assert_eq!("3".parse::<Count<1, 10>>(), Ok(Count::new(3)));
    }

    #[test]
    fn spans_parse_within_bounds() {
        check::<Span<100, 3_600_000>>(
            &["100ms", "1h", "1m 30s", "99ms", "61m", "30", "", "-1s", "1h 1ms"],
            |span| u64::try_from(span.get().as_millis()).unwrap(),
            &[Some(100), Some(3_600_000), Some(90_000), None, None, None, None, None, None],
        );
        assert_eq!(Span::<0, 100>::from_raw(&RawValue::Integer(30)), None, "a time needs a unit");
        assert_eq!(
            Span::<100, 3_600_000>::expected(),
            "a time such as \"30s\", \"10m\" or \"2h\", from 100ms to 1h"
        );
    }

    #[test]
    fn sizes_parse_within_bounds() {
        check::<Size<1000, 4_194_304>>(
            &["1000", "256KiB", "4MiB", "4 MiB", "999", "5MiB", "1MB", "-1KiB", "4294967295MiB"],
            |size| size.bytes() as u64,
            &[Some(1000), Some(262_144), Some(4_194_304), Some(4_194_304), None, None, None, None, None],
        );
        assert_eq!(Size::<1024, 1_048_576>::from_raw(&RawValue::Integer(2048)), Some(Size(2048)));
        assert_eq!(
            Size::<0, 1_048_577>::expected(),
            "a size such as \"256KiB\" or \"4MiB\", from 0 to 1048577"
        );
    }
}
