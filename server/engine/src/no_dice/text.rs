//! Localised text of No Dice.

use std::fmt::{self, Formatter, Write};

use super::{Action, Card, Decision, Event, Hand, Options, Placement, PlayOrder, PlayingCard, Segment, View};
use crate::text::{Lang, List, Localise, Text, display_in_english};
use crate::{Seat, Seats};

display_in_english!(Card, PlayingCard, Hand, Options, PlayOrder, Placement, Action, Decision, Event, View);

/// A constant text.
const fn text(en: &'static str, de: &'static str) -> Text {
    Text { en, de }
}

impl Localise for PlayingCard {
    fn fmt_in(&self, _: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}|{}", self.lower(), self.higher())
    }
}

impl Localise for Card {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Card::Playing(card) => card.fmt_in(lang, f),
            Card::Switch => f.write_str("SWITCH"),
            Card::Pass => f.write_str("PASS"),
            Card::X2 => f.write_str("X2"),
            Card::Swap => f.write_str("SWAP"),
        }
    }
}

impl Localise for Hand {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        List(self.into_iter()).fmt_in(lang, f)
    }
}

impl Localise for Options {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        text("no options", "keine Optionen").fmt_in(lang, f)
    }
}

impl Localise for PlayOrder {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            PlayOrder::Clockwise => text("to the left", "nach links"),
            PlayOrder::Anticlockwise => text("to the right", "nach rechts"),
        }
        .fmt_in(lang, f)
    }
}

impl Localise for Placement {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        let ((x, y), (to_x, to_y)) = (self.lower(), self.higher());
        let (card, lower, higher) = (self.card(), self.card().lower(), self.card().higher());
        match (card.is_double(), lang) {
            (true, Lang::En) => write!(f, "{card} at ({x}, {y}) and ({to_x}, {to_y})"),
            (true, Lang::De) => write!(f, "{card} bei ({x}, {y}) und ({to_x}, {to_y})"),
            (false, Lang::En) => {
                write!(f, "{card} with its {lower} at ({x}, {y}) and its {higher} at ({to_x}, {to_y})")
            }
            (false, Lang::De) => {
                write!(f, "{card} mit der {lower} bei ({x}, {y}) und der {higher} bei ({to_x}, {to_y})")
            }
        }
    }
}

impl Localise for Action {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        match (self, lang) {
            (Action::Lay(placement), _) => placement.fmt_in(lang, f),
            (Action::Switch, _) => Card::Switch.fmt_in(lang, f),
            (Action::PassCard, _) => Card::Pass.fmt_in(lang, f),
            (Action::X2, _) => Card::X2.fmt_in(lang, f),
            (Action::Swap(seat), Lang::En) => write!(f, "SWAP with {}", seat.in_lang(lang)),
            (Action::Swap(seat), Lang::De) => write!(f, "SWAP mit {}", seat.in_lang(lang)),
            (Action::Pass, _) => text("pass", "passen").fmt_in(lang, f),
            (Action::Decline, _) => text("decline", "verzichten").fmt_in(lang, f),
        }
    }
}

impl Localise for Decision {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Decision::Turn => text("It is your turn.", "Du bist am Zug."),
            Decision::Window => text(
                "You are asked whether you play PASS now.",
                "Du wirst gefragt, ob du jetzt PASS spielst.",
            ),
        }
        .fmt_in(lang, f)
    }
}

impl Localise for Event {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        match lang {
            Lang::En => self.in_english(f),
            Lang::De => self.in_german(f),
        }
    }
}

