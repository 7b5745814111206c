//! Localised text: cards, actions, events and views in English and German.

mod rich;

use std::fmt;

pub use rich::{CardFace, CardLabel, RichText, Role, Suit, TextBuilder, TextPart};
pub(crate) use rich::{Cards, Count, Indirect, Object, PointCount, Subject, TheCard, TheCards, phrase};

use crate::{CardCode, CardSet, Outcome, Points, Seat, Standing, Viewer};

/// A supported language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// German.
    De,
}

impl Lang {
    /// All languages.
    pub const ALL: [Lang; 2] = [Lang::En, Lang::De];
}

/// A constant text in every language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Text {
    /// In English.
    pub en: &'static str,
    /// In German.
    pub de: &'static str,
}

impl Text {
    /// The text in one language.
    #[must_use]
    pub const fn get(self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.en,
            Lang::De => self.de,
        }
    }
}

/// A value that can be displayed in every language. Its `Display` form is the English one.
pub trait Localise {
    /// Appends the text of the value, in the builder's language and for its reader.
    fn write_text(&self, out: &mut TextBuilder);

    /// The text of the value as parts, in one language and for one reader.
    ///
    /// ```
    /// use parlor_engine::{Lang, Localise, Seat, Standing, Viewer};
    /// let standing = Standing { seat: Seat::FIRST, points: 3, place: 2 };
    /// let text = standing.rich_text(Lang::En, Viewer::Seat(Seat::FIRST));
    /// assert_eq!(text.to_string(), "You come 2nd with 3 points.");
    /// assert_eq!(standing.to_string(), "Seat 0 comes 2nd with 3 points.");
    /// ```
    fn rich_text(&self, lang: Lang, reader: Viewer) -> RichText {
        let mut text = TextBuilder::new(lang, reader);
        self.write_text(&mut text);
        text.finish()
    }

    /// Wraps the value for display in one language.
    ///
    /// ```
    /// use parlor_engine::{Lang, Localise, gap::{Card, Colour}};
    /// let card = Card::new(Colour::Green, 7).expect("GAP has a green 7");
    /// assert_eq!(card.to_string(), "green 7");
    /// assert_eq!(card.in_lang(Lang::De).to_string(), "grüne 7");
    /// ```
    fn in_lang(&self, lang: Lang) -> Localised<'_, Self>
    where
        Self: Sized,
    {
        Localised { what: self, lang }
    }
}

/// A value with the language to display it in, returned by [`Localise::in_lang`].
#[derive(Clone, Copy, Debug)]
pub struct Localised<'a, T> {
    what: &'a T,
    lang: Lang,
}

impl<T: Localise> fmt::Display for Localised<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.what.rich_text(self.lang, Viewer::Spectator).fmt(f)
    }
}

impl Localise for Text {
    fn write_text(&self, out: &mut TextBuilder) {
        out.plain(self.get(out.lang()));
    }
}

/// Implements `Display` as the English form of [`Localise`].
macro_rules! display_in_english {
    ($($name:ty),+ $(,)?) => {$(
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&$crate::Localise::in_lang(self, $crate::Lang::En), f)
            }
        }
    )+};
}
pub(crate) use display_in_english;

/// A comma-separated list; "-" if it is empty.
pub(crate) struct List<I>(pub(crate) I);

impl<I: Iterator<Item: Localise> + Clone> Localise for List<I> {
    fn write_text(&self, out: &mut TextBuilder) {
        let mut empty = true;
        for item in self.0.clone() {
            out.plain(if empty { "" } else { ", " });
            item.write_text(out);
            empty = false;
        }
        out.plain(if empty { "-" } else { "" });
    }
}

impl<C: CardCode + Localise> Localise for CardSet<C> {
    fn write_text(&self, out: &mut TextBuilder) {
        List(self.into_iter()).write_text(out);
    }
}

/// "seat 2", "Sitz 2".
impl Localise for Seat {
    fn write_text(&self, out: &mut TextBuilder) {
        out.seat(*self);
    }
}

impl Localise for Viewer {
    fn write_text(&self, out: &mut TextBuilder) {
        match self {
            Viewer::Seat(seat) => out.seat(*seat),
            Viewer::Spectator => Text { en: "a spectator", de: "einem Zuschauer" }.write_text(out),
        }
    }
}

