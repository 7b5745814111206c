//! Test for agents that score better in later rotations of a deal: they remember it, or were informed about
//! it.
//!
//! In a group, the gain of an entrant is its mean score in the later rotations less its score in the first.
//! The effect of the seats, and so of the hands, is removed:
//!
//! - With k > 2 players and all k rotations, every entrant has had every hand of the deal. From each score,
//!   the mean of all scores of the same seat in this deal is subtracted. The remaining difference is
//!   (k-2)/(k-1) of the gain, and is scaled accordingly. The luck of the hands cancels.
//! - With two players this would leave nothing: a gain of one player looks like a good hand. From each score,
//!   the mean of the seat in the groups before is subtracted. The luck of the hand stays, but seats are drawn
//!   for each group, so its mean is 0.
//!
//! Null hypothesis: the mean gain is 0, because the first seating is random. It is tested against positive
//! gains with the e-value of [`Moments::log_e_value`], which is anytime-valid. The p-values are 1/E,
//! corrected for the number of entrants by the method of Holm (1979). An entrant with a p-value up to
//! [`FLAG_LEVEL`] is flagged: if no agent remembers anything, at most one tournament in a hundred ever has a
//! flag.
//!
//! A flag is a reason to investigate, not a proof: first rotations come first, so an agent that learns while
//! it plays gains, too.

use super::Moments;
use crate::results::{Entrant, Group, TableScore};

/// Significance level of a flag: maximum probability of any false flag in a tournament.
pub const FLAG_LEVEL: f64 = 0.01;

/// Gain of an entrant in later rotations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RotationGain {
    /// Mean gain, in points per table.
    pub mean: f64,
    /// Anytime-valid p-value of the gain, corrected for the number of entrants.
    pub p_value: f64,
    /// True if the p-value is at most [`FLAG_LEVEL`].
    pub flagged: bool,
}

/// Rotation gains of all entrants.
#[derive(Clone, PartialEq, Debug)]
pub struct RotationGains {
    gains: Vec<Moments>,
    /// Scores of the first seat at tables of two.
    first_seat: Moments,
}

impl RotationGains {
    /// No groups yet, for this number of entrants.
    #[must_use]
    pub fn new(entrants: usize) -> Self {
        RotationGains { gains: vec![Moments::default(); entrants], first_seat: Moments::default() }
    }

    /// Adds a group. Groups without all rotations, such as those of independent deals, are ignored.
    pub fn push(&mut self, group: &Group) {
        let players = group.tables.first().map_or(0, |table| table.seats.len());
        let is_full = |table: &TableScore| table.seats.len() == players;
        if players < 2 || group.tables.len() != players || !group.tables.iter().all(is_full) {
            return;
        }
        let scores: Vec<Vec<(Entrant, f64)>> =
            group.tables.iter().map(|table| table.scores().collect()).collect();
        let seat_means: Vec<f64> = match players {
            2 => vec![self.first_seat.mean(), -self.first_seat.mean()],
            _ => (0..players).map(|seat| mean(scores.iter().map(|table| table[seat].1))).collect(),
        };
        let others = (players - 1) as f64;
        let share = if players == 2 { 1.0 } else { (others - 1.0) / others };
        for &(entrant, _) in &scores[0] {
            let Some(gains) = self.gains.get_mut(entrant.index()) else { continue };
            let less_seat = |table: &Vec<(Entrant, f64)>| {
                let seat = table.iter().position(|(other, _)| *other == entrant)?;
                Some(table[seat].1 - seat_means[seat])
            };
            let own: Vec<f64> = scores.iter().filter_map(less_seat).collect();
            if let [first, later @ ..] = &own[..]
                && later.len() + 1 == players
            {
                gains.push((mean(later.iter().copied()) - first) / share);
            }
        }
        if players == 2 {
            scores.iter().for_each(|table| self.first_seat.push(table[0].1));
        }
    }

