//! How a table ended, and why.

use parlor_engine::{Outcome, Seat};
pub use parlor_tournament::SeatFinish;

use super::SeatState;

/// How a table ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The game was played to its end.
    Finished(Finished),
    /// The owner called it off.
    Cancelled {
        /// Why, for the players; may be empty.
        note: String,
    },
    /// It did not fill in time.
    Expired,
    /// The server could not go on. Such a game is never scored.
    Faulted {
        /// What went wrong, for people.
        what: String,
    },
}

/// The result of one seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatResult {
    /// The seat.
    pub seat: Seat,
    /// Its points by the rules of the game.
    pub points: i32,
    /// Its place: 1 is the best. Seats that forfeited share the place behind all others.
    pub place: u8,
    /// Why it stands there.
    pub finish: SeatFinish,
    /// How often its clock ran out.
    pub time_outs: u32,
    /// How long it thought in all, in milliseconds of its own clock.
    pub thought: u64,
}

/// The result of a game that was played to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finished {
    /// One for each seat, in order.
    pub seats: Vec<SeatResult>,
}

impl Finished {
    /// Ranks those who played to the end by the game's own places; those who forfeited share the place behind them.
    ///
    /// There is a state for each seat of the outcome.
    #[must_use]
    pub fn new(outcome: &Outcome, seats: &[SeatState]) -> Finished {
        let standings: Vec<_> = outcome.standings().collect();
        let forfeited = |seat: Seat| seats[seat.index()].finish.is_forfeit();
        let better = |place: u8| standings.iter().filter(|s| !forfeited(s.seat) && s.place < place).count();
        let seats = standings
            .iter()
            .map(|standing| {
                let above = if forfeited(standing.seat) { better(u8::MAX) } else { better(standing.place) };
                let state = &seats[standing.seat.index()];
                SeatResult {
                    seat: standing.seat,
                    points: standing.points,
                    place: 1 + above as u8,
                    finish: state.finish,
                    time_outs: state.time_outs,
                    thought: state.thought,
                }
            })
            .collect();
        Finished { seats }
    }
}
