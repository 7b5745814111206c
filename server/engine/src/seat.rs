//! Seats, sets of seats, viewers and audiences.

use std::fmt;

/// The maximum number of seats of any game, and the length of arrays indexed by seat.
pub const MAX_SEATS: usize = 6;

/// Clamps a number of players to 1..=6.
const fn clamp_players(players: u8) -> u8 {
    match players {
        0 => 1,
        1..MAX_PLAYERS => players,
        _ => MAX_PLAYERS,
    }
}

const MAX_PLAYERS: u8 = MAX_SEATS as u8;

/// A place at the table, numbered 0, 1, 2, ... clockwise ("to the left").
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(u8);

impl Seat {
    /// The seat with this number; `None` for numbers of 6 and above.
    ///
    /// ```
    /// use parlor_engine::Seat;
    /// assert_eq!(Seat::new(5).map(Seat::index), Some(5));
    /// assert_eq!(Seat::new(6), None);
    /// ```
    #[must_use]
    pub const fn new(number: u8) -> Option<Seat> {
        if number < MAX_PLAYERS { Some(Seat(number)) } else { None }
    }

    /// Seat 0, which has the first turn of every game.
    pub const FIRST: Seat = Seat(0);

    /// The number of the seat, as an index into arrays with one slot per seat.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns true if a table of `players` has this seat.
    #[must_use]
    pub const fn is_at_table(self, players: u8) -> bool {
        self.0 < players
    }

    /// The seat `steps` places clockwise at a table of `players`.
    #[must_use]
    pub const fn left_by(self, steps: u8, players: u8) -> Seat {
        let players = clamp_players(players);
        Seat((self.0 + steps % players) % players)
    }

    /// The next seat clockwise at a table of `players`.
    #[must_use]
    pub const fn left(self, players: u8) -> Seat {
        let next = self.0 + 1;
        Seat(if next >= clamp_players(players) { 0 } else { next })
    }

    /// The next seat anticlockwise at a table of `players`.
    #[must_use]
    pub const fn right(self, players: u8) -> Seat {
        let last = clamp_players(players) - 1;
        Seat(if self.0 == 0 || self.0 > last { last } else { self.0 - 1 })
    }

    /// All seats of a table of `players`, in order.
    pub fn all(players: u8) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator + Clone {
        (0..players.min(MAX_PLAYERS)).map(Seat)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seat({})", self.0)
    }
}

/// A set of seats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Seats(u8);

impl Seats {
    /// The empty set.
    pub const NONE: Seats = Seats(0);

    /// Every seat of a table of `players`.
    #[must_use]
    pub const fn all(players: u8) -> Seats {
        Seats(((1u16 << if players > MAX_PLAYERS { MAX_PLAYERS } else { players }) - 1) as u8)
    }

    /// The set of this seat only.
    #[must_use]
    pub const fn only(seat: Seat) -> Seats {
        Seats(1 << seat.0)
    }

    /// Returns true if the seat is in the set.
    #[must_use]
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 & (1 << seat.0) != 0
    }

    /// The set with this seat in it.
    #[must_use]
    pub const fn with(self, seat: Seat) -> Seats {
        Seats(self.0 | (1 << seat.0))
    }

    /// The set without this seat.
    #[must_use]
    pub const fn without(self, seat: Seat) -> Seats {
        Seats(self.0 & !(1 << seat.0))
    }

    /// The number of seats in the set.
    #[must_use]
    pub const fn len(self) -> u8 {
        self.0.count_ones() as u8
    }

    /// Returns true if the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The seat with the lowest number, if any.
    #[must_use]
    pub const fn first(self) -> Option<Seat> {
        if self.0 == 0 { None } else { Seat::new(self.0.trailing_zeros() as u8) }
    }

    /// Returns true if every seat of the set is at a table of `players`.
    #[must_use]
    pub const fn fits(self, players: u8) -> bool {
        self.0 & !Seats::all(players).0 == 0
    }

    /// The seats of the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        Seat::all(MAX_PLAYERS).filter(move |seat| self.contains(*seat))
    }
}

impl FromIterator<Seat> for Seats {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Seats {
        seats.into_iter().fold(Seats::NONE, Seats::with)
    }
}

