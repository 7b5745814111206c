//! Findings of a verification, in English and German.

use std::fmt;

use parlor_engine::{Lang, Localise, Refusal, TextBuilder, Viewer};

/// Result of verifying a record.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct VerificationReport {
    /// Findings, in the order of the record. Empty if everything that could be checked is correct.
    pub findings: Vec<Finding>,
    /// Limits of what the record proves, though nothing is wrong.
    pub unproven: Vec<Unproven>,
}

impl VerificationReport {
    /// True if there are no findings.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.findings.is_empty()
    }
}

/// One thing that is wrong with a record.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// Path of the field, such as `steps[12].decided[0].index`.
    pub path: String,
    /// The problem.
    pub problem: Problem,
}

/// Kinds of problems. Values are in the notation of the text format.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// A value differs from the expected one. `None`: absent.
    Differs {
        /// Value in the record.
        found: Option<String>,
        /// Expected value.
        expected: Option<String>,
    },
    /// The rules refuse the action.
    Illegal {
        /// The action.
        action: String,
        /// Reason for the refusal.
        refusal: Refusal,
    },
    /// A step is missing before this one.
    Missing {
        /// The missing step.
        step: String,
    },
    /// The step is extra: without it, the next one fits.
    Extra,
    /// This step and the next one are swapped.
    Swapped,
    /// The record ends before the table is over.
    Unfinished,
    /// The step is impossible, so later steps were not checked.
    Impossible {
        /// The reason.
        why: String,
    },
    /// The cards were not dealt from this seed.
    NotFromSeed,
    /// The time is earlier than the previous step's.
    TimeReversed {
        /// Time of the previous step, in milliseconds.
        previous_ms: u32,
    },
    /// The signature is not that of the record: something was changed since the server gave it.
    SignatureInvalid {
        /// Id of the key.
        key_id: String,
    },
    /// The value is malformed or unknown to this crate.
    Unreadable {
        /// The reason.
        why: String,
    },
}

/// A limit of what a record proves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Unproven {
    /// The creator of the table gave the seed, and so chose the deal.
    SeedGiven,
    /// The deal belongs to a tournament that was not over when the record was fetched, so its derivation from
    /// the tournament's seed is not shown.
    DealSeed,
    /// The record is one viewer's: the others' cards, decisions and hidden actions are not in it.
    Viewer(Viewer),
    /// So many participants withheld the entropy that they had committed to. It counts as none.
    EntropyWithheld(usize),
    /// So many participants added entropy without a commitment: the server is from before there were any.
    EntropyUncommitted(usize),
    /// The game never started: no card was dealt.
    NeverStarted,
    /// The game was not played out: there is no score.
    NotPlayedOut,
    /// The record has no signature, so nothing proves who made it: names, options and times are only what it says.
    Unsigned,
    /// The signature was not checked, for want of the server's public key.
    SignatureUnchecked,
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
        expected: impl Into<Option<String>>,
    ) -> Finding {
        Finding::new(path, Problem::Differs { found: found.into(), expected: expected.into() })
    }
}

/// Maximum number of characters of a value shown in a message.
const SHOWN: usize = 300;

fn cut(value: &str) -> String {
    match value.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} ...", &value[..end]),
        None => value.to_owned(),
    }
}

impl Localise for Finding {
    fn write_text(&self, out: &mut TextBuilder) {
        write!(out, "{}: ", self.path);
        self.problem.write_text(out);
    }
}

impl Localise for Problem {
    fn write_text(&self, out: &mut TextBuilder) {
        let lang = out.lang();
        let nothing = match lang {
            Lang::En => "nothing",
            Lang::De => "nichts",
        };
        let value = |value: &Option<String>| value.as_deref().map_or_else(|| nothing.to_owned(), cut);
        match (self, lang) {
            (Problem::Differs { found, expected }, Lang::En) => {
                write!(out, "found {}, expected {}", value(found), value(expected));
            }
            (Problem::Differs { found, expected }, Lang::De) => {
                write!(out, "da steht {}, und es müsste {} sein", value(found), value(expected));
            }
            (Problem::Illegal { action, refusal }, Lang::En) => {
                write!(out, "{} is against the rules: {}", cut(action), refusal.in_lang(lang));
            }
            (Problem::Illegal { action, refusal }, Lang::De) => {
                write!(out, "{} verstößt gegen die Regeln: {}", cut(action), refusal.in_lang(lang));
            }
            (Problem::Missing { step }, Lang::En) => {
                write!(out, "a step is missing before this one: {}", cut(step));
            }
            (Problem::Missing { step }, Lang::De) => write!(out, "davor fehlt ein Schritt: {}", cut(step)),
            (Problem::Extra, Lang::En) => out.plain("the step was added: the record continues without it"),
            (Problem::Extra, Lang::De) => out.plain("der Schritt gehört nicht hierher: er kam dazu"),
            (Problem::Swapped, Lang::En) => out.plain("the step belongs after the next one"),
            (Problem::Swapped, Lang::De) => out.plain("der Schritt gehört hinter den nächsten"),
            (Problem::Unfinished, Lang::En) => {
                out.plain("the record ends before the table is over: its last steps are missing");
            }
            (Problem::Unfinished, Lang::De) => {
                out.plain("die Aufzeichnung endet vor dem Tisch: die letzten Schritte fehlen");
            }
            (Problem::Impossible { why }, Lang::En) => {
                write!(out, "this step is impossible ({}); later steps were not checked", cut(why));
            }
            (Problem::Impossible { why }, Lang::De) => {
                write!(out, "das kann nicht geschehen sein ({}); was danach kommt, ist ungeprüft", cut(why));
            }
            (Problem::NotFromSeed, Lang::En) => out.plain("the cards were not dealt from this seed"),
            (Problem::NotFromSeed, Lang::De) => {
                out.plain("die Karten wurden nicht aus diesem Startwert gegeben");
            }
            (Problem::TimeReversed { previous_ms }, Lang::En) => {
                write!(out, "earlier than the previous step, which was at {previous_ms} ms");
            }
            (Problem::TimeReversed { previous_ms }, Lang::De) => {
                write!(out, "das ist vor dem Schritt davor, der nach {previous_ms} ms war");
            }
            (Problem::SignatureInvalid { key_id }, Lang::En) => {
                write!(out, "not the signature of this record by key {key_id}: the record was changed");
            }
            (Problem::SignatureInvalid { key_id }, Lang::De) => {
                write!(
                    out,
                    "das ist nicht die Unterschrift des Schlüssels {key_id} unter dieser Aufzeichnung: sie wurde verändert"
                );
            }
            (Problem::Unreadable { why }, Lang::En) => write!(out, "unreadable: {}", cut(why)),
            (Problem::Unreadable { why }, Lang::De) => write!(out, "das ist nicht lesbar: {}", cut(why)),
        }
    }
}

