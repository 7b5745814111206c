//! The flow of a round of Habe fertig, from the deal to the score.

use super::{
    CARDS_DEALT, Card, Event, HabeFertig, MAX_TURNS_PER_PLAYER, Pair, Phase, Pile, RevealedCards, card,
    refusals,
};
use crate::{
    Audience, CardSet, EventSink, MAX_SEATS, Outcome, Points, Refusal, Seat, Seats, ShuffleId, ShufflePurpose,
};

impl HabeFertig {
    /// The number of rounds of a game.
    pub(super) const fn rounds(players: u8) -> u16 {
        if players == 3 { 3 } else { 4 }
    }

    /// The maximum number of turns of a round.
    pub(super) const fn turn_limit(players: u8) -> u16 {
        MAX_TURNS_PER_PLAYER * players as u16
    }

    /// The cards that may be played on the left pile, and on the right pile.
    pub(super) fn playable(&self) -> [CardSet<Card>; 2] {
        self.tops.map_or([CardSet::EMPTY; 2], |tops| {
            let gap = card::into_gap(tops);
            tops.map(|top| gap | card::matching(top))
        })
    }

    /// Returns true if the card goes into the gap, false if it matches the top of the pile; otherwise the
    /// rule it breaks.
    pub(super) fn goes_into_gap(&self, card: Card, pile: Pile) -> Result<bool, Refusal> {
        let tops = self.tops.ok_or(refusals::HIDE_FIRST)?;
        let matches = tops.map(|top| card::matching(top).contains(card));
        match (card::into_gap(tops).contains(card), matches[pile.index()]) {
            (true, _) => Ok(true),
            (false, true) => Ok(false),
            (false, false) if matches.contains(&true) => Err(refusals::OTHER_PILE),
            (false, false) => Err(refusals::DOES_NOT_FIT),
        }
    }

    /// Shuffles and deals the hands in seat order; the remaining cards are the draw pile.
    pub(super) fn deal(&mut self, events: &mut impl EventSink<Event>) {
        self.fill_draw_pile(card::DECK, ShuffleId::deal(self.round), events);
        self.hidden = [CardSet::EMPTY; MAX_SEATS];
        for seat in Seat::all(self.players) {
            let left = self.draw.len() - usize::from(CARDS_DEALT);
            self.hands[seat.index()] = self.draw.drain(left..).collect();
        }
        self.phase = Phase::Hiding { waiting: Seats::all(self.players) };
        self.turn = self.dealer.left(self.players);
        self.turns = 0;
        self.dry_passes = 0;
        self.tops = None;
        self.buried = CardSet::EMPTY;
        self.rebuilds = 0;
        self.origin = [0; Card::COUNT];
        let (round, dealer) = (self.round, self.dealer);
        events.emit(Audience::Everyone, Event::RoundBegan { round, dealer });
        for seat in Seat::all(self.players) {
            let hand = self.hands[seat.index()];
            events.emit(Audience::Only(seat), Event::Dealt { hand });
        }
    }

    /// Shuffles these cards into the draw pile.
    fn fill_draw_pile(&mut self, cards: CardSet<Card>, name: ShuffleId, events: &mut impl EventSink<Event>) {
        self.draw = cards.into_iter().collect();
        self.chance.shuffle(name, &mut self.draw, events);
        self.draw.reverse();
    }

    pub(super) fn hide(
        &mut self,
        seat: Seat,
        cards: Pair,
        waiting: Seats,
        events: &mut impl EventSink<Event>,
    ) {
        let hand = &mut self.hands[seat.index()];
        *hand = *hand - cards.cards();
        self.hidden[seat.index()] = cards.cards();
        events.emit(Audience::Only(seat), Event::YouHid { cards });
        events.emit(Audience::AllBut(Seats::only(seat)), Event::Hid { seat });
        let waiting = waiting.without(seat);
        self.phase = Phase::Hiding { waiting };
        if waiting.is_empty() {
            let [left, right] = [self.draw.pop(), self.draw.pop()];
            self.tops = left.zip(right).map(|(left, right)| [left, right]);
            if let Some(tops) = self.tops {
                events.emit(Audience::Everyone, Event::PilesOpened { tops });
            }
            self.begin_turn(events);
        }
    }

