//! Localised text of GAP.

use super::{Action, Card, Colour, Event, Length, Options, View};
use crate::text::{
    CardFace, CardLabel, Cards, Count, Lang, Localise, Subject, Suit, Text, TextBuilder, TheCard, TheCards,
    display_in_english, phrase,
};
use crate::{CardSet, Seat};

display_in_english!(Card, Colour, Options, Action, Event, View);

impl Colour {
    /// Stable id, the English name.
    pub(super) const fn id(self) -> &'static str {
        self.text().en
    }

    /// The name, in German as an adjective: "die blaue 7".
    const fn text(self) -> Text {
        let [en, de] = match self {
            Colour::Blue => ["blue", "blaue"],
            Colour::Green => ["green", "grüne"],
            Colour::Yellow => ["yellow", "gelbe"],
            Colour::Pink => ["pink", "pinke"],
            Colour::Purple => ["purple", "lila"],
        };
        Text { en, de }
    }

    /// The name on its own, as of a suit.
    const fn name(self) -> Text {
        let de = match self {
            Colour::Blue => "Blau",
            Colour::Green => "Grün",
            Colour::Yellow => "Gelb",
            Colour::Pink => "Pink",
            Colour::Purple => "Lila",
        };
        Text { en: self.id(), de }
    }

    /// The letters of short labels: no two colours share them.
    const fn letters(self) -> Text {
        let [en, de] = match self {
            Colour::Blue => ["b", "b"],
            Colour::Green => ["g", "gn"],
            Colour::Yellow => ["y", "ge"],
            Colour::Pink => ["pi", "pi"],
            Colour::Purple => ["p", "l"],
        };
        Text { en, de }
    }
}

impl CardLabel for Card {
    fn face(&self, lang: Lang) -> CardFace {
        let (colour, number) = (self.colour(), self.number());
        CardFace {
            id: format!("{}-{number}", colour.id()),
            short: format!("{}{number}", colour.letters().get(lang)),
            long: format!("{} {number}", colour.text().get(lang)),
            suit: Some(Suit { id: colour.id(), name: colour.name().get(lang) }),
        }
    }
}

impl Localise for Colour {
    fn write_text(&self, out: &mut TextBuilder) {
        self.text().write_text(out);
    }
}

impl Localise for Card {
    fn write_text(&self, out: &mut TextBuilder) {
        out.card(self);
    }
}

impl Localise for Options {
    fn write_text(&self, out: &mut TextBuilder) {
        match (self.length, out.lang()) {
            (Length::Target(points), Lang::En) => phrase!(out, "to ", Count(points, "point", "points")),
            (Length::Target(points), Lang::De) => phrase!(out, "bis ", Count(points, "Punkt", "Punkte")),
            (Length::Rounds(rounds), Lang::En) => phrase!(out, Count(rounds, "round", "rounds")),
            (Length::Rounds(rounds), Lang::De) => phrase!(out, Count(rounds, "Runde", "Runden")),
        }
    }
}

impl Localise for Action {
    fn write_text(&self, out: &mut TextBuilder) {
        let taken: CardSet<Card> = self.lower.into_iter().chain(self.higher).collect();
        match (taken.is_empty(), out.lang()) {
            (true, Lang::En) => phrase!(out, "play ", self.card),
            (true, Lang::De) => phrase!(out, self.card, " spielen"),
            (false, Lang::En) => phrase!(out, "play ", self.card, ", taking ", taken),
            (false, Lang::De) => phrase!(out, self.card, " spielen und ", taken, " nehmen"),
        }
    }
}

impl Localise for Event {
    fn write_text(&self, out: &mut TextBuilder) {
        match (*self, out.lang()) {
            (Event::RoundBegan { round, start, extra, middle }, Lang::En) => {
                let suffix = if extra { " to break the tie: " } else { ": " };
                phrase!(out, "Round ", u32::from(round) + 1, suffix, Subject(start, "begins", "begin"));
                phrase!(out, ". In the middle: ", middle, ".");
            }
            (Event::RoundBegan { round, start, extra, middle }, Lang::De) => {
                let suffix = if extra { " (Entscheidungsrunde): " } else { ": " };
                phrase!(out, "Runde ", u32::from(round) + 1, suffix, Subject(start, "beginnt", "beginnst"));
                phrase!(out, ". In der Mitte: ", middle, ".");
            }
            (Event::Dealt { hand }, Lang::En) => phrase!(out, "Your hand: ", hand, "."),
            (Event::Dealt { hand }, Lang::De) => phrase!(out, "Deine Hand: ", hand, "."),
            (Event::Played { seat, card, taken }, Lang::En) if taken.is_empty() => {
                phrase!(out, Subject(seat, "plays", "play"), " ", card, " into the middle.");
            }
            (Event::Played { seat, card, taken }, Lang::De) if taken.is_empty() => {
                phrase!(out, Subject(seat, "legt", "legst"), " ", TheCard(card), " in die Mitte.");
            }
            (Event::Played { seat, card, taken }, Lang::En) => {
                let and = if out.is_reader(seat) { " and take " } else { " and takes " };
                phrase!(out, Subject(seat, "plays", "play"), " ", card, and, TheCards(taken), ".");
            }
            (Event::Played { seat, card, taken }, Lang::De) => {
                let and = if out.is_reader(seat) { " und nimmst " } else { " und nimmt " };
                phrase!(
                    out,
                    Subject(seat, "spielt", "spielst"),
                    " ",
                    TheCard(card),
                    and,
                    TheCards(taken),
                    "."
                );
            }
            (Event::Filled { cards }, Lang::En) => phrase!(out, "Turned up: ", cards, "."),
            (Event::Filled { cards }, Lang::De) => phrase!(out, "Aufgedeckt: ", cards, "."),
            (Event::RoundScored { round, points }, Lang::En) => {
                phrase!(out, "Round ", u32::from(round) + 1, ": ", points, ".");
            }
            (Event::RoundScored { round, points }, Lang::De) => {
                phrase!(out, "Runde ", u32::from(round) + 1, ": ", points, ".");
            }
            (Event::Ended { outcome }, _) => outcome.write_text(out),
        }
    }
}

impl Localise for View {
    fn write_text(&self, out: &mut TextBuilder) {
        out.set_reader(self.viewer);
        let words = match out.lang() {
            Lang::En => ["seen by", "Round", "Turn", "Middle", "Stack", "Hand", "collected", "total"],
            Lang::De => ["gesehen von", "Runde", "Am Zug", "Mitte", "Stapel", "Hand", "gesammelt", "gesamt"],
        };
        let [seen_by, round, turn, middle, stack, hand, collected, total] = words;
        phrase!(out, "GAP (", self.options, "), ", seen_by, " ", self.viewer, "\n");
        match self.outcome {
            Some(outcome) => phrase!(out, outcome, "\n"),
            None => phrase!(out, round, " ", u32::from(self.round) + 1, ". ", turn, ": ", self.turn, "\n"),
        }
        phrase!(out, middle, ": ", self.middle, ". ", stack, ": ", self.stack, "\n");
        for seat in Seat::all(self.players) {
            let i = seat.index();
            phrase!(out, seat, ": ", Cards(self.hand_sizes[i]), ", ", collected, " ", self.collected[i]);
            phrase!(out, ", ", total, " ", self.totals[i], "\n");
        }
        if self.viewer.seat().is_some() {
            phrase!(out, hand, ": ", self.hand, "\n");
        }
    }
}
