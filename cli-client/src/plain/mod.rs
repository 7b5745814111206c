//! Line mode: the same table in sentences, for pipes, screen readers and terminals that cannot draw.

#[cfg(test)]
mod tests;

use std::time::Duration;

use parlor_engine::Say;
use ratatui::text::Line;

use crate::lang::words;
use crate::screen::{Ink, Room, Shown, fit, number, rules};
use crate::table::{Incoming, Intent, Situation};

/// So many moves are listed without being asked for.
const FEW: usize = 40;

/// How wide pictures are.
const WIDTH: u16 = 78;

/// How high pictures are that fill the room they are given.
const HEIGHT: u16 = 24;

/// A table in lines: what comes in gives lines to print, and a line that is typed gives lines and what is wanted.
pub struct Plain {
    situation: Situation,
    ink: Ink,
    labels: Vec<String>,
    asked: Option<u32>,
}

impl Plain {
    /// Before anything is known.
    #[must_use]
    pub fn new(lang: parlor_engine::Lang) -> Plain {
        let ink = Ink { lang, colours: false };
        Plain { situation: Situation::new(lang), ink, labels: Vec::new(), asked: None }
    }

    /// All that is known.
    #[must_use]
    pub fn situation(&self) -> &Situation {
        &self.situation
    }

