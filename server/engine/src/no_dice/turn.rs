//! The flow of a game of No Dice: the deal, turns, draws and the end. See `window.rs` for windows.

use super::board::Board;
use super::{Action, Card, Event, HAND_SIZE, Hand, LaidCard, NoDice, Options, PlayOrder, card, refusals};
use crate::game::check_to_act;
use crate::{
    Audience, Chance, EventSink, Game, MAX_SEATS, Outcome, Refusal, Seat, Seats, SetupError, ShuffleId,
};

impl NoDice {
    /// Deals and opens the window before the first turn.
    pub(super) fn set_up(
        rules_version: u32,
        options: Options,
        players: u8,
        chance: Chance,
        windows_held: bool,
        events: &mut impl EventSink<Event>,
    ) -> Result<NoDice, SetupError> {
        NoDice::INFO.check_setup(rules_version, players)?;
        let mut cards = card::deck();
        chance.shuffle(ShuffleId::deal(0), &mut cards, events);
        cards.reverse();
        let mut game = NoDice {
            options,
            players,
            chance,
            order: PlayOrder::Clockwise,
            turn: Seat::FIRST,
            windows_held,
            held: false,
            asked: Seats::NONE,
            yes: Seats::NONE,
            hands: [Hand::EMPTY; MAX_SEATS],
            known: [[Hand::EMPTY; MAX_SEATS]; MAX_SEATS],
            draw_pile: cards,
            board: Board::default(),
            played: Hand::EMPTY,
            x2: Seats::NONE,
            passed: Seats::NONE,
            scores: [0; MAX_SEATS],
            outcome: None,
        };
        for seat in Seat::all(players) {
            let hand = game.take(HAND_SIZE);
            game.hands[seat.index()] = hand;
            events.emit(Audience::Only(seat), Event::Dealt { hand });
        }
        game.pass_on(Seat::FIRST, events);
        Ok(game)
    }

