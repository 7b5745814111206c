//! Clock flags.

use parlor_cli::duration::{Millis, parse_clock, parse_time};
use parlor_sdk::wire::ClockSettings;

/// Time for a hidden decision at a table of people, in milliseconds: to notice the question, to read and to think. House bots
/// answer at once, so that it passes only while a person thinks.
const HUMANE_HIDDEN_WINDOW: u32 = 60_000;

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
    /// Time for a decision that is hidden from the others [default: 60s with play, else the server's]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    hidden_window: Option<Millis>,
    /// Let hidden windows always last their full time, so that their length reveals nothing
    #[arg(long)]
    constant_hidden_windows: bool,
}

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

/// A clock with time enough for a person to answer a hidden question, unless windows are kept open for all of it.
pub(crate) fn humane(clock: ClockSettings) -> ClockSettings {
    if clock.constant_hidden_windows() {
        return clock;
    }
    ClockSettings { hidden_window_ms: clock.hidden_window_ms.or(Some(HUMANE_HIDDEN_WINDOW)), ..clock }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_settings_are_omitted_without_flags() {
        assert_eq!(ClockArgs::default().settings(), None);
        let none = ClockArgs { clock: Some(Millis(0)), ..ClockArgs::default() };
        assert_eq!(none.settings().unwrap().decision_ms, Some(0));
    }
}