impl Localise for Unproven {
    fn write_text(&self, out: &mut TextBuilder) {
        match (self, out.lang()) {
            (Unproven::SeedGiven, Lang::En) => {
                out.plain("the creator of the table gave the seed: it proves nothing about the deal");
            }
            (Unproven::SeedGiven, Lang::De) => out.plain(
                "der Startwert wurde beim Anlegen des Tisches vorgegeben: über das Geben beweist er nichts",
            ),
            (Unproven::DealSeed, Lang::En) => out.plain(
                "the deal belongs to a tournament that was not over yet: only a record fetched after the tournament \
                 proves that its seed follows from the tournament's commitment",
            ),
            (Unproven::DealSeed, Lang::De) => out.plain(
                "das Blatt gehört zu einem Turnier, das noch nicht zu Ende war: ob sein Startwert der ist, an den das \
                 Turnier gebunden war, zeigt die Aufzeichnung, die der Server danach gibt",
            ),
            (Unproven::Viewer(viewer), lang) => {
                let [before, after] = match lang {
                    Lang::En => [
                        "the game as seen by ",
                        ": other seats' hands, decisions and hidden actions could not be checked",
                    ],
                    Lang::De => [
                        "die Partie, gesehen von ",
                        ": was andere hielten, gefragt wurden und heimlich taten, ließ sich nicht prüfen",
                    ],
                };
                out.plain(before);
                viewer.write_text(out);
                out.plain(after);
            }
            (Unproven::EntropyWithheld(count), Lang::En) => {
                let who = if *count == 1 { "one participant" } else { "some participants" };
                write!(
                    out,
                    "{who} ({count}) withheld the entropy that had been committed to: together with the server, \
                     they could choose among {} deals",
                    1_u128.checked_shl(*count as u32).unwrap_or(u128::MAX)
                );
            }
            (Unproven::EntropyWithheld(count), Lang::De) => write!(
                out,
                "zurückgehaltene Entropie, auf die sich jemand festgelegt hatte: {count}; zusammen mit dem Server ließ \
                 sich damit unter {} Blättern wählen",
                1_u128.checked_shl(*count as u32).unwrap_or(u128::MAX)
            ),
            (Unproven::EntropyUncommitted(count), Lang::En) => write!(
                out,
                "entropy of {count} was sent without a commitment, to a server from before there were any: whoever sent \
                 last could choose it"
            ),
            (Unproven::EntropyUncommitted(count), Lang::De) => write!(
                out,
                "Entropie ohne Festlegung, an einen Server von früher: {count}; wer zuletzt kam, konnte sie aussuchen"
            ),
            (Unproven::NeverStarted, Lang::En) => out.plain("the game never started: no card was dealt"),
            (Unproven::NeverStarted, Lang::De) => {
                out.plain("das Spiel hat nie begonnen: es wurde keine Karte gegeben");
            }
            (Unproven::NotPlayedOut, Lang::En) => {
                out.plain("the game was not played out: there is no score");
            }
            (Unproven::NotPlayedOut, Lang::De) => {
                out.plain("das Spiel wurde nicht zu Ende gespielt: niemand hat gepunktet");
            }
            (Unproven::Unsigned, Lang::En) => out.plain(
                "the record is not signed: who made it, names, options, times, and that these decisions were made were \
                 not checked",
            ),
            (Unproven::Unsigned, Lang::De) => out.plain(
                "die Aufzeichnung ist nicht unterschrieben: wer sie gemacht hat, Namen, Einstellungen, Zeiten und ob so \
                 gespielt wurde, ist ungeprüft",
            ),
            (Unproven::SignatureUnchecked, Lang::En) => out.plain(
                "the signature was not checked, as the server's key is not known: who made the record, names, options, \
                 times, and that these decisions were made were not checked",
            ),
            (Unproven::SignatureUnchecked, Lang::De) => out.plain(
                "die Unterschrift wurde nicht geprüft, denn der Schlüssel des Servers ist nicht bekannt: wer die \
                 Aufzeichnung gemacht hat, Namen, Einstellungen, Zeiten und ob so gespielt wurde, ist ungeprüft",
            ),
        }
    }
}

macro_rules! display_in_english {
    ($($name:ty),+) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.in_lang(Lang::En), f)
            }
        }
    )+};
}

display_in_english!(Finding, Problem, Unproven);
