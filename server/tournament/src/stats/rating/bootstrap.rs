//! Poisson bootstrap over groups: the uncertainty of ratings.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use super::newton::{self, Hessian, Sets, Tolerance};
use super::{Interval, PlackettLuce, UNIT, to_elo};

/// Approximate maximum number of multiplications.
pub(super) const WORK_BUDGET: usize = 10_000_000;
/// Maximum number of samples; more would hardly stabilise the ends of the intervals.
const MAX_SAMPLES: usize = 400;
/// Minimum number of samples by refits; if the budget does not suffice, samples are single Newton steps.
const MIN_REFIT_SAMPLES: usize = 200;
/// Minimum number of samples by single Newton steps.
const MIN_STEP_SAMPLES: usize = 100;
/// Fixed seed: the same groups give the same intervals.
const SEED: u64 = 0x5041_524c_4f52;

/// 65536 times the cumulative distribution of a Poisson number of mean 1 at 0, 1, 2 ... Rounded such that the
/// mean is exactly 1.
const POISSON: [u16; 8] = [24109, 48219, 60273, 64292, 65296, 65497, 65531, 65535];

/// For each entrant, ratings from resampled groups.
pub(super) fn sample_ratings(
    model: &PlackettLuce,
    sets: &Sets<'_>,
    (fitted, hessian): (&[f64], &Hessian),
    work: usize,
) -> Vec<Vec<f64>> {
    let entrants = fitted.len();
    let evaluation: usize = sets.0.iter().map(|(set, _)| set.len() * set.len()).sum();
    let weighing: usize = model.groups.iter().map(|group| group.sets.len() + group.drawn.len()).sum();
    // Starting from the fit, a refit takes two or three evaluations.
    let refit = 3 * (entrants * entrants * entrants / 6 + 2 * evaluation) + weighing;
    let mut samples = vec![vec![]; entrants];
    let mut keep = |logs: &[f64]| {
        for (sample, rating) in samples.iter_mut().zip(to_elo(logs)) {
            sample.push(rating);
        }
    };
    let mut resampler = Resampler::new(model.groups.len());
    if MIN_REFIT_SAMPLES * refit <= work {
        for _ in 0..(work / refit.max(1)).min(MAX_SAMPLES) {
            let (drawn, weights) = resampled_weights(model, resampler.next());
            keep(&newton::fit(sets, &drawn, &weights, fitted.to_vec(), Tolerance::COARSE).0);
        }
        return samples;
    }
    let gradients = GroupGradients::at(fitted, model, sets);
    let step = gradients.parts.len() + model.groups.len() + entrants * entrants;
    for _ in 0..(work / step).clamp(MIN_STEP_SAMPLES, MAX_SAMPLES) {
        let mut logs = gradients.change(resampler.next(), entrants);
        hessian.solve(&mut logs);
        logs.iter_mut().zip(fitted).for_each(|(log, fitted)| *log += fitted);
        keep(&logs);
    }
    samples
}

/// The central 95% of a sample.
pub(super) fn central_interval(sample: &mut [f64]) -> Interval {
    sample.sort_by(f64::total_cmp);
    let quantile = |p: f64| {
        let position = p * (sample.len() - 1) as f64;
        let (below, fraction) = (position as usize, position.fract());
        let above = (below + 1).min(sample.len() - 1);
        sample[below] * (1.0 - fraction) + sample[above] * fraction
    };
    Interval { low: quantile(0.025), high: quantile(0.975) }
}

/// Poisson multiplicities of the groups.
struct Resampler {
    rng: ChaCha8Rng,
    bytes: Vec<u8>,
    times: Vec<u8>,
}

impl Resampler {
    fn new(groups: usize) -> Self {
        Resampler { rng: ChaCha8Rng::seed_from_u64(SEED), bytes: vec![0; 2 * groups], times: vec![0; groups] }
    }

    /// Draws how many times each group occurs.
    fn next(&mut self) -> &[u8] {
        self.rng.fill_bytes(&mut self.bytes);
        for (times, bytes) in self.times.iter_mut().zip(self.bytes.as_chunks::<2>().0) {
            let number = u16::from_le_bytes(*bytes);
            *times = POISSON.iter().map(|bound| u8::from(number >= *bound)).sum();
        }
        &self.times
    }
}

