//! What stands in the panes around the table: players, moves, what happened, the result, and what matters now.

use parlor_engine::{Say, Seat, Seats};
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::ink::Paint;
use super::picture::Shown;
use super::{Overlay, Pane, Screen};
use crate::lang::words;
use crate::table::{Kind, TimeLeft};
use crate::text::{fit, width, wrap};

/// The columns of the players' table, right of their names; the last one has the time, or what else there is to say.
const CARDS: usize = 7;
const POINTS: usize = 5;
const TIME: usize = 8;

impl Screen {
    /// Who plays: whose turn it is, cards, points, time.
    pub(super) fn player_lines(&self, columns: u16) -> Vec<Line<'static>> {
        let Some(table) = &self.situation.table else { return Vec::new() };
        let lang = self.lang();
        let names = usize::from(columns).saturating_sub(CARDS + POINTS + TIME + 2);
        let [cards, points, time] =
            [words::CARDS, words::SHORT_POINTS, words::TIME].map(|word| word.get(lang));
        let head = format!("{:2}{:names$}{cards:>CARDS$}{points:>POINTS$}{time:>TIME$}", "", "");
        let mut lines = Vec::new();
        if self.situation.view.is_some() {
            lines.push(Line::styled(head, self.ink.paint(Paint::Faint)));
        }
        let waits = self.situation.view.as_ref().map_or(Seats::NONE, |view| Shown(view).turn());
        for seat in Seat::all(table.players()) {
            lines.push(self.player_line(seat, waits.contains(seat), names));
        }
        lines
    }

    fn player_line(&self, seat: Seat, waits: bool, names: usize) -> Line<'static> {
        let lang = self.lang();
        let shown = self.situation.view.as_ref().map(Shown);
        let forfeited = self
            .situation
            .table
            .as_ref()
            .and_then(|table| table.seats.get(seat.index()))
            .is_some_and(|info| info.forfeited.is_some());
        let marks = [
            self.situation.viewer.is(seat).then(|| words::YOU.get(lang)),
            forfeited.then(|| words::OUT.get(lang)),
            self.situation.is_away(seat).then(|| words::AWAY.get(lang)),
        ];
        let marks: String = marks.into_iter().flatten().map(|mark| format!(" {mark}")).collect();
        let name = fit(&self.situation.name(seat), names.saturating_sub(width(&marks) + 1));
        let (cards, points) = match shown {
            Some(shown) => (shown.cards(seat).to_string(), shown.points(seat).to_string()),
            None => (String::new(), String::new()),
        };
        let time = self.situation.time_of(seat).map(TimeLeft::short);
        let mark = shown.and_then(|shown| shown.mark(seat, lang)).map(str::to_owned);
        let time: Vec<String> = mark.into_iter().chain(time).collect();
        let time = time.join(" ");
        let blank = " ".repeat(names.saturating_sub(1 + width(&name) + width(&marks)));
        let style = if waits { self.ink.bold(Paint::Yellow) } else { Style::new() };
        Line::from_iter([
            Span::styled(format!("{}{seat} {name}", if waits { '>' } else { ' ' }), style),
            Span::styled(marks, self.ink.paint(Paint::Faint)),
            Span::styled(format!("{blank}{cards:>CARDS$}{points:>POINTS$}"), style),
            Span::styled(format!("{time:>TIME$}"), style),
        ])
    }

    /// The title of the moves: how many there are, and what was typed to find one.
    pub(super) fn moves_title(&self) -> String {
        let title = words::MOVES.get(self.lang());
        let (all, fitting, query) = (self.picker.len(), self.picker.fitting(), self.picker.query());
        if all == 0 {
            title.to_owned()
        } else if query.is_empty() {
            format!("{title} ({all})")
        } else {
            format!("{title} ({fitting}/{all}): {query}_")
        }
    }

    /// The moves that there is room for.
    pub(super) fn move_lines(&self, area: Rect) -> Vec<Line<'static>> {
        let digits = self.picker.len().to_string().len();
        let chosen = self.picker.chosen();
        let line = |(place, label): (usize, &str)| {
            let is_chosen = chosen == Some(place);
            let mark = if is_chosen { '>' } else { ' ' };
            let text = fit(&format!("{mark}{:>digits$} {label}", place + 1), area.width.into());
            let style = if is_chosen {
                self.ink.bold(Paint::Yellow).add_modifier(Modifier::REVERSED)
            } else {
                Style::new()
            };
            Line::styled(text, style)
        };
        self.picker.page(area.height.into()).map(line).collect()
    }

    /// What happened, the newest last.
    pub(super) fn log_lines(&self, area: Rect) -> Vec<Line<'static>> {
        let (columns, rows) = (usize::from(area.width), usize::from(area.height));
        let scrolled = if self.pane == Pane::Log { self.scrolled } else { 0 };
        let mut lines: Vec<Line<'static>> = Vec::new();
        // From the end on, until there is no more room.
        for note in self.notes.iter().rev().skip(scrolled.min(self.notes.len().saturating_sub(1))) {
            let style = match note.kind {
                Kind::Game => Style::new(),
                Kind::Table => self.ink.paint(Paint::Cyan),
                Kind::Warning => self.ink.bold(Paint::Red),
            };
            let pieces = wrap(&note.text, columns.saturating_sub(2));
            for (place, piece) in pieces.iter().enumerate().rev() {
                let mark = if place == 0 { "- " } else { "  " };
                lines.push(Line::styled(format!("{mark}{piece}"), style));
            }
            if lines.len() >= rows {
                break;
            }
        }
        lines.truncate(rows);
        lines.reverse();
        lines
    }

    /// Who reached what, the best first, and why.
    pub(super) fn result_lines(&self) -> Vec<Line<'static>> {
        let lang = self.lang();
        let Some(result) = self.situation.result() else { return Vec::new() };
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let mut lines = vec![Line::styled(words::ended(result.ended).get(lang), bold)];
        if !result.note.is_empty() {
            lines.push(Line::raw(result.note.clone()));
        }
        let mut seats = result.seats.clone();
        seats.sort_by_key(|score| (score.place, score.seat));
        for score in seats {
            let you = if self.situation.viewer.is(score.seat) { words::YOU.get(lang) } else { "" };
            let name = fit(&self.situation.name(score.seat), 14);
            let how = words::finish(score.finish).get(lang);
            let clocks = words::clocks_run_out(score.clocks_run_out, lang);
            let name = format!("{name} {you}");
            let place = format!("{}. {} ", score.place, score.seat);
            let pad = " ".repeat(20usize.saturating_sub(width(&name)));
            let style = match score.place {
                1 => self.ink.bold(Paint::Green),
                _ => Style::new(),
            };
            let text = format!("{place}{name}{pad}{:>5}  {how}{clocks}", score.points);
            lines.push(Line::styled(text, style));
        }
        lines
    }

    /// What matters now, the most important first.
    pub(super) fn status(&self) -> Vec<(String, Style)> {
        let lang = self.lang();
        let alarm = self.ink.bold(Paint::Red);
        let asks = self.ink.bold(Paint::Yellow);
        let plain = Style::new();
        if self.overlay == Some(Overlay::Leaving) {
            return vec![(words::SURE_TO_LEAVE.get(lang).to_owned(), asks)];
        }
        let situation = &self.situation;
        let mut status = Vec::new();
        if self.step.is_some() {
            return self.notes.back().map(|note| (note.text.clone(), plain)).into_iter().collect();
        }
        status.extend(self.warning.clone().map(|warning| (warning, alarm)));
        if situation.result().is_some() {
            status.push((words::OVER.get(lang).to_owned(), asks));
            return status;
        }
        if situation.closed {
            status.push((words::CLOSED.get(lang).to_owned(), alarm));
            return status;
        }
        if !situation.connected {
            status.push((words::LOST.get(lang).to_owned(), alarm));
            return status;
        }
        if situation.table.is_none() {
            status.push((words::CONNECTING.get(lang).to_owned(), plain));
            return status;
        }
        let Some(view) = &situation.view else {
            status.push((words::WAITING_FOR_PLAYERS.get(lang).to_owned(), plain));
            return status;
        };
        match &situation.decision {
            Some(_) if situation.sent.is_some() => status.push((words::SENT.get(lang).to_owned(), plain)),
            Some(asked) => {
                if asked.secret {
                    status.push((words::SECRET.get(lang).to_owned(), self.ink.bold(Paint::Pink)));
                }
                let time = asked.time_left.map_or_else(String::new, |left| format!(" ({})", left.short()));
                status.push((format!("{}{time}", Shown(view).question(lang)), asks));
            }
            None => {
                if situation.viewer.seat().is_none() {
                    status.push((words::WATCHING.get(lang).to_owned(), plain));
                }
                let names: Vec<String> = Shown(view)
                    .turn()
                    .iter()
                    .map(|seat| format!("{} ({})", situation.name(seat), seat.in_lang(lang)))
                    .collect();
                if !names.is_empty() {
                    status.push((words::waiting_for(&names.join(", "), lang), plain));
                }
            }
        }
        status
    }

    /// What the keys do now.
    pub(super) fn keys(&self) -> &'static str {
        let text = match (self.overlay, self.pane) {
            (Some(Overlay::Help(_)), _) => words::KEYS_HELP,
            _ if self.step.is_some() => words::KEYS_REPLAY,
            _ if self.is_over() => words::KEYS_OVER,
            (_, Pane::Table | Pane::Log) => words::KEYS_LARGE,
            _ if self.situation.decision.is_some() => words::KEYS_CHOOSE,
            _ => words::KEYS_WAIT,
        };
        text.get(self.lang())
    }
}
