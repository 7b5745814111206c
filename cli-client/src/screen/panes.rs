//! Contents of the panes around the table: players, moves, log, result, status.

use parlor_engine::{Seat, Seats};
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::picker::move_number;
use super::renderer::{SeatStatus, ViewRenderer};
use super::style::Palette;
use super::{Overlay, Pane, Screen};
use crate::lang::words;
use crate::table::{LogEntryKind, TimeLeft};
use crate::text::{truncate, width, wrap};

/// Column widths of the player list, right of the names. The last column holds the badge and the time left.
const CARDS: usize = 7;
const POINTS: usize = 5;
const TIME: usize = 8;

impl Screen {
    /// Player list: acting seats, cards, points, time left.
    pub(super) fn player_lines(&self, columns: u16) -> Vec<Line<'static>> {
        let Some(table) = &self.state.table else { return Vec::new() };
        let lang = self.lang();
        let names = usize::from(columns).saturating_sub(CARDS + POINTS + TIME + 2);
        let [cards, points, time] =
            [words::CARDS, words::SHORT_POINTS, words::TIME].map(|word| word.get(lang));
        let head = format!("{:2}{:names$}{cards:>CARDS$}{points:>POINTS$}{time:>TIME$}", "", "");
        let mut lines = Vec::new();
        if self.state.view.is_some() {
            lines.push(Line::styled(head, self.theme.colour(Palette::Faint)));
        }
        let seats = self.state.view.as_ref().map_or_else(Vec::new, |view| ViewRenderer(view).seats());
        for seat in Seat::all(table.players()) {
            lines.push(self.player_line(seat, seats.get(seat.index()), names));
        }
        lines
    }

    /// A line of the player list; the status is `None` before the game starts.
    fn player_line(&self, seat: Seat, status: Option<&SeatStatus>, names: usize) -> Line<'static> {
        let lang = self.lang();
        let forfeited = self
            .state
            .table
            .as_ref()
            .and_then(|table| table.seats.get(seat.index()))
            .is_some_and(|info| info.forfeited.is_some());
        let marks = [
            self.state.viewer.is(seat).then(|| words::YOU.get(lang)),
            forfeited.then(|| words::FORFEITED.get(lang)),
            self.state.is_away(seat).then(|| words::AWAY.get(lang)),
        ];
        let marks: String = marks.into_iter().flatten().map(|mark| format!(" {mark}")).collect();
        let name = truncate(&self.state.name(seat), names.saturating_sub(width(&marks) + 1));
        let acting = status.is_some_and(|status| status.acts);
        let (cards, points) = match status {
            Some(status) => (status.cards.to_string(), status.points.to_string()),
            None => (String::new(), String::new()),
        };
        let time = self.state.time_left(seat).map(TimeLeft::clock_text);
        let view = self.state.view.as_ref();
        let badge = view.and_then(|view| ViewRenderer(view).badge(seat, lang)).map(str::to_owned);
        let time: Vec<String> = badge.into_iter().chain(time).collect();
        let time = time.join(" ");
        let blank = " ".repeat(names.saturating_sub(1 + width(&name) + width(&marks)));
        let style = if acting { self.theme.bold(Palette::Yellow) } else { Style::new() };
        Line::from_iter([
            Span::styled(format!("{}{seat} {name}", if acting { '>' } else { ' ' }), style),
            Span::styled(marks, self.theme.colour(Palette::Faint)),
            Span::styled(format!("{blank}{cards:>CARDS$}{points:>POINTS$}"), style),
            Span::styled(format!("{time:>TIME$}"), style),
        ])
    }

    /// Title of the move list: number of moves, and the search query.
    pub(super) fn moves_title(&self) -> String {
        let title = words::MOVES.get(self.lang());
        let (all, matching, query) = (self.picker.len(), self.picker.matching(), self.picker.query());
        if all == 0 {
            title.to_owned()
        } else if query.is_empty() {
            format!("{title} ({all})")
        } else {
            format!("{title} ({matching}/{all}): {query}_")
        }
    }

    /// The visible moves.
    pub(super) fn move_lines(&self, area: Rect) -> Vec<Line<'static>> {
        let digits = move_number(self.picker.len().saturating_sub(1)).len();
        let selected = self.picker.selected();
        let line = |(place, label): (usize, &str)| {
            let is_selected = selected == Some(place);
            let mark = if is_selected { '>' } else { ' ' };
            let text = truncate(&format!("{mark}{:>digits$} {label}", move_number(place)), area.width.into());
            let style = if is_selected {
                self.theme.bold(Palette::Yellow).add_modifier(Modifier::REVERSED)
            } else {
                Style::new()
            };
            Line::styled(text, style)
        };
        self.picker.page(area.height.into()).map(line).collect()
    }

    /// The log, newest entry last.
    pub(super) fn log_lines(&self, area: Rect) -> Vec<Line<'static>> {
        let (columns, rows) = (usize::from(area.width), usize::from(area.height));
        let offset = if self.pane == Pane::Log { self.log_offset } else { 0 };
        let mut lines: Vec<Line<'static>> = Vec::new();
        // From the newest entry back, until the pane is full.
        for entry in self.log.iter().rev().skip(offset.min(self.log.len().saturating_sub(1))) {
            let style = match entry.kind {
                LogEntryKind::Game => Style::new(),
                LogEntryKind::Table => self.theme.colour(Palette::Cyan),
                LogEntryKind::Warning => self.theme.bold(Palette::Red),
            };
            let pieces = wrap(&entry.text, columns.saturating_sub(2));
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

    /// The result, best place first.
    pub(super) fn result_lines(&self, columns: u16) -> Vec<Line<'static>> {
        let lang = self.lang();
        let Some(result) = self.state.result() else { return Vec::new() };
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let mut lines = vec![Line::styled(result.reason.text().get(lang), bold)];
        if !result.note.is_empty() {
            lines.push(Line::raw(result.note.clone()));
        }
        let mut seats = result.seats.clone();
        seats.sort_by_key(|score| (score.place, score.seat));
        for score in seats {
            let style = match score.place {
                1 => self.theme.bold(Palette::Green),
                _ => Style::new(),
            };
            let pieces = wrap(&self.state.result_text(&score), columns.into());
            lines.extend(pieces.into_iter().map(|piece| Line::styled(piece, style)));
        }
        lines
    }

    /// Status lines, most important first.
    pub(super) fn status(&self) -> Vec<(String, Style)> {
        let lang = self.lang();
        let alarm = self.theme.bold(Palette::Red);
        let prompt = self.theme.bold(Palette::Yellow);
        let plain = Style::new();
        if self.overlay == Some(Overlay::Leaving) {
            return vec![(words::CONFIRM_LEAVE.get(lang).to_owned(), prompt)];
        }
        let state = &self.state;
        let mut status = Vec::new();
        if self.step.is_some() {
            return self.log.back().map(|entry| (entry.text.clone(), plain)).into_iter().collect();
        }
        status.extend(self.warning.clone().map(|warning| (warning, alarm)));
        if state.result().is_some() {
            status.push((words::TABLE_OVER.get(lang).to_owned(), prompt));
            return status;
        }
        if state.closed {
            status.push((words::STREAM_CLOSED.get(lang).to_owned(), alarm));
            return status;
        }
        if !state.connected {
            status.push((words::CONNECTION_LOST.get(lang).to_owned(), alarm));
            return status;
        }
        if state.table.is_none() {
            status.push((words::CONNECTING.get(lang).to_owned(), plain));
            return status;
        }
        let Some(view) = &state.view else {
            status.push((words::WAITING_FOR_PLAYERS.get(lang).to_owned(), plain));
            return status;
        };
        match &state.decision {
            Some(_) if state.sent.is_some() => status.push((words::ANSWER_SENT.get(lang).to_owned(), plain)),
            Some(asked) => {
                if asked.secret {
                    status
                        .push((words::SECRET_DECISION.get(lang).to_owned(), self.theme.bold(Palette::Pink)));
                }
                let time =
                    asked.time_left.map_or_else(String::new, |left| format!(" ({})", left.clock_text()));
                status.push((format!("{}{time}", ViewRenderer(view).question(lang, &state.names())), prompt));
            }
            None => {
                if state.viewer.seat().is_none() {
                    status.push((words::WATCHING.get(lang).to_owned(), plain));
                }
                let seats = ViewRenderer(view).seats();
                let acting: Seats = seats.iter().filter(|one| one.acts).map(|one| one.seat).collect();
                if !acting.is_empty() {
                    status.push((state.text(&words::WaitingFor(acting)), plain));
                }
            }
        }
        status
    }

    /// Hints for the keys that are available now.
    pub(super) fn key_hints(&self) -> &'static str {
        let text = match (self.overlay, self.pane) {
            (Some(Overlay::Help(_)), _) => words::KEYS_HELP,
            _ if self.step.is_some() => words::KEYS_REPLAY,
            _ if self.is_over() => words::KEYS_OVER,
            (_, Pane::Table | Pane::Log) => words::KEYS_LARGE,
            _ if self.state.decision.is_some() => words::KEYS_CHOOSE,
            _ => words::KEYS_WAIT,
        };
        text.get(self.lang())
    }
}
