//! Localised text of No Dice: cards, actions and events. See `view_text.rs` for views.

use super::{Action, Card, Decision, Direction, Event, Hand, Options, Placement, PlayOrder, PlayingCard};
use crate::text::{
    CardFace, CardLabel, Cards, Indirect, Lang, List, Localise, Object, PointCount, Subject, Text,
    TextBuilder, display_in_english, phrase,
};

display_in_english!(Card, PlayingCard, Hand, Options, PlayOrder, Placement, Action, Decision, Event);

/// A constant text.
const fn text(en: &'static str, de: &'static str) -> Text {
    Text { en, de }
}

impl CardLabel for PlayingCard {
    fn face(&self, _: Lang) -> CardFace {
        let label = format!("{}|{}", self.lower(), self.higher());
        CardFace { id: label.clone(), short: label.clone(), long: label, suit: None }
    }
}

impl CardLabel for Card {
    fn face(&self, lang: Lang) -> CardFace {
        let (id, label) = match self {
            Card::Playing(card) => return card.face(lang),
            Card::Switch => ("switch", "SWITCH"),
            Card::Pass => ("pass", "PASS"),
            Card::X2 => ("x2", "X2"),
            Card::Swap => ("swap", "SWAP"),
        };
        CardFace { id: id.to_owned(), short: label.to_owned(), long: label.to_owned(), suit: None }
    }
}

impl Localise for PlayingCard {
    fn write_text(&self, out: &mut TextBuilder) {
        out.card(self);
    }
}

impl Localise for Card {
    fn write_text(&self, out: &mut TextBuilder) {
        out.card(self);
    }
}

impl Localise for Hand {
    fn write_text(&self, out: &mut TextBuilder) {
        List(self.into_iter()).write_text(out);
    }
}

impl Localise for Options {
    fn write_text(&self, out: &mut TextBuilder) {
        text("no options", "keine Optionen").write_text(out);
    }
}

impl Localise for PlayOrder {
    fn write_text(&self, out: &mut TextBuilder) {
        match self {
            PlayOrder::Clockwise => text("to the left", "nach links"),
            PlayOrder::Anticlockwise => text("to the right", "nach rechts"),
        }
        .write_text(out);
    }
}

/// "5|8 at (0, 0), 8 to the right": the square of the lower value, and on which side of it the higher one lies.
impl Localise for Placement {
    fn write_text(&self, out: &mut TextBuilder) {
        let (card, (x, y)) = (self.card(), self.lower());
        let side = match self.toward() {
            Direction::Right => text("to the right", "rechts"),
            Direction::Down => text("below", "darunter"),
            Direction::Left => text("to the left", "links"),
            Direction::Up => text("above", "darüber"),
        };
        let at = text("at", "bei");
        phrase!(out, card, " ", at, format!(" ({x}, {y}), {} ", card.higher()), side);
    }
}

impl Localise for Action {
    fn write_text(&self, out: &mut TextBuilder) {
        let card = match *self {
            Action::Lay(placement) => return placement.write_text(out),
            Action::Swap(seat) => {
                return phrase!(out, Card::Swap, text(" with ", " mit "), Indirect(seat));
            }
            Action::Pass => return text("pass", "passen").write_text(out),
            Action::Decline => return text("decline", "verzichten").write_text(out),
            Action::Switch => Card::Switch,
            Action::PassCard => Card::Pass,
            Action::X2 => Card::X2,
        };
        // "PASS" alone would sound like "pass".
        phrase!(out, text("play ", ""), card, text("", " spielen"));
    }
}

impl Localise for Decision {
    fn write_text(&self, out: &mut TextBuilder) {
        match self {
            Decision::Turn => text("It is your turn.", "Du bist am Zug."),
            Decision::Window => text(
                "You are asked whether you play PASS now.",
                "Du wirst gefragt, ob du jetzt PASS spielst.",
            ),
        }
        .write_text(out);
    }
}

impl Localise for Event {
    fn write_text(&self, out: &mut TextBuilder) {
        match out.lang() {
            Lang::En => self.write_english(out),
            Lang::De => self.write_german(out),
        }
    }
}

