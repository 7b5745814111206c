//! Maximum likelihood by Newton's method.

/// Number of drawn games of each entrant against a virtual opponent of rating 0.
const PRIOR_GAMES: f64 = 1.0;
/// Maximum length of a step in any coordinate, so that a distant start does not diverge.
const MAX_STEP: f64 = 2.0;
const MAX_ITERATIONS: usize = 100;

/// Sets of entrants, each with the index of its weight.
pub(super) struct Sets<'a>(pub(super) Vec<(&'a [u16], u32)>);

/// Hessian of the negative log-likelihood: its lower triangle, row by row; after `factor`, the Cholesky
/// factor.
pub(super) struct Hessian {
    size: usize,
    triangle: Vec<f64>,
}

/// Value, gradient and Hessian of the log-likelihood at a point. The Hessian is that of its negative.
struct Evaluation {
    value: f64,
    gradient: Vec<f64>,
    hessian: Hessian,
}

/// Convergence tolerance: a fit ends with a step shorter than this, which leaves an error of about its
/// square.
#[derive(Clone, Copy)]
pub(super) struct Tolerance(f64);

impl Tolerance {
    /// To the last digits.
    pub(super) const FULL: Tolerance = Tolerance(1e-6);
    /// To a hundredth of an Elo unit or better: for histories and bootstrap samples.
    pub(super) const COARSE: Tolerance = Tolerance(3e-3);
}

/// Log-strengths of maximum likelihood, and the factored Hessian there.
pub(super) fn fit(
    sets: &Sets<'_>,
    drawn: &[f64],
    weights: &[f64],
    start: Vec<f64>,
    tolerance: Tolerance,
) -> (Vec<f64>, Hessian) {
    let mut at = start;
    let mut current = evaluate(sets, drawn, weights, &at);
    for _ in 0..MAX_ITERATIONS {
        let mut step = current.gradient;
        current.hessian.factor();
        current.hessian.solve(&mut step);
        let longest = step.iter().fold(0.0f64, |most, part| most.max(part.abs()));
        let along = |scale: f64| at.iter().zip(&step).map(|(x, s)| x + scale * s).collect::<Vec<f64>>();
        if longest < tolerance.0 {
            return (along(1.0), current.hessian);
        }
        let mut scale = if longest > MAX_STEP { MAX_STEP / longest } else { 1.0 };
        let (point, next) = loop {
            let point = along(scale);
            let next = evaluate(sets, drawn, weights, &point);
            // Line search: the likelihood is concave, so a short enough step increases it.
            if next.value >= current.value || scale < 1e-6 {
                break (point, next);
            }
            scale /= 2.0;
        };
        (at, current) = (point, next);
    }
    current.hessian.factor();
    (at, current.hessian)
}

fn evaluate(sets: &Sets<'_>, drawn: &[f64], weights: &[f64], at: &[f64]) -> Evaluation {
    let size = at.len();
    let strengths: Vec<f64> = at.iter().map(|x| libm::exp(*x)).collect();
    let mut hessian = Hessian { size, triangle: vec![0.0; size * size] };
    let mut gradient = drawn.to_vec();
    let mut value: f64 = drawn.iter().zip(at).map(|(drawn, x)| drawn * x).sum();
    for &(set, number) in &sets.0 {
        let weight = weights[number as usize];
        let sum: f64 = set.iter().map(|entrant| strengths[usize::from(*entrant)]).sum();
        value -= weight * libm::log(sum);
        for (nth, entrant) in set.iter().map(|entrant| usize::from(*entrant)).enumerate() {
            let probability = strengths[entrant] / sum;
            gradient[entrant] -= weight * probability;
            hessian.triangle[entrant * size + entrant] += weight * probability;
            // Members are in ascending order, so only the lower triangle is written.
            for other in set[..=nth].iter().map(|other| usize::from(*other)) {
                hessian.triangle[entrant * size + other] -= weight * probability * strengths[other] / sum;
            }
        }
    }
    for entrant in 0..size {
        let probability = strengths[entrant] / (1.0 + strengths[entrant]);
        value += PRIOR_GAMES * (at[entrant] / 2.0 - libm::log1p(strengths[entrant]));
        gradient[entrant] += PRIOR_GAMES * (0.5 - probability);
        hessian.triangle[entrant * size + entrant] += PRIOR_GAMES * probability * (1.0 - probability);
    }
    Evaluation { value, gradient, hessian }
}

impl Hessian {
    /// Cholesky factorisation of the lower triangle, in place. The prior keeps the matrix positive definite.
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

    /// Solves `H x = vector` in place, where `H` is the matrix before `factor`.
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
