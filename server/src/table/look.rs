//! Looking at a table.

use parlor_engine::{AnyAction, AnyGame, AnyView, Seat, Viewer};

use super::state::{SeatState, Stage, Table};
use super::{Ending, Numbers, Setup};

impl Table {
    /// How the table was set up.
    #[must_use]
    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    /// How many entries of the log are in it.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// How many numbered updates each viewer has had.
    #[must_use]
    pub const fn numbers(&self) -> Numbers {
        self.numbers
    }

    /// How many seats there are.
    #[must_use]
    pub fn players(&self) -> u8 {
        self.seats.len() as u8
    }

    /// All seats, in order.
    #[must_use]
    pub fn seats(&self) -> &[SeatState] {
        &self.seats
    }

    /// The game, while it is on.
    #[must_use]
    pub fn game(&self) -> Option<&AnyGame> {
        match &self.stage {
            Stage::Playing(game) => Some(game),
            Stage::Filling | Stage::Over { .. } => None,
        }
    }

    /// How the table ended, once it has.
    #[must_use]
    pub const fn ending(&self) -> Option<&Ending> {
        match &self.stage {
            Stage::Over { ending, .. } => Some(ending),
            Stage::Filling | Stage::Playing(_) => None,
        }
    }

    /// What the viewer knows of the game, once it has begun.
    #[must_use]
    pub fn view(&self, viewer: Viewer) -> Option<AnyView> {
        match &self.stage {
            Stage::Playing(game) | Stage::Over { game: Some(game), .. } => Some(game.view(viewer)),
            Stage::Filling | Stage::Over { game: None, .. } => None,
        }
    }

    /// What the seat can do now.
    #[must_use]
    pub fn legal_actions(&self, seat: Seat) -> Vec<AnyAction> {
        self.game().map(|game| game.legal_actions(seat)).unwrap_or_default()
    }

    /// Whether nobody else may learn that the seat is asked.
    #[must_use]
    pub fn is_secret(&self, seat: Seat) -> bool {
        self.game().is_some_and(|game| game.is_secret(seat))
    }
}
