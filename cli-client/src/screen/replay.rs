//! Replay of a finished game, forwards and backwards, drawn by the same renderers.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use parlor_engine::AnyView;
use ratatui::Frame;

use super::{Screen, Theme};
use crate::table::{Intent, Snapshot, TableMessage, Update};

/// Steps moved by PageUp and PageDown.
const PAGE_STEPS: usize = 10;

/// One step of a replay.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// The update.
    pub update: Update,
    /// The view after the update.
    pub view: AnyView,
    /// The views of all seats after the update, if the record has them.
    pub seat_views: Vec<AnyView>,
}

/// A replay: the screen at one step, and keys to move between steps.
pub struct Replay {
    screen: Screen,
    theme: Theme,
    start: Snapshot,
    steps: Vec<Step>,
    position: usize,
    /// Show the hands of all players in the place of the log.
    shows_hands: bool,
}

impl Replay {
    /// Creates a replay at its start.
    #[must_use]
    pub fn new(theme: Theme, start: Snapshot, steps: Vec<Step>) -> Replay {
        let (screen, shows_hands) = (Screen::new(theme), false);
        let mut replay = Replay { screen, theme, start, steps, position: 0, shows_hands };
        replay.go_to(0);
        replay
    }

    /// Number of steps that lead to step 0: the deal, unless the replay starts after it.
    fn before_start(&self) -> usize {
        usize::from(self.start.view.is_none())
    }

    /// Number of the last step.
    fn last(&self) -> usize {
        self.steps.len().saturating_sub(self.before_start())
    }

    /// The current step; 0 is the game as it began.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// The screen at the current step.
    #[must_use]
    pub fn screen(&self) -> &Screen {
        &self.screen
    }

    /// Moves to a step. The screen is rebuilt from all steps up to it, so that moving back needs no special
    /// case.
    fn go_to(&mut self, step: usize) {
        self.position = step.min(self.last());
        let pane = self.screen.pane;
        self.screen = Screen::new(self.theme);
        self.screen.pane = pane;
        self.screen.apply(TableMessage::Snapshot(Box::new(self.start.clone())));
        for Step { update, view, .. } in self.steps.iter().take(self.position + self.before_start()) {
            // A replay has no decisions of the viewer.
            let update = Update { view: Some(view.clone()), decided: None, ..update.clone() };
            self.screen.apply(TableMessage::Update(Box::new(update)));
        }
        self.screen.step = Some((self.position, self.last()));
        self.show_hands();
    }

    /// Passes the hands at the current step to the screen, if they are wanted.
    fn show_hands(&mut self) {
        let shown = (self.position + self.before_start()).checked_sub(1);
        let step = shown.and_then(|shown| self.steps.get(shown));
        self.screen.all_hands =
            self.shows_hands.then(|| step.map(|step| step.seat_views.clone()).unwrap_or_default());
    }

    /// Handles a key; returns [`Intent::Leave`] to leave.
    pub fn handle_key(&mut self, key: KeyEvent) -> Option<Intent> {
        let last = self.last();
        let with_control = key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        if key.kind == KeyEventKind::Release || with_control || self.screen.overlay.is_some() {
            return self.screen.handle_key(key);
        }
        match key.code {
            KeyCode::Right | KeyCode::Down | KeyCode::Char(' ') | KeyCode::Enter => {
                self.go_to(self.position + 1);
            }
            KeyCode::Left | KeyCode::Up | KeyCode::Backspace => self.go_to(self.position.saturating_sub(1)),
            KeyCode::PageDown => self.go_to(self.position + PAGE_STEPS),
            KeyCode::PageUp => self.go_to(self.position.saturating_sub(PAGE_STEPS)),
            KeyCode::Home => self.go_to(0),
            KeyCode::End => self.go_to(last),
            KeyCode::Char('h' | 'H') => {
                self.shows_hands = !self.shows_hands;
                self.show_hands();
            }
            KeyCode::Char('q' | 'Q') | KeyCode::Esc => return Some(Intent::Leave),
            _ => return self.screen.handle_key(key),
        }
        None
    }

    /// Draws the current step.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        self.screen.draw(frame);
    }
}
