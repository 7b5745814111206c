//! From the deal of a hand to its score, and on to the next hand or the end.

use arrayvec::ArrayVec;

use super::{Event, Flush, Options, Rank, Ranks, card, cards_of};
use crate::{Audience, Events, MAX_SEATS, Outcome, Points, Seat, Seats, Shuffle};

/// What two players keep back for their second half.
pub(super) const SECOND_HALF: u8 = 24;

impl Flush {
    /// How many cards each player is dealt for a hand.
    pub(super) const fn hand_size(players: u8) -> u8 {
        match players {
            3 => 13,
            6 => 10,
            _ => 12,
        }
    }

    /// How many cards are kept back in this hand for the next one.
    pub(super) const fn kept_back(players: u8, hand_number: u16) -> u8 {
        if players == 2 && hand_number == 0 { SECOND_HALF } else { 0 }
    }

    /// How many cards are set aside.
    pub(super) const fn set_aside(players: u8) -> u8 {
        match players {
            2 | 4 => 4,
            3 => 13,
            _ => 5,
        }
    }

    /// Shuffles all cards of the game.
    pub(super) fn shuffle(&mut self, events: &mut impl Events<Event>) {
        let mut cards: ArrayVec<Rank, 65> = card::deck(self.players).collect();
        self.chance.shuffle(Shuffle::deal(self.hand_number), &mut cards, events);
        let (dealt, rest) = cards.split_at(usize::from(self.players * Self::hand_size(self.players)));
        self.rest = rest.iter().copied().collect();
        self.gone = Ranks::EMPTY;
        self.give(dealt);
    }

    /// Gives the hands from the front, in the order of the seats.
    fn give(&mut self, cards: &[Rank]) {
        let size = usize::from(Self::hand_size(self.players));
        for (hand, cards) in self.hands.iter_mut().zip(cards.chunks_exact(size)) {
            *hand = cards.iter().copied().collect();
        }
    }

    pub(super) fn begin_hand(&mut self, events: &mut impl Events<Event>) {
        self.stack = None;
        self.passed = Seats::NONE;
        self.turn = self.start;
        let (hand_number, start) = (self.hand_number, self.start);
        events.tell(Audience::Everyone, Event::HandBegan { hand_number, start });
        for seat in Seat::all(self.players) {
            let hand = self.hands[seat.index()];
            events.tell(Audience::Only(seat), Event::Dealt { hand });
        }
    }

    pub(super) fn end_hand(&mut self, events: &mut impl Events<Event>) {
        let left = self.hands;
        let points = left.map(|left| -self.options.penalty(left));
        for (total, points) in self.totals.iter_mut().zip(points) {
            *total += points;
        }
        events.tell(
            Audience::Everyone,
            Event::HandScored {
                hand_number: self.hand_number,
                left,
                points: Points::new(self.players, points),
            },
        );
        if is_over(self.players, self.options, self.hand_number, &self.totals) {
            let outcome = Outcome::by_points(self.players, self.totals);
            self.outcome = Some(outcome);
            events.tell(Audience::Everyone, Event::Ended { outcome });
            return;
        }
        self.start = next_start(self.players, self.start, &self.totals);
        self.hand_number += 1;
        if self.players == 2 {
            self.gone = left.into_iter().fold(self.gone.plus(cards_of(self.stack)), Ranks::plus);
            let kept: ArrayVec<Rank, 24> = self.rest.drain(..usize::from(SECOND_HALF)).collect();
            self.give(&kept);
        } else {
            self.shuffle(events);
        }
        self.begin_hand(events);
    }
}

/// Whether the game ends with this hand: for two players with the second half, for more when somebody is at the limit.
pub(super) fn is_over(players: u8, options: Options, hand_number: u16, totals: &[i32; MAX_SEATS]) -> bool {
    if players == 2 { hand_number >= 1 } else { totals.iter().any(|total| *total <= options.limit()) }
}

/// Who leads the next hand: the lowest total; of those tied, the closest clockwise from the previous start player,
/// who counts as distance 0. After a first half for two, this is the one who was left with cards.
pub(super) fn next_start(players: u8, start: Seat, totals: &[i32; MAX_SEATS]) -> Seat {
    let clockwise = (0..players).map(|steps| start.left_by(steps, players));
    clockwise.min_by_key(|seat| totals[seat.index()]).unwrap_or(start)
}
