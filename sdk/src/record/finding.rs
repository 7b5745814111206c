//! What the check of a record comes to, in words.

use std::fmt;

use parlor_engine::{Lang, Refusal, Say, Viewer};

/// What the check of a record comes to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// What is wrong with it, in the order of the record. Empty: everything that could be checked is right.
    pub wrong: Vec<Finding>,
    /// What it does not prove, though nothing is wrong.
    pub unproven: Vec<Unproven>,
}

impl Report {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.wrong.is_empty()
    }
}

/// Something that is wrong with a record.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// Where: the path of a field, such as `steps[12].decided[0].index`.
    pub path: String,
    /// What.
    pub problem: Problem,
}

/// What is wrong. Values are written as in the text form.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// Something stands there, and something else should. `None`: nothing.
    Differs {
        /// What stands there.
        found: Option<String>,
        /// What should.
        right: Option<String>,
    },
    /// The rules refuse what was done.
    Illegal {
        /// What was done.
        action: String,
        /// Why it is refused.
        refusal: Refusal,
    },
    /// Before this step, another one is missing.
    Missing {
        /// The step that is missing.
        step: String,
    },
    /// The step does not belong there: without it, the record goes on.
    Extra,
    /// The step and the one after it have changed places.
    Swapped,
    /// The record ends before the table is over.
    Unfinished,
    /// The step cannot have happened, and so what comes after it was not checked.
    Impossible {
        /// Why.
        why: String,
    },
    /// The cards were not dealt from this seed.
    NotFromSeed,
    /// The time is before that of the step before.
    Backwards {
        /// The time of the step before, in milliseconds.
        before: i64,
    },
    /// The value cannot be read, or is none that this program knows.
    Unreadable {
        /// Why.
        why: String,
    },
}

/// What a record does not prove.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Unproven {
    /// Whoever made the table gave the seed, and so chose the deal.
    SeedGiven,
    /// The deal is one of a tournament that was not over when the record was fetched: that its seed comes from that of the
    /// tournament is not in it.
    Deal,
    /// It is the record of one viewer: what the others held, were asked and chose is not in it.
    Viewer(Viewer),
    /// The game never began, and no card was dealt.
    NeverBegan,
    /// The game was not played to its end, and nobody scored.
    BrokenOff,
}

impl Finding {
    pub(super) fn new(path: impl Into<String>, problem: Problem) -> Finding {
        Finding { path: path.into(), problem }
    }

    pub(super) fn unreadable(path: impl Into<String>, why: impl fmt::Display) -> Finding {
        Finding::new(path, Problem::Unreadable { why: why.to_string() })
    }

    pub(super) fn differs(
        path: impl Into<String>,
        found: impl Into<Option<String>>,
        right: impl Into<Option<String>>,
    ) -> Finding {
        Finding::new(path, Problem::Differs { found: found.into(), right: right.into() })
    }
}

/// The most characters of a value that are shown to a person.
const SHOWN: usize = 300;

fn cut(value: &str) -> String {
    match value.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} ...", &value[..end]),
        None => value.to_owned(),
    }
}

impl Say for Finding {
    fn say(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path)?;
        self.problem.say(lang, f)
    }
}