impl Event {
    fn in_english(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Event::Dealt { hand } => write!(f, "Your hand: {hand}."),
            Event::NextUp { seat } => write!(f, "Seat {seat} is next."),
            Event::YourTurn => f.write_str("It is your turn."),
            Event::Asked => f.write_str("Do you play PASS now, to skip this turn?"),
            Event::Declined => f.write_str("You declined."),
            Event::SaidYes => f.write_str("You said that you play PASS."),
            Event::Laid { seat, placement, points, doubled } => {
                let doubled = if doubled { ", doubled" } else { "" };
                write!(f, "Seat {seat} lays {placement} and scores {points}{doubled}.")
            }
            Event::Switched { seat } => {
                write!(f, "Seat {seat} plays SWITCH: play goes the other way round.")
            }
            Event::Skipped { by, seat, out_of_turn: true } => {
                write!(f, "Seat {by} plays PASS out of turn and skips seat {seat}.")
            }
            Event::Skipped { by, seat, .. } => write!(f, "Seat {by} plays PASS and skips seat {seat}."),
            Event::PlayedX2 { seat } => write!(f, "Seat {seat} plays X2."),
            Event::Swapped { seat, with } => {
                write!(f, "Seat {seat} plays SWAP and trades hands with seat {with}.")
            }
            Event::Got { hand } => write!(f, "You got this hand: {hand}."),
            Event::Passed { seat, by_itself: true } => write!(f, "Seat {seat} has no cards left and passes."),
            Event::Passed { seat, .. } => write!(f, "Seat {seat} passes."),
            Event::Drew { cards } => write!(f, "You draw {cards}."),
            Event::OtherDrew { seat, count: 1 } => write!(f, "Seat {seat} draws a card."),
            Event::OtherDrew { seat, count } => write!(f, "Seat {seat} draws {count} cards."),
            Event::Ended { outcome } => write!(f, "{outcome}"),
        }
    }

    fn in_german(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let de = Lang::De;
        match *self {
            Event::Dealt { hand } => write!(f, "Deine Hand: {}.", hand.in_lang(de)),
            Event::NextUp { seat } => write!(f, "Sitz {seat} ist an der Reihe."),
            Event::YourTurn => f.write_str("Du bist am Zug."),
            Event::Asked => f.write_str("Spielst du jetzt PASS, damit dieser Zug ausfällt?"),
            Event::Declined => f.write_str("Du hast verzichtet."),
            Event::SaidYes => f.write_str("Du hast gesagt, dass du PASS spielst."),
            Event::Laid { seat, placement, points, doubled } => {
                let doubled = if doubled { ", verdoppelt" } else { "" };
                let placement = placement.in_lang(de);
                let word = if points == 1 { "Punkt" } else { "Punkte" };
                write!(f, "Sitz {seat} legt {placement}: {points} {word}{doubled}.")
            }
            Event::Switched { seat } => {
                write!(f, "Sitz {seat} spielt SWITCH: Es geht andersherum weiter.")
            }
            Event::Skipped { by, seat, out_of_turn: true } => {
                write!(f, "Sitz {by} spielt PASS außer der Reihe und lässt Sitz {seat} aussetzen.")
            }
            Event::Skipped { by, seat, .. } => {
                write!(f, "Sitz {by} spielt PASS und lässt Sitz {seat} aussetzen.")
            }
            Event::PlayedX2 { seat } => write!(f, "Sitz {seat} spielt X2."),
            Event::Swapped { seat, with } => {
                write!(f, "Sitz {seat} spielt SWAP und tauscht die Hand mit Sitz {with}.")
            }
            Event::Got { hand } => write!(f, "Du hast diese Hand bekommen: {}.", hand.in_lang(de)),
            Event::Passed { seat, by_itself: true } => {
                write!(f, "Sitz {seat} hat keine Karten mehr und passt.")
            }
            Event::Passed { seat, .. } => write!(f, "Sitz {seat} passt."),
            Event::Drew { cards } => write!(f, "Du ziehst {}.", cards.in_lang(de)),
            Event::OtherDrew { seat, count: 1 } => write!(f, "Sitz {seat} zieht eine Karte."),
            Event::OtherDrew { seat, count } => write!(f, "Sitz {seat} zieht {count} Karten."),
            Event::Ended { outcome } => outcome.fmt_in(de, f),
        }
    }
}

