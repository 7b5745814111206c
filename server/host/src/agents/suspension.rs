//! Suspensions of an agent, each within the tables of one organiser or of one tournament.

use std::time::Duration;

use crate::TournamentId;
use crate::settings::AgentSettings;

/// Kind of incident of an agent. Repeated incidents suspend it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SuspensionReason {
    /// Its clock ran out.
    TimedOut,
    /// Its connection broke while it had a seat.
    BrokeOff,
    /// An answer was refused: against the rules, or to no open decision.
    BrokeRules,
    /// It was cut off because it read too slowly.
    TooSlow,
}

impl SuspensionReason {
    /// All kinds.
    pub const ALL: [SuspensionReason; 4] = [
        SuspensionReason::TimedOut,
        SuspensionReason::BrokeOff,
        SuspensionReason::BrokeRules,
        SuspensionReason::TooSlow,
    ];

    /// Text of the reason.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            SuspensionReason::TimedOut => "its clock ran out again and again",
            SuspensionReason::BrokeOff => "it broke its connection again and again while it was playing",
            SuspensionReason::BrokeRules => "its answers were refused again and again",
            SuspensionReason::TooSlow => "it read too slowly again and again",
        }
    }

    /// Label in metrics.
    pub(super) const fn label(self) -> &'static str {
        match self {
            SuspensionReason::TimedOut => "timed_out",
            SuspensionReason::BrokeOff => "broke_off",
            SuspensionReason::BrokeRules => "broke_rules",
            SuspensionReason::TooSlow => "too_slow",
        }
    }
}

/// Tables within which incidents are counted and a suspension holds: those of one tournament, or those of one organiser
/// outside of tournaments. Tables of anybody else are not affected, so that no rival can get an agent suspended for them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SuspensionScope {
    /// Name of the organiser.
    pub owner: String,
    /// The tournament; `None` for the organiser's other tables.
    pub tournament: Option<TournamentId>,
}

impl SuspensionScope {
    /// The organiser's tables outside of tournaments.
    pub(crate) fn of_tables(owner: &str) -> SuspensionScope {
        SuspensionScope { owner: owner.to_owned(), tournament: None }
    }

    /// The tables of one tournament of the organiser.
    pub(crate) fn of_tournament(owner: &str, tournament: TournamentId) -> SuspensionScope {
        SuspensionScope { owner: owner.to_owned(), tournament: Some(tournament) }
    }
}

/// Suspension of an agent: it gets no new seats within the scope until it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Suspension {
    /// The reason.
    pub reason: SuspensionReason,
    /// The tournament within which it holds; `None` for tables outside of tournaments.
    pub tournament: Option<TournamentId>,
    /// Start, in milliseconds since 1970.
    pub since: u64,
    /// End, in milliseconds since 1970.
    pub until: u64,
    /// Number of consecutive suspensions, this one included.
    pub consecutive: u32,
}

impl Suspension {
    /// The suspension that follows the previous one. It lasts twice as long, up to the longest; after as much
    /// time without a suspension as the longest lasts, the count starts again.
    pub(super) fn following(
        previous: Option<Suspension>,
        scope: &SuspensionScope,
        reason: SuspensionReason,
        now: u64,
        settings: &AgentSettings,
    ) -> Suspension {
        let (first, longest) = (in_ms(settings.first_suspension), in_ms(settings.longest_suspension));
        let recent = previous.filter(|previous| now < previous.until.saturating_add(longest));
        let consecutive = recent.map_or(1, |previous| previous.consecutive.saturating_add(1));
        let doubled = first.saturating_mul(1_u64.checked_shl(consecutive - 1).unwrap_or(u64::MAX));
        let until = now.saturating_add(doubled.min(longest.max(first)));
        Suspension { reason, tournament: scope.tournament, since: now, until, consecutive }
    }
}

fn in_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suspensions_double_up_to_the_longest() {
        let (settings, scope) = (AgentSettings::default(), SuspensionScope::of_tables("club"));
        let following = |previous, now| {
            Suspension::following(previous, &scope, SuspensionReason::TimedOut, now, &settings)
        };
        let mut suspension = None;
        let mut now = 1_000_000;
        let mut lengths = Vec::new();
        for _ in 0..8 {
            let next = following(suspension, now);
            lengths.push((next.until - next.since) / 1000);
            (now, suspension) = (next.until + 1, Some(next));
        }
        assert_eq!(lengths, [10, 20, 40, 80, 160, 320, 600, 600]);
        let later = following(suspension, now + 600_000);
        assert_eq!(
            (later.consecutive, later.until - later.since),
            (1, 10_000),
            "the count starts again after the longest time"
        );
    }
}
