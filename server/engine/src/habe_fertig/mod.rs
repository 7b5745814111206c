//! Habe fertig (Steffen Benndorf): play your hand into the gap between two piles, and hide stars beforehand.
//!
//! # The order of the legal actions
//!
//! - Hiding: by the lower card of the pair (colour, then number), then by the higher one.
//! - Laying the turned-over card: on the left pile, on the right pile.
//! - Moving: by the card played; with the same card, left before right. Passing comes last.

mod action;
mod board;
mod card;
mod event;
mod origin;
pub mod refusals;
mod round;
mod sample;
mod text;
mod view;

#[cfg(test)]
mod tests;

use arrayvec::ArrayVec;
use rand_core::Rng;

pub use action::{Action, Pair, Pile};
pub use card::{Card, Colour};
pub use event::{Event, RevealedCards};
pub use origin::Origin;
pub use view::View;

use crate::game::check_to_act;
use crate::{
    Board, CardSet, Chance, ColourSymmetry, EventSink, Game, GameInfo, ImpossibleView, Lang, MAX_SEATS,
    Outcome, Refusal, Seat, Seats, SetupError, Text, TextBuilder, Viewer,
};

/// The number of cards dealt to each player.
pub const CARDS_DEALT: u8 = 12;

/// The maximum number of turns of a round, per player.
pub const MAX_TURNS_PER_PLAYER: u16 = 100;

/// Options of Habe fertig: none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {}

/// The decision the game is waiting for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Everyone hides two cards, simultaneously.
    Hiding {
        /// The seats that have not hidden cards yet.
        waiting: Seats,
    },
    /// The turn began without a gap: the player lays the turned-over card.
    Laying {
        /// The turned-over card.
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
    /// During hiding, the seat that will have the first turn.
    turn: Seat,
    /// The number of finished turns in this round.
    turns: u16,
    /// The number of consecutive passes, up to now, without a card to take.
    dry_passes: u8,
    hands: [CardSet<Card>; MAX_SEATS],
    hidden: [CardSet<Card>; MAX_SEATS],
    /// The tops of the left and right piles; `None` until everyone has hidden cards.
    tops: Option<[Card; 2]>,
    /// The cards under the tops.
    buried: CardSet<Card>,
    /// The draw pile. The top card is the last element.
    draw: ArrayVec<Card, { Card::COUNT }>,
    /// The number of times the draw pile was rebuilt in this round.
    rebuilds: u16,
    /// For each card that is held or face down, the rebuild of the draw pile it came from; 0 is the deal.
    /// Meaningless for face-up cards.
    origin: [u16; Card::COUNT],
    totals: [i32; MAX_SEATS],
    outcome: Option<Outcome>,
}

impl Game for HabeFertig {
    type Options = Options;
    type Card = Card;
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
        test_only: false,
    };

    fn new(
        rules_version: u32,
        options: Options,
        players: u8,
        chance: Chance,
        events: &mut impl EventSink<Event>,
    ) -> Result<HabeFertig, SetupError> {
        Self::INFO.check_setup(rules_version, players)?;
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

    fn apply(
        &mut self,
        seat: Seat,
        action: Action,
        events: &mut impl EventSink<Event>,
    ) -> Result<(), Refusal> {
        check_to_act(self, seat)?;
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
                let gap = self.goes_into_gap(card, pile)?;
                self.play(seat, card, pile, gap, events);
            }
            (Phase::Moving, Action::Pass) => self.pass(seat, events),
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

    /// The first legal pair to hide, the left pile for a turned-over card, and otherwise a pass.
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

    fn colour_symmetry(_players: u8) -> Option<ColourSymmetry> {
        Some(ColourSymmetry { colours: 6, cards_per_colour: 11 })
    }
}
