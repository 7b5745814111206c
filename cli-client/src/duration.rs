//! Times as text.

use std::time::Duration;

/// Time in milliseconds, as on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Millis(pub u32);

/// Parses a time such as `30s` or `2m`.
///
/// # Errors
///
/// The text is no time, or the time does not fit into the wire's 32 bits. The error says how a time is written.
pub fn parse_time(text: &str) -> Result<Millis, String> {
    let time: Duration = humantime::parse_duration(text)
        .map_err(|_| "a time is written as 500ms, 30s, 10m or 2h".to_owned())?;
    u32::try_from(time.as_millis())
        .map(Millis)
        .map_err(|_| "the time is longer than any table may last".to_owned())
}

/// Parses a time or `none`, which is 0 on the wire. A literal 0 is refused: it would mean a clock that has
/// always expired.
///
/// # Errors
///
/// The text is neither, or 0.
pub fn parse_clock(text: &str) -> Result<Millis, String> {
    match text {
        "none" => Ok(Millis(0)),
        _ => parse_time(text).and_then(|time| {
            if time.0 == 0 { Err("use none for no time limit".to_owned()) } else { Ok(time) }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_parsed() {
        assert_eq!(parse_time("30s"), Ok(Millis(30_000)));
        assert_eq!(parse_clock("none"), Ok(Millis(0)));
        assert!(parse_clock("0s").unwrap_err().contains("none"));
        assert!(parse_time("soon").unwrap_err().contains("30s"));
        assert!(parse_time("100years").is_err());
    }
}
