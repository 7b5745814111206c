//! Localised text of Habe fertig.

use super::{Action, Card, Colour, Event, Options, Origin, Pair, Phase, Pile, RevealedCards, View};
use crate::text::{
    CardFace, CardLabel, Cards, Lang, List, Localise, Object, Subject, Suit, Text, TextBuilder, TheCard,
    TheCards, display_in_english, phrase,
};
use crate::{Seat, Viewer};

display_in_english!(Card, Colour, Pair, Pile, Options, Action, Event, RevealedCards, Phase, View);

/// A constant text.
const fn text(en: &'static str, de: &'static str) -> Text {
    Text { en, de }
}

impl Colour {
    /// The name, in German as an adjective: "die blaue 7".
    const fn text(self) -> Text {
        match self {
            Colour::Red => text("red", "rote"),
            Colour::Yellow => text("yellow", "gelbe"),
            Colour::Green => text("green", "grüne"),
            Colour::Blue => text("blue", "blaue"),
            Colour::Purple => text("purple", "lila"),
            Colour::Grey => text("grey", "graue"),
        }
    }

    /// The name on its own, as of a suit.
    const fn name(self) -> Text {
        match self {
            Colour::Red => text("red", "Rot"),
            Colour::Yellow => text("yellow", "Gelb"),
            Colour::Green => text("green", "Grün"),
            Colour::Blue => text("blue", "Blau"),
            Colour::Purple => text("purple", "Lila"),
            Colour::Grey => text("grey", "Grau"),
        }
    }

    /// The letters of short labels: no two colours share them.
    const fn letters(self) -> Text {
        match self {
            Colour::Red => text("r", "r"),
            Colour::Yellow => text("y", "ge"),
            Colour::Green => text("g", "gn"),
            Colour::Blue => text("b", "b"),
            Colour::Purple => text("p", "l"),
            Colour::Grey => text("gy", "gr"),
        }
    }
}

