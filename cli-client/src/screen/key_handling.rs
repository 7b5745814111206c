//! Keys: overlays, panes, the log, the choice of a move, and the intents that follow.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::renderer::PlaceStep;
use super::{MAX_TABLE_OFFSET, Overlay, Pane, Screen, help};
use crate::lang::words;
use crate::table::Intent;

impl Screen {
    /// Handles a key, and returns the resulting intent.
    pub fn handle_key(&mut self, key: KeyEvent) -> Option<Intent> {
        if key.kind == KeyEventKind::Release {
            return None;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && matches!(key.code, KeyCode::Char('c' | 'C')) {
            self.ctrl_c_pressed = true;
            return Some(Intent::Leave);
        }
        if control || key.modifiers.contains(KeyModifiers::ALT) {
            return None;
        }
        self.warning = None;
        if self.overlay.is_none() && (self.round.is_some() || self.pacer.is_waiting()) {
            if self.round.take().is_some() {
                self.pacer.end_pause();
                self.show_due();
            } else if self.state.viewer.seat().is_some() {
                self.pacer.skip();
                self.show_due();
            } else {
                self.show_waiting();
            }
            if !matches!(key.code, KeyCode::Char('?' | 'q' | 'Q') | KeyCode::Tab) {
                return None;
            }
        }
        match self.overlay {
            Some(Overlay::Help(line)) => {
                self.overlay = help::scroll(key.code, line).map(Overlay::Help);
                return None;
            }
            Some(Overlay::Leaving) => {
                self.overlay = None;
                let sure = matches!(key.code, KeyCode::Char('q' | 'Q') | KeyCode::Enter);
                return sure.then_some(Intent::Leave);
            }
            None => {}
        }
        match key.code {
            KeyCode::Char('?') => self.overlay = Some(Overlay::Help(0)),
            KeyCode::Char('q' | 'Q') if self.choice.query().is_empty() => return self.leave(),
            KeyCode::Tab => self.next_pane(),
            KeyCode::Char('<') => self.scroll_log(KeyCode::Up),
            KeyCode::Char('>') => self.scroll_log(KeyCode::Down),
            KeyCode::Char('r' | 'R') if self.can_rematch() => return Some(Intent::Rematch),
            KeyCode::Enter if self.is_over() => return Some(Intent::Leave),
            KeyCode::Enter => return self.answer(),
            code => self.handle_navigation(code, key.modifiers),
        }
        None
    }

    /// Leaves at once if no game is in progress for the viewer; otherwise asks for confirmation.
    fn leave(&mut self) -> Option<Intent> {
        let plays = self.state.viewer.seat().is_some() && self.state.view.is_some();
        if plays && !self.is_over() {
            self.overlay = Some(Overlay::Leaving);
            return None;
        }
        Some(Intent::Leave)
    }

    /// Reports whether the viewer has played a game that is over, and can ask for another.
    pub(super) fn can_rematch(&self) -> bool {
        self.state.viewer.seat().is_some() && self.state.result().is_some() && self.step.is_none()
    }

    fn next_pane(&mut self) {
        self.pane = match self.pane {
            Pane::All => Pane::Table,
            Pane::Table => Pane::Log,
            Pane::Log => Pane::All,
        };
        self.log_offset = 0;
        self.table_offset = (0, 0);
    }

    /// Answers with the selected action, once.
    fn answer(&mut self) -> Option<Intent> {
        let lang = self.lang();
        let Some(decision) = &self.state.decision else {
            self.warning = Some(words::NOT_YOUR_TURN.get(lang).to_owned());
            return None;
        };
        if self.state.sent.is_some() {
            return None;
        }
        if !self.state.connected {
            self.warning = Some(words::NOT_SENT.get(lang).to_owned());
            return None;
        }
        let Some(index) = self.choice.selected_index(self.state.legal()) else {
            // The rule that it breaks is shown already.
            if self.why_not().is_none() {
                self.warning = Some(words::NO_MATCHING_MOVE.get(lang).to_owned());
            }
            return None;
        };
        let index = index as u32;
        let intent = Intent::Answer { decision: decision.id, index };
        self.state.sent = Some(index);
        self.log_offset = 0;
        Some(intent)
    }

    /// The rule that what the viewer looks for would break.
    pub(super) fn why_not(&self) -> Option<String> {
        let view = self.state.view.as_ref()?;
        self.choice.why_not(view, self.state.legal(), self.lang(), &self.state.names())
    }

    /// Arrows move the enlarged table, the log or the card to be laid; otherwise they select a card and a move, as typed text
    /// does.
    fn handle_navigation(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        let arrow = match code {
            KeyCode::Left => Some((-1, 0)),
            KeyCode::Right => Some((1, 0)),
            KeyCode::Up => Some((0, -1)),
            KeyCode::Down => Some((0, 1)),
            _ => None,
        };
        let sideways = matches!(code, KeyCode::Left | KeyCode::Right);
        let shift = modifiers.contains(KeyModifiers::SHIFT);
        match (self.pane, arrow) {
            (Pane::Log, _) if is_scroll_key(code) => self.scroll_log(code),
            (_, Some(way)) if shift => self.move_table(way),
            (_, Some((x, y))) if self.choice.is_placing() => self.place(PlaceStep::Move(x, y)),
            (_, None) if self.choice.is_placing() && code == KeyCode::Char(' ') => {
                self.place(PlaceStep::Turn);
            }
            (Pane::Table, Some(way)) => self.move_table(way),
            (_, Some((x, _))) if sideways => self.choice.next_card(x.is_positive()),
            _ => {
                let before = self.selected_action().copied();
                let view = self.state.view.as_ref();
                let legal = self.state.decision.as_ref().map_or(&[][..], |asked| &asked.legal);
                self.choice.handle_key(code, self.visible_moves, view, legal);
                if self.selected_action().copied() != before {
                    self.table_offset = (0, 0);
                }
            }
        }
    }

    fn place(&mut self, step: PlaceStep) {
        if let Some(view) = &self.state.view {
            self.choice.place(view, step);
            self.table_offset = (0, 0);
        }
    }

    fn move_table(&mut self, (x, y): (i16, i16)) {
        let (to_x, to_y) = (self.table_offset.0 + 2 * x, self.table_offset.1 + 2 * y);
        self.table_offset = (
            to_x.clamp(-MAX_TABLE_OFFSET, MAX_TABLE_OFFSET),
            to_y.clamp(-MAX_TABLE_OFFSET, MAX_TABLE_OFFSET),
        );
    }

    fn scroll_log(&mut self, code: KeyCode) {
        let max_offset = self.log.len();
        self.log_offset = match code {
            KeyCode::Up => self.log_offset + 1,
            KeyCode::Down => self.log_offset.saturating_sub(1),
            KeyCode::PageUp => self.log_offset + 10,
            KeyCode::PageDown => self.log_offset.saturating_sub(10),
            KeyCode::Home => max_offset,
            KeyCode::End => 0,
            _ => return,
        }
        .min(max_offset);
    }
}

fn is_scroll_key(code: KeyCode) -> bool {
    use KeyCode::{Down, End, Home, PageDown, PageUp, Up};
    matches!(code, Up | Down | PageUp | PageDown | Home | End)
}
