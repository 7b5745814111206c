//! How an agent behaves: what it has answered, what went wrong with it in a row, and when that is enough.

use std::collections::VecDeque;
use std::time::Duration;

use crate::clock::Moment;
use crate::settings::AgentSettings;

/// What goes wrong with an agent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SuspensionReason {
    /// Its clock ran out.
    TimedOut,
    /// It broke its connection while it was playing.
    BrokeOff,
    /// It answered against the rules, or what it was not asked.
    BrokeRules,
    /// It read too slowly.
    TooSlow,
}

impl SuspensionReason {
    /// Every kind of it.
    pub const ALL: [SuspensionReason; 4] = [
        SuspensionReason::TimedOut,
        SuspensionReason::BrokeOff,
        SuspensionReason::BrokeRules,
        SuspensionReason::TooSlow,
    ];

    /// What it did again and again, for people.
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            SuspensionReason::TimedOut => "its clock ran out again and again",
            SuspensionReason::BrokeOff => "it broke its connection again and again while it was playing",
            SuspensionReason::BrokeRules => "its answers were refused again and again",
            SuspensionReason::TooSlow => "it read too slowly again and again",
        }
    }

    /// One word for it, for metrics.
    pub(super) const fn label(self) -> &'static str {
        match self {
            SuspensionReason::TimedOut => "timed_out",
            SuspensionReason::BrokeOff => "broke_off",
            SuspensionReason::BrokeRules => "broke_rules",
            SuspensionReason::TooSlow => "too_slow",
        }
    }
}

/// An agent gets no new seats for a while.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Suspension {
    /// Why.
    pub why: SuspensionReason,
    /// Since when, in milliseconds since 1970.
    pub since: u64,
    /// Until when. From then on it is healthy, if it is connected.
    pub until: u64,
    /// The how manieth time in a row it is.
    pub times: u32,
}

impl Suspension {
    /// The next time that an agent is set aside, after this one if there was any: twice as long, unless it has behaved for
    /// as long as the longest time.
    pub(super) fn after(
        before: Option<Suspension>,
        why: SuspensionReason,
        now: u64,
        settings: &AgentSettings,
    ) -> Suspension {
        let (first, longest) = (in_ms(settings.first_suspension), in_ms(settings.longest_suspension));
        let in_a_row = before.filter(|before| now < before.until.saturating_add(longest));
        let times = in_a_row.map_or(1, |before| before.times.saturating_add(1));
        let doubled = first.saturating_mul(1_u64.checked_shl(times - 1).unwrap_or(u64::MAX));
        Suspension { why, since: now, until: now.saturating_add(doubled.min(longest.max(first))), times }
    }
}

fn in_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// How an agent has answered since the server started. Secret decisions are not counted: whoever looks on would learn of
/// them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AnswerTimes {
    /// How many decisions it has answered.
    pub answers: u64,
    /// How many of its answers were refused.
    pub refused: u64,
    /// How often its clock ran out.
    pub clocks_run_out: u64,
    /// How long its answers took in all.
    pub taken: Duration,
    /// How long the slowest one took.
    pub longest: Duration,
    /// How many answers had its own report of the time, and how long they took in all by that.
    pub reported: (u64, Duration),
}

impl AnswerTimes {
    /// The mean time for an answer.
    #[must_use]
    pub fn mean(&self) -> Duration {
        mean(self.taken, self.answers)
    }

    /// The mean time for an answer by the agent's own report, if it ever said.
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

/// What an agent has done, and what is held against it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct SeatFinish {
    pub(super) times: AnswerTimes,
    time_outs: u32,
    refused: u32,
    breaks: VecDeque<Moment>,
    slow: VecDeque<Moment>,
}

impl SeatFinish {
    /// An answer was accepted: nothing is wrong in a row any more.
    pub(super) fn answered(&mut self, took: Duration, reported: Option<u32>) {
        (self.time_outs, self.refused) = (0, 0);
        self.times.answers += 1;
        self.times.taken = self.times.taken.saturating_add(took);
        self.times.longest = self.times.longest.max(took);
        if let Some(ms) = reported {
            let (count, sum) = &mut self.times.reported;
            *count += 1;
            *sum = sum.saturating_add(Duration::from_millis(ms.into()));
        }
    }

    /// How many answers were refused in a row.
    pub(super) const fn refused_in_a_row(&self) -> u32 {
        self.refused
    }

