//! Charts of a report: intervals on a common axis, and rating curves.

use parlor_sdk::wire;

use super::html::Html;

/// Width of an interval chart, in SVG units.
const INTERVAL_WIDTH: f64 = 220.0;
/// Width and height of the curves chart, in SVG units.
const CURVES_SIZE: (f64, f64) = (960.0, 300.0);
/// Margins of the curves chart: left, right, top, bottom.
const MARGIN: (f64, f64, f64, f64) = (54.0, 16.0, 12.0, 30.0);

/// A range of numbers mapped to a chart.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// Axis that contains all finite numbers, with some margin; -1 to 1 without any.
    pub(super) fn containing(numbers: impl IntoIterator<Item = f64>) -> Axis {
        let finite = numbers.into_iter().filter(|number| number.is_finite());
        let (low, high) = finite.fold((f64::MAX, f64::MIN), |(low, high), n| (low.min(n), high.max(n)));
        if low > high {
            return Axis { low: -1.0, high: 1.0 };
        }
        let room = ((high - low) * 0.06).max(0.5);
        Axis { low: low - room, high: high + room }
    }

    /// Position of a number, from 0 to `length`.
    fn at(self, number: f64, length: f64) -> f64 {
        (number - self.low) / (self.high - self.low) * length
    }

    fn contains(self, number: f64) -> bool {
        (self.low..=self.high).contains(&number)
    }

    /// A few round numbers on the axis.
    fn ticks(self) -> Vec<f64> {
        let rough = (self.high - self.low) / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * power);
        let step = step.into_iter().find(|step| *step >= rough).unwrap_or(power * 10.0);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|tick| tick as f64 * step).collect()
    }
}

/// Draws one interval with its mean.
pub(super) fn draw_interval(
    out: &mut Html,
    axis: Axis,
    mean: f64,
    interval: Option<&wire::Interval>,
    colour: usize,
) {
    out.raw("<svg viewBox=\"0 0 220 18\" width=\"220\" height=\"18\" role=\"img\">");
    if axis.contains(0.0) {
        let zero = axis.at(0.0, INTERVAL_WIDTH);
        out.raw("<line class=\"zero\" y1=\"0\" y2=\"18\" x1=\"").number(zero, 1);
        out.raw("\" x2=\"").number(zero, 1).raw("\"/>");
    }
    if let Some(interval) = interval {
        out.raw("<line class=\"bar\" y1=\"9\" y2=\"9\" x1=\"")
            .number(axis.at(interval.low, INTERVAL_WIDTH), 1);
        out.raw("\" x2=\"").number(axis.at(interval.high, INTERVAL_WIDTH), 1);
        out.raw("\" style=\"stroke: ").raw(colour_of(colour)).raw("\"/>");
    }
    out.raw("<circle cy=\"9\" r=\"4\" cx=\"").number(axis.at(mean, INTERVAL_WIDTH), 1);
    out.raw("\" style=\"fill: ").raw(colour_of(colour)).raw("\"/></svg>");
}

/// Draws the ratings of all entrants over the counted groups.
pub(super) fn draw_curves(out: &mut Html, history: &[wire::RatingPoint], label: &str) {
    let (left, right, top, bottom) = MARGIN;
    let (width, height) = (CURVES_SIZE.0 - left - right, CURVES_SIZE.1 - top - bottom);
    let y = Axis::containing(history.iter().flat_map(|point| point.ratings.iter().copied()));
    let last = history.last().map_or(1, |point| point.groups.max(1));
    let across = |groups: u32| left + f64::from(groups) / f64::from(last) * width;
    let down = |rating: f64| top + height - y.at(rating, height);
    out.raw("<svg viewBox=\"0 0 960 300\" role=\"img\" aria-label=\"").text(label).raw("\">");
    for tick in y.ticks() {
        out.raw("<line class=\"axis\" x1=\"").number(left, 0).raw("\" x2=\"").number(left + width, 0);
        out.raw("\" y1=\"").number(down(tick), 1).raw("\" y2=\"").number(down(tick), 1).raw("\"/>");
        out.raw("<text text-anchor=\"end\" x=\"")
            .number(left - 8.0, 0)
            .raw("\" y=\"")
            .number(down(tick) + 4.0, 1);
        out.raw("\">").number(tick, 0).raw("</text>");
    }
    for tick in (Axis { low: 0.0, high: f64::from(last) }).ticks() {
        if tick.fract() == 0.0 {
            out.raw("<text text-anchor=\"middle\" y=\"292\" x=\"").number(across(tick as u32), 1);
            out.raw("\">").number(tick, 0).raw("</text>");
        }
    }
    let entrants = history.iter().map(|point| point.ratings.len()).max().unwrap_or(0);
    for entrant in 0..entrants {
        out.raw("<polyline class=\"curve\" style=\"stroke: ").raw(colour_of(entrant)).raw("\" points=\"");
        for point in history {
            if let Some(rating) = point.ratings.get(entrant) {
                out.number(across(point.groups), 1).raw(",").number(down(*rating), 1).raw(" ");
            }
        }
        out.raw("\"/>");
    }
    out.raw("</svg>");
}

/// Colour of an entrant; they repeat after eight.
pub(super) const fn colour_of(entrant: usize) -> &'static str {
    const COLOURS: [&str; 8] = [
        "var(--c0)",
        "var(--c1)",
        "var(--c2)",
        "var(--c3)",
        "var(--c4)",
        "var(--c5)",
        "var(--c6)",
        "var(--c7)",
    ];
    COLOURS[entrant % COLOURS.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axis_contains_all_numbers_and_has_round_ticks() {
        let axis = Axis::containing([-3.0, 12.0, f64::NAN]);
        assert!(axis.contains(-3.0) && axis.contains(12.0) && !axis.contains(20.0));
        assert_eq!(axis.ticks(), [0.0, 5.0, 10.0]);
        assert_eq!(Axis::containing([]), Axis { low: -1.0, high: 1.0 });
        let flat = Axis::containing([7.0, 7.0]);
        assert!((flat.at(7.0, 100.0) - 50.0).abs() < 1e-9);
    }
}
