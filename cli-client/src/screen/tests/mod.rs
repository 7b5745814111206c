//! The screen, drawn into a buffer and played by keys.

mod keys;
mod move_choice;
mod pacing;
mod snapshots;
mod whole_games;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use parlor_engine::Lang;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::{Frame, Terminal};

use super::{Screen, Theme};
use crate::table::Intent;

const EN: Theme = Theme { lang: Lang::En, colours: false };
const DE: Theme = Theme { lang: Lang::De, colours: false };

/// Draws the screen at the given size.
fn drawn(screen: &mut Screen, width: u16, height: u16) -> Buffer {
    drawn_by(|frame| screen.draw(frame), width, height)
}

fn drawn_by(draw: impl FnOnce(&mut Frame<'_>), width: u16, height: u16) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a test backend cannot fail");
    terminal.draw(draw).expect("drawing into a buffer cannot fail");
    terminal.backend().buffer().clone()
}

/// Text of a buffer, line by line, without trailing blanks.
fn text(buffer: &Buffer) -> String {
    let rows = buffer.content.chunks(usize::from(buffer.area.width).max(1));
    let line = |cells: &[ratatui::buffer::Cell]| {
        let line: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
        line.trim_end().to_owned() + "\n"
    };
    rows.map(line).collect()
}

fn press(screen: &mut Screen, code: KeyCode) -> Option<Intent> {
    screen.handle_key(KeyEvent::new(code, KeyModifiers::NONE))
}

fn type_in(screen: &mut Screen, text: &str) {
    for c in text.chars() {
        assert_eq!(press(screen, KeyCode::Char(c)), None, "{text}");
    }
}