impl Localise for View {
    fn fmt_in(&self, lang: Lang, f: &mut Formatter<'_>) -> fmt::Result {
        let words = match lang {
            Lang::En => [
                "seen by",
                "Next",
                "play goes",
                "Draw pile",
                "played",
                "cards",
                "points",
                "x2 waits",
                "has passed",
                "known",
                "Hand",
                "You said yes to PASS.",
                "Every window lasts equally long.",
            ],
            Lang::De => [
                "gesehen von",
                "An der Reihe",
                "es geht",
                "Nachziehstapel",
                "gespielt",
                "Karten",
                "Punkte",
                "x2 wartet",
                "hat gepasst",
                "bekannt",
                "Hand",
                "Du hast Ja zu PASS gesagt.",
                "Jedes Fenster dauert gleich lange.",
            ],
        };
        let [seen_by, next, goes, pile, played, cards, points, x2, passed, known, hand, said_yes, held] =
            words;
        writeln!(f, "No Dice, {seen_by} {}", self.viewer.in_lang(lang))?;
        match self.outcome {
            Some(outcome) => writeln!(f, "{}", outcome.in_lang(lang))?,
            None => writeln!(f, "{next}: {}, {goes} {}", self.turn.in_lang(lang), self.order.in_lang(lang))?,
        }
        draw(&self.visible(), f)?;
        writeln!(f, "{pile}: {}, {played}: {}", self.draw_pile, self.played.in_lang(lang))?;
        for seat in Seat::all(self.players) {
            let i = seat.index();
            let (size, score) = (self.hand_sizes[i], self.scores[i]);
            write!(f, "{}: {size} {cards}, {score} {points}", seat.in_lang(lang))?;
            let marks: [(Seats, &str); 2] = [(self.x2, x2), (self.passed, passed)];
            for (_, mark) in marks.iter().filter(|(seats, _)| seats.contains(seat)) {
                write!(f, ", {mark}")?;
            }
            if !self.known[i].is_empty() {
                write!(f, ", {known} {}", self.known[i].in_lang(lang))?;
            }
            writeln!(f)?;
        }
        if self.viewer.seat().is_some() {
            writeln!(f, "{hand}: {}", self.hand.in_lang(lang))?;
        }
        if let Some(decision) = self.decision {
            writeln!(f, "{}", decision.in_lang(lang))?;
        }
        if self.said_yes {
            writeln!(f, "{said_yes}")?;
        }
        if self.windows_held {
            writeln!(f, "{held}")?;
        }
        Ok(())
    }
}

/// Draws the visible segments, each four characters wide and two lines high, without an edge between the two
/// segments of a card. The last line gives the coordinates of the upper left corner.
fn draw(visible: &[Segment], f: &mut Formatter<'_>) -> fmt::Result {
    let bounds = |edge: fn(&Segment) -> i16| {
        let edges = visible.iter().map(edge);
        edges.clone().min().zip(edges.max())
    };
    let (Some((left, right)), Some((top, bottom))) = (bounds(|s| s.x), bounds(|s| s.y)) else {
        return Ok(());
    };
    let row = vec![' '; 2 * (right - left) as usize + 4];
    let mut rows = vec![row; (bottom - top) as usize + 2];
    for segment in visible {
        let others = visible.iter().filter(|other| other.card == segment.card);
        let is_open = |dx: i16, dy: i16| {
            others.clone().any(|other| (other.x - segment.x, other.y - segment.y) == (dx, dy))
        };
        let edge = |mark: char, dx: i16, dy: i16| if is_open(dx, dy) { ' ' } else { mark };
        let (left_edge, right_edge, lower_edge) = (edge('[', -2, 0), edge(']', 2, 0), edge('_', 0, 2));
        let value = [if segment.value < 10 { ' ' } else { '1' }, char::from(b'0' + segment.value % 10)];
        let (x, y) = (2 * (segment.x - left) as usize, (segment.y - top) as usize);
        rows[y][x..x + 4].copy_from_slice(&[left_edge, value[0], value[1], right_edge]);
        rows[y + 1][x..x + 4].copy_from_slice(&[left_edge, lower_edge, lower_edge, right_edge]);
    }
    for row in rows {
        for (i, mark) in row.iter().enumerate() {
            // Omit trailing blanks.
            if row[i..].iter().all(|mark| *mark == ' ') {
                break;
            }
            f.write_char(*mark)?;
        }
        writeln!(f)?;
    }
    writeln!(f, "({left}, {top})")
}
