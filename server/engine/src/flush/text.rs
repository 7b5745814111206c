//! Localised text of Flush.

use std::fmt::{self, Formatter};

use super::{Action, Combination, Event, Kind, Options, Play, Rank, Ranks, View, Why};
use crate::text::{Lang, List, Say, display_in_english};
use crate::{MAX_SEATS, Seat};

display_in_english!(Rank, Ranks, Combination, Options, Action, Event, View);

impl Say for Rank {
    fn say(&self, _: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number())
    }
}

impl Say for Ranks {
    fn say(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        List(self.iter()).say(lang, f)
    }
}

/// The ranks without spaces, as "4,5,6".
impl Say for Combination {
    fn say(&self, _: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        for place in 0..self.size() {
            let step = if self.kind() == Kind::Sequence { place } else { 0 };
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma}{}", self.lowest().number() + step)?;
        }
        Ok(())
    }
}

impl Say for Options {
    fn say(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.beginner, lang) {
            (false, Lang::En) => "full rules",
            (false, Lang::De) => "volle Regeln",
            (true, Lang::En) => "beginner rules",
            (true, Lang::De) => "Einsteigerregeln",
        })
    }
}

impl Say for Action {
    fn say(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        match (self, lang) {
            (Action::Lead(lead), Lang::En) => write!(f, "lead {lead}"),
            (Action::Lead(lead), Lang::De) => write!(f, "{lead} ausspielen"),
            (Action::Overwrite(higher), Lang::En) => write!(f, "overwrite with {higher}"),
            (Action::Overwrite(higher), Lang::De) => write!(f, "mit {higher} überbieten"),
            (Action::Add(grown), Lang::En) => write!(f, "add to make {grown}"),
            (Action::Add(grown), Lang::De) => write!(f, "anlegen zu {grown}"),
            (Action::Pass, Lang::En) => write!(f, "pass"),
            (Action::Pass, Lang::De) => write!(f, "passen"),
        }
    }
}

impl Say for Event {
    fn say(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        match lang {
            Lang::En => self.say_in_english(f),
            Lang::De => self.say_in_german(f),
        }
    }
}

impl Event {
    fn say_in_english(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Event::HandBegan { hand_number, start } => {
                write!(f, "Hand {}: seat {start} leads.", u32::from(hand_number) + 1)
            }
            Event::Dealt { hand } => write!(f, "Your cards: {hand}."),
            Event::Laid { seat, play, cards, combination } => match play {
                Play::Lead => write!(f, "Seat {seat} leads {combination}."),
                Play::Overwrite => write!(f, "Seat {seat} overwrites with {combination}."),
                Play::Add => write!(f, "Seat {seat} adds {cards}, which makes {combination}."),
            },
            Event::Passed { seat } => write!(f, "Seat {seat} passes."),
            Event::Flushed { by, why } => {
                let why = match why {
                    Why::AllPassed => "all others have passed",
                    Why::Full => "the stack is full",
                    Why::Eight => "an 8 was laid",
                };
                write!(f, "Seat {by} flushes: {why}.")
            }
            Event::HandScored { hand_number, left, points } => {
                write!(f, "Hand {} scores {points}", u32::from(hand_number) + 1)?;
                say_left(&left, Lang::En, f)?;
                f.write_str(".")
            }
            Event::Ended { outcome } => outcome.say(Lang::En, f),
        }
    }

    fn say_in_german(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Event::HandBegan { hand_number, start } => {
                write!(f, "Durchgang {}: Sitz {start} spielt aus.", u32::from(hand_number) + 1)
            }
            Event::Dealt { hand } => write!(f, "Deine Karten: {hand}."),
            Event::Laid { seat, play, cards, combination } => match play {
                Play::Lead => write!(f, "Sitz {seat} spielt {combination} aus."),
                Play::Overwrite => write!(f, "Sitz {seat} überbietet mit {combination}."),
                Play::Add => write!(f, "Sitz {seat} legt {cards} an, das gibt {combination}."),
            },
            Event::Passed { seat } => write!(f, "Sitz {seat} passt."),
            Event::Flushed { by, why } => {
                let why = match why {
                    Why::AllPassed => "Alle anderen haben gepasst",
                    Why::Full => "Der Stapel ist voll",
                    Why::Eight => "Eine 8 wurde gelegt",
                };
                write!(f, "Sitz {by} spült: {why}.")
            }
            Event::HandScored { hand_number, left, points } => {
                let points = points.in_lang(Lang::De);
                write!(f, "Durchgang {} bringt {points}", u32::from(hand_number) + 1)?;
                say_left(&left, Lang::De, f)?;
                f.write_str(".")
            }
            Event::Ended { outcome } => outcome.say(Lang::De, f),
        }
    }
}

/// Appends the cards left in each hand, each after a semicolon.
fn say_left(left: &[Ranks; MAX_SEATS], lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
    let seats = Seat::all(MAX_SEATS as u8).filter(|seat| !left[seat.index()].is_empty());
    for seat in seats {
        let (name, cards) = (seat.in_lang(lang), left[seat.index()]);
        match lang {
            Lang::En => write!(f, "; {name} was left with {cards}")?,
            Lang::De => write!(f, "; {name} behielt {cards}")?,
        }
    }
    Ok(())
}

impl Say for View {
    fn say(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        let words = match lang {
            Lang::En => [
                "seen by",
                "Hand",
                "Turn",
                "Stack",
                "laid by",
                "Out",
                "Set aside",
                "kept back",
                "cards",
                "passed",
                "total",
                "left",
                "Your cards",
            ],
            Lang::De => [
                "Ansicht:",
                "Durchgang",
                "Am Zug",
                "Stapel",
                "gelegt von",
                "Aus dem Spiel",
                "Beiseite",
                "zurückgehalten",
                "Karten",
                "gepasst",
                "gesamt",
                "übrig",
                "Deine Karten",
            ],
        };
        let [seen_by, hand, turn, stack, laid_by, out, aside, kept, cards, passed, total, left, own] = words;
        writeln!(f, "Flush ({}), {seen_by} {}", self.options.in_lang(lang), self.viewer.in_lang(lang))?;
        match self.outcome {
            Some(outcome) => writeln!(f, "{}", outcome.in_lang(lang))?,
            None => writeln!(
                f,
                "{hand} {}. {turn}: {}",
                u32::from(self.hand_number) + 1,
                self.turn.in_lang(lang)
            )?,
        }
        match self.stack {
            Some(top) => writeln!(f, "{stack}: {}, {laid_by} {}", top.combination, top.by.in_lang(lang))?,
            None => writeln!(f, "{stack}: -")?,
        }
        writeln!(f, "{out}: {}", self.gone)?;
        writeln!(f, "{aside}: {}, {kept}: {}", self.set_aside, self.kept_back)?;
        for seat in Seat::all(self.players) {
            let i = seat.index();
            write!(f, "{}: {cards} {}, {total} {}", seat.in_lang(lang), self.hand_sizes[i], self.totals[i])?;
            if self.passed.contains(seat) {
                write!(f, ", {passed}")?;
            }
            if !self.left[i].is_empty() {
                write!(f, ", {left}: {}", self.left[i])?;
            }
            writeln!(f)?;
        }
        if self.viewer.seat().is_some() {
            writeln!(f, "{own}: {}", self.hand)?;
        }
        Ok(())
    }
}