impl CardLabel for Card {
    fn face(&self, lang: Lang) -> CardFace {
        let (colour, number) = (self.colour(), self.number());
        let id = colour.text().en;
        CardFace {
            id: format!("{id}-{number}"),
            short: format!("{}{number}", colour.letters().get(lang)),
            long: format!("{} {number}", colour.text().get(lang)),
            suit: Some(Suit { id, name: colour.name().get(lang) }),
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

impl Localise for Pair {
    fn write_text(&self, out: &mut TextBuilder) {
        phrase!(out, self.low(), text(" and ", " und "), self.high());
    }
}

/// "on the left pile"
impl Localise for Pile {
    fn write_text(&self, out: &mut TextBuilder) {
        match self {
            Pile::Left => text("on the left pile", "auf den linken Stapel"),
            Pile::Right => text("on the right pile", "auf den rechten Stapel"),
        }
        .write_text(out);
    }
}

impl Localise for Options {
    fn write_text(&self, out: &mut TextBuilder) {
        text("no options", "keine Optionen").write_text(out);
    }
}

impl Localise for Action {
    fn write_text(&self, out: &mut TextBuilder) {
        match (*self, out.lang()) {
            (Action::Hide(cards), Lang::En) => phrase!(out, "hide ", cards),
            (Action::Hide(cards), Lang::De) => phrase!(out, cards, " verstecken"),
            (Action::Lay(pile), Lang::En) => phrase!(out, "lay the turned-over card ", pile),
            (Action::Lay(pile), Lang::De) => phrase!(out, "die aufgedeckte Karte ", pile, " legen"),
            (Action::Play { card, pile }, Lang::En) => phrase!(out, "play ", card, " ", pile),
            (Action::Play { card, pile }, Lang::De) => phrase!(out, card, " ", pile, " spielen"),
            (Action::Pass, _) => text("pass", "passen").write_text(out),
        }
    }
}

impl Localise for Event {
    fn write_text(&self, out: &mut TextBuilder) {
        match out.lang() {
            Lang::En => write_english(self, out),
            Lang::De => write_german(self, out),
        }
    }
}

fn write_english(event: &Event, out: &mut TextBuilder) {
    match *event {
        Event::RoundBegan { round, dealer } => {
            phrase!(out, "Round ", u32::from(round) + 1, ": ", Subject(dealer, "deals", "deal"));
            phrase!(out, ", and everyone hides two cards.");
        }
        Event::Dealt { hand } => phrase!(out, "Your hand: ", hand, "."),
        Event::YouHid { cards } => phrase!(out, "You hide ", cards, "."),
        Event::Hid { seat } => phrase!(out, Subject(seat, "hides", "hide"), " two cards."),
        Event::PilesOpened { tops: [left, right] } => {
            phrase!(out, "The piles begin with ", left, " on the left and ", right, " on the right.");
        }
        Event::TurnedOver { seat, card } => {
            phrase!(out, "There is no gap: ", card, " is turned over for ", Object(seat), ".");
        }
        Event::Laid { seat, card, pile } => {
            phrase!(out, Subject(seat, "lays", "lay"), " ", card, " ", pile, ".");
        }
        Event::Played { seat, card, pile, gap } => {
            phrase!(out, if gap { "Gap! " } else { "" }, Subject(seat, "plays", "play"));
            phrase!(out, " ", card, " ", pile, ".");
        }
        Event::YouPassed { card } => phrase!(out, "You pass and take ", card, "."),
        Event::Passed { seat } => {
            phrase!(out, Subject(seat, "passes and takes", "pass and take"), " a card.");
        }
        Event::PassedWithoutCard { seat } => {
            phrase!(out, Subject(seat, "passes", "pass"), ", and there is no card to take.");
        }
        Event::Rebuilt { cards } => {
            phrase!(out, "The draw pile is rebuilt from ", Cards(cards.len()), ".");
        }
        Event::Shown { shown } => shown.write_text(out),
        Event::RoundScored { round, points } => {
            phrase!(out, "Round ", u32::from(round) + 1, ": ", points, ".");
        }
        Event::Ended { outcome } => outcome.write_text(out),
    }
}

fn write_german(event: &Event, out: &mut TextBuilder) {
    match *event {
        Event::RoundBegan { round, dealer } => {
            phrase!(out, "Durchgang ", u32::from(round) + 1, ": ", Subject(dealer, "gibt", "gibst"));
            phrase!(out, ", und alle verstecken zwei Karten.");
        }
        Event::Dealt { hand } => phrase!(out, "Deine Hand: ", hand, "."),
        Event::YouHid { cards } => {
            phrase!(out, "Du versteckst ", TheCards(cards.cards()), ".");
        }
        Event::Hid { seat } => phrase!(out, Subject(seat, "versteckt", "versteckst"), " zwei Karten."),
        Event::PilesOpened { tops: [left, right] } => {
            phrase!(out, "Die Stapel beginnen: links ", TheCard(left), ", rechts ", TheCard(right), ".");
        }
        Event::TurnedOver { seat, card } => {
            phrase!(out, "Es gibt keine Lücke: Für ", Object(seat), " wird ", TheCard(card), " aufgedeckt.");
        }
        Event::Laid { seat, card, pile } => {
            phrase!(out, Subject(seat, "legt", "legst"), " ", TheCard(card), " ", pile, ".");
        }
        Event::Played { seat, card, pile, gap } => {
            phrase!(out, if gap { "Lücke! " } else { "" }, Subject(seat, "spielt", "spielst"));
            phrase!(out, " ", TheCard(card), " ", pile, ".");
        }
        Event::YouPassed { card } => phrase!(out, "Du passt und nimmst ", TheCard(card), "."),
        Event::Passed { seat } => {
            phrase!(out, Subject(seat, "passt und nimmt", "passt und nimmst"), " eine Karte.");
        }
        Event::PassedWithoutCard { seat } => {
            phrase!(out, Subject(seat, "passt", "passt"), ", und es gibt keine Karte zu nehmen.");
        }
        Event::Rebuilt { cards } => {
            phrase!(out, "Der Nachziehstapel wird aus ", Cards(cards.len()), " erneuert.");
        }
        Event::Shown { shown } => shown.write_text(out),
        Event::RoundScored { round, points } => {
            phrase!(out, "Durchgang ", u32::from(round) + 1, ": ", points, ".");
        }
        Event::Ended { outcome } => outcome.write_text(out),
    }
}

impl Localise for RevealedCards {
    fn write_text(&self, out: &mut TextBuilder) {
        match (self.winner, out.lang()) {
            (Some(winner), Lang::En) => {
                phrase!(
                    out,
                    Subject(winner, "has", "have"),
                    " finished, with ",
                    TheCards(self.hidden),
                    " hidden"
                );
            }
            (Some(winner), Lang::De) => {
                phrase!(
                    out,
                    Subject(winner, "hat", "hast"),
                    " fertig, versteckt waren ",
                    TheCards(self.hidden)
                );
            }
            (None, _) => text("Nobody has finished", "Niemand hat fertig").write_text(out),
        }
        for (seat, hand) in Seat::all(self.hands.len() as u8).zip(self.hands) {
            if hand.is_empty() {
                continue;
            }
            match out.lang() {
                Lang::En => phrase!(out, "; ", Subject(seat, "holds", "hold"), " ", TheCards(hand)),
                Lang::De => phrase!(out, "; ", Subject(seat, "hat", "hast"), " noch ", TheCards(hand)),
            }
        }
        out.plain(".");
    }
}

impl Localise for Phase {
    fn write_text(&self, out: &mut TextBuilder) {
        match self {
            Phase::Hiding { waiting } => {
                let seats: Vec<Seat> = waiting.iter().collect();
                let still = text("still to hide two cards", "zwei Karten zu verstecken haben noch");
                phrase!(out, still, ": ", List(seats.iter().copied()));
            }
            Phase::Laying { turned } => {
                phrase!(out, text("turned over, to be laid", "aufgedeckt und zu legen"), ": ", turned);
            }
            Phase::Moving => text("play or pass", "spielen oder passen").write_text(out),
        }
    }
}

/// The unseen cards of an origin, and their counts by place without the viewer's own.
struct UnseenCards<'a>(&'a Origin, &'a View);

impl Localise for UnseenCards<'_> {
    fn write_text(&self, out: &mut TextBuilder) {
        let UnseenCards(origin, view) = *self;
        match (origin.rebuild, out.lang()) {
            (0, Lang::En) => phrase!(out, "Unseen, dealt"),
            (0, Lang::De) => phrase!(out, "Ungesehen, ausgeteilt"),
            (number, Lang::En) => phrase!(out, "Unseen, from rebuilt draw pile ", number),
            (number, Lang::De) => phrase!(out, "Ungesehen, aus dem ", number, ". erneuerten Nachziehstapel"),
        }
        let hidden = origin.hidden.saturating_sub(view.hidden.len());
        phrase!(out, " (", text("draw pile ", "Nachziehstapel "), origin.draw);
        phrase!(out, text(", hidden ", ", versteckt "), hidden);
        for seat in Seat::all(view.players).filter(|seat| !view.viewer.is(*seat)) {
            phrase!(out, ", ", seat, " ", origin.in_hands[seat.index()]);
        }
        phrase!(out, "): ", origin.cards & view.unseen(), "\n");
    }
}

impl Localise for View {
    fn write_text(&self, out: &mut TextBuilder) {
        out.set_reader(self.viewer);
        let words = match out.lang() {
            Lang::En => {
                ["seen by", "Round", "turn", "Piles", "under them", "Draw pile", "total", "Hand", "Hidden"]
            }
            Lang::De => [
                "gesehen von",
                "Durchgang",
                "Zug",
                "Stapel",
                "darunter",
                "Nachziehstapel",
                "gesamt",
                "Hand",
                "Versteckt",
            ],
        };
        let [seen_by, round, turn, piles, under, draw, total, hand, hidden] = words;
        phrase!(out, "Habe fertig, ", seen_by, " ", self.viewer, "\n");
        match self.outcome {
            Some(outcome) => phrase!(out, outcome, "\n"),
            None => {
                phrase!(out, round, " ", u32::from(self.round) + 1, ", ");
                if !matches!(self.phase, Phase::Hiding { .. }) {
                    phrase!(out, turn, " ", u32::from(self.turns) + 1, ", ", self.turn, ": ");
                }
                phrase!(out, self.phase, "\n");
            }
        }
        phrase!(out, piles, ": ", List(self.tops.into_iter().flatten()), "; ", under, ": ", self.buried);
        phrase!(out, ". ", draw, ": ", self.draw, "\n");
        for seat in Seat::all(self.players) {
            let (size, points) = (self.hand_sizes[seat.index()], self.totals[seat.index()]);
            phrase!(out, seat, ": ", Cards(size), ", ", total, " ", points, "\n");
        }
        if self.viewer != Viewer::Spectator {
            phrase!(out, hand, ": ", self.hand, ". ", hidden, ": ", self.hidden, "\n");
        }
        match self.shown {
            Some(shown) => phrase!(out, shown, "\n"),
            None => self.origins.iter().for_each(|origin| UnseenCards(origin, self).write_text(out)),
        }
    }
}
