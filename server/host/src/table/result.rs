//! Endings and results of tables.

use parlor_engine::{Outcome, Seat};
pub use parlor_tournament::SeatFinish;

use super::SeatState;

/// Ending of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The game was played to its end.
    Finished(Finished),
    /// Cancelled by the owner.
    Cancelled {
        /// Reason, shown to the players; may be empty.
        note: String,
    },
    /// Expired: its seats were not filled in time.
    Expired,
    /// Ended by a fault of the server. The game is never scored.
    Faulted {
        /// Human-readable description of the fault.
        reason: String,
    },
}

/// Result of one seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatResult {
    /// The seat.
    pub seat: Seat,
    /// Points by the rules of the game.
    pub points: i32,
    /// Place, from 1 for the best. Forfeited seats share the place behind all others.
    pub place: u8,
    /// How the game ended for the seat.
    pub finish: SeatFinish,
    /// Number of timeouts.
    pub time_outs: u32,
    /// Total think time, in milliseconds of the seat's clock.
    pub think_time: u32,
}

/// Result of a game that was played to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finished {
    /// Results in seat order.
    pub seats: Vec<SeatResult>,
}

impl Finished {
    /// Ranks the seats that played to the end by the game's own places; forfeited seats share the place behind them.
    ///
    /// # Panics
    /// If `seats` has fewer seats than the outcome.
    #[must_use]
    pub fn new(outcome: &Outcome, seats: &[SeatState]) -> Finished {
        let standings: Vec<_> = outcome.standings().collect();
        let forfeited = |seat: Seat| seats[seat.index()].finish.is_forfeit();
        let better_count =
            |place: u8| standings.iter().filter(|s| !forfeited(s.seat) && s.place < place).count();
        let seats = standings
            .iter()
            .map(|standing| {
                let seats_above = if forfeited(standing.seat) {
                    better_count(u8::MAX)
                } else {
                    better_count(standing.place)
                };
                let state = &seats[standing.seat.index()];
                SeatResult {
                    seat: standing.seat,
                    points: standing.points,
                    place: 1 + seats_above as u8,
                    finish: state.finish,
                    time_outs: state.time_outs,
                    think_time: state.think_time,
                }
            })
            .collect();
        Finished { seats }
    }
}
