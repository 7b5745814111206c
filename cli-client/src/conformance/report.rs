//! Results of the checks.

use parlor_cli::lang::BilingualText;

/// Outcome of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// The agent behaved correctly.
    Pass,
    /// The agent has faults to fix.
    Fail,
    /// The check could not run.
    Skipped,
}

impl Verdict {
    /// Machine-readable name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Skipped => "skipped",
        }
    }
}

/// A check and its result.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    /// Machine-readable name, such as `restart` or `game:gap`.
    pub(crate) name: String,
    /// Description for people.
    pub(crate) title: BilingualText,
    /// Outcome.
    pub(crate) verdict: Verdict,
    /// Faults to fix.
    pub(crate) faults: Vec<BilingualText>,
    /// Recommendations and measurements.
    pub(crate) notes: Vec<BilingualText>,
}