/// "seat 0 scores 3, you score -4".
impl Localise for Points {
    fn write_text(&self, out: &mut TextBuilder) {
        for (seat, points) in self.iter() {
            out.plain(if seat == Seat::FIRST { "" } else { ", " });
            match out.lang() {
                Lang::En => phrase!(out, Subject(seat, "scores", "score"), " ", points),
                Lang::De => phrase!(out, Subject(seat, "bekommt", "bekommst"), " ", points),
            }
        }
    }
}

/// The suffix of an English ordinal number up to 10.
const fn ordinal_suffix(number: u8) -> &'static str {
    match number {
        1 => "st",
        2 => "nd",
        3 => "rd",
        _ => "th",
    }
}

impl Standing {
    /// Appends the verb of the sentence about the seat with what follows it: "comes 1st with 9 points", or "come 1st with
    /// 9 points" if the reader has the seat.
    pub fn write_predicate(&self, out: &mut TextBuilder) {
        let Standing { seat, place, points } = *self;
        let own = out.is_reader(seat);
        match out.lang() {
            Lang::En => {
                let comes = if own { "come " } else { "comes " };
                phrase!(out, comes, place, ordinal_suffix(place), " with ", PointCount(points));
            }
            Lang::De => {
                let comes = if own { "belegst" } else { "belegt" };
                phrase!(out, comes, " Platz ", place, " mit ", Count(points, "Punkt", "Punkten"));
            }
        }
    }
}

/// A sentence about one seat: "Seat 1 comes 1st with 9 points."
impl Localise for Standing {
    fn write_text(&self, out: &mut TextBuilder) {
        out.seat_or_you(self.seat, Role::Subject);
        out.plain(" ");
        self.write_predicate(out);
        out.plain(".");
    }
}

impl Localise for Outcome {
    fn write_text(&self, out: &mut TextBuilder) {
        Text { en: "The game is over.", de: "Das Spiel ist zu Ende." }.write_text(out);
        let mut standings: Vec<_> = self.standings().collect();
        standings.sort_by_key(|standing| standing.place);
        for standing in standings {
            phrase!(out, " ", standing);
        }
    }
}

display_in_english!(Outcome, Points, Standing);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::in_both_languages;

    #[test]
    fn texts_and_lists_are_localised() {
        let (yes, no) = (Text { en: "yes", de: "ja" }, Text { en: "no", de: "nein" });
        assert_eq!(in_both_languages(&yes), ["yes", "ja"]);
        assert_eq!(in_both_languages(&List([yes, no, yes].into_iter())), ["yes, no, yes", "ja, nein, ja"]);
        assert_eq!(in_both_languages(&List([yes; 0].into_iter())), ["-"; 2]);
    }

    #[test]
    fn seats_points_and_outcomes_are_localised() {
        let seat = Seat::FIRST.left(2);
        assert_eq!(in_both_languages(&seat), ["Seat 1", "Sitz 1"], "at the start of a sentence");
        assert_eq!(in_both_languages(&Viewer::Seat(seat)), ["Seat 1", "Sitz 1"]);
        assert_eq!(in_both_languages(&Viewer::Spectator), ["a spectator", "einem Zuschauer"]);
        let points = [3, -4, 0, 0, 0, 0];
        assert_eq!(
            in_both_languages(&Points::new(2, points)),
            ["Seat 0 scores 3, seat 1 scores -4", "Sitz 0 bekommt 3, Sitz 1 bekommt -4"]
        );
        let ends = [
            "The game is over. Seat 1 comes 1st with 9 points. Seat 0 comes 2nd with 1 point.",
            "Das Spiel ist zu Ende. Sitz 1 belegt Platz 1 mit 9 Punkten. Sitz 0 belegt Platz 2 mit 1 Punkt.",
        ];
        let outcome = Outcome::from_points(2, [1, 9, 0, 0, 0, 0]);
        assert_eq!(in_both_languages(&outcome), ends);
        let own = outcome.rich_text(Lang::De, Viewer::Seat(seat));
        assert!(own.to_string().contains("Du belegst Platz 1 mit 9 Punkten."), "{own}");
    }
}
