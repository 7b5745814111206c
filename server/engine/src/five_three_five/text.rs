//! Localised text of Five Three Five.

use super::{Action, Combination, Event, FlushReason, Options, PlayKind, Rank, Ranks, View};
use crate::text::{
    CardFace, CardLabel, Cards, Lang, List, Localise, Subject, Text, TextBuilder, display_in_english, phrase,
};
use crate::{MAX_SEATS, Seat};

display_in_english!(Rank, Ranks, Combination, Options, Action, Event, View);

/// A constant text.
const fn text(en: &'static str, de: &'static str) -> Text {
    Text { en, de }
}

impl CardLabel for Rank {
    fn face(&self, _: Lang) -> CardFace {
        let label = self.number().to_string();
        CardFace { id: label.clone(), short: label.clone(), long: label, suit: None }
    }
}

impl Localise for Rank {
    fn write_text(&self, out: &mut TextBuilder) {
        out.card(self);
    }
}

impl Localise for Ranks {
    fn write_text(&self, out: &mut TextBuilder) {
        List(self.iter()).write_text(out);
    }
}

/// The cards without spaces, as "4,5,6".
impl Localise for Combination {
    fn write_text(&self, out: &mut TextBuilder) {
        for (place, rank) in self.cards().iter().enumerate() {
            out.plain(if place == 0 { "" } else { "," });
            out.card(&rank);
        }
    }
}

impl Localise for Options {
    fn write_text(&self, out: &mut TextBuilder) {
        match self.beginner {
            false => text("full rules", "volle Regeln"),
            true => text("beginner rules", "Einsteigerregeln"),
        }
        .write_text(out);
    }
}

impl Localise for Action {
    fn write_text(&self, out: &mut TextBuilder) {
        match (self, out.lang()) {
            (Action::Lead(lead), Lang::En) => phrase!(out, "lead ", lead),
            (Action::Lead(lead), Lang::De) => phrase!(out, lead, " ausspielen"),
            (Action::Overwrite(beating), Lang::En) => phrase!(out, "overwrite with ", beating),
            (Action::Overwrite(beating), Lang::De) => phrase!(out, "mit ", beating, " überbieten"),
            (Action::Add(grown), Lang::En) => phrase!(out, "add to make ", grown),
            (Action::Add(grown), Lang::De) => phrase!(out, "anlegen zu ", grown),
            (Action::Pass, _) => text("pass", "passen").write_text(out),
        }
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
            Event::HandBegan { hand_number, start } => {
                let number = u32::from(hand_number) + 1;
                phrase!(out, "Hand ", number, ": ", Subject(start, "leads", "lead"), ".");
            }
            Event::Dealt { hand } => phrase!(out, "Your cards: ", hand, "."),
            Event::Laid { seat, play, cards, combination } => match play {
                PlayKind::Lead => phrase!(out, Subject(seat, "leads", "lead"), " ", combination, "."),
                PlayKind::Overwrite => {
                    phrase!(out, Subject(seat, "overwrites", "overwrite"), " with ", combination, ".");
                }
                PlayKind::Add => {
                    let adds = Subject(seat, "adds", "add");
                    phrase!(out, adds, " ", cards, ", which makes ", combination, ".");
                }
            },
            Event::Passed { seat } => phrase!(out, Subject(seat, "passes", "pass"), "."),
            Event::Flushed { by, reason } => {
                let reason = match reason {
                    FlushReason::AllPassed => "all others have passed",
                    FlushReason::Full => "the stack is full",
                    FlushReason::Eight => "an 8 was laid",
                };
                phrase!(out, Subject(by, "flushes", "flush"), " the field: ", reason, ".");
            }
            Event::HandScored { hand_number, left, points } => {
                phrase!(out, "Hand ", u32::from(hand_number) + 1, ": ", points, RemainingCards(&left), ".");
            }
            Event::Ended { outcome } => outcome.write_text(out),
        }
    }

    fn write_german(&self, out: &mut TextBuilder) {
        match *self {
            Event::HandBegan { hand_number, start } => {
                let number = u32::from(hand_number) + 1;
                phrase!(out, "Durchgang ", number, ": ", Subject(start, "spielt", "spielst"), " aus.");
            }
            Event::Dealt { hand } => phrase!(out, "Deine Karten: ", hand, "."),
            Event::Laid { seat, play, cards, combination } => match play {
                PlayKind::Lead => phrase!(out, Subject(seat, "spielt", "spielst"), " ", combination, " aus."),
                PlayKind::Overwrite => {
                    phrase!(out, Subject(seat, "überbietet", "überbietest"), " mit ", combination, ".");
                }
                PlayKind::Add => {
                    let lays = Subject(seat, "legt", "legst");
                    phrase!(out, lays, " ", cards, " an, das gibt ", combination, ".");
                }
            },
            Event::Passed { seat } => phrase!(out, Subject(seat, "passt", "passt"), "."),
            Event::Flushed { by, reason } => {
                let reason = match reason {
                    FlushReason::AllPassed => "Alle anderen haben gepasst",
                    FlushReason::Full => "Der Stapel ist voll",
                    FlushReason::Eight => "Eine 8 wurde gelegt",
                };
                phrase!(out, Subject(by, "spült", "spülst"), " das Feld weg: ", reason, ".");
            }
            Event::HandScored { hand_number, left, points } => {
                let number = u32::from(hand_number) + 1;
                phrase!(out, "Durchgang ", number, ": ", points, RemainingCards(&left), ".");
            }
            Event::Ended { outcome } => outcome.write_text(out),
        }
    }
}

