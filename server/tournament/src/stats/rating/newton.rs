//! The largest likelihood, by Newton's method.

/// How many drawn games everyone has against somebody of the rating 0.
const PRIOR: f64 = 1.0;
/// The longest step, so that a far start cannot throw it out.
const LONGEST: f64 = 2.0;
const MOST_STEPS: usize = 100;

/// Sets of entrants, each with the number under which its weight stands.
pub(super) struct Sets<'a>(pub(super) Vec<(&'a [u16], u32)>);

/// The curvature of the likelihood, as its triangle by Cholesky, row by row.
pub(super) struct Curve {
    size: usize,
    triangle: Vec<f64>,
}

/// The value, the slope and the curvature of the likelihood somewhere. The curvature is that of its negative.
struct Place {
    value: f64,
    slope: Vec<f64>,
    curve: Curve,
}

/// How exactly a fit is made: it ends with a step shorter than this, after which it is off by about the square of it.
#[derive(Clone, Copy)]
pub(super) struct Exactness(f64);

impl Exactness {
    /// To the last digits.
    pub(super) const FULL: Exactness = Exactness(1e-6);
    /// To a hundredth of an Elo unit or better: for curves, and for what chance drew anyway.
    pub(super) const ENOUGH: Exactness = Exactness(3e-3);
}

/// The logarithms of strengths with the largest likelihood, and the curvature there.
pub(super) fn fit(
    sets: &Sets<'_>,
    drawn: &[f64],
    weights: &[f64],
    start: Vec<f64>,
    exactness: Exactness,
) -> (Vec<f64>, Curve) {
    let mut at = start;
    let mut place = look(sets, drawn, weights, &at);
    for _ in 0..MOST_STEPS {
        let mut step = place.slope;
        place.curve.factor();
        place.curve.solve(&mut step);
        let longest = step.iter().fold(0.0f64, |most, part| most.max(part.abs()));
        let along = |part: f64| at.iter().zip(&step).map(|(x, s)| x + part * s).collect::<Vec<f64>>();
        if longest < exactness.0 {
            return (along(1.0), place.curve);
        }
        let mut part = if longest > LONGEST { LONGEST / longest } else { 1.0 };
        let (there, next) = loop {
            let there = along(part);
            let next = look(sets, drawn, weights, &there);
            // The likelihood is concave: some part of the step leads up.
            if next.value >= place.value || part < 1e-6 {
                break (there, next);
            }
            part /= 2.0;
        };
        (at, place) = (there, next);
    }
    place.curve.factor();
    (at, place.curve)
}

fn look(sets: &Sets<'_>, drawn: &[f64], weights: &[f64], at: &[f64]) -> Place {
    let size = at.len();
    let strengths: Vec<f64> = at.iter().map(|x| libm::exp(*x)).collect();
    let mut curve = Curve { size, triangle: vec![0.0; size * size] };
    let mut slope = drawn.to_vec();
    let mut value: f64 = drawn.iter().zip(at).map(|(drawn, x)| drawn * x).sum();
    for &(set, number) in &sets.0 {
        let weight = weights[number as usize];
        let sum: f64 = set.iter().map(|who| strengths[usize::from(*who)]).sum();
        value -= weight * libm::log(sum);
        for (nth, who) in set.iter().map(|who| usize::from(*who)).enumerate() {
            let chance = strengths[who] / sum;
            slope[who] -= weight * chance;
            curve.triangle[who * size + who] += weight * chance;
            // Members are in ascending order: the lower triangle is all that is needed.
            for other in set[..=nth].iter().map(|who| usize::from(*who)) {
                curve.triangle[who * size + other] -= weight * chance * strengths[other] / sum;
            }
        }
    }
    for who in 0..size {
        let chance = strengths[who] / (1.0 + strengths[who]);
        value += PRIOR * (at[who] / 2.0 - libm::log1p(strengths[who]));
        slope[who] += PRIOR * (0.5 - chance);
        curve.triangle[who * size + who] += PRIOR * chance * (1.0 - chance);
    }
    Place { value, slope, curve }
}

impl Curve {
    /// Turns the lower half of a matrix into its triangle (Cholesky). The prior keeps it positive.
    fn factor(&mut self) {
        let size = self.size;
        for row in 0..size {
            let (above, this) = self.triangle.split_at_mut(row * size);
            for column in 0..row {
                let other = &above[column * size..column * size + column + 1];
                let dot: f64 = this[..column].iter().zip(other).map(|(a, b)| a * b).sum();
                this[column] = (this[column] - dot) / other[column];
            }
            let dot: f64 = this[..row].iter().map(|a| a * a).sum();
            this[row] = (this[row] - dot).max(f64::MIN_POSITIVE).sqrt();
        }
    }

    /// Solves the equation with what was the matrix on the left side, for the vector on the right.
    pub(super) fn solve(&self, vector: &mut [f64]) {
        let row = |at: usize| &self.triangle[at * self.size..at * self.size + at + 1];
        for at in 0..self.size {
            let dot: f64 = row(at).iter().zip(&vector[..at]).map(|(a, b)| a * b).sum();
            vector[at] = (vector[at] - dot) / row(at)[at];
        }
        for at in (0..self.size).rev() {
            vector[at] /= row(at)[at];
            let (before, this) = vector.split_at_mut(at);
            before.iter_mut().zip(row(at)).for_each(|(x, a)| *x -= a * this[0]);
        }
    }
}
