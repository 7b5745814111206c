//! Localised text of High Card.

use std::fmt::{self, Formatter};

use super::{Action, Card, Event, Options, View};
use crate::text::{Lang, Localise, Text, display_in_english};
use crate::{CardSet, Seat};

display_in_english!(Card, Options, Action, Event, View);

impl Localise for Card {
    fn fmt_in(&self, _: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.rank())
    }
}

impl Localise for Options {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(Text { en: "one round", de: "eine Runde" }.get(lang))
    }
}

impl Localise for Action {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        self.card.fmt_in(lang, f)
    }
}

impl Localise for Event {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        match (*self, lang) {
            (Event::Dealt { hand }, Lang::En) => write!(f, "Your hand: {}.", hand.in_lang(lang)),
            (Event::Dealt { hand }, Lang::De) => write!(f, "Deine Hand: {}.", hand.in_lang(lang)),
            (Event::Played { seat, card }, Lang::En) => write!(f, "Seat {seat} plays {card}."),
            (Event::Played { seat, card }, Lang::De) => write!(f, "Sitz {seat} spielt {card}."),
            (Event::Ended { outcome }, _) => outcome.fmt_in(lang, f),
        }
    }
}

impl Localise for View {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        let [game, seen_by, turn, hand] = match lang {
            Lang::En => ["High Card", "seen by", "Turn", "Hand"],
            Lang::De => ["Hohe Karte", "gesehen von", "Am Zug", "Hand"],
        };
        writeln!(f, "{game}, {seen_by} {}", self.viewer.in_lang(lang))?;
        if let Some(outcome) = self.outcome() {
            writeln!(f, "{}", outcome.in_lang(lang))?;
        }
        if let Some(seat) = self.turn() {
            writeln!(f, "{turn}: {}", seat.in_lang(lang))?;
        }
        for (seat, card) in Seat::all(self.players).zip(&self.played) {
            writeln!(f, "{}: {card}", seat.in_lang(lang))?;
        }
        if self.viewer.seat().is_some() {
            let cards: CardSet<Card> = self.hand;
            writeln!(f, "{hand}: {}", cards.in_lang(lang))?;
        }
        Ok(())
    }
}
