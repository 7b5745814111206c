//! The view of a game of Five Three Five.

use super::field::{cards_of, next_seat};
use super::{Event, FiveThreeFive, Options, PlayKind, Ranks, Stack, card};
use crate::{MAX_SEATS, Outcome, Seat, Seats, Viewer};

/// Everything one viewer knows. Arrays have one slot per seat; slots of seats that are not at the table are
/// empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View {
    /// The viewer.
    pub viewer: Viewer,
    /// The number of players.
    pub players: u8,
    /// The options of the table.
    pub options: Options,
    /// The number of the hand, starting at 0.
    pub hand_number: u16,
    /// The seat that led the first field of the hand.
    pub start: Seat,
    /// The seat whose turn it is. It means nothing once the game is over.
    pub turn: Seat,
    /// The stack of the field; `None` if a lead is due.
    pub stack: Option<Stack>,
    /// The seats that have passed on this field.
    pub passed: Seats,
    /// The viewer's hand; empty for a spectator.
    pub hand: Ranks,
    /// The number of cards in each hand.
    pub hand_sizes: [u8; MAX_SEATS],
    /// The cards of this deal that were seen and are out of play: laid or, for two players, revealed after
    /// the first half.
    pub gone: Ranks,
    /// The number of cards set aside, which are never revealed.
    pub set_aside: u8,
    /// The number of cards two players keep back for their second half.
    pub kept_back: u8,
    /// The cards left in each hand, once the game is over.
    pub left: [Ranks; MAX_SEATS],
    /// The total points so far.
    pub totals: [i32; MAX_SEATS],
    /// The outcome, once the game is over.
    pub outcome: Option<Outcome>,
}

impl View {
    pub(super) fn of(game: &FiveThreeFive, viewer: Viewer) -> View {
        let viewer = viewer.at_table(game.players);
        let kept_back = FiveThreeFive::kept_back(game.players, game.hand_number);
        View {
            viewer,
            players: game.players,
            options: game.options,
            hand_number: game.hand_number,
            start: game.start,
            turn: game.turn,
            stack: game.stack,
            passed: game.passed,
            hand: viewer.seat().map_or(Ranks::EMPTY, |seat| game.hands[seat.index()]),
            hand_sizes: game.hands.map(Ranks::len),
            gone: game.gone,
            set_aside: game.rest.len() as u8 - kept_back,
            kept_back,
            left: game.outcome.map_or([Ranks::EMPTY; MAX_SEATS], |_| game.hands),
            totals: game.totals,
            outcome: game.outcome,
        }
    }

    /// Returns true if the player whose turn it is must lead a field.
    #[must_use]
    pub const fn lead_is_due(&self) -> bool {
        self.stack.is_none() && self.outcome.is_none()
    }

    /// The cards the viewer has not seen: other hands, cards kept back, and cards set aside.
    #[must_use]
    pub fn unseen(&self) -> Ranks {
        let all = Ranks::each(card::copies(self.players));
        let known = [self.hand, self.gone, cards_of(self.stack)];
        let shown = Seat::all(self.players).filter(|seat| !self.viewer.is(*seat));
        shown.map(|seat| self.left[seat.index()]).chain(known).fold(all, Ranks::minus)
    }

    pub(super) fn apply_event(&mut self, event: &Event) {
        match *event {
            Event::HandBegan { hand_number, start } => {
                self.gone = if self.players == 2 && hand_number > 0 {
                    let laid = self.gone.plus(cards_of(self.stack));
                    self.left.into_iter().fold(laid, Ranks::plus)
                } else {
                    Ranks::EMPTY
                };
                self.left = [Ranks::EMPTY; MAX_SEATS];
                self.hand_number = hand_number;
                self.start = start;
                self.turn = start;
                self.stack = None;
                self.passed = Seats::NONE;
                self.hand_sizes = [0; MAX_SEATS];
                for seat in Seat::all(self.players) {
                    self.hand_sizes[seat.index()] = FiveThreeFive::hand_size(self.players);
                }
                self.kept_back = FiveThreeFive::kept_back(self.players, hand_number);
                self.set_aside = FiveThreeFive::set_aside(self.players);
            }
            Event::Dealt { hand } => self.hand = hand,
            Event::Laid { seat, play, cards, combination } => {
                if self.viewer.is(seat) {
                    self.hand = self.hand.minus(cards);
                }
                let size = &mut self.hand_sizes[seat.index()];
                *size = size.saturating_sub(cards.len());
                if play == PlayKind::Overwrite {
                    self.gone = self.gone.plus(cards_of(self.stack));
                }
                self.stack = Some(Stack { combination, by: seat });
                self.turn = next_seat(seat, self.passed, self.players);
            }
            Event::Passed { seat } => {
                self.passed = self.passed.with(seat);
                self.turn = next_seat(seat, self.passed, self.players);
            }
            Event::Flushed { by, reason: _ } => {
                self.gone = self.gone.plus(cards_of(self.stack));
                self.stack = None;
                self.passed = Seats::NONE;
                self.turn = by;
            }
            Event::HandScored { hand_number: _, left, points } => {
                self.left = left;
                points.add_to(&mut self.totals);
            }
            Event::Ended { outcome } => self.outcome = Some(outcome),
        }
    }
}
