//! Counts of a run, and descriptions of its violations.

use std::collections::BTreeSet;

/// Maximum number of violations that are described.
const MAX_DESCRIPTIONS: usize = 12;

/// Counts over all seats of a run.
#[derive(Clone, Default, Debug)]
pub(crate) struct Counts {
    /// Decisions with an acknowledged answer.
    pub(crate) acknowledged: u64,
    /// Acknowledged answers and received updates that the server did not have afterwards.
    pub(crate) lost: u64,
    /// Decisions that were decided twice or by no answer of the seat, and updates that were repeated or
    /// skipped.
    pub(crate) doubled: u64,
    /// Answers resent after a broken stream.
    pub(crate) resent: u64,
    /// Resent answers that were already decided: only the acknowledgement had been lost.
    pub(crate) resent_after_commit: u64,
    /// Answers refused because the store was unavailable.
    pub(crate) refused: u64,
    /// Tables with such a refusal.
    pub(crate) paused: BTreeSet<usize>,
    /// Paused tables with an acknowledged answer since.
    pub(crate) resumed: BTreeSet<usize>,
    /// Descriptions of the first violations.
    pub(crate) violations: Vec<String>,
}

impl Counts {
    /// Counts lost answers or updates.
    pub(crate) fn add_loss(&mut self, count: usize, description: String) {
        self.lost += count as u64;
        self.describe(format!("lost: {description}"));
    }

    /// Counts a duplicate.
    pub(crate) fn add_duplicate(&mut self, description: String) {
        self.doubled += 1;
        self.describe(format!("doubled: {description}"));
    }

    /// True if nothing was lost or duplicated.
    pub(crate) fn is_clean(&self) -> bool {
        self.lost == 0 && self.doubled == 0
    }

    fn describe(&mut self, violation: String) {
        if self.violations.len() < MAX_DESCRIPTIONS {
            self.violations.push(violation);
        }
    }
}
