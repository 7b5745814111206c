//! Localised text: cards, actions, events and views in English and German.

use std::fmt;

use crate::{CardCode, CardSet, Outcome, Points, Seat, Viewer};

/// A supported language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// German.
    De,
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
    /// Formats the value in one language.
    fn fmt_in(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result;

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
        self.what.fmt_in(self.lang, f)
    }
}

impl Localise for Text {
    fn fmt_in(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get(lang))
    }
}

/// Implements `Display` as the English form of [`Localise`].
macro_rules! display_in_english {
    ($($name:ty),+ $(,)?) => {$(
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::Localise::fmt_in(self, $crate::Lang::En, f)
            }
        }
    )+};
}
pub(crate) use display_in_english;

/// A comma-separated list; "-" if it is empty.
pub(crate) struct List<I>(pub(crate) I);

impl<I: Iterator<Item: Localise> + Clone> Localise for List<I> {
    fn fmt_in(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut empty = true;
        for item in self.0.clone() {
            f.write_str(if empty { "" } else { ", " })?;
            item.fmt_in(lang, f)?;
            empty = false;
        }
        f.write_str(if empty { "-" } else { "" })
    }
}

impl<C: CardCode + Localise> Localise for CardSet<C> {
    fn fmt_in(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        List(self.into_iter()).fmt_in(lang, f)
    }
}

/// "seat 2", "Sitz 2".
impl Localise for Seat {
    fn fmt_in(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match lang {
            Lang::En => write!(f, "seat {self}"),
            Lang::De => write!(f, "Sitz {self}"),
        }
    }
}

impl Localise for Viewer {
    fn fmt_in(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, lang) {
            (Viewer::Seat(seat), _) => seat.fmt_in(lang, f),
            (Viewer::Spectator, Lang::En) => f.write_str("a spectator"),
            (Viewer::Spectator, Lang::De) => f.write_str("ein Zuschauer"),
        }
    }
}

impl Localise for Points {
    fn fmt_in(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (seat, points) in self.iter() {
            let comma = if seat == Seat::FIRST { "" } else { ", " };
            write!(f, "{comma}{} {points}", seat.in_lang(lang))?;
        }
        Ok(())
    }
}

impl Localise for Outcome {
    fn fmt_in(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Text { en: "The game is over.", de: "Das Spiel ist zu Ende." }.get(lang))?;
        let mut standings: Vec<_> = self.standings().collect();
        standings.sort_by_key(|standing| standing.place);
        for standing in standings {
            let (place, seat, points) = (standing.place, standing.seat.in_lang(lang), standing.points);
            match lang {
                Lang::En => write!(f, " Place {place}: {seat} with {points}.")?,
                Lang::De => write!(f, " Rang {place}: {seat} mit {points}.")?,
            }
        }
        Ok(())
    }
}

display_in_english!(Outcome, Points);

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
        assert_eq!(in_both_languages(&seat), ["seat 1", "Sitz 1"]);
        assert_eq!(in_both_languages(&Viewer::Seat(seat)), ["seat 1", "Sitz 1"]);
        assert_eq!(in_both_languages(&Viewer::Spectator), ["a spectator", "ein Zuschauer"]);
        let points = [3, -4, 0, 0, 0, 0];
        assert_eq!(
            in_both_languages(&Points::new(2, points)),
            ["seat 0 3, seat 1 -4", "Sitz 0 3, Sitz 1 -4"]
        );
        let ends = [
            "The game is over. Place 1: seat 1 with 9. Place 2: seat 0 with 3.",
            "Das Spiel ist zu Ende. Rang 1: Sitz 1 mit 9. Rang 2: Sitz 0 mit 3.",
        ];
        assert_eq!(in_both_languages(&Outcome::from_points(2, [3, 9, 0, 0, 0, 0])), ends);
    }
}
