//! Options of GAP.

use super::{Gap, MAX_ROUNDS};
use crate::{Game, SetupError};

/// The condition that ends a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Length {
    /// Ends after the round in which a player reaches this many points: 1 or more.
    Target(u32),
    /// Ends after this many rounds: 1 to 100.
    Rounds(u16),
}

/// Options of GAP.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// The condition that ends the game.
    pub length: Length,
}

/// The medium game: to 30 points.
impl Default for Options {
    fn default() -> Options {
        Options { length: Length::Target(30) }
    }
}

impl Options {
    pub(super) fn check(self) -> Result<(), SetupError> {
        let error = |option, got: u32, allowed| {
            Err(SetupError::Option { game: Gap::INFO.id, option, got: got.into(), allowed })
        };
        match self.length {
            Length::Target(0) => error("target", 0, "1 or more"),
            Length::Rounds(rounds) if rounds == 0 || rounds > MAX_ROUNDS => {
                error("rounds", rounds.into(), "1 to 100")
            }
            Length::Target(_) | Length::Rounds(_) => Ok(()),
        }
    }
}