    /// Whether nothing more will happen.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.situation.closed || self.situation.result().is_some()
    }

    /// Whether there is something to decide that was not answered yet.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.situation.decision.is_some() && self.situation.sent.is_none()
    }

    /// Lets time pass on the clocks.
    pub fn pass_time(&mut self, elapsed: Duration) {
        self.situation.pass_time(elapsed);
    }

    /// Takes in what came from the table, and says what to print.
    pub fn take(&mut self, incoming: Incoming) -> Vec<String> {
        let lang = self.ink.lang;
        let (was_connected, was_over) = (self.situation.connected, self.is_over());
        let first = matches!(incoming, Incoming::Snapshot(_));
        let notes = self.situation.take(incoming);
        let mut lines: Vec<String> = notes.into_iter().map(|note| note.text).collect();
        if first {
            lines.extend(self.seats());
            // A player gets to see the table with each question.
            if self.situation.viewer.seat().is_none() {
                lines.extend(self.table());
            }
        }
        match (was_connected, self.situation.connected) {
            (true, false) => lines.push(words::LOST.get(lang).to_owned()),
            (false, true) => lines.push(words::PLAIN_BACK.get(lang).to_owned()),
            _ => {}
        }
        let now = self.situation.decision.as_ref().map(|asked| asked.id);
        if now.is_some() && now != self.asked {
            lines.extend(self.ask());
        }
        // A decision that is open again after a snapshot is the same one: it is not asked twice.
        self.asked = now.or(self.asked);
        if !was_over && self.is_over() {
            lines.extend(self.result());
        }
        lines
    }

    /// Takes a line that was typed: lines to print, and what is wanted.
    pub fn line(&mut self, line: &str) -> (Vec<String>, Option<Intent>) {
        let lang = self.ink.lang;
        let text = |text: parlor_engine::Text| vec![text.get(lang).to_owned()];
        match line.trim() {
            "?" | "help" | "hilfe" => (text(words::PLAIN_HELP), None),
            "q" | "quit" | "exit" | "ende" => (text(words::PLAIN_LEFT), Some(Intent::Leave)),
            "table" | "tisch" => ([self.seats(), self.table()].concat(), None),
            "rules" | "regeln" => {
                (self.situation.game().map_or_else(Vec::new, |game| rules(game, lang)), None)
            }
            "" | "moves" | "züge" | "zuege" => (self.moves(), None),
            typed => {
                let (lines, intent) = self.choose(typed);
                if let Some(Intent::Answer { index, .. }) = intent {
                    self.situation.sent = Some(index);
                }
                (lines, intent)
            }
        }
    }

    fn choose(&self, typed: &str) -> (Vec<String>, Option<Intent>) {
        let lang = self.ink.lang;
        let Some(decision) = self.situation.decision.as_ref().filter(|_| self.is_asked()) else {
            return (vec![words::NOT_YOUR_TURN.get(lang).to_owned()], None);
        };
        let play = |index: usize| Some(Intent::Answer { decision: decision.id, index: index as u32 });
        let none = || (vec![words::PLAIN_NONE.get(lang).to_owned()], None);
        if let Some(number) = number(typed) {
            let index = number.checked_sub(1).filter(|index| *index < self.labels.len());
            return index.map_or_else(none, |index| (Vec::new(), play(index)));
        }
        let query = typed.strip_prefix('/').unwrap_or(typed);
        let ranked: Vec<_> = (0..self.labels.len())
            .filter_map(|index| Some((fit(query, &self.labels[index])?, index)))
            .collect();
        let best = ranked.iter().map(|(fit, _)| *fit).min();
        let fitting: Vec<usize> =
            ranked.iter().filter(|(fit, _)| Some(*fit) == best).map(|(_, index)| *index).collect();
        match fitting[..] {
            [] => none(),
            [only] => (Vec::new(), play(only)),
            _ => {
                let mut lines = vec![words::PLAIN_AMBIGUOUS.get(lang).to_owned()];
                lines.extend(fitting.into_iter().map(|index| self.numbered(index)));
                (lines, None)
            }
        }
    }

    /// What there is to decide, with all that is needed for it.
    fn ask(&mut self) -> Vec<String> {
        let lang = self.ink.lang;
        let (Some(view), Some(decision)) = (&self.situation.view, &self.situation.decision) else {
            return Vec::new();
        };
        self.labels = Shown(view).labels(&decision.legal, lang);
        let mut lines = self.table();
        if decision.secret {
            lines.push(words::SECRET.get(lang).to_owned());
        }
        let time = decision.time_left.map_or_else(String::new, |left| format!(" ({})", left.short()));
        lines.push(format!("{}{time}", Shown(view).question(lang)));
        if self.labels.len() <= FEW {
            lines.extend(self.moves());
        } else {
            lines.push(words::many_moves(self.labels.len(), lang));
        }
        lines.push(words::PLAIN_PROMPT.get(lang).to_owned());
        lines
    }

    fn moves(&self) -> Vec<String> {
        if self.situation.decision.is_none() {
            return vec![words::NOT_YOUR_TURN.get(self.ink.lang).to_owned()];
        }
        (0..self.labels.len()).map(|index| self.numbered(index)).collect()
    }

    fn numbered(&self, index: usize) -> String {
        format!("{:>4} {}", index + 1, self.labels[index])
    }

    /// The table and one's own hand.
    fn table(&self) -> Vec<String> {
        let Some(view) = &self.situation.view else { return Vec::new() };
        let room = Room { width: WIDTH, height: HEIGHT, moved: (0, 0) };
        let mut lines = vec![format!("-- {}", Shown(view).stage(self.ink.lang))];
        let picture = Shown(view).table(None, self.ink, room);
        lines.extend(picture.iter().map(plain).filter(|line| !line.is_empty()));
        let hand: Vec<String> = Shown(view).hand(None, self.ink).iter().map(plain).collect();
        if !hand.is_empty() {
            lines.push(format!("{}: {}", words::HAND.get(self.ink.lang), hand.join("  ")));
        }
        lines
    }

    /// Who sits where, with cards and points.
    fn seats(&self) -> Vec<String> {
        let lang = self.ink.lang;
        let Some(table) = &self.situation.table else { return Vec::new() };
        let options = table.options.in_lang(lang);
        let name = table.game.info().name.get(lang);
        let mut lines = vec![format!("{name} ({options}), {}", words::table_id(&table.id, lang))];
        if table.seed_given {
            lines.push(words::SEED_GIVEN.get(lang).to_owned());
        }
        for seat in parlor_engine::Seat::all(table.players()) {
            let mut line = format!("{}: {}", seat.in_lang(lang), table.name(seat, lang));
            if self.situation.viewer.is(seat) {
                line = format!("{line} {}", words::YOU.get(lang));
            }
            if self.situation.is_away(seat) {
                line = format!("{line} {}", words::AWAY.get(lang));
            }
            if let Some(view) = &self.situation.view {
                let (cards, points) = (Shown(view).cards(seat), Shown(view).points(seat));
                let [cards_word, points_word] = [words::CARDS, words::POINTS].map(|word| word.get(lang));
                line = format!("{line}, {cards_word} {cards}, {points_word} {points}");
                if let Some(mark) = Shown(view).mark(seat, lang) {
                    line = format!("{line}, {mark}");
                }
            }
            lines.push(line);
        }
        if self.situation.view.is_none() && table.result.is_none() {
            lines.push(words::WAITING_FOR_PLAYERS.get(lang).to_owned());
        }
        lines
    }

    fn result(&self) -> Vec<String> {
        let lang = self.ink.lang;
        let Some(result) = self.situation.result() else {
            return vec![words::CLOSED.get(lang).to_owned()];
        };
        let mut seats = result.seats.clone();
        seats.sort_by_key(|score| (score.place, score.seat));
        let line = |score: crate::table::SeatScore| {
            let name = self.situation.name(score.seat);
            let how = words::finish(score.finish).get(lang);
            let clocks = words::clocks_run_out(score.clocks_run_out, lang);
            let (place, points) = (words::PLACE.get(lang), words::POINTS.get(lang));
            let seat = score.seat.in_lang(lang);
            format!("{place} {}: {name} ({seat}), {points} {}, {how}{clocks}", score.place, score.points)
        };
        seats.into_iter().map(line).collect()
    }
}

/// A drawn line without its colours and the blanks at its end.
fn plain(line: &Line<'_>) -> String {
    let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
    text.trim_end().to_owned()
}
