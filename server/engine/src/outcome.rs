//! The result of a game: points and places.

use crate::{MAX_SEATS, Seat};

/// Points of every seat of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Points {
    players: u8,
    points: [i32; MAX_SEATS],
}

impl Points {
    /// The points at a table of `players`; the slots of other seats are ignored.
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

    /// Adds the points to the totals of the seats. Saturates.
    pub(crate) fn add_to(self, totals: &mut [i32; MAX_SEATS]) {
        for (total, points) in totals.iter_mut().zip(self.points) {
            *total = total.saturating_add(points);
        }
    }

    /// Every seat with its points, in seat order.
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

/// The result of one seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The seat.
    pub seat: Seat,
    /// Its points in the game.
    pub points: i32,
    /// Place, 1 being the best. Equal seats share a place, and the following places are skipped: 1, 1, 3.
    pub place: u8,
}

impl Outcome {
    /// Ranks by a key, highest first; equal keys share a place.
    pub(crate) fn ranked_by<K: Ord>(
        players: u8,
        points: [i32; MAX_SEATS],
        key: impl Fn(Seat) -> K,
    ) -> Outcome {
        let mut places = [0; MAX_SEATS];
        for seat in Seat::all(players) {
            let better = Seat::all(players).filter(|other| key(*other) > key(seat)).count();
            places[seat.index()] = 1 + better as u8;
        }
        Outcome { players, points, places }
    }

    /// Ranks by points, highest first; equal points share a place.
    pub(crate) fn from_points(players: u8, points: [i32; MAX_SEATS]) -> Outcome {
        Outcome::ranked_by(players, points, |seat| points[seat.index()])
    }

    /// Builds an outcome from one standing for each seat of a table, in seat order. `None` if a seat is
    /// missing, or if a place is not one more than the number of seats with a better one.
    ///
    /// ```
    /// use parlor_engine::{Outcome, Seat, Standing};
    /// let standing = |(seat, place)| Standing { seat, points: 7, place };
    /// let with_places = |places: [u8; 3]| Outcome::from_standings(Seat::all(3).zip(places).map(standing));
    /// assert!(with_places([1, 3, 1]).is_some());
    /// assert!(with_places([1, 2, 1]).is_none());
    /// ```
    #[must_use]
    pub fn from_standings(standings: impl IntoIterator<Item = Standing>) -> Option<Outcome> {
        let (mut players, mut points, mut places) = (0, [0; MAX_SEATS], [0; MAX_SEATS]);
        for standing in standings {
            if standing.seat.index() != usize::from(players) {
                return None;
            }
            points[standing.seat.index()] = standing.points;
            places[standing.seat.index()] = standing.place;
            players += 1;
        }
        let table = &places[..players.into()];
        let in_order = table.iter().all(|place| {
            let better = table.iter().filter(|other| *other < place).count();
            usize::from(*place) == better + 1
        });
        (players > 0 && in_order).then_some(Outcome { players, points, places })
    }

    /// The standing of every seat, in seat order.
    pub fn standings(&self) -> impl Iterator<Item = Standing> + '_ {
        Seat::all(self.players).map(|seat| Standing {
            seat,
            points: self.points[seat.index()],
            place: self.places[seat.index()],
        })
    }

    /// The points of a seat; `None` for a seat that is not at the table.
    #[must_use]
    pub fn points(&self, seat: Seat) -> Option<i32> {
        (seat.index() < usize::from(self.players)).then(|| self.points[seat.index()])
    }

    /// The place of a seat; `None` for a seat that is not at the table.
    #[must_use]
    pub fn place(&self, seat: Seat) -> Option<u8> {
        (seat.index() < usize::from(self.players)).then(|| self.places[seat.index()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_points_share_a_place_and_skip_the_next() {
        let outcome = Outcome::from_points(4, [7, -2, 7, 3, 99, 99]);
        let standings: Vec<_> = outcome.standings().map(|s| (s.seat.index(), s.points, s.place)).collect();
        assert_eq!(standings, [(0, 7, 1), (1, -2, 4), (2, 7, 1), (3, 3, 3)]);
        let (last, beyond) = (Seat::new(3).expect("a seat"), Seat::new(4).expect("a seat"));
        assert_eq!((outcome.points(last), outcome.place(last)), (Some(3), Some(3)));
        assert_eq!((outcome.points(beyond), outcome.place(beyond)), (None, None));
    }

    #[test]
    fn outcome_round_trips_through_standings() {
        let outcome = Outcome::from_points(4, [7, -2, 7, 3, 0, 0]);
        assert_eq!(Outcome::from_standings(outcome.standings()), Some(outcome));
        let wrong = |change: fn(&mut Vec<Standing>)| {
            let mut standings: Vec<_> = outcome.standings().collect();
            change(&mut standings);
            Outcome::from_standings(standings)
        };
        assert_eq!(wrong(Vec::clear), None);
        assert_eq!(wrong(|s| s.swap(0, 1)), None);
        assert_eq!(wrong(|s| s.push(s[0])), None);
        assert_eq!(wrong(|s| s[0].place = 0), None);
        assert_eq!(wrong(|s| s[3].place = 4), None);
        assert_eq!(wrong(|s| s.extend_from_within(..)), None);
    }
}
