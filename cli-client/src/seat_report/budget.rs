//! Budgets: what a report leaves out so that it fits into a small context.
//!
//! The question and the legal actions come first, then the view, then the newest events. Older events are only counted.

/// Budget of a report in characters, unless another is set.
pub const DEFAULT_BUDGET: usize = 6000;
/// Smallest budget.
pub const MIN_BUDGET: usize = 1500;
/// Largest budget.
pub const MAX_BUDGET: usize = 100_000;

/// Characters of a report that its fixed parts need: headings, ids, times, and a sentence before the report.
const FIXED_PART: usize = 900;

/// Maximum number of characters of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget(usize);

impl Budget {
    /// A budget, moved into its bounds.
    #[must_use]
    pub fn new(characters: usize) -> Budget {
        Budget(characters.clamp(MIN_BUDGET, MAX_BUDGET))
    }

    /// Characters for the parts of variable length.
    pub(super) fn variable_part(self) -> usize {
        self.0 - FIXED_PART
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget(DEFAULT_BUDGET)
    }
}

/// Number of characters of a line in a report, with what stands before and after it.
pub(super) fn line_length(line: &str) -> usize {
    line.chars().count() + 8
}

/// Number of lines that fit into `room`, which they are taken from.
pub(super) fn fitting<'a>(lines: impl Iterator<Item = &'a str>, room: &mut usize) -> usize {
    let mut fit = 0;
    for line in lines {
        let length = line_length(line);
        if length > *room {
            break;
        }
        *room -= length;
        fit += 1;
    }
    fit
}

/// The first lines of a text that fit into `room`, and whether that is all of it.
pub(super) fn first_lines(text: &str, room: &mut usize) -> (String, bool) {
    let lines: Vec<&str> = text.lines().collect();
    let fit = fitting(lines.iter().copied(), room);
    (lines[..fit].join("\n"), fit == lines.len())
}
