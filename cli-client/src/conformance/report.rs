//! What came of a check, in two languages.

use parlor_engine::Lang;

/// A sentence in both languages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Said {
    en: String,
    de: String,
}

impl Said {
    pub(super) fn new(en: impl Into<String>, de: impl Into<String>) -> Said {
        Said { en: en.into(), de: de.into() }
    }

    /// In one language.
    pub(crate) fn get(&self, lang: Lang) -> &str {
        match lang {
            Lang::En => &self.en,
            Lang::De => &self.de,
        }
    }
}

/// How a check ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// The agent did it well.
    Pass,
    /// Something has to be mended.
    Fail,
    /// It could not be tried.
    Skipped,
}

impl Verdict {
    /// For programs.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Skipped => "skipped",
        }
    }
}

/// One check and what came of it.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    /// Its name for programs, such as `reconnect` or `game:gap`.
    pub(crate) name: String,
    /// What it tries, for people.
    pub(crate) title: Said,
    /// How it ended.
    pub(crate) verdict: Verdict,
    /// What has to be mended.
    pub(crate) faults: Vec<Said>,
    /// What could be better, and what was measured.
    pub(crate) notes: Vec<Said>,
}