impl fmt::Debug for Seats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// The recipient of a view: a player, or a spectator, who sees no hand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Viewer {
    /// The player on this seat.
    Seat(Seat),
    /// A viewer without a seat.
    Spectator,
}

impl Viewer {
    /// The seat of the viewer, if any.
    #[must_use]
    pub const fn seat(self) -> Option<Seat> {
        match self {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Spectator => None,
        }
    }

    /// Returns true if the viewer is the player on this seat.
    #[must_use]
    pub fn is(self, seat: Seat) -> bool {
        self == Viewer::Seat(seat)
    }

    /// This viewer at a table of `players`: a seat that is not at the table counts as a spectator.
    #[must_use]
    pub(crate) fn at_table(self, players: u8) -> Viewer {
        self.seat().filter(|seat| seat.is_at_table(players)).map_or(Viewer::Spectator, Viewer::Seat)
    }

    /// Every viewer of a table: each seat in order, then a spectator.
    pub fn all(players: u8) -> impl Iterator<Item = Viewer> {
        Seat::all(players).map(Viewer::Seat).chain([Viewer::Spectator])
    }
}

/// The recipients of an event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Audience {
    /// Every seat and the spectators.
    Everyone,
    /// This seat only.
    Only(Seat),
    /// Every seat that is not in the set, and the spectators.
    AllBut(Seats),
}

impl Audience {
    /// Returns true if the viewer is a recipient.
    ///
    /// ```
    /// use parlor_engine::{Audience, Seat, Seats, Viewer};
    /// let drawer = Seat::FIRST;
    /// assert!(Audience::Only(drawer).includes(Viewer::Seat(drawer)));
    /// assert!(!Audience::Only(drawer).includes(Viewer::Spectator));
    /// assert!(Audience::AllBut(Seats::only(drawer)).includes(Viewer::Spectator));
    /// ```
    #[must_use]
    pub fn includes(self, viewer: Viewer) -> bool {
        match self {
            Audience::Everyone => true,
            Audience::Only(seat) => viewer.is(seat),
            Audience::AllBut(seats) => viewer.seat().is_none_or(|seat| !seats.contains(seat)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_seats_wrap_around() {
        let last = Seat(3);
        assert_eq!(
            (last.left(4), last.left(5), Seat(0).right(4), last.right(4)),
            (Seat(0), Seat(4), Seat(3), Seat(2))
        );
        assert_eq!((last.left_by(6, 4), Seat(1).left_by(2, 6)), (Seat(1), Seat(3)));
        assert_eq!(
            (Seat(5).left(255), Seat(5).right(2), Seat(5).left_by(255, 255), Seat(0).left(0)),
            (Seat(0), Seat(1), Seat(2), Seat(0))
        );
        assert_eq!((Seat(1).right(2), Seat(2).right(2), Seat(3).left_by(0, 0)), (Seat(0), Seat(1), Seat(0)));
        assert_eq!(Seat::all(3).collect::<Vec<_>>(), [Seat(0), Seat(1), Seat(2)]);
    }

    #[test]
    fn seat_set_operations() {
        let set = Seats::all(4).without(Seat(1));
        assert_eq!(set.iter().collect::<Vec<_>>(), [Seat(0), Seat(2), Seat(3)]);
        assert_eq!((set.len(), set.first(), Seats::NONE.first()), (3, Some(Seat(0)), None));
        assert!(set.contains(Seat(3)) && !set.contains(Seat(1)) && Seats::NONE.is_empty() && !set.is_empty());
        assert!(set.fits(4) && !set.fits(3) && Seats::all(6) == Seats::all(7));
        assert_eq!(set.iter().collect::<Seats>(), set);
        assert_eq!((Seats::NONE.with(Seat(1)), set.with(Seat(3))), (Seats::only(Seat(1)), set));
        assert_eq!(format!("{:?}", Seats::only(Seat(2))), "{Seat(2)}");
    }

    #[test]
    fn audience_includes_the_right_viewers() {
        let includes = |to: Audience| Viewer::all(3).map(|viewer| to.includes(viewer)).collect::<Vec<_>>();
        assert_eq!(includes(Audience::Everyone), [true; 4]);
        assert_eq!(includes(Audience::Only(Seat(1))), [false, true, false, false]);
        assert_eq!(includes(Audience::AllBut(Seats::only(Seat(1)))), [true, false, true, true]);
    }
}
