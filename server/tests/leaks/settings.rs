//! What is played: for each game, with and without a clock, and with windows that are held.

use parlor_engine::GameId;
use parlor_host::table::TimeControl;

/// The time for each decision, at tables with a clock.
pub(crate) const DECISION_MS: u32 = 20_000;
/// The time for a decision whose existence is secret.
pub(crate) const SECRET_MS: u32 = 500;

/// How a game is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kind {
    pub(crate) game: GameId,
    pub(crate) players: u8,
    /// Whether decisions have a limit of time.
    pub(crate) timed: bool,
    /// Whether moments at which somebody may be asked in secret always last equally long.
    pub(crate) held: bool,
}

impl Kind {
    /// All that is played of a game: three players, and once as many as can be.
    pub(crate) fn all(game: GameId) -> Vec<Kind> {
        let kind = |players, timed, held| Kind { game, players, timed, held };
        let most = game.info().max_players;
        vec![kind(3, false, false), kind(3, true, true), kind(most, true, false)]
    }

    /// How much time there is. Nobody has a bank or a grace, so that everyone who is asked at the same moment runs out of
    /// time at the same moment.
    pub(crate) const fn time(self) -> TimeControl {
        TimeControl {
            decision: if self.timed { DECISION_MS } else { 0 },
            bank: 0,
            grace: 0,
            forfeit_after: 3,
            secret: SECRET_MS,
            constant_secret: self.held,
        }
    }
}
