//! Who sits where, and who looks on.

use std::fmt;

/// The most seats any game has. Arrays with one slot a seat have this length.
pub const MAX_SEATS: usize = 6;

/// The size of a table that somebody says has so many players: 1 to 6, whatever they say.
const fn size(players: u8) -> u8 {
    match players {
        0 => 1,
        1..MOST => players,
        _ => MOST,
    }
}

const MOST: u8 = MAX_SEATS as u8;

/// A place at the table, numbered 0, 1, 2, ... clockwise ("to the left").
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(u8);

impl Seat {
    /// The seat with this number, if a table can have it.
    ///
    /// ```
    /// use parlor_engine::Seat;
    /// assert_eq!(Seat::new(5).map(Seat::index), Some(5));
    /// assert_eq!(Seat::new(6), None);
    /// ```
    #[must_use]
    pub const fn new(number: u8) -> Option<Seat> {
        if number < MOST { Some(Seat(number)) } else { None }
    }

    /// The first seat, which begins the first round of every game.
    pub const FIRST: Seat = Seat(0);

    /// The number of the seat, as an index into arrays with one slot a seat.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The seat `steps` places further clockwise at a table of `players`.
    #[must_use]
    pub const fn left_by(self, steps: u8, players: u8) -> Seat {
        let players = size(players);
        Seat((self.0 + steps % players) % players)
    }

    /// The next seat clockwise at a table of `players`.
    #[must_use]
    pub const fn left(self, players: u8) -> Seat {
        let next = self.0 + 1;
        Seat(if next >= size(players) { 0 } else { next })
    }

    /// The next seat anticlockwise at a table of `players`.
    #[must_use]
    pub const fn right(self, players: u8) -> Seat {
        let last = size(players) - 1;
        Seat(if self.0 == 0 || self.0 > last { last } else { self.0 - 1 })
    }

    /// All seats of a table, in order.
    pub fn all(players: u8) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator + Clone {
        (0..players.min(MOST)).map(Seat)
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
    /// No seat.
    pub const NONE: Seats = Seats(0);

    /// Every seat of a table of `players`.
    #[must_use]
    pub const fn all(players: u8) -> Seats {
        Seats(((1u16 << if players > MOST { MOST } else { players }) - 1) as u8)
    }

    /// Just this seat.
    #[must_use]
    pub const fn only(seat: Seat) -> Seats {
        Seats(1 << seat.0)
    }

    /// Whether the seat is in the set.
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

    /// How many seats are in the set.
    #[must_use]
    pub const fn len(self) -> u8 {
        self.0.count_ones() as u8
    }

    /// Whether no seat is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The seat with the lowest number in the set.
    #[must_use]
    pub const fn first(self) -> Option<Seat> {
        if self.0 == 0 { None } else { Seat::new(self.0.trailing_zeros() as u8) }
    }

    /// Whether every seat of the set sits at a table of `players`.
    #[must_use]
    pub const fn fits(self, players: u8) -> bool {
        self.0 & !Seats::all(players).0 == 0
    }

    /// The seats of the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        Seat::all(MOST).filter(move |seat| self.contains(*seat))
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

/// Whoever looks at a game: a player, or somebody at the rail who sees no hand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Viewer {
    /// The player on this seat.
    Seat(Seat),
    /// Somebody who has no seat.
    Spectator,
}

impl Viewer {
    /// The seat of the viewer, if they have one.
    #[must_use]
    pub const fn seat(self) -> Option<Seat> {
        match self {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Spectator => None,
        }
    }

    /// Whether the viewer sits on this seat.
    #[must_use]
    pub fn is(self, seat: Seat) -> bool {
        self == Viewer::Seat(seat)
    }

    /// Every viewer of a table: each seat in order, then a spectator.
    pub fn all(players: u8) -> impl Iterator<Item = Viewer> {
        Seat::all(players).map(Viewer::Seat).chain([Viewer::Spectator])
    }
}

/// Who is told of an event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Audience {
    /// Every seat, and the spectators.
    Everyone,
    /// This seat alone.
    Only(Seat),
    /// Every other seat, and the spectators.
    AllBut(Seats),
}

impl Audience {
    /// Whether this viewer is told.
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
    fn seats_go_round_the_table() {
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
    fn sets_of_seats() {
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
    fn audiences() {
        let told = |to: Audience| Viewer::all(3).map(|viewer| to.includes(viewer)).collect::<Vec<_>>();
        assert_eq!(told(Audience::Everyone), [true; 4]);
        assert_eq!(told(Audience::Only(Seat(1))), [false, true, false, false]);
        assert_eq!(told(Audience::AllBut(Seats::only(Seat(1)))), [true, false, true, true]);
    }
}
