//! The flow of a hand of Five Three Five, from the deal to the score and the next hand.

use arrayvec::ArrayVec;

use super::field::cards_of;
use super::{Event, FiveThreeFive, Options, Rank, Ranks, card};
use crate::{Audience, EventSink, MAX_SEATS, Outcome, Points, Seat, Seats, ShuffleId};

/// The number of cards two players keep back for their second half.
pub(super) const SECOND_HALF: u8 = 24;

impl FiveThreeFive {
    /// The number of cards dealt to each player for a hand.
    pub(super) const fn hand_size(players: u8) -> u8 {
        match players {
            3 => 13,
            6 => 10,
            _ => 12,
        }
    }

    /// The number of cards kept back in this hand for the next one.
    pub(super) const fn kept_back(players: u8, hand_number: u16) -> u8 {
        if players == 2 && hand_number == 0 { SECOND_HALF } else { 0 }
    }

    /// The number of cards set aside, which are never revealed.
    pub(super) const fn set_aside(players: u8) -> u8 {
        match players {
            2 | 4 => 4,
            3 => 13,
            _ => 5,
        }
    }

    /// Shuffles the full deck and deals the hands; the other cards become `rest`.
    pub(super) fn shuffle_and_deal(&mut self, events: &mut impl EventSink<Event>) {
        let mut cards: ArrayVec<Rank, 65> = card::deck(self.players).collect();
        self.chance.shuffle(ShuffleId::deal(self.hand_number), &mut cards, events);
        let (dealt, rest) = cards.split_at(usize::from(self.players * Self::hand_size(self.players)));
        self.rest = rest.iter().copied().collect();
        self.gone = Ranks::EMPTY;
        self.deal_hands(dealt);
    }

    /// Deals the hands from the front, in seat order.
    fn deal_hands(&mut self, cards: &[Rank]) {
        let size = usize::from(Self::hand_size(self.players));
        for (hand, cards) in self.hands.iter_mut().zip(cards.chunks_exact(size)) {
            *hand = cards.iter().copied().collect();
        }
    }

    pub(super) fn begin_hand(&mut self, events: &mut impl EventSink<Event>) {
        self.stack = None;
        self.passed = Seats::NONE;
        self.turn = self.start;
        let (hand_number, start) = (self.hand_number, self.start);
        events.emit(Audience::Everyone, Event::HandBegan { hand_number, start });
        for seat in Seat::all(self.players) {
            let hand = self.hands[seat.index()];
            events.emit(Audience::Only(seat), Event::Dealt { hand });
        }
    }

    pub(super) fn end_hand(&mut self, events: &mut impl EventSink<Event>) {
        let left = self.hands;
        let points = left.map(|left| -self.options.penalty(left));
        for (total, points) in self.totals.iter_mut().zip(points) {
            *total += points;
        }
        events.emit(
            Audience::Everyone,
            Event::HandScored {
                hand_number: self.hand_number,
                left,
                points: Points::new(self.players, points),
            },
        );
        if is_over(self.players, self.options, self.hand_number, &self.totals) {
            let outcome = Outcome::from_points(self.players, self.totals);
            self.outcome = Some(outcome);
            events.emit(Audience::Everyone, Event::Ended { outcome });
            return;
        }
        self.start = next_start(self.players, self.start, &self.totals);
        self.hand_number += 1;
        if self.players == 2 {
            self.gone = left.into_iter().fold(self.gone.plus(cards_of(self.stack)), Ranks::plus);
            let kept: ArrayVec<Rank, 24> = self.rest.drain(..usize::from(SECOND_HALF)).collect();
            self.deal_hands(&kept);
        } else {
            self.shuffle_and_deal(events);
        }
        self.begin_hand(events);
    }
}

/// Returns true if the game ends with this hand: for two players the second half, for more when a total
/// reaches the limit.
pub(super) fn is_over(players: u8, options: Options, hand_number: u16, totals: &[i32; MAX_SEATS]) -> bool {
    if players == 2 { hand_number >= 1 } else { totals.iter().any(|total| *total <= options.limit()) }
}

/// The seat that leads the next hand: the lowest total; of those tied, the closest clockwise from the
/// previous start seat, which counts as distance 0. After the first half of two players, it is the one left
/// with cards.
pub(super) fn next_start(players: u8, start: Seat, totals: &[i32; MAX_SEATS]) -> Seat {
    let clockwise = (0..players).map(|steps| start.left_by(steps, players));
    clockwise.min_by_key(|seat| totals[seat.index()]).unwrap_or(start)
}
