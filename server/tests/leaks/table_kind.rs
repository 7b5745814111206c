//! `TableKind`: the table configurations under test: player count, clock, and held windows.

use parlor_engine::GameId;
use parlor_host::table::TimeControl;

/// Time per decision at tables with a clock.
pub(crate) const DECISION_MS: u32 = 20_000;
/// Time of a hidden decision.
pub(crate) const HIDDEN_MS: u32 = 500;

/// A table configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TableKind {
    pub(crate) game: GameId,
    pub(crate) players: u8,
    /// Decisions have a time limit.
    pub(crate) timed: bool,
    /// Windows for hidden decisions have a constant length.
    pub(crate) held: bool,
}

impl TableKind {
    /// The configurations of a game: two with three players, and one with the maximum.
    pub(crate) fn all(game: GameId) -> Vec<TableKind> {
        let kind = |players, timed, held| TableKind { game, players, timed, held };
        let max_players = game.info().max_players;
        vec![kind(3, false, false), kind(3, true, true), kind(max_players, true, false)]
    }

    /// The time control. Without bank and grace, so that simultaneous decisions time out simultaneously.
    pub(crate) const fn time(self) -> TimeControl {
        TimeControl {
            decision: if self.timed { DECISION_MS } else { 0 },
            bank: 0,
            grace: 0,
            forfeit_after: 3,
            secret: HIDDEN_MS,
            constant_secret: self.held,
        }
    }
}
