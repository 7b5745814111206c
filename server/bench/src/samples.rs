//! Samples of a measurement over several turns: median, range, and the printed report lines.

/// Samples of one measurement, one for each turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    pub(crate) fn add(&mut self, sample: f64) {
        self.0.push(sample);
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    pub(crate) fn median(&self) -> f64 {
        self.sorted().get(self.0.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// Ratios to another measurement, turn by turn.
    pub(crate) fn ratio_to(&self, base: &Samples) -> Samples {
        Samples(self.0.iter().zip(&base.0).map(|(sample, base)| sample / base).collect())
    }

    /// Prints median and range as a report line.
    pub(crate) fn print(&self, name: &str, unit: &str, digits: usize) {
        let sorted = self.sorted();
        let (Some(least), Some(most)) = (sorted.first(), sorted.last()) else { return };
        let (median, turns) = (self.median(), sorted.len());
        println!(
            "bench {name} {median:.digits$} {unit} ({least:.digits$} to {most:.digits$} in {turns} turns)"
        );
    }
}

/// Prints a single value as a report line.
pub(crate) fn print(name: &str, sample: f64, unit: &str, digits: usize) {
    println!("bench {name} {sample:.digits$} {unit}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_computed_turn_by_turn() {
        let (mut one, mut other) = (Samples::default(), Samples::default());
        for (a, b) in [(2.0, 1.0), (30.0, 10.0), (4.0, 4.0)] {
            one.add(a);
            other.add(b);
        }
        assert_eq!((one.median(), one.ratio_to(&other).median()), (4.0, 2.0));
    }
}
