//! What people read: every card, action, event and view in English and in German.

use std::fmt;

use crate::{Outcome, Points, Seat, Viewer};

/// A language of the texts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// German.
    De,
}

/// A fixed text in every language.
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

/// Something that has a form for people, in every language. `Display` is the English one.
pub trait Say {
    /// Writes the form in one language.
    fn say(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// The form in one language, to be formatted.
    ///
    /// ```
    /// use parlor_engine::{Lang, Say, gap::{Card, Colour}};
    /// let card = Card::new(Colour::Green, 7).expect("GAP has a green 7");
    /// assert_eq!(card.to_string(), "green 7");
    /// assert_eq!(card.in_lang(Lang::De).to_string(), "grüne 7");
    /// ```
    fn in_lang(&self, lang: Lang) -> Said<'_, Self>
    where
        Self: Sized,
    {
        Said { what: self, lang }
    }
}

/// A thing in a language: what [`Say::in_lang`] gives.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a, T> {
    what: &'a T,
    lang: Lang,
}

impl<T: Say> fmt::Display for Said<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.what.say(self.lang, f)
    }
}

impl Say for Text {
    fn say(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get(lang))
    }
}

/// `Display` in English for types that have [`Say`].
macro_rules! display_in_english {
    ($($name:ty),+ $(,)?) => {$(
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::Say::say(self, $crate::Lang::En, f)
            }
        }
    )+};
}
pub(crate) use display_in_english;

/// A list with commas, in one language; a dash when there is nothing in it.
pub(crate) struct List<I>(pub(crate) I);

impl<I: Iterator<Item: Say> + Clone> Say for List<I> {
    fn say(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut empty = true;
        for item in self.0.clone() {
            f.write_str(if empty { "" } else { ", " })?;
            item.say(lang, f)?;
            empty = false;
        }
        f.write_str(if empty { "-" } else { "" })
    }
}

/// The number of the seat, as "seat 2".
impl Say for Seat {
    fn say(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match lang {
            Lang::En => write!(f, "seat {self}"),
            Lang::De => write!(f, "Sitz {self}"),
        }
    }
}

impl Say for Viewer {
    fn say(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, lang) {
            (Viewer::Seat(seat), _) => seat.say(lang, f),
            (Viewer::Spectator, Lang::En) => f.write_str("a spectator"),
            (Viewer::Spectator, Lang::De) => f.write_str("ein Zuschauer"),
        }
    }
}

impl Say for Points {
    fn say(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (seat, points) in self.iter() {
            let comma = if seat == Seat::FIRST { "" } else { ", " };
            write!(f, "{comma}{} {points}", seat.in_lang(lang))?;
        }
        Ok(())
    }
}

impl Say for Outcome {
    fn say(&self, lang: Lang, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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

    fn both(what: &impl Say) -> [String; 2] {
        [Lang::En, Lang::De].map(|lang| what.in_lang(lang).to_string())
    }

    #[test]
    fn texts_and_lists() {
        let (yes, no) = (Text { en: "yes", de: "ja" }, Text { en: "no", de: "nein" });
        assert_eq!(both(&yes), ["yes", "ja"]);
        assert_eq!(both(&List([yes, no, yes].into_iter())), ["yes, no, yes", "ja, nein, ja"]);
        assert_eq!(both(&List([yes; 0].into_iter())), ["-"; 2]);
    }

    #[test]
    fn seats_points_and_places() {
        let seat = Seat::FIRST.left(2);
        assert_eq!(both(&seat), ["seat 1", "Sitz 1"]);
        assert_eq!(both(&Viewer::Seat(seat)), ["seat 1", "Sitz 1"]);
        assert_eq!(both(&Viewer::Spectator), ["a spectator", "ein Zuschauer"]);
        let points = [3, -4, 0, 0, 0, 0];
        assert_eq!(both(&Points::new(2, points)), ["seat 0 3, seat 1 -4", "Sitz 0 3, Sitz 1 -4"]);
        let ends = [
            "The game is over. Place 1: seat 1 with 9. Place 2: seat 0 with 3.",
            "Das Spiel ist zu Ende. Rang 1: Sitz 1 mit 9. Rang 2: Sitz 0 mit 3.",
        ];
        assert_eq!(both(&Outcome::by_points(2, [3, 9, 0, 0, 0, 0])), ends);
    }
}
