//! Clock flags.

use std::time::Duration;

use parlor_sdk::wire::ClockSettings;

/// Clock settings. Omitted ones use the server's defaults.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Time")]
pub(crate) struct ClockArgs {
    /// Time per decision, such as 30s; none for no limit
    #[arg(long, value_name = "TIME", value_parser = parse_clock)]
    pub(crate) clock: Option<Millis>,
    /// Additional time per seat, for the whole game
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    bank: Option<Millis>,
    /// Time per game for which a disconnected seat's clock is stopped
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    grace: Option<Millis>,
    /// Number of expired clocks after which a seat forfeits
    #[arg(long, value_name = "TIMES")]
    forfeit_after: Option<u32>,
    /// Time for a decision that is hidden from the others
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    hidden_window: Option<Millis>,
    /// Let hidden windows always last their full time, so that their length reveals nothing
    #[arg(long)]
    constant_hidden_windows: bool,
}

/// Time in milliseconds, as on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Millis(pub(crate) u32);

impl ClockArgs {
    /// The clock settings; `None` without any flag.
    pub(crate) fn settings(&self) -> Option<ClockSettings> {
        let settings = ClockSettings {
            decision_ms: self.clock.map(|time| time.0),
            bank_ms: self.bank.map(|time| time.0),
            grace_ms: self.grace.map(|time| time.0),
            forfeit_after: self.forfeit_after,
            hidden_window_ms: self.hidden_window.map(|time| time.0),
            constant_hidden_windows: self.constant_hidden_windows.then_some(true),
        };
        (settings != ClockSettings::default()).then_some(settings)
    }
}

/// Parses a time such as `30s` or `2m`.
pub(crate) fn parse_time(text: &str) -> Result<Millis, String> {
    let time: Duration = humantime::parse_duration(text)
        .map_err(|_| "a time is written as 500ms, 30s, 10m or 2h".to_owned())?;
    u32::try_from(time.as_millis())
        .map(Millis)
        .map_err(|_| "the time is longer than any table may last".to_owned())
}

/// Parses a time or `none`, which is 0 on the wire. A literal 0 is refused: it would mean a clock that has
/// always expired.
pub(crate) fn parse_clock(text: &str) -> Result<Millis, String> {
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

    #[test]
    fn clock_settings_are_omitted_without_flags() {
        assert_eq!(ClockArgs::default().settings(), None);
        let none = ClockArgs { clock: Some(Millis(0)), ..ClockArgs::default() };
        assert_eq!(none.settings().unwrap().decision_ms, Some(0));
    }
}
