//! Layout and drawing of the screen.

use parlor_engine::AnyView;
use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::Modifier;
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph, Wrap};

use super::renderer::{ViewRenderer, Viewport};
use super::style::{Palette, flow};
use super::{Overlay, Pane, Screen, help};
use crate::lang::words;
use crate::text::{truncate, width, wrap};

/// Width that the log keeps beside long moves, in columns.
const MIN_LOG_WIDTH: u16 = 26;

/// Smallest supported terminal: columns, rows.
const MIN_SIZE: (u16, u16) = (80, 24);

impl Screen {
    /// Draws the screen.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let area = frame.area();
        if area.width < MIN_SIZE.0 || area.height < MIN_SIZE.1 {
            let text = words::too_small(area.width, area.height, self.lang());
            frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
            return;
        }
        let [header, body, status, keys] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Fill(1),
            Constraint::Length(2),
            Constraint::Length(1),
        ])
        .areas(area);
        self.draw_header(frame, header);
        if let Some(Overlay::Help(line)) = self.overlay {
            self.draw_help(frame, body.union(status), line);
        } else {
            match self.state.view.clone() {
                Some(view) => self.draw_game(frame, body, &view),
                None => self.draw_seats(frame, body),
            }
            if let Some(summary) = &self.round {
                self.draw_round_summary(frame, body, summary);
            }
            self.draw_status(frame, status);
        }
        let keys_style = self.theme.colour(Palette::Faint);
        frame.render_widget(Paragraph::new(self.key_hints()).style(keys_style), keys);
    }

    /// A bordered block with a title.
    pub(super) fn block(&self, title: impl Into<Line<'static>>) -> Block<'static> {
        Block::bordered().border_style(self.theme.colour(Palette::Faint)).title(title)
    }

    fn draw_header(&self, frame: &mut Frame<'_>, area: Rect) {
        let lang = self.lang();
        let mut left = Vec::new();
        if let Some(table) = &self.state.table {
            left.push(table.game.info().name.get(lang).to_owned());
            left.extend(self.state.view.as_ref().map(|view| ViewRenderer(view).stage(lang)));
            left.push(words::table_id(&table.id, lang));
            if table.seed_given {
                left.push(words::SEED_GIVEN.get(lang).to_owned());
            }
        }
        let right = match (self.step, self.state.closed, self.state.connected) {
            (Some((at, of)), ..) => words::step(at, of, lang),
            (None, ..) if self.state.result().is_some() => words::OVER.get(lang).to_owned(),
            (None, true, _) => words::STREAM_CLOSED.get(lang).to_owned(),
            (None, false, true) => words::CONNECTED.get(lang).to_owned(),
            (None, false, false) => words::RECONNECTING.get(lang).to_owned(),
        };
        let right = format!("{right} ");
        let room = usize::from(area.width).saturating_sub(width(&right) + 2);
        let left = truncate(&format!(" {}", left.join(" · ")), room);
        let style = self.theme.bold(Palette::Cyan).add_modifier(Modifier::REVERSED);
        frame.render_widget(Paragraph::new(left).style(style), area);
        let side = Rect { x: area.right() - width(&right) as u16, width: width(&right) as u16, ..area };
        frame.render_widget(Paragraph::new(right).style(style), side);
    }

    fn draw_help(&mut self, frame: &mut Frame<'_>, area: Rect, line: usize) {
        let block = self.block(words::HELP.get(self.lang()));
        let inside = block.inner(area);
        let keys = if self.step.is_some() { words::replay_keys } else { words::keys };
        let lines = help::lines(keys(self.lang()), self.state.game(), self.theme, inside.width.into());
        // Scrolling stops when the last page is full.
        let first = line.min(lines.len().saturating_sub(inside.height.into()));
        self.overlay = Some(Overlay::Help(first));
        let page: Vec<Line<'_>> = lines.into_iter().skip(first).take(inside.height.into()).collect();
        frame.render_widget(Paragraph::new(page).block(block), area);
    }

    /// Player list before the game starts.
    fn draw_seats(&self, frame: &mut Frame<'_>, area: Rect) {
        let title = words::PLAYERS.get(self.lang());
        let lines = self.state.table.as_ref().map_or_else(Vec::new, |_| self.player_lines(area.width - 2));
        frame.render_widget(Paragraph::new(lines).block(self.block(title)), area);
    }

    fn draw_game(&mut self, frame: &mut Frame<'_>, area: Rect, view: &AnyView) {
        if self.pane == Pane::Log {
            return self.draw_log(frame, area);
        }
        if let Some(views) = &self.all_hands {
            return self.draw_all_hands(frame, area, view, views);
        }
        let side = if area.width < 100 { 38 } else { 44 };
        let over = self.state.result().map(|_| self.result_lines(area.width - 2).len() as u16);
        let mut hand =
            flow(ViewRenderer(view).hand(self.selected_action(), self.theme), usize::from(area.width) - 2);
        if over.is_some() {
            // The result needs the space, and the hand can no longer be played.
            hand.clear();
        }
        let hand_height = if hand.is_empty() { 0 } else { hand.len() as u16 + 2 };
        let room = area.height - hand_height;
        let players = self.state.table.as_ref().map_or(0, |table| u16::from(table.players())) + 3;
        let table_width = area.width - side;
        let table_height = match self.pane {
            Pane::Table => room,
            _ if ViewRenderer(view).fills_viewport() => (room * 3 / 5).max(players),
            _ => self.table_lines(view, table_width - 2, 0).len() as u16 + 2,
        };
        let below = match (self.pane, over) {
            (Pane::Table, _) => 0,
            (_, Some(lines)) => lines + 2,
            (_, None) => 6,
        };
        // A table of many players takes up to two lines from the moves before it loses one of its own.
        let table_height = match over {
            None if !ViewRenderer(view).fills_viewport() => {
                table_height.max(players).min(room - below.saturating_sub(2))
            }
            _ => table_height.max(players).min(room.saturating_sub(below).max(3)),
        };
        let [top, middle, bottom] = Layout::vertical([
            Constraint::Length(table_height),
            Constraint::Length(hand_height),
            Constraint::Fill(1),
        ])
        .areas(area);
        let [table, players] = Layout::horizontal([Constraint::Fill(1), Constraint::Length(side)]).areas(top);
        let lines = self.table_lines(view, table.width - 2, table.height - 2);
        self.draw_whole(frame, table, words::TABLE.get(self.lang()), lines);
        self.draw_whole(frame, players, words::PLAYERS.get(self.lang()), self.player_lines(side - 2));
        if hand_height > 0 {
            let block = self.block(words::HAND.get(self.lang()));
            frame.render_widget(Paragraph::new(hand).block(block), middle);
        }
        if self.pane == Pane::All {
            self.draw_below(frame, bottom);
        }
    }

    /// The table of a replay, and the hands of all players.
    fn draw_all_hands(&self, frame: &mut Frame<'_>, area: Rect, view: &AnyView, views: &[AnyView]) {
        let lang = self.lang();
        let columns = usize::from(area.width) - 2;
        let mut hands = Vec::new();
        for view in views {
            let Some(seat) = view.viewer().seat() else { continue };
            let name = Line::styled(self.state.name(seat), self.theme.bold(Palette::Cyan));
            let pieces = [name].into_iter().chain(ViewRenderer(view).hand(None, self.theme));
            hands.extend(flow(pieces.collect(), columns));
        }
        if hands.is_empty() {
            hands.push(Line::raw(words::NO_HANDS.get(lang)));
        }
        let height = (hands.len() as u16 + 2).min(area.height / 2);
        let [top, bottom] = Layout::vertical([Constraint::Fill(1), Constraint::Length(height)]).areas(area);
        let lines = self.table_lines(view, top.width - 2, top.height - 2);
        self.draw_whole(frame, top, words::TABLE.get(lang), lines);
        self.draw_whole(frame, bottom, words::ALL_HANDS.get(lang), hands);
    }

    /// Draws lines in a block. If not all of them fit, the last line of the block says so.
    fn draw_whole(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        title: &'static str,
        mut lines: Vec<Line<'static>>,
    ) {
        let mut block = self.block(title);
        let rows = usize::from(block.inner(area).height);
        if lines.len() > rows {
            lines.truncate(rows);
            block = block.title_bottom(words::MORE_BELOW.get(self.lang()));
        }
        frame.render_widget(Paragraph::new(lines).block(block), area);
    }

    fn table_lines(&self, view: &AnyView, width: u16, height: u16) -> Vec<Line<'static>> {
        let viewport = Viewport { width, height, offset: self.table_offset };
        ViewRenderer(view).table(self.selected_action(), self.theme, viewport, &self.state.names())
    }

    /// Lower part: the result once there is one, else moves and log.
    fn draw_below(&mut self, frame: &mut Frame<'_>, area: Rect) {
        if self.state.result().is_some() {
            let log_width = if area.width < 100 { 0 } else { area.width - 72 };
            let [result, log] =
                Layout::horizontal([Constraint::Fill(1), Constraint::Length(log_width)]).areas(area);
            let block = self.block(words::RESULT.get(self.lang()));
            let lines = self.result_lines(block.inner(result).width);
            frame.render_widget(Paragraph::new(lines).block(block), result);
            self.draw_log(frame, log);
            return;
        }
        if self.step.is_some() || self.state.viewer.seat().is_none() {
            return self.draw_log(frame, area);
        }
        // The moves get the width that they need, as long as the log can still be read.
        let usual = area.width * 4 / 7;
        let width = usual.max(self.widest_move() + 2).min(area.width.saturating_sub(MIN_LOG_WIDTH));
        let [moves, log] = Layout::horizontal([Constraint::Length(width), Constraint::Fill(1)]).areas(area);
        let block = self.block(self.moves_title());
        let inside = block.inner(moves);
        self.visible_moves = inside.height.into();
        frame.render_widget(Paragraph::new(self.move_lines(inside)).block(block), moves);
        self.draw_log(frame, log);
    }

    fn draw_log(&self, frame: &mut Frame<'_>, area: Rect) {
        let title = words::LOG.get(self.lang());
        let block = match self.log_offset {
            0 => self.block(title),
            newer => self.block(words::newer_entries(title, newer, self.lang())),
        };
        let lines = self.log_lines(block.inner(area));
        frame.render_widget(Paragraph::new(lines).block(block), area);
    }

    /// Status in two lines, most important first.
    fn draw_status(&self, frame: &mut Frame<'_>, area: Rect) {
        let lines = self.status().into_iter().flat_map(|(text, style)| {
            wrap(&text, area.width.into()).into_iter().map(move |line| Line::styled(line, style))
        });
        let lines: Vec<Line<'_>> = lines.take(area.height.into()).collect();
        frame.render_widget(Paragraph::new(lines).alignment(Alignment::Left), area);
    }
}
