//! Conduct of an agent: its incidents, counted apart in each scope, and the suspensions that follow from them.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use super::suspension::{Suspension, SuspensionReason, SuspensionScope};
use crate::clock::Moment;
use crate::settings::AgentSettings;

/// Maximum number of scopes whose incidents are kept for one agent. Of more, the one with the oldest incident is forgotten.
const MAX_SCOPES: usize = 128;

/// Incidents within one scope since its last suspension.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct IncidentCounts {
    consecutive_timeouts: u32,
    consecutive_refusals: u32,
    disconnects: VecDeque<Moment>,
    slow_reads: VecDeque<Moment>,
}

impl IncidentCounts {
    /// Records an incident. Returns whether it suspends the agent; then its count starts again.
    fn record(&mut self, incident: SuspensionReason, now: Moment, settings: &AgentSettings) -> bool {
        let within = settings.counting_window;
        let is_enough = match incident {
            SuspensionReason::TimedOut => {
                self.consecutive_timeouts = self.consecutive_timeouts.saturating_add(1);
                self.consecutive_timeouts >= settings.max_time_outs
            }
            SuspensionReason::BrokeRules => {
                self.consecutive_refusals = self.consecutive_refusals.saturating_add(1);
                self.consecutive_refusals >= settings.max_refused_answers
            }
            SuspensionReason::BrokeOff => {
                count_recent(&mut self.disconnects, now, within) >= settings.max_disconnects
            }
            SuspensionReason::TooSlow => {
                count_recent(&mut self.slow_reads, now, within) >= settings.max_slow_reads
            }
        };
        if is_enough {
            match incident {
                SuspensionReason::TimedOut => self.consecutive_timeouts = 0,
                SuspensionReason::BrokeRules => self.consecutive_refusals = 0,
                SuspensionReason::BrokeOff => self.disconnects.clear(),
                SuspensionReason::TooSlow => self.slow_reads.clear(),
            }
        }
        is_enough
    }
}

/// Adds an incident and counts those within the window. A suspension clears them, so their number is bounded.
fn count_recent(times: &mut VecDeque<Moment>, now: Moment, within: Duration) -> u32 {
    times.push_back(now);
    while times.front().is_some_and(|first| now.since(*first) > within) {
        times.pop_front();
    }
    times.len() as u32
}

/// Conduct within one scope.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ScopeHealth {
    counts: IncidentCounts,
    /// The last suspension, which may have ended.
    suspension: Option<Suspension>,
    /// Time of the last incident.
    last: Moment,
}

/// Conduct of an agent in each scope.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct AgentHealth(HashMap<SuspensionScope, ScopeHealth>);

impl AgentHealth {
    /// The conduct of an agent with these suspensions from before the start.
    pub(super) fn with_suspensions(suspensions: HashMap<SuspensionScope, Suspension>) -> AgentHealth {
        let health = |suspension| ScopeHealth {
            counts: IncidentCounts::default(),
            suspension: Some(suspension),
            last: Moment::START,
        };
        AgentHealth(suspensions.into_iter().map(|(scope, suspension)| (scope, health(suspension))).collect())
    }

    /// Records an accepted answer, which resets the consecutive incidents of the scope.
    pub(super) fn record_answer(&mut self, scope: &SuspensionScope) {
        if let Some(ScopeHealth { counts, .. }) = self.0.get_mut(scope) {
            (counts.consecutive_timeouts, counts.consecutive_refusals) = (0, 0);
        }
    }

    /// Records an incident at `now`, which is `now_ms` in milliseconds since 1970. Returns the suspension that it causes.
    pub(super) fn record_incident(
        &mut self,
        scope: &SuspensionScope,
        incident: SuspensionReason,
        (now, now_ms): (Moment, u64),
        settings: &AgentSettings,
    ) -> Option<Suspension> {
        if !self.0.contains_key(scope) {
            self.make_room();
            let health = ScopeHealth { counts: IncidentCounts::default(), suspension: None, last: now };
            self.0.insert(scope.clone(), health);
        }
        let health = self.0.get_mut(scope)?;
        health.last = now;
        let is_suspended = health.suspension.is_some_and(|suspension| now_ms < suspension.until);
        if !health.counts.record(incident, now, settings) || is_suspended {
            return None;
        }
        health.suspension = Some(Suspension::following(health.suspension, scope, incident, now_ms, settings));
        health.suspension
    }

