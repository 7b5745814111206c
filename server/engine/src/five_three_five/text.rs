//! Localised text of Five Three Five.

use std::fmt::{self, Formatter};

use super::{Action, Combination, CombinationKind, Event, FlushReason, Options, PlayKind, Rank, Ranks, View};
use crate::text::{Lang, List, Localise, display_in_english};
use crate::{MAX_SEATS, Seat};

display_in_english!(Rank, Ranks, Combination, Options, Action, Event, View);

impl Localise for Rank {
    fn fmt_in(&self, _: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number())
    }
}

impl Localise for Ranks {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        List(self.iter()).fmt_in(lang, f)
    }
}

/// The ranks without spaces, as "4,5,6".
impl Localise for Combination {
    fn fmt_in(&self, _: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        for place in 0..self.size() {
            let step = if self.kind() == CombinationKind::Sequence { place } else { 0 };
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma}{}", self.lowest().number() + step)?;
        }
        Ok(())
    }
}

impl Localise for Options {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.beginner, lang) {
            (false, Lang::En) => "full rules",
            (false, Lang::De) => "volle Regeln",
            (true, Lang::En) => "beginner rules",
            (true, Lang::De) => "Einsteigerregeln",
        })
    }
}

impl Localise for Action {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
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

impl Localise for Event {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        match lang {
            Lang::En => self.fmt_english(f),
            Lang::De => self.fmt_german(f),
        }
    }
}

impl Event {
    fn fmt_english(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Event::HandBegan { hand_number, start } => {
                write!(f, "Hand {}: seat {start} leads.", u32::from(hand_number) + 1)
            }
            Event::Dealt { hand } => write!(f, "Your cards: {hand}."),
            Event::Laid { seat, play, cards, combination } => match play {
                PlayKind::Lead => write!(f, "Seat {seat} leads {combination}."),
                PlayKind::Overwrite => write!(f, "Seat {seat} overwrites with {combination}."),
                PlayKind::Add => write!(f, "Seat {seat} adds {cards}, which makes {combination}."),
            },
            Event::Passed { seat } => write!(f, "Seat {seat} passes."),
            Event::Flushed { by, reason } => {
                let reason = match reason {
                    FlushReason::AllPassed => "all others have passed",
                    FlushReason::Full => "the stack is full",
                    FlushReason::Eight => "an 8 was laid",
                };
                write!(f, "Seat {by} flushes: {reason}.")
            }
            Event::HandScored { hand_number, left, points } => {
                write!(f, "Hand {} scores {points}", u32::from(hand_number) + 1)?;
                fmt_left(&left, Lang::En, f)?;
                f.write_str(".")
            }
            Event::Ended { outcome } => outcome.fmt_in(Lang::En, f),
        }
    }

    fn fmt_german(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Event::HandBegan { hand_number, start } => {
                write!(f, "Durchgang {}: Sitz {start} spielt aus.", u32::from(hand_number) + 1)
            }
            Event::Dealt { hand } => write!(f, "Deine Karten: {hand}."),
            Event::Laid { seat, play, cards, combination } => match play {
                PlayKind::Lead => write!(f, "Sitz {seat} spielt {combination} aus."),
                PlayKind::Overwrite => write!(f, "Sitz {seat} überbietet mit {combination}."),
                PlayKind::Add => write!(f, "Sitz {seat} legt {cards} an, das gibt {combination}."),
            },
            Event::Passed { seat } => write!(f, "Sitz {seat} passt."),
            Event::Flushed { by, reason } => {
                let reason = match reason {
                    FlushReason::AllPassed => "Alle anderen haben gepasst",
                    FlushReason::Full => "Der Stapel ist voll",
                    FlushReason::Eight => "Eine 8 wurde gelegt",
                };
                write!(f, "Sitz {by} spült: {reason}.")
            }
            Event::HandScored { hand_number, left, points } => {
                let points = points.in_lang(Lang::De);
                write!(f, "Durchgang {} bringt {points}", u32::from(hand_number) + 1)?;
                fmt_left(&left, Lang::De, f)?;
                f.write_str(".")
            }
            Event::Ended { outcome } => outcome.fmt_in(Lang::De, f),
        }
    }
}

/// Appends the cards left in each hand, each after a semicolon.
fn fmt_left(left: &[Ranks; MAX_SEATS], lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
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

impl Localise for View {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
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
        writeln!(
            f,
            "Five Three Five ({}), {seen_by} {}",
            self.options.in_lang(lang),
            self.viewer.in_lang(lang)
        )?;
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