/// The cards left in each hand, each after a semicolon.
struct RemainingCards<'a>(&'a [Ranks; MAX_SEATS]);

impl Localise for RemainingCards<'_> {
    fn write_text(&self, out: &mut TextBuilder) {
        for seat in Seat::all(MAX_SEATS as u8).filter(|seat| !self.0[seat.index()].is_empty()) {
            let cards = self.0[seat.index()];
            match out.lang() {
                Lang::En => phrase!(out, "; ", Subject(seat, "is", "are"), " left with ", cards),
                Lang::De => phrase!(out, "; ", Subject(seat, "hat", "hast"), " noch ", cards),
            }
        }
    }
}

impl Localise for View {
    fn write_text(&self, out: &mut TextBuilder) {
        out.set_reader(self.viewer);
        let words = match out.lang() {
            Lang::En => [
                "seen by",
                "Hand",
                "Turn",
                "Stack",
                "laid by",
                "Out",
                "Set aside",
                "kept back",
                "passed",
                "total",
                "left",
                "Your cards",
            ],
            Lang::De => [
                "gesehen von",
                "Durchgang",
                "Am Zug",
                "Stapel",
                "gelegt von",
                "Aus dem Spiel",
                "Beiseite",
                "zurückgehalten",
                "gepasst",
                "gesamt",
                "übrig",
                "Deine Karten",
            ],
        };
        let [seen_by, hand, turn, stack, laid_by, gone, aside, kept, passed, total, left, own] = words;
        phrase!(out, "Five Three Five (", self.options, "), ", seen_by, " ", self.viewer, "\n");
        match self.outcome {
            Some(outcome) => phrase!(out, outcome, "\n"),
            None => {
                phrase!(out, hand, " ", u32::from(self.hand_number) + 1, ". ", turn, ": ", self.turn, "\n");
            }
        }
        match self.stack {
            Some(top) => phrase!(out, stack, ": ", top.combination, ", ", laid_by, " ", top.by, "\n"),
            None => phrase!(out, stack, ": -\n"),
        }
        phrase!(out, gone, ": ", self.gone, "\n");
        phrase!(out, aside, ": ", self.set_aside, ", ", kept, ": ", self.kept_back, "\n");
        for seat in Seat::all(self.players) {
            let i = seat.index();
            phrase!(out, seat, ": ", Cards(self.hand_sizes[i]), ", ", total, " ", self.totals[i]);
            if self.passed.contains(seat) {
                phrase!(out, ", ", passed);
            }
            if !self.left[i].is_empty() {
                phrase!(out, ", ", left, ": ", self.left[i]);
            }
            out.plain("\n");
        }
        if self.viewer.seat().is_some() {
            phrase!(out, own, ": ", self.hand, "\n");
        }
    }
}