impl Event {
    fn write_english(&self, out: &mut TextBuilder) {
        match *self {
            Event::Dealt { hand } => phrase!(out, "Your hand: ", hand, "."),
            Event::NextUp { seat } => phrase!(out, Subject(seat, "is", "are"), " next."),
            Event::YourTurn => out.plain("It is your turn."),
            Event::Asked => phrase!(out, "Do you play ", Card::Pass, " now, to skip this turn?"),
            Event::Declined => out.plain("You declined."),
            Event::SaidYes => phrase!(out, "You said that you play ", Card::Pass, "."),
            Event::Laid { seat, placement, points, doubled } => {
                let scores = if out.is_reader(seat) { "score" } else { "scores" };
                phrase!(out, Subject(seat, "lays", "lay"), " ", placement, ", and ", scores, " ", points);
                out.plain(if doubled { ", doubled." } else { "." });
            }
            Event::Switched { seat } => {
                let turns = ": play goes the other way round.";
                phrase!(out, Subject(seat, "plays", "play"), " ", Card::Switch, turns);
            }
            Event::Skipped { by, seat, out_of_turn } => {
                let skips = if out.is_reader(by) { " and skip " } else { " and skips " };
                let when = if out_of_turn { " out of turn" } else { "" };
                let plays = Subject(by, "plays", "play");
                phrase!(out, plays, " ", Card::Pass, when, skips, Object(seat), ".");
            }
            Event::PlayedX2 { seat } => phrase!(out, Subject(seat, "plays", "play"), " ", Card::X2, "."),
            Event::Swapped { seat, with } => {
                let trades = if out.is_reader(seat) { " and trade" } else { " and trades" };
                let plays = Subject(seat, "plays", "play");
                phrase!(out, plays, " ", Card::Swap, trades, " hands with ", Indirect(with), ".");
            }
            Event::Got { hand } => phrase!(out, "Your new hand: ", hand, "."),
            Event::Passed { seat, by_itself: true } => {
                let passes = if out.is_reader(seat) { "pass." } else { "passes." };
                phrase!(out, Subject(seat, "has", "have"), " no cards left and ", passes);
            }
            Event::Passed { seat, .. } => phrase!(out, Subject(seat, "passes", "pass"), "."),
            Event::Drew { cards } => phrase!(out, "You draw ", cards, "."),
            Event::OtherDrew { seat, count } => {
                phrase!(out, Subject(seat, "draws", "draw"), " ", Cards(count), ".");
            }
            Event::Ended { outcome } => outcome.write_text(out),
        }
    }

    fn write_german(&self, out: &mut TextBuilder) {
        match *self {
            Event::Dealt { hand } => phrase!(out, "Deine Hand: ", hand, "."),
            Event::NextUp { seat } => phrase!(out, Subject(seat, "ist", "bist"), " als Nächstes dran."),
            Event::YourTurn => out.plain("Du bist am Zug."),
            Event::Asked => phrase!(out, "Spielst du jetzt ", Card::Pass, ", damit dieser Zug ausfällt?"),
            Event::Declined => out.plain("Du hast verzichtet."),
            Event::SaidYes => phrase!(out, "Du hast gesagt, dass du ", Card::Pass, " spielst."),
            Event::Laid { seat, placement, points, doubled } => {
                let lays = Subject(seat, "legt", "legst");
                phrase!(out, lays, " die ", placement, ": ", PointCount(points));
                out.plain(if doubled { ", verdoppelt." } else { "." });
            }
            Event::Switched { seat } => {
                let turns = ": Es geht andersherum weiter.";
                phrase!(out, Subject(seat, "spielt", "spielst"), " ", Card::Switch, turns);
            }
            Event::Skipped { by, seat, out_of_turn } => {
                let when = if out_of_turn { " außer der Reihe" } else { "" };
                let plays = Subject(by, "spielt", "spielst");
                phrase!(out, plays, " ", Card::Pass, when, " und lässt ", Object(seat), " aussetzen.");
            }
            Event::PlayedX2 { seat } => phrase!(out, Subject(seat, "spielt", "spielst"), " ", Card::X2, "."),
            Event::Swapped { seat, with } => {
                let trades = if out.is_reader(seat) { " und tauschst" } else { " und tauscht" };
                let plays = Subject(seat, "spielt", "spielst");
                phrase!(out, plays, " ", Card::Swap, trades, " die Hand mit ", Indirect(with), ".");
            }
            Event::Got { hand } => phrase!(out, "Deine neue Hand: ", hand, "."),
            Event::Passed { seat, by_itself: true } => {
                phrase!(out, Subject(seat, "hat", "hast"), " keine Karten mehr und passt.");
            }
            Event::Passed { seat, .. } => phrase!(out, Subject(seat, "passt", "passt"), "."),
            Event::Drew { cards } => phrase!(out, "Du ziehst: ", cards, "."),
            Event::OtherDrew { seat, count } => {
                phrase!(out, Subject(seat, "zieht", "ziehst"), " ", Cards(count), ".");
            }
            Event::Ended { outcome } => outcome.write_text(out),
        }
    }
}
