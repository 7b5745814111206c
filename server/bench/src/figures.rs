//! Figures of several turns: their median, their range, and the lines that are printed.

/// The same thing measured in several turns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures(Vec<f64>);

impl Figures {
    pub(crate) fn add(&mut self, figure: f64) {
        self.0.push(figure);
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    pub(crate) fn median(&self) -> f64 {
        self.sorted().get(self.0.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// Turn by turn, against something else measured in the same turns.
    pub(crate) fn against(&self, base: &Figures) -> Figures {
        Figures(self.0.iter().zip(&base.0).map(|(figure, base)| figure / base).collect())
    }

    /// Prints the median and the range.
    pub(crate) fn print(&self, name: &str, unit: &str, digits: usize) {
        let sorted = self.sorted();
        let (Some(least), Some(most)) = (sorted.first(), sorted.last()) else { return };
        let (median, turns) = (self.median(), sorted.len());
        println!(
            "bench {name} {median:.digits$} {unit} ({least:.digits$} to {most:.digits$} in {turns} turns)"
        );
    }
}

/// Prints a figure that was measured once.
pub(crate) fn print(name: &str, figure: f64, unit: &str, digits: usize) {
    println!("bench {name} {figure:.digits$} {unit}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_turn_by_turn() {
        let (mut one, mut other) = (Figures::default(), Figures::default());
        for (a, b) in [(2.0, 1.0), (30.0, 10.0), (4.0, 4.0)] {
            one.add(a);
            other.add(b);
        }
        assert_eq!((one.median(), one.against(&other).median()), (4.0, 2.0));
    }
}
