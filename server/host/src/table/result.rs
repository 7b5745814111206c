//! Endings and results of tables.

use parlor_engine::{Outcome, Seat, Standing};
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
    /// Place, from 1 for the best. Forfeited seats are behind all others, and of these the one that forfeited later is
    /// ahead.
    pub place: u8,
    /// How the game ended for the seat.
    pub finish: SeatFinish,
    /// Number of timeouts.
    pub time_outs: u32,
    /// Total think time, in milliseconds of the seat's clock.
    pub think_time: u32,
    /// Total time for which the seat's clock stood still because it was absent, in milliseconds.
    pub away_time: u32,
}

/// Result of a game that was played to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finished {
    /// Results in seat order.
    pub seats: Vec<SeatResult>,
}

impl Finished {
    /// Ranks the seats that played to the end by the game's own places, and behind them the forfeited seats: the one
    /// that forfeited later is ahead. Those that forfeited before the game began share the last place.
    ///
    /// # Panics
    /// If `seats` has fewer seats than the outcome.
    #[must_use]
    pub fn new(outcome: &Outcome, seats: &[SeatState]) -> Finished {
        let standings: Vec<_> = outcome.standings().collect();
        let forfeited_at = |seat: Seat| {
            let state = &seats[seat.index()];
            state.finish.is_forfeit().then_some(state.forfeited_at)
        };
        let is_ahead =
            |other: &Standing, own: &Standing| match (forfeited_at(other.seat), forfeited_at(own.seat)) {
                (None, None) => other.place < own.place,
                (None, Some(_)) => true,
                (Some(_), None) => false,
                (Some(other), Some(own)) => other > own,
            };
        let seats = standings
            .iter()
            .map(|standing| {
                let seats_ahead = standings.iter().filter(|other| is_ahead(other, standing)).count();
                let state = &seats[standing.seat.index()];
                SeatResult {
                    seat: standing.seat,
                    points: standing.points,
                    place: 1 + seats_ahead as u8,
                    finish: state.finish,
                    time_outs: state.time_outs,
                    think_time: state.think_time,
                    away_time: state.away_time,
                }
            })
            .collect();
        Finished { seats }
    }
}