    /// Gain of each entrant, in entrant order; `None` while its groups are insufficient.
    #[must_use]
    pub fn results(&self) -> Vec<Option<RotationGain>> {
        let mut p_values: Vec<(f64, usize)> = vec![];
        for (at, gains) in self.gains.iter().enumerate().filter(|(_, gains)| !gains.is_insufficient()) {
            let log_e = if gains.mean() > 0.0 { gains.log_e_value(0.0) } else { 0.0 };
            p_values.push((libm::exp(-log_e).min(1.0), at));
        }
        p_values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut results = vec![None; self.gains.len()];
        let mut p_value = 0.0f64;
        for (nth, &(alone, at)) in p_values.iter().enumerate() {
            // Holm: the smallest is multiplied by the number of tests, the next by one less, and so on,
            // without decreasing.
            p_value = p_value.max(alone * (p_values.len() - nth) as f64).min(1.0);
            let mean = self.gains[at].mean();
            results[at] = Some(RotationGain { mean, p_value, flagged: p_value <= FLAG_LEVEL });
        }
        results
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

#[cfg(test)]
mod tests {
    use parlor_testkit::rng_with_default_seed;

    use super::*;
    use crate::stats::simulate::{Field, table};

    fn field(players: usize, memory: f64) -> Field {
        Field { skills: vec![0.0, -1.0, 2.0, 4.0, -5.0, 0.5], players, hands: 5.0, games: 4.0, memory }
    }

    /// Simulates a tournament with a test after each group. Returns the first flagged entrant and the number
    /// of groups.
    fn first_flag(field: &Field, groups: u32, rng: &mut impl rand_core::Rng) -> Option<(usize, u32)> {
        let mut gains = RotationGains::new(field.skills.len());
        (0..groups).find_map(|number| {
            gains.push(&field.group(number, rng));
            let flagged = |gain: &Option<RotationGain>| gain.is_some_and(|gain| gain.flagged);
            gains.results().iter().position(flagged).map(|entrant| (entrant, number + 1))
        })
    }

    #[test]
    fn honest_fields_are_flagged_no_more_often_than_the_level() {
        let mut rng = rng_with_default_seed(12);
        for players in [2, 3, 4] {
            let tournaments = 400;
            let alarm = |_: &u32| first_flag(&field(players, 0.0), 400, &mut rng).is_some();
            let alarms = (0..tournaments).filter(alarm).count();
            println!("{players} players: {alarms} false alarms in {tournaments} tournaments");
            // 4 of 400 are allowed, plus three standard errors.
            assert!(alarms <= 10, "{players}: {alarms}");
        }
    }

    #[test]
    fn agent_that_remembers_deals_is_flagged_and_no_other() {
        let mut rng = rng_with_default_seed(13);
        // With two players the luck of the hand stays, so a greater gain is needed.
        for (players, memory, groups) in [(2, 5.0, 2000), (3, 2.0, 1500), (4, 2.0, 1000)] {
            let found: Vec<_> =
                (0..50).map(|_| first_flag(&field(players, memory), groups, &mut rng)).collect();
            let right: Vec<u32> =
                found.iter().flatten().filter(|(entrant, _)| *entrant == 0).map(|f| f.1).collect();
            let wrong = found.iter().flatten().filter(|(entrant, _)| *entrant != 0).count();
            let after = right.iter().sum::<u32>() / (right.len() as u32).max(1);
            println!("{players} players, {memory} points: {} of 50 found, after {after} groups", right.len());
            assert!(right.len() >= 47 && wrong <= 1, "{players}: {found:?}");
        }
    }

    #[test]
    fn mean_gain_is_in_points_per_table() {
        let mut rng = rng_with_default_seed(14);
        for players in [2, 3, 4] {
            let mut gains = RotationGains::new(6);
            (0..8000).for_each(|number| gains.push(&field(players, 3.0).group(number, &mut rng)));
            let cheater = gains.results()[0].unwrap();
            assert!((cheater.mean - 3.0).abs() < 0.5, "{players}: {cheater:?}");
            assert!(cheater.flagged && cheater.p_value < 1e-6);
        }
    }

    #[test]
    fn groups_without_rotations_and_equal_gains_give_no_result() {
        let points = [(Entrant(0), 9), (Entrant(1), 4)];
        let single = Group { number: 0, round: 0, tables: vec![table(0, &points)] };
        let swapped = [points[1], points[0]];
        let equal = Group { number: 0, round: 0, tables: vec![table(0, &points), table(1, &swapped)] };
        let mut gains = RotationGains::new(2);
        for _ in 0..100 {
            gains.push(&single);
        }
        assert_eq!(gains.results(), [None, None]);
        assert_eq!(gains.gains[0].count(), 0);
        for _ in 0..100 {
            gains.push(&equal);
        }
        assert_eq!((gains.gains[0].count(), gains.results()), (100, vec![None, None]));
    }

    #[test]
    fn p_values_are_corrected_by_the_method_of_holm() {
        let mut gains = RotationGains::new(3);
        for at in 0..200 {
            let noise = f64::from(at % 5) - 2.0;
            // Two gain, one of them more clearly, and one loses.
            for (moments, gain) in gains.gains.iter_mut().zip([0.4, 0.5, -0.9]) {
                moments.push(gain + noise);
            }
        }
        let alone = |at: usize| libm::exp(-gains.gains[at].log_e_value(0.0)).min(1.0);
        let results: Vec<RotationGain> = gains.results().into_iter().flatten().collect();
        assert!((results[1].p_value - 3.0 * alone(1)).abs() < 1e-12);
        assert!((results[0].p_value - 2.0 * alone(0)).abs() < 1e-12);
        assert_eq!((results[2].p_value, results[2].flagged), (1.0, false));
    }
}
