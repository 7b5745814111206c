//! How a game ended.

use crate::{MAX_SEATS, Seat};

/// Points of every seat of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Points {
    players: u8,
    points: [i32; MAX_SEATS],
}

impl Points {
    /// The points of a table of `players`; what stands in the slots of other seats is dropped.
    #[must_use]
    pub fn new(players: u8, points: [i32; MAX_SEATS]) -> Points {
        let players = players.min(MAX_SEATS as u8);
        let mut kept = [0; MAX_SEATS];
        kept[..players.into()].copy_from_slice(&points[..players.into()]);
        Points { players, points: kept }
    }

    /// The points of a seat; 0 for a seat that is not at the table.
    #[must_use]
    pub const fn of(self, seat: Seat) -> i32 {
        self.points[seat.index()]
    }

    /// Every seat with its points, in the order of the seats.
    pub fn iter(self) -> impl Iterator<Item = (Seat, i32)> {
        Seat::all(self.players).map(move |seat| (seat, self.of(seat)))
    }
}

/// The points and the places of all seats at the end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    players: u8,
    points: [i32; MAX_SEATS],
    places: [u8; MAX_SEATS],
}

/// What one seat reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The seat.
    pub seat: Seat,
    /// Its points in the game.
    pub points: i32,
    /// Its place: 1 is the best. Equals share a place, and the places below are counted on: 1, 1, 3.
    pub place: u8,
}

impl Outcome {
    /// Ranks by a key, highest first; equal keys share a place.
    pub(crate) fn ranked<K: Ord>(players: u8, points: [i32; MAX_SEATS], key: impl Fn(Seat) -> K) -> Outcome {
        let mut places = [0; MAX_SEATS];
        for seat in Seat::all(players) {
            let better = Seat::all(players).filter(|other| key(*other) > key(seat)).count();
            places[seat.index()] = 1 + better as u8;
        }
        Outcome { players, points, places }
    }

    /// Ranks by points, highest first; equal points share a place.
    pub(crate) fn by_points(players: u8, points: [i32; MAX_SEATS]) -> Outcome {
        Outcome::ranked(players, points, |seat| points[seat.index()])
    }

    /// What every seat reached, in the order of the seats.
    pub fn standings(&self) -> impl Iterator<Item = Standing> + '_ {
        Seat::all(self.players).map(|seat| Standing {
            seat,
            points: self.points[seat.index()],
            place: self.places[seat.index()],
        })
    }

    /// The points of a seat; none for a seat that is not at the table.
    #[must_use]
    pub fn points(&self, seat: Seat) -> Option<i32> {
        (seat.index() < usize::from(self.players)).then(|| self.points[seat.index()])
    }

    /// The place of a seat; none for a seat that is not at the table.
    #[must_use]
    pub fn place(&self, seat: Seat) -> Option<u8> {
        (seat.index() < usize::from(self.players)).then(|| self.places[seat.index()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_points_share_a_place_and_the_next_is_counted_on() {
        let outcome = Outcome::by_points(4, [7, -2, 7, 3, 99, 99]);
        let standings: Vec<_> = outcome.standings().map(|s| (s.seat.index(), s.points, s.place)).collect();
        assert_eq!(standings, [(0, 7, 1), (1, -2, 4), (2, 7, 1), (3, 3, 3)]);
        let (last, beyond) = (Seat::new(3).expect("a seat"), Seat::new(4).expect("a seat"));
        assert_eq!((outcome.points(last), outcome.place(last)), (Some(3), Some(3)));
        assert_eq!((outcome.points(beyond), outcome.place(beyond)), (None, None));
    }
}
