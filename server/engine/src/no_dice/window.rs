//! The window before a turn: asking, answering, and its outcome.

use super::{Card, Event, Hand, NoDice};
use crate::{Audience, EventSink, MAX_SEATS, Seat, Seats};

/// Returns true if, by public knowledge, a seat other than the next one can hold a PASS card. Held windows
/// open on this condition, so it must not depend on hidden cards.
pub(super) fn can_open(played: Hand, hand_sizes: [u8; MAX_SEATS], turn: Seat) -> bool {
    let others_have_cards = hand_sizes.iter().enumerate().any(|(i, size)| i != turn.index() && *size > 0);
    others_have_cards && played.count(Card::Pass) < Card::Pass.copies()
}

impl NoDice {
    /// Opens the window before the turn. Unless it is held, it closes at once if no other seat holds a PASS
    /// card.
    pub(super) fn open_window(&mut self, events: &mut impl EventSink<Event>) {
        self.asked = self.holders_of_pass().without(self.turn);
        self.held = self.windows_held && can_open(self.played, self.hands.map(Hand::len), self.turn);
        for asked in self.asked.iter() {
            events.emit(Audience::Only(asked), Event::Asked);
        }
        if self.asked.is_empty() && !self.held {
            self.settle(events);
        }
    }

    /// The seats with a PASS card in hand.
    pub(super) fn holders_of_pass(&self) -> Seats {
        Seat::all(self.players).filter(|seat| self.hands[seat.index()].contains(Card::Pass)).collect()
    }

    /// Records an answer. Unless the window is held, it closes after the last answer.
    pub(super) fn answer(&mut self, seat: Seat, yes: bool, events: &mut impl EventSink<Event>) {
        self.asked = self.asked.without(seat);
        if yes {
            self.yes = self.yes.with(seat);
            events.emit(Audience::Only(seat), Event::SaidYes);
        } else {
            events.emit(Audience::Only(seat), Event::Declined);
        }
        if self.asked.is_empty() && !self.held {
            self.settle(events);
        }
    }

    /// Closes a held window: seats that have not answered decline.
    pub(super) fn close(&mut self, events: &mut impl EventSink<Event>) {
        if !self.held {
            return;
        }
        for seat in self.asked.iter() {
            events.emit(Audience::Only(seat), Event::Declined);
        }
        self.asked = Seats::NONE;
        self.held = false;
        self.settle(events);
    }

    /// Resolves the window after all answers: the turn begins, or the first seat that answered yes skips it.
    fn settle(&mut self, events: &mut impl EventSink<Event>) {
        if self.yes.is_empty() {
            events.emit(Audience::Only(self.turn), Event::YourTurn);
            return;
        }
        let (skipped, mut by) = (self.turn, self.after(self.turn));
        while !self.yes.contains(by) {
            by = self.after(by);
        }
        self.yes = Seats::NONE;
        self.spend(by, Card::Pass);
        events.emit(Audience::Everyone, Event::Skipped { by, seat: skipped, out_of_turn: true });
        // This was not the last card: the skipped player has one, or there was one to draw.
        self.draw(by, 1, events);
        self.pass_on(self.after(skipped), events);
    }
}
