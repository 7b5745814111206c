//! High Card: everyone plays one of three cards, and the highest wins.
//!
//! The smallest game that has all parts of a game, for tests of everything around the rules.
//!
//! # The order of the legal actions
//!
//! By rank, lowest first.

mod board;
mod text;
mod view;

#[cfg(test)]
mod tests;

use arrayvec::ArrayVec;
use rand_core::Rng;

pub use view::View;

use crate::game::check_to_act;
use crate::{
    Audience, Board, CardCode, CardSet, Chance, EventSink, Game, GameInfo, ImpossibleView, Lang, Outcome,
    Refusal, Seat, Seats, SetupError, ShuffleId, Text, TextBuilder, Viewer,
};

/// The maximum number of players.
pub const MAX_PLAYERS: usize = 4;

/// The number of cards dealt to each player.
pub const HAND_SIZE: u8 = 3;

/// The deck: each rank once.
const DECK: CardSet<Card> = CardSet::from_bits((1 << Card::CODE_LIMIT) - 1);

/// A card, of rank 1 to 13. Its code is one less than its rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Card(u8);

impl Card {
    /// The card of this rank, 1 to 13.
    #[must_use]
    pub fn new(rank: u8) -> Option<Card> {
        Card::from_code(rank.checked_sub(1)?)
    }

    /// The rank, 1 to 13.
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 + 1
    }
}

impl CardCode for Card {
    const CODE_LIMIT: u8 = 13;
    fn code(self) -> u8 {
        self.0
    }
    fn from_code(code: u8) -> Option<Card> {
        (code < Self::CODE_LIMIT).then_some(Card(code))
    }
}

/// Options of High Card: there are none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options;

/// Playing a card.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Action {
    /// The card played.
    pub card: Card,
}

/// An event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// You were dealt this hand.
    Dealt {
        /// Your cards.
        hand: CardSet<Card>,
    },
    /// A card was played.
    Played {
        /// The player.
        seat: Seat,
        /// The card.
        card: Card,
    },
    /// The game ended.
    Ended {
        /// The outcome.
        outcome: Outcome,
    },
}

/// A game of High Card.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HighCard {
    players: u8,
    hands: [CardSet<Card>; MAX_PLAYERS],
    /// The cards played, in seat order.
    played: ArrayVec<Card, MAX_PLAYERS>,
}

impl Game for HighCard {
    type Options = Options;
    type Card = Card;
    type Action = Action;
    type Event = Event;
    type View = View;

    const INFO: GameInfo = GameInfo {
        id: "high_card",
        name: Text { en: "High Card", de: "Hohe Karte" },
        summary: Text {
            en: "Play one of three cards: the highest card wins.",
            de: "Spiele eine von drei Karten: Die höchste gewinnt.",
        },
        min_players: 2,
        max_players: MAX_PLAYERS as u8,
        rules_version: 1,
        rules: Text { en: include_str!("rules.en.md"), de: include_str!("rules.de.md") },
        test_only: true,
    };

    fn new(
        rules_version: u32,
        _: Options,
        players: u8,
        chance: Chance,
        events: &mut impl EventSink<Event>,
    ) -> Result<HighCard, SetupError> {
        Self::INFO.check_setup(rules_version, players)?;
        let mut deck: ArrayVec<Card, 13> = DECK.into_iter().collect();
        chance.shuffle(ShuffleId::deal(0), &mut deck, events);
        let mut game = HighCard { players, hands: [CardSet::EMPTY; MAX_PLAYERS], played: ArrayVec::new() };
        for (seat, cards) in Seat::all(players).zip(deck.chunks(HAND_SIZE.into())) {
            let hand: CardSet<Card> = cards.iter().copied().collect();
            game.hands[seat.index()] = hand;
            events.emit(Audience::Only(seat), Event::Dealt { hand });
        }
        Ok(game)
    }

    fn players(&self) -> u8 {
        self.players
    }

    fn to_act(&self) -> Seats {
        turn(self.players, &self.played).map_or(Seats::NONE, Seats::only)
    }

    fn legal_actions(&self, seat: Seat, out: &mut Vec<Action>) {
        out.clear();
        if self.to_act().contains(seat) {
            out.extend(self.hands[seat.index()].into_iter().map(|card| Action { card }));
        }
    }

    fn apply(
        &mut self,
        seat: Seat,
        action: Action,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Refusal> {
        check_to_act(self, seat)?;
        let Action { card } = action;
        let hand = &mut self.hands[seat.index()];
        if !hand.contains(card) {
            return Err(Refusal::NOT_IN_HAND);
        }
        *hand = hand.without(card);
        self.played.push(card);
        events.emit(Audience::Everyone, Event::Played { seat, card });
        if let Some(outcome) = self.outcome() {
            events.emit(Audience::Everyone, Event::Ended { outcome });
        }
        Ok(())
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn apply_event(view: &mut View, event: &Event) {
        view.apply_event(event);
    }

    fn board(view: &View, actions: &[Action], lang: Lang) -> Board {
        board::board(view, actions, lang)
    }

    fn write_question(view: &View, out: &mut TextBuilder) {
        board::write_question(view, out);
    }

    /// The lowest card.
    fn default_action(&self, seat: Seat) -> Option<Action> {
        let hand = self.to_act().contains(seat).then(|| self.hands[seat.index()])?;
        hand.first().map(|card| Action { card })
    }

    fn sample(view: &View, rng: &mut impl Rng) -> Result<HighCard, ImpossibleView> {
        view.sample(rng)
    }

    fn outcome(&self) -> Option<Outcome> {
        outcome(self.players, &self.played)
    }
}

/// The seat whose turn it is: everyone plays once, in seat order.
fn turn(players: u8, played: &[Card]) -> Option<Seat> {
    Seat::all(players).nth(played.len())
}

/// The outcome, once everyone has played: the rank of the highest card for its player, and 0 for the others.
fn outcome(players: u8, played: &[Card]) -> Option<Outcome> {
    if played.len() < usize::from(players) {
        return None;
    }
    let highest = played.iter().max();
    let mut points = [0; crate::MAX_SEATS];
    for (points, card) in points.iter_mut().zip(played) {
        if Some(card) == highest {
            *points = card.rank().into();
        }
    }
    Some(Outcome::from_points(players, points))
}
