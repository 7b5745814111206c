//! Localised text of Habe fertig.

use std::fmt::{self, Formatter};

use super::{Action, Card, Colour, Event, Options, Origin, Pair, Phase, Pile, RevealedCards, View};
use crate::text::{Lang, List, Localise, Text, display_in_english};
use crate::{Seat, Viewer};

display_in_english!(Card, Colour, Pair, Pile, Options, Action, Event, RevealedCards, Phase, View);

impl Localise for Colour {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        let [en, de] = match self {
            Colour::Red => ["red", "rote"],
            Colour::Yellow => ["yellow", "gelbe"],
            Colour::Green => ["green", "grüne"],
            Colour::Blue => ["blue", "blaue"],
            Colour::Purple => ["purple", "lila"],
            Colour::Grey => ["grey", "graue"],
        };
        f.write_str(Text { en, de }.get(lang))
    }
}

impl Localise for Card {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.colour().in_lang(lang), self.number())
    }
}

impl Localise for Pair {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        let and = Text { en: "and", de: "und" }.get(lang);
        write!(f, "{} {and} {}", self.low().in_lang(lang), self.high().in_lang(lang))
    }
}

/// "on the left pile"
impl Localise for Pile {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        let [en, de] = match self {
            Pile::Left => ["on the left pile", "auf den linken Stapel"],
            Pile::Right => ["on the right pile", "auf den rechten Stapel"],
        };
        f.write_str(Text { en, de }.get(lang))
    }
}

impl Localise for Options {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(Text { en: "no options", de: "keine Optionen" }.get(lang))
    }
}

impl Localise for Action {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        match (*self, lang) {
            (Action::Hide(cards), Lang::En) => write!(f, "hide {cards}"),
            (Action::Hide(cards), Lang::De) => write!(f, "{} verstecken", cards.in_lang(lang)),
            (Action::Lay(pile), Lang::En) => write!(f, "lay the turned-over card {pile}"),
            (Action::Lay(pile), Lang::De) => write!(f, "aufgedeckte Karte {} legen", pile.in_lang(lang)),
            (Action::Play { card, pile }, _) => {
                write!(f, "{} {}", card.in_lang(lang), pile.in_lang(lang))
            }
            (Action::Pass, Lang::En) => write!(f, "pass"),
            (Action::Pass, Lang::De) => write!(f, "passen"),
        }
    }
}

impl Localise for Event {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        match lang {
            Lang::En => fmt_english(self, f),
            Lang::De => fmt_german(self, f),
        }
    }
}

fn fmt_english(event: &Event, f: &mut Formatter<'_>) -> fmt::Result {
    match *event {
        Event::RoundBegan { round, dealer } => {
            write!(f, "Round {}: seat {dealer} deals, and everyone hides two cards.", u32::from(round) + 1)
        }
        Event::Dealt { hand } => write!(f, "Your hand: {}.", hand.in_lang(Lang::En)),
        Event::YouHid { cards } => write!(f, "You hide {cards}."),
        Event::Hid { seat } => write!(f, "Seat {seat} hides two cards."),
        Event::PilesOpened { tops: [left, right] } => {
            write!(f, "The piles begin with {left} on the left and {right} on the right.")
        }
        Event::TurnedOver { seat, card } => {
            write!(f, "There is no gap: {card} is turned over for seat {seat}.")
        }
        Event::Laid { seat, card, pile } => write!(f, "Seat {seat} lays {card} {pile}."),
        Event::Played { seat, card, pile, gap: true } => write!(f, "Gap! Seat {seat} plays {card} {pile}."),
        Event::Played { seat, card, pile, .. } => write!(f, "Seat {seat} plays {card} {pile}."),
        Event::YouPassed { card } => write!(f, "You pass and take {card}."),
        Event::Passed { seat } => write!(f, "Seat {seat} passes and takes a card."),
        Event::PassedWithoutCard { seat } => write!(f, "Seat {seat} passes, and there is no card to take."),
        Event::Rebuilt { cards } => write!(f, "The draw pile is rebuilt, cards: {}.", cards.len()),
        Event::Shown { shown } => shown.fmt_in(Lang::En, f),
        Event::RoundScored { round, points } => write!(f, "Round {} scores {points}.", u32::from(round) + 1),
        Event::Ended { outcome } => outcome.fmt_in(Lang::En, f),
    }
}

