//! The playing screen: a model that is drawn into a frame and takes keys, and knows of nothing else.
//!
//! One file a game says what its table looks like ([`Picture`]); everything around it is the same for all games.

mod draw;
mod flush;
mod gap;
mod habe_fertig;
mod help;
mod ink;
mod no_dice;
mod panes;
mod picker;
mod picture;
mod replay;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use parlor_engine::{AnyAction, Lang};

pub use ink::{Ink, Paint};
pub use picture::{Picture, Room};
pub use replay::{Replay, Step};

use crate::lang::words;
use crate::table::{Incoming, Intent, Kind, Note, Situation};
pub(crate) use help::rules;
use picker::Picker;
pub(crate) use picker::{fit, number};
pub(crate) use picture::Shown;

/// So many lines of what happened are kept.
const MOST_NOTES: usize = 2000;

/// So far the table can be moved by hand, in steps of half a segment.
const FARTHEST: i16 = 200;

/// What fills the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pane {
    /// Everything, each in its place.
    All,
    /// The table, as large as can be.
    Table,
    /// All that happened.
    Log,
}

/// What stands in front of everything else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Overlay {
    /// The help, from this line on.
    Help(usize),
    /// The question whether to leave.
    Leaving,
}

/// A screen on which one viewer plays or watches.
pub struct Screen {
    situation: Situation,
    ink: Ink,
    picker: Picker,
    notes: VecDeque<Note>,
    warning: Option<String>,
    pane: Pane,
    overlay: Option<Overlay>,
    /// How far the table was moved by hand.
    moved: (i16, i16),
    /// How many lines the log was scrolled back.
    scrolled: usize,
    /// How many moves there was room for when the screen was last drawn.
    rows: usize,
    /// In a replay, the step that is shown, and how many there are.
    step: Option<(usize, usize)>,
    /// Whether Ctrl-C was pressed.
    interrupted: bool,
}

impl Screen {
    /// A screen before anything is known.
    #[must_use]
    pub fn new(ink: Ink) -> Screen {
        Screen {
            situation: Situation::new(ink.lang),
            ink,
            picker: Picker::default(),
            notes: VecDeque::new(),
            warning: None,
            pane: Pane::All,
            overlay: None,
            moved: (0, 0),
            scrolled: 0,
            rows: 1,
            step: None,
            interrupted: false,
        }
    }

    /// All that is known.
    #[must_use]
    pub fn situation(&self) -> &Situation {
        &self.situation
    }

    /// Whether the viewer left by Ctrl-C, which a shell wants to know.
    #[must_use]
    pub fn was_interrupted(&self) -> bool {
        self.interrupted
    }

    /// The action that Enter would play.
    #[must_use]
    pub fn chosen(&self) -> Option<&AnyAction> {
        self.situation.legal().get(self.picker.chosen()?)
    }

    fn lang(&self) -> Lang {
        self.ink.lang
    }

    /// Takes in what came from the table.
    pub fn take(&mut self, incoming: Incoming) {
        let before = self.situation.decision.as_ref().map(|asked| asked.id);
        let asks = matches!(incoming, Incoming::Decision(_));
        for note in self.situation.take(incoming) {
            if note.kind == Kind::Warning {
                self.warning = Some(note.text.clone());
            }
            self.notes.push_back(note);
        }
        while self.notes.len() > MOST_NOTES {
            self.notes.pop_front();
        }
        let now = self.situation.decision.as_ref().map(|asked| asked.id);
        if asks && (now != before || self.picker.len() != self.situation.legal().len()) {
            let labels = match &self.situation.view {
                Some(view) => Shown(view).labels(self.situation.legal(), self.lang()),
                None => Vec::new(),
            };
            self.picker = Picker::new(labels);
            self.moved = (0, 0);
            if self.overlay == Some(Overlay::Leaving) {
                self.overlay = None;
            }
        }
        if now.is_none() {
            self.picker = Picker::default();
        }
    }

    /// Lets time pass on the clocks.
    pub fn pass_time(&mut self, elapsed: Duration) {
        self.situation.pass_time(elapsed);
    }

    /// Whether there is nothing left to do but to go.
    fn is_over(&self) -> bool {
        self.situation.closed || self.situation.result().is_some()
    }

    /// Takes a key, and says what the viewer wants.
    pub fn key(&mut self, key: KeyEvent) -> Option<Intent> {
        if key.kind == KeyEventKind::Release {
            return None;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && matches!(key.code, KeyCode::Char('c' | 'C')) {
            self.interrupted = true;
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
            KeyCode::Enter => return self.play(),
            code => self.move_or_choose(code, key.modifiers),
        }
        None
    }

    /// Goes at once where nobody waits for the viewer, and asks first where somebody might.
    fn leave(&mut self) -> Option<Intent> {
        let plays = self.situation.viewer.seat().is_some() && self.situation.view.is_some();
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
        self.scrolled = 0;
        self.moved = (0, 0);
    }

    /// Answers with the chosen action, once.
    fn play(&mut self) -> Option<Intent> {
        let lang = self.lang();
        let Some(decision) = &self.situation.decision else {
            self.warning = Some(words::NOT_YOUR_TURN.get(lang).to_owned());
            return None;
        };
        if self.situation.sent.is_some() || !self.situation.connected {
            return None;
        }
        let Some(index) = self.picker.chosen() else {
            self.warning = Some(words::NO_SUCH_MOVE.get(lang).to_owned());
            return None;
        };
        let index = index as u32;
        let intent = Intent::Answer { decision: decision.id, index };
        self.situation.sent = Some(index);
        Some(intent)
    }

    /// Arrows move the table or the log where one of them fills the screen; otherwise they choose a move, and so does
    /// what is typed.
    fn move_or_choose(&mut self, code: KeyCode, modifiers: KeyModifiers) {
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
            (Pane::Log, _) if self.scroll(code) => {}
            (Pane::Table, Some(way)) => self.move_table(way),
            (_, Some(way)) if sideways || shift => self.move_table(way),
            _ => {
                let before = self.picker.chosen();
                self.picker.key(code, self.rows);
                if self.picker.chosen() != before {
                    self.moved = (0, 0);
                }
            }
        }
    }

    fn move_table(&mut self, (x, y): (i16, i16)) {
        let (to_x, to_y) = (self.moved.0 + 2 * x, self.moved.1 + 2 * y);
        self.moved = (to_x.clamp(-FARTHEST, FARTHEST), to_y.clamp(-FARTHEST, FARTHEST));
    }

    /// Scrolls through what happened, and says whether the key was one for it.
    fn scroll(&mut self, code: KeyCode) -> bool {
        let most = self.notes.len();
        self.scrolled = match code {
            KeyCode::Up => self.scrolled + 1,
            KeyCode::Down => self.scrolled.saturating_sub(1),
            KeyCode::PageUp => self.scrolled + 10,
            KeyCode::PageDown => self.scrolled.saturating_sub(10),
            KeyCode::Home => most,
            KeyCode::End => 0,
            _ => return false,
        }
        .min(most);
        true
    }
}