    /// Begins a turn. Without a gap, the top card of the draw pile is turned over; a draw pile that is empty
    /// here cannot be rebuilt.
    fn begin_turn(&mut self, events: &mut impl EventSink<Event>) {
        self.phase = Phase::Moving;
        if self.tops.is_some_and(card::is_gap) {
            return;
        }
        if let Some(turned) = self.draw.pop() {
            self.phase = Phase::Laying { turned };
            let (seat, card) = (self.turn, turned);
            events.emit(Audience::Everyone, Event::TurnedOver { seat, card });
        }
    }

    pub(super) fn lay(&mut self, seat: Seat, card: Card, pile: Pile, events: &mut impl EventSink<Event>) {
        self.cover(card, pile);
        self.phase = Phase::Moving;
        events.emit(Audience::Everyone, Event::Laid { seat, card, pile });
        self.rebuild(events);
    }

    pub(super) fn play(
        &mut self,
        seat: Seat,
        card: Card,
        pile: Pile,
        gap: bool,
        events: &mut impl EventSink<Event>,
    ) {
        let hand = &mut self.hands[seat.index()];
        *hand = hand.without(card);
        let has_finished = hand.is_empty();
        self.cover(card, pile);
        self.dry_passes = 0;
        events.emit(Audience::Everyone, Event::Played { seat, card, pile, gap });
        if has_finished {
            self.end_round(Some(seat), events);
            return;
        }
        self.rebuild(events);
        if !gap {
            self.end_turn(events);
        }
    }

    pub(super) fn pass(&mut self, seat: Seat, events: &mut impl EventSink<Event>) {
        if let Some(card) = self.draw.pop() {
            self.hands[seat.index()] = self.hands[seat.index()].with(card);
            events.emit(Audience::Only(seat), Event::YouPassed { card });
            events.emit(Audience::AllBut(Seats::only(seat)), Event::Passed { seat });
        } else {
            self.dry_passes += 1;
            events.emit(Audience::Everyone, Event::PassedWithoutCard { seat });
        }
        self.rebuild(events);
        self.end_turn(events);
    }

    /// Puts a card on a pile.
    fn cover(&mut self, card: Card, pile: Pile) {
        if let Some(tops) = &mut self.tops {
            let covered = std::mem::replace(&mut tops[pile.index()], card);
            self.buried = self.buried.with(covered);
        }
    }

    /// Rebuilds the draw pile if it is empty and there are cards under the tops.
    fn rebuild(&mut self, events: &mut impl EventSink<Event>) {
        if !self.draw.is_empty() || self.buried.is_empty() {
            return;
        }
        let cards = std::mem::take(&mut self.buried);
        let name = ShuffleId { round: self.round, purpose: ShufflePurpose::Rebuild, count: self.rebuilds };
        self.rebuilds += 1;
        for card in cards {
            self.origin[card.index()] = self.rebuilds;
        }
        self.fill_draw_pile(cards, name, events);
        events.emit(Audience::Everyone, Event::Rebuilt { cards });
    }

    fn end_turn(&mut self, events: &mut impl EventSink<Event>) {
        self.turn = self.turn.left(self.players);
        self.turns += 1;
        if self.turns >= Self::turn_limit(self.players) || self.dry_passes >= self.players {
            self.end_round(None, events);
        } else {
            self.begin_turn(events);
        }
    }

    /// Ends and scores a round: the winner gains the stars of their hidden cards, everyone else loses those
    /// of their hand.
    fn end_round(&mut self, winner: Option<Seat>, events: &mut impl EventSink<Event>) {
        let shown = self.revealed(winner);
        events.emit(Audience::Everyone, Event::Shown { shown });
        let mut points = shown.hands.map(|hand| -card::stars(hand));
        if let Some(winner) = winner {
            points[winner.index()] = card::stars(shown.hidden);
        }
        for (total, points) in self.totals.iter_mut().zip(points) {
            *total += points;
        }
        let (round, points) = (self.round, Points::new(self.players, points));
        events.emit(Audience::Everyone, Event::RoundScored { round, points });
        if self.round + 1 == Self::rounds(self.players) {
            let outcome = Outcome::from_points(self.players, self.totals);
            self.outcome = Some(outcome);
            events.emit(Audience::Everyone, Event::Ended { outcome });
        } else {
            self.round += 1;
            self.dealer = self.dealer.left(self.players);
            self.deal(events);
        }
    }

    /// The cards that are revealed when the round ends.
    pub(super) fn revealed(&self, winner: Option<Seat>) -> RevealedCards {
        RevealedCards {
            winner,
            hidden: winner.map_or(CardSet::EMPTY, |seat| self.hidden[seat.index()]),
            hands: self.hands,
        }
    }
}