fn fmt_german(event: &Event, f: &mut Formatter<'_>) -> fmt::Result {
    const DE: Lang = Lang::De;
    match *event {
        Event::RoundBegan { round, dealer } => {
            write!(f, "Runde {}: Sitz {dealer} gibt, und alle verstecken zwei Karten.", u32::from(round) + 1)
        }
        Event::Dealt { hand } => write!(f, "Deine Hand: {}.", hand.in_lang(DE)),
        Event::YouHid { cards } => write!(f, "Du versteckst {}.", cards.in_lang(DE)),
        Event::Hid { seat } => write!(f, "Sitz {seat} versteckt zwei Karten."),
        Event::PilesOpened { tops: [left, right] } => {
            let (left, right) = (left.in_lang(DE), right.in_lang(DE));
            write!(f, "Die Stapel beginnen: links {left}, rechts {right}.")
        }
        Event::TurnedOver { seat, card } => {
            write!(f, "Es gibt keine Lücke: Für Sitz {seat} wird {} aufgedeckt.", card.in_lang(DE))
        }
        Event::Laid { seat, card, pile } => {
            write!(f, "Sitz {seat} legt {} {}.", card.in_lang(DE), pile.in_lang(DE))
        }
        Event::Played { seat, card, pile, gap: true } => {
            let (card, pile) = (card.in_lang(DE), pile.in_lang(DE));
            write!(f, "Gap! Sitz {seat} spielt {card} {pile}.")
        }
        Event::Played { seat, card, pile, .. } => {
            write!(f, "Sitz {seat} spielt {} {}.", card.in_lang(DE), pile.in_lang(DE))
        }
        Event::YouPassed { card } => write!(f, "Du passt und nimmst {}.", card.in_lang(DE)),
        Event::Passed { seat } => write!(f, "Sitz {seat} passt und nimmt eine Karte."),
        Event::PassedWithoutCard { seat } => {
            write!(f, "Sitz {seat} passt, und es gibt keine Karte zu nehmen.")
        }
        Event::Rebuilt { cards } => write!(f, "Der Nachziehstapel wird erneuert, Karten: {}.", cards.len()),
        Event::Shown { shown } => shown.fmt_in(DE, f),
        Event::RoundScored { round, points } => {
            write!(f, "Runde {} bringt {}.", u32::from(round) + 1, points.in_lang(DE))
        }
        Event::Ended { outcome } => outcome.fmt_in(DE, f),
    }
}

impl Localise for RevealedCards {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        let hidden = self.hidden.in_lang(lang);
        match (self.winner, lang) {
            (Some(winner), Lang::En) => write!(f, "Seat {winner} has finished, with {hidden} hidden")?,
            (Some(winner), Lang::De) => write!(f, "Sitz {winner} hat fertig, versteckt waren {hidden}")?,
            (None, Lang::En) => write!(f, "Nobody has finished")?,
            (None, Lang::De) => write!(f, "Niemand hat fertig")?,
        }
        let holds = Text { en: "holds", de: "hält" };
        for (seat, hand) in Seat::all(self.hands.len() as u8).zip(self.hands) {
            if !hand.is_empty() {
                write!(f, "; {} {} {}", seat.in_lang(lang), holds.get(lang), hand.in_lang(lang))?;
            }
        }
        f.write_str(".")
    }
}

