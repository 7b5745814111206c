//! A chi-square test for sampled frequencies.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

/// Panics unless the samples fall on exactly these classes, in proportion to their weights. A correct sampler
/// fails about once in a million runs.
pub(super) fn assert_proportional<K: Hash + Eq + Debug>(weights: &HashMap<K, f64>, samples: Vec<K>) {
    let total = samples.len() as f64 / weights.values().sum::<f64>();
    let mut counts: HashMap<&K, f64> = weights.keys().map(|class| (class, 0.0)).collect();
    for sample in &samples {
        let count = counts.get_mut(sample);
        *count.unwrap_or_else(|| panic!("{sample:?} is none of the {} classes", weights.len())) += 1.0;
    }
    // Rare classes are pooled: the test needs an expected count of at least 10 in each cell.
    let (mut statistic, mut cells, mut rare) = (0.0, 0, (0.0, 0.0));
    let mut add_cell = |count: f64, expected: f64| {
        statistic += (count - expected).powi(2) / expected;
        cells += 1;
    };
    for (class, weight) in weights {
        let (count, expected) = (counts[class], weight * total);
        if expected < 10.0 {
            rare = (rare.0 + count, rare.1 + expected);
        } else {
            add_cell(count, expected);
        }
    }
    if rare.1 >= 10.0 {
        add_cell(rare.0, rare.1);
    }
    assert!(cells >= 2, "only {cells} classes are frequent enough for the test");
    // Wilson and Hilferty: the cube root of chi-square over its degrees of freedom is nearly normal.
    let degrees = f64::from(cells - 1);
    let variance = 2.0 / (9.0 * degrees);
    let z = ((statistic / degrees).cbrt() - (1.0 - variance)) / variance.sqrt();
    assert!(z < 4.75, "not in proportion: z = {z:.2} over {counts:?}");
}

/// Panics unless the samples are uniformly distributed over exactly this many classes.
pub(crate) fn assert_uniform<K: Hash + Eq + Debug + Clone>(classes: usize, samples: impl Iterator<Item = K>) {
    let samples: Vec<K> = samples.collect();
    let weights: HashMap<K, f64> = samples.iter().map(|sample| (sample.clone(), 1.0)).collect();
    assert_eq!(weights.len(), classes, "classes of samples");
    assert_proportional(&weights, samples);
}

#[test]
fn chi_square_detects_bias_and_wrong_classes() {
    use crate::below;
    let mut rng = crate::test_support::test_rng("chi_square_detects_bias_and_wrong_classes");
    let passes = |weights: &[f64], samples: Vec<u32>| {
        let weights = (0..).zip(weights.iter().copied()).collect();
        std::panic::catch_unwind(|| assert_proportional(&weights, samples)).is_ok()
    };
    let uniform: Vec<u32> = (0..10_000).map(|_| below(10, &mut rng)).collect();
    let biased: Vec<u32> = (0..10_000).map(|_| below(11, &mut rng) % 10).collect();
    assert!(passes(&[1.0; 10], uniform.clone()));
    assert!(!passes(&[1.0; 10], biased.clone()), "a bias of one in eleven was not detected");
    assert!(passes(&[2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], biased), "the bias is expected");
    assert!(!passes(&[1.0; 9], uniform.clone()), "an unexpected class was not detected");
    assert!(!passes(&[1.0; 11], uniform), "a missing class was not detected");
}
