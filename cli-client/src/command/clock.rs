//! How much time players have, as flags.

use std::time::Duration;

use parlor_sdk::wire::ClockSettings;

/// Flags about time. What is not said is up to the server.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Time")]
pub(crate) struct ClockArgs {
    /// The time for a decision, such as 30s; none for as long as it takes
    #[arg(long, value_name = "TIME", value_parser = parse_clock)]
    pub(crate) clock: Option<Millis>,
    /// The time that a seat has beyond that, over the game
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    bank: Option<Millis>,
    /// How long the clock of a seat stands still while it is not connected, over the game
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    grace: Option<Millis>,
    /// After how many clocks that ran out a seat can no longer win
    #[arg(long, value_name = "TIMES")]
    forfeit_after: Option<u32>,
    /// The time for a decision that is hidden from the others
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    hidden_window: Option<Millis>,
    /// Let hidden windows always last their whole time, so that their length tells nothing
    #[arg(long)]
    constant_hidden_windows: bool,
}

/// A time in milliseconds, as the wire has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Millis(pub(crate) u32);

impl ClockArgs {
    /// The clock that was asked for; none if nothing was.
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

/// A time such as `30s` or `2m`.
pub(crate) fn parse_time(text: &str) -> Result<Millis, String> {
    let time: Duration =
        humantime::parse_duration(text).map_err(|_| "a time is such as 500ms, 30s, 10m or 2h".to_owned())?;
    u32::try_from(time.as_millis()).map(Millis).map_err(|_| "that is longer than any table lasts".to_owned())
}

/// A time, or none. No time at all would be a clock that has always run out, so it is not meant.
pub(crate) fn parse_clock(text: &str) -> Result<Millis, String> {
    match text {
        "none" => Ok(Millis(0)),
        _ => parse_time(text).and_then(|time| {
            if time.0 == 0 { Err("say none for no limit of time".to_owned()) } else { Ok(time) }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        assert_eq!(parse_time("30s"), Ok(Millis(30_000)));
        assert_eq!(parse_clock("none"), Ok(Millis(0)));
        assert!(parse_clock("0s").unwrap_err().contains("none"));
        assert!(parse_time("soon").unwrap_err().contains("30s"));
        assert!(parse_time("100years").is_err());
    }

    #[test]
    fn nothing_said_is_the_servers_clock() {
        assert_eq!(ClockArgs::default().settings(), None);
        let none = ClockArgs { clock: Some(Millis(0)), ..ClockArgs::default() };
        assert_eq!(none.settings().unwrap().decision_ms, Some(0));
    }
}
