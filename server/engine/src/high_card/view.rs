//! The view of a game of High Card, and sampling from it.

use arrayvec::ArrayVec;
use rand_core::Rng;

use super::{Card, DECK, Event, HAND_SIZE, HighCard, MAX_PLAYERS};
use crate::error::ensure;
use crate::{CardSet, Game, ImpossibleView, Outcome, Seat, Viewer, shuffle};

/// Everything one viewer knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// The viewer.
    pub viewer: Viewer,
    /// The number of players.
    pub players: u8,
    /// The viewer's hand; empty for a spectator.
    pub hand: CardSet<Card>,
    /// The cards played, in seat order.
    pub played: ArrayVec<Card, MAX_PLAYERS>,
}

impl View {
    pub(super) fn of(game: &HighCard, viewer: Viewer) -> View {
        let viewer = viewer.at_table(game.players);
        View {
            viewer,
            players: game.players,
            hand: viewer.seat().map_or(CardSet::EMPTY, |seat| game.hands[seat.index()]),
            played: game.played.clone(),
        }
    }

    /// The seat whose turn it is, until the game is over.
    #[must_use]
    pub fn turn(&self) -> Option<Seat> {
        super::turn(self.players, &self.played)
    }

    /// The number of cards in the hand of a seat.
    #[must_use]
    pub fn hand_size(&self, seat: Seat) -> u8 {
        HAND_SIZE - u8::from(seat.index() < self.played.len())
    }

    /// The outcome, once the game is over.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        super::outcome(self.players, &self.played)
    }

    /// The cards the viewer has not seen: other hands, and the cards that are not dealt.
    #[must_use]
    pub fn unseen(&self) -> CardSet<Card> {
        DECK - self.hand - self.played.iter().copied().collect()
    }

    pub(super) fn apply_event(&mut self, event: &Event) {
        match *event {
            Event::Dealt { hand } => self.hand = hand,
            Event::Played { seat, card } => {
                if self.viewer.is(seat) {
                    self.hand = self.hand.without(card);
                }
                // A fifth card, which no game has, is ignored.
                let _ = self.played.try_push(card);
            }
            // The outcome follows from the cards.
            Event::Ended { .. } => {}
        }
    }

    /// Distributes the unseen cards uniformly over the other hands. Play reveals nothing about the cards still
    /// held, because every card in hand can be played.
    pub(super) fn sample(&self, rng: &mut impl Rng) -> Result<HighCard, ImpossibleView> {
        self.check()?;
        let mut unseen: ArrayVec<Card, 13> = self.unseen().into_iter().collect();
        shuffle(&mut unseen, rng);
        let mut hands = [CardSet::EMPTY; MAX_PLAYERS];
        for seat in Seat::all(self.players) {
            hands[seat.index()] = if self.viewer.is(seat) {
                self.hand
            } else {
                unseen.drain(..usize::from(self.hand_size(seat))).collect()
            };
        }
        Ok(HighCard { players: self.players, hands, played: self.played.clone() })
    }

    fn check(&self) -> Result<(), ImpossibleView> {
        HighCard::INFO.check_view(self.players, self.viewer)?;
        ensure(self.played.len() <= self.players.into(), "more cards are played than there are players")?;
        let size = self.viewer.seat().map_or(0, |seat| self.hand_size(seat));
        ensure(self.hand.len() == size, "the hand does not match the turn")?;
        let seen = usize::from(self.hand.len()) + self.played.len();
        ensure(usize::from(self.unseen().len()) + seen == usize::from(DECK.len()), "a card is in two places")
    }
}
