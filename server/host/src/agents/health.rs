//! Conduct of an agent: its answer times, its incidents, and the suspensions that follow from them.

use std::collections::VecDeque;
use std::time::Duration;

use crate::clock::Moment;
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

/// Suspension of an agent: it gets no new seats until it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Suspension {
    /// The reason.
    pub reason: SuspensionReason,
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
        reason: SuspensionReason,
        now: u64,
        settings: &AgentSettings,
    ) -> Suspension {
        let (first, longest) = (in_ms(settings.first_suspension), in_ms(settings.longest_suspension));
        let recent = previous.filter(|previous| now < previous.until.saturating_add(longest));
        let consecutive = recent.map_or(1, |previous| previous.consecutive.saturating_add(1));
        let doubled = first.saturating_mul(1_u64.checked_shl(consecutive - 1).unwrap_or(u64::MAX));
        let until = now.saturating_add(doubled.min(longest.max(first)));
        Suspension { reason, since: now, until, consecutive }
    }
}

fn in_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Answers of an agent since the server started. Secret decisions are not counted, since listings would
/// reveal them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AnswerTimes {
    /// Number of answered decisions.
    pub answers: u64,
    /// Number of refused answers.
    pub refused: u64,
    /// Number of time-outs.
    pub timeouts: u64,
    /// Total time of the answers.
    pub total: Duration,
    /// Time of the slowest answer.
    pub longest: Duration,
    /// Number of answers with the agent's own measure of the time, and their total time by that measure.
    pub reported: (u64, Duration),
}

impl AnswerTimes {
    /// Mean time of an answer.
    #[must_use]
    pub fn mean(&self) -> Duration {
        mean(self.total, self.answers)
    }

    /// Mean time by the agent's own measure; `None` if it has reported none.
    #[must_use]
    pub fn reported_mean(&self) -> Option<Duration> {
        let (count, sum) = self.reported;
        (count > 0).then(|| mean(sum, count))
    }
}

fn mean(sum: Duration, count: u64) -> Duration {
    let micros = sum.as_micros() / u128::from(count.max(1));
    Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
}

/// Answer times of an agent, and its incidents since the last suspension.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct AgentHealth {
    pub(super) times: AnswerTimes,
    consecutive_timeouts: u32,
    consecutive_refusals: u32,
    disconnects: VecDeque<Moment>,
    slow_reads: VecDeque<Moment>,
}

impl AgentHealth {
    /// Records an accepted answer, which resets the consecutive incidents. `reported` is in milliseconds.
    pub(super) fn record_answer(&mut self, took: Duration, reported: Option<u32>) {
        (self.consecutive_timeouts, self.consecutive_refusals) = (0, 0);
        self.times.answers += 1;
        self.times.total = self.times.total.saturating_add(took);
        self.times.longest = self.times.longest.max(took);
        if let Some(ms) = reported {
            let (count, sum) = &mut self.times.reported;
            *count += 1;
            *sum = sum.saturating_add(Duration::from_millis(ms.into()));
        }
    }

    /// Number of consecutive refused answers.
    pub(super) const fn consecutive_refusals(&self) -> u32 {
        self.consecutive_refusals
    }

    /// Records an incident. Returns whether it suspends the agent; then its count starts again.
    pub(super) fn record_incident(
        &mut self,
        incident: SuspensionReason,
        now: Moment,
        settings: &AgentSettings,
    ) -> bool {
        let within = settings.counting_window;
        let is_enough = match incident {
            SuspensionReason::TimedOut => {
                self.times.timeouts += 1;
                self.consecutive_timeouts = self.consecutive_timeouts.saturating_add(1);
                self.consecutive_timeouts >= settings.max_time_outs
            }
            SuspensionReason::BrokeRules => {
                self.times.refused += 1;
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
                // Refusals count on, since enough of them end the connection.
                SuspensionReason::BrokeRules => {}
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

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn suspensions_double_up_to_the_longest() {
        let settings = AgentSettings::default();
        let mut suspension = None;
        let mut now = 1_000_000;
        let mut lengths = Vec::new();
        for _ in 0..8 {
            let next = Suspension::following(suspension, SuspensionReason::TimedOut, now, &settings);
            lengths.push((next.until - next.since) / 1000);
            (now, suspension) = (next.until + 1, Some(next));
        }
        assert_eq!(lengths, [10, 20, 40, 80, 160, 320, 600, 600]);
        let later = Suspension::following(suspension, SuspensionReason::TimedOut, now + 600_000, &settings);
        assert_eq!(
            (later.consecutive, later.until - later.since),
            (1, 10_000),
            "the count starts again after the longest time"
        );
    }

    #[test]
    fn accepted_answer_resets_consecutive_incidents() {
        let settings = AgentSettings::default();
        for (incident, threshold) in [
            (SuspensionReason::TimedOut, settings.max_time_outs),
            (SuspensionReason::BrokeRules, settings.max_refused_answers),
        ] {
            let mut health = AgentHealth::default();
            for _ in 0..threshold - 1 {
                assert!(!health.record_incident(incident, Moment::START, &settings), "{incident:?}");
            }
            health.record_answer(SECOND, None);
            for _ in 0..threshold - 1 {
                assert!(!health.record_incident(incident, Moment::START, &settings), "{incident:?}");
            }
            assert!(health.record_incident(incident, Moment::START, &settings), "{incident:?}");
        }
    }

    #[test]
    fn disconnects_and_slow_reads_count_within_the_window() {
        let settings = AgentSettings::default();
        for (incident, threshold) in [
            (SuspensionReason::BrokeOff, settings.max_disconnects),
            (SuspensionReason::TooSlow, settings.max_slow_reads),
        ] {
            let mut health = AgentHealth::default();
            let mut now = Moment::START;
            for _ in 0..100 {
                now = now + settings.counting_window + SECOND;
                assert!(
                    !health.record_incident(incident, now, &settings),
                    "{incident:?}: rare incidents do not suspend"
                );
            }
            for _ in 0..threshold - 2 {
                assert!(!health.record_incident(incident, now, &settings), "{incident:?}");
            }
            assert!(health.record_incident(incident, now, &settings), "{incident:?}");
            assert!(
                !health.record_incident(incident, now, &settings),
                "{incident:?}: the count starts again"
            );
        }
    }

    #[test]
    fn answer_times_are_totalled() {
        let mut health = AgentHealth::default();
        assert_eq!((health.times.mean(), health.times.reported_mean()), (Duration::ZERO, None));
        health.record_answer(SECOND, None);
        health.record_answer(3 * SECOND, Some(500));
        assert_eq!(health.times.mean(), 2 * SECOND);
        assert_eq!(health.times.longest, 3 * SECOND);
        assert_eq!(health.times.reported_mean(), Some(Duration::from_millis(500)));
    }
}
