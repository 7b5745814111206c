//! The sums of a run, and the sentences about what was wrong.

use std::collections::BTreeSet;

/// How many sentences are kept: enough to see what is wrong.
const SENTENCES: usize = 12;

/// What was counted over all seats.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tally {
    /// Decisions whose answer was acknowledged, each once.
    pub(crate) acknowledged: u64,
    /// Acknowledged answers, and things that were shown, that the server did not have afterwards.
    pub(crate) lost: u64,
    /// Decisions that were decided twice or by nobody's answer, and updates that came twice, or never.
    pub(crate) doubled: u64,
    /// Answers that were sent again after the stream had broken.
    pub(crate) resent: u64,
    /// Those of them that had been decided before, so that it was the acknowledgement that had not come.
    pub(crate) decided_unheard: u64,
    /// Answers that the server could not store when they came.
    pub(crate) refused: u64,
    /// The tables where that happened.
    pub(crate) paused: BTreeSet<usize>,
    /// The tables where an answer was acknowledged after that.
    pub(crate) went_on: BTreeSet<usize>,
    /// What was wrong, in words.
    pub(crate) sentences: Vec<String>,
}

impl Tally {
    /// So many acknowledged answers are not there.
    pub(crate) fn lose(&mut self, count: usize, sentence: String) {
        self.lost += count as u64;
        self.say(format!("lost: {sentence}"));
    }

    /// Something was there twice, or in another place than it should be.
    pub(crate) fn double(&mut self, sentence: String) {
        self.doubled += 1;
        self.say(format!("doubled: {sentence}"));
    }

    /// Whether nothing was lost or doubled.
    pub(crate) fn is_clean(&self) -> bool {
        self.lost == 0 && self.doubled == 0
    }

    fn say(&mut self, sentence: String) {
        if self.sentences.len() < SENTENCES {
            self.sentences.push(sentence);
        }
    }
}
