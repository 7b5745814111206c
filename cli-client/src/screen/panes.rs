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
use crate::table::{EndReason, LogEntryKind, TableResult, TimeLeft};
use crate::text::{truncate, width, wrap};

/// Column widths of the player list, right of the names.
const CARDS: usize = 7;
const POINTS: usize = 5;

impl Screen {
    /// Player list: acting seats, cards, points, time left.
    pub(super) fn player_lines(&self, columns: u16) -> Vec<Line<'static>> {
        let Some(table) = &self.state.table else { return Vec::new() };
        let lang = self.lang();
        let times: Vec<String> = Seat::all(table.players()).map(|seat| self.badge_and_time(seat)).collect();
        let [cards, points, time] =
            [words::CARDS, words::SHORT_POINTS, words::TIME].map(|word| word.get(lang));
        // The last column holds the badge and the time left. It is as wide as it must be, for the sake of the names.
        let time_width = times.iter().map(|time| width(time)).max().unwrap_or(0);
        let (time, time_width) =
            if time_width == 0 { ("", 0) } else { (time, time_width.max(width(time)) + 1) };
        let names = usize::from(columns).saturating_sub(CARDS + POINTS + time_width + 2);
        let head = format!("{:2}{:names$}{cards:>CARDS$}{points:>POINTS$}{time:>time_width$}", "", "");
        let mut lines = Vec::new();
        if self.state.view.is_some() {
            lines.push(Line::styled(head, self.theme.colour(Palette::Faint)));
        }
        let seats = self.state.view.as_ref().map_or_else(Vec::new, |view| ViewRenderer(view).seats());
        for (seat, time) in Seat::all(table.players()).zip(times) {
            let time = format!("{time:>time_width$}");
            lines.push(self.player_line(seat, seats.get(seat.index()), names, time));
        }
        lines
    }

    /// The badge of a seat, and its time left.
    fn badge_and_time(&self, seat: Seat) -> String {
        let badge = self.state.view.as_ref().and_then(|view| ViewRenderer(view).badge(seat, self.lang()));
        let time = self.state.time_left(seat).map(TimeLeft::clock_text);
        let parts: Vec<String> = badge.map(str::to_owned).into_iter().chain(time).collect();
        parts.join(" ")
    }

    /// A line of the player list; the status is `None` before the game starts.
    fn player_line(
        &self,
        seat: Seat,
        status: Option<&SeatStatus>,
        names: usize,
        time: String,
    ) -> Line<'static> {
        let lang = self.lang();
        let forfeited = self
            .state
            .table
            .as_ref()
            .and_then(|table| table.seats.get(seat.index()))
            .is_some_and(|info| info.forfeited.is_some());
        let marks = [
            // Without a name, the viewer is called "You".
            (self.state.viewer.is(seat) && self.state.has_name(seat)).then(|| words::YOU.get(lang)),
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
        let blank = " ".repeat(names.saturating_sub(1 + width(&name) + width(&marks)));
        let style = if acting { self.theme.bold(Palette::Yellow) } else { Style::new() };
        Line::from_iter([
            Span::styled(format!("{}{seat} {name}", if acting { '>' } else { ' ' }), style),
            Span::styled(marks, self.theme.colour(Palette::Faint)),
            Span::styled(format!("{blank}{cards:>CARDS$}{points:>POINTS$}"), style),
            Span::styled(time, style),
        ])
    }

    /// Title of the move list: number of moves, and the card or the search query.
    pub(super) fn moves_title(&self) -> String {
        let title = words::MOVES.get(self.lang());
        let picker = self.choice.picker();
        let (all, matching, query) = (picker.len(), picker.matching(), picker.query());
        let card = self.choice.card().map_or_else(String::new, |card| format!(" {card}"));
        if all == 0 {
            title.to_owned()
        } else if !query.is_empty() {
            format!("{title} ({matching}/{all}):{card} {query}_")
        } else if !card.is_empty() {
            format!("{title} ({matching}/{all}):{card}")
        } else {
            format!("{title} ({all})")
        }
    }

    /// Width of the widest move that is listed.
    pub(super) fn widest_move(&self) -> u16 {
        let picker = self.choice.picker();
        let widest = picker.page(usize::MAX).map(|(_, label)| width(label)).max().unwrap_or(0);
        let number = move_number(picker.len().saturating_sub(1)).len();
        u16::try_from(1 + number + 1 + widest).unwrap_or(u16::MAX)
    }

    /// The visible moves.
    pub(super) fn move_lines(&self, area: Rect) -> Vec<Line<'static>> {
        let picker = self.choice.picker();
        let digits = move_number(picker.len().saturating_sub(1)).len();
        let selected = picker.selected();
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
        picker.page(area.height.into()).map(line).collect()
    }

    /// The log, newest entry last. What came since the viewer's last move is marked.
    pub(super) fn log_lines(&self, area: Rect) -> Vec<Line<'static>> {
        let (columns, rows) = (usize::from(area.width), usize::from(area.height));
        let plays = self.state.viewer.seat().is_some() && self.step.is_none();
        let mut lines: Vec<Line<'static>> = Vec::new();
        // From the newest entry back, until the pane is full.
        let skipped = self.log_offset.min(self.log.len().saturating_sub(1));
        for (age, entry) in self.log.iter().rev().enumerate().skip(skipped) {
            let is_new = plays && age < self.new_entries;
            let style = match entry.kind {
                LogEntryKind::Game => Style::new(),
                LogEntryKind::Table => self.theme.colour(Palette::Cyan),
                LogEntryKind::Warning => self.theme.bold(Palette::Red),
            };
            let pieces = wrap(&entry.text, columns.saturating_sub(2));
            for (place, piece) in pieces.iter().enumerate().rev() {
                let mark = match (place, is_new) {
                    (0, true) => "» ",
                    (0, false) => "- ",
                    _ => "  ",
                };
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
        let Some(result) = self.state.result() else { return Vec::new() };
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let mut lines = vec![Line::styled(self.headline(result), bold)];
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
        if self.step.is_none() {
            let commands = self.next_commands();
            lines.extend(commands.iter().flat_map(|line| wrap(line, columns.into())).map(Line::raw));
        }
        lines
    }

    /// The place of the viewer, and the reason for the end if it was another than the end of the game.
    fn headline(&self, result: &TableResult) -> String {
        let lang = self.lang();
        let own = result.seats.iter().find(|score| self.state.viewer.is(score.seat));
        let place = own.map(|score| words::own_place(score.place, result.seats.len(), lang));
        let reason = Some(result.reason.text().get(lang).to_owned())
            .filter(|_| place.is_none() || result.reason != EndReason::PlayedOut);
        [place, reason].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// The table's id in commands that show and check the game.
    pub(super) fn next_commands(&self) -> Vec<String> {
        let Some(table) = &self.state.table else { return Vec::new() };
        words::next_commands(&table.id, &self.server_flags, self.lang())
    }

    /// Status lines, most important first.
    pub(super) fn status(&self) -> Vec<(String, Style)> {
        let lang = self.lang();
        let alarm = self.theme.bold(Palette::Red);
        let prompt = self.theme.bold(Palette::Yellow);
        let plain = Style::new();
        if self.overlay == Some(Overlay::Leaving) {
            let has_clock = self.state.table.as_ref().is_some_and(|table| table.has_clock);
            let text = if has_clock { words::CONFIRM_LEAVE_CLOCK } else { words::CONFIRM_LEAVE };
            return vec![(text.get(lang).to_owned(), prompt)];
        }
        let state = &self.state;
        let mut status = Vec::new();
        if self.step.is_some() {
            return self.log.back().map(|entry| (entry.text.clone(), plain)).into_iter().collect();
        }
        status.extend(self.warning.clone().map(|warning| (warning, alarm)));
        if state.result().is_some() {
            let text = if self.can_rematch() { words::TABLE_OVER_REMATCH } else { words::TABLE_OVER };
            status.push((text.get(lang).to_owned(), prompt));
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
                if let Some(label) = self.choice.placing_label(view, lang, &state.names()) {
                    status.push(match self.why_not() {
                        Some(why) => (why, alarm),
                        None => (words::place_fits(&label, lang), self.theme.bold(Palette::Green)),
                    });
                    return status;
                }
                status.extend(self.why_not().map(|why| (why, alarm)));
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
                // A player who is not asked waits for others, also if the turn is the player's own: a secret decision may
                // come before it.
                let own = state.viewer.seat().filter(|seat| acting.contains(*seat));
                let others = own.map_or(acting, |seat| acting.without(seat));
                if self.round.is_some() {
                    // The summary says what there is to say.
                } else if own.is_some() && !self.pacer.is_waiting() {
                    status.push((words::NEXT_IN_A_MOMENT.get(lang).to_owned(), plain));
                } else if !others.is_empty() {
                    status.push((state.text(&words::WaitingFor(others)), plain));
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
            (None, _) if self.round.is_some() => words::KEYS_ROUND,
            (None, _) if self.pacer.is_waiting() => words::KEYS_PACED,
            _ if self.is_over() && self.can_rematch() => words::KEYS_OVER_REMATCH,
            _ if self.is_over() => words::KEYS_OVER,
            (None, Pane::All) if self.state.sent.is_some() => words::KEYS_WAIT,
            _ if self.choice.is_placing() => words::KEYS_PLACE,
            (_, Pane::Table | Pane::Log) => words::KEYS_LARGE,
            _ if self.choice.can_place(self.state.view.as_ref(), self.state.legal()) => {
                words::KEYS_CHOOSE_PLACE
            }
            _ if self.choice.has_cards() => words::KEYS_CHOOSE_CARD,
            _ if self.state.decision.is_some() => words::KEYS_CHOOSE,
            _ => words::KEYS_WAIT,
        };
        text.get(self.lang())
    }
}
