//! Localised text of High Card.

use super::{Action, Card, Event, Options, View};
use crate::Seat;
use crate::text::{
    CardFace, CardLabel, Lang, Localise, Subject, Text, TextBuilder, display_in_english, phrase,
};

display_in_english!(Card, Options, Action, Event, View);

impl CardLabel for Card {
    fn face(&self, _: Lang) -> CardFace {
        let label = self.rank().to_string();
        CardFace { id: label.clone(), short: label.clone(), long: label, suit: None }
    }
}

impl Localise for Card {
    fn write_text(&self, out: &mut TextBuilder) {
        out.card(self);
    }
}

impl Localise for Options {
    fn write_text(&self, out: &mut TextBuilder) {
        Text { en: "one round", de: "eine Runde" }.write_text(out);
    }
}

impl Localise for Action {
    fn write_text(&self, out: &mut TextBuilder) {
        match out.lang() {
            Lang::En => phrase!(out, "play ", self.card),
            Lang::De => phrase!(out, self.card, " spielen"),
        }
    }
}

impl Localise for Event {
    fn write_text(&self, out: &mut TextBuilder) {
        match (*self, out.lang()) {
            (Event::Dealt { hand }, Lang::En) => phrase!(out, "Your hand: ", hand, "."),
            (Event::Dealt { hand }, Lang::De) => phrase!(out, "Deine Hand: ", hand, "."),
            (Event::Played { seat, card }, Lang::En) => {
                phrase!(out, Subject(seat, "plays", "play"), " ", card, ".");
            }
            (Event::Played { seat, card }, Lang::De) => {
                phrase!(out, Subject(seat, "spielt", "spielst"), " ", card, ".");
            }
            (Event::Ended { outcome }, _) => outcome.write_text(out),
        }
    }
}

impl Localise for View {
    fn write_text(&self, out: &mut TextBuilder) {
        out.set_reader(self.viewer);
        let [game, seen_by, turn, hand] = match out.lang() {
            Lang::En => ["High Card", "seen by", "Turn", "Hand"],
            Lang::De => ["Hohe Karte", "gesehen von", "Am Zug", "Hand"],
        };
        phrase!(out, game, ", ", seen_by, " ", self.viewer, "\n");
        if let Some(outcome) = self.outcome() {
            phrase!(out, outcome, "\n");
        }
        if let Some(seat) = self.turn() {
            phrase!(out, turn, ": ", seat, "\n");
        }
        for (seat, card) in Seat::all(self.players).zip(&self.played) {
            phrase!(out, seat, ": ", card, "\n");
        }
        if self.viewer.seat().is_some() {
            phrase!(out, hand, ": ", self.hand, "\n");
        }
    }
}
