//! The uncertainty of ratings: groups drawn anew, and the fit made again.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use super::newton::{self, Curve, Exactness, Sets};
use super::{Interval, Places, UNIT, in_elo};

/// About how many multiplications may be spent.
pub(super) const WORK: usize = 10_000_000;
/// The most samples; more would not make the ends of the intervals much steadier.
const MOST: usize = 400;
/// The fewest samples that the fit is made again for, and of single steps.
const FEWEST: (usize, usize) = (200, 100);
/// The same groups give the same intervals.
const SEED: u64 = 0x5041_524c_4f52;

/// 65536 times the chance that a Poisson number of mean 1 is at most 0, 1, 2 ... Rounded such that the mean is exactly 1.
const POISSON: [u16; 8] = [24109, 48219, 60273, 64292, 65296, 65497, 65531, 65535];

/// For each entrant, ratings from groups that were drawn anew.
pub(super) fn ratings(
    places: &Places,
    sets: &Sets<'_>,
    (fitted, curve): (&[f64], &Curve),
    work: usize,
) -> Vec<Vec<f64>> {
    let entrants = fitted.len();
    let pass: usize = sets.0.iter().map(|(set, _)| set.len() * set.len()).sum();
    let shares: usize = places.groups.iter().map(|share| share.sets.len() + share.drawn.len()).sum();
    // From the fit on, two or three looks will do.
    let refit = 3 * (entrants * entrants * entrants / 6 + 2 * pass) + shares;
    let mut samples = vec![vec![]; entrants];
    let mut keep = |logs: &[f64]| {
        for (sample, rating) in samples.iter_mut().zip(in_elo(logs)) {
            sample.push(rating);
        }
    };
    let mut draw = Draw::new(places.groups.len());
    if FEWEST.0 * refit <= work {
        for _ in 0..(work / refit.max(1)).min(MOST) {
            let (drawn, weights) = weigh(places, draw.next());
            keep(&newton::fit(sets, &drawn, &weights, fitted.to_vec(), Exactness::ENOUGH).0);
        }
        return samples;
    }
    let slopes = Slopes::of(places, sets, fitted);
    let step = slopes.parts.len() + places.groups.len() + entrants * entrants;
    for _ in 0..(work / step).clamp(FEWEST.1, MOST) {
        let mut logs = slopes.sum(draw.next(), entrants);
        curve.solve(&mut logs);
        logs.iter_mut().zip(fitted).for_each(|(log, fitted)| *log += fitted);
        keep(&logs);
    }
    samples
}

/// The 95% in the middle of a sample.
pub(super) fn middle(sample: &mut [f64]) -> Interval {
    sample.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = share * (sample.len() - 1) as f64;
        let (below, part) = (place as usize, place.fract());
        let above = (below + 1).min(sample.len() - 1);
        sample[below] * (1.0 - part) + sample[above] * part
    };
    Interval { low: at(0.025), high: at(0.975) }
}

/// How often each group comes, drawn anew each time.
struct Draw {
    rng: ChaCha8Rng,
    bytes: Vec<u8>,
    times: Vec<u8>,
}

impl Draw {
    fn new(groups: usize) -> Self {
        Draw { rng: ChaCha8Rng::seed_from_u64(SEED), bytes: vec![0; 2 * groups], times: vec![0; groups] }
    }

    fn next(&mut self) -> &[u8] {
        self.rng.fill_bytes(&mut self.bytes);
        for (times, bytes) in self.times.iter_mut().zip(self.bytes.as_chunks::<2>().0) {
            let number = u16::from_le_bytes(*bytes);
            *times = POISSON.iter().map(|bound| u8::from(number >= *bound)).sum();
        }
        &self.times
    }
}

/// The weights of entrants and sets if each group comes so often.
fn weigh(places: &Places, times: &[u8]) -> (Vec<f64>, Vec<f64>) {
    let mut drawn = vec![0u64; places.entrants.len()];
    let mut weights = vec![0u64; places.weights.len()];
    for (share, &times) in places.groups.iter().zip(times).filter(|(_, times)| **times > 0) {
        for &(who, units) in &share.drawn {
            drawn[usize::from(who)] += u64::from(units) * u64::from(times);
        }
        for &(set, units) in &share.sets {
            weights[set as usize] += u64::from(units) * u64::from(times);
        }
    }
    let in_games = |units: Vec<u64>| units.into_iter().map(|units| units as f64 / f64::from(UNIT)).collect();
    (in_games(drawn), in_games(weights))
}

/// What each group adds to the slope of the likelihood at the fit.
struct Slopes {
    parts: Vec<(u16, f64)>,
    /// Where the parts of each group end.
    ends: Vec<usize>,
}

impl Slopes {
    fn of(places: &Places, sets: &Sets<'_>, fitted: &[f64]) -> Self {
        let strengths: Vec<f64> = fitted.iter().map(|x| libm::exp(*x)).collect();
        let mut members: Vec<&[u16]> = vec![&[]; places.weights.len()];
        sets.0.iter().for_each(|(set, number)| members[*number as usize] = set);
        let sum = |set: &&[u16]| set.iter().map(|who| strengths[usize::from(*who)]).sum::<f64>();
        let sums: Vec<f64> = members.iter().map(sum).collect();
        let mut slopes = Slopes { parts: vec![], ends: Vec::with_capacity(places.groups.len()) };
        for share in &places.groups {
            let from = slopes.parts.len();
            let unit = f64::from(UNIT);
            slopes.parts.extend(share.drawn.iter().map(|(who, units)| (*who, f64::from(*units) / unit)));
            for &(set, units) in &share.sets {
                let weight = f64::from(units) / unit / sums[set as usize];
                for (who, slope) in &mut slopes.parts[from..] {
                    if members[set as usize].contains(who) {
                        *slope -= weight * strengths[usize::from(*who)];
                    }
                }
            }
            slopes.ends.push(slopes.parts.len());
        }
        slopes
    }

    /// How the slope changes if each group comes so often instead of once.
    fn sum(&self, times: &[u8], entrants: usize) -> Vec<f64> {
        let mut sum = vec![0.0; entrants];
        let mut from = 0;
        for (end, times) in self.ends.iter().zip(times) {
            let more = f64::from(*times) - 1.0;
            for (who, slope) in &self.parts[from..*end] {
                sum[usize::from(*who)] += more * slope;
            }
            from = *end;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_come_once_on_average_and_with_a_variance_of_one() {
        let mut draw = Draw::new(200_000);
        let times = draw.next();
        let mean = times.iter().map(|times| f64::from(*times)).sum::<f64>() / 2e5;
        let variance = times.iter().map(|times| (f64::from(*times) - 1.0).powi(2)).sum::<f64>() / 2e5;
        assert!((mean - 1.0).abs() < 0.01 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
        assert_eq!(POISSON.iter().map(|bound| 65536 - u32::from(*bound)).sum::<u32>(), 65536);
    }

    #[test]
    fn the_middle_leaves_out_a_fortieth_on_each_side() {
        let mut sample: Vec<f64> = (0..=400).rev().map(f64::from).collect();
        assert_eq!(middle(&mut sample), Interval { low: 10.0, high: 390.0 });
        assert_eq!(middle(&mut [7.0]), Interval { low: 7.0, high: 7.0 });
    }
}