impl Say for Problem {
    fn say(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nothing = match lang {
            Lang::En => "nothing",
            Lang::De => "nichts",
        };
        let value = |value: &Option<String>| value.as_deref().map_or_else(|| nothing.to_owned(), cut);
        match (self, lang) {
            (Problem::Differs { found, right }, Lang::En) => {
                write!(f, "there is {}, and it should be {}", value(found), value(right))
            }
            (Problem::Differs { found, right }, Lang::De) => {
                write!(f, "da steht {}, und es müsste {} sein", value(found), value(right))
            }
            (Problem::Illegal { action, refusal }, Lang::En) => {
                write!(f, "{} is against the rules: {}", cut(action), refusal.in_lang(lang))
            }
            (Problem::Illegal { action, refusal }, Lang::De) => {
                write!(f, "{} verstößt gegen die Regeln: {}", cut(action), refusal.in_lang(lang))
            }
            (Problem::Missing { step }, Lang::En) => write!(f, "before it a step is missing: {}", cut(step)),
            (Problem::Missing { step }, Lang::De) => write!(f, "davor fehlt ein Schritt: {}", cut(step)),
            (Problem::Extra, Lang::En) => f.write_str("the step does not belong here: it was added"),
            (Problem::Extra, Lang::De) => f.write_str("der Schritt gehört nicht hierher: er kam dazu"),
            (Problem::Swapped, Lang::En) => f.write_str("the step belongs after the next one"),
            (Problem::Swapped, Lang::De) => f.write_str("der Schritt gehört hinter den nächsten"),
            (Problem::Unfinished, Lang::En) => {
                f.write_str("the record ends before the table is over: its last steps are missing")
            }
            (Problem::Unfinished, Lang::De) => {
                f.write_str("die Aufzeichnung endet vor dem Tisch: die letzten Schritte fehlen")
            }
            (Problem::Impossible { why }, Lang::En) => {
                write!(f, "this cannot have happened ({}); what comes after it was not checked", cut(why))
            }
            (Problem::Impossible { why }, Lang::De) => {
                write!(f, "das kann nicht geschehen sein ({}); was danach kommt, ist ungeprüft", cut(why))
            }
            (Problem::NotFromSeed, Lang::En) => f.write_str("the cards were not dealt from this seed"),
            (Problem::NotFromSeed, Lang::De) => {
                f.write_str("die Karten wurden nicht aus diesem Startwert gegeben")
            }
            (Problem::Backwards { before }, Lang::En) => {
                write!(f, "this is before the step before it, which was after {before} ms")
            }
            (Problem::Backwards { before }, Lang::De) => {
                write!(f, "das ist vor dem Schritt davor, der nach {before} ms war")
            }
            (Problem::Unreadable { why }, Lang::En) => write!(f, "this cannot be read: {}", cut(why)),
            (Problem::Unreadable { why }, Lang::De) => write!(f, "das ist nicht lesbar: {}", cut(why)),
        }
    }
}

impl Say for Unproven {
    fn say(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, lang) {
            (Unproven::SeedGiven, Lang::En) => {
                f.write_str("the seed was given by whoever made the table: it proves nothing about the deal")
            }
            (Unproven::SeedGiven, Lang::De) => f.write_str(
                "den Startwert hat vorgegeben, wer den Tisch gemacht hat: über das Geben beweist das nichts",
            ),
            (Unproven::Deal, Lang::En) => f.write_str(
                "the deal is one of a tournament that was not over yet: whether its seed is the one that the tournament \
                 was bound to shows in the record that the server gives when it is",
            ),
            (Unproven::Deal, Lang::De) => f.write_str(
                "das Blatt gehört zu einem Turnier, das noch nicht zu Ende war: ob sein Startwert der ist, an den das \
                 Turnier gebunden war, zeigt die Aufzeichnung, die der Server danach gibt",
            ),
            (Unproven::Viewer(viewer), Lang::En) => write!(
                f,
                "it is what {} saw: what others held, were asked and did in secret could not be checked",
                viewer.in_lang(lang)
            ),
            (Unproven::Viewer(viewer), Lang::De) => write!(
                f,
                "es ist, was {} sah: was andere hielten, gefragt wurden und heimlich taten, ließ sich nicht prüfen",
                viewer.in_lang(lang)
            ),
            (Unproven::NeverBegan, Lang::En) => f.write_str("the game never began: no card was dealt"),
            (Unproven::NeverBegan, Lang::De) => {
                f.write_str("das Spiel hat nie begonnen: es wurde keine Karte gegeben")
            }
            (Unproven::BrokenOff, Lang::En) => {
                f.write_str("the game was not played to its end: nobody scored")
            }
            (Unproven::BrokenOff, Lang::De) => {
                f.write_str("das Spiel wurde nicht zu Ende gespielt: niemand hat gepunktet")
            }
        }
    }
}

macro_rules! display_in_english {
    ($($name:ty),+) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.say(Lang::En, f)
            }
        }
    )+};
}

display_in_english!(Finding, Problem, Unproven);
