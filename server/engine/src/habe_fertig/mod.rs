//! Habe fertig (Steffen Benndorf): get rid of your hand, into the gap between two piles, and hide stars beforehand.
//!
//! # The order of the legal actions
//!
//! - Hiding: by the lower card of the pair (colour, then number), then by the higher one.
//! - Laying the card that was turned over: on the left pile, on the right pile.
//! - Moving: by the card played; with the same card, left before right. Passing comes last.

mod action;
mod card;
mod event;
mod round;
mod sample;
mod text;
mod view;

#[cfg(test)]
mod tests;

use arrayvec::ArrayVec;
use rand_core::Rng;

pub use action::{Action, Pair, Pile, refusals};
pub use card::{Card, Colour};
pub use event::{Event, Shown};
pub use view::{Origin, View};

use crate::{
    CardSet, Chance, Colours, Events, Game, GameInfo, ImpossibleView, MAX_SEATS, Outcome, Refusal, Seat,
    Seats, SetupError, Text, Viewer,
};

/// How many cards everyone is dealt.
pub const DEALT: u8 = 12;

/// How many turns a round has at most, for each player.
pub const TURNS_PER_PLAYER: u16 = 100;

/// What can be chosen for a table of Habe fertig: nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {}

/// What the game waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Everyone hides two cards, all at the same time.
    Hiding {
        /// Who has not hidden yet.
        waiting: Seats,
    },
    /// There was no gap when the turn began: the player lays the card that was turned over.
    Laying {
        /// The card turned over.
        turned: Card,
    },
    /// The player plays a card or passes.
    Moving,
}

/// A game of Habe fertig.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HabeFertig {
    options: Options,
    players: u8,
    chance: Chance,
    round: u16,
    dealer: Seat,
    phase: Phase,
    /// While cards are hidden, who will have the first turn.
    turn: Seat,
    /// How many turns of the round are over.
    turns: u16,
    /// How many passes in a row, up to now, found no card to take.
    dry_passes: u8,
    hands: [CardSet<Card>; MAX_SEATS],
    hidden: [CardSet<Card>; MAX_SEATS],
    /// The top of the left and the right pile. There are none before everyone has hidden.
    tops: Option<[Card; 2]>,
    /// The cards under the tops.
    buried: CardSet<Card>,
    /// The draw pile. The next card is the last one.
    draw: ArrayVec<Card, { Card::COUNT }>,
    /// How often the draw pile was rebuilt in this round.
    rebuilds: u16,
    /// For each card that lies face down or is held, the rebuilt draw pile that it came from: 0 is the deal. Of cards
    /// that lie open it says nothing.
    origin: [u16; Card::COUNT],
    totals: [i32; MAX_SEATS],
    outcome: Option<Outcome>,
}

impl Game for HabeFertig {
    type Options = Options;
    type Action = Action;
    type Event = Event;
    type View = View;

    const INFO: GameInfo = GameInfo {
        id: "habe_fertig",
        name: Text { en: "Habe fertig", de: "Habe fertig" },
        summary: Text {
            en: "Lay into the gap between two piles, and be the first to have no cards left.",
            de: "Lege in die Lücke zwischen zwei Stapeln und werde als Erster alle Karten los.",
        },
        min_players: 2,
        max_players: 4,
        rules_version: 1,
        rules: Text { en: include_str!("rules.en.md"), de: include_str!("rules.de.md") },
    };

    fn new(
        rules_version: u32,
        options: Options,
        players: u8,
        chance: Chance,
        events: &mut impl Events<Event>,
    ) -> Result<HabeFertig, SetupError> {
        Self::INFO.check(rules_version, players)?;
        let mut game = HabeFertig {
            options,
            players,
            chance,
            round: 0,
            dealer: Seat::FIRST.right(players),
            phase: Phase::Moving,
            turn: Seat::FIRST,
            turns: 0,
            dry_passes: 0,
            hands: [CardSet::EMPTY; MAX_SEATS],
            hidden: [CardSet::EMPTY; MAX_SEATS],
            tops: None,
            buried: CardSet::EMPTY,
            draw: ArrayVec::new(),
            rebuilds: 0,
            origin: [0; Card::COUNT],
            totals: [0; MAX_SEATS],
            outcome: None,
        };
        game.deal(events);
        Ok(game)
    }

