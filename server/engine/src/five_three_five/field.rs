//! The flow of a field of Five Three Five: laying cards, passing and flushing.

use super::combination::MAX_LAID;
use super::{Action, Combination, Event, FiveThreeFive, FlushReason, PlayKind, Rank, Ranks, Stack, refusals};
use crate::game::check_to_act;
use crate::{Audience, EventSink, MAX_SEATS, Refusal, Seat, Seats};

/// A validated action that lays cards.
pub(super) struct CheckedPlay {
    play: PlayKind,
    cards: Ranks,
    combination: Combination,
}

impl FiveThreeFive {
    /// The cards the action lays, `None` for a pass, or the rule it breaks.
    pub(super) fn check(&self, seat: Seat, action: Action) -> Result<Option<CheckedPlay>, Refusal> {
        check_to_act(self, seat)?;
        let (play, cards, combination) = match (action, self.stack) {
            (Action::Pass, Some(_)) => return Ok(None),
            (Action::Pass, None) => return Err(refusals::PASSED_A_LEAD),
            (Action::Lead(_), Some(_)) => return Err(refusals::NOT_LEADING),
            (Action::Overwrite(_) | Action::Add(_), None) => return Err(refusals::NO_STACK),
            (Action::Lead(lead), None) => (PlayKind::Lead, lead.cards(), lead),
            (Action::Overwrite(beating), Some(stack)) => {
                if !beating.beats(stack.combination) {
                    return Err(refusals::OVERWRITE);
                }
                (PlayKind::Overwrite, beating.cards(), beating)
            }
            (Action::Add(grown), Some(stack)) => {
                if !grown.extends(stack.combination) {
                    return Err(refusals::ADD);
                }
                (PlayKind::Add, grown.cards().minus(stack.combination.cards()), grown)
            }
        };
        if cards.len() > MAX_LAID {
            return Err(refusals::TOO_MANY_CARDS);
        }
        if !self.hands[seat.index()].contains_all(cards) {
            return Err(Refusal::NOT_IN_HAND);
        }
        Ok(Some(CheckedPlay { play, cards, combination }))
    }

    pub(super) fn pass(&mut self, seat: Seat, events: &mut impl EventSink<Event>) {
        self.passed = self.passed.with(seat);
        self.turn = next_seat(seat, self.passed, self.players);
        events.emit(Audience::Everyone, Event::Passed { seat });
        // The remaining player laid the last cards: no player passes on their own cards.
        if self.passed.len() + 1 == self.players {
            self.flush(self.turn, FlushReason::AllPassed, events);
        }
    }

    pub(super) fn lay(&mut self, seat: Seat, laid: CheckedPlay, events: &mut impl EventSink<Event>) {
        let CheckedPlay { play, cards, combination } = laid;
        let hand = &mut self.hands[seat.index()];
        *hand = hand.minus(cards);
        let was_last_card = hand.is_empty();
        if play == PlayKind::Overwrite {
            self.gone = self.gone.plus(cards_of(self.stack));
        }
        self.stack = Some(Stack { combination, by: seat });
        self.turn = next_seat(seat, self.passed, self.players);
        events.emit(Audience::Everyone, Event::Laid { seat, play, cards, combination });
        if was_last_card {
            self.end_hand(events);
        } else if let Some(reason) = flush_reason(play, cards, combination) {
            self.flush(seat, reason, events);
        }
    }

    fn flush(&mut self, by: Seat, reason: FlushReason, events: &mut impl EventSink<Event>) {
        self.gone = self.gone.plus(cards_of(self.stack));
        self.stack = None;
        self.passed = Seats::NONE;
        self.turn = by;
        events.emit(Audience::Everyone, Event::Flushed { by, reason });
    }
}

/// The cards on the stack, if any.
pub(super) fn cards_of(stack: Option<Stack>) -> Ranks {
    stack.map_or(Ranks::EMPTY, |stack| stack.combination.cards())
}

/// The reason that laying these cards flushes the field, if it does: the stack is full, or the cards include
/// an 8. An 8 led alone does not flush.
fn flush_reason(play: PlayKind, cards: Ranks, combination: Combination) -> Option<FlushReason> {
    if combination.is_full() {
        Some(FlushReason::Full)
    } else if cards.contains(Rank::EIGHT) && (play != PlayKind::Lead || cards.len() > 1) {
        Some(FlushReason::Eight)
    } else {
        None
    }
}

/// The next seat clockwise that has not passed.
pub(super) fn next_seat(seat: Seat, passed: Seats, players: u8) -> Seat {
    let players = players.min(MAX_SEATS as u8);
    let mut next = seat.left(players);
    for _ in 1..players {
        if !passed.contains(next) {
            break;
        }
        next = next.left(players);
    }
    next
}
