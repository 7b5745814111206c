//! The view of a game of GAP.

use super::score::{self, BestRound};
use super::{Action, Card, Event, Gap, MIDDLE_SIZE, Options, card};
use crate::{CardSet, MAX_SEATS, Outcome, Seat, Viewer};

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
    /// The round, starting at 0.
    pub round: u16,
    /// True for a round played only to break a tie for first place.
    pub extra: bool,
    /// The seat that had the first turn of the round.
    pub start: Seat,
    /// The seat whose turn it is. It means nothing once the game is over.
    pub turn: Seat,
    /// The viewer's hand; empty for a spectator.
    pub hand: CardSet<Card>,
    /// The number of cards in each hand.
    pub hand_sizes: [u8; MAX_SEATS],
    /// The cards in the middle.
    pub middle: CardSet<Card>,
    /// The number of cards in the stack.
    pub stack: u8,
    /// The cards each player has collected in this round.
    pub collected: [CardSet<Card>; MAX_SEATS],
    /// The total points before this round.
    pub totals: [i32; MAX_SEATS],
    /// The best round of each player so far.
    pub best: [Option<BestRound>; MAX_SEATS],
    /// The outcome, once the game is over.
    pub outcome: Option<Outcome>,
}

impl View {
    pub(super) fn of(game: &Gap, viewer: Viewer) -> View {
        let viewer = viewer.at_table(game.players);
        View {
            viewer,
            players: game.players,
            options: game.options,
            round: game.round,
            extra: game.extra,
            start: game.start,
            turn: game.turn,
            hand: viewer.seat().map_or(CardSet::EMPTY, |seat| game.hands[seat.index()]),
            hand_sizes: game.hands.map(CardSet::len),
            middle: game.middle,
            stack: game.stack.len() as u8,
            collected: game.collected,
            totals: game.totals,
            best: game.best,
            outcome: game.outcome,
        }
    }

    /// The cards the viewer has not seen in this round: other hands and the stack.
    #[must_use]
    pub fn unseen(&self) -> CardSet<Card> {
        card::deck(self.players) - self.seen()
    }

    /// The cards that an action takes from the middle: all of its number, or the neighbours it names.
    #[must_use]
    pub fn taken_by(&self, action: &Action) -> CardSet<Card> {
        let same = self.middle & card::numbered(action.card.number());
        if same.is_empty() { action.lower.into_iter().chain(action.higher).collect() } else { same }
    }

    /// The points of a seat if the round ended now.
    #[must_use]
    pub fn round_points(&self, seat: Seat) -> i32 {
        score::round_points(self.collected[seat.index()])
    }

    pub(super) fn seen(&self) -> CardSet<Card> {
        self.collected.iter().fold(self.hand | self.middle, |seen, cards| seen | *cards)
    }

    pub(super) fn apply_event(&mut self, event: &Event) {
        match *event {
            Event::RoundBegan { round, start, extra, middle } => {
                let size = Gap::hand_size(self.players);
                self.round = round;
                self.start = start;
                self.turn = start;
                self.extra = extra;
                self.middle = middle;
                self.hand_sizes = [0; MAX_SEATS];
                for seat in Seat::all(self.players) {
                    self.hand_sizes[seat.index()] = size;
                }
                let dealt = size.saturating_mul(self.players).saturating_add(MIDDLE_SIZE);
                self.stack = card::deck(self.players).len().saturating_sub(dealt);
                self.collected = [CardSet::EMPTY; MAX_SEATS];
            }
            Event::Dealt { hand } => self.hand = hand,
            Event::Played { seat, card, taken } => {
                if self.viewer.is(seat) {
                    self.hand = self.hand.without(card);
                }
                let size = &mut self.hand_sizes[seat.index()];
                *size = size.saturating_sub(1);
                if taken.is_empty() {
                    self.middle = self.middle.with(card);
                } else {
                    self.middle = self.middle - taken;
                    self.collected[seat.index()] = self.collected[seat.index()] | taken.with(card);
                }
                self.turn = seat.left(self.players);
            }
            Event::Filled { cards } => {
                self.middle = self.middle | cards;
                self.stack = self.stack.saturating_sub(cards.len());
            }
            Event::RoundScored { round, points } => {
                score::count_round(&mut self.totals, &mut self.best, points, round);
                self.round = round.saturating_add(1);
            }
            Event::Ended { outcome } => self.outcome = Some(outcome),
        }
    }
}