    fn players(&self) -> u8 {
        self.players
    }

    fn to_act(&self) -> Seats {
        match self.phase {
            _ if self.outcome.is_some() => Seats::NONE,
            Phase::Hiding { waiting } => waiting,
            Phase::Laying { .. } | Phase::Moving => Seats::only(self.turn),
        }
    }

    fn legal_actions(&self, seat: Seat, out: &mut Vec<Action>) {
        out.clear();
        if !self.to_act().contains(seat) {
            return;
        }
        let hand = self.hands[seat.index()];
        match self.phase {
            Phase::Hiding { .. } => {
                let mut cards = hand.into_iter();
                while let Some(low) = cards.next() {
                    out.extend(cards.clone().filter_map(|high| Pair::new(low, high)).map(Action::Hide));
                }
            }
            Phase::Laying { .. } => out.extend(Pile::ALL.map(Action::Lay)),
            Phase::Moving => {
                let [left, right] = self.playable().map(|cards| hand & cards);
                for card in left | right {
                    for (pile, playable) in [(Pile::Left, left), (Pile::Right, right)] {
                        if playable.contains(card) {
                            out.push(Action::Play { card, pile });
                        }
                    }
                }
                out.push(Action::Pass);
            }
        }
    }

    fn apply(&mut self, seat: Seat, action: Action, events: &mut impl Events<Event>) -> Result<(), Refusal> {
        if seat.index() >= usize::from(self.players) {
            return Err(Refusal::NO_SUCH_SEAT);
        }
        if self.outcome.is_some() {
            return Err(Refusal::GAME_OVER);
        }
        if !self.to_act().contains(seat) {
            return Err(Refusal::NOT_ASKED);
        }
        match (self.phase, action) {
            (Phase::Hiding { waiting }, Action::Hide(cards)) => {
                if !self.hands[seat.index()].contains_all(cards.cards()) {
                    return Err(Refusal::NOT_IN_HAND);
                }
                self.hide(seat, cards, waiting, events);
            }
            (Phase::Hiding { .. }, _) => return Err(refusals::HIDE_FIRST),
            (_, Action::Hide(_)) => return Err(refusals::HIDING_IS_OVER),
            (Phase::Laying { turned }, Action::Lay(pile)) => self.lay(seat, turned, pile, events),
            (Phase::Laying { .. }, _) => return Err(refusals::LAY_FIRST),
            (Phase::Moving, Action::Lay(_)) => return Err(refusals::NOTHING_TO_LAY),
            (Phase::Moving, Action::Play { card, pile }) => {
                if !self.hands[seat.index()].contains(card) {
                    return Err(Refusal::NOT_IN_HAND);
                }
                let gap = self.fit(card, pile)?;
                self.play(seat, card, pile, gap, events);
            }
            (Phase::Moving, Action::Pass) => self.pass(seat, events),
        }
        Ok(())
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn follow(view: &mut View, event: &Event) {
        view.follow(event);
    }

    /// Hiding takes the first legal action, a card that was turned over goes on the left pile, and a turn is passed.
    fn default_action(&self, seat: Seat) -> Option<Action> {
        if !self.to_act().contains(seat) {
            return None;
        }
        match self.phase {
            Phase::Hiding { .. } => {
                let mut cards = self.hands[seat.index()].into_iter();
                cards.next().zip(cards.next()).and_then(|(low, high)| Pair::new(low, high)).map(Action::Hide)
            }
            Phase::Laying { .. } => Some(Action::Lay(Pile::Left)),
            Phase::Moving => Some(Action::Pass),
        }
    }

    fn sample(view: &View, rng: &mut impl Rng) -> Result<HabeFertig, ImpossibleView> {
        view.sample(rng)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn colours(_players: u8) -> Option<Colours> {
        Some(Colours { count: 6, cards: 11 })
    }
}
