//! A game that is over, step by step, forwards and backwards, with the same pictures.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use parlor_engine::AnyView;
use ratatui::Frame;

use super::{Ink, Screen};
use crate::table::{Incoming, Intent, Snapshot, Update};

/// How many steps PageUp and PageDown go.
const TEN: usize = 10;

/// What happened in one step, and what is known after it.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// What happened.
    pub update: Update,
    /// What the viewer knows after it.
    pub view: AnyView,
}

/// A replay: a screen that shows one moment of a game, and the keys to get to another.
pub struct Replay {
    screen: Screen,
    ink: Ink,
    begin: Snapshot,
    steps: Vec<Step>,
    at: usize,
}

impl Replay {
    /// A replay of these steps, which begin where the snapshot stands. It shows the first moment.
    #[must_use]
    pub fn new(ink: Ink, begin: Snapshot, steps: Vec<Step>) -> Replay {
        let mut replay = Replay { screen: Screen::new(ink), ink, begin, steps, at: 0 };
        replay.go(0);
        replay
    }

    /// The step that is shown; 0 is where it begins.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// The screen as it is at this moment.
    #[must_use]
    pub fn screen(&self) -> &Screen {
        &self.screen
    }

    /// Shows the moment after a step. A moment is what all steps up to it add up to, so that going back is no special
    /// case.
    fn go(&mut self, step: usize) {
        self.at = step.min(self.steps.len());
        let pane = self.screen.pane;
        self.screen = Screen::new(self.ink);
        self.screen.pane = pane;
        self.screen.take(Incoming::Snapshot(Box::new(self.begin.clone())));
        for Step { update, view } in &self.steps[..self.at] {
            // A replay asks nobody, so nobody else can have decided.
            let update = Update { view: Some(view.clone()), decided: None, ..update.clone() };
            self.screen.take(Incoming::Update(Box::new(update)));
        }
        self.screen.step = Some((self.at, self.steps.len()));
    }

    /// Takes a key; says so when the viewer wants to leave.
    pub fn key(&mut self, key: KeyEvent) -> Option<Intent> {
        let last = self.steps.len();
        let with_control = key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        if key.kind == KeyEventKind::Release || with_control || self.screen.overlay.is_some() {
            return self.screen.key(key);
        }
        match key.code {
            KeyCode::Right | KeyCode::Down | KeyCode::Char(' ') | KeyCode::Enter => self.go(self.at + 1),
            KeyCode::Left | KeyCode::Up | KeyCode::Backspace => self.go(self.at.saturating_sub(1)),
            KeyCode::PageDown => self.go(self.at + TEN),
            KeyCode::PageUp => self.go(self.at.saturating_sub(TEN)),
            KeyCode::Home => self.go(0),
            KeyCode::End => self.go(last),
            KeyCode::Char('q' | 'Q') | KeyCode::Esc => return Some(Intent::Leave),
            _ => return self.screen.key(key),
        }
        None
    }

    /// Draws the moment.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        self.screen.draw(frame);
    }
}
