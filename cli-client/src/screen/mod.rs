//! The playing screen: a model that handles keys and is drawn into a frame, independent of server and
//! terminal.
//!
//! One file per game implements [`GameRenderer`]; the rest is common to all games.

mod draw;
mod five_three_five;
mod gap;
mod habe_fertig;
mod help;
mod high_card;
mod no_dice;
mod panes;
mod picker;
mod renderer;
mod replay;
mod style;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use parlor_engine::{AnyAction, Lang};

pub use renderer::{GameRenderer, Viewport};
pub use replay::{Replay, Step};
pub use style::{Palette, Theme};

use crate::lang::words;
use crate::table::{Intent, LogEntry, LogEntryKind, TableMessage, ViewerState};
pub(crate) use help::rules;
use picker::Picker;
pub(crate) use picker::{match_query, move_number, parse_move_number};
pub(crate) use renderer::ViewRenderer;

/// Maximum number of log entries kept.
const MAX_LOG_ENTRIES: usize = 2000;

/// Maximum offset of the table, in half segments.
const MAX_TABLE_OFFSET: i16 = 200;

/// Pane layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pane {
    /// All panes.
    All,
    /// Enlarged table.
    Table,
    /// Full-screen log.
    Log,
}

/// Overlay in front of the panes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Overlay {
    /// Help, from this line on.
    Help(usize),
    /// Confirmation before leaving.
    Leaving,
}

/// Screen of one player or spectator.
pub struct Screen {
    state: ViewerState,
    theme: Theme,
    picker: Picker,
    log: VecDeque<LogEntry>,
    warning: Option<String>,
    pane: Pane,
    overlay: Option<Overlay>,
    /// Offset of the table, set by the arrow keys.
    table_offset: (i16, i16),
    /// Number of log entries scrolled back.
    log_offset: usize,
    /// Number of moves that fitted when the screen was last drawn; the page size of the list.
    visible_moves: usize,
    /// In a replay: the current step and the number of steps.
    step: Option<(usize, usize)>,
    /// Set after Ctrl-C.
    ctrl_c_pressed: bool,
}

impl Screen {
    /// Creates a screen without any table data.
    #[must_use]
    pub fn new(theme: Theme) -> Screen {
        Screen {
            state: ViewerState::new(theme.lang),
            theme,
            picker: Picker::default(),
            log: VecDeque::new(),
            warning: None,
            pane: Pane::All,
            overlay: None,
            table_offset: (0, 0),
            log_offset: 0,
            visible_moves: 1,
            step: None,
            ctrl_c_pressed: false,
        }
    }

    /// The viewer's state.
    #[must_use]
    pub fn state(&self) -> &ViewerState {
        &self.state
    }

    /// Reports whether the viewer left by Ctrl-C, which determines the exit code.
    #[must_use]
    pub fn left_by_ctrl_c(&self) -> bool {
        self.ctrl_c_pressed
    }

    /// The action that Enter would play.
    #[must_use]
    pub fn selected_action(&self) -> Option<&AnyAction> {
        self.state.legal().get(self.picker.selected()?)
    }

    fn lang(&self) -> Lang {
        self.theme.lang
    }

    /// Applies a message.
    pub fn apply(&mut self, message: TableMessage) {
        let before = self.state.decision.as_ref().map(|asked| asked.id);
        let is_decision = matches!(message, TableMessage::Decision(_));
        for entry in self.state.apply(message) {
            if entry.kind == LogEntryKind::Warning {
                self.warning = Some(entry.text.clone());
            }
            self.log.push_back(entry);
        }
        while self.log.len() > MAX_LOG_ENTRIES {
            self.log.pop_front();
        }
        let now = self.state.decision.as_ref().map(|asked| asked.id);
        if is_decision && (now != before || self.picker.len() != self.state.legal().len()) {
            let labels = match &self.state.view {
                Some(view) => {
                    ViewRenderer(view).action_labels(self.state.legal(), self.lang(), &self.state.names())
                }
                None => Vec::new(),
            };
            self.picker = Picker::new(labels);
            self.table_offset = (0, 0);
            if self.overlay == Some(Overlay::Leaving) {
                self.overlay = None;
            }
        }
        if now.is_none() {
            self.picker = Picker::default();
        }
    }

    /// Advances the running clocks.
    pub fn advance_time(&mut self, elapsed: Duration) {
        self.state.advance_time(elapsed);
    }

    /// Reports whether the table is over or the stream closed.
    fn is_over(&self) -> bool {
        self.state.closed || self.state.result().is_some()
    }

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
            KeyCode::Char('q' | 'Q') if self.picker.query().is_empty() => return self.leave(),
            KeyCode::Tab => self.next_pane(),
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
        if self.state.sent.is_some() || !self.state.connected {
            return None;
        }
        let Some(index) = self.picker.selected() else {
            self.warning = Some(words::NO_MATCHING_MOVE.get(lang).to_owned());
            return None;
        };
        let index = index as u32;
        let intent = Intent::Answer { decision: decision.id, index };
        self.state.sent = Some(index);
        Some(intent)
    }

    /// Arrows move the enlarged table or the log; otherwise they select a move, as typed text does.
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
            (Pane::Log, _) if self.scroll_log(code) => {}
            (Pane::Table, Some(way)) => self.move_table(way),
            (_, Some(way)) if sideways || shift => self.move_table(way),
            _ => {
                let before = self.picker.selected();
                self.picker.handle_key(code, self.visible_moves);
                if self.picker.selected() != before {
                    self.table_offset = (0, 0);
                }
            }
        }
    }

    fn move_table(&mut self, (x, y): (i16, i16)) {
        let (to_x, to_y) = (self.table_offset.0 + 2 * x, self.table_offset.1 + 2 * y);
        self.table_offset = (
            to_x.clamp(-MAX_TABLE_OFFSET, MAX_TABLE_OFFSET),
            to_y.clamp(-MAX_TABLE_OFFSET, MAX_TABLE_OFFSET),
        );
    }

    /// Scrolls the log. Returns `false` if the key is not a scroll key.
    fn scroll_log(&mut self, code: KeyCode) -> bool {
        let max_offset = self.log.len();
        self.log_offset = match code {
            KeyCode::Up => self.log_offset + 1,
            KeyCode::Down => self.log_offset.saturating_sub(1),
            KeyCode::PageUp => self.log_offset + 10,
            KeyCode::PageDown => self.log_offset.saturating_sub(10),
            KeyCode::Home => max_offset,
            KeyCode::End => 0,
            _ => return false,
        }
        .min(max_offset);
        true
    }
}