    /// Makes room for one more scope.
    fn make_room(&mut self) {
        while self.0.len() >= MAX_SCOPES {
            let oldest = self.0.iter().min_by_key(|(_, health)| health.last);
            let Some(oldest) = oldest.map(|(scope, _)| scope.clone()) else { return };
            self.0.remove(&oldest);
        }
    }

    /// The suspension in this scope that is in force at this time, in milliseconds since 1970.
    pub(super) fn suspension(&self, scope: &SuspensionScope, now_ms: u64) -> Option<Suspension> {
        self.0.get(scope)?.suspension.filter(|suspension| now_ms < suspension.until)
    }

    /// The suspension in force that ends last, among those in the scopes of one organiser, or with `None` of all.
    pub(super) fn longest_suspension(&self, owner: Option<&str>, now_ms: u64) -> Option<Suspension> {
        let scopes = self.0.keys().filter(|scope| owner.is_none_or(|owner| scope.owner == owner));
        scopes.filter_map(|scope| self.suspension(scope, now_ms)).max_by_key(|suspension| suspension.until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// An agent and one organiser.
    struct Case {
        health: AgentHealth,
        scope: SuspensionScope,
        settings: AgentSettings,
    }

    impl Case {
        fn new() -> Case {
            let (health, settings) = (AgentHealth::default(), AgentSettings::default());
            Case { health, scope: SuspensionScope::of_tables("club"), settings }
        }

        /// Records an incident; true if it suspends the agent.
        fn suspends(&mut self, incident: SuspensionReason, now: Moment) -> bool {
            // Suspensions end at once here, so that each is seen.
            self.settings.first_suspension = Duration::ZERO;
            self.settings.longest_suspension = Duration::ZERO;
            self.health.record_incident(&self.scope, incident, (now, 1), &self.settings).is_some()
        }
    }

    #[test]
    fn accepted_answer_resets_consecutive_incidents() {
        let settings = AgentSettings::default();
        for (incident, threshold) in [
            (SuspensionReason::TimedOut, settings.max_time_outs),
            (SuspensionReason::BrokeRules, settings.max_refused_answers),
        ] {
            let mut case = Case::new();
            for _ in 0..threshold - 1 {
                assert!(!case.suspends(incident, Moment::START), "{incident:?}");
            }
            case.health.record_answer(&case.scope.clone());
            for _ in 0..threshold - 1 {
                assert!(!case.suspends(incident, Moment::START), "{incident:?}");
            }
            assert!(case.suspends(incident, Moment::START), "{incident:?}");
        }
    }

    #[test]
    fn disconnects_and_slow_reads_count_within_the_window() {
        let settings = AgentSettings::default();
        for (incident, threshold) in [
            (SuspensionReason::BrokeOff, settings.max_disconnects),
            (SuspensionReason::TooSlow, settings.max_slow_reads),
        ] {
            let mut case = Case::new();
            let mut now = Moment::START;
            for _ in 0..100 {
                now = now + settings.counting_window + SECOND;
                assert!(!case.suspends(incident, now), "{incident:?}: rare incidents do not suspend");
            }
            for _ in 0..threshold - 2 {
                assert!(!case.suspends(incident, now), "{incident:?}");
            }
            assert!(case.suspends(incident, now), "{incident:?}");
            assert!(!case.suspends(incident, now), "{incident:?}: the count starts again");
        }
    }

    #[test]
    fn scopes_are_counted_apart_and_bounded() {
        let (mut health, settings) = (AgentHealth::default(), AgentSettings::default());
        let time_out = |health: &mut AgentHealth, owner: &str, now: Moment| {
            let scope = SuspensionScope::of_tables(owner);
            health.record_incident(&scope, SuspensionReason::TimedOut, (now, 1), &settings).is_some()
        };
        for _ in 0..settings.max_time_outs - 1 {
            assert!(!time_out(&mut health, "club", Moment::START));
        }
        for rival in 0..settings.max_time_outs {
            assert!(!time_out(&mut health, &format!("rival-{rival}"), Moment::START));
        }
        assert!(time_out(&mut health, "club", Moment::START + SECOND));
        for (owner, is_suspended) in [(Some("club"), true), (Some("rival-0"), false), (None, true)] {
            assert_eq!(health.longest_suspension(owner, 2).is_some(), is_suspended, "{owner:?}");
        }
        for other in 0..2 * MAX_SCOPES {
            time_out(&mut health, &format!("other-{other}"), Moment::START + 2 * SECOND);
        }
        assert_eq!(health.0.len(), MAX_SCOPES);
    }
}