/// Weights of entrants and sets with these multiplicities of the groups.
fn resampled_weights(model: &PlackettLuce, times: &[u8]) -> (Vec<f64>, Vec<f64>) {
    let mut drawn = vec![0u64; model.entrants.len()];
    let mut weights = vec![0u64; model.weights.len()];
    for (group, &times) in model.groups.iter().zip(times).filter(|(_, times)| **times > 0) {
        for &(entrant, units) in &group.drawn {
            drawn[usize::from(entrant)] += u64::from(units) * u64::from(times);
        }
        for &(set, units) in &group.sets {
            weights[set as usize] += u64::from(units) * u64::from(times);
        }
    }
    let in_games = |units: Vec<u64>| units.into_iter().map(|units| units as f64 / f64::from(UNIT)).collect();
    (in_games(drawn), in_games(weights))
}

/// Contribution of each group to the gradient of the log-likelihood at the fit.
struct GroupGradients {
    /// Partial derivatives by entrant, all groups concatenated.
    parts: Vec<(u16, f64)>,
    /// End of the parts of each group.
    ends: Vec<usize>,
}

impl GroupGradients {
    fn at(fitted: &[f64], model: &PlackettLuce, sets: &Sets<'_>) -> Self {
        let strengths: Vec<f64> = fitted.iter().map(|x| libm::exp(*x)).collect();
        let mut members: Vec<&[u16]> = vec![&[]; model.weights.len()];
        sets.0.iter().for_each(|(set, number)| members[*number as usize] = set);
        let sum = |set: &&[u16]| set.iter().map(|entrant| strengths[usize::from(*entrant)]).sum::<f64>();
        let sums: Vec<f64> = members.iter().map(sum).collect();
        let mut gradients = GroupGradients { parts: vec![], ends: Vec::with_capacity(model.groups.len()) };
        for group in &model.groups {
            let from = gradients.parts.len();
            let unit = f64::from(UNIT);
            let drawn = group.drawn.iter().map(|(entrant, units)| (*entrant, f64::from(*units) / unit));
            gradients.parts.extend(drawn);
            for &(set, units) in &group.sets {
                let weight = f64::from(units) / unit / sums[set as usize];
                for (entrant, derivative) in &mut gradients.parts[from..] {
                    if members[set as usize].contains(entrant) {
                        *derivative -= weight * strengths[usize::from(*entrant)];
                    }
                }
            }
            gradients.ends.push(gradients.parts.len());
        }
        gradients
    }

    /// Change of the gradient if each group occurs `times` times instead of once.
    fn change(&self, times: &[u8], entrants: usize) -> Vec<f64> {
        let mut sum = vec![0.0; entrants];
        let mut from = 0;
        for (end, times) in self.ends.iter().zip(times) {
            let excess = f64::from(*times) - 1.0;
            for (entrant, derivative) in &self.parts[from..*end] {
                sum[usize::from(*entrant)] += excess * derivative;
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
    fn resampled_multiplicities_have_mean_and_variance_one() {
        let mut resampler = Resampler::new(200_000);
        let times = resampler.next();
        let mean = times.iter().map(|times| f64::from(*times)).sum::<f64>() / 2e5;
        let variance = times.iter().map(|times| (f64::from(*times) - 1.0).powi(2)).sum::<f64>() / 2e5;
        assert!((mean - 1.0).abs() < 0.01 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
        assert_eq!(POISSON.iter().map(|bound| 65536 - u32::from(*bound)).sum::<u32>(), 65536);
    }

    #[test]
    fn central_interval_leaves_out_a_fortieth_on_each_side() {
        let mut sample: Vec<f64> = (0..=400).rev().map(f64::from).collect();
        assert_eq!(central_interval(&mut sample), Interval { low: 10.0, high: 390.0 });
        assert_eq!(central_interval(&mut [7.0]), Interval { low: 7.0, high: 7.0 });
    }
}