impl Localise for Phase {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Phase::Hiding { waiting } => {
                let seats: Vec<Seat> = waiting.iter().collect();
                let still =
                    Text { en: "still to hide two cards", de: "zwei Karten zu verstecken haben noch" };
                write!(f, "{}: {}", still.get(lang), List(seats.iter().copied()).in_lang(lang))
            }
            Phase::Laying { turned } => {
                let over = Text { en: "turned over, to be laid", de: "aufgedeckt und zu legen" };
                write!(f, "{}: {}", over.get(lang), turned.in_lang(lang))
            }
            Phase::Moving => f.write_str(Text { en: "play or pass", de: "spielen oder passen" }.get(lang)),
        }
    }
}

/// Formats an origin: its unseen cards, and their counts by place without the viewer's own.
fn fmt_origin(origin: &Origin, view: &View, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
    let unseen = origin.cards & view.unseen();
    let own = view.viewer.seat();
    let [draw, hidden] = match lang {
        Lang::En => ["draw pile", "hidden"],
        Lang::De => ["Nachziehstapel", "versteckt"],
    };
    match (origin.rebuild, lang) {
        (0, Lang::En) => write!(f, "Unseen, dealt")?,
        (0, Lang::De) => write!(f, "Ungesehen, ausgeteilt")?,
        (number, Lang::En) => write!(f, "Unseen, from rebuilt draw pile {number}")?,
        (number, Lang::De) => write!(f, "Ungesehen, aus dem {number}. erneuerten Nachziehstapel")?,
    }
    write!(f, " ({draw} {}, {hidden} {}", origin.draw, origin.hidden.saturating_sub(view.hidden.len()))?;
    for seat in Seat::all(view.players).filter(|seat| Some(*seat) != own) {
        write!(f, ", {} {}", seat.in_lang(lang), origin.in_hands[seat.index()])?;
    }
    writeln!(f, "): {}", unseen.in_lang(lang))
}

impl Localise for View {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        let words = match lang {
            Lang::En => [
                "seen by",
                "Round",
                "turn",
                "Piles",
                "under them",
                "Draw pile",
                "cards",
                "total",
                "Hand",
                "Hidden",
            ],
            Lang::De => [
                "gesehen von",
                "Runde",
                "Zug",
                "Stapel",
                "darunter",
                "Nachziehstapel",
                "Karten",
                "gesamt",
                "Hand",
                "Versteckt",
            ],
        };
        let [seen_by, round, turn, piles, under, draw, cards, total, hand, hidden] = words;
        writeln!(f, "Habe fertig, {seen_by} {}", self.viewer.in_lang(lang))?;
        match self.outcome {
            Some(outcome) => writeln!(f, "{}", outcome.in_lang(lang))?,
            None => {
                write!(f, "{round} {}, ", u32::from(self.round) + 1)?;
                if !matches!(self.phase, Phase::Hiding { .. }) {
                    let (number, seat) = (u32::from(self.turns) + 1, self.turn.in_lang(lang));
                    write!(f, "{turn} {number}, {seat}: ")?;
                }
                writeln!(f, "{}", self.phase.in_lang(lang))?;
            }
        }
        writeln!(
            f,
            "{piles}: {}; {under}: {}. {draw}: {}",
            List(self.tops.into_iter().flatten()).in_lang(lang),
            self.buried.in_lang(lang),
            self.draw
        )?;
        for seat in Seat::all(self.players) {
            let (size, points) = (self.hand_sizes[seat.index()], self.totals[seat.index()]);
            writeln!(f, "{}: {size} {cards}, {total} {points}", seat.in_lang(lang))?;
        }
        if self.viewer != Viewer::Spectator {
            writeln!(f, "{hand}: {}. {hidden}: {}", self.hand.in_lang(lang), self.hidden.in_lang(lang))?;
        }
        match self.shown {
            Some(shown) => writeln!(f, "{}", shown.in_lang(lang)),
            None => self.origins.iter().try_for_each(|origin| fmt_origin(origin, self, lang, f)),
        }
    }
}
