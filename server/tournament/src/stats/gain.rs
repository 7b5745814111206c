//! Whoever remembers a deal, or is told of it, does better when it comes again. This looks for it.
//!
//! In a group, the gain of an entrant is its mean score in the later rotations less its score in the first. What it costs to have
//! other seats, and so other hands, is taken out:
//!
//! - With k > 2 players and all k rotations, everybody has had every hand of the deal. From each score goes the mean of
//!   all that had the same seat of the same deal, and what is left of the difference is (k-2)/(k-1) of the gain, for which it is
//!   multiplied. The luck of the hands is gone from it.
//! - With two players this would leave nothing: a gain of the one cannot be told from a good hand. From each score goes the mean
//!   of the seat in the groups before; the luck of the hand stays, but seats are drawn anew for each group, so its mean is 0.
//!
//! If there is nothing to it, the mean gain is 0, because who sits where first is chance. That is tested with the evidence of
//! [`Moments::evidence_against`], for gains that are above 0: a test that one may look at all the time. Its p-values are 1/E, made
//! fit for looking at all entrants by the method of Holm (1979). At [`FLAG_LEVEL`] an entrant is flagged: if nobody remembers
//! anything, at most one tournament in a hundred ever has a flag.
//!
//! A flag is a reason to look, not a proof: first rotations come first, so whoever learns while it plays also gains.

use super::Moments;
use crate::played::{Entrant, Group, TableScore};

/// How likely it may be that anybody is flagged who does not deserve it.
pub const FLAG_LEVEL: f64 = 0.01;

/// What an entrant gained in later rotations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RotationGain {
    /// The mean gain, in points a table.
    pub mean: f64,
    /// How likely so large a gain would be if there were nothing to it, with regard to how many entrants are looked at.
    pub p_value: f64,
    /// Whether it is so unlikely that somebody should look at it.
    pub flagged: bool,
}

/// The gains of all entrants.
#[derive(Clone, PartialEq, Debug)]
pub struct Gains {
    gains: Vec<Moments>,
    /// The scores of the first seat of tables for two.
    first_seat: Moments,
}

impl Gains {
    /// Nothing yet, of so many entrants.
    #[must_use]
    pub fn new(entrants: usize) -> Self {
        Gains { gains: vec![Moments::default(); entrants], first_seat: Moments::default() }
    }