    /// Something went wrong. AgentProfile whether that is enough to set the agent aside; if so, it begins anew.
    pub(super) fn note(&mut self, trouble: SuspensionReason, now: Moment, settings: &AgentSettings) -> bool {
        let within = settings.counting_window;
        let is_enough = match trouble {
            SuspensionReason::TimedOut => {
                self.times.clocks_run_out += 1;
                self.time_outs = self.time_outs.saturating_add(1);
                self.time_outs >= settings.max_time_outs
            }
            SuspensionReason::BrokeRules => {
                self.times.refused += 1;
                self.refused = self.refused.saturating_add(1);
                self.refused >= settings.max_refused_answers
            }
            SuspensionReason::BrokeOff => count(&mut self.breaks, now, within) >= settings.max_disconnects,
            SuspensionReason::TooSlow => count(&mut self.slow, now, within) >= settings.max_slow_reads,
        };
        if is_enough {
            match trouble {
                SuspensionReason::TimedOut => self.time_outs = 0,
                // What was refused in a row goes on counting: at some point the connection ends.
                SuspensionReason::BrokeRules => {}
                SuspensionReason::BrokeOff => self.breaks.clear(),
                SuspensionReason::TooSlow => self.slow.clear(),
            }
        }
        is_enough
    }
}

/// Counts one more, and those before it that were not long ago. As many are kept as lead to something.
fn count(times: &mut VecDeque<Moment>, now: Moment, within: Duration) -> u32 {
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
    fn each_time_aside_is_twice_as_long_up_to_a_bound() {
        let settings = AgentSettings::default();
        let mut aside = None;
        let mut now = 1_000_000;
        let mut lasted = Vec::new();
        for _ in 0..8 {
            let next = Suspension::after(aside, SuspensionReason::TimedOut, now, &settings);
            lasted.push((next.until - next.since) / 1000);
            (now, aside) = (next.until + 1, Some(next));
        }
        assert_eq!(lasted, [10, 20, 40, 80, 160, 320, 600, 600]);
        let later = Suspension::after(aside, SuspensionReason::TimedOut, now + 600_000, &settings);
        assert_eq!((later.times, later.until - later.since), (1, 10_000), "it has behaved for long enough");
    }

    #[test]
    fn what_goes_wrong_in_a_row_is_forgiven_by_one_good_answer() {
        let settings = AgentSettings::default();
        for (trouble, most) in [
            (SuspensionReason::TimedOut, settings.max_time_outs),
            (SuspensionReason::BrokeRules, settings.max_refused_answers),
        ] {
            let mut finish = SeatFinish::default();
            for _ in 0..most - 1 {
                assert!(!finish.note(trouble, Moment::START, &settings), "{trouble:?}");
            }
            finish.answered(SECOND, None);
            for _ in 0..most - 1 {
                assert!(!finish.note(trouble, Moment::START, &settings), "{trouble:?}");
            }
            assert!(finish.note(trouble, Moment::START, &settings), "{trouble:?}");
        }
    }

    #[test]
    fn breaks_count_while_they_are_fresh() {
        let settings = AgentSettings::default();
        for (trouble, most) in [
            (SuspensionReason::BrokeOff, settings.max_disconnects),
            (SuspensionReason::TooSlow, settings.max_slow_reads),
        ] {
            let mut finish = SeatFinish::default();
            let mut now = Moment::START;
            for _ in 0..100 {
                now = now + settings.counting_window + SECOND;
                assert!(!finish.note(trouble, now, &settings), "{trouble:?}: rarely is no trouble");
            }
            for _ in 0..most - 2 {
                assert!(!finish.note(trouble, now, &settings), "{trouble:?}");
            }
            assert!(finish.note(trouble, now, &settings), "{trouble:?}");
            assert!(!finish.note(trouble, now, &settings), "{trouble:?}: it begins anew");
        }
    }

    #[test]
    fn times_are_summed_up() {
        let mut finish = SeatFinish::default();
        assert_eq!((finish.times.mean(), finish.times.reported_mean()), (Duration::ZERO, None));
        finish.answered(SECOND, None);
        finish.answered(3 * SECOND, Some(500));
        assert_eq!(finish.times.mean(), 2 * SECOND);
        assert_eq!(finish.times.longest, 3 * SECOND);
        assert_eq!(finish.times.reported_mean(), Some(Duration::from_millis(500)));
    }
}
