//! Localised text of GAP.

use std::fmt::{self, Formatter};

use super::{Action, Card, Colour, Event, Length, Options, View};
use crate::text::{Lang, Localise, Text, display_in_english};
use crate::{CardSet, Seat};

display_in_english!(Card, Colour, Options, Action, Event, View);

impl Localise for Colour {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        let [en, de] = match self {
            Colour::Blue => ["blue", "blaue"],
            Colour::Green => ["green", "grüne"],
            Colour::Yellow => ["yellow", "gelbe"],
            Colour::Pink => ["pink", "pinke"],
            Colour::Purple => ["purple", "lila"],
        };
        f.write_str(Text { en, de }.get(lang))
    }
}

impl Localise for Card {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.colour().in_lang(lang), self.number())
    }
}

impl Localise for Options {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        match (self.length, lang) {
            (Length::Target(1), Lang::En) => write!(f, "to 1 point"),
            (Length::Target(1), Lang::De) => write!(f, "bis 1 Punkt"),
            (Length::Target(points), Lang::En) => write!(f, "to {points} points"),
            (Length::Target(points), Lang::De) => write!(f, "bis {points} Punkte"),
            (Length::Rounds(1), Lang::En) => write!(f, "1 round"),
            (Length::Rounds(1), Lang::De) => write!(f, "1 Runde"),
            (Length::Rounds(rounds), Lang::En) => write!(f, "{rounds} rounds"),
            (Length::Rounds(rounds), Lang::De) => write!(f, "{rounds} Runden"),
        }
    }
}

impl Localise for Action {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.card.in_lang(lang))?;
        let taken: CardSet<Card> = self.lower.into_iter().chain(self.higher).collect();
        match (taken.is_empty(), lang) {
            (true, _) => Ok(()),
            (false, Lang::En) => write!(f, ", taking {}", taken.in_lang(lang)),
            (false, Lang::De) => write!(f, ", nimmt {}", taken.in_lang(lang)),
        }
    }
}

impl Localise for Event {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        match (*self, lang) {
            (Event::RoundBegan { round, start, extra, middle }, Lang::En) => {
                let suffix = if extra { " to break the tie" } else { "" };
                let middle = middle.in_lang(lang);
                write!(
                    f,
                    "Round {}{suffix}: seat {start} begins, the middle is {middle}.",
                    u32::from(round) + 1
                )
            }
            (Event::RoundBegan { round, start, extra, middle }, Lang::De) => {
                let suffix = if extra { " als Stichrunde" } else { "" };
                let middle = middle.in_lang(lang);
                write!(
                    f,
                    "Runde {}{suffix}: Sitz {start} beginnt, in der Mitte liegen {middle}.",
                    u32::from(round) + 1
                )
            }
            (Event::Dealt { hand }, Lang::En) => write!(f, "Your hand: {}.", hand.in_lang(lang)),
            (Event::Dealt { hand }, Lang::De) => write!(f, "Deine Hand: {}.", hand.in_lang(lang)),
            (Event::Played { seat, card, taken }, Lang::En) if taken.is_empty() => {
                write!(f, "Seat {seat} plays {card} into the middle.", card = card.in_lang(lang))
            }
            (Event::Played { seat, card, taken }, Lang::De) if taken.is_empty() => {
                write!(f, "Sitz {seat} legt {card} in die Mitte.", card = card.in_lang(lang))
            }
            (Event::Played { seat, card, taken }, Lang::En) => {
                write!(f, "Seat {seat} plays {} and takes {}.", card.in_lang(lang), taken.in_lang(lang))
            }
            (Event::Played { seat, card, taken }, Lang::De) => {
                write!(f, "Sitz {seat} spielt {} und nimmt {}.", card.in_lang(lang), taken.in_lang(lang))
            }
            (Event::Filled { cards }, Lang::En) => write!(f, "Turned up: {}.", cards.in_lang(lang)),
            (Event::Filled { cards }, Lang::De) => write!(f, "Aufgedeckt: {}.", cards.in_lang(lang)),
            (Event::RoundScored { round, points }, Lang::En) => {
                write!(f, "Round {} scores {}.", u32::from(round) + 1, points.in_lang(lang))
            }
            (Event::RoundScored { round, points }, Lang::De) => {
                write!(f, "Runde {} bringt {}.", u32::from(round) + 1, points.in_lang(lang))
            }
            (Event::Ended { outcome }, _) => outcome.fmt_in(lang, f),
        }
    }
}

impl Localise for View {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        let words = match lang {
            Lang::En => {
                ["GAP", "seen by", "Round", "Turn", "Middle", "Stack", "Hand", "cards", "collected", "total"]
            }
            Lang::De => [
                "GAP",
                "gesehen von",
                "Runde",
                "Am Zug",
                "Mitte",
                "Stapel",
                "Hand",
                "Karten",
                "gesammelt",
                "gesamt",
            ],
        };
        let [game, seen_by, round, turn, middle, stack, hand, cards, collected, total] = words;
        writeln!(f, "{game} ({}), {seen_by} {}", self.options.in_lang(lang), self.viewer.in_lang(lang))?;
        match self.outcome {
            Some(outcome) => writeln!(f, "{}", outcome.in_lang(lang))?,
            None => {
                writeln!(f, "{round} {}. {turn}: {}", u32::from(self.round) + 1, self.turn.in_lang(lang))?;
            }
        }
        writeln!(f, "{middle}: {}. {stack}: {}", self.middle.in_lang(lang), self.stack)?;
        for seat in Seat::all(self.players) {
            let i = seat.index();
            let (size, own, points) = (self.hand_sizes[i], self.collected[i].in_lang(lang), self.totals[i]);
            writeln!(f, "{}: {size} {cards}, {collected} {own}, {total} {points}", seat.in_lang(lang))?;
        }
        if self.viewer.seat().is_some() {
            writeln!(f, "{hand}: {}", self.hand.in_lang(lang))?;
        }
        Ok(())
    }
}