    /// Validates an action, except for the position of a card.
    pub(super) fn check(&self, seat: Seat, action: Action) -> Result<(), Refusal> {
        check_to_act(self, seat)?;
        if self.asked.contains(seat) {
            return match action {
                Action::PassCard | Action::Decline => Ok(()),
                _ => Err(refusals::WINDOW),
            };
        }
        let card = match action {
            Action::Lay(placement) => Card::Playing(placement.card()),
            Action::Switch => Card::Switch,
            Action::PassCard => Card::Pass,
            Action::X2 => Card::X2,
            Action::Swap(_) => Card::Swap,
            Action::Pass => return Ok(()),
            Action::Decline => return Err(refusals::NO_WINDOW),
        };
        if !self.hands[seat.index()].contains(card) {
            return Err(Refusal::NOT_IN_HAND);
        }
        match action {
            Action::Swap(with) if with == seat || !with.is_at_table(self.players) => {
                Err(refusals::SWAP_PARTNER)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn after(&self, seat: Seat) -> Seat {
        self.order.after(seat, self.players)
    }

    /// Plays the turn of a seat. Nothing changes if the position of a card is illegal.
    pub(super) fn play(
        &mut self,
        seat: Seat,
        action: Action,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Refusal> {
        let doubled = self.x2.contains(seat);
        if let Action::Lay(placement) = action {
            let points = self.board.lay(LaidCard { seat, placement })? << u8::from(doubled);
            self.spend(seat, Card::Playing(placement.card()));
            self.scores[seat.index()] += points;
            events.emit(Audience::Everyone, Event::Laid { seat, placement, points, doubled });
        }
        // Any action on a turn uses up a pending x2.
        self.x2 = self.x2.without(seat);
        self.passed = match action {
            Action::Pass => self.passed.with(seat),
            _ => Seats::NONE,
        };
        let mut next = self.after(seat);
        match action {
            Action::Lay(_) | Action::Decline => {}
            Action::Switch => {
                self.spend(seat, Card::Switch);
                self.order = self.order.reversed();
                next = self.after(seat);
                events.emit(Audience::Everyone, Event::Switched { seat });
            }
            Action::PassCard => {
                self.spend(seat, Card::Pass);
                events.emit(Audience::Everyone, Event::Skipped { by: seat, seat: next, out_of_turn: false });
                next = self.after(next);
            }
            Action::X2 => {
                self.spend(seat, Card::X2);
                self.x2 = self.x2.with(seat);
                events.emit(Audience::Everyone, Event::PlayedX2 { seat });
            }
            Action::Swap(with) => {
                self.spend(seat, Card::Swap);
                self.trade(seat, with, events);
            }
            Action::Pass => events.emit(Audience::Everyone, Event::Passed { seat, by_itself: false }),
        }
        if !self.end(events) {
            let missing = HAND_SIZE.saturating_sub(self.hands[seat.index()].len());
            self.draw(seat, missing, events);
            self.pass_on(next, events);
        }
        Ok(())
    }

    /// Makes a seat next. If it has no card and cannot draw, it passes automatically and the seat after it is
    /// next; otherwise the window before its turn opens.
    pub(super) fn pass_on(&mut self, next: Seat, events: &mut impl EventSink<Event>) {
        let mut seat = next;
        loop {
            self.turn = seat;
            events.emit(Audience::Everyone, Event::NextUp { seat });
            if !self.hands[seat.index()].is_empty() || !self.draw_pile.is_empty() {
                break;
            }
            self.x2 = self.x2.without(seat);
            self.passed = self.passed.with(seat);
            events.emit(Audience::Everyone, Event::Passed { seat, by_itself: true });
            if self.end(events) {
                return;
            }
            seat = self.after(seat);
        }
        self.open_window(events);
    }

    /// Returns true if no card is left in any hand or to draw, or if everyone has passed.
    fn is_over(&self) -> bool {
        let no_cards = self.draw_pile.is_empty() && self.hands.iter().all(|hand| hand.is_empty());
        no_cards || self.passed == Seats::all(self.players)
    }

    /// Ends the game if it is over, and returns true if it is.
    fn end(&mut self, events: &mut impl EventSink<Event>) -> bool {
        if self.is_over() {
            let outcome = Outcome::from_points(self.players, self.scores);
            self.outcome = Some(outcome);
            events.emit(Audience::Everyone, Event::Ended { outcome });
        }
        self.outcome.is_some()
    }

    /// Removes a played card from a hand. Everyone sees it, so all memories of it in that hand are cleared.
    pub(super) fn spend(&mut self, seat: Seat, card: Card) {
        let hand = &mut self.hands[seat.index()];
        *hand = hand.without(card);
        for known in &mut self.known {
            let known = &mut known[seat.index()];
            *known = known.without(card);
        }
        if !matches!(card, Card::Playing(_)) {
            self.played = self.played.with(card);
        }
    }

    /// Trades two hands. Both players remember the hand they gave; everyone else forgets what they knew of
    /// either hand.
    fn trade(&mut self, seat: Seat, with: Seat, events: &mut impl EventSink<Event>) {
        let (one, other) = (seat.index(), with.index());
        for known in &mut self.known {
            known[one] = Hand::EMPTY;
            known[other] = Hand::EMPTY;
        }
        self.known[one][other] = self.hands[one];
        self.known[other][one] = self.hands[other];
        self.hands.swap(one, other);
        events.emit(Audience::Everyone, Event::Swapped { seat, with });
        for seat in [seat, with] {
            let hand = self.hands[seat.index()];
            events.emit(Audience::Only(seat), Event::Got { hand });
        }
    }

    /// Removes the top `count` cards of the draw pile, or as many as it has.
    pub(super) fn take(&mut self, count: u8) -> Hand {
        let left = self.draw_pile.len().saturating_sub(count.into());
        self.draw_pile.drain(left..).collect()
    }

    /// Draws `count` cards, or as many as there are. Only the player sees them.
    pub(super) fn draw(&mut self, seat: Seat, count: u8, events: &mut impl EventSink<Event>) {
        let cards = self.take(count);
        if cards.is_empty() {
            return;
        }
        let hand = &mut self.hands[seat.index()];
        *hand = hand.plus(cards);
        let count = cards.len();
        events.emit(Audience::Only(seat), Event::Drew { cards });
        events.emit(Audience::AllBut(Seats::only(seat)), Event::OtherDrew { seat, count });
    }
}
