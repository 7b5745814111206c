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
mod key_handling;
mod message_flow;
mod move_choice;
mod no_dice;
mod pacing;
mod panes;
mod picker;
mod renderer;
mod replay;
mod round_summary;
mod style;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use parlor_engine::{AnyAction, AnyView, Lang};

pub use renderer::{GameRenderer, PlaceStep, Viewport};
pub use replay::{Replay, Step};
pub use style::{Palette, Theme};

use crate::table::{LogEntry, ViewerState};
pub(crate) use help::rules;
use move_choice::MoveChoice;
pub(crate) use move_choice::explain;
use pacing::Pacer;
pub(crate) use picker::{match_query, move_number, parse_move_number};
pub(crate) use renderer::ViewRenderer;
use round_summary::RoundSummary;

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
    choice: MoveChoice,
    pacer: Pacer,
    /// Stop at the end of each round until a key is pressed.
    stops_at_rounds: bool,
    /// The end of a round, until a key is pressed.
    round: Option<RoundSummary>,
    /// Flags that a command needs to reach this server, with a blank after them.
    server_flags: String,
    log: VecDeque<LogEntry>,
    /// Number of log entries since the viewer's last move.
    new_entries: usize,
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
    /// In a replay that shows all hands: the views of the seats, if there are any.
    all_hands: Option<Vec<AnyView>>,
    /// Set after Ctrl-C.
    ctrl_c_pressed: bool,
    /// Set if the viewer left for a rematch.
    wants_rematch: bool,
}

impl Screen {
    /// Creates a screen without any table data, which shows all messages at once.
    #[must_use]
    pub fn new(theme: Theme) -> Screen {
        Screen {
            state: ViewerState::new(theme.lang),
            theme,
            choice: MoveChoice::default(),
            pacer: Pacer::new(Duration::ZERO),
            stops_at_rounds: false,
            round: None,
            server_flags: String::new(),
            log: VecDeque::new(),
            new_entries: 0,
            warning: None,
            pane: Pane::All,
            overlay: None,
            table_offset: (0, 0),
            log_offset: 0,
            visible_moves: 1,
            step: None,
            all_hands: None,
            ctrl_c_pressed: false,
            wants_rematch: false,
        }
    }

    /// Shows moves of other players this time apart, and stops at the end of each round.
    #[must_use]
    pub fn with_pace(self, pace: Duration) -> Screen {
        Screen { pacer: Pacer::new(pace), stops_at_rounds: true, ..self }
    }

    /// Sets the flags that commands need to reach the server of the table, such as `--server http://[::1]:7000`.
    #[must_use]
    pub fn with_server_flags(self, flags: &str) -> Screen {
        let server_flags = if flags.is_empty() { String::new() } else { format!("{flags} ") };
        Screen { server_flags, ..self }
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

    /// Notes that the viewer left for a rematch.
    pub(crate) fn with_rematch(self) -> Screen {
        Screen { wants_rematch: true, ..self }
    }

    /// Reports whether the viewer left for a rematch.
    #[must_use]
    pub fn wants_rematch(&self) -> bool {
        self.wants_rematch
    }

    /// The action that Enter would play.
    #[must_use]
    pub fn selected_action(&self) -> Option<&AnyAction> {
        self.choice.selected_action(self.state.legal())
    }

    fn lang(&self) -> Lang {
        self.theme.lang
    }

    /// Reports whether the table is over or the stream closed.
    fn is_over(&self) -> bool {
        self.state.closed || self.state.result().is_some()
    }
}