    /// Takes in a group. One without all rotations, such as one of independent deals, tells nothing.
    pub fn push(&mut self, group: &Group) {
        let players = group.tables.first().map_or(0, |table| table.seats.len());
        let is_whole = |table: &TableScore| table.seats.len() == players;
        if players < 2 || group.tables.len() != players || !group.tables.iter().all(is_whole) {
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
        for &(who, _) in &scores[0] {
            let Some(gains) = self.gains.get_mut(who.index()) else { continue };
            let less_seat = |table: &Vec<(Entrant, f64)>| {
                let seat = table.iter().position(|(there, _)| *there == who)?;
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

    /// What each entrant gained, in their order; none while there is not enough to tell.
    #[must_use]
    pub fn look(&self) -> Vec<Option<RotationGain>> {
        let mut p_values: Vec<(f64, usize)> = vec![];
        for (at, gains) in self.gains.iter().enumerate().filter(|(_, gains)| !gains.tell_nothing()) {
            let evidence = if gains.mean() > 0.0 { gains.evidence_against(0.0) } else { 0.0 };
            p_values.push((libm::exp(-evidence).min(1.0), at));
        }
        p_values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut looked = vec![None; self.gains.len()];
        let mut least = 0.0f64;
        for (nth, &(alone, at)) in p_values.iter().enumerate() {
            // Holm: the least is looked at among all, the next among the others, and none is less than the one before.
            least = least.max(alone * (p_values.len() - nth) as f64).min(1.0);
            let mean = self.gains[at].mean();
            looked[at] = Some(RotationGain { mean, p_value: least, flagged: least <= FLAG_LEVEL });
        }
        looked
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::simulate::{Field, rng, table};

    fn field(players: usize, memory: f64) -> Field {
        Field { skills: vec![0.0, -1.0, 2.0, 4.0, -5.0, 0.5], players, hands: 5.0, games: 4.0, memory }
    }

    /// Plays a tournament, looks after each group, and says who was ever flagged and after how many groups.
    fn ever_flagged(field: &Field, groups: u32, rng: &mut impl rand_core::Rng) -> Option<(usize, u32)> {
        let mut gains = Gains::new(field.skills.len());
        (0..groups).find_map(|number| {
            gains.push(&field.group(number, rng));
            let flagged = |gain: &Option<RotationGain>| gain.is_some_and(|gain| gain.flagged);
            gains.look().iter().position(flagged).map(|who| (who, number + 1))
        })
    }

    #[test]
    fn honest_fields_are_hardly_ever_flagged() {
        let mut rng = rng(12);
        for players in [2, 3, 4] {
            let tournaments = 400;
            let alarm = |_: &u32| ever_flagged(&field(players, 0.0), 400, &mut rng).is_some();
            let alarms = (0..tournaments).filter(alarm).count();
            println!("{players} players: {alarms} false alarms in {tournaments} tournaments");
            // Of 400, 4 are allowed; and three standard errors.
            assert!(alarms <= 10, "{players}: {alarms}");
        }
    }

    #[test]
    fn whoever_remembers_is_found_and_nobody_else() {
        let mut rng = rng(13);
        // With two players the luck of the hand stays: it takes a greater gain.
        for (players, memory, groups) in [(2, 5.0, 2000), (3, 2.0, 1500), (4, 2.0, 1000)] {
            let found: Vec<_> =
                (0..50).map(|_| ever_flagged(&field(players, memory), groups, &mut rng)).collect();
            let right: Vec<u32> = found.iter().flatten().filter(|(who, _)| *who == 0).map(|f| f.1).collect();
            let wrong = found.iter().flatten().filter(|(who, _)| *who != 0).count();
            let after = right.iter().sum::<u32>() / (right.len() as u32).max(1);
            println!("{players} players, {memory} points: {} of 50 found, after {after} groups", right.len());
            assert!(right.len() >= 47 && wrong <= 1, "{players}: {found:?}");
        }
    }

    #[test]
    fn the_gain_is_given_in_points_a_table() {
        let mut rng = rng(14);
        for players in [2, 3, 4] {
            let mut gains = Gains::new(6);
            (0..8000).for_each(|number| gains.push(&field(players, 3.0).group(number, &mut rng)));
            let cheater = gains.look()[0].unwrap();
            assert!((cheater.mean - 3.0).abs() < 0.5, "{players}: {cheater:?}");
            assert!(cheater.flagged && cheater.p_value < 1e-6);
        }
    }

    #[test]
    fn groups_without_rotations_and_gains_that_are_all_equal_tell_nothing() {
        let points = [(Entrant(0), 9), (Entrant(1), 4)];
        let alone = Group { number: 0, round: 0, tables: vec![table(0, &points)] };
        let swapped = [points[1], points[0]];
        let equal = Group { number: 0, round: 0, tables: vec![table(0, &points), table(1, &swapped)] };
        let mut gains = Gains::new(2);
        for _ in 0..100 {
            gains.push(&alone);
        }
        assert_eq!(gains.look(), [None, None]);
        assert_eq!(gains.gains[0].count(), 0);
        for _ in 0..100 {
            gains.push(&equal);
        }
        assert_eq!((gains.gains[0].count(), gains.look()), (100, vec![None, None]));
    }

    #[test]
    fn p_values_are_made_fit_for_many_entrants() {
        let mut gains = Gains::new(3);
        for at in 0..200 {
            let noise = f64::from(at % 5) - 2.0;
            // Two gain, the one more clearly, and one loses.
            for (moments, gain) in gains.gains.iter_mut().zip([0.4, 0.5, -0.9]) {
                moments.push(gain + noise);
            }
        }
        let alone = |at: usize| libm::exp(-gains.gains[at].evidence_against(0.0)).min(1.0);
        let looked: Vec<RotationGain> = gains.look().into_iter().flatten().collect();
        assert!((looked[1].p_value - 3.0 * alone(1)).abs() < 1e-12);
        assert!((looked[0].p_value - 2.0 * alone(0)).abs() < 1e-12);
        assert_eq!((looked[2].p_value, looked[2].flagged), (1.0, false));
    }
}
